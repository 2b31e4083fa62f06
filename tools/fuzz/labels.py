"""Methods on labels of every kind: right shape, k clusters or a warning, and the same answer in every dress."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import numpy as np

import consensa
from consensa._types import parameter_kinds
from consensa.methods import METHODS
from tools.fuzz.inputs import dressed, label_matrix
from tools.fuzz.rules import answer, demand, fit, method, same

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WAYS", "check_labels", "labels_case"]

_SLOW = {"em": 0.1, "supra": 0.04, "hgpa": 0.1, "spce": 0.3, "nmf": 0.3, "trce": 0.3, "sdgca": 0.5}  # drawn less often
_FEWER_ALLOWED = {"exact"}  # parameters by which fewer clusters than k are asked for
_FEW_STARTS, _OTHER_WORDS = 0.8, 0.25  # chances
_KNOWN_BY_NAME = ("texts", "categories")  # whose names sort in another order, which may decide between equals


def labels_case(seed: int) -> dict[str, Any]:
    """Draw a case for :func:`check_labels`: an ensemble, a method, k, and one way to look at it again."""
    rng = np.random.default_rng([1, seed])
    labels = label_matrix(rng)
    chance = np.array([_SLOW.get(name, 1.0) for name in METHODS])
    n_rows = len(np.unique(labels, axis=0))
    k = int(rng.choice([1, 2, 2, 3, 3, max(1, n_rows // 2), n_rows - 1, n_rows, len(labels) + 1]))
    name = str(rng.choice(list(METHODS), p=chance / chance.sum()))
    way = str(rng.choice(list(WAYS), p=_CHANCES))
    parameters = json.dumps(_drawn_parameters(name, rng))
    return {"labels": labels, "k": k, "name": name, "parameters": parameters, "way": way, "seed": seed}


def _drawn_parameters(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Mostly two starts, which are as good as ten at finding what breaks; sometimes another word for each parameter."""
    drawn: dict[str, Any] = {}
    if "n_init" in _words(name) and rng.random() < _FEW_STARTS:
        drawn["n_init"] = 2
    if rng.random() < _OTHER_WORDS:
        drawn |= {key: words[int(rng.integers(len(words)))] for key, words in _words(name).items() if words}
    return drawn


@functools.cache
def _words(name: str) -> dict[str, list[Any]]:
    """The parameters of a method with the words that each may be, none where it is no choice between words."""
    choices: dict[str, list[Any]] = {}
    for key, kinds in parameter_kinds(METHODS[name].load()).items():
        words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
        choices[key] = words + [True, False] * (bool in kinds and key not in _FEWER_ALLOWED)
    return choices


def _again(case: dict[str, Any], labels: Any) -> Any:
    """The method of a case, fitted to other labels, which it must not refuse."""
    return fit(str(case["name"]), int(case["k"]), labels, **json.loads(str(case["parameters"])))


def _new(case: dict[str, Any], k: int) -> Any:
    return method(str(case["name"]), k, **json.loads(str(case["parameters"])))


def check_labels(case: dict[str, Any]) -> bool:
    """Fit a method: labels of the right shape, k clusters, -1 exactly where nothing is known; then look again."""
    labels, k = case["labels"], int(case["k"])
    model, said = answer(lambda: _new(case, k).fit(labels))
    if model is None:
        return False
    found = np.asarray(model.labels_)
    known = (labels >= 0).any(axis=1)
    demand(found.shape == (len(labels),) and found.dtype == np.int32, "shape", f"{found.shape} {found.dtype}")
    demand(np.array_equal(found >= 0, known), "unlabelled rows", str(found))
    n_found = np.unique(found[known]).size
    demand(n_found == k or any(str(n_found) in text for text in said), "clusters", f"{n_found} of {k}")
    confidence = np.asarray(model.confidence_)
    demand(bool(np.all((confidence >= 0) & (confidence <= 1))), "confidence", str(confidence[:5]))
    WAYS[str(case["way"])](model, case)
    return True


def _dress(model: Any, case: dict[str, Any]) -> None:
    dress, how = dressed(case["labels"], np.random.default_rng(int(case["seed"])))
    other = _again(case, dress)
    demand(np.array_equal(other.labels_, model.labels_) or how in _KNOWN_BY_NAME, "dress", how)


def _predict(model: Any, case: dict[str, Any]) -> None:
    again, _ = answer(lambda: model.predict(case["labels"]))
    demand(again is not None and np.array_equal(again, model.labels_), "predict", f"{again} {model.labels_}")
    rng = np.random.default_rng(int(case["seed"]))
    rows = rng.integers(-1, 9, (5, case["labels"].shape[1]))
    new, _ = answer(lambda: model.predict(rows))
    demand(new is None or bool(np.all((new >= -1) & (new <= np.max(model.labels_)))), "predict of new rows", str(new))


def _chunks(model: Any, case: dict[str, Any]) -> None:
    n_rows = int(np.random.default_rng(int(case["seed"])).integers(1, len(case["labels"]) + 2))
    other = _again(case, consensa.scale.as_chunks(case["labels"], n_rows))
    demand(np.array_equal(np.asarray(other.labels_), model.labels_), "chunks", f"{n_rows} rows")
    demand(np.array_equal(np.asarray(other.confidence_), model.confidence_), "confidence of chunks", f"{n_rows} rows")


def _saved(model: Any, case: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answer(lambda: model.save(Path(folder, "model.npz")))
        loaded, _ = answer(lambda: consensa.load(Path(folder, "model.npz")))
    demand(loaded is not None and np.array_equal(loaded.labels_, model.labels_), "saved")
    demand(np.array_equal(answer(lambda: loaded.cut(int(case["k"])))[0], model.labels_), "saved cut")


def _cut(model: Any, case: dict[str, Any]) -> None:
    for k in (int(case["k"]), 1, 2):
        found, said = answer(lambda k=k: model.cut(k))  # type: ignore[misc]
        if found is None:
            continue
        n_found = np.unique(found[found >= 0]).size
        demand(n_found == k or any(str(n_found) in text for text in said), "clusters of a cut", f"{n_found} of {k}")
        demand(k != int(case["k"]) or np.array_equal(found, model.labels_), "cut")


def _empty_column(model: Any, case: dict[str, Any]) -> None:
    labels = case["labels"]
    place = int(np.random.default_rng(int(case["seed"])).integers(labels.shape[1] + 1))
    other = _again(case, np.insert(labels, place, -1, axis=1))
    demand(np.array_equal(other.labels_, model.labels_), "empty column", f"at {place}")


def _outliers(model: Any, case: dict[str, Any]) -> None:
    scores, _ = answer(lambda: np.asarray(model.outlier_scores_))
    demand(scores is not None and bool(np.all(np.isfinite(scores) & (scores >= 0))), "outlier scores", str(scores))
    marked, _ = answer(lambda: _new(case, int(case["k"])).fit(case["labels"], outliers="mark"))
    demand(marked is not None, "outliers refused")
    kept = marked.labels_ >= 0
    demand(bool(np.all(model.labels_[kept] >= 0)), "marked")


def _perfect(model: Any, case: dict[str, Any]) -> None:  # noqa: ARG001 - one column of it is enough
    column = case["labels"][:, 0]
    column = column[column >= 0]
    if column.size:
        k = np.unique(column).size
        found, _ = answer(lambda: _new(case, k).fit(np.repeat(column[:, None], 3, axis=1)))
        demand(found is None or same(found.labels_, column), "perfect consensus", f"k = {k}")


def _report(model: Any, case: dict[str, Any]) -> None:
    content, _ = answer(lambda: model.report()._repr_html_())
    demand(bool(content), "report")
    answer(lambda: repr(model) + str(case["k"]))


WAYS: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    "dress": _dress,
    "predict": _predict,
    "chunks": _chunks,
    "saved": _saved,
    "cut": _cut,
    "empty column": _empty_column,
    "outliers": _outliers,
    "perfect": _perfect,
    "report": _report,
}
_CHANCES = np.array([0.2, 0.15, 0.15, 0.09, 0.1, 0.1, 0.1, 0.1, 0.01])
