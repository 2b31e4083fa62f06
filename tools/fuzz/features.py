"""Generators and methods on features of every scale, type and layout: whole labels, the same in every way."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import consensa
from consensa.generate import GENERATORS
from tools.fuzz.inputs import dressed_features, features
from tools.fuzz.rules import answer, demand

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ON_FEATURES", "WAYS", "check_features", "features_case"]

ON_FEATURES = ("EnsembleClustering", "USPEC", "USENC", "MDEC", "WSPA", "WBPA", "SSCSPA", "TOME", "LAC")
_QUICK = {"n_partitions": 3, "n_init": 1, "n_representatives": 30, "n_passes": 2, "max_iter": 10}
_HAS_UNITS = {"lac", "LAC", "WSPA", "WBPA", "estimators"}  # a parameter, or anybody's estimator, is in the units of X
_TOGETHER = 480  # powers of two between values whose squares fit beside each other; beyond, some count for nothing
_NO_NEW_ROWS = {"MDEC", "TOME", "LAC"}


def features_case(seed: int) -> dict[str, Any]:
    """Draw a case for :func:`check_features`."""
    rng = np.random.default_rng([3, seed])
    names = [*(name for name, info in GENERATORS.items() if not info.needs), *ON_FEATURES]
    X = features(rng)
    return {
        "X": X,
        "name": str(rng.choice(names)),
        "k": int(rng.choice([1, 2, 3, len(X)])),
        "power": int(rng.choice([-9, 3, 60, -90, 500, -700])),
        "way": str(rng.choice(list(WAYS), p=_CHANCES)),
        "seed": seed,
    }


def check_features(case: dict[str, Any]) -> bool:
    """Fit: a label for every row, from -1 on, and the same in one of the ways to do it again."""
    X = case["X"]
    model, labels = _fitted(case, X)
    if labels is None:
        return False
    demand(labels.shape[0] == len(X) and labels.dtype == np.int32 and labels.min() >= -1, "shape", str(labels.dtype))
    demand(str(case["name"]) not in ON_FEATURES or labels.min() >= 0, "unlabelled", str(labels))
    WAYS[str(case["way"])](model, labels, case)
    return True


def _fitted(case: dict[str, Any], X: Any, **parameters: Any) -> tuple[Any, Any]:
    """Return what was fitted and its labels; None where the answer was one sentence."""
    name = str(case["name"])
    if name in ON_FEATURES:
        model = _quick(getattr(consensa, name)(n_clusters=int(case["k"])))
        if name in ("WSPA", "WBPA"):
            model.set_params(partitioner="tcut")
        if "scale" in model.get_params(deep=False):
            model.set_params(scale=("none", "standard", "auto")[int(case["seed"]) % 3])
        known = {key: value for key, value in parameters.items() if key in model.get_params(deep=False)}
        fitted, _ = answer(lambda: model.set_params(**known).fit(X))
        return fitted, None if fitted is None else np.asarray(fitted.labels_)
    generator = _quick(GENERATORS[name].load()()).set_params(**parameters)
    return generator, answer(lambda: generator.fit_transform(X))[0]


def _quick(model: Any) -> Any:
    known = model.get_params(deep=False)
    wanted = {"random_state": 0, **_QUICK}
    return model.set_params(**{name: value for name, value in wanted.items() if name in known})


def _jobs(model: Any, labels: np.ndarray, case: dict[str, Any]) -> None:  # noqa: ARG001
    other = _fitted(case, case["X"], n_jobs=2)[1]
    demand(other is not None and np.array_equal(other, labels), "n_jobs")


def _scale(model: Any, labels: np.ndarray, case: dict[str, Any]) -> None:  # noqa: ARG001
    X, name = case["X"], str(case["name"])
    with np.errstate(all="ignore"):
        scaled = np.ldexp(X, int(case["power"]))
        exact = np.array_equal(np.ldexp(scaled, -int(case["power"])), X)
    sizes = np.abs(X[X != 0]).astype(float)
    together = sizes.size == 0 or np.log2(sizes.max()) - np.log2(sizes.min()) < _TOGETHER
    if exact and together and name not in _HAS_UNITS:
        other = _fitted(case, scaled)[1]
        demand(other is not None and np.array_equal(other, labels), "scale", f"2**{case['power']}")


def _new_rows(model: Any, labels: np.ndarray, case: dict[str, Any]) -> None:
    X, name = case["X"], str(case["name"])
    if name in ON_FEATURES and name not in _NO_NEW_ROWS:
        found, _ = answer(lambda: model.predict(X))
    elif name not in ON_FEATURES and GENERATORS[name].transform:
        found, _ = answer(lambda: model.transform(X))
    else:
        return
    demand(found is not None and found.shape == labels.shape, "new rows", str(np.shape(found)))
    odd = X[:3].astype(float)
    odd[0, 0] = (1e300, -1e300, 0.0, 1e-300)[int(case["seed"]) % 4]
    answer(lambda: (model.predict if name in ON_FEATURES else model.transform)(odd))


def _dress(model: Any, labels: np.ndarray, case: dict[str, Any]) -> None:  # noqa: ARG001
    dress, how = dressed_features(case["X"], np.random.default_rng(int(case["seed"])))
    if str(case["name"]) == "table" and how == "matrix of objects":
        return  # a column of objects is read as texts
    other = _fitted(case, dress)[1]
    demand(other is not None and np.array_equal(other, labels), "dress", how)


def _saved(model: Any, labels: np.ndarray, case: dict[str, Any]) -> None:
    if str(case["name"]) not in ON_FEATURES or not hasattr(model, "save"):
        return
    with tempfile.TemporaryDirectory() as folder:
        answer(lambda: model.save(Path(folder, "model.npz")))
        if not Path(folder, "model.npz").exists():
            return  # a sentence said why
        loaded, _ = answer(lambda: consensa.load(Path(folder, "model.npz")))
    demand(loaded is not None and np.array_equal(loaded.labels_, labels), "saved")


WAYS: dict[str, Callable[[Any, np.ndarray, dict[str, Any]], None]] = {
    "n_jobs": _jobs,
    "scale": _scale,
    "new rows": _new_rows,
    "dress": _dress,
    "saved": _saved,
}
_CHANCES = (0.05, 0.25, 0.25, 0.25, 0.2)  # two jobs seldom: they may be processes that are started first
