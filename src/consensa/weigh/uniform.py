"""Every cluster counts the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["uniform_weights"]


def uniform_weights(ensemble: Ensemble) -> np.ndarray:
    """Give every cluster the weight 1.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    ndarray of shape (n_base_clusters,)

    Examples
    --------
    >>> from consensa import Ensemble
    >>> uniform_weights(Ensemble([[0, 0, 1], [0, 1, 1]]))
    array([1., 1., 1., 1.])
    """
    return np.ones(ensemble.n_base_clusters)
