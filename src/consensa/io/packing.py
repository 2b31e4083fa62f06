"""Fitted estimators taken apart into plain values and arrays, and put together again.

Numbers, texts, lists and arrays are kept as they are; objects of this package by the name of their class and what
they hold. Only classes of this package, and clusterers of scikit-learn by their parameters, are ever built.
"""

from __future__ import annotations

import dataclasses
import os
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from consensa._sklearn import BaseEstimator
from consensa._stored import Stored

__all__ = ["Packer", "unpack"]

_OWN = ("choose", "columns", "ensemble", "evaluate", "generate", "methods", "partition", "relate", "weigh")
_FOREIGN = ("sklearn.cluster", "sklearn.mixture")
_PLAIN = (str, bool, int, float, type(None))


class _CannotKeepError(Exception):
    """The value is of a kind that is not stored."""


class Packer:
    """Takes values apart; what occurs several times is kept once.

    Attributes
    ----------
    arrays : dict of ndarray
    objects : list of dict
        Class and state of every object, in the order in which they must be built.
    left_out : list of str
        Names of public attributes that were not kept, since they are of a foreign kind.

    Examples
    --------
    >>> import numpy as np
    >>> packer = Packer()
    >>> packed = packer.pack([1, np.array([2, 3]), ("a", None)])
    >>> unpack(packed, packer.objects, packer.arrays)
    [1, array([2, 3]), ('a', None)]
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.objects: list[dict[str, Any]] = []
        self.left_out: list[str] = []
        self._known: dict[int, tuple[dict[str, Any], Any]] = {}  # the object too, so that no id is used twice

    def pack(self, value: Any) -> Any:
        """Return a value as JSON can hold it."""
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            value = value.item()
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, (list, range, tuple)):
            return {"tuple" if isinstance(value, tuple) else "list": [self.pack(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self.pack(key), self.pack(item)] for key, item in value.items()]}
        if id(value) not in self._known:
            self._known[id(value)] = self._keep(value), value
        return self._known[id(value)][0]

    def _keep(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "O":
                return {"texts": [self.pack(item) for item in value.ravel()], "shape": list(value.shape)}
            if value.dtype.kind not in "biufUS":
                raise _CannotKeepError
            name = f"array{len(self.arrays)}"
            self.arrays[name] = value
            return {"array": name}
        if isinstance(value, sp.csr_array):
            return {
                "csr": [self.pack(part) for part in (value.data, value.indices, value.indptr)],
                "shape": value.shape,
            }
        entry = {"class": f"{type(value).__module__}:{type(value).__qualname__}", **self._take_apart(value)}
        self.objects.append(entry)
        return {"object": len(self.objects) - 1}

    def _take_apart(self, value: Any) -> dict[str, Any]:
        module = type(value).__module__
        if isinstance(value, BaseEstimator) and module.startswith(_FOREIGN):
            return {"params": self._each(value.get_params(deep=False))}
        if not module.startswith(tuple(f"consensa.{room}" for room in _OWN)):
            raise _CannotKeepError
        if isinstance(value, Stored):
            state = value.state()
            if state is None:
                raise _CannotKeepError
            return {"state": self._each(state)}
        if isinstance(value, BaseEstimator):
            params = value.get_params(deep=False)
            fitted = {name: item for name, item in vars(value).items() if name not in params and name != "saved_"}
            return {"params": self._each(params, lenient=True), "fitted": self._each(fitted, lenient=True)}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {"fields": self._each({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})}
        raise _CannotKeepError

    def _each(self, values: dict[str, Any], *, lenient: bool = False) -> dict[str, Any]:
        """Pack the values of a dict; a lenient one does without those that cannot be kept."""
        out = {}
        for name, value in values.items():
            try:
                out[name] = self.pack(value)
            except _CannotKeepError:
                if not lenient:
                    raise
                if not name.startswith("_"):
                    self.left_out.append(name)
        return out


def unpack(packed: Any, objects: list[dict[str, Any]], arrays: dict[str, np.ndarray]) -> Any:
    """Put a value together again.

    Parameters
    ----------
    packed : what :meth:`Packer.pack` returned
    objects, arrays : what the packer collected
    """
    built: list[Any] = []

    def value_of(packed: Any) -> Any:
        if isinstance(packed, _PLAIN):
            return packed
        if "list" in packed or "tuple" in packed:
            items = [value_of(item) for item in packed.get("list", packed.get("tuple"))]
            return items if "list" in packed else tuple(items)
        if "dict" in packed:
            return {value_of(key): value_of(item) for key, item in packed["dict"]}
        if "texts" in packed:
            out = np.empty(len(packed["texts"]), dtype=object)
            out[:] = [value_of(item) for item in packed["texts"]]
            return out.reshape(packed["shape"])
        if "csr" in packed:
            matrix = sp.csr_array(tuple(map(value_of, packed["csr"])), shape=packed["shape"])
            matrix.check_format(full_check=True)  # or scipy would read beyond its arrays
            return matrix
        return arrays[packed["array"]] if "array" in packed else built[packed["object"]]

    for entry in objects:
        parts: dict[str, dict[str, Any]] = {
            part: {name: value_of(item) for name, item in entry[part].items()}
            for part in ("params", "fitted", "fields", "state")
            if part in entry
        }
        built.append(_build(_class_of(entry["class"]), parts))
    return value_of(packed)


def _class_of(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if not module.startswith((*(f"consensa.{room}" for room in _OWN), *_FOREIGN)):
        msg = f"a saved model cannot hold a {name!r}."
        raise ValueError(msg)
    found = getattr(import_module(module), attribute, None)
    if not isinstance(found, type) or found.__module__ != module:
        msg = f"this version of consensa knows no {name!r}."
        raise ValueError(msg)
    return found


def _build(kind: Any, parts: dict[str, dict[str, Any]]) -> Any:
    if "state" in parts and issubclass(kind, Stored):
        return kind.from_state(parts["state"])
    if "fields" in parts and dataclasses.is_dataclass(kind) and not kind.__module__.startswith("consensa.methods"):
        values: Any = kind
        return values(**parts["fields"])
    if not issubclass(kind, BaseEstimator) or "params" not in parts:
        msg = f"a saved model cannot hold a {kind.__name__!r}."
        raise ValueError(msg)
    known = set(kind().get_params(deep=False))
    model = kind(**{name: value for name, value in parts["params"].items() if name in known})
    vars(model).update({name: value for name, value in parts.get("fitted", {}).items() if name not in known})
    return model
