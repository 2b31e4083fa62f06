"""The published tables that can be computed again: each is data sets x methods x protocol.

A further table is a further entry in :data:`TABLES`; nothing else changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.evaluate import ari, nmi
from consensa.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SCORES", "TABLES", "Protocol", "Table", "get_table"]

SCORES: dict[str, Callable[[Any, Any], float]] = {
    "NMI/max": partial(nmi, average="max"),
    "NMI/sqrt": nmi,
    "ARI": ari,
}


@dataclass(frozen=True)
class Protocol:
    """How one run goes.

    Parameters
    ----------
    score : str
        A key of :data:`SCORES`; "NMI/max" is the normalisation of the published tables.
    n_members : int
        Number of base clusterings drawn from the pool, without replacement.
    k_rules : tuple of str
        "true": k is the number of classes. "best": the k of ``best_k`` with the best score, run by run.
    best_k : range
    parameters : dict
        Given to every method that has them; everything else stays at its default.
    """

    score: str
    n_members: int = 10
    k_rules: tuple[str, ...] = ("true", "best")
    best_k: range = range(2, 31)
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """One published table.

    Parameters
    ----------
    paper, table, metric : str
        As in ``published.csv``.
    pools : str
        Kind of pools; every ``pools/<kind>_<data set>.npz`` that is present is used.
    methods : tuple of str
        As printed in the paper; those that consensa has are run.
    protocol : Protocol
    """

    paper: str
    table: str
    metric: str
    pools: str
    methods: tuple[str, ...]
    protocol: Protocol

    def registered(self) -> dict[str, str]:
        """Return the methods that consensa has: printed name to name in the registry."""
        known = {_plain(name): name for name in METHODS}
        return {printed: known[_plain(printed)] for printed in self.methods if _plain(printed) in known}


def get_table(paper: str, table: str) -> Table:
    """Return the table of a paper."""
    if (paper, table) in TABLES:
        return TABLES[paper, table]
    known = ", ".join(f"--paper {p} --table {t}" for p, t in TABLES)
    msg = f"table {table!r} of paper {paper!r} is not known; choose one of: {known}."
    raise ValueError(msg)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


_LWEC_METHODS = (
    "LWEA", "LWGP", "SEC", "KCC", "WEAC", "GP-MGLA", "TOME", "WCT", "HBGF", "EAC", "CSPA", "HGPA", "MCLA",
)  # fmt: skip

_LIST = (
    Table("000", "V", "NMI", "LWEC", _LWEC_METHODS, Protocol("NMI/max", parameters={"theta": 0.4})),
    Table("000", "VII", "ARI", "LWEC", _LWEC_METHODS, Protocol("ARI", parameters={"theta": 0.4})),
)

TABLES = {(table.paper, table.table): table for table in _LIST}
