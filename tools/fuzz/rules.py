"""What the checks of all areas share: what a finding is, and what an answer is."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa import ConsensaWarning
from consensa.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Broken", "answer", "demand", "fit", "method", "same"]

_LONGEST = 700  # characters of a sentence


class Broken(Exception):  # noqa: N818 - a finding
    """Something that must hold does not; the kind comes first, so that equal findings are known by it."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


def answer(run: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return what a call gives and what was said; None where the answer is one sentence."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = run()
        except ValueError as error:
            sentence = str(error)
            if not sentence or "\n" in sentence.strip() or len(sentence) > _LONGEST:
                kind = "no sentence"
                raise Broken(kind, repr(sentence[:300])) from error
            if _is_foreign(error):
                kind = "foreign sentence"
                raise Broken(kind, repr(sentence)) from error
            found = None
    foreign = [w for w in said if not issubclass(w.category, ConsensaWarning)]
    if foreign:
        kind = "foreign warning"
        raise Broken(kind, f"{foreign[0].category.__name__} {foreign[0].message} {foreign[0].filename}")
    return found, [str(w.message) for w in said]


def demand(holds: bool, kind: str, detail: str = "") -> None:  # noqa: FBT001 - the condition itself
    """Report a finding unless something holds."""
    if not holds:
        raise Broken(kind, detail)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two clusterings are the same up to the names."""
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len({first for first, _ in pairs}) == len({second for _, second in pairs}) == len(pairs)


def method(name: str, k: int, **parameters: Any) -> Any:
    """Return a method with a fixed seed."""
    model = METHODS[name].load()(k, **parameters)
    return model.set_params(random_state=0) if "random_state" in model.get_params(deep=False) else model


def fit(name: str, k: int, labels: Any, **parameters: Any) -> Any:
    """Fit a method to labels that it must not refuse."""
    model, _ = answer(lambda: method(name, k, **parameters).fit(labels))
    demand(model is not None, "refused", name)
    return model


def _is_foreign(error: ValueError) -> bool:
    """Whether a sentence was raised by another library: it does not know what the caller gave."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else trace.tb_frame.f_code.co_filename
    return "consensa" not in where and "sklearn" not in where  # whose checks of features are sentences of their own
