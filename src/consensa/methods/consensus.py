"""One call from a label matrix to labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from consensa._frames import collected, kind_of
from consensa.methods.registry import DEFAULT_METHOD, get_method

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa._types import Outliers
    from consensa.methods.base import ConsensusClusterer

__all__ = ["consensus"]


def consensus(
    partitions: Any,
    n_clusters: Any,
    method: str | ConsensusClusterer = DEFAULT_METHOD,
    random_state: RandomState = None,
    *,
    outliers: Outliers = "assign",
    **parameters: Any,
) -> Any:
    """Combine many clusterings of the same objects into one.

    Parameters
    ----------
    partitions : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble
        One column per base clustering; -1, NaN, None and null are missing labels.
    n_clusters : int, sequence of int or "auto"
        Number of clusters; "auto" chooses it, "auto:2:20" among these, see :func:`~consensa.choose_k`.
    method : str or estimator, default="sal"
        Name of a method (:data:`consensa.methods.METHODS` lists them), or a consensus estimator, as
        :doc:`/project/adding_a_method` writes one; its ``n_clusters`` is set to the one given here.
    random_state : int, RandomState, Generator or None, default=None
        Seed, for the methods that draw random numbers.
    outliers : {"assign", "mark"}, default="assign"
        What becomes of objects that no cluster can claim (:func:`consensa.evaluate.outlier_scores`): they go to the
        cluster that suits them best, or get the label -1.
    **parameters
        Further parameters of the method, for example ``theta``.

    Returns
    -------
    ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Clusters numbered by size, then by first object; -1 for objects without any label. For a data frame it is a
        series of the same library, called "cluster", with the index of the frame where it has one.

    References
    ----------
    The default is :class:`~consensa.SAL`, with the graph and weights of Huang, Wang & Lai (2018), Locally weighted
    ensemble clustering, IEEE Trans. Cybernetics 48(5). https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from consensa import consensus
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> consensus(partitions, 2, method="lwea")
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> sorted(consensus(partitions, [2, 3], random_state=0))
    [2, 3]

    A frame gives a series with its index:

    >>> import pandas as pd
    >>> runs = pd.DataFrame({"kmeans": [0, 0, 1, 1], "ward": ["x", "x", "y", "y"]}, index=["ann", "bob", "cy", "di"])
    >>> consensus(runs, 2, method="lwea").to_dict()
    {'ann': 0, 'bob': 0, 'cy': 1, 'di': 1}
    """
    partitions = collected(partitions)
    model = make_method(method, n_clusters, random_state, parameters)
    labels = model.fit(partitions, **({} if outliers == "assign" else {"outliers": outliers})).labels_
    kind = kind_of(partitions)
    return labels if kind is None else kind.wrap(labels, "cluster")


def default_parameters(method: str) -> dict[str, Any]:
    """Return the parameters of a method with their defaults.

    Examples
    --------
    >>> default_parameters("lwea")
    {'missing': -1, 'n_clusters': 2, 'theta': 0.4}
    """
    return dict(get_method(method).load()().get_params())


def make_method(method: Any, n_clusters: Any, random_state: RandomState, parameters: dict[str, Any]) -> Any:
    """Build the estimator of a method, given by its name or as an estimator that is copied.

    One that draws no random numbers is not given a seed, and one that brings a seed keeps it.
    """
    own = hasattr(method, "get_params") and not isinstance(method, type)
    estimator = clone(method) if own else get_method(method).load()()
    known = estimator.get_params(deep=False)
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        name = type(method).__name__ if own else method
        msg = f"method {name!r} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}."
        raise ValueError(msg)
    seed = {"random_state": random_state} if "random_state" in known and known["random_state"] is None else {}
    return estimator.set_params(n_clusters=n_clusters, **{**seed, **parameters})
