"""Functions on AnnData in the manner of scanpy's ``tl``: results go into the object. Needs the extra anndata."""

from consensa.tl.cells import consensus

__all__ = ["consensus"]
