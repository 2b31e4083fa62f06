"""Digests of what every method answers, to see whether a change of the code changes any answer.

``python -m bench digests --output before.json`` on one commit, then on another with ``--compare before.json``.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

__all__ = ["add_digests", "compare", "digest_all"]

N_SMALL = 300  # random ensembles
N_MEMBERS = 10  # of a draw from a pool
_ALL_UP_TO = 400  # microclusters; beyond, only the methods below, which do without a full matrix
_SCALABLE = ("sal", "lwea", "lwgp", "eac", "weac")
_DIGITS = 9


def digest(values: Any) -> str:
    """Sixteen letters that stand for an array; numbers with a fraction count to nine digits."""
    array = np.asarray(values)
    array = np.round(array, _DIGITS) + 0.0 if array.dtype.kind == "f" else array.astype(np.int64)
    return hashlib.sha256(f"{array.shape}".encode() + array.tobytes()).hexdigest()[:16]


def small_ensembles(n: int = N_SMALL) -> Iterator[tuple[str, np.ndarray]]:
    """Label matrices with ties, doubled rows, missing labels and empty columns: a few up to 150 objects."""
    for seed in range(n):
        rng = np.random.default_rng([19, seed])
        n_objects, n_members = int(rng.integers(2, 150)), int(rng.integers(1, 12))
        truth = rng.integers(int(rng.integers(1, 6)), size=n_objects)
        columns = []
        for _ in range(n_members):
            k = int(rng.integers(1, 9))
            column = (truth * 3 + rng.integers(2, size=n_objects)) % k
            moved = rng.random(n_objects) < rng.choice([0.0, 0.1, 0.4])
            column[moved] = rng.integers(k, size=int(moved.sum()))
            columns.append(column)
        labels = np.stack(columns, axis=1)
        labels[rng.random(labels.shape) < rng.choice([0.0, 0.0, 0.1, 0.5])] = -1
        yield f"small{seed}", labels


def pool_ensembles(data_dir: Path) -> Iterator[tuple[str, np.ndarray]]:
    """One draw of ten members from every pool, and the first two draws behind the golden answers."""
    for path in sorted((data_dir / "data" / "pools").glob("*.npz")):
        members = np.load(path)["members"]
        columns = np.random.default_rng([19, members.shape[0]]).permutation(members.shape[1])[:N_MEMBERS]
        yield path.stem, members[:, columns].astype(np.int64)
    for path in sorted((data_dir / "golden").glob("[LP]*.npz")):
        pool = data_dir / "data" / "pools" / path.name.replace("PTA_", "PTGP_").replace("_compact", "")
        for row, columns in enumerate(np.load(path)["cols"][:2]):
            yield f"golden_{path.stem}_{row}", np.load(pool)["members"][:, columns].astype(np.int64)


def digest_all(data_dir: Path | None, n_small: int = N_SMALL) -> Iterator[dict[str, str]]:
    """Digests of labels, dendrograms, confidences, predictions and chosen k, by what they are of."""
    yield _of_features()
    for name, labels in () if data_dir is None else pool_ensembles(data_dir):
        print(name, file=sys.stderr, flush=True)
        yield _of_ensemble(name, labels, k_auto=False, ks=(2, 10, 30))
    for name, labels in small_ensembles(n_small):
        yield _of_ensemble(name, labels, k_auto=int(name[5:]) % 10 == 0)


def compare(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Names whose digests differ, among those that both have."""
    return sorted(name for name in before.keys() & after.keys() if before[name] != after[name])


def _of_ensemble(name: str, labels: np.ndarray, *, k_auto: bool, ks: tuple[int, ...] = ()) -> dict[str, str]:
    from consensa import Ensemble
    from consensa.methods import METHODS

    found: dict[str, str] = {}
    if not (labels >= 0).any():
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        n = Ensemble(labels).n_microclusters
        chosen = METHODS if n <= _ALL_UP_TO else [method for method in _SCALABLE if method in METHODS]
        for method in chosen:
            for part, value in _of_method(method, labels, ks or (1, 2, 3, n // 2, n), k_auto=k_auto):
                found[f"{name} {method} {part}"] = value
    return found


def _of_method(method: str, labels: np.ndarray, ks: tuple[int, ...], *, k_auto: bool) -> Iterator[tuple[str, str]]:
    from consensa.methods import METHODS

    def build(k: Any) -> Any:
        estimator = METHODS[method].load()(n_clusters=k)
        return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator

    for k in sorted({k for k in ks if k >= 1}):
        model: Any = None
        try:
            model = build(k).fit(labels)
            yield f"k{k}", digest(model.labels_)
            yield f"k{k} confidence", digest(model.confidence_)
            yield f"k{k} chunks", digest(_in_chunks(build(k), labels))
        except ValueError as error:
            yield f"k{k}" + ("" if model is None else " later"), str(error).split(":")[0][:40]
    if model is not None and hasattr(model, "labels_"):
        tree = getattr(model, "dendrogram_", None)
        if tree is not None and hasattr(tree, "merges"):
            yield "tree", digest(tree.merges) + digest(tree.similarities)
        yield "predict", digest(model.predict(labels[::2]))
    if k_auto:
        try:
            yield "auto", str(build("auto").fit(labels).n_clusters_)
        except ValueError as error:
            yield "auto", str(error)[:40]


def _in_chunks(model: Any, labels: np.ndarray) -> np.ndarray:
    from consensa.scale import as_chunks

    return np.asarray(model.fit(as_chunks(labels, chunk_rows=max(1, len(labels) // 3))).labels_)


def _of_features() -> dict[str, str]:
    """Labels of generators and of the methods on features, of one set of blobs."""
    from sklearn.datasets import make_blobs

    import consensa
    from consensa import generate
    from consensa.methods.registry import FEATURE_METHODS

    X, _ = make_blobs(120, n_features=4, centers=4, random_state=0)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in generate.__all__:
            kind = getattr(generate, name)
            if name.endswith("Partitions"):
                maker = kind([(consensa.generate.KMeansPartitions(3), 3)] if name == "MixedPartitions" else 5)
                try:
                    found[f"generator {name}"] = digest(maker.set_params(random_state=0).fit_transform(X))
                except (ValueError, TypeError) as error:
                    found[f"generator {name}"] = str(error)[:40]
        for name, method in FEATURE_METHODS.items():
            model = method.load()(4).set_params(random_state=0).fit(X)
            found[f"features {name}"] = digest(model.labels_)
            if hasattr(model, "confidence_"):
                found[f"features {name} confidence"] = digest(model.confidence_)
        model = consensa.EnsembleClustering(4, random_state=0).fit(X)
        found["features default"] = digest(model.labels_) + digest(model.confidence_) + digest(model.predict(X[:7]))
    return found


def _command(options: Namespace) -> None:
    data_dir = Path(options.data_dir) if options.data_dir else None
    options.output.parent.mkdir(parents=True, exist_ok=True)
    found: dict[str, str] = {}
    for part in digest_all(data_dir, options.small):
        found |= part
        options.output.write_text(json.dumps(found, indent=0), encoding="utf-8")  # a stop loses only the last part
    print(f"{len(found)} digests: {options.output}")
    if options.compare is not None:
        before = json.loads(options.compare.read_text(encoding="utf-8"))
        changed = compare(before, found)
        print(f"{len(before.keys() & found.keys())} compared, {len(changed)} differ")
        print("\n".join(changed))


def add_digests(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.set_defaults(command=_command)
    parser.add_argument("--output", type=Path, default=Path("results", "digests.json"))
    parser.add_argument("--compare", type=Path, help="digests of another commit; the names of those that differ")
    parser.add_argument("--small", type=int, default=N_SMALL, help="number of small ensembles (default %(default)s)")
