"""Base clusterings from features: a feature matrix in, a label matrix out. Knows nothing of consensus.

The classes are imported when they are first used; :data:`~consensa.generate.registry.GENERATORS` lists them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consensa.generate.registry import DEFAULT_GENERATOR, GENERATORS, GeneratorInfo, get_generator, make_generator

if TYPE_CHECKING:
    from consensa.generate.estimators import EstimatorPartitions, SubsamplePartitions
    from consensa.generate.kmeans import KMeansPartitions
    from consensa.generate.lac import LAC
    from consensa.generate.lac_partitions import LACPartitions
    from consensa.generate.linkage import LinkagePartitions
    from consensa.generate.mixed import MixedPartitions
    from consensa.generate.multiscale import MultiscalePartitions
    from consensa.generate.rpcl import RPCLPartitions
    from consensa.generate.subspace import MetricSubspacePartitions, StratifiedPartitions
    from consensa.generate.table import TablePartitions
    from consensa.generate.uspec import USPECPartitions

__all__ = [
    "DEFAULT_GENERATOR",
    "GENERATORS",
    "LAC",
    "EstimatorPartitions",
    "GeneratorInfo",
    "KMeansPartitions",
    "LACPartitions",
    "LinkagePartitions",
    "MetricSubspacePartitions",
    "MixedPartitions",
    "MultiscalePartitions",
    "RPCLPartitions",
    "StratifiedPartitions",
    "SubsamplePartitions",
    "TablePartitions",
    "USPECPartitions",
    "get_generator",
    "make_generator",
]

_HOMES = {"LAC": "consensa.generate.lac", **{each.estimator: each.module for each in GENERATORS.values()}}


def _find(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'consensa.generate' has no attribute {name!r}"
    raise AttributeError(msg)


if not TYPE_CHECKING:  # which would believe any name of a module that has it
    __getattr__ = _find


def __dir__() -> list[str]:
    return sorted(__all__)
