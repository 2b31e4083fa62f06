"""The pages of the documentation list what there is, and their links lead somewhere."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import consensa
from consensa import EnsembleClustering, consensus
from consensa.cli.parser import build_parser
from consensa.methods import FEATURE_METHODS, METHODS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
READMES = [ROOT / folder / "README.md" for folder in ("bench", "studies")]
OUR_MARKDOWN = [
    path
    for path in sorted({*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *READMES})
    if "_build" not in path.parts and path.parent != DOCS / "gallery"
]


def test_the_default_method_is_named():
    name = inspect.signature(consensus).parameters["method"].default
    assert inspect.signature(EnsembleClustering).parameters["method"].default == name
    assert build_parser().parse_args(["run", "x.csv", "-k", "2"]).method == name
    page = (DOCS / "which_method.md").read_text(encoding="utf-8")
    assert f"The default is `{name}` (`{METHODS[name].estimator}`)" in page


def test_the_reference_lists_every_public_name():
    rooms = [name for name in consensa.__all__ if inspect.ismodule(getattr(consensa, name))]
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.rst")}
    top = _listed(pages["index"]) | _listed(pages["estimators"])
    assert top == set(consensa.__all__) - set(rooms)
    assert set(rooms) <= set(pages)
    for room in rooms:
        assert _listed(pages[room]) == set(import_module(f"consensa.{room}").__all__), f"docs/api/{room}.rst"
        assert re.search(rf"^   {room}$", pages["index"], re.MULTILINE), f"docs/api/index.rst: {room}"


def _listed(page: str) -> set[str]:
    """Names in the tables of a page, and those described by hand."""
    tables = re.findall(r"^\.\. autosummary::\n(?:   :.*\n)*\n((?:   \S+\n)+)", page, re.MULTILINE)
    names = {line.split(".")[-1] for table in tables for line in table.split()}
    return names | set(re.findall(r"^\.\. py:data:: (\w+)$", page, re.MULTILINE))


def test_every_paper_has_an_entry():
    bibliography = (DOCS / "references.bib").read_text(encoding="utf-8")
    entries = re.findall(r"^@\w+\{(\w+),.*\}\}$", bibliography, re.MULTILINE)
    assert len(entries) == len(set(entries)) == bibliography.count("\n@")
    known = {doi.lower() for doi in re.findall(r"doi = \{([^{}]+)\}", bibliography)}
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    mentioned = {doi for text in sources for doi in re.findall(r"https://doi\.org/(10\.\S+?)[.,;]?(?=\s|\"|$)", text)}
    registered = {method.doi for method in (*METHODS.values(), *FEATURE_METHODS.values())}
    assert {doi.lower() for doi in mentioned | registered} <= known


@pytest.mark.parametrize("path", OUR_MARKDOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        if target.startswith(("http://", "https://", "mailto:")):
            assert re.fullmatch(r"https://\S+", target), target
            continue
        file, _, heading = target.partition("#")
        found = (path.parent / file) if file else path
        assert found.exists(), target
        if heading:
            assert heading in _headings(found), target


def _headings(path: Path) -> set[str]:
    """Anchors as repositories of Markdown make them."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
