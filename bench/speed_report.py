"""Speed figures as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bench.speed import fitted_exponent

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["growth_report", "startup_report", "twins_report"]


def twins_report(rows: Sequence[dict[str, Any]]) -> str:
    """Time, memory and their ratios against the twins."""
    by_case = {row["case"]: row for row in rows}
    lines = [f"{'':<12}{'seconds':>10}{'peak MiB':>10}"]
    lines += [f"{case:<12}{row['seconds']:>10.3f}{row['peak_mib']:>10.0f}" for case, row in by_case.items()]
    for case, row in by_case.items():
        twin = by_case.get(f"{case} twin")
        if twin:
            faster, smaller = twin["seconds"] / row["seconds"], twin["peak_mib"] / row["peak_mib"]
            lines.append(
                f"{case} is {faster:.1f} times faster than its twin and needs {smaller:.1f} times less memory."
            )
    return "\n".join(lines)


def growth_report(rows: Sequence[dict[str, Any]]) -> str:
    """Time and memory by number of objects, with the fitted exponent."""
    lines = [
        f"{rows[0]['case']:<8}{'objects':>12}{'microclusters':>15}{'seconds':>10}{'peak MiB':>10}{'labels MiB':>12}"
    ]
    lines += [
        f"{'':<8}{row['n_objects']:>12,}{row['n_microclusters']:>15,}{row['seconds']:>10.2f}"
        f"{row['peak_mib']:>10.0f}{row['labels_mib']:>12.0f}"
        for row in rows
    ]
    if len(rows) > 1:
        exponent = fitted_exponent([row["n_objects"] for row in rows], [row["seconds"] for row in rows])
        lines.append(f"time grows as n to the power {exponent:.2f}")
    return "\n".join(lines)


def startup_report(rows: Sequence[dict[str, Any]]) -> str:
    """Seconds from a cold start."""
    seconds = {row["case"]: row["seconds"] for row in rows}
    seconds["import consensa, beyond numpy"] = seconds["import consensa"] - seconds["import numpy"]
    return "\n".join(
        f"{case:<32}{'failed' if math.isnan(value) else f'{value:.2f} s':>10}" for case, value in seconds.items()
    )
