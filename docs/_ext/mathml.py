"""Formulas as MathML, made when the pages are built: no script and no font is loaded to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math-block">{convert(_aligned(node.astext()), display="block")}</div>')
    raise nodes.SkipNode


def _aligned(formula: str) -> str:
    """Lines that are aligned by & need an environment to be aligned in."""
    if "\\\\" in formula and "\\begin" not in formula:
        return f"\\begin{{aligned}}{formula}\\end{{aligned}}"
    return formula


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
