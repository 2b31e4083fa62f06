"""How often the chosen k is the number of classes."""
