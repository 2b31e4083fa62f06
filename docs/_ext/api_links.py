"""Names of the public interface that stand as code in a Markdown page lead to their entry of the reference."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import ismodule
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

import consensa

if TYPE_CHECKING:
    from sphinx.application import Sphinx


_DOI_AT_END = re.compile(r"https://doi\.org/\S+$")


def public_names() -> dict[str, str]:
    """Return the full name of every public object by each name under which a page may mention it."""
    names: dict[str, str] = {}
    rooms = [name for name in consensa.__all__ if ismodule(getattr(consensa, name))]
    for module in ("consensa", *(f"consensa.{room}" for room in rooms)):
        for name in import_module(module).__all__:
            if name in rooms or name.startswith("_"):
                continue
            full = f"{module}.{name}"
            names.setdefault(name, full)
            names[full] = full
    return names


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Wrap literals such as ``LWEA`` into references; titles and links stay as they are."""
    if app.env.doc2path(app.env.docname).suffix != ".md":
        return
    for literal in list(doctree.findall(nodes.literal)):
        full = app.public_names.get(literal.astext().removesuffix("()"))
        if full is None or _inside(literal):
            continue
        reference = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=full, refexplicit=True, refwarn=True, refdoc=app.env.docname
        )
        literal.replace_self(reference)
        reference += literal


def _inside(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.title, nodes.reference, addnodes.pending_xref)):
            return True
    return False


def resolve(app: Sphinx, env: object, node: addnodes.pending_xref, content: nodes.Element) -> nodes.Element | None:
    """Find names of another room: docstrings mention them without their room."""
    full = app.public_names.get(node.get("reftarget", "").rsplit(".", 1)[-1])
    if node.get("refdomain") != "py" or full is None or full == node["reftarget"]:
        return None
    domain = app.env.get_domain("py")
    return domain.resolve_xref(app.env, node["refdoc"], app.builder, "obj", full, node, content)


def forget_old_pages(app: Sphinx) -> None:
    """Remove generated pages of names that are public no longer."""
    for page in (Path(app.srcdir) / "api" / "generated").glob("*.rst"):
        if page.stem not in app.public_names:
            page.unlink()


def part_references(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Begin a paragraph after every DOI of a docstring's references, so that they do not run together."""
    if "References" not in lines:
        return
    start = lines.index("References")
    lines[start:] = [part for line in lines[start:] for part in ((line, "") if _DOI_AT_END.search(line) else (line,))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks."""
    app.public_names = public_names()
    app.connect("autodoc-process-docstring", part_references, priority=100)  # before numpydoc reads them
    app.connect("builder-inited", forget_old_pages, priority=100)  # before autosummary writes them
    app.connect("doctree-read", link_names)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
