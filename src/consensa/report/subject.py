"""What a report is about: one clustering of the objects, the ensemble behind it, and what else is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from consensa._frames import collected, names_of, row_names
from consensa._threads import row_ranges
from consensa._validation import check_integer
from consensa.columns import used_columns
from consensa.ensemble.labels import code_vector
from consensa.evaluate import anmi, confidence
from consensa.evaluate.cluster_counts import count_clusters, count_labelled_rows
from consensa.evaluate.confidence import RowConfidence
from consensa.evaluate.scores import cluster_anmi
from consensa.relate.nearness import SharedClusters
from consensa.report.features import FeatureRows
from consensa.report.objects import evidence_of_objects, evidence_of_rows
from consensa.report.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from consensa._types import FittedModel, LabelVector
    from consensa.columns import Column
    from consensa.ensemble import Ensemble
    from consensa.evaluate.cluster_counts import ClusterCounts
    from consensa.partition.labelling import Labeller
    from consensa.report.objects import ObjectEvidence

__all__ = ["MAX_SAMPLE", "Partition", "Subject", "spread_sample", "subject_of"]

MAX_SAMPLE = 2000
_COUNTED = 1 << 20  # labels looked at a time


@dataclass(frozen=True, eq=False)
class Partition:
    """A clustering of the objects with the words for its clusters, as the user wrote them; code -1 for none."""

    name: str
    codes: np.ndarray
    words: Any


@runtime_checkable
class Picked(Protocol):
    """Ids of all objects, of which a few are read at a time."""

    def pick(self, rows: Iterable[int]) -> list[Any]:
        """Return the ids of some objects."""

    def __len__(self) -> int:
        """How many there are."""


@dataclass(frozen=True, eq=False)
class ListedIds:
    """Ids that are all in memory."""

    values: np.ndarray

    def __len__(self) -> int:
        return int(self.values.size)

    def pick(self, rows: Iterable[int]) -> list[Any]:
        """Return the ids of some objects."""
        return [self.values[row] for row in rows]


@dataclass(frozen=True, eq=False)
class Subject:
    """A clustering with its evidence."""

    model: FittedModel  # as the user has it
    ensemble: Ensemble
    labels: np.ndarray  # of the objects; -1 for none
    labeller: Labeller | None = None  # labels label rows, where the labels of the model go by these
    features: FeatureRows | None = None
    feature_names: Any = None
    ids: Picked | None = None
    others: tuple[Partition, ...] = ()  # other clusterings of the same objects
    truth: Partition | None = None  # known classes
    partition_names: Any = ()  # of the base clusterings
    table: tuple[Column, ...] | None = None  # all columns of a table, also those that are left out

    @cached_property
    def columns(self) -> tuple[Column, ...] | None:
        """What the features are, which may have gaps (NaN); None for plain numbers."""
        return None if self.table is None else used_columns(self.table)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of objects in every cluster."""
        pieces = row_ranges(self.labels.size, _COUNTED)
        parts = [self.labels[start:stop] for start, stop in pieces]
        n_clusters = max(int(part.max(initial=-1)) for part in parts) + 1
        return sum((np.bincount(part[part >= 0], minlength=n_clusters) for part in parts), np.zeros(n_clusters, int))

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.sizes.size)

    @cached_property
    def counts(self) -> ClusterCounts:
        """What the clusters share with the base clusters."""
        if self.labeller is None:
            return count_clusters(self.labels, self.ensemble)
        return count_labelled_rows(self.labeller.of_fit, self.ensemble)

    @cached_property
    def row_confidence(self) -> RowConfidence | None:
        """The confidence as a function of label rows, where the labels go by these."""
        if self.labeller is None:
            return None
        return RowConfidence(self.ensemble.offsets, self.labeller.of_fit, self.counts.sums, self.counts.sizes)

    @cached_property
    def evidence(self) -> ObjectEvidence:
        """How sure the objects are."""
        if self.labeller is None or self.row_confidence is None:
            return evidence_of_objects(self.labels, self.confidence, self.n_clusters)
        return evidence_of_rows(self.labeller.of_fit, self.row_confidence, self.ensemble, self.n_clusters)

    @cached_property
    def confidence(self) -> np.ndarray:
        """How clearly every object belongs to its cluster; for figures of objects in memory."""
        if self.row_confidence is not None:
            return np.asarray(self.ensemble.map_codes("confidence", self.row_confidence, np.float64))
        own = not isinstance(self.model.labels_, dict) and np.array_equal(self.model.labels_, self.labels)
        return np.asarray(self.model.confidence_ if own else confidence(self.labels, self.ensemble))

    @cached_property
    def sample(self) -> np.ndarray:
        """Up to some 2,000 objects, spread evenly over every cluster in the order of the data."""
        return spread_sample(self.labels, self.sizes, MAX_SAMPLE)

    @cached_property
    def sample_codes(self) -> np.ndarray:
        """Label rows of the sample, shape (n_sampled, n_partitions)."""
        return self.ensemble.codes_of(self.sample)

    @cached_property
    def sample_confidence(self) -> np.ndarray:
        """Confidence of the sample."""
        if self.row_confidence is None:
            return self.confidence[self.sample]
        return self.row_confidence(self.sample_codes)

    @cached_property
    def shared(self) -> SharedClusters:
        """The co-association, as a function of label rows."""
        return SharedClusters(self.ensemble.offsets, np.ones(self.ensemble.n_base_clusters))

    def id_of(self, rows: Iterable[int]) -> list[Any]:
        """Ids of some objects; their row numbers where there are no ids."""
        return [int(row) for row in rows] if self.ids is None else self.ids.pick(rows)


def spread_sample(labels: np.ndarray, sizes: np.ndarray, n_wanted: int) -> np.ndarray:
    """Choose objects from every cluster by its share, small clusters with at least a few, at even distances.

    Their numbers rise; objects without a label (-1) are never chosen. About ``n_wanted``; all if there are no more.

    Examples
    --------
    >>> import numpy as np
    >>> spread_sample(np.array([0, 0, 0, 0, 1, -1]), np.array([4, 1]), 3)
    array([0, 2, 4])
    """
    sizes = sizes[:n_wanted]  # clusters are numbered by size
    n_labelled = int(sizes.sum())
    few = max(1, min(8, n_wanted // sizes.size))
    everyone = n_labelled <= n_wanted
    quota = sizes if everyone else np.minimum(np.maximum((sizes * n_wanted) // n_labelled, few), sizes)
    seen = np.zeros(sizes.size, np.int64)
    picked = []
    for start, stop in row_ranges(labels.size, _COUNTED):
        part = labels[start:stop]
        objects = np.flatnonzero((part >= 0) & (part < sizes.size))
        objects = objects[np.argsort(part[objects], kind="stable")]
        group = part[objects]
        counts = np.bincount(group, minlength=sizes.size)
        # the rank of an object within its cluster; the j-th chosen one has the rank j * size // quota
        rank = seen[group] + np.arange(objects.size) - (np.cumsum(counts) - counts)[group]
        nearest = -(-(rank * quota[group]) // sizes[group])
        picked.append(start + objects[(nearest < quota[group]) & (nearest * sizes[group] // quota[group] == rank)])
        seen += counts
    return np.sort(np.concatenate(picked))


def subject_of(
    model: FittedModel,
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
    ensemble = model.ensemble_
    k = _number_of(model, ensemble, n_clusters)
    labels = np.asarray(model.labels_ if k is None else model.cut(k))
    X = collected(X)
    features = None if X is None else FeatureRows(X, model.columns_)
    table = model.columns_ if features is None else features.columns
    if table is not None:
        feature_names = [column.name for column in used_columns(table)]
    elif feature_names is None:
        feature_names = names_of(X)
    if partition_names is None:
        partition_names = _generated_names(model, ensemble.n_partitions)
    if ids is None:
        ids = row_names(X)
    if ids is not None:
        ids = ids if isinstance(ids, Picked) else ListedIds(np.asarray(ids, dtype=object))
        _check_length("ids", ids, ensemble.n_objects)
    if features is not None:
        _check_length("X", features, ensemble.n_objects)
    if feature_names is not None and features is not None:
        _check_length("feature_names", feature_names, features.n_features, "features")
    if partition_names is not None:
        _check_length("partition_names", partition_names, ensemble.n_partitions, "base clusterings")
    return Subject(
        model,
        ensemble,
        labels,
        model.row_labeller(k),
        features,
        feature_names,
        ids,
        tuple(_as_partition(clean(name, 40), vector, ensemble) for name, vector in (others or {}).items()),
        None if truth is None else _as_partition("known classes", truth, ensemble),
        ensemble.names if partition_names is None else partition_names,
        table,
    )


def _number_of(model: FittedModel, ensemble: Ensemble, n_clusters: int | None) -> int | None:
    """The number of clusters to look at: None for the fitted one, of several the one in best agreement."""
    if n_clusters is not None:
        return check_integer("n_clusters", n_clusters)
    if not isinstance(model.labels_, dict):
        return None

    def agreement(k: int) -> tuple[float, int]:
        labeller = model.row_labeller(k)
        if labeller is None:
            return anmi(model.labels_[k], ensemble), -k
        return cluster_anmi(count_labelled_rows(labeller.of_fit, ensemble).common, ensemble.offsets), -k

    return int(max(model.labels_, key=agreement))


def _generated_names(model: FittedModel, n_partitions: int) -> Any:
    """Names of the base clusterings by the generator that made them; None if there is none, or it has no names."""
    names = model.made_of().partition_names
    return names if len(names) == n_partitions else None


def _as_partition(name: str, vector: LabelVector, ensemble: Ensemble) -> Partition:
    codes, words = code_vector(vector, name, -1)
    if codes.size != ensemble.n_objects:
        msg = f"{name} has {codes.size} labels, but the model has {ensemble.n_objects} objects; give one for each."
        raise ValueError(msg)
    return Partition(name, codes, words)


def _check_length(name: str, values: Any, n_wanted: int, what: str = "objects") -> None:
    if len(values) != n_wanted:
        msg = f"{name} has {len(values)} entries, but the model has {n_wanted} {what}; give one for each, in order."
        raise ValueError(msg)
