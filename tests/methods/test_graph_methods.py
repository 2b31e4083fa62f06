"""CSPA, HGPA, MCLA, their supra-consensus, HBGF and GP-MGLA: object-level twins, balance, fallbacks."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

import twins
from consensa import CSPA, GPMGLA, HBGF, HGPA, MCLA, ConsensaWarning, Ensemble, SupraConsensus
from consensa.evaluate import anmi, ari
from consensa.partition import BestOfCuts, Cut, canonical_order, hypergraph_cut, meta_clusters, transfer_cut
from consensa.relate import cluster_graph, co_association, common_triples, granularity_graph
from consensa.weigh import crowd_agreement
from strategies import nested_ensemble, noisy_ensemble

METIS = [CSPA, HBGF, MCLA]
FAMILY = [CSPA, HGPA, MCLA, HBGF]


def unequal_groups():
    """Clear groups of 60, 20 and 10 objects."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [60, 20, 10])
    columns = []
    for _ in range(8):
        column = truth * 2 + rng.integers(2, size=truth.size)
        moved = rng.random(truth.size) < 0.05
        column[moved] = rng.integers(6, size=moved.sum())
        columns.append(column)
    return np.stack(columns, axis=1), truth


def halves(n):
    """All ways to split n objects (an even number) into two equal halves."""
    for rest in itertools.combinations(range(1, n), n // 2 - 1):
        side = np.zeros(n, int)
        side[[0, *rest]] = 1
        yield side


@pytest.mark.parametrize("seed", range(4))
def test_canonical_order_knows_no_rows_columns_or_names(seed):
    rng = np.random.default_rng(seed)
    labels, _ = noisy_ensemble(rng, 80, 7, missing=0.1)
    rows, columns = rng.permutation(80), rng.permutation(7)
    moved = labels[rows][:, columns]
    renamed = np.where(moved < 0, -1, 100 - moved)
    ensembles = [Ensemble(labels), Ensemble(renamed)]
    orders = [canonical_order(ensemble) for ensemble in ensembles]
    graphs = [o.arrange(cluster_graph(e)).matrix.toarray() for o, e in zip(orders, ensembles, strict=True)]
    np.testing.assert_array_equal(*graphs)
    sizes = [e.sizes[o.rows] for o, e in zip(orders, ensembles, strict=True)]
    np.testing.assert_array_equal(*sizes)
    factors = [o.arrange(co_association(e)).to_dense().similarity for o, e in zip(orders, ensembles, strict=True)]
    np.testing.assert_array_equal(*factors)  # bit for bit


def test_canonical_order_of_columns_given_twice():
    labels, _ = noisy_ensemble(np.random.default_rng(0), 80, 7)
    once, twice = Ensemble(labels), Ensemble(np.hstack([labels, labels]))
    np.testing.assert_array_equal(canonical_order(once).rows, canonical_order(twice).rows)


@pytest.mark.parametrize("seed", range(3))
def test_hbgf_by_metis_knows_no_order(seed):
    labels, _ = nested_ensemble(np.random.default_rng(seed), missing=0.05)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    found = [HBGF(4, partitioner="metis", random_state=0).fit(X).labels_ for X in (labels, labels[rows][:, columns])]
    assert twins.same_partition(found[0][rows], found[1])


@pytest.mark.parametrize("seed", range(6))
def test_cspa_finds_the_lightest_balanced_cut(seed):
    """All 126 equal halves of ten objects, one by one."""
    labels = np.random.default_rng(seed).integers(3, size=(10, 5))
    labels[:, 0] = np.arange(10) // 2  # distinct rows
    labels[:, 1] = np.arange(10) % 2
    S = twins.co_association(labels)
    weight = {side.tobytes(): S[np.ix_(side == 0, side == 1)].sum() for side in halves(10)}
    found = CSPA(2, random_state=0).fit(labels).labels_
    assert np.bincount(found).tolist() == [5, 5]
    assert S[np.ix_(found == 0, found == 1)].sum() == pytest.approx(min(weight.values()))


@pytest.mark.parametrize("objective", ["cut", "km1"])
@pytest.mark.parametrize("seed", range(6))
def test_hgpa_cuts_the_fewest_clusters(seed, objective):
    """In two parts both objectives count the clusters that are cut."""
    labels = np.random.default_rng(seed).integers(4, size=(10, 4))
    labels[:, 0] = np.arange(10) // 2
    labels[:, 1] = np.arange(10) % 2
    members, _ = twins.clusters_of(labels)

    def n_cut(side):
        return sum(len(set(side[member])) > 1 for member in members)

    found = HGPA(2, random_state=0, objective=objective, imbalance=0.01).fit(labels).labels_
    assert np.bincount(found).tolist() == [5, 5]
    assert n_cut(found) == min(n_cut(side) for side in halves(10))


@pytest.mark.parametrize("seed", range(3))
def test_cspa_without_metis_is_the_normalised_cut_of_the_objects(seed):
    labels, _ = nested_ensemble(np.random.default_rng(seed), missing=0.05)
    S = twins.co_association(labels)
    root = 1 / np.sqrt(S.sum(axis=1))
    _, vectors = np.linalg.eigh(root[:, None] * S * root)
    placed = vectors[:, -4:] / np.linalg.norm(vectors[:, -4:], axis=1, keepdims=True)
    model = CSPA(4, partitioner="spectral", random_state=0).fit(labels)
    found = model.cut_.embedding(4)[model.ensemble_.row_map]
    np.testing.assert_allclose(found @ found.T, placed @ placed.T, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_hbgf_embedding_is_that_of_objects_and_clusters(seed, missing):
    """Left and right singular vectors of the object-level matrix, rows of length 1."""
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 50, 6, missing=missing)
    members, _ = twins.clusters_of(labels)
    Z = members.T.astype(float)
    left, _, right = np.linalg.svd(Z / np.sqrt(np.outer(Z.sum(axis=1), Z.sum(axis=0))))
    both = np.vstack([left[:, :3], right[:3].T])
    both /= np.linalg.norm(both, axis=1, keepdims=True)
    ensemble = Ensemble(labels)
    cut = transfer_cut(cluster_graph(ensemble), ensemble.sizes, both_sides=True, random_state=0)
    placed = cut.vertices.embedding(3)
    n = ensemble.n_microclusters
    found = np.vstack([placed[:n][ensemble.row_map], placed[n:]])
    np.testing.assert_allclose(found @ found.T, both @ both.T, atol=1e-7)
    assert cut.cut(3).shape == (n,)


@pytest.mark.parametrize("partitioner", ["metis", "spectral"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_mcla_object_by_object(seed, partitioner):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 70, 6, missing=0.1)
    ensemble = Ensemble(labels)
    cut = meta_clusters(ensemble, partitioner, random_state=0)
    groups, members = cut.groups(4), twins.clusters_of(labels)[0]
    share = np.array([[np.mean(members[groups == g, i]) for g in range(4)] for i in range(len(labels))])
    np.testing.assert_allclose(cut.association(4)[ensemble.row_map], share, atol=1e-12)
    found = MCLA(4, partitioner=partitioner, random_state=0).fit(labels)
    assert twins.same_partition(found.cut_.cut(4)[ensemble.row_map], found.labels_)
    best = share[np.arange(len(labels)), cut.cut(4)[ensemble.row_map]]
    np.testing.assert_allclose(best, share.max(axis=1), atol=1e-12)
    mass = np.bincount(groups, members.sum(axis=1))
    assert np.all(np.diff(mass) <= 0)  # ties between meta-clusters go to the one with most objects
    if partitioner == "metis":
        assert mass.max() <= 1.5 * mass.mean()


def test_mcla_fills_meta_clusters_that_nobody_prefers():
    """Two objects, three clusters of each: the third meta-cluster wins nothing."""
    labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2]]
    with pytest.warns(ConsensaWarning, match=r"of the 3 meta-clusters won no object; each was given the nearest one"):
        found = MCLA(3, random_state=0).fit([*labels, [5, 5, 5, 5, 5, 5]]).labels_
    assert np.unique(found).size == 3


@pytest.mark.parametrize("seed", range(3))
def test_common_triples_one_by_one(seed):
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 40, 4, missing=0.1)
    members, owner = twins.clusters_of(labels)
    weights = np.random.default_rng(seed).random(4)[owner]
    n = len(members)
    J = np.array([[(a & b).sum() / (a | b).sum() for b in members] for a in members])
    triples = np.array(
        [[sum(weights[k] * min(J[i, k], J[j, k]) for k in range(n)) for j in range(n)] for i in range(n)]
    )
    expected = triples / triples.max()
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(common_triples(Ensemble(labels), weights), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_gpmgla_on_objects(seed):
    """The graph of n + n_c rows, its columns related through all rows, only objects placed."""
    labels, _ = noisy_ensemble(np.random.default_rng(seed), 60, 5, missing=0.05)
    members, owner = twins.clusters_of(labels)
    ensemble = Ensemble(labels)
    g = crowd_agreement(ensemble)[owner] ** 2
    B = np.vstack([0.5 * members.T * g, common_triples(ensemble, g)])
    W = B.T @ (B / B.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(granularity_graph(ensemble, g).affinity(ensemble.sizes), W, atol=1e-12)
    root = 1 / np.sqrt(W.sum(axis=1))
    _, vectors = np.linalg.eigh(root[:, None] * W * root)
    objects = B[: len(labels)]
    placed = objects @ (root[:, None] * vectors[:, -3:]) / objects.sum(axis=1, keepdims=True)
    placed /= np.linalg.norm(placed, axis=1, keepdims=True)
    model = GPMGLA(3, random_state=0).fit(labels)
    found = model.cut_.embedding(3)[ensemble.row_map]
    np.testing.assert_allclose(found @ found.T, placed @ placed.T, atol=1e-7)


def farthest_first(points, k):
    """The k-means of the published code: first object, then the farthest ones, one run to convergence."""
    centers = [points[0]]
    for _ in range(k - 1):
        gap = np.min([((points - center) ** 2).sum(axis=1) for center in centers], axis=0)
        centers.append(points[np.argmax(gap)])
    labels, centers = None, np.array(centers)
    while True:
        new = ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            return labels
        labels = new
        centers = np.array([points[labels == j].mean(axis=0) for j in range(k)])


@pytest.mark.parametrize("name", ["MF", "VS"])
def test_gpmgla_gives_the_published_labels(shared_data, name):
    """The same links, the same labels with the k-means of the published code, and ours score alike."""
    from consensa.evaluate import nmi

    golden = np.load(shared_data / "golden" / f"WEAC_{name}.npz")
    columns = np.load(shared_data / "golden" / f"LWEC_{name}.npz")["cols"]
    pool = np.load(shared_data / "data" / "pools" / f"LWEC_{name}.npz")
    ks, gaps = golden["ks"].tolist(), []
    for r, expected in enumerate(golden["gpmgla_labels"]):
        ensemble = Ensemble(pool["members"][:, columns[r]])
        model = GPMGLA(ks, random_state=0).fit(ensemble)
        if r == 0:
            links = common_triples(ensemble, model.cluster_weights_)
            np.testing.assert_allclose(links, golden["run0_cluster_cluster_weights"], atol=1e-12)
        for q, k in enumerate(ks):
            placed = model.cut_.embedding(k)[ensemble.row_map]
            assert ari(farthest_first(placed, k), expected[q]) == 1.0, (r, k)
            truth = pool["gt"].ravel()
            gaps.append(nmi(model.labels_[k], truth, "max") - golden["gpmgla_nmi_max"][r, q])
    assert abs(np.mean(gaps)) < 0.01


@pytest.mark.parametrize("method", FAMILY)
def test_balance_is_forced_and_can_be_left(method):
    labels, truth = unequal_groups()
    forced = method(3, partitioner="auto", random_state=0).fit(labels).labels_
    assert np.bincount(forced).max() <= (35 if method is HGPA else 45)
    assert ari(forced, truth) < 0.9
    free = method(3, partitioner=method._free, random_state=0).fit(labels).labels_
    assert ari(free, truth) > 0.95


@pytest.mark.parametrize("method", [CSPA, HGPA, HBGF])
def test_imbalance_that_is_allowed(method):
    labels, _ = unequal_groups()
    forced, loose = (
        np.bincount(method(3, imbalance=share, partitioner="auto", random_state=0).fit(labels).labels_).max()
        for share in (0.01, 0.3)
    )
    assert forced < loose <= 46  # 39, and in HBGF the clusters are vertices too
    for wrong in (0, -1, "much"):
        with pytest.raises(ValueError, match=rf"imbalance={wrong!r} is not allowed"):
            method(3, imbalance=wrong, partitioner="auto").fit(labels)


@pytest.mark.parametrize("method", [*METIS, SupraConsensus])
def test_without_pymetis(method, monkeypatch):
    labels, _ = nested_ensemble(np.random.default_rng(0))
    free = method(4, partitioner=method._free, random_state=0).fit(labels).labels_
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(ImportError, match="pip install pymetis"):
        method(4, partitioner=method._balanced).fit(labels)
    name = "CSPA" if method is SupraConsensus else method.__name__
    with pytest.warns(ConsensaWarning) as caught:
        found = method(4, partitioner="auto", random_state=0).fit(labels).labels_
    told = str(caught[0].message)
    assert told.startswith(f'{name} falls back on partitioner="spectral", which does not force clusters of equal size')
    assert "pip install pymetis" in told
    assert method is SupraConsensus or found.tolist() == free.tolist()


def test_without_mtkahypar(monkeypatch):
    labels, _ = nested_ensemble(np.random.default_rng(0))
    free = HGPA(4, partitioner="tcut", random_state=0).fit(labels).labels_
    monkeypatch.setitem(sys.modules, "mtkahypar", None)
    with pytest.raises(ImportError, match=r"needs the package mtkahypar\. .*pip install mtkahypar"):
        HGPA(4, partitioner="hypergraph").fit(labels)
    with pytest.warns(ConsensaWarning, match=r'HGPA falls back on partitioner="tcut".*pip install mtkahypar'):
        found = HGPA(4, random_state=0).fit(labels).labels_
    assert found.tolist() == free.tolist()


@pytest.mark.parametrize("method", [*FAMILY, SupraConsensus])
def test_unknown_partitioner(method):
    with pytest.raises(
        ValueError, match=rf"partitioner='nope' is not known; choose one of 'auto', '{method._balanced}'"
    ):
        method(2, partitioner="nope").fit([[0, 0, 1, 1], [0, 1, 1, 1]])


@pytest.mark.parametrize("partitioner", ["balanced", "free"])
def test_supra_consensus_takes_the_one_that_agrees_most(partitioner):
    labels, _ = noisy_ensemble(np.random.default_rng(3), 100, 8, noise=0.3)
    model = SupraConsensus([2, 4], partitioner=partitioner, random_state=0).fit(labels)
    for k in (2, 4):
        scores = model.cut_.scores(k)
        assert list(scores) == ["CSPA", "HGPA", "MCLA"]
        assert scores[model.cut_.chosen(k)] == max(scores.values())
        assert anmi(model.labels_[k], labels) == pytest.approx(max(scores.values()), abs=1e-9)
        cut = model.cut_.cuts[model.cut_.chosen(k)].cut(k)
        assert twins.same_partition(model.labels_[k], model.ensemble_.to_objects(cut))


def test_of_equally_good_cuts_the_first():
    class Fixed(Cut):
        def __init__(self, labels):
            self.labels = np.array(labels)
            self.sizes = np.ones(4)

        def cut(self, n_clusters):
            return self.labels

    ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]])
    choice = BestOfCuts({"a": Fixed([0, 0, 0, 0]), "b": Fixed([0, 0, 1, 1]), "c": Fixed([1, 1, 0, 0])}, ensemble)
    assert choice.chosen(2) == "b"
    assert choice.scores(2)["a"] == 0.0
    choice.cut(2)[:] = 7
    assert choice.cut(2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("method", [MCLA, GPMGLA])
def test_more_clusters_than_base_clusters(method):
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    with pytest.raises(ValueError, match=r"n_clusters=5 is more than the 4 "):
        method(5).fit(np.vstack([labels, [[0, -1], [1, -1]]]))


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (CSPA, r"The graph of all pairs of 900 rows for METIS would need .*tcut"),
        (MCLA, r"The graph of \d+ clusters would need .*Use base clusterings of fewer clusters"),
        (GPMGLA, r"matrix of links between clusters would need .*LWGP"),
        (HGPA, r"The hypergraph of 2700 pins would need .*tcut"),
    ],
)
def test_memory_is_estimated_first(method, message, monkeypatch):
    labels = np.stack([np.arange(900) // 3, np.arange(900) % 300, np.arange(900) // 9], axis=1)
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**17)
    with pytest.raises(ValueError, match=message):
        method(2).fit(labels)


def test_parameters_of_gpmgla():
    labels = [[0, 0, 1, 1], [0, 1, 1, 1]]
    with pytest.raises(ValueError, match=r"alpha=0 is not allowed"):
        GPMGLA(2, alpha=0).fit(labels)
    with pytest.raises(ValueError, match=r"beta=-1 is not allowed"):
        GPMGLA(2, beta=-1).fit(labels)
    assert GPMGLA(2, random_state=0).fit(labels).cluster_weights_.tolist() == [1, 1, 1, 1]


def test_objective_of_hgpa():
    with pytest.raises(ValueError, match=r"objective='soed' is not known; choose one of 'cut', 'km1'"):
        HGPA(2, objective="soed").fit([[0, 0, 1, 1], [0, 1, 1, 1]])
    with pytest.raises(ValueError, match="sizes of shape"):
        hypergraph_cut(cluster_graph(Ensemble([[0, 0, 1, 1]])).matrix, np.ones(5))
