"""What a report is about: one clustering of the objects, the ensemble behind it, and what else is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._frames import collected, kind_of, names_of
from consensa._validation import check_integer
from consensa.ensemble import Ensemble
from consensa.evaluate import anmi, confidence
from consensa.labels import Vocabulary, read_columns
from consensa.report.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MAX_SAMPLE", "Partition", "Subject", "spread_sample", "subject_of"]

MAX_SAMPLE = 2000


@dataclass(frozen=True, eq=False)
class Partition:
    """A clustering of the objects with the words for its clusters.

    Parameters
    ----------
    name : str
    codes : ndarray of shape (n_objects,), int
        -1 for none.
    words : sequence of n_clusters labels
        As the user wrote them.
    """

    name: str
    codes: np.ndarray
    words: Any


@dataclass(frozen=True, eq=False)
class Subject:
    """A clustering with its evidence.

    Parameters
    ----------
    model : fitted estimator
        As the user has it.
    consensus : fitted estimator
        The part of it that combined the base clusterings; often the model itself.
    ensemble : Ensemble
    labels : ndarray of shape (n_objects,), int
        Clusters 0, 1, ...; -1 for none.
    features : ndarray of shape (n_objects, n_features) or None
    feature_names : sequence of n_features names or None
    ids : sequence of n_objects ids or None
    others : tuple of Partition
        Other clusterings of the same objects.
    truth : Partition or None
        Known classes.
    partition_names : sequence of n_partitions names
        Of the base clusterings.
    """

    model: Any
    consensus: Any
    ensemble: Ensemble
    labels: np.ndarray
    features: np.ndarray | None = None
    feature_names: Any = None
    ids: Any = None
    others: tuple[Partition, ...] = ()
    truth: Partition | None = None
    partition_names: Any = ()

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of objects in every cluster."""
        return np.bincount(self.labels[self.labels >= 0])

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.sizes.size)

    @cached_property
    def confidence(self) -> np.ndarray:
        """How clearly every object belongs to its cluster."""
        return confidence(self.labels, self.ensemble)

    @cached_property
    def sample(self) -> np.ndarray:
        """Up to some 2,000 objects, spread evenly over every cluster in the order of the data."""
        return spread_sample(self.labels, self.sizes, MAX_SAMPLE)

    def id_of(self, rows: Iterable[int]) -> list[Any]:
        """Ids of some objects; their row numbers where there are no ids."""
        return [int(row) if self.ids is None else self.ids[row] for row in rows]


def spread_sample(labels: np.ndarray, sizes: np.ndarray, n_wanted: int) -> np.ndarray:
    """Choose objects from every cluster by its share, small clusters with at least a few, at even distances.

    Parameters
    ----------
    labels : ndarray of shape (n_objects,), int
        -1 is never chosen.
    sizes : ndarray of shape (n_clusters,)
    n_wanted : int
        About how many; all if there are no more.

    Returns
    -------
    ndarray of int, rising

    Examples
    --------
    >>> import numpy as np
    >>> spread_sample(np.array([0, 0, 0, 0, 1, -1]), np.array([4, 1]), 3)
    array([0, 2, 4])
    """
    sizes = sizes[:n_wanted]  # clusters are numbered by size
    labelled = np.flatnonzero((labels >= 0) & (labels < n_wanted))
    if labelled.size <= n_wanted:
        return labelled
    order = labelled[np.argsort(labels[labelled], kind="stable")]
    starts = np.cumsum(sizes) - sizes
    few = max(1, min(8, n_wanted // sizes.size))
    quota = np.minimum(np.maximum((sizes * n_wanted) // labelled.size, few), sizes)
    picked = [
        start + (np.arange(count) * size) // count for start, size, count in zip(starts, sizes, quota, strict=True)
    ]
    return np.sort(order[np.concatenate(picked).astype(np.int64)])


def subject_of(
    model: Any,
    X: Any = None,
    *,
    n_clusters: int | None = None,
    ids: Any = None,
    feature_names: Any = None,
    truth: Any = None,
    others: Mapping[str, Any] | None = None,
    partition_names: Any = None,
) -> Subject:
    """Collect what a report needs from a fitted model and what the user adds, and check that it fits together."""
    consensus = getattr(model, "consensus_", model)
    ensemble = consensus.ensemble_ if hasattr(consensus, "ensemble_") else Ensemble(model.partitions_)
    labels = np.asarray(_labels_of(model, ensemble, n_clusters))
    X = collected(X)
    features = None if X is None else _as_features(X, ensemble.n_objects)
    if feature_names is None:
        feature_names = names_of(X)
    if partition_names is None:
        partition_names = _generated_names(model, ensemble.n_partitions)
    if ids is None:
        ids = _index_of(X)
    if ids is not None:
        ids = np.asarray(ids, dtype=object)
        _check_length("ids", ids, ensemble.n_objects)
    if feature_names is not None and features is not None:
        _check_length("feature_names", feature_names, features.shape[1], "features")
    if partition_names is not None:
        _check_length("partition_names", partition_names, ensemble.n_partitions, "base clusterings")
    return Subject(
        model,
        consensus,
        ensemble,
        labels,
        features,
        feature_names,
        ids,
        tuple(_as_partition(clean(name, 40), vector, ensemble) for name, vector in (others or {}).items()),
        None if truth is None else _as_partition("known classes", truth, ensemble),
        ensemble.names if partition_names is None else partition_names,
    )


def _labels_of(model: Any, ensemble: Ensemble, n_clusters: int | None) -> np.ndarray:
    if n_clusters is not None:
        return np.asarray(model.cut(check_integer("n_clusters", n_clusters)))
    if not isinstance(model.labels_, dict):
        return np.asarray(model.labels_)
    best = max(model.labels_, key=lambda k: (anmi(model.labels_[k], ensemble), -k))
    return np.asarray(model.labels_[best])


def _generated_names(model: Any, n_partitions: int) -> Any:
    """Names of the base clusterings by the generator that made them; None if there is none, or it has no names."""
    generator: Any = getattr(model, "generator_", None)
    names = generator.get_feature_names_out() if hasattr(generator, "get_feature_names_out") else ()
    return names if len(names) == n_partitions else None


def _index_of(X: Any) -> Any:
    """The index of a frame, unless it only counts the rows."""
    kind = None if X is None else kind_of(X)
    if kind is None or kind.index is None or (np.asarray(kind.index) == np.arange(len(kind.index))).all():
        return None
    return np.array([str(name) for name in kind.index], dtype=object)


def _as_features(X: Any, n_objects: int) -> np.ndarray:
    from consensa._features import check_features

    features = check_features(None, X)
    _check_length("X", features, n_objects)
    return features


def _as_partition(name: str, vector: Any, ensemble: Ensemble) -> Partition:
    n_objects, (column,) = read_columns([vector])
    if n_objects != ensemble.n_objects:
        msg = f"{name} has {n_objects} labels, but the model has {ensemble.n_objects} objects; give one for each."
        raise ValueError(msg)
    vocabulary = Vocabulary.of(column, -1)
    return Partition(name, vocabulary.encode(column.values, column.absent), vocabulary.labels)


def _check_length(name: str, values: Any, n_wanted: int, what: str = "objects") -> None:
    if len(values) != n_wanted:
        msg = f"{name} has {len(values)} entries, but the model has {n_wanted} {what}; give one for each, in order."
        raise ValueError(msg)
