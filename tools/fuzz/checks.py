"""What must hold for every input: k clusters or a warning, one sentence or an answer, the same answer in every way."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import consensa
from consensa import ConsensaWarning
from consensa.generate import GENERATORS
from consensa.methods import METHODS
from tools.fuzz.inputs import clear_labels, dressed, features, label_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AREAS", "Broken", "check_clear", "check_features", "check_labels"]

_HEAVY = {"hgpa", "supra"}  # half a second for every cut
_ON_FEATURES = ("EnsembleClustering", "USPEC", "USENC", "MDEC", "WSPA", "WBPA", "SSCSPA", "TOME", "LAC")
_QUICK = {"n_partitions": 3, "n_init": 1, "n_representatives": 30, "n_passes": 2, "max_iter": 10}


class Broken(Exception):  # noqa: N818 - a finding
    """Something that must hold does not; the kind comes first, so that equal findings are known by it."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


def answer(run: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return what a call gives and what was said; None where the answer is one sentence."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = run()
        except ValueError as error:
            sentence = str(error)
            if not sentence or "\n" in sentence.strip() or len(sentence) > 700:
                kind = "no sentence"
                raise Broken(kind, repr(sentence[:300])) from error
            found = None
    foreign = [w for w in said if not issubclass(w.category, ConsensaWarning)]
    if foreign:
        kind = "foreign warning"
        raise Broken(kind, f"{foreign[0].category.__name__} {foreign[0].message} {foreign[0].filename}")
    return found, [str(w.message) for w in said]


def check_labels(case: dict[str, Any]) -> None:
    """A method on labels of any kind: right shape, k clusters, -1 exactly where nothing is known, dress no matter."""
    labels, k, name = case["labels"], int(case["k"]), str(case["name"])
    model, said = answer(lambda: _method(name, k).fit(labels))
    if model is None:
        return
    found = np.asarray(model.labels_)
    known = (labels >= 0).any(axis=1)
    _demand(found.shape == (len(labels),) and found.dtype == np.int32, "shape", f"{found.shape} {found.dtype}")
    _demand(np.array_equal(found >= 0, known), "unlabelled rows", str(found))
    n_found = np.unique(found[known]).size
    _demand(n_found == k or any(str(n_found) in text for text in said), "clusters", f"{n_found} of {k}")
    confidence = np.asarray(model.confidence_)
    _demand(bool(np.all((confidence >= 0) & (confidence <= 1))), "confidence", str(confidence[:5]))
    again, _ = answer(lambda: model.predict(labels))
    same_rows = again is None or np.array_equal(again, found)
    _demand(same_rows, "predict", f"{again} {found}")
    dress, how = dressed(labels, np.random.default_rng(int(case["seed"])))
    other, _ = answer(lambda: _method(name, k).fit(dress))
    fits = other is None or np.array_equal(other.labels_, found)
    _demand(fits or how in ("texts", "categories"), "dress", how)  # whose names sort in another order


def check_clear(case: dict[str, Any]) -> None:
    """A method on an ensemble without ties: rows, columns, names, chunks and files do not matter."""
    labels, name = case["labels"], str(case["name"])
    rng = np.random.default_rng(int(case["seed"]))
    reference = _fit(name, 3, labels)
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    _demand(_same(_fit(name, 3, labels[rows]).labels_, reference.labels_[rows]), "rows")
    _demand(_same(_fit(name, 3, labels[:, columns]).labels_, reference.labels_), "columns")
    _demand(_same(_fit(name, 3, labels + 7).labels_, reference.labels_), "names")
    chunks = consensa.scale.as_chunks(labels, int(rng.integers(1, 130)))
    _demand(np.array_equal(_fit(name, 3, chunks).labels_, reference.labels_), "chunks")
    with tempfile.TemporaryDirectory() as folder:
        reference.save(Path(folder, "model.npz"))
        loaded = consensa.load(Path(folder, "model.npz"))
    _demand(np.array_equal(loaded.labels_, reference.labels_), "saved")
    cut = answer(lambda: loaded.cut(2))[0]
    _demand(cut is None or np.array_equal(cut, reference.cut(2)), "saved cut")
    perfect = np.repeat(labels[:, 5:6], 4, axis=1)
    k = np.unique(perfect[:, 0]).size
    _demand(_same(_fit(name, k, perfect).labels_, perfect[:, 0]), "perfect consensus")
    if name in ("lwea", "eac", "weac"):
        doubled = _fit(name, 3, np.hstack([labels, labels]))
        _demand(_same(doubled.labels_, reference.labels_), "columns twice")
    if name == "lwea":
        _against_others(labels, reference)


def check_features(case: dict[str, Any]) -> None:
    """A generator or a method on features: whole labels, the same with n_jobs, transform, another scale."""
    X, name = case["X"], str(case["name"])
    if name in _ON_FEATURES:
        model, _ = answer(lambda: _on_features(name, int(case["k"])).fit(X))
        if model is not None:
            _demand(model.labels_.shape == (len(X),) and model.labels_.min() >= 0, "shape", str(model.labels_))
            if hasattr(model, "predict"):
                answer(lambda: model.predict(X[:3]))
        return
    labels, _ = answer(lambda: _generator(name).fit_transform(X))
    if labels is None:
        return
    _demand(labels.shape[0] == len(X) and labels.dtype == np.int32 and labels.min() >= -1, "shape", str(labels.dtype))
    jobs, _ = answer(lambda: _generator(name).set_params(n_jobs=2).fit_transform(X))
    _demand(jobs is not None and np.array_equal(jobs, labels), "n_jobs")
    largest = float(np.abs(X).max())
    scaled = X * X.dtype.type(2.0 ** int(case["power"]))
    exact = np.array_equal(scaled / X.dtype.type(2.0 ** int(case["power"])), X)
    if name != "lac" and exact and 1e-100 < largest < 1e100:
        other, _ = answer(lambda: _generator(name).fit_transform(scaled))
        _demand(other is not None and np.array_equal(other, labels), "scale", f"2**{case['power']}")
    if GENERATORS[name].transform:
        answer(lambda: _generator(name).fit(X).transform(X[:3]))


def labels_case(seed: int) -> dict[str, Any]:
    """Draw a case for :func:`check_labels`."""
    rng = np.random.default_rng([1, seed])
    labels = label_matrix(rng)
    name = str(rng.choice([name for name in METHODS if name not in _HEAVY or rng.random() < 0.1]))
    k = int(rng.choice([1, 2, 3, max(1, len(labels) // 2), len(labels), 1000]))
    return {"labels": labels, "k": k, "name": name, "seed": seed}


def clear_case(seed: int) -> dict[str, Any]:
    """Draw a case for :func:`check_clear`."""
    rng = np.random.default_rng([2, seed])
    names = [name for name in METHODS if name not in _HEAVY]
    return {"labels": clear_labels(rng), "name": str(rng.choice(names)), "seed": seed}


def features_case(seed: int) -> dict[str, Any]:
    """Draw a case for :func:`check_features`."""
    rng = np.random.default_rng([3, seed])
    names = [*(name for name, info in GENERATORS.items() if not info.needs), *_ON_FEATURES]
    X = features(rng)
    return {
        "X": X,
        "name": str(rng.choice(names)),
        "k": int(rng.choice([1, 2, 3, len(X)])),
        "power": int(rng.choice([-9, 3, 60, -90])),
    }


AREAS: dict[str, tuple[Callable[[int], dict[str, Any]], Callable[[dict[str, Any]], None]]] = {
    "labels": (labels_case, check_labels),
    "clear": (clear_case, check_clear),
    "features": (features_case, check_features),
}


def _against_others(labels: np.ndarray, model: Any) -> None:
    """LWEA is scipy's average linkage of its own similarity; scores are those of scikit-learn."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labels = np.unique(labels, axis=0)
    model = _fit("lwea", 2, labels)
    ensemble = consensa.Ensemble(labels)
    weights = consensa.weigh.entropy_weights(ensemble, 0.4)
    S = consensa.relate.co_association(ensemble, weights).to_dense().similarity
    S = S[np.ix_(ensemble.row_map, ensemble.row_map)]
    distance = 1 - S
    np.fill_diagonal(distance, 0.0)
    heights = 1 - linkage(squareform(distance, checks=False), "average")[:, 2]
    own = model.dendrogram_.similarities
    ties = bool(np.any(np.diff(np.sort(own)) < 1e-9))  # which of equal pairs is joined first may change the others
    _demand(ties or bool(np.allclose(np.sort(own), np.sort(heights), atol=1e-7)), "scipy", "heights")
    truth, found = labels[:, 0], model.labels_
    ours = consensa.evaluate.ari(truth, found), consensa.evaluate.nmi(truth, found)
    theirs = adjusted_rand_score(truth, found), normalized_mutual_info_score(truth, found, average_method="geometric")
    _demand(bool(np.allclose(ours, theirs, atol=1e-9)), "scores", f"{ours} {theirs}")


def _fit(name: str, k: int, labels: Any) -> Any:
    model, _ = answer(lambda: _method(name, k).fit(labels))
    _demand(model is not None, "refused", name)
    return model


def _method(name: str, k: int) -> Any:
    model = METHODS[name].load()(k)
    known = model.get_params()
    return model.set_params(**({"random_state": 0} if "random_state" in known else {}))


def _generator(name: str) -> Any:
    return _quick(GENERATORS[name].load()())


def _on_features(name: str, k: int) -> Any:
    model = _quick(getattr(consensa, name)(n_clusters=k))
    return model.set_params(partitioner="tcut") if name in ("WSPA", "WBPA") else model


def _quick(model: Any) -> Any:
    known = model.get_params(deep=False)
    wanted = {"random_state": 0, **_QUICK}
    return model.set_params(**{name: value for name, value in wanted.items() if name in known})


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two clusterings are the same up to the names."""
    pairs = np.unique(np.stack([a, b], axis=1), axis=0)
    return np.unique(pairs[:, 0]).size == np.unique(pairs[:, 1]).size == len(pairs)


def _demand(holds: bool, kind: str, detail: str = "") -> None:  # noqa: FBT001 - the condition itself
    if not holds:
        raise Broken(kind, detail)
