"""Which splits of the data are more than chance: the result of a test from the root down."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from consensa._notebook import table_summary

__all__ = ["Significance", "TestedSplit"]


@dataclass(frozen=True)
class TestedSplit:
    """A set of objects, how it would be split, and whether data without clusters split as well.

    Parameters
    ----------
    node : int
        Its number; 0 is the root, all objects.
    parent : int
        The set that it is a part of, -1 for the root.
    n_objects : int
    sizes : tuple of two int
        Objects in the two parts; (n_objects, 0) where there is no split.
    conductance : float
        How strongly the parts are linked by the base clusterings, from 0 to 1; NaN where nothing was tested.
    share_within : float
        How much of the spread along the line through the centres of 2-means lies within its two parts; NaN likewise.
    p_value : float
        A bound where few data without clusters were enough; NaN where nothing was tested, as the set is too small.
    alpha : float
        What the p-value may be at most.
    n_null : int
        Data sets without clusters that were looked at.
    significant : bool
    cluster : int
        The label of its objects if it is not split, else -1.

    Examples
    --------
    >>> TestedSplit(0, -1, 50, (30, 20), 0.01, 0.1, 0.01, 0.05, 99, True, -1).significant
    True
    """

    __test__ = False  # for pytest, which would take it for a class of tests
    node: int
    parent: int
    n_objects: int
    sizes: tuple[int, int]
    conductance: float
    share_within: float
    p_value: float
    alpha: float
    n_null: int
    significant: bool
    cluster: int


@dataclass(frozen=True, eq=False)
class Significance:
    """What :func:`~consensa.significance` found: clusters that are more than chance, and the splits behind them.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,), int32
        Clusters, numbered by size, then by first object; all 0 where no split is significant.
    n_clusters : int
        May be 1.
    splits : tuple of TestedSplit
        Every set of objects that was looked at, parents before their parts.
    alpha : float
        Most probable error: that data without any clusters get a split.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from consensa import significance
    >>> X, _ = make_blobs(90, centers=[[0, 0], [9, 9]], random_state=0)
    >>> found = significance(X, random_state=0)
    >>> found.n_clusters, found.splits[0].sizes, found.splits[0].p_value
    (2, (45, 45), 0.0001)
    """

    labels: np.ndarray
    n_clusters: int
    splits: tuple[TestedSplit, ...]
    alpha: float

    @property
    def cluster_p_values(self) -> np.ndarray:
        """For every cluster the largest p of the splits that set it apart; that of the root if there is one cluster."""
        worst: dict[int, float] = {-1: 0.0}
        found = np.full(self.n_clusters, np.nan)
        for split in self.splits:  # parents first
            above = worst[split.parent]
            worst[split.node] = max(above, split.p_value) if split.significant else above
            if split.cluster >= 0:
                found[split.cluster] = above if split.parent >= 0 else split.p_value
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for JSON; None stands for NaN.

        Returns
        -------
        dict
        """
        return {
            "n_clusters": self.n_clusters,
            "alpha": self.alpha,
            "cluster_p_values": [_plain(p) for p in self.cluster_p_values],
            "splits": [{name: _plain(value) for name, value in asdict(split).items()} for split in self.splits],
            "summary": self.summary(),
        }

    def to_frame(self) -> Any:
        """Return a data frame of pandas with one row for every set of objects.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame([asdict(split) for split in self.splits]).set_index("node")

    def summary(self) -> str:
        """Say in one sentence what was found.

        Returns
        -------
        str
        """
        found = [split.p_value for split in self.splits if split.significant]
        if not found:
            p = self.splits[0].p_value
            if np.isnan(p):
                return f"nothing was tested: {self.splits[0].n_objects} objects are too few, or too many are equal."
            return f"nothing here: data without clusters split as well (p = {_number(p)}); one cluster is all there is."
        untested = sum(np.isnan(split.p_value) for split in self.splits)
        small = f" ({untested} too small to test)" if untested else ""
        return (
            f"these {self.n_clusters} clusters are well separated (p <= {_number(max(found))} for every split shown, "
            f"error {_number(self.alpha)} in all); splitting further is not supported{small}."
        )

    def tree(self) -> list[str]:
        """Return the tree of splits, a line for every set of objects, parts indented below.

        Returns
        -------
        list of str
        """
        return ["  " * depth + text for depth, text, _ in self.walk()]

    def walk(self) -> list[tuple[int, str, TestedSplit]]:
        """Return how deep in the tree every set of objects is, what is said of it, and its split; parts after it.

        Returns
        -------
        list of (int, str, TestedSplit)
        """
        below: dict[int, list[TestedSplit]] = {}
        for split in self.splits:
            below.setdefault(split.parent, []).append(split)
        lines, waiting = [], [(0, split) for split in below[-1]]
        while waiting:
            depth, split = waiting.pop(0)
            lines.append((depth, _line(split), split))
            waiting[:0] = [(depth + 1, part) for part in below.get(split.node, [])]
        return lines

    def __str__(self) -> str:
        return "\n".join([*self.tree(), self.summary()])

    def _repr_html_(self) -> str:
        rows = [["tree"], *([line.replace("  ", "\u2003")] for line in self.tree())]
        return table_summary(f"{self.n_clusters} tested clusters", rows, [self.summary()])


def _line(split: TestedSplit) -> str:
    parts = f"{split.sizes[0]} + {split.sizes[1]}, p = {_number(split.p_value)}, allowed {_number(split.alpha)}"
    if split.significant:
        return f"{split.n_objects} objects: split into {parts}"
    if np.isnan(split.p_value):
        return f"{split.n_objects} objects: cluster {split.cluster} (too small to test)"
    if split.sizes[1] == 0:
        return f"{split.n_objects} objects: cluster {split.cluster} (no split found)"
    return f"{split.n_objects} objects: cluster {split.cluster} (not split: {parts})"


def _number(value: float) -> str:
    return f"{value:.2g}"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else None
    return list(value) if isinstance(value, tuple) else value
