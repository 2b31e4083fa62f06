"""The overview of all pages, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from studies.evidence.cells import LEVELS, count_levels
from studies.evidence.page import SUMMARY, summary_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studies.evidence.collect import Section
    from studies.evidence.papers import Page

__all__ = ["overview"]

_INTRODUCTION = """\
# Evidence

The tables and figures of five papers, computed again with consensa and put beside the published figures. The draws
behind them are kept in `draws/`: one line per table, data set, method, setting, k rule and metric, with the values of
all draws, the seed, the parameters and the versions. Whoever computes more goes on from there.

- [speed.md](speed.md): time and memory of every method on growing n.
- [default.md](default.md): how the default of `EnsembleClustering` and `consensus()` was chosen.
- [leaderboard.md](leaderboard.md): every method on the same draws, rows shuffled.
- [rivals.md](rivals.md): other packages on the same ensembles.
- [single.md](single.md): the default beside single algorithms, on features.
- [tables.md](tables.md): mixed tables with gaps, against the usual ways to cluster them.
"""

_AGAIN = """\
## Again

In a clone of this repository, with the data directory `DIR` (pools of base clusterings, data sets, published figures):

```
make evidence DATA=DIR RUNS=20
```

makes the environment and does the following, each of which can be called by itself:

```
python -m studies make-pool --data-dir DIR             # pools that paper 001 has not published
python -m studies draws --drop --data-dir DIR          # one kept draw of every method again; what differs is dropped
python -m studies reproduce --paper all --data-dir DIR # every table and figure, from the kept draws on, into results/
python -m studies evidence --data-dir DIR              # these pages, and results/ into the kept draws
```

`--quick` is a first look in minutes; `--runs 100 --best-k-runs 100` are the runs of most papers; `--paper 000 --table V
--sets VS MF --methods LWEA EAC` is a part. A larger `--runs` later computes only what is missing. `draws --forget LWGP`
has a method computed anew, `reproduce --fresh` everything.

`reproduce` can be stopped at any time and goes on where it was. The draws and the seeds of the methods depend on the
seed, the data set and the run only, so the same versions give the same scores whatever `--jobs` is. The same draws give
the same pages, byte by byte.
"""


def overview(
    pages: Mapping[str, Page],
    sections: Mapping[str, Sequence[Section]],
    results: Mapping[str, Sequence[Mapping[str, str]]],
) -> str:
    """Write the overview: one table of all comparisons, what was run, and how to run it again.

    Parameters
    ----------
    pages : dict of Page by number
    sections : dict of sections by number
        What is on the pages.
    results : dict of rows by number
        Of the result files.
    """
    rows = [
        [f"[{number}](paper{number}.md)", *row]
        for number, page in pages.items()
        for section in sections[number]
        for row in summary_rows(section)
    ]
    levels = count_levels(each for found in sections.values() for section in found for each in section.compared)
    total = sum(levels.values())
    said = ""
    if total:
        parts = ", ".join(f"{LEVELS[name]} {count} ({count / total:.0%})" for name, count in levels.items())
        said = f"All {total} comparisons with a published figure: {parts}.\n"
    papers = "\n".join(
        f"- [Paper {number}](paper{number}.md): {page.title}. [doi](https://doi.org/{page.doi})"
        for number, page in pages.items()
    )
    table = markdown_table(("paper", *SUMMARY), rows, left=5)
    ran = _what_was_run(results)
    return f"{_INTRODUCTION}\n{papers}\n\n## All tables\n\n{said}\n{table}\n\n{_LEGEND}\n\n{ran}\n\n{_AGAIN}"


def _what_was_run(results: Mapping[str, Sequence[Mapping[str, str]]]) -> str:
    """Count the runs of every paper."""
    rows = []
    for number, found in results.items():
        runs = {
            (row["table"], row["dataset"], row["method"], row["setting"], row["k_rule"], row["run"]) for row in found
        }
        rows.append([
            f"[{number}](paper{number}.md)", f"{len(runs):,}", str(len({row["dataset"] for row in found})),
            str(len({row["method"] for row in found})), str(len({row["run"] for row in found})),
        ])  # fmt: skip
    table = markdown_table(("paper", "results", "data sets", "methods", "most runs of a cell"), rows)
    return (
        f"## What was run\n\nA result is one method with one setting and k rule on one draw of one data set.\n\n{table}"
    )


_LEGEND = (
    f"{LEVELS['agrees']} agrees: within the tolerance of the published figure (0.02 to 0.03, each page says which; "
    f"less for small figures) or 2 standard errors; {LEVELS['better']} better, {LEVELS['worse']} worse by more than "
    "both. Cells that could not be worse whatever was found do not count. *Data sets* and *methods*: with runs, of "
    "those published. *Runs*: per cell. *Cells*: with a colour. *Mean difference*: ours "
    "less published, over these."
)
