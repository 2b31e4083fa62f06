"""Every method by name, with its reference: one line here makes a method public everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["FEATURE_METHODS", "METHODS", "Method", "get_method"]


@dataclass(frozen=True)
class Method:
    """What the command line, the comparison of methods and the tests know of a method.

    Parameters
    ----------
    name : str
        The word for ``consensus(method=...)`` and ``--method``.
    estimator, module : str
        The class and where it lives.
    summary : str
        One line for people.
    reference, doi : str
        Where it was published.
    input : {"labels", "features"}
        What its ``fit`` takes: a label matrix, or the data themselves.

    Examples
    --------
    >>> from consensa.methods import METHODS
    >>> METHODS["eac"].doi
    '10.1109/TPAMI.2005.113'
    """

    name: str
    estimator: str
    module: str
    summary: str
    reference: str
    doi: str
    input: str = "labels"

    def load(self) -> Any:
        """Import and return the estimator class."""
        return getattr(import_module(self.module), self.estimator)


_TABLE = (
    Method("dlwecdl", "DLWECDL", "consensa.methods.dlwecdl", "Low-rank representation with divergence weights: Ncut",
           "Xu, Wu, Li & Nan, Entropy 24(10), 2022", "10.3390/e24101324"),
    Method("drec", "DREC", "consensa.methods.drec", "Dense representation of microclusters: Ncut",
           "Zhou, Zheng & Pan, Neurocomputing 357, 2019", "10.1016/j.neucom.2019.04.078"),
    Method("eac", "EAC", "consensa.methods.eac", "Evidence accumulation: linkage on the co-association of objects",
           "Fred & Jain, IEEE TPAMI 27(6), 2005", "10.1109/TPAMI.2005.113"),
    Method("elwecdl", "ELWECDL", "consensa.methods.dlwecdl", "Low-rank representation with entropy weights: Ncut",
           "Xu, Wu, Li & Nan, Entropy 24(10), 2022", "10.3390/e24101324"),
    Method("lwea", "LWEA", "consensa.methods.lwea", "Locally weighted evidence accumulation: average linkage",
           "Huang, Wang & Lai, IEEE Trans. Cybernetics 48(5), 2018", "10.1109/TCYB.2017.2702343"),
    Method("lwgp", "LWGP", "consensa.methods.lwgp", "Locally weighted graph partitioning: transfer cut",
           "Huang, Wang & Lai, IEEE Trans. Cybernetics 48(5), 2018", "10.1109/TCYB.2017.2702343"),
    Method("mdec", "MDECConsensus", "consensa.methods.mdec", "Consensus step of MDEC: weighted linkage, cut or graph",
           "Huang, Wang, Lai & Kwoh, IEEE Trans. Cybernetics 52(11), 2022", "10.1109/TCYB.2021.3049633"),
    Method("pta", "PTA", "consensa.methods.pta", "Probability trajectory accumulation: linkage on random walks",
           "Huang, Lai & Wang, IEEE TKDE 28(5), 2016", "10.1109/TKDE.2015.2503753"),
    Method("ptgp", "PTGP", "consensa.methods.ptgp", "Probability trajectory based graph partitioning: transfer cut",
           "Huang, Lai & Wang, IEEE TKDE 28(5), 2016", "10.1109/TKDE.2015.2503753"),
    Method("sal", "SAL", "consensa.methods.sal", "Spectral angle linkage: average linkage in the spectrum of the graph",
           "consensa's own; graph of Huang, Wang & Lai, 2018", "10.1109/TCYB.2017.2702343"),
)  # fmt: skip

_FEATURE_TABLE = (
    Method("wbpa", "WBPA", "consensa.methods.wbpa", "Weighted clusters in subspaces: graph of LAC clusterings",
           "Al-Razgan & Domeniconi, SDM 2006", "10.1137/1.9781611972764.23", input="features"),
    Method("wspa", "WSPA", "consensa.methods.wspa", "Weighted clusters in subspaces: similarity by LAC clusterings",
           "Al-Razgan & Domeniconi, SDM 2006", "10.1137/1.9781611972764.23", input="features"),
)  # fmt: skip

METHODS = {method.name: method for method in _TABLE}
FEATURE_METHODS = {method.name: method for method in _FEATURE_TABLE}


def get_method(name: str) -> Method:
    """Return the method on label matrices of that name.

    Examples
    --------
    >>> get_method("lwea").estimator
    'LWEA'
    """
    if isinstance(name, str) and name.lower() in METHODS:
        return METHODS[name.lower()]
    if isinstance(name, str) and name.lower() in FEATURE_METHODS:
        estimator = FEATURE_METHODS[name.lower()].estimator
        msg = f"method {name!r} makes its own base clusterings from features: use consensa.{estimator}."
        raise ValueError(msg)
    msg = f"method={name!r} is not known; choose one of {', '.join(map(repr, METHODS))}."
    raise ValueError(msg)
