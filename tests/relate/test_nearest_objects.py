"""The graph of nearest objects against a twin that looks at all pairs of objects."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from consensa import ConsensaWarning, Ensemble
from consensa.relate import nearest_objects
from twins import co_association

MASK = (1 << 64) - 1


def key_of(a, b):
    """The mix of two hashes, in Python's integers."""
    h = int(a) ^ int(b)
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & MASK
    return h ^ (h >> 31)


def steps_of(size, count):
    powers = [2**e for e in range(40) if 2**e < size]
    return (powers + [s for s in range(1, size) if s not in powers])[:count]


def twin(labels, weights, K):
    """Rank all other objects of every object, pair by pair."""
    n = len(labels)
    S = np.round(co_association(labels, weights), 10)
    hashes = Ensemble(labels).to_objects(Ensemble(labels).hashes)
    crowd = [[j for j in range(n) if (labels[j] == labels[i]).all()] for i in range(n)]
    graph = np.zeros((n, n))
    for i in range(n):
        place = crowd[i].index(i)
        others = {crowd[j][0]: crowd[j] for j in range(n) if j not in crowd[i] and S[i, j] > 0}
        order = sorted(others, key=lambda j: (-S[i, j], key_of(hashes[i], hashes[j])))
        nearest = S[i, order[0]] if order else 0.0
        n_outside = max(int(round(K * nearest / (S[i, i] + nearest), 10) + 0.5), K - (len(crowd[i]) - 1))
        outside = []
        for j in order[:K]:
            start, size = place + key_of(hashes[i], hashes[j]) % len(crowd[j]), len(crowd[j])
            wanted = min(size, n_outside - len(outside))
            if place * wanted < K * size:
                outside += [crowd[j][(start + t) % size] for t in range(wanted)]
        inside = [crowd[i][(place + s) % len(crowd[i])] for s in steps_of(len(crowd[i]), K - len(outside))]
        for j in inside + outside:
            graph[i, j] = S[i, j]
    return graph


def random_labels(seed, n=60, n_partitions=5, missing=0.0):
    """Base clusterings that agree in part, so that microclusters of many sizes come about."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=n)
    labels = np.stack([np.where(rng.random(n) < 0.8, truth, rng.integers(5, size=n)) for _ in range(n_partitions)], 1)
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return labels.astype(np.int64)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_neighbors", [1, 2, 4, 15, 80])
def test_as_the_twin(seed, n_neighbors):
    labels = random_labels(seed, missing=0.2 if seed % 2 else 0.0)
    labels[:30] = labels[0]  # one large microcluster, whose objects must share the small ones
    ensemble = Ensemble(labels)
    rng = np.random.default_rng(seed)
    for weights in (None, rng.random(ensemble.n_base_clusters)):
        found = nearest_objects(ensemble, weights, n_neighbors)
        np.testing.assert_allclose(found.toarray(), twin(labels, weights, n_neighbors), atol=1e-9)


def test_as_the_twin_where_few_meet():
    labels = np.random.default_rng(0).integers(60, size=(150, 3))
    for n_neighbors in (3, 15):
        found = nearest_objects(Ensemble(labels), None, n_neighbors)
        np.testing.assert_allclose(found.toarray(), twin(labels, None, n_neighbors), atol=1e-9)


def test_similarity_is_symmetric_where_both_link():
    graph = nearest_objects(Ensemble(random_labels(3, n=200)), None, 10)
    both = graph.toarray()
    linked = (both > 0) & (both.T > 0)
    assert linked.any()
    np.testing.assert_array_equal(both[linked], both.T[linked])


def test_a_huge_microcluster_has_no_hub():
    labels = np.zeros((5000, 3), np.int64)
    labels[:40] = random_labels(0, 40, 3)
    graph = nearest_objects(Ensemble(labels), None, 15)
    assert graph.nnz <= 15 * 5000
    assert np.diff(graph.indptr).max() <= 15
    assert np.bincount(graph.indices, minlength=5000).max() < 100
    from scipy.sparse.csgraph import shortest_path

    steps = shortest_path(graph, unweighted=True, directed=False, indices=[4999])
    assert steps[np.isfinite(steps)].max() < 12  # a ring would take hundreds


def test_large_groups_that_never_meet_are_not_linked_and_those_that_do_are():
    apart = nearest_objects(Ensemble([[0] * 50 + [1] * 50]), None, 10).toarray()
    assert not apart[:50, 50:].any()
    assert (np.count_nonzero(apart, axis=1) == 10).all()
    often = nearest_objects(Ensemble([[0] * 50 + [1] * 50, [0] * 100, [0] * 100, [0] * 100]), None, 10).toarray()
    assert (np.count_nonzero(often[:50, 50:], axis=1) == 4).all()  # 10 * 0.75 / 1.75


def test_objects_without_labels_and_weights_of_zero():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        ensemble = Ensemble(np.array([[0, 0], [-1, -1], [0, 1], [0, 0]]))
    graph = nearest_objects(ensemble, None, 3).toarray()
    assert not graph[1].any()
    assert not graph[:, 1].any()
    assert graph[0, 3] == 1
    assert nearest_objects(ensemble, np.zeros(ensemble.n_base_clusters), 3).nnz == 0


def test_one_object_and_bad_parameters():
    assert nearest_objects(Ensemble([[0]]), None, 5).nnz == 0
    with pytest.raises(ValueError, match="n_neighbors=0 is not allowed"):
        nearest_objects(Ensemble([[0, 1]]), None, 0)
    with pytest.raises(ValueError, match="do not fit"):
        nearest_objects(Ensemble([[0, 1]]), np.ones(5), 2)


def test_long_runs_are_announced(monkeypatch):
    monkeypatch.setattr("consensa.relate.neighbors._LONG", 0.0)
    with pytest.warns(
        ConsensaWarning, match="graph of the nearest objects of 2 microclusters will take about 0 minutes"
    ):
        nearest_objects(Ensemble([[0, 0, 1]]), None, 2)


def test_the_same_for_any_number_of_threads(monkeypatch):
    ensemble = Ensemble(random_labels(5, n=3000, n_partitions=12))
    found = []
    for n_threads in ("1", "3"):
        monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
        found.append(nearest_objects(ensemble, None, 15))
    assert (found[0] != found[1]).nnz == 0
