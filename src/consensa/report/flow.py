"""How objects flow between clusterings: contingency tables of a few partitions, small clusters taken together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa._groups import count_table
from consensa.report.text import clean, clean_all

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.evaluate import PartitionReliability
    from consensa.report.subject import Subject

__all__ = ["flows"]

_MAX_PARTITIONS = 8
_MAX_CLUSTERS = 14
_NAME_BYTES = 600


def flows(subject: Subject, reliability: PartitionReliability) -> dict[str, Any]:
    """Contingency tables of the consensus, the other clusterings and some of the base clusterings.

    Shown are the base clusterings most and least like the consensus. ``partitions`` with name and, for every group, its
    word and size; ``tables``: counts by rows, for every pair of partitions in the order of ``itertools.combinations``.
    """
    n_objects = subject.ensemble.n_objects
    grouped = [_group(side, n_objects) for side in _chosen(subject, reliability)]
    tables = [_joined(_common(a, b, subject), one, two) for (a, one), (b, two) in combinations(grouped, 2)]
    return {
        "partitions": [
            {"name": side.name, "groups": groups.words, "sizes": groups.sizes.tolist()} for side, groups in grouped
        ],
        "tables": [table.ravel().tolist() for table in tables],
    }


class _Side(NamedTuple):
    """A clustering in the figure: the consensus (``base`` is -1), a base clustering, or one given by its labels."""

    name: str
    words: Any
    sizes: np.ndarray
    base: int | None = None
    codes: np.ndarray | None = None


class _Groups(NamedTuple):
    """What clusters are shown together: the largest, all smaller ones, and objects without a label."""

    place: np.ndarray  # the group of every cluster
    words: list[str]
    sizes: np.ndarray
    has_none: bool


def _chosen(subject: Subject, reliability: PartitionReliability) -> list[_Side]:
    """Consensus, known classes, other clusterings, then base clusterings: the best three and the worst."""
    ensemble = subject.ensemble
    found = [_Side("consensus", np.arange(subject.n_clusters), subject.sizes, base=-1, codes=subject.labels)]
    given = [] if subject.truth is None else [subject.truth]
    for partition in [*given, *subject.others][: _MAX_PARTITIONS - 1]:
        sizes = np.bincount(partition.codes[partition.codes >= 0], minlength=len(partition.words))
        found.append(_Side(partition.name, partition.words, sizes, codes=partition.codes))
    order = np.argsort(-reliability.nmi, kind="stable")
    base = dict.fromkeys([*order[:3].tolist(), *order[-1:].tolist()])
    for m in list(base)[: _MAX_PARTITIONS - len(found)]:
        name = f"base clustering {clean(subject.partition_names[m], 40)}"
        clusters = slice(ensemble.offsets[m], ensemble.offsets[m + 1])
        found.append(_Side(name, ensemble.vocabularies[m].labels, ensemble.cluster_sizes[clusters], base=m))
    return found


def _group(side: _Side, n_objects: int) -> tuple[_Side, _Groups]:
    """Keep the largest clusters, take the others together, and give objects without a label a group of their own."""
    largest = np.sort(np.argsort(-side.sizes, kind="stable")[:_MAX_CLUSTERS])
    place = np.full(side.sizes.size, largest.size)
    place[largest] = np.arange(largest.size)
    words = clean_all([side.words[code] for code in largest], _NAME_BYTES)
    n_small = side.sizes.size - largest.size
    if n_small:
        words.append(f"{n_small} smaller")
    sizes = np.bincount(place, side.sizes, len(words)).astype(np.int64)
    n_none = n_objects - int(sizes.sum())
    if n_none:
        words.append("no label")
        sizes = np.append(sizes, n_none)
    return side, _Groups(place, words, sizes, n_none > 0)


def _common(a: _Side, b: _Side, subject: Subject) -> np.ndarray:
    """Common objects of every two clusters: from the counts where both are the consensus or base clusterings."""
    ensemble = subject.ensemble
    if a.base is None or b.base is None:
        one, two = (_codes(side, ensemble) for side in (a, b))
        both = (one >= 0) & (two >= 0)
        return count_table(one[both], two[both], (a.sizes.size, b.sizes.size)).toarray()
    clusters = slice(ensemble.offsets[b.base], ensemble.offsets[b.base + 1])
    if a.base < 0:
        return subject.counts.common[:, clusters]
    return np.asarray(ensemble.overlap[ensemble.offsets[a.base] : ensemble.offsets[a.base + 1], clusters].todense())


def _codes(side: _Side, ensemble: Ensemble) -> np.ndarray:
    if side.codes is not None:
        return side.codes
    return np.asarray(ensemble.to_objects(ensemble.labels[:, side.base]))


def _joined(common: np.ndarray, one: _Groups, two: _Groups) -> np.ndarray:
    """Add up clusters that are shown together; what is left over has no label on one side or on both."""
    table = np.zeros((len(one.words), len(two.words)), np.int64)
    np.add.at(table, (one.place[:, None], two.place[None, :]), common)
    if two.has_none:
        table[:, -1] = one.sizes - table[:, :-1].sum(axis=1)
    if one.has_none:
        table[-1] = two.sizes - table[:-1].sum(axis=0)
    return table
