"""The curves over the number of clusters, with the one that was chosen."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._messages import ConsensaWarning
from consensa.evaluate import anmi
from consensa.evaluate.gaps import lifetimes
from consensa.partition import Dendrogram

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["k_curves"]

_MAX_LABELS, _MAX_OBJECTS = 500_000, 100_000  # above, cutting again for every k takes too long for a report
_MAX_SCORES = 2000  # NMI of cuts with base clusterings
_MAX_CANDIDATES = 200
_TITLES = {
    "lifetime": "Lifetime in the dendrogram",
    "eigengap": "Gap between eigenvalues",
    "anmi": "Agreement with the base clusterings (ANMI)",
    "stability": "Stability under resampling",
    "pac": "Proportion of ambiguous pairs (PAC)",
    "delta_area": "Gain in the area under the CDF",
    "score": "Combined score",
}
_SMALL_IS_GOOD = {"pac"}


def k_curves(subject: Subject) -> dict[str, Any]:
    """Curves over k: those of ``n_clusters="auto"``, or cheap ones, or the reason why there are none.

    Parameters
    ----------
    subject : Subject

    Returns
    -------
    dict
        ``chosen``, ``k``, ``curves`` (name, title, values, whether small is good, the k it votes for) and ``note``.
    """
    choice = getattr(subject.model, "choice_", None) or getattr(subject.consensus, "choice_", None)
    if choice is not None:
        curves = {"score": choice.score, **choice.curves}
        return _curves(subject, choice.k, curves, dict(choice.votes), str(choice.rule))
    k = _candidates(subject)
    if k.size < 2:
        note = (
            'The number of clusters was given. Fit with n_clusters="auto" (-k auto on the command line) to see the '
            "evidence for every number."
        )
        return {"chosen": subject.n_clusters, "k": [], "curves": [], "note": note}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)  # these labels are only compared
        found = subject.model.cut(k.tolist()) if not isinstance(subject.model.labels_, dict) else subject.model.labels_
    curves = {"anmi": np.array([anmi(found[int(each)], subject.ensemble) for each in k])}
    tree = getattr(subject.consensus, "dendrogram_", None)
    if isinstance(tree, Dendrogram):
        curves["lifetime"] = lifetimes(tree, k)
    note = (
        "The number of clusters was given, not chosen. Shown is how well the same consensus, cut into other numbers, "
        'agrees with the base clusterings; n_clusters="auto" looks at more than that.'
    )
    return _curves(subject, k, curves, {}, note)


def _candidates(subject: Subject) -> np.ndarray:
    """Numbers of clusters worth a look where cutting is cheap."""
    if isinstance(subject.model.labels_, dict):
        return np.sort(np.array(list(subject.model.labels_)))[:_MAX_CANDIDATES]
    ensemble = subject.ensemble
    costly = ensemble.labels.size > _MAX_LABELS or ensemble.n_objects > _MAX_OBJECTS or subject.n_clusters > 30
    if costly or not hasattr(subject.consensus, "ensemble_"):
        return np.empty(0, int)
    limit = min(ensemble.n_microclusters, ensemble.n_base_clusters)
    k = np.arange(2, min(max(10, 2 * subject.n_clusters), limit) + 1)
    return k if k.size * ensemble.n_partitions <= _MAX_SCORES else np.empty(0, int)


def _curves(
    subject: Subject, k: Any, curves: dict[str, np.ndarray], votes: dict[str, int], note: str
) -> dict[str, Any]:
    return {
        "chosen": subject.n_clusters,
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
