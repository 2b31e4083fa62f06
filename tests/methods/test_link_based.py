"""WEAC, CTS, SRS, ASRS and ECPCS: worked numbers, twins on single objects, odd input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import twins
from consensa import ASRS, CTS, ECPCS, SRS, WEAC, Ensemble
from consensa.evaluate import ari, nmi
from consensa.partition import agglomerate
from consensa.partition.meta_clusters import meta_clusters
from consensa.relate import (
    approximate_simrank,
    cluster_jaccard,
    co_association,
    connected_triples,
    enhanced_co_association,
    propagated_similarity,
    simrank,
    triple_similarity,
)
from consensa.weigh import crowd_agreement, crowd_weights
from strategies import ensembles, noisy_ensemble

SIX_DIGITS = 5.0001e-7
ROWS = ["111", "121", "122", "132", "211", "332", "333"]
WCT = {(0, 1): 0.545455, (0, 2): 0.341880, (1, 2): 0, (3, 4): 0.431818, (3, 5): 0.181818, (4, 5): 0.373626,
       (6, 7): 0.506494, (6, 8): 0, (7, 8): 0.555556}  # fmt: skip
TRIPLES = [
    [1, 0.873939, 0.783723, 0.663723, 0.928485, 0.494492, 0.251375],
    [1, 0.909784, 0.755791, 0.802424, 0.58656, 0.343443],
    [1, 0.846007, 0.712208, 0.676777, 0.61011],
    [1, 0.592208, 0.830769, 0.764103],
    [1, 0.33039, 0.087273],
    [1, 0.933333],
    [1],
]
SIMRANK = [
    [0.367625, 0.288988, 0.186516, 0.153594, 0.31391, 0.043167, 0.021713],
    [0.370079, 0.28622, 0.176744, 0.202356, 0.058399, 0.026328],
    [0.371157, 0.280832, 0.072869, 0.170724, 0.062678],
    [0.358918, 0.044338, 0.281076, 0.191181],
    [0.42459, 0.011923, 0.004136],
    [0.372643, 0.316741],
    [0.421498],
]


def random_ensemble(seed, missing=0.0, n_objects=40):
    return noisy_ensemble(np.random.default_rng(seed), n_objects, 5, 3, (2, 6), noise=0.2, missing=missing)[0]


def jaccard_twin(labels):
    members, owner = twins.clusters_of(labels)
    J = np.zeros((len(members), len(members)))
    for i, j in itertools.permutations(range(len(members)), 2):
        J[i, j] = (members[i] & members[j]).sum() / (members[i] | members[j]).sum()
    return J, members, owner


def own_pairs_twin(labels, members, owner, similarity):
    """Mean over the clusterings that label both of 1 or the similarity of the two clusters, object by object."""
    n = len(labels)
    S = np.zeros((n, n))
    for x, y in itertools.product(range(n), repeat=2):
        for m in range(labels.shape[1]):
            mine = np.flatnonzero(members[:, x] & (owner == m))
            theirs = np.flatnonzero(members[:, y] & (owner == m))
            if mine.size and theirs.size:
                S[x, y] += 1.0 if mine[0] == theirs[0] else similarity[mine[0], theirs[0]]
    observed = (labels >= 0).sum(axis=1)
    return S / np.sqrt(np.outer(observed, observed))


def triples_twin(labels, decay):
    J, members, owner = jaccard_twin(labels)
    T = np.zeros_like(J)
    for i, j in itertools.permutations(range(len(J)), 2):
        if owner[i] == owner[j]:
            T[i, j] = sum(min(J[i, k], J[j, k]) for k in range(len(J)))
    T = T / T.max() if T.max() > 0 else T
    return own_pairs_twin(labels, members, owner, decay * T)


def simrank_twin(labels, decay, n_rounds):
    members, _ = twins.clusters_of(labels)
    Z = members.T.astype(float)
    observed, sizes = Z.sum(axis=1), Z.sum(axis=0)
    S, C = np.eye(len(Z)), np.eye(len(members))
    for _ in range(n_rounds - 1):
        S, C = (
            decay * (Z @ C @ Z.T) / np.outer(observed, observed),
            decay * (Z.T @ S @ Z) / np.outer(sizes, sizes),
        )
        np.fill_diagonal(S, 1)
        np.fill_diagonal(C, 1)
    return S


def approximate_simrank_twin(labels, decay):
    J, members, _ = jaccard_twin(labels)
    C = np.zeros_like(J)
    for i, j in itertools.permutations(range(len(J)), 2):
        near = (J[i] > 0).sum() * (J[j] > 0).sum()
        C[i, j] = J[i] @ J[j] / near if near else 0.0
    C = C / C.max() if C.max() > 0 else C
    C[C < 1 - 1e-12] *= decay
    np.fill_diagonal(C, 1)
    Z = members.T.astype(float)
    S = Z @ C @ Z.T / np.outer(Z.sum(axis=1), Z.sum(axis=1))
    np.fill_diagonal(S, 1)
    return S


def propagated_twin(labels, n_steps):
    J, members, owner = jaccard_twin(labels)
    P = np.array([row / row.sum() if row.sum() > 0 else row for row in J])
    walks = np.hstack([np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)])
    length = np.linalg.norm(walks, axis=1)
    C = np.array([[a @ b / (p * q) if p * q > 0 else 0 for b, q in zip(walks, length, strict=True)]
                  for a, p in zip(walks, length, strict=True)])  # fmt: skip
    np.fill_diagonal(C, 1)
    return C, members, owner


def between_objects(similarity, ensemble):
    """Similarities of the microclusters, handed to pairs of distinct objects."""
    S = similarity[np.ix_(ensemble.row_map, ensemble.row_map)].copy()
    np.fill_diagonal(S, 1.0)
    return S


def check_tree(model, S, linkage):
    """Similarities of single objects in, the merges of their microclusters out: those of the definition."""
    first = np.unique(model.ensemble_.row_map, return_index=True)[1]
    merges, heights, _ = twins.greedy_merges(S[np.ix_(first, first)], model.ensemble_.sizes, linkage)
    np.testing.assert_array_equal(model.dendrogram_.merges, merges)
    np.testing.assert_allclose(model.dendrogram_.similarities, heights, atol=1e-9)


def upper_triangle(similarity, ensemble, labels):
    order = [int(ensemble.row_map[["".join(map(str, row)) for row in labels].index(row)]) for row in ROWS]
    S = similarity[np.ix_(order, order)]
    return [S[i, i:] for i in range(len(order))]


def test_crowd_agreement_of_example_a(example_a):
    np.testing.assert_allclose(crowd_agreement(example_a), [0.914491, 0.946016, 1], atol=SIX_DIGITS)
    np.testing.assert_allclose(crowd_agreement(example_a, average="sqrt"), [0.904786, 0.936311, 1], atol=SIX_DIGITS)


@pytest.mark.parametrize("average", ["max", "sqrt", "mean"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_crowd_agreement_is_the_mean_nmi(average, missing):
    labels = random_ensemble(1, missing, n_objects=120)
    n_partitions = labels.shape[1]
    expected = np.zeros(n_partitions)
    for a, b in itertools.permutations(range(n_partitions), 2):
        both = (labels[:, a] >= 0) & (labels[:, b] >= 0)
        expected[a] += nmi(labels[both, a], labels[both, b], average)
    np.testing.assert_allclose(crowd_agreement(labels, average=average), expected / expected.max(), atol=1e-12)


def test_crowd_agreement_without_any_agreement():
    assert crowd_agreement([[0, 1, 1, 2]]).tolist() == [1.0]
    assert crowd_agreement([[0, 0, 0], [1, 1, 1]]).tolist() == [1.0, 1.0]
    assert crowd_agreement([[0, 0, 1, 1], [0, 0, 1, 1], [5, 5, 5, 5]]).tolist() == [1.0, 1.0, 0.0]
    assert crowd_agreement(np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]])).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="average='min' is not known"):
        crowd_agreement([[0, 1]], average="min")


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_weac_is_linkage_on_the_weighted_co_association(linkage):
    labels = random_ensemble(3)
    influence = crowd_agreement(labels) ** 2
    same = labels[:, None, :] == labels[None, :, :]
    S = (same * influence).sum(axis=2) / influence.sum()
    model = WEAC(2, linkage).fit(labels)
    ensemble = model.ensemble_
    found = co_association(ensemble, crowd_weights(ensemble)).to_dense().similarity
    np.testing.assert_allclose(found[np.ix_(ensemble.row_map, ensemble.row_map)], S, atol=1e-12)
    check_tree(model, S, linkage)


def test_weac_without_trust_in_the_crowd_is_eac():
    labels = random_ensemble(4)
    found, plain = WEAC([2, 3], beta=1e-12).fit(labels), agglomerate(co_association(Ensemble(labels)), None)
    np.testing.assert_allclose(found.dendrogram_.similarities[0], plain.similarities[0], atol=1e-9)
    with pytest.raises(ValueError, match="beta=0 is not allowed"):
        WEAC(2, beta=0).fit(labels)


@pytest.mark.parametrize("name", ["MF", "VS"])
def test_weac_gives_the_published_labels(shared_data, name):
    golden = np.load(shared_data / "golden" / f"WEAC_{name}.npz")
    pool = np.load(shared_data / "data" / "pools" / f"LWEC_{name}.npz")
    drawn = np.load(shared_data / "golden" / f"LWEC_{name}.npz")["cols"]
    ks = golden["ks"].tolist()
    for r in range(len(golden["ncai"])):
        ensemble = Ensemble(pool["members"][:, drawn[r]].astype(int))
        np.testing.assert_allclose(crowd_agreement(ensemble), golden["ncai"][r], atol=1e-12)
        for linkage, field in (("average", "weac_al_labels"), ("single", "weac_sl_labels")):
            model = WEAC(ks, linkage).fit(ensemble)
            scores = [ari(model.labels_[k], golden[field][r, q]) for q, k in enumerate(ks)]
            assert scores == [1.0] * len(ks), (r, linkage, scores)


def test_connected_triples_of_example_a(example_a):
    ensemble = Ensemble(example_a)
    found = connected_triples(ensemble).toarray()
    assert {pair: round(found[pair], 6) for pair in WCT} == WCT
    np.testing.assert_array_equal(found, found.T)
    assert np.count_nonzero(found) == 2 * sum(value > 0 for value in WCT.values())
    rows = upper_triangle(triple_similarity(ensemble).similarity, ensemble, example_a)
    for row, expected in zip(rows, TRIPLES, strict=True):
        np.testing.assert_allclose(row, expected, atol=SIX_DIGITS)


def test_simrank_of_example_a(example_a):
    ensemble = Ensemble(example_a)
    for row, expected in zip(upper_triangle(simrank(ensemble).similarity, ensemble, example_a), SIMRANK, strict=True):
        np.testing.assert_allclose(row, expected, atol=SIX_DIGITS)


@settings(max_examples=25)
@given(labels=ensembles(max_objects=12, missing=True))
@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_similarities_are_those_of_single_objects(labels):
    ensemble = Ensemble(labels)
    J, _, _ = jaccard_twin(labels)
    np.testing.assert_allclose(cluster_jaccard(ensemble).toarray(), J, atol=1e-15)
    for found, expected in (
        (triple_similarity(ensemble, 0.9), triples_twin(labels, 0.9)),
        (simrank(ensemble, 0.7, 4), simrank_twin(labels, 0.7, 4)),
        (simrank(ensemble, 0.7, 2), simrank_twin(labels, 0.7, 2)),
        (approximate_simrank(ensemble, 0.9), approximate_simrank_twin(labels, 0.9)),
    ):
        np.testing.assert_allclose(between_objects(found.similarity, ensemble), expected, atol=1e-12)
    similarity, members, owner = propagated_twin(labels, 4)
    found = propagated_similarity(ensemble, 4)
    np.testing.assert_allclose(found, similarity, atol=1e-12)
    enhanced = enhanced_co_association(ensemble, found).similarity
    expected = own_pairs_twin(labels, members, owner, similarity)
    np.testing.assert_allclose(between_objects(enhanced, ensemble), expected, atol=1e-12)


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
@pytest.mark.parametrize("seed", range(3))
def test_linkage_of_triples_is_that_of_single_objects(linkage, seed):
    labels = random_ensemble(seed)
    check_tree(CTS(2, linkage).fit(labels), triples_twin(labels, 0.8), linkage)


@pytest.mark.parametrize("seed", range(3))
def test_linkage_of_cluster_walks_is_that_of_single_objects(seed):
    labels = random_ensemble(seed)
    similarity, members, owner = propagated_twin(labels, 5)
    model = ECPCS(2, n_steps=5).fit(labels)
    np.testing.assert_allclose(model.cluster_similarity_, similarity, atol=1e-12)
    check_tree(model, own_pairs_twin(labels, members, owner, similarity), "average")


@pytest.mark.parametrize("method", [SRS, ASRS])
@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_linkage_of_simrank_from_the_definition(method, linkage):
    labels = random_ensemble(5, n_objects=25)
    model = method(2, linkage).fit(labels)
    S = simrank_twin(labels, 0.8, 5) if method is SRS else approximate_simrank_twin(labels, 0.8)
    check_tree(model, S, linkage)


def test_votes():
    labels = random_ensemble(6)
    ensemble = Ensemble(labels)
    similarity = propagated_similarity(ensemble, 3)
    cut = meta_clusters(ensemble, "spectral", similarity=similarity, random_state=0)
    for k in (2, 3):
        groups, found = cut.groups(k), cut.cut(k)
        for u, row in enumerate(ensemble.incidence.toarray()):
            share = np.array([row[groups == g].mean() for g in range(k)])
            assert share[found[u]] == pytest.approx(share.max())


def test_meta_clusters_of_disconnected_and_identical_partitions():
    truth = np.repeat([0, 1, 2], [5, 9, 3])
    for n_partitions in (1, 2, 3):
        found = ECPCS(3, "mc", random_state=0).fit([truth] * n_partitions).labels_
        assert twins.same_partition(found, truth)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (120, 6)) + 3 * np.repeat([0, 1, 2], 40)[:, None]
    assert ari(ECPCS(3, "mc", random_state=0).fit_predict(labels), np.repeat([0, 1, 2], 40)) == 1.0


def test_meta_clusters_find_the_groups():
    labels, truth = noisy_ensemble(np.random.default_rng(0), 300, 12, 4, (8, 12), noise=0.1)
    assert ari(ECPCS(4, "mc", n_steps=5, random_state=0).fit_predict(labels), truth) > 0.9
    missing = labels.copy()
    missing[np.random.default_rng(1).random(labels.shape) < 0.2] = -1
    assert ari(ECPCS(4, "mc", n_steps=5, random_state=0).fit_predict(missing), truth) > 0.8


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CTS(2, "ward"), "linkage='ward' is not known"),
        (SRS(2, "ward"), "linkage='ward' is not known"),
        (ASRS(2, "ward"), "linkage='ward' is not known"),
        (ECPCS(2, linkage="ward"), "linkage='ward' is not known"),
        (CTS(2, decay=0), r"decay=0 is not allowed: it must be a number in \(0, 1\]"),
        (SRS(2, decay=1.5), r"decay=1\.5 is not allowed"),
        (ASRS(2, decay="a"), "decay='a' is not allowed"),
        (SRS(2, n_rounds=1), "n_rounds=1 is not allowed: n_rounds must be an integer of at least 2"),
        (ECPCS(2, "sc"), "consensus='sc' is not known; choose one of 'hc', 'mc'"),
        (ECPCS(2, n_steps=0), "n_steps=0 is not allowed"),
        (ECPCS(2, "mc", n_init=0), "n_init=0 is not allowed"),
        (ECPCS(7, "mc"), "n_clusters=7 is more than the 4 base clusters"),
    ],
)
def test_wrong_parameters(model, message):
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, -1], [-1, 0], [-1, 1]])
    with pytest.raises(ValueError, match=message):
        model.fit(labels)


@pytest.mark.parametrize("model", [CTS(2), SRS(2), ASRS(2), ECPCS(2)])
def test_matrix_beyond_the_budget(monkeypatch, model):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 2**16)
    with pytest.raises(ValueError, match=r"similarity of the (microclusters|base clusters) would need .* of memory"):
        model.fit(np.arange(300).reshape(-1, 1) % 299)
