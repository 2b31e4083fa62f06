"""Scale: consensus from disk for growing numbers of objects, through files or a dask cluster, with a worker killed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.scale.data import LARGEST_K, write_labels
from bench.speed.processes import fitted_exponent, run_child
from bench.store import ResultFile, versions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["COLUMNS", "STAGES", "estimate", "markdown", "scale"]

STAGES = ("labels", "counts", "sums", "number", "assign")
COLUMNS = (
    "method", "backend", "killed", "n_objects", "n_partitions", "n_microclusters", "is_sample", "seconds",
    "cpu_seconds", "rows_per_second", "peak_mib", *(f"{stage}_seconds" for stage in STAGES), "solve_seconds",
    "digest", "versions",
)  # fmt: skip
WORKERS = 2  # of the dask cluster, one thread each
LARGER = (10**9, 10**10)


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
    """The figures as a table for docs/scale.md, with growth, processor time and, from dask, the estimate for more."""
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
    return "\n".join([*lines, *_growth(rows), *_processor_time(rows), *_estimates(rows)])


def estimate(
    row: dict[str, Any], n_objects: int, *, machines: int = 16, cores: int = 8, bytes_per_second: float = 5e8
) -> dict[str, float]:
    """Return bytes and seconds for more objects on more machines, from one run on dask whose k-means saw a sample.

    Passes over the rows grow with the objects and are shared by all cores; what is solved in one place stays as it is.
    Labels are read once per pass at the given speed per machine. Networks and waiting for the last task do not count.
    """
    size = n_objects * row["n_partitions"]  # one byte per label
    passes = sum(row[f"{stage}_seconds"] > 0 for stage in STAGES)
    core_seconds = (row["seconds"] - row["solve_seconds"]) * WORKERS * n_objects / row["n_objects"]
    seconds = {
        "read": passes * size / (machines * bytes_per_second),
        "compute": core_seconds / (machines * cores),
        "solve": row["solve_seconds"],
    }
    return {"bytes": size, "passes": passes, "core_seconds": core_seconds, **seconds, "together": sum(seconds.values())}


def _growth(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for what, column, counted in (
        ("Time", "seconds", rows),
        ("The number of microclusters", "n_microclusters", [row for row in rows if not row["is_sample"]]),
    ):
        if len(counted) > 1:
            sizes = [row["n_objects"] for row in counted]
            exponent = fitted_exponent(sizes, [row[column] for row in counted])
            between = f"from {min(sizes):,} to {max(sizes):,} objects"
            lines.append(f"\n{what} grows as n to the power {exponent:.3f} {between}.")
    return lines


def _processor_time(rows: Sequence[dict[str, Any]]) -> list[str]:
    here = [row for row in rows if row["backend"] != "dask"]  # the workers of dask are other processes
    if not here:
        return []
    row = max(here, key=lambda row: row["n_objects"])
    seconds = 1e6 * row["cpu_seconds"] / row["n_objects"]
    return [f"\nProcessor time with {row['n_objects']:,} objects: {seconds:.2f} s per million."]


def _estimates(rows: Sequence[dict[str, Any]]) -> list[str]:
    measured = [row for row in rows if row["backend"] == "dask" and row["is_sample"]]
    if not measured:
        return []
    row = max(measured, key=lambda row: row["n_objects"])
    lines = ["\n| objects | matrix | passes | read | core seconds | compute | solve | together |", "|---:" * 8 + "|"]
    for n_objects in LARGER:
        found = estimate(row, n_objects)
        cells = [f"{n_objects:,}", f"{found['bytes'] / 1e9:,.0f} GB"]
        cells += [str(found["passes"]), f"{found['read']:.0f} s", f"{found['core_seconds']:,.0f}"]
        cells += [f"{found[name]:.0f} s" for name in ("compute", "solve", "together")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines
