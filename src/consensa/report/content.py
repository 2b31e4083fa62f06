"""Everything a report says, as plain numbers and words: a function of a fitted model, written as JSON or as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.evaluate import ari, nmi
from consensa.evaluate.reliability import table_reliability
from consensa.report.blocks import consensus_blocks
from consensa.report.columns import table_facts
from consensa.report.curves import k_curves
from consensa.report.evidence import base_clusterings, cluster_names, cluster_table, confidence_summary
from consensa.report.flow import flows
from consensa.report.layout import object_map
from consensa.report.made import how_made
from consensa.report.objects import UNCERTAIN
from consensa.report.portrait import portraits
from consensa.report.profile import feature_profile
from consensa.report.singles import run_singles, tell_singles
from consensa.report.splits import cluster_splits
from consensa.report.subject import subject_of
from consensa.report.tested import tested_tree
from consensa.report.text import clean
from consensa.report.tree import condense, tree_of
from consensa.report.versus import labels_beside, side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consensa._types import FittedModel
    from consensa.report.subject import Subject

__all__ = ["report_content"]


def report_content(  # noqa: PLR0913 - all that people may want to add
    model: FittedModel,
    X: Any = None,
    *,
    n_clusters: int | None = None,
    ids: Any = None,
    feature_names: Any = None,
    truth: Any = None,
    others: Mapping[str, Any] | None = None,
    title: str | None = None,
    source: str | None = None,
    partition_names: Any = None,
    compare: FittedModel | None = None,
) -> dict[str, Any]:
    """Collect the evidence for a fitted clustering, bounded in size whatever the number of objects.

    Parameters
    ----------
    model : fitted estimator
        A consensus method, :class:`~consensa.EnsembleClustering`, or another estimator of this package.
    X : array or frame of shape (n_objects, n_features), default=None
        Features, for their profile in every cluster and for a map by their principal components.
    n_clusters : int or None, default=None
        Look at another number of clusters than the fitted one. None for the fitted one; of several, the one that
        agrees best with the base clusterings.
    ids : sequence of n_objects, default=None
        Names of the objects; None for row numbers counted from 0.
    feature_names : sequence of n_features str, default=None
        None for the columns of a frame, or numbers.
    truth : label vector of length n_objects, default=None
        Known classes, to compare with.
    others : dict of label vectors, default=None
        Other clusterings of the same objects by name, to see the flow between them.
    title : str or None, default=None
        Heading of the page.
    source : str or None, default=None
        Where the data came from, for people.
    partition_names : sequence of n_partitions str, default=None
        Names of the base clusterings; None for those of the columns they came in.
    compare : fitted estimator, default=None
        Another model of the same objects, to stand beside this one; matched by ids where both models have them.

    Returns
    -------
    dict
        Plain numbers, strings, lists and dicts, ready for JSON. Clusters are called by their labels, from 0 on.

    Examples
    --------
    >>> from consensa import LWEA
    >>> from consensa.report import report_content
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]])
    >>> content = report_content(model, ids=["u", "v", "w", "x", "y", "z"])
    >>> content["summary"]["n_clusters"], content["clusters"]["size"], content["confidence"]["least"]["id"][:2]
    (2, [3, 3], ['w', 'x'])
    """
    others = dict(others or {})
    if compare is not None:
        others = {"the other model": labels_beside(model, compare), **others}
    subject = subject_of(
        model,
        X,
        n_clusters=n_clusters,
        ids=ids,
        feature_names=feature_names,
        truth=truth,
        others=others,
        partition_names=partition_names,
    )
    runs = run_singles(subject)
    reliability = table_reliability(subject.counts.tables(), subject.ensemble)
    tree = tree_of(subject)
    return {
        "schema": 1,
        "title": clean(title or "Consensus clustering"),
        "summary": _summary(subject, float(reliability.nmi.mean())),
        "made": how_made(subject, source),
        "clusters": {"names": cluster_names(subject), **cluster_table(subject)},
        "portraits": _portraits(subject, n_clusters),
        "table": table_facts(subject.table),
        "map": object_map(subject),
        "confidence": confidence_summary(subject),
        "heatmap": consensus_blocks(subject, tree),
        "tree": {"own": tree.own, "n_objects": int(tree.counts.sum()), **condense(tree, subject.sizes)},
        "choice": k_curves(subject),
        "significance": tested_tree(subject),
        "splits": cluster_splits(subject),
        "singles": tell_singles(subject, runs),
        "compare": None if compare is None else side_by_side(subject, compare),
        "base": base_clusterings(reliability, subject.partition_names),
        "profile": feature_profile(subject),
        "flow": flows(subject, reliability),
    }


def _portraits(subject: Subject, n_clusters: int | None) -> dict[str, Any]:
    """What makes the clusters what they are: by the features, else as the file says that the model came from."""
    kept = subject.model.kept_portraits
    return portraits(subject) if kept is None or subject.features is not None or n_clusters is not None else kept


def _summary(subject: Subject, agreement: float) -> dict[str, Any]:
    n_labelled = int(subject.sizes.sum())
    ensemble = subject.ensemble
    return {
        "n_objects": ensemble.n_objects,
        "n_unlabelled": ensemble.n_objects - n_labelled,
        "n_marked": ensemble.n_labelled - n_labelled,
        "n_clusters": subject.n_clusters,
        "n_partitions": ensemble.n_partitions,
        "n_base_clusters": ensemble.n_base_clusters,
        "n_microclusters": ensemble.n_microclusters,
        "mean_confidence": round(float(subject.evidence.confidence_sums.sum()) / n_labelled, 3),
        "uncertain_below": UNCERTAIN,
        "share_uncertain": round(subject.evidence.n_uncertain / n_labelled, 4),
        "agreement": round(agreement, 3),
        "known_classes": _against_truth(subject),
    }


def _against_truth(subject: Subject) -> dict[str, float] | None:
    if subject.truth is None:
        return None
    both = (subject.labels >= 0) & (subject.truth.codes >= 0)
    if not both.any():
        return None
    found, known = subject.labels[both], subject.truth.codes[both]
    return {"nmi": round(nmi(found, known), 3), "ari": round(ari(found, known), 3)}
