"""Two models of the same objects side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._groups import count_table
from consensa.evaluate import ari, nmi
from consensa.report.subject import subject_of
from consensa.report.text import clean

if TYPE_CHECKING:
    from consensa._types import FittedModel
    from consensa.report.subject import Subject

__all__ = ["labels_beside", "side_by_side"]

_MAX_CLUSTERS = 30


def labels_beside(model: FittedModel, other: FittedModel) -> np.ndarray:
    """Labels of another model in the order of the objects of the first; by ids where both were saved with them."""
    labels = subject_of(other).labels
    mine, theirs = (each.saved_.ids if each.saved_ is not None else None for each in (model, other))
    n_objects = model.ensemble_.n_objects
    if mine is None or theirs is None:
        if labels.size != n_objects:
            msg = f"the models have {n_objects} and {labels.size} objects, and not both have ids; give two of the same."
            raise ValueError(msg)
        return labels
    place = {name: i for i, name in enumerate(theirs.tolist())}
    found = np.array([place.get(name, -1) for name in mine.tolist()])
    if (found < 0).all():
        msg = "the two models have no id in common; compare models of the same objects."
        raise ValueError(msg)
    return np.where(found >= 0, labels[found], -1)


def side_by_side(subject: Subject, other: FittedModel) -> dict[str, Any]:
    """Compare the clusters of a report with those of another model.

    ``rows``: a line for every fact with the value of either; ``ari``, ``nmi``, ``n_objects`` in both; ``table`` of
    common objects (clusters of the report by clusters of the other), and ``best``: for every cluster the other one that
    is most like it, with their Jaccard index.
    """
    labels = labels_beside(subject.model, other)
    there = subject_of(other)
    both = (subject.labels >= 0) & (labels >= 0)
    if not both.any():
        msg = "the two models have no object with a label in both; compare models of the same objects."
        raise ValueError(msg)
    a, b = subject.labels[both], labels[both]
    table = count_table(a, b, (subject.n_clusters, there.n_clusters)).toarray()
    either = table.sum(axis=1, keepdims=True) + table.sum(axis=0) - table
    jaccard = table / np.maximum(either, 1)
    shown = table[:_MAX_CLUSTERS, :_MAX_CLUSTERS]
    return {
        "name": "The other model",
        "n_objects": int(both.sum()),
        "ari": round(ari(a, b), 3),
        "nmi": round(nmi(a, b), 3),
        "rows": [list(row) for row in zip(_WORDS, _facts(subject), _facts(there), strict=True)],
        "table": shown.tolist(),
        "best": [[int(row.argmax()), round(float(row.max()), 3)] for row in jaccard[:_MAX_CLUSTERS]],
    }


_WORDS = ("Method", "Clusters", "Objects", "In no cluster", "Base clusterings", "Mean confidence", "Below 0.2", "Made")


def _facts(subject: Subject) -> list[str]:
    made, evidence = subject.model.made_of(), subject.evidence
    n_labelled = int(subject.sizes.sum())
    saved = subject.model.saved_
    return [
        clean(type(made.consensus).__name__),
        f"{subject.n_clusters:,}",
        f"{subject.ensemble.n_objects:,}",
        f"{subject.ensemble.n_objects - n_labelled:,}",
        f"{subject.ensemble.n_partitions:,}",
        f"{float(evidence.confidence_sums.sum()) / n_labelled:.2f}",
        f"{evidence.n_uncertain / n_labelled:.1%}",
        "now" if saved is None else saved.created.replace("T", " ").replace("+00:00", " UTC"),
    ]
