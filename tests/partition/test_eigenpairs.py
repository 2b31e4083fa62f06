"""Lanczos with known eigenvectors against the dense decomposition, on graphs in pieces."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble
from consensa.partition import normalised_cut, transfer_cut
from consensa.relate import cluster_graph, co_association


def pieces(n_pieces, rng):
    """An ensemble whose graph has ``n_pieces`` components."""
    piece = rng.integers(0, n_pieces, 600)
    columns = [piece * 60 + rng.integers(0, 60, 600) for _ in range(4)]
    return Ensemble([*columns, piece])


@pytest.mark.parametrize("n_pieces", [1, 2, 7])
@pytest.mark.parametrize("cut", ["transfer", "normalised", "diagonal"])
def test_lanczos_equals_the_dense_decomposition(n_pieces, cut, monkeypatch):
    ensemble = pieces(n_pieces, np.random.default_rng(n_pieces))

    def decompose():
        if cut == "transfer":
            return transfer_cut(cluster_graph(ensemble), ensemble.sizes)
        extra = np.full(ensemble.n_microclusters, 0.5) if cut == "diagonal" else None
        return normalised_cut(co_association(ensemble), ensemble.sizes, extra_diagonal=extra)

    dense = decompose()
    k = n_pieces + 3
    values, E = dense.eigenvalues(k), dense.embedding(k)
    monkeypatch.setattr("consensa.partition.eigenpairs._DENSE_ROWS", 10)
    lanczos = decompose()
    F = lanczos.embedding(k)
    np.testing.assert_allclose(lanczos.eigenvalues(k), values, atol=1e-9)
    np.testing.assert_allclose(F @ F.T, E @ E.T, atol=1e-6)
