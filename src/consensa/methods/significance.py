"""Whether clusters are real: the splits of the data from the root down, each against data without clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from consensa._features import check_features
from consensa._magnitude import ordinary_scale
from consensa._progress import progress_bar
from consensa._random import draw_seeds
from consensa._threads import run_parallel
from consensa._validation import check_fraction, check_integer
from consensa.choose.first_split import first_split
from consensa.choose.significance import Significance, TestedSplit
from consensa.choose.unimodal import ellipsoid_of
from consensa.ensemble import Ensemble
from consensa.ensemble.numbering import number_by_size
from consensa.generate import MultiscalePartitions, make_generator
from consensa.generate.scale import apply_scale
from consensa.methods.consensus import make_method
from consensa.methods.features import EachObject
from consensa.methods.registry import DEFAULT_METHOD
from consensa.methods.saving import SavableMixin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa._random import RandomState
    from consensa.choose.first_split import FirstSplit
    from consensa.choose.unimodal import Ellipsoid

__all__ = ["significance"]

N_MEMBERS = 20  # base clusterings of every data set that is split
_SAMPLE = 2000  # objects of a node that are looked at
_LEAST = 20  # distinct objects of a node
_ENOUGH = 5  # null sets that split as well: what comes after them changes little
_MOST_NULL = 999
_NEIGHBOURS = 5  # that say to which part an object beyond the sample belongs
_ALTERNATIVE = (
    "the test makes base clusterings of data without clusters, for which it needs features, and labels alone have "
    "none; choose_k tells how many clusters the labels speak for, and how strongly."
)


class _Procedure(NamedTuple):
    """How data are split, and how often data without clusters are."""

    generator: Any
    method: Any
    alpha: float
    n_null: int
    n_jobs: int | None
    verbose: bool

    def split(self, X: np.ndarray, seed: int) -> FirstSplit:
        """Make base clusterings of the data, combine them, and look at the first split."""
        seeds = draw_seeds(seed, 2)
        generator = clone(self.generator)
        if "random_state" in generator.get_params(deep=False):
            generator.set_params(random_state=seeds[0])
        ensemble = Ensemble(np.asarray(generator.fit_transform(X)))
        cut = make_method(self.method, 2, seeds[1], {})._consensus(ensemble)  # noqa: SLF001 - cut at any number
        return first_split(cut, ensemble)

    def null(self, ellipsoid: Ellipsoid, n_samples: int, seed: int, place: int) -> float:
        """Split data without clusters, and return the conductance."""
        rng = np.random.default_rng([seed, place])
        return self.split(ellipsoid.draw(n_samples, rng), int(rng.integers(2**31 - 1))).conductance


class _Node(NamedTuple):
    node: int
    parent: int
    rows: np.ndarray
    seed: int


def significance(
    X_or_model: Any,
    *,
    generator: Any = None,
    method: Any = DEFAULT_METHOD,
    alpha: float = 0.05,
    n_null: int = 99,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Significance:
    """Test which clusters are more than chance, from all objects down, against data without clusters.

    Parameters
    ----------
    X_or_model : array or frame of shape (n_samples, n_features), or fitted EnsembleClustering
        Features, all finite numbers. A model gives those that it was fitted on, scaled as there, its kind of generator
        and its method.
    generator : transformer, str or None, default=None
        Makes base clusterings of the features; a name of :data:`consensa.generate.GENERATORS`; None for
        :class:`~consensa.generate.MultiscalePartitions` with 20 members.
    method : str or estimator, default="sal"
        What combines them: name of a method, or a consensus estimator.
    alpha : float, default=0.05
        Probability that data without clusters get any split.
    n_null : int, default=99
        Data sets without clusters for every split. Small sets of objects get more, up to 999, as less error is allowed
        there; fewer are made where enough of them split as well as the data.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None
        Data sets computed at a time; the result does not depend on it.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    Significance
        Labels, number of clusters (1 if nothing is there) and every split with its p-value; ``str()`` shows the tree.

    Notes
    -----
    Base clusterings of the objects are combined, and the first split of the consensus that sets more than a handful
    apart is measured by its conductance (:func:`~consensa.choose_k` says what that is). The same is done with data of
    one ellipsoid: a Gaussian with the covariance of these objects, or a multivariate t distribution where Mardia's
    kurtosis says that tails are heavier. With e of B such data sets split as well or better, p = (e + 1) / (B + 1), or,
    once e has reached h, p = h / B. If p is at most alpha (n - 1) / (N - 1), for n of N objects, the split stands and
    both parts are tested in the same way. So the probability of any split is at most alpha for data that are one
    ellipsoid. Other shapes without clusters, such as bands or a uniform distribution, are not: a split then says that
    the data are not one ellipsoid, which is not always what one means by clusters.

    Sets of more than 2,000 objects are tested and split on a sample; others follow their five nearest in it. Sets with
    fewer than 20 distinct objects, or too small for the error that is left, are not tested.

    References
    ----------
    Kimes, Liu, Hayes & Marron (2017), Statistical significance for hierarchical clustering, Biometrics 73(3).
    https://doi.org/10.1111/biom.12647
    Besag & Clifford (1991), Sequential Monte Carlo p-values, Biometrika 78(2). https://doi.org/10.1093/biomet/78.2.301
    Grabski, Street & Irizarry (2023), Significance analysis for clustering with single-cell RNA-sequencing data, Nature
    Methods 20. https://doi.org/10.1038/s41592-023-01933-9

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import significance
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> significance(X, random_state=0).n_clusters
    1
    """
    X, generator, method = _of_input(X_or_model, generator, method)
    check_fraction("alpha", alpha)
    check_integer("n_null", n_null)
    procedure = _Procedure(_members(generator), method, float(alpha), int(n_null), n_jobs, verbose)
    make_method(method, 2, 0, {})  # its errors come before the long part
    return significant_splits(X, procedure, random_state)


def significant_splits(X: np.ndarray, procedure: _Procedure, random_state: RandomState) -> Significance:
    """Test the splits of features that are checked."""
    leaves = np.zeros(len(X), np.int64)
    found: list[TestedSplit] = []
    waiting = [_Node(0, -1, np.arange(len(X)), draw_seeds(random_state, 1)[0])]
    while waiting:
        node = waiting.pop(0)
        split, sides = _test(X, node, procedure)
        found.append(split)
        leaves[node.rows] = split.node
        if split.significant:
            seeds = draw_seeds(node.seed, 5)[3:]
            first = node.node + len(waiting) + 1
            waiting += [_Node(first + side, node.node, node.rows[sides == side], seeds[side]) for side in (0, 1)]
    names, numbers = np.unique(leaves, return_inverse=True)
    labels = number_by_size(numbers, EachObject(len(X)))
    cluster = {int(name): int(labels[np.argmax(leaves == name)]) for name in names}
    splits = tuple(TestedSplit(**{**vars(split), "cluster": cluster.get(split.node, -1)}) for split in found)
    return Significance(labels, len(names), splits, procedure.alpha)


def _test(X: np.ndarray, node: _Node, procedure: _Procedure) -> tuple[TestedSplit, np.ndarray]:
    """Test the first split of some objects; return the part of every object."""
    sample_seed, seed, null_seed, *_ = draw_seeds(node.seed, 5)
    n = node.rows.size
    alpha = procedure.alpha * (n - 1) / max(len(X) - 1, 1)
    sample = _drawn(n, sample_seed)
    seen = X[node.rows[sample]]
    n_null = _n_null(alpha, procedure.n_null)
    if n_null is None or len(np.unique(seen, axis=0)) < _LEAST:
        untested = (n, (n, 0), np.nan, np.nan, alpha, 0)
        return TestedSplit(node.node, node.parent, *untested, significant=False, cluster=-1), np.zeros(n, np.int64)
    split = procedure.split(seen, seed)
    p, n_used = _p_value(split.conductance, seen, null_seed, procedure, n_null, alpha)
    sides = _sides_of_all(X[node.rows], sample, split.sides)
    sizes = (int(np.count_nonzero(sides == 0)), int(np.count_nonzero(sides)))
    significant = p <= alpha and min(sizes) > 0
    found = (n, sizes, split.conductance, p, alpha, n_used)
    return TestedSplit(node.node, node.parent, *found, significant=significant, cluster=-1), sides


def _drawn(n_objects: int, seed: int) -> np.ndarray:
    """Some of the objects, or all if they are not many."""
    if n_objects <= _SAMPLE:
        return np.arange(n_objects)
    return np.sort(np.random.default_rng(seed).choice(n_objects, _SAMPLE, replace=False))


def _n_null(alpha: float, wanted: int) -> int | None:
    """How many null sets it takes for a p-value that is small enough; None if too many."""
    needed = int(np.ceil(1 / alpha)) - 1 if alpha > 0 else _MOST_NULL + 1
    return max(needed, wanted) if needed <= max(_MOST_NULL, wanted) else None


def _p_value(
    found: float, seen: np.ndarray, seed: int, procedure: _Procedure, n_null: int, alpha: float
) -> tuple[float, int]:
    """Share of the data without clusters that split as well; return how many were looked at, too.

    It ends once as many as can still be significant, and five at least, do.
    """
    enough = max(int(alpha * (n_null + 1)), _ENOUGH)
    ellipsoid, n_as_well = ellipsoid_of(seen), 0
    nulls = _nulls(procedure, ellipsoid, len(seen), seed, n_null)
    bar = progress_bar(nulls, total=n_null, desc=f"{len(seen)} objects", leave=False, disable=not procedure.verbose)
    for n_used, null in enumerate(bar, start=1):
        n_as_well += null <= found
        if n_as_well >= enough:
            return n_as_well / n_used, n_used
    return (n_as_well + 1) / (n_null + 1), n_null


def _nulls(procedure: _Procedure, ellipsoid: Ellipsoid, n_samples: int, seed: int, n_null: int) -> Iterator[float]:
    """Yield the conductance of data without clusters in their order, a batch for all jobs at a time."""
    batch = 1 if effective_n_jobs(procedure.n_jobs) == 1 else 2 * effective_n_jobs(procedure.n_jobs)
    serial = procedure._replace(n_jobs=None)
    for start in range(0, n_null, batch):
        places = range(start, min(start + batch, n_null))
        tasks = (delayed(serial.null)(ellipsoid, n_samples, seed, place) for place in places)
        yield from list(run_parallel(procedure.n_jobs, tasks))


def _sides_of_all(X: np.ndarray, sample: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Hand the parts of a sample on to all objects."""
    if sample.size == len(X) or np.ptp(sides) == 0:
        return sides if sample.size == len(X) else np.zeros(len(X), np.int64)
    found = np.asarray(KNeighborsClassifier(_NEIGHBOURS).fit(X[sample], sides).predict(X))
    found[sample] = sides
    return found


def _members(generator: Any) -> Any:
    if generator is None:
        return MultiscalePartitions(N_MEMBERS)
    return make_generator(generator, N_MEMBERS) if isinstance(generator, str) else generator


def _of_input(data: Any, generator: Any, method: Any) -> tuple[np.ndarray, Any, Any]:
    """Return features, generator and method; refuse what has no features."""
    if isinstance(data, SavableMixin):
        return _of_fitted(data, generator)
    if isinstance(data, Ensemble) or _are_labels(data):
        msg = f"this looks like labels of base clusterings, not features: {_ALTERNATIVE} "
        raise ValueError(msg + "Features that are whole numbers pass as floats.")
    X = check_features(None, data, dtype=np.float64)
    return ordinary_scale(X)[0], generator, method


def _of_fitted(model: Any, generator: Any) -> tuple[np.ndarray, Any, Any]:
    """Return what a fitted model knows."""
    if not model.takes_features:
        msg = f"{type(model).__name__} was fitted on labels, not features: {_ALTERNATIVE}"
        raise ValueError(msg)
    X = model.known_of_objects()["X"]
    if X is None:
        msg = "the model does not hold the features that it was fitted on; give these to significance instead of it."
        raise ValueError(msg)
    if model.columns_ is not None:
        msg = "the test knows numbers only, and the model was fitted on a table; give its columns of numbers as X."
        raise ValueError(msg)
    own = model.get_params(deep=False)
    if generator is None and own.get("generator") is not None:
        generator = _fewer(own["generator"])
    X = ordinary_scale(np.asarray(apply_scale(X, model.scaler_), np.float64))[0]
    return X, generator, own.get("method", DEFAULT_METHOD)


def _fewer(generator: Any) -> Any:
    """The same kind of generator with fewer members."""
    if isinstance(generator, str) or "n_partitions" not in generator.get_params(deep=False):
        return generator
    return clone(generator).set_params(n_partitions=N_MEMBERS, verbose=False)


def _are_labels(data: Any) -> bool:
    """Whether whole numbers count from 0, or from -1 for missing ones, without gaps in every column."""
    values = np.asarray(data) if isinstance(data, (np.ndarray, list, tuple)) else None
    if values is None or values.ndim != 2 or values.size == 0 or values.dtype.kind not in "iu":
        return False
    numbers = [np.unique(column) for column in values.T]
    return all(found[0] in (-1, 0) and len(found) == found[-1] - found[0] + 1 for found in numbers)
