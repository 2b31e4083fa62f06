"""Agreement of many cuts at once: counts of coarse clusters follow from those of fine ones."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble
from consensa.evaluate import member_agreement
from consensa.partition import agglomerate
from consensa.relate import co_association


@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_agreement_of_a_cut_does_not_depend_on_those_beside_it(share_missing):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, (80, 7))
    labels[rng.random(labels.shape) < share_missing] = -1
    ensemble = Ensemble(labels)
    n = ensemble.n_microclusters
    tree = agglomerate(co_association(ensemble), ensemble.sizes)
    cuts = [tree.cut(k) for k in (1, 2, 3, 9, n)] + [rng.integers(0, 5, n), 2 * rng.integers(0, 3, n), tree.cut(4)]
    alone = np.vstack([member_agreement([cut], ensemble) for cut in cuts])
    np.testing.assert_array_equal(member_agreement(cuts, ensemble), alone)
    np.testing.assert_array_equal(member_agreement(cuts[::-1], ensemble), alone[::-1])
