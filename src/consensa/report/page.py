"""One self-contained page: the content as JSON inside it, drawn by a script it carries, under a strict policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from consensa import __version__
from consensa.report.text import embed_json

__all__ = ["MAX_BYTES", "render_page"]

MAX_BYTES = 500_000
_SCRIPTS = ("core.js", "save.js", "charts.js", "views.js", "beside.js", "main.js")


def render_page(content: dict[str, Any]) -> str:
    """Write the content of a report as an HTML page that loads nothing.

    Parameters
    ----------
    content : dict
        From :func:`~consensa.report.report_content`.

    Returns
    -------
    str
        Below 500 KB in UTF-8. Where long names would make it larger, the map shows fewer objects.

    Examples
    --------
    >>> from consensa import LWEA
    >>> from consensa.report import report_content
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]])
    >>> page = render_page(report_content(model, title="<b>Six</b> objects"))
    >>> page.startswith("<!doctype html>"), "<b>" in page
    (True, False)
    """
    page = _render(content)
    while len(page.encode()) > MAX_BYTES and content["map"]["n_shown"] > 1:
        content = {**content, "map": _thinner(content["map"])}
        page = _render(content)
    return page


def _render(content: dict[str, Any]) -> str:
    style = _asset("page.css")
    script = f'"use strict";(() => {{\n{"".join(map(_asset, _SCRIPTS))}}})();'
    summary = content["summary"]
    return Template(_asset("page.html")).substitute(
        policy=(
            f"default-src 'none'; img-src data:; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
        version=escape(__version__),
        title=escape(content["title"]),
        style=style,
        plain=f"{summary['n_clusters']} clusters in {summary['n_objects']} objects.",
        data=embed_json(content),
        script=script,
    )


def _thinner(shown: dict[str, Any]) -> dict[str, Any]:
    """Every second object of the map."""
    layouts = [{**layout, "x": layout["x"][::2], "y": layout["y"][::2]} for layout in shown["layouts"]]
    thinned = {name: shown[name][::2] for name in ("cluster", "confidence", "id")}
    return {**shown, **thinned, "n_shown": len(thinned["id"]), "layouts": layouts}


@cache
def _asset(name: str) -> str:
    return files("consensa.report").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
