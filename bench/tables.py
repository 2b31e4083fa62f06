"""The published tables that can be computed again: each is data sets x methods x protocol.

A further table is a further entry in :data:`TABLES`; nothing else changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.evaluate import ari, nmi
from consensa.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PRESETS", "SCORES", "TABLES", "Protocol", "Table", "get_table"]

PRESETS = ("default", "published")

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
    published : dict of dict by printed method
        The preset "published": where the published setting is weaker than our default (fewer starts, random seeds).
    preset : {"default", "published"}
    """

    score: str
    n_members: int = 10
    k_rules: tuple[str, ...] = ("true", "best")
    best_k: range = range(2, 31)
    parameters: dict[str, Any] = field(default_factory=dict)
    published: dict[str, dict[str, Any]] = field(default_factory=dict)
    preset: str = "default"

    def parameters_of(self, printed: str) -> dict[str, Any]:
        """Return the parameters of a method, of which those that it does not have are to be left out."""
        own = self.published.get(printed, {}) if self.preset == "published" else {}
        return {**self.parameters, **own}


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
        named = {printed: _ALIASES.get(printed, _plain(printed)) for printed in self.methods}
        return {printed: known[name] for printed, name in named.items() if name in known}

    def chosen(self, methods: list[str] | None, preset: str) -> Table:
        """Return the table with these methods only (as printed; None for all), under a preset."""
        protocol = replace(self.protocol, preset=preset)
        if methods is None:
            return replace(self, protocol=protocol)
        absent = [name for name in methods if name not in self.registered()]
        if absent:
            msg = f"method {absent[0]!r} cannot be run; choose from {', '.join(self.registered())}."
            raise ValueError(msg)
        return replace(self, methods=tuple(methods), protocol=protocol)


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

_ALIASES = {"WCT": "cts"}  # printed after its similarity, the weighted connected triple

# one partitioning by METIS, three starts of k-means in LWGP's code, one deterministic start in GP-MGLA's; KCC and SEC
# from rows at random (five starts: the paper does not say)
_ONE_START: dict[str, Any] = {"n_init": 1}
_RANDOM_ROWS: dict[str, Any] = {"init": "random", "n_init": 5}
_LWEC_PUBLISHED = {
    "LWGP": {"n_init": 3}, "GP-MGLA": _ONE_START, "KCC": _RANDOM_ROWS, "SEC": _RANDOM_ROWS,
    "CSPA": _ONE_START, "HGPA": _ONE_START, "MCLA": _ONE_START,
}  # fmt: skip


def _lwec(score: str) -> Protocol:
    return Protocol(score, parameters={"theta": 0.4}, published=_LWEC_PUBLISHED)


_LIST = (
    Table("000", "V", "NMI", "LWEC", _LWEC_METHODS, _lwec("NMI/max")),
    Table("000", "VII", "ARI", "LWEC", _LWEC_METHODS, _lwec("ARI")),
)

TABLES = {(table.paper, table.table): table for table in _LIST}
