"""U-SPEC and U-SENC: every step against a plain twin, shapes that k-means cannot see, traps, chunks and threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

from consensa import LWGP, USENC, USPEC, EnsembleClustering
from consensa.ensemble.sampling import sampled_rows
from consensa.evaluate import ari, nmi
from consensa.generate import KMeansPartitions, USPECPartitions
from consensa.generate.anchors import Representatives, anchor_affinities, representatives
from consensa.generate.uspec import uspec
from consensa.partition import anchor_cut
from consensa.relate import Bipartite


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@parametrize_with_checks(
    [
        USPEC(n_clusters=3, n_representatives=30),
        USENC(n_clusters=3, n_partitions=5, n_representatives=30),
        USPECPartitions(n_partitions=3, n_representatives=20),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def smile(n=3000, seed=0):
    """A ring, two eyes and a mouth."""
    rng = np.random.default_rng(seed)
    sizes = [n // 2, n // 8, n // 8, n // 4]
    angle = rng.uniform(0, 2 * np.pi, sizes[0])
    face = np.c_[np.cos(angle), np.sin(angle)] * 5
    eyes = [rng.normal([side, 1.7], 0.25, (size, 2)) for size, side in zip(sizes[1:3], (-1.7, 1.7), strict=True)]
    angle = rng.uniform(1.2 * np.pi, 1.8 * np.pi, sizes[3])
    mouth = np.c_[np.cos(angle), np.sin(angle)] * 2.5
    X = np.vstack([face, *eyes, mouth]) + rng.normal(0, 0.1, (sum(sizes), 2))
    truth = np.repeat(np.arange(4), sizes)
    order = rng.permutation(truth.size)
    return X[order], truth[order]


SHAPES = {
    "moons": lambda: make_moons(2000, noise=0.05, random_state=0),
    "circles": lambda: make_circles(2000, factor=0.5, noise=0.05, random_state=0),
    "smile": smile,
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_sees_shapes_that_k_means_cannot(shape):
    X, truth = SHAPES[shape]()
    k = np.unique(truth).size
    assert nmi(KMeans(k, n_init=10, random_state=0).fit_predict(X), truth) < 0.75
    for model in (USPEC(k, n_representatives=300), USENC(k, n_representatives=300, n_partitions=10)):
        assert ari(model.set_params(random_state=0).fit_predict(X), truth) > 0.99


def test_digits_are_better_than_by_k_means():
    X, truth = load_digits(return_X_y=True)
    plain = np.mean([nmi(KMeans(10, n_init=1, random_state=seed).fit_predict(X), truth) for seed in range(5)])
    found = [nmi(USPEC(10, n_representatives=300, random_state=seed).fit_predict(X), truth) for seed in range(3)]
    assert np.mean(found) > plain + 0.03


def plain_nearest(anchors, x, n_neighbors):
    """The three steps of the approximate search, one row at a time."""
    group = np.argmin(((anchors.group_centers - x) ** 2).sum(axis=1))
    inside = np.arange(anchors.bounds[group], anchors.bounds[group + 1])
    center = inside[np.argmin(((anchors.points[inside] - x) ** 2).sum(axis=1))]
    candidates = anchors.around[center]
    gaps = ((anchors.points[candidates] - x) ** 2).sum(axis=1)
    order = np.lexsort((candidates, gaps))[:n_neighbors]
    return candidates[order], gaps[order]


@pytest.mark.parametrize("n_features", [1, 3, 8])
def test_search_is_that_of_the_paper(n_features):
    X = np.random.default_rng(0).normal(size=(500, n_features))
    anchors = representatives(X, 60, 3, np.random.default_rng(1))
    assert anchors.points.shape == (60, n_features)
    assert anchors.bounds.size - 1 == 7  # floor(sqrt(60))
    assert anchors.around.shape == (60, 31)
    numbers, squared = anchors.nearest(X, 3)
    for i, x in enumerate(X):
        wanted, gaps = plain_nearest(anchors, x, 3)
        np.testing.assert_array_equal(numbers[i], wanted)
        np.testing.assert_allclose(squared[i], gaps, atol=1e-12)


def test_search_is_nearly_exact():
    X = np.random.default_rng(0).normal(size=(2000, 4))
    anchors = representatives(X, 200, 5, np.random.default_rng(1))
    numbers, _ = anchors.nearest(X, 5)
    distances = ((X[:, None] - anchors.points) ** 2).sum(axis=2)
    exact = np.argsort(distances, axis=1)[:, :5]
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(numbers, exact, strict=True)])
    assert recall > 0.95


def test_neighbours_of_representatives_are_the_nearest():
    X = np.random.default_rng(0).normal(size=(300, 2))
    anchors = representatives(X, 40, 2, np.random.default_rng(1))
    distances = ((anchors.points[:, None] - anchors.points) ** 2).sum(axis=2)
    np.testing.assert_array_equal(anchors.around[:, 0], np.arange(40))
    np.testing.assert_allclose(
        np.take_along_axis(distances, anchors.around.astype(int), axis=1), np.sort(distances, axis=1)[:, :21]
    )


def test_affinities_by_definition():
    numbers = np.array([[2, 0], [1, 2]], np.int32)
    squared = np.array([[1.0, 4.0], [0.0, 1e6]])
    sigma = np.sqrt(squared).mean()
    graph = anchor_affinities(numbers, squared, 4, "euclidean", sigma).toarray()
    tiny = np.finfo(float).eps
    by_hand = np.exp(-squared / (2 * sigma**2))
    np.testing.assert_allclose(graph[0], [by_hand[0, 1], 0, by_hand[0, 0], 0])
    np.testing.assert_allclose(graph[1], [0, 1, max(by_hand[1, 1], tiny), 0])
    small = anchor_affinities(numbers, squared, 4, "euclidean", 1.0).toarray()
    assert small[1, 2] == tiny  # underflow
    equal = anchor_affinities(numbers, np.zeros((2, 2)), 4, "euclidean", 0.0).toarray()
    np.testing.assert_array_equal(equal, [[1, 0, 1, 0], [0, 1, 1, 0]])
    cosine = anchor_affinities(numbers, squared, 4, "cosine", 1.0).toarray()
    np.testing.assert_allclose(cosine, [[tiny, 0, 0.5, 0], [0, 1, tiny, 0]])


def test_cut_is_the_bipartite_normalised_cut():
    """The embedding of the rows solves L f = γ D f of the whole graph of rows and columns."""
    rng = np.random.default_rng(0)
    B = rng.random((40, 6)) * (rng.random((40, 6)) < 0.6) + 1e-3
    cut = anchor_cut(Bipartite(sp.csr_array(B)), random_state=0).anchor_rule(3)
    W = np.block([[np.zeros((40, 40)), B], [B.T, np.zeros((6, 6))]])
    D = np.diag(W.sum(axis=1))
    values, vectors = scipy.linalg.eigh(D - W, D)
    rows = vectors[:40, :3]
    placed = (B @ cut.coordinates) / B.sum(axis=1, keepdims=True)
    for dimension in range(3):
        column = rows[:, dimension]
        along = placed @ np.linalg.lstsq(placed, column, rcond=None)[0]
        np.testing.assert_allclose(along, column, atol=1e-9)
    assert values[0] == pytest.approx(0, abs=1e-9)


def test_published_defaults():
    model = USPEC()
    assert (model.n_representatives, model.n_neighbors, model.n_init) == (1000, 5, 3)
    members = USPECPartitions()
    assert (members.n_partitions, members.n_init) == (20, 1)
    assert members._k_bounds(5000) == (20, 60)
    X = np.random.default_rng(0).normal(size=(3600, 2))
    labels = USPECPartitions(8, n_representatives=70, random_state=0).fit_transform(X)
    assert labels.max(axis=0).min() + 1 >= 15
    assert labels.max() + 1 <= 60


def test_members_have_their_own_representatives():
    X = np.random.default_rng(0).normal(size=(400, 2))
    generator = USPECPartitions(2, n_representatives=30, random_state=0).fit(X)
    first, second = (member.anchors.points for member in generator.members_)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_prediction_gives_the_labels_of_the_fit(metric):
    X = np.abs(np.random.default_rng(0).normal(size=(700, 5)))
    model = USPEC(6, n_representatives=80, metric=metric, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    pieces = [model.predict(X[start : start + 13]) for start in range(0, 700, 13)]
    np.testing.assert_array_equal(np.concatenate(pieces), model.labels_)
    assert model.labels_.dtype == np.int32
    counts = np.bincount(model.labels_)
    assert (np.diff(counts) <= 0).all()


def test_new_points_join_the_shape_they_lie_on():
    X, _ = make_circles(2000, factor=0.5, noise=0.05, random_state=0)
    model = USPEC(2, n_representatives=200, random_state=0).fit(X)
    new, truth = make_circles(300, factor=0.5, noise=0.05, random_state=7)
    assert ari(model.predict(new), truth) == 1
    assert model.predict(np.array([[1e6, 1e6]])).shape == (1,)


def test_cosine_ignores_the_length_of_rows():
    rng = np.random.default_rng(0)
    directions, truth = make_blobs(300, centers=np.eye(4) * 10 + 1, cluster_std=0.7, random_state=0)
    X = directions * rng.uniform(0.01, 100, (300, 1))
    assert ari(USPEC(4, metric="cosine", random_state=0).fit_predict(X), truth) > 0.97
    assert ari(USPEC(4, random_state=0).fit_predict(X), truth) < 0.5
    X[0] = 0
    assert USPEC(4, metric="cosine", random_state=0).fit_predict(X).shape == (300,)


def test_threads_and_jobs_do_not_matter(monkeypatch):
    X, _ = smile(1200)
    X = np.tile(X, (8, 1)) + np.random.default_rng(0).normal(0, 0.01, (9600, 2))
    model = USPEC(4, n_representatives=60, random_state=3)
    generator = USPECPartitions(3, (4, 8), n_representatives=60, random_state=3)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "1")
    labels, members = model.fit_predict(X), generator.fit_transform(X)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "3")
    np.testing.assert_array_equal(model.fit_predict(X), labels)
    np.testing.assert_array_equal(generator.set_params(n_jobs=2).fit_transform(X), members)
    np.testing.assert_array_equal(generator.transform(X), members)


def test_graph_in_pieces():
    X = np.vstack([np.full((30, 2), place) + np.random.default_rng(0).normal(0, 0.01, (30, 2)) for place in (0, 9, 50)])
    for k, sizes in ((2, [60, 30]), (3, [30, 30, 30])):
        model = USPEC(k, n_representatives=18, n_neighbors=2, random_state=0).fit(X)
        assert np.bincount(model.labels_).tolist() == sizes
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_equal_rows():
    X = np.repeat(np.arange(4.0), 25)[:, None]
    model = USPEC(4, random_state=0).fit(X)
    assert model.representatives_.shape == (4, 1)
    assert ari(model.labels_, np.repeat(np.arange(4), 25)) == 1
    members = USPECPartitions(3, (5, 9), random_state=0).fit_transform(X)
    assert members.max() == 3  # no more clusters than distinct representatives
    assert USPEC(1, random_state=0).fit_predict(np.ones((10, 2))).tolist() == [0] * 10
    with pytest.raises(ValueError, match="n_clusters=2 is more than the 1 distinct representatives"):
        USPEC(2).fit(np.ones((10, 2)))


def test_representatives_without_objects_are_left_out(monkeypatch):
    def with_one_more(*arguments):
        found = representatives(*arguments)
        n = found.points.shape[0]
        return Representatives(
            np.vstack([found.points, [[9.0, 9.0]]]),
            np.append(found.bounds[:-1], n + 1),
            found.group_centers,
            np.vstack([found.around, np.append(n, found.around[-1][:-1])]),
        )

    X = np.random.default_rng(0).normal(size=(60, 2))
    wanted = uspec(X, 3, n_representatives=25, random_state=0)[1]
    monkeypatch.setattr("consensa.generate.uspec.representatives", with_one_more)
    clusters, labels = uspec(X, 3, n_representatives=25, random_state=0)
    assert 25 not in clusters.anchors.nearest(X, 5)[0]
    np.testing.assert_array_equal(labels, wanted)
    np.testing.assert_array_equal(clusters.assign(X), labels)
    others = clusters.anchors.points[:25]
    nearest = np.argmin(((others - [9.0, 9.0]) ** 2).sum(axis=1))
    np.testing.assert_array_equal(clusters.cut.coordinates[25], clusters.cut.coordinates[nearest])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 is not allowed"),
        ({"n_clusters": 9, "n_representatives": 5}, "n_clusters=9 is more than the 5 distinct representatives"),
        ({"n_representatives": 0}, "n_representatives=0 is not allowed"),
        ({"n_neighbors": 0}, "n_neighbors=0 is not allowed"),
        ({"metric": "manhattan"}, "metric='manhattan' is not known"),
        ({"n_init": 0}, "n_init=0 is not allowed"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        USPEC(**parameters).fit(np.random.default_rng(0).normal(size=(50, 2)))


def test_bad_ranges():
    X = np.random.default_rng(0).normal(size=(50, 2))
    for k_range in ((5,), (6, 5), (5, 51), (0, 5)):
        with pytest.raises(ValueError, match="k_range"):
            USPECPartitions(2, k_range).fit(X)


def test_consensus_of_usenc_is_lwgp_without_weights():
    X, truth = make_moons(600, noise=0.06, random_state=1)
    model = USENC([2, 3], n_partitions=8, n_representatives=80, random_state=0).fit(X)
    assert sorted(model.labels_) == [2, 3]
    assert model.confidence_[2].shape == (600,)
    np.testing.assert_array_equal(model.consensus_.cluster_weights_, 1)
    weighted = USENC(2, n_partitions=8, n_representatives=80, weighted=True, random_state=0).fit(X)
    lwgp = LWGP(2, random_state=weighted.consensus_.random_state).fit_predict(weighted.partitions_)
    np.testing.assert_array_equal(weighted.labels_, lwgp)
    assert ari(model.labels_[2], truth) > 0.95


def test_any_method_can_take_the_members():
    X, truth = make_circles(800, factor=0.5, noise=0.05, random_state=0)
    generator = USPECPartitions(8, n_representatives=100)
    labels = EnsembleClustering(2, generator=generator, method="lwea", random_state=0).fit_predict(X)
    assert ari(labels, truth) > 0.95


@pytest.mark.parametrize("generator", [KMeansPartitions(4), USPECPartitions(3, (3, 6), n_representatives=50)])
def test_large_data_are_fitted_on_a_sample(generator):
    X, _ = make_blobs(900, centers=4, random_state=0)
    generator.set_params(sample_size=300, random_state=0)
    labels = generator.fit_transform(X)
    rows = sampled_rows(900, 300)
    np.testing.assert_array_equal(generator.fit(X[rows]).transform(X), labels)
    small = generator.set_params(sample_size=900).fit_transform(X)
    assert not np.array_equal(small, labels)
    with pytest.raises(ValueError, match="sample_size=0 is not allowed"):
        generator.set_params(sample_size=0).fit(X)


def test_the_sample_is_the_same_however_many_rows_are_hashed_at_a_time(monkeypatch):
    whole = sampled_rows(5000, 700)
    monkeypatch.setattr("consensa.ensemble.sampling._HASHED_ROWS", 123)
    np.testing.assert_array_equal(sampled_rows(5000, 700), whole)
    assert whole.size == np.unique(whole).size == 700
    assert abs(whole.mean() - 2500) < 150
    assert sampled_rows(700, 700) is None
