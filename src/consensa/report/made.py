"""How a clustering was made: method, parameters, seed, versions, date and time taken."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import __version__
from consensa.methods.registry import FEATURE_METHODS, METHODS
from consensa.report.text import clean

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["how_made"]

_VALUE_LENGTH = 120
_UNTOLD = {"verbose", "n_jobs", "generator", "method"}


def how_made(subject: Subject, source: str | None = None) -> dict[str, Any]:
    """Collect what is needed to make the clustering again.

    Parameters
    ----------
    subject : Subject
    source : str or None, default=None
        Where the data came from, for people.

    Returns
    -------
    dict
    """
    model, consensus = subject.model, subject.consensus
    generator = getattr(model, "generator_", None)
    steps = [] if generator is None else [_step("base clusterings", generator)]
    steps.append(_step("consensus", consensus))
    seconds = getattr(model, "fit_seconds_", None)
    return {
        "method": type(consensus).__name__,
        "model": type(model).__name__,
        **_reference(type(consensus).__name__),
        "source": None if source is None else clean(source),
        "seed": _seed(model),
        "steps": steps,
        "seconds": None if seconds is None else float(f"{seconds:.3g}"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "consensa": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        },
    }


def _step(role: str, estimator: Any) -> dict[str, Any]:
    given = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    told = [[clean(name), _word(value)] for name, value in sorted(given.items()) if name not in _UNTOLD]
    return {"role": role, "name": clean(type(estimator).__name__), "parameters": told}


def _word(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size > 20:
        return f"array of shape {value.shape}"
    return clean(repr(value), _VALUE_LENGTH)


def _seed(model: Any) -> str:
    seed = getattr(model, "random_state", None)
    if seed is None:
        drawn = "random_state" in getattr(model, "get_params", dict)()
        return "none given: another run may differ" if drawn else "none needed"
    return str(seed) if isinstance(seed, (int, np.integer)) else clean(type(seed).__name__)


def _reference(name: str) -> dict[str, str | None]:
    for method in (*METHODS.values(), *FEATURE_METHODS.values()):
        if method.estimator == name:
            return {"summary": method.summary, "reference": method.reference, "doi": method.doi}
    return {"summary": None, "reference": None, "doi": None}
