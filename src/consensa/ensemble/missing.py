"""Missing labels: the number that stands for them, and what users are told where it may be meant otherwise."""

from __future__ import annotations

import numbers
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from consensa._messages import Message, Parameter, warn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from consensa.ensemble.labels import Column, Vocabulary

__all__ = ["check_missing", "own_labels", "warn_lonely", "warn_unlabelled"]

_OWN: ContextVar[bool] = ContextVar("own labels", default=False)


def check_missing(columns: Sequence[Column], missing: Any) -> None:
    """Check the parameter itself, and that nothing is missing where it says so."""
    if missing is not None and (not isinstance(missing, numbers.Integral) or isinstance(missing, bool)):
        msg = (
            f"missing={missing!r} is not allowed: give the integer that stands for a missing label, or None if no "
            "label is missing. NaN, None and null are always missing."
        )
        raise ValueError(msg)
    names = [column.name for column in columns if column.absent is not None]
    if missing is None and names:
        msg = (
            f"missing=None says that no label is missing, but column {names[0]} holds NaN, None or null. "
            "Pass missing=-1 (the default), or fill these entries."
        )
        raise ValueError(msg)


@contextmanager
def own_labels() -> Iterator[None]:
    """Ask nothing about -1 for the time being, as the labels are of a generator, where it stands for a missing one.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> with own_labels():
    ...     Ensemble([[0, 0, -1], [0, 1, 1]]).n_base_clusters
    3
    """
    token = _OWN.set(True)
    try:
        yield
    finally:
        _OWN.reset(token)


def warn_lonely(names: Sequence[str], vocabularies: Sequence[Vocabulary], hidden: Sequence[bool]) -> None:
    """Warn where -1 (``hidden``: it occurs) beside a single label may well be a label itself."""
    if _OWN.get():
        return
    text = "column {name} holds only {label} and -1; -1 was read as a missing label. Give {none} if it is a cluster."
    for name, vocabulary, found in zip(names, vocabularies, hidden, strict=True):
        if vocabulary.missing == -1 and vocabulary.labels.size == 1 and found:
            warn(Message(text, name=name, label=vocabulary.labels[0], none=Parameter("missing", None)))


def warn_unlabelled(n_unlabelled: int, n_objects: int) -> None:
    """Warn of objects without any label; it is an error if there are no others."""
    if n_unlabelled == n_objects:
        msg = f"none of the {n_objects} objects has a label in any base clustering; there is nothing to combine."
        raise ValueError(msg)
    if n_unlabelled:
        warn(
            f"{n_unlabelled} of {n_objects} objects have no label in any base clustering; "
            "they get label -1 and confidence 0."
        )
