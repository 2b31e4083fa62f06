"""What ``scale="auto"`` does to plain numbers with known classes: it helps, harms, or leaves them as they are."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.data import count, find_data_dir
from bench.store import ResultFile, versions
from consensa import EnsembleClustering
from consensa.evaluate import ari
from consensa.generate.scale import units_differ

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

__all__ = ["add_scale", "run_scale", "scale_page"]

_COLUMNS = ("set", "n_rows", "n_features", "draw", "scale", "ari", "versions")
_PLACE = Path("docs/evidence")
_WAYS = ("none", "auto")
_UNCHANGED = "as it is"


def add_scale(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the study."""
    parser.add_argument("--draws", type=count, default=2, help="seeds (default: %(default)s)")
    parser.add_argument("--most-rows", type=count, default=5000, help="larger sets are left out (default: %(default)s)")
    parser.add_argument("--results", type=Path, default=_PLACE / "scale.csv", help="kept and added to")
    parser.add_argument("--page", type=Path, default=_PLACE / "scale.md")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    folder = find_data_dir(options.data_dir) / "sets"
    options.page.write_text(scale_page(run_scale(folder, options.results, options.draws, options.most_rows)))
    print(f"wrote {options.page}")


def run_scale(folder: Path, output: Path, draws: int, most_rows: int) -> list[dict[str, str]]:
    """Cluster every set that "auto" changes with and without it; of the others only take note."""
    results = ResultFile(output, _COLUMNS)
    done = {(row["set"], row["draw"], row["scale"]) for row in results.rows()}
    for name, X, classes in _sets(folder, most_rows):
        about = {"set": name, "n_rows": X.shape[0], "n_features": X.shape[1], "versions": versions()}
        if not units_differ(X):
            if (name, "0", _UNCHANGED) not in done:
                results.append([about | {"draw": 0, "scale": _UNCHANGED, "ari": ""}])
            continue
        for draw in range(draws):
            for way in _WAYS:
                if (name, str(draw), way) not in done:
                    model = EnsembleClustering(int(np.unique(classes).size), scale=way, random_state=draw).fit(X)
                    results.append([about | {"draw": draw, "scale": way, "ari": f"{ari(classes, model.labels_):.4f}"}])
        print(name)
    return results.rows()


def _sets(folder: Path, most_rows: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as found:
            X, classes = found[next(name for name in found.files if found[name].ndim == 2)], found["y"]
        if X.shape[0] <= most_rows:
            yield path.stem, np.asarray(X, float), classes


def scale_page(rows: list[dict[str, str]]) -> str:
    """The page: ARI with and without, for every set that is changed, and the difference over all sets."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["ari"]:
            found[row["set"]][row["scale"]].append(float(row["ari"]))
    unchanged = sorted({row["set"] for row in rows if row["scale"] == _UNCHANGED})
    means = {name: [float(np.mean(scores[way])) for way in _WAYS] for name, scores in sorted(found.items())}
    gains = np.array([after - before for before, after in means.values()] + [0.0] * len(unchanged))
    error = gains.std(ddof=1) / np.sqrt(gains.size) if gains.size > 1 else float("nan")
    better, worse = int((gains > 0.02).sum()), int((gains < -0.02).sum())
    lines = [
        "# Scale of plain numbers",
        "",
        "Written by `python -m studies scale`. Mean ARI of `EnsembleClustering(k, scale=...)` against known classes,",
        'with as many clusters as classes, on the sets in which "auto" finds different units and scales every column.',
        "",
        "| set | none | auto | gain |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {a:.3f} | {b:.3f} | {b - a:+.3f} |" for name, (a, b) in means.items()),
        "",
        f"On the {len(unchanged)} other sets auto changes nothing. Over all {gains.size} sets its gain is",
        f"{gains.mean():+.3f} on average (standard error {error:.3f}); by more than 0.02 better on {better}, worse on",
        f"{worse} of them.",
        "",
    ]
    return "\n".join(lines)
