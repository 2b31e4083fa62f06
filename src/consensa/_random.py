"""``random_state`` in the forms users have it: None, an int, a RandomState or a Generator."""

from __future__ import annotations

import numbers
from typing import Annotated, Any, TypeAlias

import numpy as np

__all__ = ["RandomState", "as_generator", "draw_seed", "draw_seeds"]


def _check(name: str, value: Any) -> None:  # noqa: ARG001 - as the other rules of parameters
    """Refuse what cannot seed, without drawing from what can."""
    if not isinstance(value, np.random.RandomState):
        as_generator(value)


RandomState: TypeAlias = Annotated[int | np.random.RandomState | np.random.Generator | None, _check]


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a Generator; the same int always gives the same stream.

    Examples
    --------
    >>> int(as_generator(0).integers(100)) == int(as_generator(0).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(int(random_state.randint(2**31 - 1)))
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    msg = (
        f"random_state={random_state!r} cannot seed the random numbers. Give None, an integer >= 0, "
        "a numpy RandomState or a numpy Generator."
    )
    raise ValueError(msg)


def draw_seeds(random_state: RandomState, n_seeds: int) -> list[int]:
    """Draw one seed per task before any of them starts, so that no answer depends on ``n_jobs``."""
    rng = as_generator(random_state)
    return [int(seed) for seed in rng.integers(2**31 - 1, size=n_seeds)]


def draw_seed(random_state: RandomState) -> int:
    """Draw one seed, so that what is made of it later does not depend on what else was drawn in between."""
    return int(as_generator(random_state).integers(2**31 - 1))
