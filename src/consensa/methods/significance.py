"""Whether clusters are real: the splits of the data from the root down, each against data without clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from consensa import __version__
from consensa._features import check_features
from consensa._magnitude import ordinary_scale
from consensa._random import draw_seed
from consensa._validation import check_fraction, check_integer
from consensa.ensemble import Ensemble
from consensa.generate import MultiscalePartitions, make_generator
from consensa.generate.base import open_store
from consensa.generate.scale import apply_scale
from consensa.methods.consensus import make_method
from consensa.methods.registry import DEFAULT_METHOD
from consensa.methods.saving import SavableMixin
from consensa.methods.split_test import Procedure, splits_that_stand

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa._types import Directory
    from consensa.choose.significance import Significance

__all__ = ["refuse_table", "significance", "significance_for"]

N_MEMBERS = 20  # base clusterings of every data set that is split
_ALTERNATIVE = (
    "the test makes base clusterings of data without clusters, for which it needs features, and labels alone have "
    "none; choose_k tells how many clusters the labels speak for, and how strongly."
)


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
    directory: Directory = None,
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
        Data sets without clusters for every split, at most. Small sets of objects get more, up to 999, as less error is
        allowed there; fewer are made where enough of them split as well as the data, or where nearly none could.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None
        Data sets computed at a time; the result does not depend on it.
    verbose : bool, default=False
        Whether to show a progress bar.
    directory : path or None, default=None
        Keeps what is finished in this folder, so that a stopped test goes on where it was; needs a ``random_state``.
        A folder of other data, another generator, method or seed is refused; ``alpha`` and ``n_null`` may change.

    Returns
    -------
    Significance
        Labels, number of clusters (1 if nothing is there) and every split with its p-value; ``str()`` shows the tree.

    Notes
    -----
    Base clusterings of the objects are combined, and the first split of the consensus that sets more than a handful
    apart is measured twice: by its conductance (:func:`~consensa.choose_k` says what that is), which sees parts of any
    shape, and by how much of the spread along the line through the centres of 2-means lies within its two parts, which
    sees Gaussians that touch. The same is done with B data sets of one ellipsoid: a Gaussian with the covariance of
    these objects (shrunk by the rule of Ledoit and Wolf), or a multivariate t distribution where the kurtosis says that
    tails are heavier. The logarithms of both measures are counted in deviations from their means over all of these
    data sets and the data, and a data set by the further one, conductance with one deviation less, as it rarely finds
    what the other does not. With e of the B at least as far as the data, p = (e + 1) / (B + 1); no more are made once
    five are and p cannot become small any more.
    Data far beyond 19 (39, 59, ...) of them need no more: they would be so even if the tails were as heavy as those of
    a t distribution with 4 degrees of freedom, which then gives p, times the number of measures and of looks, where
    this is a tenth of the error allowed. It is never below 0.0001.
    If p is at most alpha (n - 1) / (N - 1), for n of N objects, the split stands and both parts are tested in the same
    way. So the probability of any split is at most alpha for data that are one ellipsoid. Other shapes without
    clusters, such as bands or a uniform distribution, are not: a split then says that the data are not one ellipsoid,
    which is not always what one means by clusters.

    At most 20,000 objects, drawn by the hashes of their numbers, take part in the test, and of every set to be split a
    sample of 2,000; others follow their five nearest in it. Sets with fewer than 20 distinct objects, or too small for
    the error that is left, are not tested.

    References
    ----------
    Kimes, Liu, Hayes & Marron (2017), Statistical significance for hierarchical clustering, Biometrics 73(3).
    https://doi.org/10.1111/biom.12647
    Liu, Hayes, Nobel & Marron (2008), Statistical significance of clustering for high-dimension, low-sample size data,
    JASA 103. https://doi.org/10.1198/016214508000000454
    Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, J. Multivariate
    Analysis 88(2). https://doi.org/10.1016/S0047-259X(03)00096-4
    Westfall & Young (1993), Resampling-based multiple testing, Wiley, for the smallest of several p-values.
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
    generator = _members(generator)
    combined_by = make_method(method, 2, 0, {})  # its errors come before the long part
    seed = draw_seed(random_state)
    origin = {"generator": _described(generator), "method": _described(combined_by), "seed": seed}
    store = open_store(directory, X, random_state, {"version": __version__, **origin}, what="split")
    return splits_that_stand(X, Procedure(generator, method, float(alpha), int(n_null), n_jobs, verbose, store), seed)


def significance_for(model: Any, X: np.ndarray, seed: int, directory: Directory = None) -> Significance:
    """Test features as a model wants it that is to be fitted on them: by its kind of generator and its method.

    Parameters
    ----------
    model : EnsembleClustering
    X : ndarray of shape (n_samples, n_features)
        Scaled as the generator gets them.
    seed : int
    directory : path or None, default=None

    Returns
    -------
    Significance
    """
    return significance(
        np.asarray(X, np.float64),
        generator=_fewer(model.generator),
        method=model.method,
        random_state=seed,
        n_jobs=model.n_jobs,
        verbose=model.verbose,
        directory=directory,
    )


def _described(estimator: Any) -> list[Any]:
    """What its results depend on, as JSON can hold it."""
    parameters = estimator.get_params(deep=False).items()
    kept = {name: repr(value) for name, value in parameters if name not in ("n_jobs", "verbose", "random_state")}
    return [type(estimator).__name__, kept]


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
    refuse_table(model.columns_)
    own = model.get_params(deep=False)
    if generator is None:
        generator = _fewer(own.get("generator"))
    X = ordinary_scale(np.asarray(apply_scale(X, model.scaler_), np.float64))[0]
    return X, generator, own.get("method", DEFAULT_METHOD)


def refuse_table(columns: Any) -> None:
    """Refuse what is not all numbers: no data without clusters are known that have its categories and gaps."""
    if columns is not None:
        msg = (
            "the test knows numbers only, and this is a table with categories or gaps, of which nobody can say what it "
            'would look like without clusters; give its columns of numbers as X, or use n_clusters="auto".'
        )
        raise ValueError(msg)


def _fewer(generator: Any) -> Any:
    """The same kind of generator with fewer members."""
    if generator is None or isinstance(generator, str) or "n_partitions" not in generator.get_params(deep=False):
        return generator
    return clone(generator).set_params(n_partitions=N_MEMBERS, verbose=False)


def _are_labels(data: Any) -> bool:
    """Whether whole numbers count from 0, or from -1 for missing ones, without gaps in every column."""
    values = np.asarray(data) if isinstance(data, (np.ndarray, list, tuple)) else None
    if values is None or values.ndim != 2 or values.size == 0 or values.dtype.kind not in "iu":
        return False
    numbers = [np.unique(column) for column in values.T]
    return all(found[0] in (-1, 0) and len(found) == found[-1] - found[0] + 1 for found in numbers)
