"""Coloured squares of the pages of evidence as marks of different shape: few systems have a font for the squares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_MARKS = {"🟦": ("▲", "above"), "🟩": ("●", "near"), "🟨": ("◆", "below"), "🟥": ("▼", "far"), "⬜": ("○", "open")}
_SQUARE = re.compile(f"([{''.join(_MARKS)}])")


def draw_marks(app: Sphinx, doctree: nodes.document) -> None:
    """Replace the squares of running text; code stays as it is."""
    for text in list(doctree.findall(nodes.Text)):
        if not _SQUARE.search(text) or isinstance(text.parent, (nodes.literal, nodes.literal_block)):
            continue
        pieces = [_node(piece) for piece in _SQUARE.split(text) if piece]
        text.parent.replace(text, pieces)


def _node(piece: str) -> nodes.Node:
    if piece not in _MARKS:
        return nodes.Text(piece)
    shape, name = _MARKS[piece]
    return nodes.inline("", shape, classes=["mark", f"mark-{name}"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hook."""
    app.connect("doctree-read", draw_marks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
