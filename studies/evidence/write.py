"""Write all pages with their figures and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import find_data_dir
from studies.evidence.collect import collect, merge
from studies.evidence.drawings import draw
from studies.evidence.earlier import read_earlier, write_earlier
from studies.evidence.illustrations import ILLUSTRATIONS
from studies.evidence.markdown import details
from studies.evidence.overview import overview
from studies.evidence.page import detail_file, page_text
from studies.evidence.papers import PAGES
from studies.evidence.rows import read_rows
from studies.reproduce.draws import DRAWS, read_draws, unite, write_draws
from studies.reproduce.papers import get_paper

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from studies.evidence.collect import Section
    from studies.evidence.earlier import Earlier
    from studies.evidence.papers import Page

__all__ = ["add_evidence", "write_page", "write_pages"]


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``python -m studies evidence``."""
    parser.set_defaults(command=_evidence)
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="folder with paper<P>.csv (default results)"
    )
    parser.add_argument("--output", type=Path, default=DRAWS.parent, help="folder of the pages, with draws/ in it")


def _evidence(options: argparse.Namespace) -> None:
    folders = options.results, options.output / DRAWS.name
    if not any((folder / f"paper{number}.csv").is_file() for folder in folders for number in PAGES):
        msg = f"{options.results} holds no paper<P>.csv: run `python -m studies reproduce` first, or give --results."
        raise ValueError(msg)
    write_pages(find_data_dir(options.data_dir), options.results, options.output)
    print(f"Pages: {options.output / 'README.md'}")


def write_pages(data_dir: Path, results: Path, output: Path) -> None:
    """Write the page of every paper and the overview; new results join the draws that are kept beside the pages."""
    (output / "data").mkdir(parents=True, exist_ok=True)
    draws = output / DRAWS.name
    rows = {number: unite(read_rows(results / f"paper{number}.csv"), read_draws(draws, number)) for number in PAGES}
    write_draws(draws, rows)
    earlier = read_earlier(draws)
    sections = {number: write_page(page, rows[number], data_dir, output, earlier) for number, page in PAGES.items()}
    (output / "README.md").write_text(overview(PAGES, sections, rows), encoding="utf-8")
    write_earlier(
        draws,
        ((number, each) for number, found in sections.items() for section in found for each in section.comparisons),
    )


def write_page(
    page: Page, rows: Sequence[dict[str, str]], data_dir: Path, output: Path, earlier: Earlier | None = None
) -> list[Section]:
    """Write one page with its figures and data, and return what is on it."""
    for old in (*output.glob(f"paper{page.number}_*.svg"), *(output / "data").glob(f"{page.number}_*.csv")):
        old.unlink()
    sections = collect(get_paper(page.number), rows, data_dir, page.tolerance, earlier)
    comparisons = [each for section in sections for each in section.comparisons]
    if page.merged:
        together = [section for section in sections if section.name in page.merged]
        others = [section for section in sections if section.name not in page.merged]
        sections = [merge(together, f"{page.merged[0]}-{page.merged[-1]}", "every data set"), *others]
    figures = []
    for drawing in page.drawings:
        file = f"paper{page.number}_{drawing.name}.svg"
        runs = draw(drawing, comparisons, page.own, output / file)
        if runs:
            figures.append((file, drawing.title, f"{runs} {drawing.note}".strip()))
    for name, title, illustrate in ILLUSTRATIONS.get(page.number, ()) if rows else ():
        file = f"paper{page.number}_{name}.svg"
        figures.append((file, title, illustrate(output / file)))
    for section in (each for each in sections if each.comparisons):
        (output / detail_file(page, section)).write_text(details(section.comparisons), encoding="utf-8")
    versions = sorted({row["versions"] for row in rows})
    (output / f"paper{page.number}.md").write_text(page_text(page, sections, versions, figures), encoding="utf-8")
    return sections
