"""The search for the default method: points of the grid, run on pools for choosing and on pools for reporting."""
