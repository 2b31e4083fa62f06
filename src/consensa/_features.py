"""Feature weights of clusters, shown by the names of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._validation import check_integer

__all__ = ["FeatureWeightsMixin"]


class FeatureWeightsMixin:
    """For estimators with ``feature_weights_`` (n_clusters x n_features)."""

    feature_weights_: np.ndarray
    n_features_in_: int

    def top_features(self, n_features: int = 5) -> dict[int, dict[str, float]]:
        """Return the features that weigh most in every cluster, by name.

        Parameters
        ----------
        n_features : int, default=5
            How many features to give for a cluster.

        Returns
        -------
        dict of dict
            For every cluster the names of its features, heaviest first, with their weights. Features without names
            are called x0, x1, ...
        """
        check_is_fitted(self, "feature_weights_")
        n_shown = check_integer("n_features", n_features)
        names: Any = getattr(self, "feature_names_in_", [f"x{f}" for f in range(self.n_features_in_)])
        heaviest = np.argsort(-self.feature_weights_, axis=1, kind="stable")[:, :n_shown]
        return {
            cluster: {str(names[f]): float(self.feature_weights_[cluster, f]) for f in order}
            for cluster, order in enumerate(heaviest)
        }
