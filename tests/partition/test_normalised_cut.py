"""The normalised cut of microclusters against that of all objects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import twins
from consensa import Ensemble
from consensa.partition import normalised_cut
from consensa.relate import Dense, co_association
from strategies import ensembles

pytestmark = pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")


def full_spectrum(S):
    root = 1 / np.sqrt(S.sum(axis=1))
    values, vectors = np.linalg.eigh(root[:, None] * S * root)
    return values[::-1], vectors[:, ::-1]


@given(ensembles(missing=True), st.booleans(), st.booleans(), st.integers(1, 6))
def test_spectrum_and_embedding_of_all_objects(labels, unit_diagonal, dense, n_clusters):
    ensemble = Ensemble(labels)
    weights = twins.eci(labels, 1.0)
    relation = co_association(ensemble, weights)
    S = twins.co_association(labels, weights)
    extra = None
    if unit_diagonal:
        extra = 1 - np.diag(relation.to_dense().similarity)
        np.fill_diagonal(S, 1.0)
        assume(np.all(extra >= 0))
    values, vectors = full_spectrum(S)
    cut = normalised_cut(
        relation.to_dense() if dense else relation, ensemble.sizes, extra_diagonal=extra, random_state=0
    )
    assume(n_clusters < min(len(values), ensemble.n_microclusters, ensemble.n_base_clusters))
    assume(values[n_clusters - 1] - values[n_clusters] > 1e-5)
    if unit_diagonal:  # eigenvectors inside one microcluster are no business of its graph
        inside = (extra / S.sum(axis=1)[np.unique(ensemble.row_map, return_index=True)[1]])[ensemble.sizes > 1]
        assume(values[n_clusters - 1] > inside.max(initial=0.0) + 1e-5)
    np.testing.assert_allclose(cut.eigenvalues(n_clusters), values[:n_clusters], atol=1e-9)
    found = cut.embedding(n_clusters)[ensemble.row_map]
    expected = vectors[:, :n_clusters] / np.linalg.norm(vectors[:, :n_clusters], axis=1, keepdims=True)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


def test_more_components_than_clusters():
    ensemble = Ensemble([[0, 0, 0, 1, 1, 2], [0, 0, 1, 2, 2, 3]])
    cut = normalised_cut(co_association(ensemble), ensemble.sizes)
    assert cut.n_components == 3
    assert cut.cut(2)[ensemble.row_map].tolist() == [0, 0, 0, 1, 1, 1]


def test_more_clusters_than_the_similarity_has_dimensions():
    """All of the null space would put every row at the same distance from every other, and cut at random."""
    rng = np.random.default_rng(0)
    angles = np.repeat([0.1, 0.7, 1.3], 8) + 0.02 * rng.random(24)
    flat = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cut = normalised_cut(Dense(flat @ flat.T), random_state=0)
    assert cut.embedding(3).shape == (24, 2)
    assert adjusted_rand_score(cut.cut(3), np.repeat([0, 1, 2], 8)) == 1
