"""Paper 003, divergence-weighted low-rank representation (DLWECDL): Tables 1, 3, 4, 5 and Figs. 4, 5, 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa.methods.representation import THETA_GRID
from consensa.weigh import cluster_divergence, cluster_uncertainty
from studies.reproduce.declare import Exhibit, Paper, Reading
from studies.reproduce.examples import ExampleBlock
from studies.reproduce.methods import MethodBlock, Recipe
from studies.reproduce.samples import PoolSource
from studies.reproduce.schema import setting_text
from studies.reproduce.theta import best_thetas, choose_theta

if TYPE_CHECKING:
    import numpy as np

    from consensa import Ensemble

__all__ = ["PAPER"]

_POOLS = {
    "Wine": "DREC_wine", "Segment": "DREC_segment", "VS": "LWEC_VS", "IS": "PTGP_IS", "SPF": "LWEC_SPF",
    "MF": "LWEC_MF", "Semeion": "LWEC_Semeion", "MnistData_05": "DREC_MnistData_05", "Binalpha": "DREC_binalpha",
    "Caltech20": "LWEC_Caltech20", "MnistData_10": "DREC_MnistData_10", "FCT": "LWEC_FCT", "ODR": "LWEC_ODR",
    "LS": "LWEC_LS", "ISOLET": "LWEC_ISOLET", "MNIST": "LWEC_MNIST",
    "Caltech101": "DREC_caltech101_silhouettes_28",
}  # fmt: skip
_LOST = dict.fromkeys(("Zoo", "Control", "Texture"), "no pool")
_QUICK = ("Wine", "VS")
_SOURCE = PoolSource(_POOLS, 20)


def _some(*names: str) -> PoolSource:
    return PoolSource({name: _POOLS[name] for name in names}, 20)


def _largest_share(ensemble: Ensemble) -> np.ndarray:
    """Share of a cluster that stays together in all base clusterings: its largest microcluster."""
    meetings = ensemble.incidence.T.multiply(ensemble.sizes).tocsr()
    return meetings.max(axis=1).toarray().ravel() / ensemble.cluster_sizes


_EXAMPLE = (
    (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4),
    (1, 1, 1, 1, 2, 2, 1, 2, 2, 3, 3, 3),
    (1, 1, 1, 2, 1, 2, 2, 3, 3, 2, 3, 3),
)
_THETAS = tuple({"theta": str(theta)} for theta in THETA_GRID)
_LARGE = ("MnistData_10", "ODR", "LS", "ISOLET", "MNIST", "Caltech101")
_OWN = (Recipe("DLWECDL", "dlwecdl", sweep=_THETAS), Recipe("ELWECDL", "elwecdl", sweep=_THETAS))
_METHODS = (
    *_OWN,
    Recipe("DREC", "drec"),
    Recipe("LWEA", "lwea"),
    Recipe("LWGP", "lwgp"),
    Recipe("PTA-CL", "pta", {"linkage": "complete"}),
    Recipe("MCLA", "mcla"),
    Recipe("CESHL", "ceshl", not_on=_LARGE),
    Recipe("SPCE", "spce", not_on=_LARGE),
    Recipe("TRCE", "trce", not_on=_LARGE),
)
_CLOSED = {"solver": "closed"}
_SCHEMES = tuple({"solver": "published", "rho": rho} for rho in ("2.3", "3.5"))
_SIDE_BY_SIDE = (_CLOSED, *({**scheme, "lam": lam} for scheme in _SCHEMES for lam in ("0.1", "1", "10")))
_TIMED = (
    *(Recipe(name, name.lower()) for name in ("HBGF", "SEC", "PTGP", "MCLA", "LWGP", "DREC")),
    Recipe("PTA-AL", "pta"),
    Recipe("DLWECDL", "dlwecdl", sweep=(_CLOSED, *_SCHEMES)),
)

_BLOCKS = (
    ExampleBlock(
        "1", "example of Fig. 2", "DLWEC", _EXAMPLE,
        {"stable_ratio_R": _largest_share, "cluster_uncertainty": cluster_uncertainty,
         "KL_divergence": cluster_divergence},
    ),
    MethodBlock("3", _SOURCE, _METHODS, extra=("ANMI",), quick=_QUICK, not_quick=("SPCE",)),
    MethodBlock("section3.3", _SOURCE, tuple(Recipe(each.printed, each.name, sweep=_SIDE_BY_SIDE) for each in _OWN),
                quick=_QUICK),
    MethodBlock("5", _some("VS", "Semeion", "SPF", "IS", "Caltech20", "FCT", "MNIST", "ODR", "ISOLET"), _TIMED,
                extra=("seconds",), quick=("VS", "SPF")),
    MethodBlock("fig5", _some("Wine", "SPF", "Caltech20", "FCT", "LS", "ISOLET", "Caltech101"),
                tuple(Recipe(name, name.lower()) for name in ("DREC", "ELWECDL", "DLWECDL")),
                extra=("error_percent",), quick=("Wine",)),
)  # fmt: skip

_CHOICE = (
    "M = 20, true k. theta is the best of every draw by the truth, as the paper does. NMI divided by the larger "
    "entropy, which the published figures follow. IS stands on the pool of paper 001. CESHL, SPCE and TRCE not on "
    f"{', '.join(_LARGE)} (time); all three are variants, after an aim or a port, and not known well enough to agree"
)

_LIMIT = (
    "M = 20, true k. The published figures are those of Table 3, for which the paper chooses theta and lambda by the "
    "truth. The closed form has neither noise nor a learned dictionary, which is the limit of the model: from a lambda "
    "of at most 1 on no column is error, and every dictionary that meets the constraint gives the same optimum. The "
    "published scheme ends there too where lambda is 10 or more. With noise (lambda = 0.1) it is above the closed form "
    "on some pools and below it on others, and level with it on average. On ODR, LS, MNIST and ISOLET, where it takes "
    "long, DLWECDL with rho = 3.5 only"
)
_SECONDS = (
    "seconds of another machine: compare ratios; DLWECDL in closed form, and by the published scheme with both rho. "
    "The paper speaks of less than ten iterations; the scheme takes 20 to 40 until no residual exceeds 1e-8. Its "
    "seconds of PTA and PTGP are a thousandth of ours on the larger data sets; what they include it does not say"
)
_RHO = {f"rho={rho}": f"rho={rho};solver=published" for rho in ("2.3", "3.5")}

PAPER = Paper(
    "003",
    "Xu, Wu, Li & Nan, A divergence-based locally weighted ensemble clustering with dictionary learning",
    _BLOCKS,
    (
        Exhibit("1", "uncertainty and divergence of the clusters of Fig. 2", ("1",),
                tuple(Reading(name, "", name) for name in ("stable_ratio_R", "cluster_uncertainty", "KL_divergence")),
                note="the last two of R are printed in the other order than the clusters give"),
        Exhibit("3", "10 methods, NMI", ("3",), (Reading("NMI/max", "true", "NMI", "true"),), 20, lost=_LOST,
                note=_CHOICE, view=choose_theta),
        Exhibit("4", "10 methods, ARI", ("3",), (Reading("ARI", "true", "ARI", "true"),), 20, lost=_LOST,
                note=_CHOICE, view=choose_theta),
        Exhibit("section3.3", "closed form and published scheme, theta = 1, NMI", ("section3.3",),
                (Reading("NMI/max", "true", "NMI", "true"),), 20, ("DLWECDL", "ELWECDL"), _LOST, _LIMIT, "3",
                alike={"": (setting_text(_CLOSED),)}),
        Exhibit("5", "time of 8 methods, seconds", ("5",), (Reading("seconds", "true", "seconds", "", _RHO),), 1,
                lost={"Texture": "no pool"}, note=_SECONDS),
        Exhibit("fig5", "error of DREC, ELWECDL, DLWECDL in percent", ("fig5",), (Reading("error_percent"),), 20,
                lost={"Control": "no pool"}, note="the paper draws 100 less the error; theta = 1"),
        Exhibit("fig6", "theta with the best NMI of a draw", ("3",), (Reading("best_theta"),), 50,
                ("DLWECDL", "ELWECDL"), _LOST, view=best_thetas),
    ),
)  # fmt: skip
