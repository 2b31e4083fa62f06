"""Scale: consensus from disk for growing numbers of objects, through files or a dask cluster, with a worker killed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.scale_data import LARGEST_K, write_labels
from bench.speed import fitted_exponent, run_child
from bench.store import ResultFile, versions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["COLUMNS", "STAGES", "markdown", "scale"]

STAGES = ("labels", "counts", "sums", "number", "assign")
COLUMNS = (
    "method", "backend", "killed", "n_objects", "n_partitions", "n_microclusters", "is_sample", "seconds",
    "cpu_seconds", "rows_per_second", "peak_mib", *(f"{stage}_seconds" for stage in STAGES), "solve_seconds",
    "digest", "versions",
)  # fmt: skip


def scale(
    sizes: Sequence[int],
    folder: Path,
    *,
    method: str,
    backend: str,
    output: Path,
    kill_worker: bool = False,
    largest_k: int | None = None,
) -> list[dict[str, Any]]:
    """Measure one fit per size, each in a fresh process; the label matrices are made in ``folder`` first."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    finest = LARGEST_K[method] if largest_k is None else largest_k
    for n_objects in sizes:
        path = folder / f"k{finest}_{n_objects}.npy"
        write_labels(path, n_objects, largest_k=finest)
        task = {"path": str(path), "method": method, "backend": backend, "kill_worker": kill_worker}
        figures = run_child({"action": "scale", **task})
        row = {"method": method.upper(), "backend": backend, "n_objects": n_objects, **figures}
        ResultFile(output, COLUMNS).append([{**row, "versions": versions()}])
        rows.append(row)
    return rows


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The figures as a table for docs/scale.md, with the fitted exponent."""
    head = ("method", "backend", "objects", "microclusters", "seconds", "rows/s", "peak MiB", *STAGES, "solve")
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        sample = " (sample)" if row["is_sample"] else ""
        cells = [
            row["method"],
            row["backend"] + (", one worker killed" if row["killed"] else ""),
            f"{row['n_objects']:,}",
            f"{row['n_microclusters']:,}{sample}",
            f"{row['seconds']:.1f}",
            f"{row['rows_per_second']:,.0f}",
            f"{row['peak_mib']:.0f}",
            *(f"{row[f'{stage}_seconds']:.1f}" for stage in (*STAGES, "solve")),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    if len(rows) > 1:
        exponent = fitted_exponent([row["n_objects"] for row in rows], [row["seconds"] for row in rows])
        lines.append(f"\nTime grows as n to the power {exponent:.3f}.")
    return "\n".join(lines)
