"""The curves over the number of clusters, with the one that was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa.choose.gaps import lifetimes
from consensa.choose.k_choice import percent
from consensa.ensemble.sampling import sample_objects
from consensa.evaluate.member_agreement import member_agreement

if TYPE_CHECKING:
    from consensa.choose.k_choice import KChoice
    from consensa.report.subject import Subject

__all__ = ["choice_curves", "k_curves"]

_MAX_LABELS = 500_000  # above, cutting again for every k takes too long for a report
_MAX_SCORES = 2000  # of cuts with base clusterings
_N_ROWS = 1000  # microclusters on which cuts are compared with the base clusterings
_MAX_CANDIDATES = 200
_MAX_CDFS = 10
_TITLES = {
    "probability": "Probability",
    "conductance": "Conductance: how much harder it is to split further",
    "eigenvalues": "Ratio of eigenvalues",
    "gaussians": "Fit of Gaussians, one for each cluster (less BIC per object than the best)",
    "lifetime": "Lifetime in the dendrogram",
    "agreement": "Agreement with the base clusterings (corrected for chance)",
    "stability": "Stability under resampling",
    "pac": "Proportion of ambiguous pairs (PAC)",
    "delta_area": "Gain in the area under the CDF",
}
_SMALL_IS_GOOD = {"pac"}


def k_curves(subject: Subject) -> dict[str, Any]:
    """Curves over k: those of ``n_clusters="auto"``, or cheap ones, or the reason why there are none.

    ``chosen``, ``k``, ``curves`` (name, title, values, whether small is good, the k it votes for) and ``note``.
    """
    choice = subject.model.choice_
    if choice is not None:
        return {**choice_curves(choice), "chosen": subject.n_clusters, "cdf": _shown_cdfs(choice)}
    k = _candidates(subject)
    if k.size < 2:
        note = (
            'The number of clusters was given. Fit with n_clusters="auto" (-k auto on the command line) to see the '
            "evidence for every number."
        )
        return {"chosen": subject.n_clusters, "k": [], "curves": [], "note": note}
    cut, ensemble = subject.model.cut_, subject.ensemble
    rows, counts = sample_objects(ensemble, _N_ROWS)
    found = member_agreement(cut.cut_rows(k.tolist(), rows, counts), ensemble, rows, counts)
    curves = {"agreement": found.mean(axis=1)}
    if cut.tree is not None:
        curves["lifetime"] = lifetimes(cut.tree, k)
    by = "given, not chosen" if subject.model.significance_ is None else "found by a test of the splits"
    note = (
        f"The number of clusters was {by}. Shown is how well the same consensus, cut into other numbers, "
        'agrees with the base clusterings; n_clusters="auto" looks at more than that.'
    )
    return _curves(subject.n_clusters, k, curves, {}, note)


def choice_curves(choice: KChoice) -> dict[str, Any]:
    """Curves of a choice of k, as :func:`k_curves` gives them."""
    curves = {"probability": choice.probabilities, **choice.curves}
    votes = {"probability": choice.n_clusters, **choice.votes}
    shown = _curves(choice.n_clusters, choice.k, curves, votes, choice.rule)
    return {**shown, "verdict": choice.verdict(), "strength": round(choice.strength, 4), "sentence": _sentence(choice)}


def _sentence(choice: KChoice) -> str:
    """What was chosen and how sure that is, for people."""
    others = " or ".join(str(k) for k in choice.runners_up)
    number = "One cluster" if choice.n_clusters == 1 else f"{choice.n_clusters} clusters"
    beside = f"; {others} would be worth a look, too" if others else ""
    any_at_all = f"That there are clusters at all has a probability of {percent(choice.strength)}."
    return f"{number}, with a probability of {percent(choice.probability)}{beside}. {any_at_all}"


def _shown_cdfs(choice: KChoice) -> dict[str, list[float]] | None:
    """The distribution of the consensus index for some k, among them the chosen one."""
    if choice.cdf is None:
        return None
    kept = sorted(sorted(choice.cdf, key=lambda k: abs(k - choice.n_clusters))[:_MAX_CDFS])
    return {str(k): np.nan_to_num(choice.cdf[k]).round(3).tolist() for k in kept}


def _candidates(subject: Subject) -> np.ndarray:
    """Numbers of clusters worth a look where cutting is cheap, and the labels go by label rows."""
    if subject.labeller is None:
        return np.empty(0, int)
    if isinstance(subject.model.labels_, dict):
        return np.sort(np.array(list(subject.model.labels_)))[:_MAX_CANDIDATES]
    ensemble, cut = subject.ensemble, subject.model.cut_
    limit = min(cut.n_clusters_max, ensemble.n_microclusters, ensemble.n_base_clusters)
    k = np.arange(2, min(max(10, 2 * subject.n_clusters), limit) + 1)
    costly = ensemble.labels.size > _MAX_LABELS or subject.n_clusters > 30
    return np.empty(0, int) if costly or k.size * ensemble.n_partitions > _MAX_SCORES else k


def _curves(chosen: int, k: Any, curves: dict[str, np.ndarray], votes: dict[str, int], note: str) -> dict[str, Any]:
    return {
        "chosen": chosen,
        "k": [int(each) for each in k[:_MAX_CANDIDATES]],
        "curves": [
            {
                "name": name,
                "title": _TITLES.get(name, name),
                "values": [round(float(v), 4) if np.isfinite(v) else None for v in values[:_MAX_CANDIDATES]],
                "small_is_good": name in _SMALL_IS_GOOD,
                "vote": votes.get(name),
            }
            for name, values in curves.items()
        ],
        "note": note,
    }
