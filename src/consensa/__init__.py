"""consensa: many clusterings in, one better clustering out, with the evidence for it.

Public names are imported when they are first used, so that ``import consensa`` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consensa.methods.registry import FEATURE_METHODS, METHODS

if TYPE_CHECKING:
    # isort: off
    from consensa import choose as choose, evaluate as evaluate, generate as generate, io as io, methods as methods
    from consensa import partition as partition, relate as relate, report as report, scale as scale, tl as tl
    from consensa import weigh as weigh
    from consensa._messages import ConsensaWarning as ConsensaWarning
    from consensa.choose.k_choice import KChoice as KChoice
    from consensa.choose.significance import Significance as Significance
    from consensa.ensemble import Ensemble as Ensemble
    from consensa.generate.lac import LAC as LAC
    from consensa.methods.balanced import CSPA as CSPA, HGPA as HGPA, MCLA as MCLA, SupraConsensus as SupraConsensus
    from consensa.methods.bipartite import GPMGLA as GPMGLA, HBGF as HBGF, LWGP as LWGP
    from consensa.methods.choose_k import choose_k as choose_k
    from consensa.methods.comparison import MethodComparison as MethodComparison, compare_methods as compare_methods
    from consensa.methods.consensus import consensus as consensus
    from consensa.methods.ensemble_clustering import EnsembleClustering as EnsembleClustering
    from consensa.methods.evidence import EAC as EAC, LWEA as LWEA, WEAC as WEAC
    from consensa.methods.label_kmeans import ECC as ECC, KCC as KCC, QMI as QMI, SEC as SEC
    from consensa.methods.learned import CESHL as CESHL, ECMC as ECMC, SPCE as SPCE, TRCE as TRCE
    from consensa.methods.link_based import ASRS as ASRS, CTS as CTS, ECPCS as ECPCS, SRS as SRS
    from consensa.methods.mdec import MDEC as MDEC, MDECConsensus as MDECConsensus
    from consensa.methods.representation import DLWECDL as DLWECDL, DREC as DREC, ELWECDL as ELWECDL
    from consensa.methods.sal import SAL as SAL
    from consensa.methods.saving import load as load
    from consensa.methods.searches import CEHM as CEHM, EMConsensus as EMConsensus, MedianPartition as MedianPartition
    from consensa.methods.searches import NMFConsensus as NMFConsensus, Voting as Voting
    from consensa.methods.significance import significance as significance
    from consensa.methods.spreading import ECCMS as ECCMS, SDGCA as SDGCA
    from consensa.methods.study import MethodStudy as MethodStudy
    from consensa.methods.stratified import SSCSPA as SSCSPA, SSHGPA as SSHGPA, SSMCLA as SSMCLA
    from consensa.methods.tome import TOME as TOME
    from consensa.methods.uspec import USENC as USENC, USPEC as USPEC
    from consensa.methods.walks import PTA as PTA, PTGP as PTGP, SRW as SRW
    from consensa.methods.weighted_subspaces import WBPA as WBPA, WSPA as WSPA, wbpa as wbpa, wspa as wspa
    # isort: on

    __version__: str

_HOMES = {
    "ConsensaWarning": "consensa._messages",
    "Ensemble": "consensa.ensemble.ensemble",
    "EnsembleClustering": "consensa.methods.ensemble_clustering",
    "KChoice": "consensa.choose.k_choice",
    "LAC": "consensa.generate.lac",
    "MDEC": "consensa.methods.mdec",
    "Significance": "consensa.choose.significance",
    "choose_k": "consensa.methods.choose_k",
    "MethodComparison": "consensa.methods.comparison",
    "MethodStudy": "consensa.methods.study",
    "compare_methods": "consensa.methods.comparison",
    "consensus": "consensa.methods.consensus",
    "load": "consensa.methods.saving",
    "significance": "consensa.methods.significance",
    "wbpa": "consensa.methods.weighted_subspaces",
    "wspa": "consensa.methods.weighted_subspaces",
    **{method.estimator: method.module for method in (*METHODS.values(), *FEATURE_METHODS.values())},
}
_ROOMS = ("choose", "evaluate", "generate", "io", "methods", "partition", "relate", "report", "scale", "tl", "weigh")

__all__ = [*sorted(_HOMES), *_ROOMS, "__version__"]  # noqa: PLE0604 - all are strings


def _find(name: str) -> Any:
    if name == "__version__":
        globals()[name] = found = _installed_version()
        return found
    if name in _ROOMS:
        return import_module(f"consensa.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'consensa' has no attribute {name!r}"
    raise AttributeError(msg)


if not TYPE_CHECKING:  # which would believe any name of a module that has it
    __getattr__ = _find


def __dir__() -> list[str]:
    return sorted(__all__)


def _installed_version() -> str:
    """The version of the installation, which the build took from the tags of the repository."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("consensa")
    except PackageNotFoundError:  # a source tree that is not installed
        return "0+unknown"
