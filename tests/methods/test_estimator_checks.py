"""scikit-learn's own checks of every estimator."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from consensa import EnsembleClustering
from consensa.generate import KMeansPartitions, SubsamplePartitions
from consensa.methods import METHODS
from consensa.methods.base import ConsensusClusterer

LABEL_MATRIX = {
    "check_clustering": "feeds measurements where labels of clusters are expected, whatever the tag `categorical` says",
    "check_positive_only_tag_during_fit": "feeds fractions to estimators that allow NaN",
}


def expected_failures(estimator):
    return LABEL_MATRIX if isinstance(estimator, ConsensusClusterer) else {}


ESTIMATORS = [
    *(method.load()() for method in METHODS.values()),
    EnsembleClustering(n_clusters=3, n_partitions=10),
    KMeansPartitions(n_partitions=5),
    SubsamplePartitions(n_partitions=5),
]


ALL_CHECKS = parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=True)


def told_apart(cases):
    """The checks without the expected failures of all methods but the first: they end in the same reading of labels."""
    for case in cases:
        estimator = getattr(case, "values", case)[0]
        if estimator is ESTIMATORS[0] or not getattr(case, "marks", ()):
            yield case


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(ALL_CHECKS.args[0], list(told_apart(ALL_CHECKS.args[1])), **ALL_CHECKS.kwargs)
def test_scikit_learn_check(estimator, check):
    check(estimator)
