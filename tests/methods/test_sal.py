"""Spectral angle linkage and its two levels, against plain twins."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from consensa import LWEA, SAL, Ensemble
from consensa.ensemble.sampling import priority_sample
from consensa.evaluate import anmi, ari, nmi
from consensa.generate import KMeansPartitions
from consensa.partition import SampledTree
from consensa.scale import as_chunks
from consensa.weigh import entropy_weights


def noisy_labels(seed, n_objects=90, n_partitions=7, missing=0.0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=n_objects)
    noise = rng.integers(6, size=(n_objects, n_partitions))
    labels = np.where(rng.random(noise.shape) < 0.7, classes[:, None], noise)
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return labels, classes


def squared_cosines_of_objects(labels, theta, n_components):
    """The definition, on all objects: singular vectors of D^-1/2 B C^-1/2 times the root of the singular values."""
    ensemble = Ensemble(labels)
    weights = entropy_weights(ensemble, theta)
    B = ensemble.incidence.toarray()[ensemble.row_map] * weights
    normalised = B / np.sqrt(B.sum(axis=1, keepdims=True)) / np.sqrt(B.sum(axis=0))
    U, values, _ = np.linalg.svd(normalised, full_matrices=False)
    H = U[:, :n_components] * np.sqrt(values[:n_components])
    H /= np.linalg.norm(H, axis=1, keepdims=True)
    return (H @ H.T) ** 2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_equals_average_linkage_of_all_objects(seed, missing):
    labels, _ = noisy_labels(seed, missing=missing)
    S = squared_cosines_of_objects(labels, 1.0, 10)
    distances = squareform(np.clip(1 - S, 0, None), checks=False)
    twin = fcluster(linkage(distances, "average"), 4, "maxclust")
    model = SAL(4, n_components=10).fit(labels)
    assert ari(model.ensemble_.to_objects(model.cut_.first.cut(4)), twin) == pytest.approx(1)


def test_a_sample_gives_nearly_the_clusters_of_all_microclusters():
    labels, classes = noisy_labels(0, n_objects=400)
    exact = SAL(4).fit(labels)
    assert exact.ensemble_.n_microclusters > 250
    coarse = SAL(4, max_microclusters=120).fit(labels)
    assert nmi(exact.labels_, classes) > 0.9
    assert nmi(coarse.labels_, classes) > 0.9


def test_a_wrong_number_of_components_is_told_of_auto():
    with pytest.raises(ValueError, match=r"n_components='many' .* integer of at least 1, or 'auto'"):
        SAL(2, n_components="many").fit(np.eye(4, dtype=int))


@pytest.mark.parametrize("name", ["n_components", "max_microclusters"])
def test_wrong_numbers_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0 is not allowed"):
        SAL(2, **{name: 0}).fit([[0, 0, 1], [0, 1, 1]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("share", "n_partitions"), [(0.7, 7), (0.5, 20)])
def test_labels_that_are_wrong_at_random_do_no_harm(seed, share, n_partitions):
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=400)
    noise = rng.integers(6, size=(400, n_partitions))
    labels = np.where(rng.random(noise.shape) < share, classes[:, None], noise)
    model = SAL(4).fit(labels)
    assert model.noise_.level > 0.4
    assert model.noise_.n_signal == 4
    assert nmi(model.labels_, classes) > nmi(LWEA(4).fit(labels).labels_, classes) - 0.03


def test_independent_clusterings_are_all_noise():
    labels = np.random.default_rng(0).integers(5, size=(2000, 8))
    noise = SAL(2).fit(labels).noise_
    assert noise.n_signal == 1
    assert noise.level == pytest.approx(1, abs=0.05)


def test_repeated_clusterings_are_no_noise():
    labels = np.repeat(np.random.default_rng(0).integers(5, size=(300, 1)), 6, axis=1)
    noise = SAL(5).fit(labels).noise_
    assert noise.n_signal == 5
    assert noise.level == pytest.approx(0, abs=1e-9)


def test_a_tree_that_loses_touch_with_the_clusterings_gives_way():
    X, y = load_breast_cancer(return_X_y=True)
    partitions = KMeansPartitions(20, random_state=0).fit_transform(StandardScaler().fit_transform(X))
    model = SAL(2).fit(partitions)
    of_tree, of_reserve = (model.ensemble_.to_objects(each.cut(2)) for each in (model.cut_.first, model.cut_.second))
    assert anmi(of_tree, partitions) < 0.5 * anmi(of_reserve, partitions)
    assert ari(model.labels_, of_reserve) == 1
    assert ari(model.labels_, LWEA(2).fit(partitions).labels_) == 1
    assert ari(model.labels_, y) > 0.6


def test_chunks_give_the_labels_of_memory_also_from_a_sample(monkeypatch):
    labels, _ = noisy_labels(3, n_objects=900)
    inside = SAL(4, max_microclusters=100).fit(labels)
    assert isinstance(inside.cut_.first, SampledTree)
    chunked = SAL(4, max_microclusters=100).fit(as_chunks(labels, chunk_rows=70))
    assert chunked.labels_.tolist() == inside.labels_.tolist()
    monkeypatch.setattr("consensa.ensemble.sampling.SAMPLE_ABOVE", 150)
    inside = SAL(4, max_microclusters=100).fit(labels)
    chunked = SAL(4, max_microclusters=100).fit(as_chunks(labels, chunk_rows=70))
    assert chunked.ensemble_.leads is not None
    assert chunked.labels_.tolist() == inside.labels_.tolist()


def test_the_masses_of_a_sample_add_up_to_all_objects():
    rng = np.random.default_rng(0)
    sizes, hashes = rng.integers(1, 50, size=3000), rng.integers(2**64, size=3000, dtype=np.uint64)
    rows, masses = priority_sample(hashes, sizes, 500)
    assert np.unique(rows).size == 500
    assert masses.sum() / 1024 == pytest.approx(sizes.sum(), rel=0.05)
    assert (masses / 1024 >= sizes[rows] - 1e-3).all()
