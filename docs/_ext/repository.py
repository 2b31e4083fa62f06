"""Pages that live elsewhere in the repository, and links to them.

Markdown files keep the relative links that work in the repository. Here a page named in ``repository_pages`` shows
the file it stands for, links between such files lead to their pages, and DOI links in the table of methods get the
number of the reference. Patterns of tables of contents that match nothing are dropped.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pybtex.database import parse_file

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_FOLDER = re.compile(r"^(?P<folder>[\w./]+/)?\*$\n", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?P<path>[^)#\s:]+)(?P<rest>#[^)\s]*)?(?=\))")
_DOI_LINK = re.compile(r"\]\(https://doi\.org/(?P<doi>[^)\s]+(?:\([^)\s]*\)[^)\s]*)?)\)")


def read_source(app: Sphinx, docname: str, source: list[str]) -> None:
    """Show the file a page stands for, and turn its links."""
    if app.env.doc2path(docname).suffix != ".md":
        return
    docs = Path(app.srcdir)
    home = docs / docname
    shown = app.config.repository_pages.get(docname)
    if shown and (docs.parent / shown).exists():
        home = docs.parent / shown
        app.env.note_dependency(home)
        source[0] = home.read_text(encoding="utf-8")
    source[0] = _FOLDER.sub(lambda line: _folder(app, docname, line), source[0])
    source[0] = _LINK.sub(lambda link: _target(app, docname, home.parent, link), source[0])
    if docname == "methods":
        source[0] = _DOI_LINK.sub(lambda link: _cited(app, link), source[0])


def _folder(app: Sphinx, docname: str, line: re.Match[str]) -> str:
    """Drop a pattern such as ``evidence/*`` from a table of contents while the folder is empty."""
    page = Path(app.srcdir) / f"{docname}.md"
    if any(file != page for file in (page.parent / (line["folder"] or ".")).glob("*.md")):
        return line[0]
    app.env.note_reread()
    return ""


def _target(app: Sphinx, docname: str, folder: Path, link: re.Match[str]) -> str:
    """Return the link as seen from the page: repository files that are pages become those."""
    docs = Path(app.srcdir)
    file = Path(os.path.normpath(folder / link["path"]))
    pages = {docs.parent / path: docs / f"{name}.md" for name, path in app.config.repository_pages.items()}
    pages[docs.parent / app.config.repository_front_page] = docs / "index.md"
    file = pages.get(file, file)
    if not file.exists():
        return link[0]
    return Path(os.path.relpath(file, (docs / docname).parent)).as_posix() + (link["rest"] or "")


def _cited(app: Sphinx, link: re.Match[str]) -> str:
    return f"{link[0]} {{cite}}`{app.doi_keys[link['doi'].lower()]}`"


def read_bibliography(app: Sphinx) -> None:
    """Keep the key of every DOI."""
    entries = parse_file(str(Path(app.srcdir) / "references.bib")).entries
    app.doi_keys = {entry.fields["doi"].lower(): key for key, entry in entries.items() if "doi" in entry.fields}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks."""
    app.add_config_value("repository_pages", {}, "env")
    app.add_config_value("repository_front_page", "README.md", "env")
    app.connect("builder-inited", read_bibliography)
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
