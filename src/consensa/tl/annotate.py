"""A fitted consensus as scanpy's functions look for it: obs, obsm, obsp and uns of an AnnData."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa.evaluate import anmi
from consensa.relate import nearest_objects

if TYPE_CHECKING:
    from consensa._types import FittedModel
    from consensa.choose import KChoice, Significance

__all__ = ["annotate"]


def annotate(adata: Any, model: FittedModel, key: str, *, n_neighbors: int | None = 15, **params: Any) -> None:
    """Write a fitted model with one number of clusters into an AnnData; all is computed before anything is written.

    ``key`` is the column of ``obs``, and the beginning of all other names. ``n_neighbors`` is the size of the
    neighbourhoods in the graph, the cell itself counted as scanpy does; None for no graph. Further parameters are noted
    in ``uns[key]["params"]``; None is left out.
    """
    import pandas as pd
    from anndata import ImplicitModificationWarning

    fitted = model.made_of().consensus
    ensemble, labels = model.ensemble_, np.asarray(model.labels_)
    names = [str(number) for number in range(int(labels.max()) + 1)]
    column = pd.Categorical.from_codes(labels, categories=names)
    clearly = np.asarray(fitted.confidence_, dtype=np.float64)
    noted = {"n_neighbors": n_neighbors, **params, "method_params": _plain(fitted.get_params(deep=False))}
    about: dict[str, Any] = {"params": {name: value for name, value in noted.items() if value is not None}}
    about |= _scores(model, fitted, labels, clearly)
    graphs = {} if n_neighbors is None else _graphs(fitted, n_neighbors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImplicitModificationWarning)  # a view becomes an object of its own
        adata.obs[key] = column
    adata.obs[f"{key}_confidence"] = clearly
    adata.obsm[f"{key}_partitions"] = ensemble.to_objects(ensemble.labels)
    for name, graph in graphs.items():
        about[f"{name}_key"] = f"{key}_{name}"
        adata.obsp[f"{key}_{name}"] = graph
    adata.uns[key] = about


def _graphs(fitted: Any, n_neighbors: int) -> dict[str, sp.csr_matrix]:
    """What ``scanpy.pp.neighbors`` would write: neighbours of every cell, and the same links in both directions."""
    links = nearest_objects(fitted.ensemble_, _weights(fitted), n_neighbors - 1).astype(np.float32)
    return {
        "connectivities": sp.csr_matrix(links.maximum(links.T)),
        "distances": sp.csr_matrix((1 - links.data, links.indices, links.indptr), shape=links.shape),
    }


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters that h5ad can hold; None is what a method does without being told."""
    return {name: value for name, value in params.items() if isinstance(value, (bool, int, float, str))}


def _weights(fitted: Any) -> np.ndarray | None:
    """The weights of the clusters where the method has them: then the graph is that of its weighted co-association."""
    weights = fitted.cluster_weights_
    return None if weights is None else np.asarray(weights, dtype=np.float64)


def _scores(model: FittedModel, fitted: Any, labels: np.ndarray, clearly: np.ndarray) -> dict[str, Any]:
    """What is known of the result, in values that h5ad and zarr can hold."""
    from consensa import __version__

    ensemble, made = model.ensemble_, model.made_of()
    names = ensemble.names if made.generator is None else made.partition_names
    about: dict[str, Any] = {
        "n_clusters": int(labels.max()) + 1,
        "cluster_sizes": np.bincount(labels[labels >= 0]),
        "anmi": float(anmi(labels, ensemble)),
        "mean_confidence": float(clearly.mean()),
        "n_microclusters": ensemble.n_microclusters,
        "partitions": np.array([str(name) for name in names], dtype=object),
        "version": __version__,
    }
    if fitted.choice_ is not None:
        about["choice"] = _choice(fitted.choice_)
    if model.significance_ is not None:
        about["significance"] = _tested(model.significance_)
    return about


def _tested(found: Significance) -> dict[str, Any]:
    """The tested splits: a vector for every property of them, NaN where nothing was tested."""
    frame = found.to_frame().reset_index()
    frame["smaller_part"] = frame.pop("sizes").map(min)
    table = {name: frame[name].to_numpy() for name in frame}
    return {"alpha": found.alpha, "cluster_p_values": found.cluster_p_values, "summary": found.summary(), **table}


def _choice(choice: KChoice) -> dict[str, Any]:
    """The table over the numbers of clusters: a vector for every curve, NaN where it is not defined."""
    return {
        "k": choice.k,
        "probabilities": choice.probabilities,
        "strength": choice.strength,
        "verdict": choice.verdict(),
        "curves": dict(choice.curves),
        "votes": dict(choice.votes),
        "rule": choice.rule,
    }
