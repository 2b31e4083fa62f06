"""A chosen number of clusters with all the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consensa._notebook import table_summary
from consensa._text import format_table

__all__ = ["CDF_GRID", "KChoice"]

CDF_GRID = np.linspace(0.0, 1.0, 101)
CDF_GRID.setflags(write=False)


@dataclass(frozen=True, eq=False)
class KChoice:
    """The number of clusters that :func:`~consensa.choose_k` chose, and every curve it looked at.

    Parameters
    ----------
    n_clusters : int
        The choice.
    k : ndarray of shape (n_candidates,), int64
        The candidates, rising.
    curves : dict of ndarray of shape (n_candidates,)
        By name, out of "lifetime", "eigengap", "agreement", "stability", "pac" and "delta_area"; NaN where a curve is
        not defined for that k, and no entry where it cannot be computed at all. Large values speak for a k, except in
        "pac", where small ones do.
    score : ndarray of shape (n_candidates,)
        The combined rule: the choice is where it is largest.
    votes : dict of int
        The k that every curve would choose by itself.
    cdf : dict of ndarray of shape (101,), or None
        For ensembles of subsamples, by number of clusters: the share of the pairs of objects whose consensus index is
        at most 0, 0.01, ..., 1.
    rule : str
        How the curves were combined, in one sentence.

    Examples
    --------
    >>> from consensa import choose_k
    >>> choice = choose_k([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]], k_range=[2, 3])
    >>> choice.n_clusters, choice.k
    (3, array([2, 3]))
    """

    n_clusters: int
    k: np.ndarray
    curves: dict[str, np.ndarray]
    score: np.ndarray
    votes: dict[str, int]
    cdf: dict[int, np.ndarray] | None
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for JSON; None stands for NaN.

        Returns
        -------
        dict

        Examples
        --------
        >>> from consensa import choose_k
        >>> choose_k([[0, 0, 1, 1], [0, 0, 1, 1]]).to_dict()["n_clusters"]
        2
        """
        return {
            "n_clusters": self.n_clusters,
            "k": self.k.tolist(),
            "curves": {name: _plain(values) for name, values in self.curves.items()},
            "score": _plain(self.score),
            "votes": dict(self.votes),
            "cdf": None if self.cdf is None else {str(k): _plain(values) for k, values in self.cdf.items()},
            "rule": self.rule,
        }

    def summary(self) -> str:
        """Say in one line what was chosen and what every curve would choose.

        Returns
        -------
        str

        Examples
        --------
        >>> from consensa import choose_k
        >>> choose_k([[0, 0, 1, 1], [0, 0, 1, 1]]).summary()
        'k = 2 (lifetime 2, eigengap 2, agreement 2, stability 2)'
        """
        votes = ", ".join(f"{name} {k}" for name, k in self.votes.items())
        return f"k = {self.n_clusters} ({votes})" if votes else f"k = {self.n_clusters}"

    def __str__(self) -> str:
        rows = self.rows()
        return f"{format_table(rows, right=range(len(rows[0])))}\n{self.summary()}"

    def rows(self) -> list[list[str]]:
        """Return the cells of the table of all curves as text.

        Returns
        -------
        list of rows
            The header first; a star marks the choice.

        Examples
        --------
        >>> from consensa import choose_k
        >>> choose_k([[0, 0, 1, 1], [0, 0, 1, 1]]).rows()[0]
        ['k', 'lifetime', 'eigengap', 'agreement', 'stability', 'score']
        """
        columns = [*self.curves.values(), self.score]
        rows = [["k", *self.curves, "score"]]
        for place, k in enumerate(self.k):
            mark = "*" if k == self.n_clusters else ""
            rows.append([f"{mark}{k}", *(_cell(values[place]) for values in columns)])
        return rows

    def _repr_html_(self) -> str:
        return table_summary(f"{self.n_clusters} clusters", self.rows(), [self.summary(), self.rule])


def _plain(values: np.ndarray) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _cell(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "-"
