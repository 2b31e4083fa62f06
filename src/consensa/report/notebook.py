"""Short summaries for notebooks: plain HTML in a frame of its own, without any script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.report.subject import subject_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.ensemble import Ensemble

__all__ = ["ensemble_summary", "in_frame", "notebook_summary", "table_summary"]

_MAX_CLUSTERS = 12
_MAX_ROWS = 40
_MAX_LABELS = 20_000_000  # of n x M; above, the confidence takes longer than people wait for an output
_STYLE = (
    "body{margin:0;font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;color:#18202b}"
    "h1{font-size:16px;margin:0 0 2px}p{margin:0 0 8px;color:#566273}"
    ".row{display:flex;align-items:center;gap:8px;height:18px}.row b{width:2em;text-align:right;font-weight:500}"
    ".row i{display:block;height:10px;border-radius:3px;background:#0b5fa5}.row span{color:#566273}"
    "table{border-collapse:collapse;margin:0 0 8px;font-size:13px}td,th{padding:0 8px;height:20px;text-align:right}"
    "td:first-child,th:first-child{text-align:left;padding-left:0}th{color:#566273;font-weight:500}"
    "@media(prefers-color-scheme:dark){body{color:#e6ebf1}p,th,.row span{color:#9fabba}.row i{background:#63b3f3}}"
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
        f"<p>{escape('; '.join(facts))}. model.report() shows the evidence, model.report(&quot;report.html&quot;) "
        f"writes it.</p>{''.join(rows)}"
    )
    height = 62 + 18 * min(sizes.size, _MAX_CLUSTERS) + (26 if sizes.size > _MAX_CLUSTERS else 0)
    return in_frame(_page(body), "Summary of the clustering", height)


def ensemble_summary(ensemble: Ensemble) -> str:
    """Return an HTML frame with the base clusterings of an ensemble and their numbers of clusters.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    str

    Examples
    --------
    >>> from consensa import Ensemble
    >>> "2 base clusterings of 4 objects" in ensemble_summary(Ensemble([[0, 0, 1, 1], ["a", "b", "c", "c"]]))
    True
    """
    rows = [["base clustering", "clusters"]]
    rows += [[name, f"{n:,}"] for name, n in zip(ensemble.names, np.diff(ensemble.offsets), strict=True)]
    if ensemble.leads is None:  # otherwise the rows at hand are only a sample
        absent = ensemble.sizes @ (ensemble.labels < 0) + (ensemble.n_objects - ensemble.n_labelled)
        told = ["objects without a label", *(f"{number:,}" for number in absent)]
        rows = [[*row, cell] for row, cell in zip(rows, told, strict=True)]
    note = f"{ensemble.n_base_clusters:,} clusters, {ensemble.n_microclusters:,} distinct rows of labels."
    return table_summary(f"{ensemble.n_partitions:,} base clusterings of {ensemble.n_objects:,} objects", rows, [note])


def table_summary(title: str, rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Return an HTML frame with a table.

    Parameters
    ----------
    title : str
    rows : sequence of rows of cells
        The header first; of many rows, the first are shown.
    notes : sequence of str, default=()
        Sentences below the table.

    Returns
    -------
    str

    Examples
    --------
    >>> "&lt;td&gt;a &amp;lt; b&lt;/td&gt;" in table_summary("Two cells", [["sign", "number"], ["a < b", "1"]])
    True
    """
    header, *body = ([escape(str(cell)[:80]) for cell in row] for row in rows[: _MAX_ROWS + 1])
    lines = [f"<tr><th>{'</th><th>'.join(header)}</th></tr>"]
    lines += [f"<tr><td>{'</td><td>'.join(cells)}</td></tr>" for cells in body]
    hidden = len(rows) - 1 - len(body)
    below = [*([f"and {hidden:,} more rows"] if hidden else []), *notes]
    told = "".join(f"<p>{escape(note[:400])}</p>" for note in below)
    height = 40 + 21 * len(lines) + 30 * len(below) + 21 * sum(len(note[:400]) // 110 for note in below)
    return in_frame(_page(f"<h1>{escape(title)}</h1><table>{''.join(lines)}</table>{told}"), title, height)


def in_frame(page: str, title: str, height: int, allowed: str = "") -> str:
    """Return a frame that shows a page and keeps it apart from the notebook around it.

    Parameters
    ----------
    page : str
        HTML.
    title : str
        For those who hear the page.
    height : int
        In pixels.
    allowed : str, default=""
        What the page may do, in the words of the attribute ``sandbox``: nothing by default.

    Returns
    -------
    str

    Examples
    --------
    >>> in_frame("<p>a & b</p>", "Two", 20)[:44]
    '<iframe sandbox="" title="Two" width="100%" '
    """
    return (
        f'<iframe sandbox="{escape(allowed)}" title="{escape(title)}" width="100%" height="{height}" frameborder="0" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def _page(body: str) -> str:
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{_STYLE}</style><body>{body}</body></html>'


def _row(cluster: int, size: int, share: float) -> str:
    width = max(1, round(320 * share))
    return f'<div class="row"><b>{cluster + 1}</b><i style="width:{width}px"></i><span>{size:,}</span></div>'
