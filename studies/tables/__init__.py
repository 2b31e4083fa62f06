"""Mixed tables: numbers, categories and gaps, against the usual ways to cluster them."""
