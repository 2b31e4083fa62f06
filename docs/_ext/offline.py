"""The site loads nothing from anywhere: a page that would is a warning, and so an error of ``make docs``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util.logging import getLogger

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LOADS = re.compile(
    r"<(?:script|img|iframe|source|object|embed)\b[^>]*\s(?:src|srcset|data)=[\"'](?:https?:)?//[^\"']*"
    r"|<link\b[^>]*\bhref=[\"'](?:https?:)?//[^\"']*"
)
_STYLE_LOADS = re.compile(r"(?:url\([\"']?|@import [\"'])(?:https?:)?//[^)\"']*")


def check_pages(app: Sphinx, exception: Exception | None) -> None:
    """Look at every page and style sheet that was written."""
    if exception is not None or app.builder.format != "html":
        return
    logger = getLogger(__name__)
    for suffix, pattern in ((".html", _LOADS), (".css", _STYLE_LOADS)):
        for file in sorted(Path(app.outdir).rglob(f"*{suffix}")):
            for found in pattern.findall(file.read_text(encoding="utf-8")):
                logger.warning("%s loads something from elsewhere: %s", file.relative_to(app.outdir), found)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the check."""
    app.connect("build-finished", check_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
