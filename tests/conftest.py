"""Settings and fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from consensa.methods import METHODS

# The same examples on every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("default", deadline=None, derandomize=True, database=None, max_examples=60)
settings.register_profile(
    "explore", deadline=None, database=None, max_examples=2000, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

PI = np.array(
    [
        [1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 3, 1, 3, 3, 3, 3],
        [1, 1, 1, 1, 2, 2, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3],
        [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3],
    ]
).T


@pytest.fixture
def example_a():
    """Figure 2 and Table I of the LWEC paper: 16 objects, three clusterings of three clusters."""
    return PI.copy()


@pytest.fixture(params=sorted(METHODS))
def method(request):
    """Every registered method in turn: a function that builds its estimator, seeded where it draws numbers."""

    def build(n_clusters, **parameters):
        estimator = METHODS[request.param].load()(n_clusters=n_clusters)
        if "random_state" in estimator.get_params():
            parameters = {"random_state": 0, **parameters}
        return estimator.set_params(**parameters)

    def free(n_clusters, **parameters):
        """The same without forced balance, for the methods that force it."""
        if METHODS[request.param].balanced:
            parameters = {"partitioner": METHODS[request.param].load()._free, **parameters}
        return build(n_clusters, **parameters)

    build.free = free
    build.spec = METHODS[request.param]
    return build


@pytest.fixture(scope="session")
def shared_data():
    """The folder that holds data/ and golden/, from CONSENSA_DATA; the test is skipped without it."""
    given = os.environ.get("CONSENSA_DATA")
    if not given:
        pytest.skip("CONSENSA_DATA is not set")
    folder = Path(given)
    return folder if (folder / "data").is_dir() else folder.parent
