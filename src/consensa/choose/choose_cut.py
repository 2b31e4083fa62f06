"""How many clusters: every curve that speaks for a k, and one rule that combines them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._validation import as_cluster_numbers, check_integer
from consensa.choose.consensus_index import consensus_cdfs, delta_area, pac
from consensa.choose.evidence import gather, number_grid
from consensa.choose.gaps import lifetimes
from consensa.choose.k_choice import KChoice
from consensa.choose.rule import RULE, choose_number, single_cluster
from consensa.choose.stability import stability
from consensa.ensemble.sampling import sample_objects
from consensa.evaluate.member_agreement import member_agreement

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.choose.evidence import Evidence
    from consensa.choose.separation import FeaturesOf
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut

__all__ = ["N_RESAMPLES", "candidate_numbers", "choose_cut", "few_candidates", "smallest_accepted"]

N_RESAMPLES = 2
_N_ROWS = 1000  # microclusters on which cuts are compared with the base clusterings
_FLAT = 1e-9
_ACCEPTED_BY = 0.25  # share of the base clusterings


def choose_cut(
    cut: Cut,
    ensemble: Ensemble,
    k_range: Any = None,
    *,
    features_of: FeaturesOf | None = None,
    random_state: RandomState = 0,
    n_resamples: int = N_RESAMPLES,
) -> KChoice:
    """Choose the number of clusters of something that can be cut; see :func:`~consensa.choose_k`.

    Parameters
    ----------
    cut : Cut
        Of the microclusters of the ensemble.
    ensemble : Ensemble
    k_range : sequence of int or None, default=None
    features_of : callable or None, default=None
        Gives the features (n x d) of objects by their numbers, which rise; they tell more than labels alone.
    random_state : int, RandomState, Generator or None, default=0
    n_resamples : int, default=2

    Returns
    -------
    KChoice

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]])
    >>> choose_cut(agglomerate(co_association(ensemble), ensemble.sizes), ensemble).n_clusters
    3
    """
    check_integer("n_resamples", n_resamples, at_least=0)
    k = candidate_numbers(ensemble, min(cut.n_clusters_max, ensemble.n_microclusters), k_range)
    evidence = gather(cut, ensemble, k, features_of)
    n_clusters, probabilities = choose_number(evidence, k)
    curves = _curves_of(evidence, k)
    if cut.tree is not None:
        curves["lifetime"] = lifetimes(cut.tree, k)
    rows, counts = sample_objects(ensemble, max(_N_ROWS, 4 * int(k.max())))
    agreement = member_agreement(cut.cut_rows(k.tolist(), rows, counts), ensemble, rows, counts)
    curves["agreement"] = np.where(k > 1, agreement.mean(axis=1), np.nan)
    if ensemble.n_partitions > 1 and n_resamples:
        halves = stability(ensemble, k, n_resamples=n_resamples, random_state=random_state)
        curves["stability"] = halves.mean(axis=0)
    cdf = consensus_cdfs(ensemble, k)
    if cdf is not None:
        growth = delta_area(cdf)
        curves["pac"] = np.array([pac(cdf[int(number)]) if number in cdf else np.nan for number in k])
        curves["delta_area"] = np.array([growth.get(int(number), np.nan) for number in k])
    votes = {name: _vote(k, name, _evidence(name, values)) for name, values in curves.items()}
    votes["agreement"] = int(k[_first_accepted(agreement, k)])
    return KChoice(
        n_clusters=n_clusters,
        k=k,
        probabilities=probabilities,
        curves=curves,
        votes={name: vote for name, vote in votes.items() if vote is not None},
        strength=1 - single_cluster(evidence),
        cdf=cdf,
        rule=RULE,
    )


def _curves_of(evidence: Evidence, k: np.ndarray) -> dict[str, np.ndarray]:
    places = np.searchsorted(evidence.k, k)
    found = {"conductance": evidence.score, "eigenvalues": evidence.ratio}
    if evidence.misfit is not None:
        found["gaussians"] = -evidence.misfit
    return {name: np.where(k > 1, values[places], np.nan) for name, values in found.items()}


def candidate_numbers(ensemble: Ensemble, limit: int, k_range: Any = None) -> np.ndarray:
    """Return the numbers of clusters to look at, rising; see ``k_range`` of :func:`~consensa.choose_k`.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> candidate_numbers(Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 2, 2]]), 4), candidate_numbers(Ensemble([[0, 0]]), 1)
    (array([1, 2, 3, 4]), array([1]))
    """
    if k_range is not None:
        listed = as_cluster_numbers(k_range, "k_range")
        if isinstance(k_range, tuple) and len(listed) == 2:
            listed = list(range(listed[0], min(listed[1], limit) + 1)) or listed  # none beyond: it may be any number
        wanted = np.unique(listed)
        kept = wanted[(wanted >= 1) & (wanted <= limit)]
        if wanted[0] < 1 or not kept.size:
            msg = (
                f"k_range={k_range!r} is not allowed: this ensemble can be cut into 1 to {limit} clusters; give a "
                "sequence of candidates of at least 1 with some of these among them, for example range(2, 6)."
            )
            raise ValueError(msg)
        return np.asarray(kept)
    filled = np.count_nonzero(np.diff(ensemble.offsets))
    upper = min(limit, int(np.ceil(2 * ensemble.n_base_clusters / filled)))
    return number_grid(upper, upper)


def few_candidates(ensemble: Ensemble, k_range: Any = None, n_candidates: int = 5) -> list[int]:
    """Return some of the candidates, in equal ratios from the smallest to the largest.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> few_candidates(Ensemble(np.arange(100).reshape(-1, 1)), range(2, 33))
    [2, 4, 8, 16, 32]
    """
    k = candidate_numbers(ensemble, ensemble.n_microclusters, k_range)
    k = k[k > 1] if k[-1] > 1 else k
    wanted = np.geomspace(k[0], k[-1], n_candidates)
    return sorted({int(k[np.argmin(np.abs(k - number))]) for number in wanted})


def smallest_accepted(agreement: np.ndarray) -> int:
    """Return the first row that a quarter of the columns likes no less than the row with the best mean.

    With base clusterings of many different k the mean agreement (n_candidates x n_members) is largest near *their* mean
    k. The smallest k that a quarter of them accepts is free of that, and does not depend on how many there are.

    Examples
    --------
    >>> import numpy as np
    >>> smallest_accepted(np.array([[0.1, 0.1, 0.1, 0.1], [0.9, 0.3, 0.3, 0.3], [0.8, 0.5, 0.5, 0.5]]))
    1
    """
    best = agreement[int(np.argmax(np.round(agreement.mean(axis=1), 9)))]
    accepted = np.mean(agreement >= best - _FLAT, axis=1) >= _ACCEPTED_BY
    return int(np.flatnonzero(accepted)[0])


def _first_accepted(agreement: np.ndarray, k: np.ndarray) -> int:
    skipped = 1 if k[0] == 1 and k.size > 1 else 0
    return skipped + smallest_accepted(agreement[skipped:])


def _evidence(name: str, values: np.ndarray) -> np.ndarray:
    """Turn a curve so that large values speak for a k."""
    if name == "pac":
        return -values
    if name == "delta_area":  # the k after which the area stops growing
        return values - np.append(values[1:], np.nan)
    return values


def _vote(k: np.ndarray, name: str, values: np.ndarray) -> int | None:
    """The k with the largest value: the smallest of equal ones, but the largest that is equally stable."""
    if not np.isfinite(values).any():
        return None
    best = np.flatnonzero(np.nan_to_num(values, nan=-np.inf) >= np.nanmax(values) - _FLAT)
    return int(k[best[-1 if name == "stability" else 0]])
