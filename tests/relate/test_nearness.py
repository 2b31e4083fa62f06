"""Labels by the group of greatest mean similarity: bounds and all scores say the same."""

from __future__ import annotations

import numpy as np
import pytest

from consensa.relate.nearness import Angles, ScoreRanking


@pytest.mark.parametrize("n_dimensions", [2, 4, 30])
def test_bounds_leave_the_group_of_the_largest_score(n_dimensions):
    rng = np.random.default_rng(n_dimensions)
    offsets = np.array([0, 5, 12, 20])
    axes = rng.standard_normal((20, n_dimensions))
    angles = Angles(offsets, rng.random(20), axes)
    codes = np.column_stack([rng.integers(0, width, 3000) for width in np.diff(offsets)]).astype(np.int32)
    codes[rng.random(codes.shape) < 0.1] = -1
    members = rng.integers(0, 12, 3000)
    groups = np.array([angles.group(codes[members == g], np.ones(np.sum(members == g))) for g in range(12)])
    groups[7] = groups[3]  # a tie for every row
    found = angles.ranking(groups)(codes)
    np.testing.assert_array_equal(found, ScoreRanking(angles, groups)(codes))
    assert not (found == 7).any()
