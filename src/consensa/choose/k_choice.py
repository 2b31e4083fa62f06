"""A chosen number of clusters with all the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consensa._notebook import table_summary
from consensa._text import format_table

__all__ = ["CDF_GRID", "KChoice", "percent"]

CDF_GRID = np.linspace(0.0, 1.0, 101)
CDF_GRID.setflags(write=False)
_WORTH_A_LOOK = 0.05
_MOST_OTHERS = 3


@dataclass(frozen=True, eq=False)
class KChoice:
    """The number of clusters that :func:`~consensa.choose_k` chose, and every curve it looked at.

    Parameters
    ----------
    n_clusters : int
        The choice.
    k : ndarray of shape (n_candidates,), int64
        The candidates, rising.
    probabilities : ndarray of shape (n_candidates,)
        How probable every candidate is; together 1. Calibrated on simulated ensembles: of the choices that are called
        80 % sure about 80 % are right there.
    curves : dict of ndarray of shape (n_candidates,)
        By name, out of "conductance", "eigenvalues", "gaussians", "lifetime", "agreement", "stability", "pac" and
        "delta_area"; NaN where a curve is not defined for that k, and no entry where it cannot be computed at all.
        Large values speak for a k, except in "pac", where small ones do.
    votes : dict of int
        The k that every curve would choose by itself.
    strength : float
        Probability that there are clusters at all, whatever the candidates are.
    cdf : dict of ndarray of shape (101,), or None
        For ensembles of subsamples, by number of clusters: the share of the pairs of objects whose consensus index is
        at most 0, 0.01, ..., 1.
    rule : str
        How the evidence was combined, in one sentence.

    Examples
    --------
    >>> from consensa import choose_k
    >>> choice = choose_k([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]], k_range=[2, 3])
    >>> choice.n_clusters, choice.k, choice.runners_up
    (3, array([2, 3]), [])
    """

    n_clusters: int
    k: np.ndarray
    probabilities: np.ndarray
    curves: dict[str, np.ndarray]
    votes: dict[str, int]
    strength: float
    cdf: dict[int, np.ndarray] | None
    rule: str

    @property
    def probability(self) -> float:
        """How probable the choice is."""
        return float(self.probabilities[self.k == self.n_clusters][0])

    @property
    def runners_up(self) -> list[int]:
        """Other candidates worth a look, the most probable first: up to three with at least 5 % each."""
        order = np.argsort(-self.probabilities, kind="stable")
        found = [int(self.k[place]) for place in order if self.probabilities[place] >= _WORTH_A_LOOK]
        return [k for k in found if k != self.n_clusters][:_MOST_OTHERS]

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
            "probabilities": _plain(self.probabilities),
            "runners_up": self.runners_up,
            "strength": self.strength,
            "curves": {name: _plain(values) for name, values in self.curves.items()},
            "votes": dict(self.votes),
            "cdf": None if self.cdf is None else {str(k): _plain(values) for k, values in self.cdf.items()},
            "rule": self.rule,
        }

    def summary(self) -> str:
        """Say in one line what was chosen, how sure that is, and what every curve would choose.

        Returns
        -------
        str

        Examples
        --------
        >>> from consensa import choose_k
        >>> choose_k([[0, 0, 1, 1], [0, 0, 1, 1]]).summary().partition("; ")[2]
        'conductance 2, eigenvalues 2, lifetime 2, agreement 2, stability 2'
        """
        votes = ", ".join(f"{name} {k}" for name, k in self.votes.items())
        return f"k = {self.verdict()}; {votes}" if votes else f"k = {self.verdict()}"

    def verdict(self) -> str:
        """Say the choice, how sure it is, and what else is worth a look, such as "7 (81 %), else 6".

        Returns
        -------
        str

        Examples
        --------
        >>> from consensa import choose_k
        >>> choose_k([[0, 0, 1, 1], [0, 0, 1, 1]], k_range=[2]).verdict()
        '2 (100 %)'
        """
        others = " or ".join(str(k) for k in self.runners_up)
        sure = f"{self.n_clusters} ({percent(self.probability)})"
        return f"{sure}, else {others}" if others else sure

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
        ['k', 'probability', 'conductance', 'eigenvalues', 'lifetime', 'agreement', 'stability']
        """
        rows = [["k", "probability", *self.curves]]
        for place, k in enumerate(self.k):
            mark = "*" if k == self.n_clusters else ""
            cells = (_cell(values[place]) for values in self.curves.values())
            rows.append([f"{mark}{k}", percent(self.probabilities[place]), *cells])
        return rows

    def _repr_html_(self) -> str:
        return table_summary(f"{self.n_clusters} clusters", self.rows(), [self.summary(), self.rule])


def percent(share: float) -> str:
    """Write a probability without claiming what it cannot know.

    Examples
    --------
    >>> percent(0.814), percent(0.001), percent(0.9999), percent(1.0)
    ('81 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def _plain(values: np.ndarray) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _cell(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "-"
