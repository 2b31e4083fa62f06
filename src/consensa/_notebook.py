"""Small frames for notebooks: plain HTML, kept apart from the page around it, without any script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["in_frame", "page_of", "table_summary"]

_MAX_ROWS = 40
_STYLE = (
    "body{margin:0;font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;color:#18202b}"
    "h1{font-size:16px;margin:0 0 2px}p{margin:0 0 8px;color:#566273}"
    ".row{display:flex;align-items:center;gap:8px;height:18px}.row b{width:2em;text-align:right;font-weight:500}"
    ".row i{display:block;height:10px;border-radius:3px;background:#0b5fa5}.row span{color:#566273}"
    "table{border-collapse:collapse;margin:0 0 8px;font-size:13px}td,th{padding:0 8px;height:20px;text-align:right}"
    "td:first-child,th:first-child{text-align:left;padding-left:0}th{color:#566273;font-weight:500}"
    "@media(prefers-color-scheme:dark){body{color:#e6ebf1}p,th,.row span{color:#9fabba}.row i{background:#63b3f3}}"
)


def table_summary(title: str, rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Return an HTML frame with a table, its header first and notes below it; of many rows, the first are shown.

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
    return in_frame(page_of(f"<h1>{escape(title)}</h1><table>{''.join(lines)}</table>{told}"), title, height)


def in_frame(page: str, title: str, height: int, allowed: str = "") -> str:
    """Return a frame that shows a page and keeps it apart from the notebook around it.

    ``allowed`` is what the page may do, in the words of the attribute ``sandbox``; the title is for those who hear it.

    Examples
    --------
    >>> in_frame("<p>a & b</p>", "Two", 20)[:44]
    '<iframe sandbox="" title="Two" width="100%" '
    """
    return (
        f'<iframe sandbox="{escape(allowed)}" title="{escape(title)}" width="100%" height="{height}" frameborder="0" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def page_of(body: str) -> str:
    """Return a page around some HTML."""
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{_STYLE}</style><body>{body}</body></html>'
