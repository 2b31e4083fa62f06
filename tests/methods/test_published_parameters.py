"""Every parameter that the five papers name is there, by its name, and every published variant fits."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consensa import DLWECDL, ELWECDL, LAC, LWEA, LWGP, MDEC, PTA, PTGP, WBPA, WSPA, ConsensaWarning, MDECConsensus
from consensa.generate import KMeansPartitions, LACPartitions, MixedPartitions, RPCLPartitions

THETAS = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4]
THETA_GRID = [round(0.2 + 0.1 * step, 1) for step in range(19)]
LAMBDAS = [0.01, 0.1, 1, 10, 100, 200, 500]
NUMBERS = [1, 2, 4, 8, 16, 32, 64]

# paper, name in the paper, value in the paper, class, parameter, value here, what else the variant is
TABLE = [
    *(("000", "theta", value, model, "theta", value, {}) for value in THETAS for model in (LWEA, LWGP)),
    ("000", "k", "[2, sqrt(N)]", KMeansPartitions, "k_range", (2, 7), {}),
    ("000", "Tcut", "with its factor", LWGP, "exact_transfer", True, {}),
    *(("001", "K", value, model, "n_neighbors", value, {}) for value in NUMBERS for model in (PTA, PTGP)),
    *(("001", "T", value, model, "n_steps", value, {}) for value in (*NUMBERS, 128) for model in (PTA, PTGP)),
    *(("001", "K", "ALL", model, "n_neighbors", "all", {}) for model in (PTA, PTGP)),
    *(("001", "K", "floor(sqrt(Ñ)/2)", model, "n_neighbors", None, {}) for model in (PTA, PTGP)),
    *(("001", "T", "floor(sqrt(Ñ)/2)", model, "n_steps", None, {}) for model in (PTA, PTGP)),
    *(("001", "linkage", name, PTA, "linkage", name, {}) for name in ("average", "complete", "single")),
    *(("001", "Eq. 12", name, model, "similarity", name, {}) for name in ("cosine", "dice") for model in (PTA, PTGP)),
    ("001", "k", "[2, min(sqrt(N)/2, 50)]", RPCLPartitions, "k_range", (2, 3), {}),
    ("001", "base clusterings", "half k-means, half RPCL", MixedPartitions, "n_partitions", 4, {}),
    *(("002", "tau", value / 10, MDEC, "tau", value / 10, {}) for value in range(1, 11)),
    ("002", "mu", "[0.2, 0.8]", MDEC, "mu_range", (0.2, 0.8), {}),
    ("002", "k", "[5, 20]", MDEC, "neighbors_range", (5, 20), {}),
    ("002", "K_m", "[2, sqrt(N)]", MDEC, "k_range", (2, 7), {}),
    ("002", "M", 100, MDEC, "n_partitions", 100, {"tau": 0.5}),
    *(("002", "MDEC-", name.upper(), MDEC, "consensus", name, {}) for name in ("hc", "sc", "bg")),
    *(("002", "Fig. 5", name, MDEC, "metric", name, {}) for name in ("kernel", "cosine", "correlation", "spearman")),
    *(("002", "Eq. 1-3", name, MDEC, "variant", name, {}) for name in ("paper", "code")),
    *(("002", "Eq. 21", name, MDECConsensus, "diagonal", name, {"consensus": "sc"}) for name in ("formula", "one")),
    *(("002", "weighted", value, MDEC, "weighted", value, {}) for value in (True, False)),
    ("002", "theta", 1, MDEC, "theta", 1, {}),
    *(("003", "theta", value, model, "theta", value, {}) for value in THETA_GRID for model in (DLWECDL, ELWECDL)),
    *(("003", "Lambda", value, model, "lam", value, {"solver": "published"})
      for value in LAMBDAS for model in (DLWECDL, ELWECDL)),
    *(("003", "rho", value, model, "rho", value, {"solver": "published"})
      for value in (2.3, 3.5) for model in (DLWECDL, ELWECDL)),
    *(("003", "alpha", value, DLWECDL, "alpha", value, {}) for value in (1, 2, 3)),
    *(("003", "weights", name, DLWECDL, "weights", name, {}) for name in ("divergence", "entropy")),
    *(("003", "Eq. 4", "as printed", DLWECDL, "literal", True, {"solver": name}) for name in ("published", "closed")),
    *(("004", "h", 1 / value, LAC, "h", 1 / value, {}) for value in (1, 4, 7, 12)),
    *(("004", "1/h", "several", model, "inverse_h", (1, 7, 12), {}) for model in (WSPA, WBPA, LACPartitions)),
    *(("004", "features", "as they are", model, "standardize", False, {}) for model in (WSPA, WBPA)),
    *(("004", "metis", "METIS", model, "partitioner", "metis", {}) for model in (WSPA, WBPA)),
]  # fmt: skip
OF_LABELS = {LWEA, LWGP, PTA, PTGP, MDECConsensus, DLWECDL, ELWECDL}


def entry(cls, parameter):
    """What the docstring says of a parameter; ELWECDL and WBPA leave it to DLWECDL and WSPA, PTGP to PTA."""
    found = ""
    for each in (cls, {ELWECDL: DLWECDL, PTGP: PTA, WBPA: WSPA}.get(cls, cls)):
        text = re.search(rf"^    {parameter} : .*\n(?:        .*\n)*", each.__doc__, re.MULTILINE)
        found += "" if text is None else text[0]
    return found


@pytest.fixture(scope="module")
def data():
    X, _ = make_blobs(60, n_features=6, centers=3, cluster_std=2.0, random_state=0)
    return X, KMeansPartitions(8, random_state=0).fit_transform(X)


@pytest.mark.parametrize(("paper", "name", "value", "cls", "parameter", "given", "beside"), TABLE)
def test_published_variant(data, paper, name, value, cls, parameter, given, beside):
    X, partitions = data
    assert name == parameter or re.search(rf"\b{re.escape(name)}", entry(cls, parameter), re.IGNORECASE), name
    model = cls(**{parameter: given, **beside})
    known = model.get_params(deep=False)
    small = {"n_clusters": 3, "n_partitions": 4, "random_state": 0}
    model.set_params(**{key: small[key] for key in small if key in known and key != parameter})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)  # steep weights leave few directions
        model.fit(partitions if cls in OF_LABELS else X)
    if "n_clusters" in known and cls is not LACPartitions:
        assert np.unique(model.labels_).size == 3
    else:
        assert model.transform(X).shape[0] == 60


def test_every_paper_is_there():
    assert {row[0] for row in TABLE} == {"000", "001", "002", "003", "004"}
