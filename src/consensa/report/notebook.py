"""A short summary of a fitted model for notebooks: plain HTML in a frame of its own, without any script."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from consensa.report.subject import subject_of

__all__ = ["notebook_summary"]

_MAX_CLUSTERS = 12
_MAX_LABELS = 20_000_000  # of n x M; above, the confidence takes longer than people wait for an output
_STYLE = (
    "body{margin:0;font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;color:#18202b}"
    "h1{font-size:16px;margin:0 0 2px}p{margin:0 0 8px;color:#566273}"
    ".row{display:flex;align-items:center;gap:8px;height:18px}.row b{width:2em;text-align:right;font-weight:500}"
    ".row i{display:block;height:10px;border-radius:3px;background:#0b5fa5}.row span{color:#566273}"
    "@media(prefers-color-scheme:dark){body{color:#e6ebf1}p,.row span{color:#9fabba}.row i{background:#63b3f3}}"
)


def notebook_summary(model: Any) -> str:
    """Return an HTML frame with the clusters of a fitted model and their sizes.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    str
        A sandboxed frame: nothing in it can run or reach the notebook around it.

    Examples
    --------
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> "2 clusters in 6 objects" in notebook_summary(model)
    True
    """
    subject = subject_of(model)
    ensemble, sizes = subject.ensemble, subject.sizes
    facts = [f"{ensemble.n_partitions} base clusterings combined by {type(subject.consensus).__name__}"]
    if ensemble.n_objects * ensemble.n_partitions <= _MAX_LABELS:
        facts.append(f"mean confidence {np.mean(subject.confidence[subject.labels >= 0]):.2f}")
    n_unlabelled = int(np.count_nonzero(subject.labels < 0))
    if n_unlabelled:
        facts.append(f"{n_unlabelled:,} objects without any label")
    rows = [_row(c, int(size), size / sizes.max()) for c, size in enumerate(sizes[:_MAX_CLUSTERS])]
    if sizes.size > _MAX_CLUSTERS:
        rows.append(f"<p>and {sizes.size - _MAX_CLUSTERS} smaller clusters</p>")
    body = (
        f"<h1>{sizes.size} clusters in {ensemble.n_objects:,} objects</h1>"
        f"<p>{escape('; '.join(facts))}. model.report(&quot;report.html&quot;) shows the evidence.</p>{''.join(rows)}"
    )
    height = 62 + 18 * min(sizes.size, _MAX_CLUSTERS) + (26 if sizes.size > _MAX_CLUSTERS else 0)
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{_STYLE}</style><body>{body}</body></html>'
    return (
        f'<iframe sandbox title="Summary of the clustering" width="100%" height="{height}" frameborder="0" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def _row(cluster: int, size: int, share: float) -> str:
    width = max(1, round(320 * share))
    return f'<div class="row"><b>{cluster + 1}</b><i style="width:{width}px"></i><span>{size:,}</span></div>'
