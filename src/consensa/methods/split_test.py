"""The splits of data from the root down, each against data without clusters, with a store of what is finished."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs
from sklearn import config_context
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from consensa._progress import progress_bar
from consensa._random import draw_seeds
from consensa._threads import run_parallel
from consensa.choose.first_split import first_split, share_within
from consensa.choose.monte_carlo import sequential_p_value
from consensa.choose.significance import Significance, TestedSplit
from consensa.choose.unimodal import ellipsoid_of
from consensa.ensemble import Ensemble
from consensa.ensemble.numbering import number_by_size
from consensa.ensemble.sampling import sampled_rows
from consensa.methods.consensus import make_method
from consensa.methods.features import EachObject
from consensa.partition.kmeans import weighted_kmeans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa.choose.unimodal import Ellipsoid
    from consensa.io.members import MemberStore

__all__ = ["TESTED_ROWS", "Procedure", "splits_that_stand"]

TESTED_ROWS = 20_000  # objects that take part in the test; others follow those that are near
_SAMPLE = 2000  # objects of a node that are looked at
_LEAST = 20  # distinct objects of a node
_MOST_NULL = 999
_STARTS = 3  # of 2-means
_OFFSET = 1e-3  # differences below it are none: ratios of both statistics count
_HANDICAPS = np.array([1.0, 0.0])  # conductance rarely finds what the other statistic does not, but what has a shape
_NEIGHBOURS = 5  # that say to which part an object beyond the sample belongs


class Procedure(NamedTuple):
    """How data are split, and how often data without clusters are."""

    generator: Any
    method: Any
    alpha: float
    n_null: int
    n_jobs: int | None
    verbose: bool
    store: MemberStore | None

    def split(self, X: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Make base clusterings of the data, combine them, and look at the first split: statistics and sides."""
        seeds = draw_seeds(seed, 3)
        generator = clone(self.generator)
        if "random_state" in generator.get_params(deep=False):
            generator.set_params(random_state=seeds[0])
        ensemble = Ensemble(np.asarray(generator.fit_transform(X)))
        cut = make_method(self.method, 2, seeds[1], {})._consensus(ensemble)  # noqa: SLF001 - cut at any number
        split = first_split(cut, ensemble)
        halves = weighted_kmeans(X, np.ones(len(X)), 2, n_init=_STARTS, random_state=seeds[2])
        return np.array([split.conductance, share_within(X, halves)]), split.sides

    def null(self, ellipsoid: Ellipsoid, n_samples: int, seed: int, place: int) -> np.ndarray:
        """Split data without clusters, and return the statistics."""
        rng = np.random.default_rng([seed, place])
        drawn, own = ellipsoid.draw(n_samples, rng), int(rng.integers(2**31 - 1))
        with config_context(skip_parameter_validation=True, assume_finite=True):  # the data have been through before
            return self.split(drawn, own)[0]


class _Node(NamedTuple):
    """Objects that may be split; the parts of path p have the paths 2 p and 2 p + 1, whatever else is tested."""

    node: int
    parent: int
    path: int
    rows: np.ndarray
    seed: int


def splits_that_stand(X: np.ndarray, procedure: Procedure, seed: int) -> Significance:
    """Test the splits of features that are checked."""
    leaves, takes_part = np.zeros(len(X), np.int64), _taking_part(len(X))
    found: list[TestedSplit] = []
    waiting = [_Node(0, -1, 1, np.arange(len(X)), seed)]
    while waiting:
        node = waiting.pop(0)
        split, sides = _test(X, node, takes_part, procedure)
        found.append(split)
        leaves[node.rows] = split.node
        if split.significant:
            waiting += _parts(node, sides, node.node + len(waiting) + 1)
    return _result(found, leaves, procedure.alpha)


def _taking_part(n_objects: int) -> np.ndarray:
    """Whether every object takes part in the test: all, or those whose numbers have the smallest hashes."""
    drawn = sampled_rows(n_objects, TESTED_ROWS)
    if drawn is None:
        return np.ones(n_objects, bool)
    found = np.zeros(n_objects, bool)
    found[drawn] = True
    return found


def _parts(node: _Node, sides: np.ndarray, first: int) -> list[_Node]:
    """The two parts of a node, which are numbered from ``first`` on."""
    seeds = draw_seeds(node.seed, 5)[3:]
    return [
        _Node(first + side, node.node, 2 * node.path + side, node.rows[sides == side], seeds[side]) for side in (0, 1)
    ]


def _result(found: list[TestedSplit], leaves: np.ndarray, alpha: float) -> Significance:
    """Number the clusters, which are the nodes that every object ended in."""
    names, numbers = np.unique(leaves, return_inverse=True)
    labels = number_by_size(numbers, EachObject(leaves.size))
    cluster = {int(name): int(labels[np.argmax(leaves == name)]) for name in names}
    splits = tuple(replace(split, cluster=cluster.get(split.node, -1)) for split in found)
    return Significance(labels, len(names), splits, alpha)


def _test(X: np.ndarray, node: _Node, takes_part: np.ndarray, procedure: Procedure) -> tuple[TestedSplit, np.ndarray]:
    """Test the first split of some objects; return the part of every object."""
    sample_seed, seed, null_seed, *_ = draw_seeds(node.seed, 5)
    n = node.rows.size
    able = np.flatnonzero(takes_part[node.rows])
    alpha = procedure.alpha * (able.size - 1) / max(int(np.count_nonzero(takes_part)) - 1, 1)
    sample = able[_drawn(able.size, sample_seed)]
    seen = X[node.rows[sample]]
    n_null = _n_null(alpha, procedure.n_null)
    if n_null is None or len(np.unique(seen, axis=0)) < _LEAST:
        untested = (n, (n, 0), np.nan, np.nan, np.nan, alpha, 0)
        return TestedSplit(node.node, node.parent, *untested, significant=False, cluster=-1), np.zeros(n, np.int64)
    (conductance, within), sides = procedure.split(seen, seed)
    drawn = _nulls(procedure, seen, node.path, null_seed, n_null)
    bar = progress_bar(drawn, total=n_null, desc=f"{n} objects", leave=False, disable=not procedure.verbose)
    statistics = np.log(np.array([conductance, within]) + _OFFSET)
    p, n_used = sequential_p_value(statistics, (np.log(null + _OFFSET) for null in bar), n_null, alpha, _HANDICAPS)
    sides = _sides_of_all(X[node.rows], sample, sides)
    sizes = (int(np.count_nonzero(sides == 0)), int(np.count_nonzero(sides)))
    found = (n, sizes, float(conductance), float(within), p, alpha, n_used)
    stands = p <= alpha and min(sizes) > 0
    return TestedSplit(node.node, node.parent, *found, significant=stands, cluster=-1), sides


def _drawn(n_objects: int, seed: int) -> np.ndarray:
    """Some of the objects, or all if they are not many."""
    if n_objects <= _SAMPLE:
        return np.arange(n_objects)
    return np.sort(np.random.default_rng(seed).choice(n_objects, _SAMPLE, replace=False))


def _n_null(alpha: float, wanted: int) -> int | None:
    """How many null sets it takes for a p-value that is small enough; None if too many."""
    needed = int(np.ceil(1 / alpha)) - 1 if alpha > 0 else _MOST_NULL + 1
    return max(needed, wanted) if needed <= max(_MOST_NULL, wanted) else None


def _nulls(procedure: Procedure, seen: np.ndarray, path: int, seed: int, n_null: int) -> Iterator[np.ndarray]:
    """Yield the statistics of data without clusters in their order, first those that are stored, then in batches."""
    ellipsoid = ellipsoid_of(seen)
    kept = None if procedure.store is None else procedure.store.get(path)
    known = [] if kept is None else list(kept)
    yield from known[:n_null]
    batch = 1 if effective_n_jobs(procedure.n_jobs) == 1 else 2 * effective_n_jobs(procedure.n_jobs)
    serial = procedure._replace(n_jobs=None, store=None)
    for start in range(len(known), n_null, batch):
        places = range(start, min(start + batch, n_null))
        tasks = (delayed(serial.null)(ellipsoid, len(seen), seed, place) for place in places)
        made = list(run_parallel(procedure.n_jobs, tasks))
        known += made
        if procedure.store is not None:
            procedure.store.put(path, np.array(known))
        yield from made


def _sides_of_all(X: np.ndarray, sample: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Hand the parts of a sample on to all objects."""
    if sample.size == len(X) or np.ptp(sides) == 0:
        return sides if sample.size == len(X) else np.zeros(len(X), np.int64)
    found = np.asarray(KNeighborsClassifier(_NEIGHBOURS).fit(X[sample], sides).predict(X))
    found[sample] = sides
    return found
