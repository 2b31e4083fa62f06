"""How objects flow between clusterings: contingency tables of a few partitions, small clusters taken together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.report.subject import Partition
from consensa.report.text import clean, clean_all

if TYPE_CHECKING:
    from consensa.evaluate import PartitionReliability
    from consensa.report.subject import Subject

__all__ = ["flows"]

_MAX_PARTITIONS = 8
_MAX_CLUSTERS = 14
_NAME_BYTES = 600


def flows(subject: Subject, reliability: PartitionReliability) -> dict[str, Any]:
    """Contingency tables of the consensus, the other clusterings and some of the base clusterings.

    Parameters
    ----------
    subject : Subject
    reliability : PartitionReliability
        Chooses the base clusterings: the most and the least like the consensus.

    Returns
    -------
    dict
        ``partitions`` with name and, for every group, its word and size; ``tables``: counts by rows, for every pair
        of partitions in the order of ``itertools.combinations``.
    """
    grouped = [_group(partition) for partition in _chosen(subject, reliability)]
    tables = []
    for (a, words_a), (b, words_b) in combinations(((codes, words) for _, codes, words in grouped), 2):
        counts = np.bincount(a.astype(np.int64) * len(words_b) + b, minlength=len(words_a) * len(words_b))
        tables.append(counts.tolist())
    return {
        "partitions": [
            {"name": name, "groups": words, "sizes": np.bincount(codes, minlength=len(words)).tolist()}
            for name, codes, words in grouped
        ],
        "tables": tables,
    }


def _chosen(subject: Subject, reliability: PartitionReliability) -> list[Partition]:
    """Consensus, known classes, other clusterings, then base clusterings: the best three and the worst."""
    ensemble = subject.ensemble
    found = [Partition("consensus", subject.labels, np.arange(1, subject.n_clusters + 1))]
    if subject.truth is not None:
        found.append(subject.truth)
    found += subject.others[: _MAX_PARTITIONS - len(found)]
    order = np.argsort(-reliability.nmi, kind="stable")
    base = dict.fromkeys([*order[:3].tolist(), *order[-1:].tolist()])
    for m in list(base)[: _MAX_PARTITIONS - len(found)]:
        name = f"base clustering {clean(subject.partition_names[m], 40)}"
        codes = ensemble.to_objects(ensemble.labels[:, m])
        found.append(Partition(name, codes, ensemble.vocabularies[m].labels))
    return found


def _group(partition: Partition) -> tuple[str, np.ndarray, list[str]]:
    """Keep the largest clusters, take the others together, and give objects without a label a group of their own."""
    sizes = np.bincount(partition.codes[partition.codes >= 0], minlength=len(partition.words))
    largest = np.sort(np.argsort(-sizes, kind="stable")[:_MAX_CLUSTERS])
    place = np.full(sizes.size + 1, largest.size)
    place[largest] = np.arange(largest.size)
    words = clean_all([partition.words[code] for code in largest], _NAME_BYTES)
    n_small = sizes.size - largest.size
    if n_small:
        words.append(f"{n_small} smaller")
    if (partition.codes < 0).any():
        place[-1] = len(words)
        words.append("no label")
    return partition.name, place[partition.codes], words
