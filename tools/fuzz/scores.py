"""Scores of two clusterings are those of scikit-learn, whatever the labels are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa.evaluate import accuracy, align_labels, ari, error_rate, nmi
from tools.fuzz.rules import answer, demand, same

__all__ = ["check_scores", "scores_case"]


def scores_case(seed: int) -> dict[str, Any]:
    """Draw two clusterings."""
    rng = np.random.default_rng([5, seed])
    n = int(rng.choice([1, 2, 3, 5, 10, 40]))
    labels = rng.integers(0, rng.integers(1, n + 1, 2), (n, 2))
    if rng.random() < 0.2:
        labels[:, 1] = labels[:, 0]
    return {"labels": labels, "name": "scores", "seed": seed}


def check_scores(case: dict[str, Any]) -> bool:
    """ARI, NMI and accuracy against others, the same under other names and in the other order."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
    from sklearn.metrics.cluster import contingency_matrix

    a, b = case["labels"].T
    shift = int(case["seed"]) % 7
    rand, matched = adjusted_rand_score(a, b), _matched(contingency_matrix(a, b)) / a.size
    found = {
        "ari": (answer(lambda: ari(a, b))[0], rand),
        "nmi": (answer(lambda: nmi(a, b))[0], normalized_mutual_info_score(a, b, average_method="geometric")),
        "accuracy": (answer(lambda: accuracy(a, b))[0], matched),
        "error": (answer(lambda: error_rate(a, b))[0], 1 - matched),
        "order": (answer(lambda: ari(b, a))[0], rand),
        "names": (answer(lambda: nmi((b + 1) * 3 + shift, a))[0], nmi(a, b)),
    }
    for name, (ours, theirs) in found.items():
        demand(ours is not None and abs(ours - theirs) < 1e-9, name, f"{ours} {theirs}")
    aligned, _ = answer(lambda: align_labels(a, b))
    demand(aligned is not None and same(aligned, a), "aligned", f"{aligned} {a}")
    return True


def _matched(table: np.ndarray) -> int:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return int(table[rows, columns].sum())
