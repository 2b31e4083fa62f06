"""The page beside single algorithms, and its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.markdown import markdown_table
from studies.single.run import ALGORITHMS, MOST_OBJECTS, OURS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["single_page", "summary_table"]

_KINDS = {"shape": "shapes", "table": "real data"}
INTRODUCTION = f"""# Beside single algorithms

`EnsembleClustering` with its defaults, and what people use instead, on the same features with the true number of
clusters. `python -m studies single --data-dir DIR --page docs/evidence/single.md` computes what the result file lacks
and writes this page.

- *Shapes*: clusters of any form in two and three dimensions (batteries fcps and graves of Gagolewski's benchmark
  suite), all objects, unscaled; noise points are clustered and do not count in the scores.
- *Real data*: tables, images and gene expression, at most {MOST_OBJECTS:,} objects of each, chosen at random once;
  columns standardised where there are fewer than 60.
- Defaults of the packages otherwise; mixtures of 60 and more features have diagonal covariances. HDBSCAN finds its own
  number of clusters, and its noise is one cluster more.
- *time* is processor time of one thread, summed over the data sets, as a multiple of KMeans with ten starts. It was
  measured on a shared machine with the compiled code on disk, so only large differences mean something.
- The default pool and method were designed on the shapes and on the real data, so other data judge them.
"""


def summary_table(rows: Sequence[dict[str, str]]) -> str:
    """Mean scores over the data sets of every algorithm, and its time beside KMeans."""
    header = ["algorithm", "shapes ARI", "shapes NMI", "real data ARI", "real data NMI", "time"]
    base = _seconds(rows, "KMeans, 10 starts")
    lines = []
    for algorithm in ALGORITHMS:
        if any(row["algorithm"] == algorithm for row in rows):
            scores = [_mean(rows, algorithm, kind, score) for kind in _KINDS for score in ("ARI", "NMI")]
            name = f"**{algorithm}**" if algorithm == OURS else algorithm
            lines.append([name, *(f"{score:.3f}" for score in scores), f"{_seconds(rows, algorithm) / base:.1f}"])
    return markdown_table(header, lines)


def single_page(rows: Sequence[dict[str, str]]) -> str:
    """Return the page of all rows."""
    parts = [INTRODUCTION, "## Means over the data sets\n", summary_table(rows), ""]
    for kind, title in _KINDS.items():
        algorithms = [name for name in ALGORITHMS if any(row["algorithm"] == name for row in rows)]
        names = list(dict.fromkeys(row["dataset"] for row in rows if row["kind"] == kind))
        lines = [[name, *(f"{_mean(rows, each, kind, 'ARI', name):.2f}" for each in algorithms)] for name in names]
        parts += [f"## ARI on {title}\n", markdown_table(["data set", *algorithms], lines), ""]
    runs = len({row["run"] for row in rows})
    of_runs = "One run" if runs == 1 else f"Means of {runs} runs with different seeds"
    made_by = sorted({row["versions"] for row in rows})
    parts.append(f"{of_runs}. Computed by: {'; '.join(made_by)}.\n")
    return "\n".join(parts)


def _mean(rows: Sequence[dict[str, str]], algorithm: str, kind: str, score: str, dataset: str | None = None) -> float:
    """Mean over the runs of a data set, or of all data sets."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row["algorithm"] == algorithm and row["kind"] == kind and dataset in (None, row["dataset"]):
            found.setdefault(row["dataset"], []).append(float(row[score]))
    return float(np.mean([np.mean(values) for values in found.values()])) if found else float("nan")


def _seconds(rows: Sequence[dict[str, str]], algorithm: str) -> float:
    return sum(float(row["seconds"]) for row in rows if row["algorithm"] == algorithm)
