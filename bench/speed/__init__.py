"""Time and memory of the methods."""
