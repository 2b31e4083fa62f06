"""AnnData files (h5ad) through anndata, which is an extra: only the parts that are wanted are read."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._budget import check_dense_budget
from consensa._messages import Message, Parameter
from consensa.io.arrays import ArrayFile, checked_array, loaded
from consensa.io.write import renamed_when_complete

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

__all__ = ["load_matrix", "load_obs", "read_anndata", "require_anndata", "write_anndata"]

_DEFAULT_REP = "X_pca"
_USE_REP = Parameter("array", of="h5ad")


def require_anndata(file: str) -> Any:
    """Return anndata, or say how to get it."""
    try:
        import anndata
    except ImportError:
        msg = f"{file}: h5ad files need anndata; install it with pip install anndata."
        raise ValueError(msg) from None
    return anndata


def load_matrix(path: str, wanted: str | None) -> ArrayFile:
    """Read X or an entry of obsm (None: X_pca if there is one, else X), the names of the cells and of the columns."""
    with _opened(path) as (archive, read):
        reps = [name for name in archive.get("obsm", ()) if name]
        name = wanted if wanted is not None else (_DEFAULT_REP if _DEFAULT_REP in reps else "X")
        place = "X" if name == "X" else f"obsm/{name}"
        if place not in archive or (name != "X" and name not in reps):
            known = ["X"] * ("X" in archive) + reps
            text = "{path}: there is no {name!r}; choose with {array} one of {known}."
            raise ValueError(Message(text, path=path, name=name, array=_USE_REP, known=", ".join(known) or "none"))
        _check_size(archive[place], path, name)
        values = read(archive[place])
        ids = _obs(path, archive, read).index.to_numpy(dtype=object)
        names = _column_names(values, name, read, archive)
    dense = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    return ArrayFile(checked_array(dense, path), ids, names, ("X" if name == "X" else f"obsm[{name!r}]",))


def load_obs(path: str) -> tuple[np.ndarray, list[str], list[tuple[list[Any], np.ndarray]]]:
    """Read obs: the names of the cells, those of the columns, and every column as distinct values and their places."""
    with _opened(path) as (archive, read):
        frame = _obs(path, archive, read)
    import pandas as pd

    columns = []
    for j in range(frame.shape[1]):
        places, values = pd.factorize(frame.iloc[:, j])
        columns.append(([*values.tolist(), None], np.where(places < 0, len(values), places)))
    return frame.index.to_numpy(dtype=object), [str(name) for name in frame.columns], columns


def read_anndata(path: str | os.PathLike[str]) -> Any:
    """Read all of an h5ad file."""
    anndata = require_anndata(str(path))
    return loaded(lambda: anndata.read_h5ad(path), str(path))


def write_anndata(target: str | os.PathLike[str], adata: Any) -> None:
    """Write an h5ad file, all or nothing."""
    with renamed_when_complete(Path(target).resolve()) as stream:
        adata.write_h5ad(Path(stream.name), compression="gzip")


@contextmanager
def _opened(path: str) -> Iterator[tuple[Any, Any]]:
    """The HDF5 file, and a function that reads a part of it."""
    anndata = require_anndata(path)
    import h5py

    with loaded(lambda: h5py.File(path, "r"), path) as archive:
        if not loaded(lambda: "obs" in archive, path):
            msg = f"{path}: is an HDF5 file without obs, so no AnnData."
            raise ValueError(msg)
        try:
            yield archive, lambda part: loaded(lambda: anndata.io.read_elem(part), path)
        except (KeyError, OSError, RuntimeError) as error:  # of h5py, wherever the file is damaged
            msg = f"{path}: cannot be read; the file is damaged or cut off ({type(error).__name__})."
            raise ValueError(msg) from None


def _obs(path: str, archive: Any, read: Any) -> Any:
    """The table of the cells."""
    frame = read(archive["obs"])
    if not hasattr(frame, "columns"):
        msg = f"{path}: obs is no table; the file is damaged or from an early anndata, so read and write it again."
        raise ValueError(msg)
    return frame


def _check_size(part: Any, path: str, name: str) -> None:
    """Refuse a sparse matrix that would be too large as a dense one."""
    shape = part.attrs.get("shape", getattr(part, "shape", (0, 0)))
    check_dense_budget(
        8 * int(np.prod(shape, dtype=np.int64)),
        f"{path}: {name} of shape {tuple(map(int, shape))} as a dense matrix",
        Message("Choose a representation with fewer columns with {array}, for example X_pca.", array=_USE_REP),
    )


def _column_names(values: Any, name: str, read: Any, archive: Any) -> list[str]:
    if name == "X":
        return [str(each) for each in read(archive["var"]).index]
    if hasattr(values, "columns"):
        return [str(each) for each in values.columns]
    return [f"{name}_{j}" for j in range(values.shape[1] if values.ndim > 1 else 1)]
