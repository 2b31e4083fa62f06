"""How a clustering was made: method, parameters, seed, versions, date and time taken."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa._stored import versions
from consensa.report.text import clean

if TYPE_CHECKING:
    from consensa._types import FittedModel
    from consensa.report.subject import Subject

__all__ = ["MadeOf", "how_made"]

_VALUE_LENGTH = 120
_PARTS = {"generator", "method"}  # told as steps of their own


class MadeOf(NamedTuple):
    """The parts of a fitted model, and where its method comes from."""

    consensus: Any  # the estimator that combined the base clusterings
    generator: Any = None  # the fitted transformer that made them, if the model did
    partition_names: Any = ()  # of the base clusterings, as the generator calls them
    summary: str | None = None
    reference: str | None = None
    doi: str | None = None


def how_made(subject: Subject, source: str | None = None) -> dict[str, Any]:
    """Collect what is needed to make the clustering again; ``source`` says for people where the data came from."""
    model, made = subject.model, subject.model.made_of()
    untold = model.how_it_runs | _PARTS
    steps = [] if made.generator is None else [_step("base clusterings", made.generator, untold)]
    steps.append(_step("consensus", made.consensus, untold))
    seconds = model.fit_seconds_
    return {
        "method": type(made.consensus).__name__,
        "model": type(model).__name__,
        "summary": made.summary,
        "reference": made.reference,
        "doi": made.doi,
        "source": None if source is None else clean(source),
        "seed": _seed(model),
        "steps": steps,
        "seconds": None if seconds is None else float(f"{seconds:.3g}"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
    }


def _step(role: str, estimator: Any, untold: frozenset[str]) -> dict[str, Any]:
    given = estimator.get_params(deep=False)
    told = [[clean(name), _word(value)] for name, value in sorted(given.items()) if name not in untold]
    return {"role": role, "name": clean(type(estimator).__name__), "parameters": told}


def _word(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size > 20:
        return f"array of shape {value.shape}"
    return clean(repr(value), _VALUE_LENGTH)


def _seed(model: FittedModel) -> str:
    given = model.get_params()
    seed = given.get("random_state")
    if seed is None:
        drawn = "random_state" in given
        return "none given: another run may differ" if drawn else "none needed"
    return str(seed) if isinstance(seed, (int, np.integer)) else clean(type(seed).__name__)
