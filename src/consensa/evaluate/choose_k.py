"""How many clusters: every curve that speaks for a k, and one rule that combines them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._random import draw_seeds
from consensa._validation import as_cluster_numbers, check_integer
from consensa.ensemble import Ensemble, as_ensemble
from consensa.evaluate.agreement import cuts_of_rows, member_agreement, smallest_accepted
from consensa.evaluate.consensus_index import consensus_cdfs, delta_area, pac
from consensa.evaluate.gaps import eigengaps, lifetimes
from consensa.evaluate.k_choice import KChoice
from consensa.evaluate.sampling import sample_objects
from consensa.evaluate.stability import stability
from consensa.partition.dendrogram import Dendrogram

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.methods.base import Cut

__all__ = ["candidate_numbers", "choose_cut", "choose_k", "few_candidates"]

N_RESAMPLES = 10
RULE = (
    "The smallest k that a quarter of the base clusterings agrees with no less than with the best k sets the scale "
    "(ANMI); chosen is the k with the largest mean of the other curves, each standardised, less 2 for every factor of "
    "2 from that scale."
)
_N_ROWS = 1000  # microclusters on which cuts are compared with the base clusterings
_ALL_UP_TO = 50  # beyond, the default candidates are 5 % apart
_OCTAVE = 2.0
_FLAT = 1e-9


def choose_k(
    partitions: Any,
    method: str = "lwea",
    k_range: Any = None,
    *,
    random_state: RandomState = None,
    n_resamples: int = N_RESAMPLES,
    **method_params: Any,
) -> KChoice:
    """Choose the number of clusters from the ensemble alone, with every curve that speaks for or against it.

    Parameters
    ----------
    partitions : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble
    method : str, default="lwea"
        Name of the method whose cuts are judged; :data:`consensa.methods.METHODS` lists them.
    k_range : tuple of two int, sequence of int, or None, default=None
        Smallest and largest candidate, both included, or a list or range of all candidates; those that the ensemble
        cannot be cut into are left out. None for
        2 up to twice the mean number of clusters of the base clusterings, all up to 50 and then in steps of 5 %.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the method and of the splits of the base clusterings.
    n_resamples : int, default=10
        Splits of the base clusterings for the stability.
    **method_params
        Further parameters of the method, for example ``theta``.

    Returns
    -------
    KChoice
        The choice, the curves and what each of them would choose.

    Notes
    -----
    The curves:

    - *lifetime* (methods with a dendrogram): for how long the tree keeps k clusters;
      :func:`consensa.evaluate.lifetimes`.
    - *eigengap* of the transfer cut of the ensemble; :func:`consensa.evaluate.eigengaps`.
    - *anmi*: mean agreement of the cut with the base clusterings, corrected for chance. Its maximum lies near the mean
      k of the base clusterings whatever the data, so its vote is the smallest k that a quarter of the base clusterings
      likes no less than that maximum; :func:`consensa.evaluate.member_agreement`.
    - *stability*: agreement of two halves of the base clusterings; :func:`consensa.evaluate.stability`.
    - *pac* and *delta_area* (Monti), where every base clustering leaves objects out, from those with k clusters each;
      :func:`consensa.evaluate.consensus_cdfs`. PAC favours large k and never decides alone.

    The rule: the vote of *anmi* sets the scale; the score of a k is the mean of the other curves, each with mean 0 and
    standard deviation 1 over the candidates, less 2 for every factor of 2 between k and the scale. The largest score
    wins, the smaller k of equal ones. k = 1 is chosen only where nothing else is possible. No labels and nothing of a
    data set enter. How often it finds the number of classes of real data is in the documentation (choice of k).

    All cuts come from one fit of the method. Where there are more, cuts are compared on objects in about 1,000
    microclusters, halves in 512, pairs in 2,048, drawn by the hashes of their labels, so the choice does not depend on
    the order of the objects.

    References
    ----------
    Fred & Jain (2005), IEEE TPAMI 27(6), for the lifetime. https://doi.org/10.1109/TPAMI.2005.113
    Strehl & Ghosh (2003), JMLR 3, for ANMI. https://doi.org/10.1162/153244303321897735
    Ben-Hur, Elisseeff & Guyon (2002), PSB 7, for the stability. https://doi.org/10.1142/9789812799623_0002
    Monti, Tamayo, Mesirov & Golub (2003), Machine Learning 52. https://doi.org/10.1023/A:1023949509487
    Şenbabaoğlu, Michailidis & Li (2014), Scientific Reports 4, 6207. https://doi.org/10.1038/srep06207

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from consensa import choose_k
    >>> from consensa.generate import KMeansPartitions
    >>> X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> partitions = KMeansPartitions(20, random_state=0).fit_transform(X)
    >>> choice = choose_k(partitions, random_state=0)
    >>> choice.n_clusters, choice.votes
    (3, {'lifetime': 3, 'eigengap': 3, 'anmi': 3, 'stability': 3})
    """
    from consensa.methods.consensus import make_method

    method_seed, seed = draw_seeds(random_state, 2)
    estimator = make_method(method, "auto", method_seed, method_params)
    ensemble = as_ensemble(partitions, missing=estimator.missing)
    cut = estimator._consensus(ensemble)  # noqa: SLF001 - the one fit, without labels of a k
    return choose_cut(cut, ensemble, k_range, random_state=seed, n_resamples=n_resamples)


def choose_cut(
    cut: Cut,
    ensemble: Ensemble,
    k_range: Any = None,
    *,
    random_state: RandomState = 0,
    n_resamples: int = N_RESAMPLES,
) -> KChoice:
    """Choose the number of clusters of something that can be cut; see :func:`choose_k`.

    Parameters
    ----------
    cut : Dendrogram, SpectralCut or anything with ``cut(n_clusters)``
        Labels of the microclusters of the ensemble.
    ensemble : Ensemble
    k_range : sequence of int or None, default=None
    random_state : int, RandomState, Generator or None, default=0
    n_resamples : int, default=10

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
    check_integer("n_resamples", n_resamples)
    limit = getattr(cut, "n_clusters_max", ensemble.n_microclusters)
    k = candidate_numbers(ensemble, min(int(limit), ensemble.n_microclusters), k_range)
    curves: dict[str, np.ndarray] = {}
    tree = getattr(cut, "dendrogram", cut)
    if isinstance(tree, Dendrogram):
        curves["lifetime"] = lifetimes(tree, k)
    curves["eigengap"] = np.where(k > 1, eigengaps(ensemble, k), np.nan)
    rows, counts = sample_objects(ensemble, max(_N_ROWS, 4 * int(k.max())))
    agreement = member_agreement(cuts_of_rows(cut, k.tolist(), rows, counts), ensemble, rows, counts)
    curves["anmi"] = np.where(k > 1, agreement.mean(axis=1), np.nan)
    if ensemble.n_partitions > 1:
        halves = stability(ensemble, k, n_resamples=n_resamples, random_state=random_state)
        curves["stability"] = halves.mean(axis=0)
    cdf = consensus_cdfs(ensemble, k)
    if cdf is not None:
        growth = delta_area(cdf)
        curves["pac"] = np.array([pac(cdf[int(number)]) if number in cdf else np.nan for number in k])
        curves["delta_area"] = np.array([growth.get(int(number), np.nan) for number in k])
    return _combine(k, curves, int(k[_first_accepted(agreement, k)]), cdf)


def candidate_numbers(ensemble: Ensemble, limit: int, k_range: Any = None) -> np.ndarray:
    """Return the numbers of clusters to look at, rising; see ``k_range`` of :func:`choose_k`.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> candidate_numbers(Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 2, 2]]), 4), candidate_numbers(Ensemble([[0, 0]]), 1)
    (array([2, 3, 4]), array([1]))
    """
    if k_range is not None:
        listed = as_cluster_numbers(k_range, "k_range")
        if isinstance(k_range, tuple) and len(listed) == 2:
            listed = list(range(listed[0], listed[1] + 1)) or listed
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
    found = [min(2, upper)]
    while found[-1] < upper:
        found.append(min(upper, max(found[-1] + 1, int(1.05 * found[-1]) if found[-1] >= _ALL_UP_TO else 0)))
    return np.array(found)


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
    wanted = np.geomspace(k[0], k[-1], n_candidates)
    return sorted({int(k[np.argmin(np.abs(k - number))]) for number in wanted})


def _first_accepted(agreement: np.ndarray, k: np.ndarray) -> int:
    skipped = 1 if k[0] == 1 and k.size > 1 else 0
    return skipped + smallest_accepted(agreement[skipped:])


def _combine(k: np.ndarray, curves: dict[str, np.ndarray], scale: int, cdf: dict[int, np.ndarray] | None) -> KChoice:
    evidence = {name: _evidence(name, values) for name, values in curves.items() if name != "anmi"}
    mean = np.mean([_standardised(values) for values in evidence.values()], axis=0)
    score = np.round(mean - _OCTAVE * np.abs(np.log2(k / scale)), 9)
    if k.size > 1:
        score[k == 1] = np.nan
    found = {name: scale if name == "anmi" else _vote(k, name, evidence[name]) for name in curves}
    return KChoice(
        n_clusters=int(k[int(np.nanargmax(score))]),
        k=k,
        curves=curves,
        score=score,
        votes={name: vote for name, vote in found.items() if vote is not None},
        cdf=cdf,
        rule=RULE,
    )


def _evidence(name: str, values: np.ndarray) -> np.ndarray:
    """Turn a curve so that large values speak for a k."""
    if name == "pac":
        return -values
    if name == "delta_area":  # the k after which the area stops growing
        return values - np.append(values[1:], np.nan)
    return values


def _standardised(values: np.ndarray) -> np.ndarray:
    """Mean 0 and standard deviation 1 over the candidates; 0 where the curve is not defined or flat."""
    known = values[np.isfinite(values)]
    spread = float(known.std()) if known.size else 0.0
    if spread < _FLAT:
        return np.zeros(values.size)
    return np.where(np.isfinite(values), (values - known.mean()) / spread, 0.0)


def _vote(k: np.ndarray, name: str, values: np.ndarray) -> int | None:
    """The k with the largest value: the smallest of equal ones, but the largest that is equally stable."""
    if not np.isfinite(values).any():
        return None
    best = np.flatnonzero(np.nan_to_num(values, nan=-np.inf) >= np.nanmax(values) - _FLAT)
    return int(k[best[-1 if name == "stability" else 0]])
