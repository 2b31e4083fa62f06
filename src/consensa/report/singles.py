"""The consensus beside single clusterings: how far runs of k-means agree with it, and with each other."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from consensa.evaluate import align_labels, ari
from consensa.report.subject import spread_sample

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["SingleRuns", "run_singles", "tell_singles"]

N_RUNS = 20
_SAME = 0.99  # an ARI from which on two clusterings are the same for people
_WORK = 10_000_000  # objects x features x clusters of one run; fewer objects are looked at beyond
_MOST_OBJECTS, _FEWEST_OBJECTS = 5000, 200
_STEPS = 100


class SingleRuns(NamedTuple):
    """Runs of k-means with as many clusters as the consensus, on the same features, each with another seed."""

    objects: np.ndarray  # which were looked at
    labels: np.ndarray  # of them (N_RUNS x n)
    agreement: np.ndarray  # ARI of every run with the consensus
    among: np.ndarray  # ARI of every two runs


def run_singles(subject: Subject) -> SingleRuns | None:
    """Run k-means with 20 seeds; None without features, with a single cluster, or where it would take long."""
    features, k = subject.features, subject.n_clusters
    if features is None or k < 2:
        return None
    n_wanted = min(_MOST_OBJECTS, _WORK // max(1, features.n_features * k))
    objects = (
        spread_sample(subject.labels, subject.sizes, n_wanted) if n_wanted >= max(_FEWEST_OBJECTS, 5 * k) else None
    )
    if objects is None or objects.size <= k:
        return None
    X = _plain_numbers(np.asarray(features.pick(objects), float), subject)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of fewer distinct points than clusters, and of overflow
        try:
            runs = [KMeans(k, n_init=1, max_iter=_STEPS, random_state=seed).fit(X).labels_ for seed in range(N_RUNS)]
        except ValueError:  # numbers beyond what can be squared
            return None
    consensus = np.asarray(subject.labels[objects])
    among = np.array([ari(a, b) for a, b in combinations(runs, 2)])
    return SingleRuns(objects, np.array(runs), np.array([ari(run, consensus) for run in runs]), among)


def tell_singles(subject: Subject, runs: SingleRuns | None) -> dict[str, Any] | None:
    """Sum up runs of k-means: how often they gave this partition, how they spread, and what the consensus changed.

    ``agreement`` and ``among`` are ARIs, sorted; ``n_same`` of the ``n_runs`` are the consensus; ``changed`` is, for
    every cluster, the share of its objects that the most typical run has in the cluster that matches another.
    """
    if runs is None:
        return None
    consensus = np.asarray(subject.labels[runs.objects])
    matched = align_labels(typical_run(runs), consensus)
    elsewhere = matched != consensus
    counts = np.bincount(consensus, minlength=subject.n_clusters)
    changed = np.bincount(consensus, elsewhere, subject.n_clusters) / np.maximum(counts, 1)
    return {
        "n_runs": int(runs.labels.shape[0]),
        "n_objects": int(runs.objects.size),
        "n_same": int(np.count_nonzero(runs.agreement >= _SAME)),
        "agreement": np.sort(runs.agreement).round(3).tolist(),
        "among": _quantiles(runs.among),
        "share_changed": round(float(elsewhere.mean()), 4),
        "changed": changed[:120].round(3).tolist(),
    }


def typical_run(runs: SingleRuns) -> np.ndarray:
    """Labels of the run that agrees most with the other runs."""
    n = runs.labels.shape[0]
    mean = np.zeros(n)
    for (i, j), value in zip(combinations(range(n), 2), runs.among, strict=True):
        mean[i] += value
        mean[j] += value
    return np.asarray(runs.labels[int(mean.argmax())])


def _plain_numbers(values: np.ndarray, subject: Subject) -> np.ndarray:
    """Features as a single k-means takes them: a table with medians for gaps, levels as 0 and 1, all standardised."""
    if subject.columns is None:
        scale = subject.model.scaler_
        return values if scale is None else (values - scale[0]) / scale[1]
    parts = []
    for column, numbers in zip(subject.columns, values.T, strict=True):
        if column.is_category:
            parts += [(numbers == level).astype(float) for level in range(len(column.levels))]
        else:
            known = numbers[~np.isnan(numbers)]
            parts.append(np.nan_to_num(numbers, nan=float(np.median(known)) if known.size else 0.0))
    made = np.column_stack(parts)
    spread = made.std(axis=0)
    return (made - made.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _quantiles(values: np.ndarray) -> list[float]:
    return np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).round(3).tolist()
