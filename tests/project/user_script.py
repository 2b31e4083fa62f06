"""A user's code, for the type checker alone: what the public names take and give (see test_typing.py)."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np

import consensa
from consensa import (
    LAC,
    LWEA,
    MDEC,
    ConsensaWarning,
    Ensemble,
    EnsembleClustering,
    KChoice,
    MethodComparison,
    choose_k,
    compare_methods,
    consensus,
    load,
)
from consensa.generate import KMeansPartitions, MixedPartitions
from consensa.io import read_labels
from consensa.methods import METHODS, Method, get_method
from consensa.report import Report, report_content

X = np.zeros((20, 3))
PARTITIONS = [[0, 0, 1], [0, 1, 1]]


def ensembles() -> None:
    ensemble = Ensemble(PARTITIONS, missing=None)
    assert_type(ensemble.labels, np.ndarray)
    assert_type(ensemble.names, tuple[str, ...])
    assert_type(ensemble.n_microclusters, int)
    assert_type(ensemble.encode(PARTITIONS), np.ndarray)
    assert_type(consensa.evaluate.nmi([0, 1], [0, 1]), float)
    assert_type(consensa.evaluate.confidence([0, 0, 1], ensemble), np.ndarray)
    assert_type(read_labels("labels.csv").names, tuple[str, ...])


def models() -> None:
    model = LWEA(n_clusters=2, theta=0.4).fit(PARTITIONS)
    assert_type(model, LWEA)
    assert_type(model.report(), Report)
    model.report(Path("report.html"), X, force=True)
    model.save("model.npz")
    assert_type(model.cut(3), Any)
    assert_type(load("model.npz"), Any)
    assert_type(report_content(model), dict[str, Any])
    generator = KMeansPartitions(10, (2, 5))
    assert_type(EnsembleClustering(3, generator=generator, method="lwea", random_state=0).fit(X), EnsembleClustering)
    assert_type(MDEC(3).fit(X), MDEC)
    assert_type(LAC(3).fit(X).predict(X), np.ndarray)
    assert_type(LAC(3).fit(X).top_features(2), dict[int, dict[str, float]])


def generators() -> None:
    pool = KMeansPartitions(n_partitions=10, random_state=np.random.default_rng(0))
    assert_type(pool.fit(X), KMeansPartitions)
    assert_type(pool.fit_transform(X), np.ndarray)
    assert_type(MixedPartitions(4).fit(X).get_feature_names_out(), np.ndarray)


def functions() -> None:
    assert_type(consensa.__version__, str)
    assert_type(consensus(PARTITIONS, 2, method="lwea", random_state=0), Any)
    choice = choose_k(PARTITIONS, k_range=[2, 3])
    assert_type(choice, KChoice)
    assert_type(choice.n_clusters, int)
    assert_type(choice.curves, dict[str, np.ndarray])
    found = compare_methods(PARTITIONS, 2, ["eac", "lwea"], truth=[0, 0, 1])
    assert_type(found, MethodComparison)
    assert_type(found.results["eac"].ari, float | None)
    assert_type(found.errors, dict[str, str])
    assert_type(METHODS["lwea"], Method)
    assert_type(get_method("lwea").doi, str)
    category: type[Warning] = ConsensaWarning
    assert_type(category, type[Warning])
