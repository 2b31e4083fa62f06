"""Other packages on the same ensembles."""
