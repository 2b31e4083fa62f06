"""Names for what parameters take, one for each meaning; those with a rule are checked by it before the work."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from consensa._random import RandomState
from consensa._validation import check_choice, check_fraction, check_growth, check_integer, check_positive

if TYPE_CHECKING:
    from consensa.ensemble.chunks import RowChunks
    from consensa.ensemble.ensemble import Ensemble
    from consensa.methods.base import ConsensusClusterer
    from consensa.methods.features import FeatureClusterer

__all__ = [
    "ColumnTypes",
    "ColumnWeights",
    "Count",
    "Directory",
    "FittedModel",
    "FloatArray",
    "Fraction",
    "Growth",
    "IntArray",
    "KRange",
    "LabelMatrix",
    "LabelVector",
    "Linkage",
    "NClusters",
    "Outliers",
    "Positive",
    "RandomState",
    "Scale",
    "TrajectorySimilarity",
    "check_parameters",
]

NClusters: TypeAlias = int | Sequence[int] | np.ndarray | str  # "auto", or "auto:2:20"
KRange: TypeAlias = tuple[int, int] | None
FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
LabelVector: TypeAlias = npt.ArrayLike | Sequence[Any]  # integers, strings or categories; None and NaN are missing
LabelMatrix: TypeAlias = Union[LabelVector, "Ensemble", "RowChunks", Callable[[], Iterable[Any]]]
FittedModel: TypeAlias = Union["ConsensusClusterer", "FeatureClusterer"]
Directory: TypeAlias = str | os.PathLike[str] | None
Linkage: TypeAlias = Literal["average", "complete", "single"]
TrajectorySimilarity: TypeAlias = Literal["cosine", "dice", "tanimoto"]
Outliers: TypeAlias = Literal["assign", "mark"]
ColumnTypes: TypeAlias = Mapping[str, str] | None
ColumnWeights: TypeAlias = Mapping[str, float] | None
Scale: TypeAlias = Literal["none", "standard", "auto"]
Count: TypeAlias = Annotated[int, check_integer]
Positive: TypeAlias = Annotated[float, check_positive]
Fraction: TypeAlias = Annotated[float, check_fraction]
Growth: TypeAlias = Annotated[float, check_growth]


_NOT_THERE = object()


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator by their types: the words of a Literal, the rule of an Annotated.

    Examples
    --------
    >>> from consensa import EAC
    >>> check_parameters(EAC(linkage="ward"))
    Traceback (most recent call last):
        ...
    ValueError: linkage='ward' is not known; choose one of 'average', 'complete', 'single'.
    """
    kinds = parameter_kinds(estimator.__class__)
    for name, value in estimator.get_params(deep=False).items():
        if name in kinds and value is not getattr(type(estimator), name, _NOT_THERE):  # a default needs no check
            _check(name, value, kinds[name])


@functools.cache
def parameter_kinds(cls: Any) -> dict[str, tuple[Any, ...]]:
    """Return the types that every parameter may have; nothing for a class whose types are not those of this module."""
    try:
        hints = get_type_hints(cls.__init__, globals(), include_extras=True)
    except NameError:
        return {}
    return {name: get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,) for name, hint in hints.items()}


def _check(name: str, value: Any, kinds: tuple[Any, ...]) -> None:
    words = tuple(word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind))
    if value is None and NoneType in kinds:
        return
    for kind in kinds:
        if get_origin(kind) is Annotated:
            kind.__metadata__[0](name, value)
    if words:
        check_choice(name, value, words)
