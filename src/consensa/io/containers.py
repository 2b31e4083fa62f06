"""Matrices from the kinds of files that hold arrays: NPY, NPZ, MAT, and h5ad where one of its matrices is wanted."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from consensa.io import arrays, h5ad, mat

if TYPE_CHECKING:
    from consensa.io.arrays import ArrayFile

__all__ = ["load_array"]


def load_array(stream: IO[bytes], file: str, kind: str, wanted: str | None, *, as_labels: bool) -> ArrayFile | None:
    """Read the array of a file of that kind; None if the file is a table.

    ``wanted`` is its name, if the file holds several. The labels of an h5ad file are columns of obs, unless one is
    named.
    """
    if kind == "npy":
        return arrays.load_npy(stream, file)
    if kind == "npz":
        return arrays.load_npz(stream, file, wanted)
    if kind == "mat":
        return mat.load_mat(stream, file, wanted, as_labels=as_labels)
    if kind == "h5ad" and not (as_labels and wanted is None):
        return h5ad.load_matrix(file, wanted)
    return None
