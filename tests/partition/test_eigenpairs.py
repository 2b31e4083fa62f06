"""Lanczos with known eigenvectors against the dense decomposition, on graphs in pieces."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import LWGP, SAL, Ensemble
from consensa.partition import normalised_cut, transfer_cut
from consensa.partition.block_krylov import block_krylov
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
    monkeypatch.setattr("consensa.partition.eigenpairs.DENSE_ROWS", 10)
    lanczos = decompose()
    F = lanczos.embedding(k)
    np.testing.assert_allclose(lanczos.eigenvalues(k), values, atol=1e-9)
    np.testing.assert_allclose(F @ F.T, E @ E.T, atol=1e-6)


def test_more_eigenvectors_than_the_budget_allows_are_refused_before_they_are_made(monkeypatch):
    """As many components as clusters are one eigenspace; a cut along the components needs none of it."""
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**20)
    labels = np.arange(600)[:, None]
    with pytest.raises(ValueError, match=r"600 eigenvectors of a graph of 600 nodes would need .*EAC, LWEA"):
        SAL(3).fit(labels)
    assert np.unique(LWGP(3, random_state=0).fit_predict(labels)).size == 3


@pytest.mark.parametrize("multiplicity", [1, 20])
def test_block_lanczos_finds_equal_eigenvalues(multiplicity):
    """More equal eigenvalues than a block has vectors, with the residuals that are promised."""
    rng = np.random.default_rng(multiplicity)
    values = np.concatenate([np.full(multiplicity, 0.9), np.linspace(0.5, 0.0, 400)])
    turn = np.linalg.qr(rng.standard_normal((values.size, values.size)))[0]
    A = (turn * values) @ turn.T
    found, vectors = block_krylov(lambda x: A @ x, values.size, multiplicity + 5)
    np.testing.assert_allclose(found, np.sort(values)[::-1][: multiplicity + 5], atol=1e-11)
    assert np.linalg.norm(A @ vectors - vectors * found, axis=0).max() < 1e-10
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(found.size), atol=1e-12)
