"""PTA and PTGP: odd input, variants, and the answers of the published code."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from consensa import PTA, PTGP, Ensemble
from consensa.evaluate import ari, nmi
from consensa.partition import agglomerate, transfer_cut
from consensa.relate import Bipartite, trajectories

EXAMPLE = [
    [1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 3, 1, 3, 3, 3, 3],
    [1, 1, 1, 1, 2, 2, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3],
    [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3],
]
BOTH = pytest.mark.parametrize("method", [PTA, PTGP])


def noisy_ensemble(n_objects=300, n_members=12, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n_objects)
    labels = np.where(
        rng.random((n_objects, n_members)) < noise, rng.integers(0, 8, (n_objects, n_members)), truth[:, None]
    )
    return labels, truth


def seeded(method, *args, **kwargs):
    return method(*args, **kwargs) if method is PTA else method(*args, **kwargs, random_state=0)


@BOTH
def test_finds_the_groups_behind_noisy_clusterings(method):
    labels, truth = noisy_ensemble()
    assert ari(seeded(method, 4).fit_predict(labels), truth) > 0.95


@BOTH
def test_several_numbers_of_clusters_come_from_one_fit(method):
    labels, _ = noisy_ensemble()
    model = seeded(method, [2, 4, 6]).fit(labels)
    for k in (2, 4, 6):
        np.testing.assert_array_equal(model.labels_[k], seeded(method, k).fit_predict(labels))
        assert np.unique(model.labels_[k]).size == k


@BOTH
def test_similarity_on_request(method):
    model = seeded(method, 2, 2, 3)
    with pytest.raises(NotFittedError):
        _ = model.trajectory_similarity_
    model.fit(EXAMPLE)
    np.testing.assert_array_equal(
        model.trajectory_similarity_, trajectories(model.ensemble_, 2, 3).similarity().similarity
    )
    assert not any(np.ndim(value) == 2 and np.shape(value) == (7, 7) for value in vars(model).values())


@BOTH
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": "most"}, "n_neighbors='most'"),
        ({"n_steps": 0}, "n_steps=0"),
        ({"cap": 0}, "cap=0"),
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": 8}, "n_clusters=8 is more than the 7 microclusters"),
    ],
)
def test_wrong_parameters(method, wrong, message):
    with pytest.raises(ValueError, match=message):
        seeded(method, **wrong).fit(EXAMPLE)


def test_wrong_linkage():
    with pytest.raises(ValueError, match="linkage='ward'"):
        PTA(2, linkage="ward").fit(EXAMPLE)


def test_more_clusters_than_the_graph_has_columns():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, -1]])
    assert PTA(5).fit(labels).n_clusters_ == 5
    with pytest.raises(ValueError, match="n_clusters=5 is more than the 4 base clusters"):
        PTGP(5).fit(labels)


def test_wrong_number_of_starts_is_found_before_the_walks(monkeypatch):
    monkeypatch.setattr("consensa.methods.walks.trajectories", None)
    with pytest.raises(ValueError, match="n_init=0"):
        PTGP(2, n_init=0).fit(EXAMPLE)


@BOTH
def test_one_microcluster_and_one_cluster(method):
    np.testing.assert_array_equal(seeded(method, 1).fit_predict([[3, 3, 3], ["a", "a", "a"]]), [0, 0, 0])
    with pytest.raises(ValueError, match="n_clusters=2 is more than the 1 microclusters"):
        seeded(method, 2).fit([[3, 3, 3]])


@BOTH
@pytest.mark.parametrize("n_neighbors", [7, 50, "all"])
def test_as_many_neighbors_as_microclusters(method, n_neighbors):
    expected = seeded(method, 3, "all", 3).fit_predict(EXAMPLE)
    np.testing.assert_array_equal(seeded(method, 3, n_neighbors, 3).fit_predict(EXAMPLE), expected)


@BOTH
def test_disconnected_ensembles_fall_apart_at_the_seams(method):
    rng = np.random.default_rng(0)
    piece = np.repeat([0, 1, 2], 40)
    labels = rng.integers(0, 3, (120, 6)) + 3 * piece[:, None]
    assert ari(seeded(method, 3).fit_predict(labels), piece) == 1.0
    finer = seeded(method, 6).fit_predict(labels)
    assert np.unique(finer).size == 6
    if method is PTA:  # components with similarity 0 stay apart; a spectral cut may weigh otherwise
        assert all(np.unique(piece[finer == c]).size == 1 for c in range(6))


@BOTH
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_isolated_microclusters_run(method, k):
    labels = np.array([[0, 0], [0, 1], [1, 0], [5, 5], [5, 5], [6, 6]])
    found = seeded(method, k).fit_predict(labels)
    assert np.unique(found).size == k
    assert found[3] == found[4]


@BOTH
def test_identical_clusterings_come_back(method):
    column = np.array([0, 1, 2, 1, 0, 2, 2])
    assert ari(seeded(method, 3).fit_predict(np.column_stack([column] * 4)), column) == 1.0


@BOTH
def test_missing_labels(method):
    labels, truth = noisy_ensemble()
    holes = np.where(np.random.default_rng(1).random(labels.shape) < 0.2, -1, labels)
    assert ari(seeded(method, 4).fit_predict(holes), truth) > 0.9


def test_pta_is_linkage_on_the_similarity():
    labels, _ = noisy_ensemble(n_members=5, noise=0.5)
    ensemble = Ensemble(labels)
    S = trajectories(ensemble).similarity()
    for linkage in ("average", "complete", "single"):
        for weighted in (False, True):
            tree = agglomerate(S, ensemble.sizes if weighted else None, linkage)
            model = PTA(5, linkage=linkage, size_weighted=weighted).fit(ensemble)
            np.testing.assert_array_equal(model.dendrogram_.merges, tree.merges)


def test_sizes_change_average_linkage_only():
    labels, _ = noisy_ensemble(n_members=5, noise=0.5)
    heights = {w: PTA(5, size_weighted=w).fit(labels).dendrogram_.similarities for w in (False, True)}
    assert not np.allclose(heights[False], heights[True])
    complete = {w: PTA(5, linkage="complete", size_weighted=w).fit(labels).dendrogram_.merges for w in (False, True)}
    np.testing.assert_array_equal(complete[False], complete[True])


@pytest.mark.parametrize("weighted", [False, True])
def test_ptgp_is_a_transfer_cut_of_the_mean_similarity(weighted):
    labels, _ = noisy_ensemble(n_members=5, noise=0.5)
    ensemble = Ensemble(labels)
    members = ensemble.incidence.toarray() * (ensemble.sizes[:, None] if weighted else 1)
    B = trajectories(ensemble).similarity().similarity @ (members / members.sum(axis=0))
    plain = transfer_cut(Bipartite(B), ensemble.sizes if weighted else None, random_state=0)
    model = PTGP(5, size_weighted=weighted, random_state=0).fit(ensemble)
    np.testing.assert_allclose(model.cut_.eigenvalues(5), plain.eigenvalues(5), atol=1e-10)
    assert ari(model.ensemble_.to_objects(plain.cut(5)), model.labels_) == 1.0


def published(folder, name):
    with np.load(folder / "golden" / f"PTA_{name}.npz") as file:
        expected = dict(file)
    members = np.load(folder / "data" / "pools" / f"PTGP_{name.removesuffix('_compact')}.npz")["members"]
    ensembles = [Ensemble(members[:, columns]) for columns in expected["cols"]]
    return expected, ensembles, int(expected["true_k"])


SETS = pytest.mark.parametrize("name", ["MF", "IS", "KDD99_10P_compact"])


@SETS
@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_pta_labels_of_the_published_code(name, linkage, shared_data):
    expected, ensembles, k = published(shared_data, name)
    for run, ensemble in enumerate(ensembles):
        labels = PTA(k, linkage=linkage, cap=20).fit_predict(ensemble)
        assert ari(labels, expected[f"pta_{linkage[0]}l_labels"][run]) == pytest.approx(1.0, abs=1e-12)


@SETS
def test_ptgp_embedding_and_loss_of_the_published_code(name, shared_data):
    expected, ensembles, k = published(shared_data, name)
    scores = []
    for run, ensemble in enumerate(ensembles):
        model = PTGP(k, cap=20, random_state=0).fit(ensemble)
        rows = model.cut_.embedding(k)
        labels = np.empty(ensemble.n_microclusters, int)
        labels[ensemble.row_map] = model.labels_
        loss = sum(((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))
        assert loss <= 1.03 * expected["ptgp_sse"][run]
        scores.append(nmi(model.labels_, expected["ptgp_labels"][run], average="max"))
        if run == 0:
            place = np.empty(ensemble.n_microclusters, int)
            place[ensemble.row_map] = expected["run0_microcluster_of_object"].astype(int) - 1
            theirs = expected["run0_ptgp_embedding"][place]
            np.testing.assert_allclose(rows @ rows.T, theirs @ theirs.T, atol=1e-8)
    assert np.mean(scores) > 0.85
