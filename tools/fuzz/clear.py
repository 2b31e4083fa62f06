"""Ensembles without ties: rows, columns, names, chunks and files do not matter, and others come to the same answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import consensa
from consensa.methods import METHODS
from tools.fuzz.inputs import clear_labels
from tools.fuzz.rules import answer, demand, fit, same

__all__ = ["check_clear", "clear_case"]

_HEAVY = {"hgpa", "supra"}  # half a second for every cut
_ANY_NUMBER_OF_COPIES = ("lwea", "eac", "weac")  # of all clusterings: their similarities are means


def clear_case(seed: int) -> dict[str, Any]:
    """Draw a case for :func:`check_clear`."""
    rng = np.random.default_rng([2, seed])
    names = [name for name in METHODS if name not in _HEAVY]
    return {"labels": clear_labels(rng), "name": str(rng.choice(names)), "seed": seed}


def check_clear(case: dict[str, Any]) -> bool:
    """Fit a method again and again; the clusters stay."""
    labels, name = case["labels"], str(case["name"])
    rng = np.random.default_rng(int(case["seed"]))
    reference = fit(name, 3, labels)
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    demand(same(fit(name, 3, labels[rows]).labels_, reference.labels_[rows]), "rows")
    demand(same(fit(name, 3, labels[:, columns]).labels_, reference.labels_), "columns")
    demand(same(fit(name, 3, labels + 7).labels_, reference.labels_), "names")
    chunks = consensa.scale.as_chunks(labels, int(rng.integers(1, 130)))
    demand(np.array_equal(fit(name, 3, chunks).labels_, reference.labels_), "chunks")
    with tempfile.TemporaryDirectory() as folder:
        reference.save(Path(folder, "model.npz"))
        loaded = consensa.load(Path(folder, "model.npz"))
    demand(np.array_equal(loaded.labels_, reference.labels_), "saved")
    cut = answer(lambda: loaded.cut(2))[0]
    demand(cut is None or np.array_equal(cut, reference.cut(2)), "saved cut")
    perfect = np.repeat(labels[:, 5:6], 4, axis=1)
    demand(same(fit(name, np.unique(perfect).size, perfect).labels_, perfect[:, 0]), "perfect consensus")
    if name in _ANY_NUMBER_OF_COPIES:
        demand(same(fit(name, 3, np.hstack([labels, labels])).labels_, reference.labels_), "columns twice")
    if name == "lwea":
        _against_others(labels)
    return True


def _against_others(labels: np.ndarray) -> None:
    """LWEA is average linkage of its own similarity: every merge is one of the best there are, at their mean.

    Replayed rather than compared with another's tree: with equal similarities there are several right ones.
    """
    labels = np.unique(labels, axis=0)
    tree = fit("lwea", 2, labels).dendrogram_
    ensemble = consensa.Ensemble(labels)
    weights = consensa.weigh.entropy_weights(ensemble, 0.4)
    S = consensa.relate.co_association(ensemble, weights).to_dense().similarity.copy()
    np.fill_diagonal(S, -np.inf)
    sizes = ensemble.sizes.astype(float)
    for (a, b), height in zip(tree.merges, tree.similarities, strict=True):
        demand(abs(S[a, b] - height) < 1e-9 and S.max() - height < 1e-9, "linkage", f"{a} {b} {height} {S.max()}")
        S[a] = S[:, a] = (sizes[a] * S[a] + sizes[b] * S[b]) / (sizes[a] + sizes[b])
        S[b] = S[:, b] = S[a, a] = -np.inf
        sizes[a] += sizes[b]
    _against_scipy(consensa.relate.co_association(ensemble, weights).to_dense().similarity)


def _against_scipy(S: np.ndarray) -> None:
    """The heights are those of scipy, once no two similarities are equal any more."""
    from scipy.cluster.hierarchy import linkage

    noise = np.random.default_rng(0).uniform(0, 1e-4, S.shape)
    S = S + noise + noise.T
    tree = consensa.partition.agglomerate(consensa.relate.Dense(S), np.ones(len(S)))
    heights = 1 - linkage(1 - S[np.triu_indices(len(S), 1)], "average")[:, 2]
    demand(bool(np.allclose(np.sort(tree.similarities), np.sort(heights), atol=1e-9)), "scipy", "heights")
