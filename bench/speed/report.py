"""Speed figures as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["startup_report", "twins_report"]


def twins_report(rows: Sequence[dict[str, Any]]) -> str:
    """Time, memory and their ratios against the twins."""
    by_case = {row["case"]: row for row in rows}
    lines = [f"{'':<12}{'seconds':>10}{'CPU s':>10}{'peak MiB':>10}{'of it new':>11}"]
    for case, row in by_case.items():
        times = f"{row['seconds']:>10.3f}{row['cpu_seconds']:>10.3f}"
        lines.append(f"{case:<12}{times}{row['peak_mib']:>10.0f}{row['peak_mib'] - row['start_mib']:>11.0f}")
    for case, row in by_case.items():
        twin = by_case.get(f"{case} twin")
        if twin:
            longer, memory = twin["seconds"] / row["seconds"], twin["peak_mib"] / row["peak_mib"]
            lines.append(f"{case}: the twin takes {longer:.1f} times as long and {memory:.1f} times the memory.")
    return "\n".join(lines)


def startup_report(rows: Sequence[dict[str, Any]]) -> str:
    """Seconds from a cold start, on the clock and of the processors."""
    times = {row["case"]: np.array([row["seconds"], row["cpu_seconds"]]) for row in rows}
    times["import consensa, beyond numpy"] = times["import consensa"] - times["import numpy"]
    lines = [f"{'':<32}{'seconds':>10}{'CPU s':>10}"]
    for case, (seconds, cpu) in times.items():
        lines.append(f"{case:<32}" + (f"{'failed':>10}" if np.isnan(seconds) else f"{seconds:>10.2f}{cpu:>10.2f}"))
    return "\n".join(lines)
