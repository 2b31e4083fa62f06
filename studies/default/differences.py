"""How much the default gains on every other method, draw by draw."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.markdown import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Difference", "difference_table", "paired_difference"]

SCORES = ("NMI/sqrt", "ARI")


class Difference(NamedTuple):
    """One method less another on the draws that both have, NMI and ARI.

    Attributes
    ----------
    mean : ndarray of shape (2,)
        Over the data sets, each the mean of its pools.
    error : ndarray of shape (2,)
        Standard error of it: how much other draws from the same pools would change it.
    n_datasets : int
    """

    mean: np.ndarray
    error: np.ndarray
    n_datasets: int


def paired_difference(rows: Sequence[Mapping[str, str]], method: str, other: str) -> Difference:
    """Compare two methods on the draws that both have."""
    scores: dict[tuple[str, str, str], dict[str, np.ndarray]] = defaultdict(dict)
    for row in rows:
        scores[row["dataset"], row["pool"], row["run"]][row["point"]] = np.array([float(row[name]) for name in SCORES])
    pools: dict[str, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for (dataset, pool, _), found in scores.items():
        if method in found and other in found:
            pools[dataset][pool].append(found[method] - found[other])
    means, variances = [], []
    for draws in pools.values():
        means.append(np.mean([np.mean(each, axis=0) for each in draws.values()], axis=0))
        variances.append(sum(_variance_of_mean(each) for each in draws.values()) / len(draws) ** 2)
    return Difference(np.mean(means, axis=0), np.sqrt(sum(variances)) / len(means), len(means))


def _variance_of_mean(draws: Sequence[np.ndarray]) -> np.ndarray:
    if len(draws) < 2:
        return np.full(len(SCORES), np.nan)
    return np.asarray(np.var(draws, axis=0, ddof=1) / len(draws))


def difference_table(rows: Sequence[Mapping[str, str]], method: str, others: Sequence[str]) -> str:
    """Write the differences of a method and all others as a table."""
    there = {row["point"] for row in rows}
    lines = []
    for other in others:
        if other in there:
            found = paired_difference(rows, method, other)
            cells = [f"{mean:+.4f} ± {error:.4f}" for mean, error in zip(found.mean, found.error, strict=True)]
            lines.append([other, *cells, str(found.n_datasets)])
    return markdown_table([f"{method} less", "NMI", "ARI", "data sets"], lines)
