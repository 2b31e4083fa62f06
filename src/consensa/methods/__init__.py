"""Consensus methods as scikit-learn estimators: each a recipe of the rooms weigh, relate and partition.

The classes are imported when they are first used; :data:`~consensa.methods.registry.METHODS` lists those
on label matrices, :data:`~consensa.methods.registry.FEATURE_METHODS` those on features.
"""

from __future__ import annotations

from typing import Any

from consensa.methods.registry import DEFAULT_METHOD, FEATURE_METHODS, METHODS, Method, get_method

__all__ = ["DEFAULT_METHOD", "FEATURE_METHODS", "METHODS", "Method", "get_method"]


def __getattr__(name: str) -> Any:
    for method in (*METHODS.values(), *FEATURE_METHODS.values()):
        if method.estimator == name:
            return method.load()
    msg = f"module 'consensa.methods' has no attribute {name!r}"
    raise AttributeError(msg)
