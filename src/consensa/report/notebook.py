"""Short summaries for notebooks: plain HTML in a frame of its own, without any script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from consensa._notebook import in_frame, page_of
from consensa.report.subject import subject_of

if TYPE_CHECKING:
    from consensa._types import FittedModel

__all__ = ["notebook_summary"]

_MAX_CLUSTERS = 12
_MAX_LABELS = 20_000_000  # of n x M; above, the confidence takes longer than people wait for an output


def notebook_summary(model: FittedModel) -> str:
    """Return an HTML frame with the clusters of a fitted model and their sizes.

    The frame is sandboxed: nothing in it can run or reach the notebook around it.

    Examples
    --------
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> "2 clusters in 6 objects" in notebook_summary(model)
    True
    """
    subject = subject_of(model)
    ensemble, sizes = subject.ensemble, subject.sizes
    facts = [f"{ensemble.n_partitions} base clusterings combined by {type(model.made_of().consensus).__name__}"]
    if ensemble.n_objects * ensemble.n_partitions <= _MAX_LABELS:
        facts.append(f"mean confidence {subject.evidence.confidence_sums.sum() / sizes.sum():.2f}")
    n_unlabelled = ensemble.n_objects - int(sizes.sum())
    if n_unlabelled:
        facts.append(f"{n_unlabelled:,} objects without any label")
    rows = [_row(c, int(size), size / sizes.max()) for c, size in enumerate(sizes[:_MAX_CLUSTERS])]
    if sizes.size > _MAX_CLUSTERS:
        rows.append(f"<p>and {sizes.size - _MAX_CLUSTERS} smaller clusters</p>")
    body = (
        f"<h1>{sizes.size} clusters in {ensemble.n_objects:,} objects</h1>"
        f"<p>{escape('; '.join(facts))}. model.report() shows the evidence, model.report(&quot;report.html&quot;) "
        f"writes it.</p>{''.join(rows)}"
    )
    height = 62 + 18 * min(sizes.size, _MAX_CLUSTERS) + (26 if sizes.size > _MAX_CLUSTERS else 0)
    return in_frame(page_of(body), "Summary of the clustering", height)


def _row(cluster: int, size: int, share: float) -> str:
    width = max(1, round(320 * share))
    return f'<div class="row"><b>{cluster}</b><i style="width:{width}px"></i><span>{size:,}</span></div>'
