"""How every cluster is spread over the clusters of all clusterings: entropy and squared shares, in one pass."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from consensa._threads import thread_map
from consensa.ensemble import _kernels_spread as kernels
from consensa.ensemble._kernels_spread import Met, Spread
from consensa.ensemble.pairs import stripe_counts, stripes

if TYPE_CHECKING:
    from consensa.ensemble.ensemble import Ensemble
    from consensa.ensemble.pairs import Stripe

__all__ = ["Spread", "cluster_spread"]

_GROUPS = 16  # of clusterings, whose sums are added in order: the same for any number of threads


def cluster_spread(ensemble: Ensemble) -> Spread:
    """Return the sums over all clusterings of entropy and squared shares, for every cluster.

    Shares in a clustering are those of the objects that it labels, and squared ones those of all objects.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> spread = cluster_spread(Ensemble([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]))
    >>> spread.entropy.round(3), spread.squares / 2**40
    (array([0.693, 0.   , 0.   , 0.   , 0.   ]), array([1.5, 2. , 2. , 2. , 2. ]))
    """
    common, offsets, sizes = stripe_counts(ensemble), ensemble.offsets.copy(), ensemble.cluster_sizes.copy()

    def add(group: list[list[Stripe]]) -> Spread:
        n = sizes.size
        sums = Spread(np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64))
        met = Met(np.zeros(n, np.int64), np.zeros(n))
        for parts in group:
            for stripe in parts:
                later = stripe.partition + 1
                kernels.add_rows(common(stripe, later), stripe.start, later, offsets, sizes, sums, met)
            kernels.add_columns(sums, met)
        return sums

    members = [list(parts) for _, parts in groupby(stripes(offsets), key=lambda stripe: stripe.partition)]
    total, *others = thread_map(add, [members[first::_GROUPS] for first in range(_GROUPS)])
    for other in others:
        for sums, more in zip(total, other, strict=True):
            np.add(sums, more, out=sums)
    whole = ensemble.cluster_sizes > 0  # every cluster lies in itself
    total.n_counted[whole] += 1
    total.squares[whole] += 4**kernels.SHARE_BITS
    return total
