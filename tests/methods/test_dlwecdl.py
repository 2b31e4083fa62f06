"""DLWECDL, ELWECDL and DREC as estimators."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from consensa import DLWECDL, DREC, ELWECDL, ConsensaWarning, Ensemble, EnsembleClustering, consensus
from consensa.evaluate import agreement_scores, anmi, ari, nmi
from consensa.methods.representation import THETA_GRID
from consensa.partition import agglomerate, normalised_cut
from consensa.relate import low_rank_representation
from consensa.weigh import divergence_weights, entropy_weights


def grouped_partitions(seed=0, n_objects=120, n_partitions=8, agreement=0.8, missing=0.0):
    rng = np.random.default_rng(seed)
    classes = np.arange(n_objects) % 3
    noise = rng.integers(3, size=(n_objects, n_partitions))
    labels = np.where(rng.random(noise.shape) < agreement, classes[:, None], noise)
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return labels, classes


def same(a, b):
    return nmi(a, b) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "model",
    [
        DLWECDL(3, random_state=0),
        DLWECDL(3, use_sizes=True, random_state=0),
        DLWECDL(3, partitioner="average"),
        DLWECDL(3, relative_lambda=0.7, random_state=0),
        DLWECDL(3, literal=True, random_state=0),
        DLWECDL(3, solver="published", lam=10, rho=3.5, random_state=0),
        ELWECDL(3, solver="published", random_state=0),
        ELWECDL(3, theta=0.5, random_state=0),
        ELWECDL(3, theta="auto", random_state=0),
        DREC(3, random_state=0),
        DREC(3, use_sizes=True, random_state=0),
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_clear_groups_are_found(model, missing):
    partitions, classes = grouped_partitions(missing=missing)
    labels = clone(model).fit_predict(partitions)
    assert nmi(labels, classes) > 0.8


@pytest.mark.parametrize(
    ("model", "weigh"), [(DLWECDL, divergence_weights), (ELWECDL, entropy_weights)], ids=["divergence", "entropy"]
)
@pytest.mark.parametrize("use_sizes", [False, True])
@pytest.mark.parametrize("partitioner", ["ncut", "average"])
def test_recipe_is_that_of_the_rooms(model, weigh, use_sizes, partitioner):
    ensemble = Ensemble(grouped_partitions(agreement=0.5)[0])
    fitted = model(4, theta=0.6, alpha=1, use_sizes=use_sizes, partitioner=partitioner, random_state=5).fit(ensemble)
    weights = weigh(ensemble, 0.6)
    np.testing.assert_array_equal(fitted.cluster_weights_, weights)
    similarity = low_rank_representation(ensemble, weights).similarity(1)
    sizes = ensemble.sizes if use_sizes else None
    if partitioner == "average":
        expected = agglomerate(similarity, sizes).cut(4)
    else:
        expected = normalised_cut(similarity, sizes, n_init=50, random_state=0).cut(4)
    assert nmi(fitted.labels_, ensemble.to_objects(expected)) > (1 - 1e-9 if partitioner == "average" else 0.7)
    assert fitted.theta_ == 0.6
    assert fitted.theta_scores_ == {}


def test_elwecdl_is_dlwecdl_with_entropy_weights():
    partitions, _ = grouped_partitions(agreement=0.5)
    preset = ELWECDL(3, random_state=1)
    general = DLWECDL(3, weights="entropy", random_state=1)
    np.testing.assert_array_equal(preset.fit_predict(partitions), general.fit_predict(partitions))
    assert "weights" not in preset.get_params()
    assert not same(general.labels_, DLWECDL(3, random_state=1).fit_predict(partitions))


@pytest.mark.parametrize("n_clusters", [3, [2, 4]])
def test_auto_theta_is_the_one_that_agrees_most(n_clusters):
    ensemble = Ensemble(grouped_partitions(agreement=0.5)[0])
    fitted = DLWECDL(n_clusters, theta="auto", random_state=3).fit(ensemble)
    assert tuple(fitted.theta_scores_) == THETA_GRID
    np.testing.assert_allclose(THETA_GRID, np.arange(0.2, 2.05, 0.1))
    assert fitted.theta_scores_[fitted.theta_] == max(fitted.theta_scores_.values())
    assert len(set(fitted.theta_scores_.values())) > 1
    alone = DLWECDL(n_clusters, theta=fitted.theta_, random_state=3).fit(ensemble)
    labels = fitted.labels_ if isinstance(fitted.labels_, dict) else {3: fitted.labels_}
    again = alone.labels_ if isinstance(alone.labels_, dict) else {3: alone.labels_}
    for k, expected in again.items():
        np.testing.assert_array_equal(labels[k], expected)
    score = np.mean([anmi(found, ensemble) for found in labels.values()])
    assert fitted.theta_scores_[fitted.theta_] == pytest.approx(score, abs=1e-9)


def test_agreement_scores_are_means_over_the_numbers_of_clusters():
    ensemble = Ensemble(grouped_partitions()[0])
    tree = agglomerate(low_rank_representation(ensemble).similarity())
    scores = agreement_scores(lambda value: tree, [1.0], ensemble, [2, 3])
    expected = np.mean([anmi(ensemble.to_objects(tree.cut(k)), ensemble) for k in (2, 3)])
    assert scores[1.0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("theta", [0, -1.0, "best", None])
def test_wrong_theta_is_refused(theta):
    with pytest.raises(ValueError, match=f"theta={theta!r}"):
        DLWECDL(2, theta=theta).fit(grouped_partitions()[0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": "uniform"}, "weights='uniform' is not known"),
        ({"partitioner": "metis"}, "partitioner='metis' is not known"),
        ({"relative_lambda": 2}, "relative_lambda"),
        ({"alpha": 1.5}, "alpha"),
        ({"solver": "open"}, "solver='open' is not known"),
        ({"rho": 0.9}, "rho must be a number greater than 1"),
        ({"lam": 0}, "lam must be a number greater than 0"),
        ({"lam": 1, "relative_lambda": 0.5}, "are both given"),
        ({"weights": "entropy", "literal": True}, "literal=True is the printed form of the divergence"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        DLWECDL(2, **parameters).fit(grouped_partitions()[0])


@pytest.mark.parametrize("lam", [0, -1, "auto"])
def test_wrong_lambda_of_drec_is_refused(lam):
    with pytest.raises(ValueError, match="lam"):
        DREC(2, lam=lam).fit(grouped_partitions()[0])


@pytest.mark.parametrize("method", ["dlwecdl", "elwecdl", "drec"])
@pytest.mark.parametrize("k", [1, 2])
def test_two_microclusters(method, k):
    labels = consensus([[0, 0, 0, 1, 1], [1, 1, 1, 0, 0]], k, method=method, random_state=0)
    np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1] if k == 2 else [0] * 5)


def test_equal_weights_make_theta_irrelevant():
    # every clustering is the same up to names, so no cluster is split and all weights are equal
    columns = [[0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 2, 2]]
    for model in (DLWECDL, ELWECDL):
        fitted = model(3, theta="auto", random_state=0).fit(columns)
        np.testing.assert_array_equal(fitted.cluster_weights_, 1)
        np.testing.assert_array_equal(fitted.labels_, [0, 0, 1, 1, 2, 2])
        assert set(fitted.theta_scores_.values()) == {1.0}
        assert fitted.theta_ == THETA_GRID[0]


def test_weights_that_span_1e8_run_and_leave_one_direction():
    rng = np.random.default_rng(0)
    base = np.repeat([0, 1], 100)
    tiny = np.zeros(200, int)
    tiny[[0, 150]] = 1
    partitions = np.stack([tiny, base, base, np.where(rng.random(200) < 0.05, 1 - base, base)], axis=1)
    with pytest.warns(ConsensaWarning, match="only 1 distinct"):
        fitted = DLWECDL(2, theta=0.1, random_state=0).fit(partitions)
    assert fitted.cluster_weights_.min() < 1e-8
    assert fitted.n_clusters_ == 2
    assert fitted.representation_.converged


@pytest.mark.parametrize("model", [DLWECDL, ELWECDL])
@pytest.mark.parametrize("rho", [2.3, 3.5])
def test_published_scheme_is_handed_all_it_needs(model, rho):
    ensemble = Ensemble(grouped_partitions(agreement=0.5)[0])
    fitted = model(3, solver="published", lam=0.3, rho=rho, random_state=0).fit(ensemble)
    alone = low_rank_representation(ensemble, fitted.cluster_weights_, solver="published", lam=0.3, rho=rho)
    np.testing.assert_array_equal(fitted.representation_.embedding, alone.embedding)
    assert fitted.representation_.errors.max() > 0
    assert fitted.n_clusters_ == 3


def test_literal_weights_are_those_of_the_printed_formula():
    ensemble = Ensemble(grouped_partitions(agreement=0.5)[0])
    weights = divergence_weights(ensemble, 0.7, literal=True)
    np.testing.assert_array_equal(DLWECDL(3, theta=0.7, literal=True).fit(ensemble).cluster_weights_, weights)
    assert np.abs(weights - divergence_weights(ensemble, 0.7)).max() > 0.01


@pytest.mark.parametrize("weigh", [divergence_weights, entropy_weights])
def test_what_overlapping_blobs_lose_is_the_preference_for_small_clusters(weigh):
    """Without weights, or with weights freed of the trend over the size, the overlap is cut as k-means cuts it."""
    X, truth = make_blobs(120, centers=4, cluster_std=0.8, random_state=0)
    ensemble = Ensemble(EnsembleClustering(4, n_partitions=30, random_state=0).fit(X).partitions_)

    def score(weights):
        similarity = low_rank_representation(ensemble, weights).similarity()
        return ari(ensemble.to_objects(normalised_cut(similarity, random_state=0).cut(4)), truth)

    log_size, log_weight = np.log(ensemble.cluster_sizes), np.log(weigh(ensemble, 2.0))
    trend = np.polynomial.Polynomial.fit(log_size, log_weight, 1)
    assert np.corrcoef(log_size, log_weight)[0, 1] < -0.4
    assert score(None) > 0.9
    assert score(np.exp(log_weight - trend(log_size))) > 0.9
