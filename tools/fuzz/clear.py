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
    """LWEA is scipy's average linkage of its own similarity; scores are those of scikit-learn."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    labels = np.unique(labels, axis=0)
    model = fit("lwea", 2, labels)
    ensemble = consensa.Ensemble(labels)
    weights = consensa.weigh.entropy_weights(ensemble, 0.4)
    S = consensa.relate.co_association(ensemble, weights).to_dense().similarity
    S = S[np.ix_(ensemble.row_map, ensemble.row_map)]
    distance = 1 - S
    np.fill_diagonal(distance, 0.0)
    heights = 1 - linkage(squareform(distance, checks=False), "average")[:, 2]
    own = model.dendrogram_.similarities
    ties = bool(np.any(np.diff(np.sort(own)) < 1e-9))  # which of equal pairs is joined first may change the others
    demand(ties or bool(np.allclose(np.sort(own), np.sort(heights), atol=1e-7)), "scipy", "heights")
