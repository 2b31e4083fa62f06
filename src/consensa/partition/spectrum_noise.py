"""How much of a spectrum is noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["SpectrumNoise", "spectrum_noise"]


class SpectrumNoise(NamedTuple):
    """What independent clusterings would explain of a spectrum.

    Attributes
    ----------
    n_signal : int
        Number of leading eigenvalues above all that independent clusterings give.
    level : float
        Mean of the others, as a part of what independent clusterings give.

    Examples
    --------
    >>> SpectrumNoise(n_signal=4, level=0.2).level
    0.2
    """

    n_signal: int
    level: float


def spectrum_noise(
    values: np.ndarray, total: float, *, n_objects: int, n_partitions: int, n_base_clusters: int
) -> SpectrumNoise:
    """Compare the spectrum of a graph of objects and clusters with that of clusterings that know nothing of each other.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Leading eigenvalues of the normalised graph of the clusters, falling from 1.
    total : float
        Sum of all eigenvalues.
    n_objects, n_partitions, n_base_clusters : int

    Returns
    -------
    SpectrumNoise
        The level is near 1 where beyond the leading eigenvalues the clusterings share nothing, near 0 where they
        repeat each other.

    Notes
    -----
    All n_base_clusters eigenvalues of independent clusterings, but one for each clustering, scatter about their mean
    ``m = total / n_base_clusters`` (1 / n_partitions without weights), and with n objects they end near
    ``m (1 + sqrt(β))²``, β = (n_base_clusters - n_partitions) / n, the edge of the Marchenko-Pastur law.

    References
    ----------
    Marchenko & Pastur (1967), Distribution of eigenvalues for some sets of random matrices, Mathematics of the
    USSR-Sbornik 1(4). https://doi.org/10.1070/SM1967v001n04ABEH001994

    Examples
    --------
    Two clusterings of 100 objects into 2 that know nothing of each other: what they share is the 1 of all objects.

    >>> import numpy as np
    >>> spectrum_noise(np.array([1.0, 0.5, 0.5]), 2.0, n_objects=100, n_partitions=2, n_base_clusters=4)
    SpectrumNoise(n_signal=1, level=1.0)
    """
    mean = total / n_base_clusters
    n_free = n_base_clusters - n_partitions
    edge = mean * (1.0 + np.sqrt(n_free / n_objects)) ** 2
    n_signal = max(1, int(np.count_nonzero(values > edge)))
    n_other = n_free + 1 - n_signal
    if n_other <= 0:
        return SpectrumNoise(n_signal, 0.0)
    rest = max(total - float(values[:n_signal].sum()), 0.0)
    return SpectrumNoise(n_signal, rest / n_other / mean)
