"""consensa: many clusterings in, one better clustering out, with the evidence for it.

Public names are imported when they are first used, so that ``import consensa`` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consensa.methods.registry import FEATURE_METHODS, METHODS

if TYPE_CHECKING:
    from consensa._messages import ConsensaWarning as ConsensaWarning
    from consensa.ensemble import Ensemble as Ensemble
    from consensa.generate.lac import LAC as LAC
    from consensa.methods.consensus import consensus as consensus
    from consensa.methods.dlwecdl import DLWECDL as DLWECDL
    from consensa.methods.dlwecdl import ELWECDL as ELWECDL
    from consensa.methods.drec import DREC as DREC
    from consensa.methods.eac import EAC as EAC
    from consensa.methods.ensemble_clustering import EnsembleClustering as EnsembleClustering
    from consensa.methods.lwea import LWEA as LWEA
    from consensa.methods.lwgp import LWGP as LWGP
    from consensa.methods.mdec import MDEC as MDEC
    from consensa.methods.mdec import MDECConsensus as MDECConsensus
    from consensa.methods.pta import PTA as PTA
    from consensa.methods.ptgp import PTGP as PTGP
    from consensa.methods.sal import SAL as SAL
    from consensa.methods.wbpa import WBPA as WBPA
    from consensa.methods.wbpa import wbpa as wbpa
    from consensa.methods.wspa import WSPA as WSPA
    from consensa.methods.wspa import wspa as wspa

__version__ = "0.1.0.dev0"

_HOMES = {
    "ConsensaWarning": "consensa._messages",
    "Ensemble": "consensa.ensemble",
    "EnsembleClustering": "consensa.methods.ensemble_clustering",
    "LAC": "consensa.generate.lac",
    "MDEC": "consensa.methods.mdec",
    "consensus": "consensa.methods.consensus",
    "wbpa": "consensa.methods.wbpa",
    "wspa": "consensa.methods.wspa",
    **{method.estimator: method.module for method in (*METHODS.values(), *FEATURE_METHODS.values())},
}
_ROOMS = ("evaluate", "generate", "io", "methods", "partition", "relate", "weigh")

__all__ = [*sorted(_HOMES), *_ROOMS, "__version__"]  # noqa: PLE0604 - all are strings


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"consensa.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'consensa' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
