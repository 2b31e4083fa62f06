"""What a result file holds: one tidy row per figure, the same columns for every paper."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from consensa.evaluate import ari, nmi

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["COLUMNS", "SCORES", "Column", "setting_parts", "setting_text"]

COLUMNS = (
    "paper", "table", "dataset", "method", "setting", "k_rule", "metric", "run", "seed", "value", "k",
    "n_objects", "n_microclusters", "seconds", "parameters", "versions",
)  # fmt: skip

SCORES: dict[str, Callable[[Any, Any], float]] = {
    "NMI/max": partial(nmi, average="max"),
    "NMI/sqrt": nmi,
    "ARI": ari,
}


class Column(NamedTuple):
    """What is computed on one draw: a method as printed, its setting and the rule for k ("true", "best" or "")."""

    method: str
    setting: str
    k_rule: str


def setting_text(parts: Mapping[str, Any]) -> str:
    """Write parameters as the column ``setting`` has them, sorted by name.

    Examples
    --------
    >>> setting_text({"T": 10, "K": "ALL"})
    'K=ALL;T=10'
    """
    return ";".join(f"{name}={value}" for name, value in sorted(parts.items()))


def setting_parts(text: str) -> dict[str, str]:
    """Read a setting back: name to value, both as text.

    Examples
    --------
    >>> setting_parts("K=ALL;T=10")
    {'K': 'ALL', 'T': '10'}
    """
    pairs = (part.partition("=") for part in text.split(";") if part)
    return {name: value for name, _, value in pairs}
