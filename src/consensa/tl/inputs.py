"""What is combined: columns of ``obs``, or a representation of the cells that base clusterings are made from."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa.ensemble import Ensemble

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["DEFAULT_REP", "check_anndata", "check_key", "partitions_of", "representation_of", "the_one_source"]

DEFAULT_REP = "X_pca"
_SHOWN = 12


def check_anndata(adata: Any, *, copy: bool) -> None:
    """Refuse what is no AnnData, and a copy of one that lies in a file."""
    try:
        from anndata import AnnData
    except ImportError as error:
        msg = "consensa.tl needs anndata; install it with pip install anndata."
        raise ImportError(msg) from error
    if not isinstance(adata, AnnData):
        msg = (
            f"adata is a {type(adata).__name__}; an AnnData is needed. For arrays and data frames use "
            "consensa.consensus or EnsembleClustering."
        )
        raise ValueError(msg)  # noqa: TRY004 - as every wrong value
    if adata.isbacked and (copy or adata.is_view):
        what = "copy=True was given" if copy else "it is a view"
        msg = f"adata is backed by a file and {what}, so its X would have to be copied; pass adata.to_memory()."
        raise ValueError(msg)


def check_key(key_added: Any, keys: Sequence[str]) -> str:
    """Refuse a name that h5ad cannot hold, or that would overwrite what is read."""
    if not isinstance(key_added, str) or not key_added or "/" in key_added:
        msg = (
            f"key_added={key_added!r} is not allowed: give a text without '/', which h5ad files cannot hold in a name."
        )
        raise ValueError(msg)
    written = {key_added, f"{key_added}_confidence"}
    if written & set(keys):
        msg = (
            f"key_added={key_added!r} would overwrite the obs column {min(written & set(keys))!r}, which is one of the "
            "keys; choose another name."
        )
        raise ValueError(msg)
    return key_added


def the_one_source(adata: Any, keys: Any, use_rep: Any) -> tuple[list[str], str]:
    """Return the columns to combine, or an empty list and the name of the representation to cluster."""
    if keys is not None and use_rep is not None:
        msg = (
            "keys and use_rep were both given; give keys to combine obs columns, or use_rep to make base clusterings "
            "of a representation."
        )
        raise ValueError(msg)
    if keys is None:
        return [], use_rep if use_rep is not None else (DEFAULT_REP if DEFAULT_REP in adata.obsm else "X")
    found = [keys] if isinstance(keys, str) else list(keys)
    if not found:
        msg = "keys is empty; give at least one obs column, or leave keys out to make base clusterings."
        raise ValueError(msg)
    for key in found:
        if found.count(key) > 1:
            msg = f"keys names the obs column {key!r} {found.count(key)} times; name every column once."
            raise ValueError(msg)
        if key not in adata.obs.columns:
            raise ValueError(_unknown("obs column", key, adata.obs.columns))
    return found, ""


def partitions_of(adata: Any, keys: list[str], missing: int | None) -> Ensemble:
    """Return the ensemble of some columns of ``obs``; NaN, None and NA are missing labels."""
    return Ensemble(adata.obs[keys], missing=missing)


def representation_of(adata: Any, use_rep: str) -> np.ndarray:
    """Return ``X`` or an entry of ``obsm`` as a dense matrix of finite numbers."""
    if use_rep == "X":
        if adata.isbacked:
            msg = "X lies in the file of a backed AnnData; give use_rep an entry of obsm, or pass adata.to_memory()."
            raise ValueError(msg)
        found, name = adata.X, "X"
    elif use_rep in adata.obsm:
        found, name = adata.obsm[use_rep], f"obsm[{use_rep!r}]"
    else:
        raise ValueError(_unknown("representation", use_rep, ["X", *adata.obsm]))
    if found is None:
        msg = "adata has no X; give use_rep an entry of obsm, or keys to combine obs columns."
        raise ValueError(msg)
    return _dense(found, name)


def _dense(found: Any, name: str) -> np.ndarray:
    if sp.issparse(found):
        check_dense_budget(
            8 * found.shape[0] * found.shape[1],
            f"The sparse {name} of shape {found.shape} as a dense matrix",
            "Reduce it first, for example with scanpy.pp.pca, and give use_rep='X_pca'.",
        )
        found = found.toarray()
    values = np.asarray(found)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        msg = f"{name} of shape {values.shape} and type {values.dtype} is no matrix of numbers, which is needed."
        raise ValueError(msg)
    values = values if values.dtype == np.float32 else values.astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        msg = f"{name} holds {values[row, column]} in row {row}, column {column}; base clusterings need finite numbers."
        raise ValueError(msg)
    return values


def _unknown(what: str, name: Any, known: Iterable[str]) -> str:
    """Say that there is no such name, and which are near to it."""
    names = [str(each) for each in known]
    near = get_close_matches(str(name), names, n=3)
    meant = f" did you mean {' or '.join(map(repr, near))}?" if near else ""
    listed = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    return f"adata has no {what} {name!r};{meant} There are {len(names)}: {listed or 'none'}."
