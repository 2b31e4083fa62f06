"""Spectral angle linkage and its two levels, against plain twins."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from consensa import SAL, Ensemble
from consensa.evaluate import ari, nmi
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
    assert ari(SAL(4, n_components=10).fit(labels).labels_, twin) == pytest.approx(1)


def test_a_sample_gives_nearly_the_clusters_of_all_microclusters():
    labels, classes = noisy_labels(0, n_objects=400)
    exact = SAL(4).fit(labels)
    assert exact.ensemble_.n_microclusters > 250
    coarse = SAL(4, max_microclusters=120).fit(labels)
    assert nmi(exact.labels_, classes) > 0.9
    assert nmi(coarse.labels_, classes) > 0.9


@pytest.mark.parametrize("name", ["n_components", "max_microclusters"])
def test_wrong_numbers_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0 is not allowed"):
        SAL(2, **{name: 0}).fit([[0, 0, 1], [0, 1, 1]])
