"""consensa: many clusterings in, one better clustering out, with the evidence for it.

Public names are imported when they are first used, so that ``import consensa`` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consensa.methods.registry import FEATURE_METHODS, METHODS

if TYPE_CHECKING:
    from consensa import evaluate as evaluate
    from consensa import generate as generate
    from consensa import io as io
    from consensa import methods as methods
    from consensa import partition as partition
    from consensa import relate as relate
    from consensa import report as report
    from consensa import scale as scale
    from consensa import tl as tl
    from consensa import weigh as weigh
    from consensa._messages import ConsensaWarning as ConsensaWarning
    from consensa.ensemble import Ensemble as Ensemble
    from consensa.evaluate.choose_k import choose_k as choose_k
    from consensa.evaluate.k_choice import KChoice as KChoice
    from consensa.generate.lac import LAC as LAC
    from consensa.methods.ceshl import CESHL as CESHL
    from consensa.methods.comparison import MethodComparison as MethodComparison
    from consensa.methods.comparison import compare_methods as compare_methods
    from consensa.methods.consensus import consensus as consensus
    from consensa.methods.cspa import CSPA as CSPA
    from consensa.methods.dlwecdl import DLWECDL as DLWECDL
    from consensa.methods.dlwecdl import ELWECDL as ELWECDL
    from consensa.methods.drec import DREC as DREC
    from consensa.methods.eac import EAC as EAC
    from consensa.methods.ecmc import ECMC as ECMC
    from consensa.methods.ecpcs import ECPCS as ECPCS
    from consensa.methods.em import EMConsensus as EMConsensus
    from consensa.methods.ensemble_clustering import EnsembleClustering as EnsembleClustering
    from consensa.methods.gpmgla import GPMGLA as GPMGLA
    from consensa.methods.hbgf import HBGF as HBGF
    from consensa.methods.hgpa import HGPA as HGPA
    from consensa.methods.kcc import ECC as ECC
    from consensa.methods.kcc import KCC as KCC
    from consensa.methods.kcc import QMI as QMI
    from consensa.methods.link_based import ASRS as ASRS
    from consensa.methods.link_based import CTS as CTS
    from consensa.methods.link_based import SRS as SRS
    from consensa.methods.lwea import LWEA as LWEA
    from consensa.methods.lwgp import LWGP as LWGP
    from consensa.methods.mcla import MCLA as MCLA
    from consensa.methods.mdec import MDEC as MDEC
    from consensa.methods.mdec import MDECConsensus as MDECConsensus
    from consensa.methods.median import MedianPartition as MedianPartition
    from consensa.methods.nmf import NMFConsensus as NMFConsensus
    from consensa.methods.pta import PTA as PTA
    from consensa.methods.ptgp import PTGP as PTGP
    from consensa.methods.sal import SAL as SAL
    from consensa.methods.saving import load as load
    from consensa.methods.sec import SEC as SEC
    from consensa.methods.spce import SPCE as SPCE
    from consensa.methods.srw import SRW as SRW
    from consensa.methods.stratified import SSCSPA as SSCSPA
    from consensa.methods.stratified import SSHGPA as SSHGPA
    from consensa.methods.stratified import SSMCLA as SSMCLA
    from consensa.methods.supra import SupraConsensus as SupraConsensus
    from consensa.methods.tome import TOME as TOME
    from consensa.methods.trce import TRCE as TRCE
    from consensa.methods.uspec import USENC as USENC
    from consensa.methods.uspec import USPEC as USPEC
    from consensa.methods.voting import Voting as Voting
    from consensa.methods.wbpa import WBPA as WBPA
    from consensa.methods.wbpa import wbpa as wbpa
    from consensa.methods.weac import WEAC as WEAC
    from consensa.methods.wspa import WSPA as WSPA
    from consensa.methods.wspa import wspa as wspa

    __version__: str

_HOMES = {
    "ConsensaWarning": "consensa._messages",
    "Ensemble": "consensa.ensemble",
    "EnsembleClustering": "consensa.methods.ensemble_clustering",
    "KChoice": "consensa.evaluate.k_choice",
    "LAC": "consensa.generate.lac",
    "MDEC": "consensa.methods.mdec",
    "choose_k": "consensa.evaluate.choose_k",
    "MethodComparison": "consensa.methods.comparison",
    "compare_methods": "consensa.methods.comparison",
    "consensus": "consensa.methods.consensus",
    "load": "consensa.methods.saving",
    "wbpa": "consensa.methods.wbpa",
    "wspa": "consensa.methods.wspa",
    **{method.estimator: method.module for method in (*METHODS.values(), *FEATURE_METHODS.values())},
}
_ROOMS = ("evaluate", "generate", "io", "methods", "partition", "relate", "report", "scale", "tl", "weigh")

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
