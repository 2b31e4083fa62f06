"""``python -m studies fit-k``: fit the weights of the rule on simulated ensembles, and print them with what they do."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import minimize, minimize_scalar
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from tqdm import tqdm

from bench.data import count
from consensa import LWEA, SAL, Ensemble
from consensa.choose import rule
from consensa.choose.evidence import K_FEATURES, ONE_FEATURES, PLACED_FEATURES, PLACED_ONE_FEATURES, Evidence, gather
from consensa.choose.rule import Weights, choose_number, softmax
from studies.choose_k.simulate import simulate

if TYPE_CHECKING:
    import argparse

__all__ = ["Simulated", "add_fit_k", "fit_rule", "load_or_simulate"]

K_MAX = 50
_EVERY = 8  # of so many simulations one is cut by LWEA, all others by SAL
_WIDTH = 0.08  # of log k: a neighbour of the true k counts a little
_PENALTY = 1e-3
_FOLDS = 3
_GOOD = 0.5
_ROOMS = ("ensemble", "weigh", "relate", "partition", "generate")
_FILES = (
    "methods/base.py", "methods/sal.py", "methods/evidence.py", "choose/splits.py", "choose/spectrum.py",
    "choose/gaps.py", "choose/separation.py", "choose/gaussians.py",
)  # fmt: skip
_WITHOUT_FEATURES = "given"  # members that people gave


@dataclass(frozen=True)
class Simulated:
    """Evidence of a simulated ensemble, and the truth."""

    seed: int
    data: str
    members: str
    n_clusters: int
    evidence: Evidence
    ari: np.ndarray  # of the cut into every k with the truth

    @property
    def is_good(self) -> bool:
        """Whether the ensemble still has the clusters: its cut at the true k is near the truth."""
        return self.n_clusters <= self.evidence.k[-1] and bool(self.ari[self.n_clusters - 1] >= _GOOD)


def add_fit_k(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.set_defaults(command=_fit_k)
    parser.add_argument("--runs", type=count, default=500, help="simulated ensembles (default 500)")
    parser.add_argument("--jobs", type=int, default=1, help="simulations at a time (default 1)")
    parser.add_argument("--output", type=Path, default=Path("results", "simulated_k.npz"), help="where they are kept")
    parser.add_argument("--write", action="store_true", help="put the weights into the source of the rule")


def _fit_k(options: argparse.Namespace) -> None:
    found = load_or_simulate(options.output, options.runs, options.jobs)
    alone = [without_features(one) for one in found]
    placed = [one for one in found if one.evidence.separation is not None]
    from_labels, from_features = fit_rule(alone), fit_rule(placed)
    if options.write:
        write_weights(Path(str(rule.__file__)), from_labels, from_features)
    fitted = ((K_FEATURES, ONE_FEATURES, from_labels), (PLACED_FEATURES, PLACED_ONE_FEATURES, from_features))
    for names, of_one, weights in fitted:
        print("\n".join(f"{name:20s}{weight:8.3f}" for name, weight in zip(names, weights.k, strict=True)))
        print(f"{'temperature':20s}{weights.temperature:8.3f}\n")
        print("\n".join(f"{name:20s}{w:8.3f}" for name, w in zip(of_one, weights.one, strict=True)), "\n")
    print("Labels and features:\n\n" + held_out(placed))
    print("\nLabels alone:\n\n" + held_out(alone))


def without_features(one: Simulated) -> Simulated:
    """Return the same with the evidence of the labels alone."""
    return replace(one, evidence=replace(one.evidence, lifetime=None, separation=None, misfit=None))


def write_weights(path: Path, from_labels: Weights, from_features: Weights) -> None:
    """Put weights into the file of the rule, in place of those that are there."""
    text = path.read_text(encoding="utf-8")
    listed = {"K_WEIGHTS": from_labels.k, "PLACED_WEIGHTS": from_features.k, "ONE_WEIGHTS": from_labels.one}
    listed["PLACED_ONE_WEIGHTS"] = from_features.one
    new = {name: f"np.array([{', '.join(f'{w:.3f}' for w in weights)}])" for name, weights in listed.items()}
    new |= {"TEMPERATURE": f"{from_labels.temperature:.3f}", "PLACED_TEMPERATURE": f"{from_features.temperature:.3f}"}
    for name, value in new.items():
        text, n_found = re.subn(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        if n_found != 1:
            msg = f"{path}: there is no line that begins with {name} =, so the weights were not written."
            raise ValueError(msg)
    path.write_text(text, encoding="utf-8")


def load_or_simulate(path: Path, runs: int, jobs: int = 1) -> list[Simulated]:
    """Simulate what is not in the file yet, and keep it there; a file that other code made is made again."""
    found = _load(path)
    missing = sorted(set(range(runs)) - set(found))
    tasks = (delayed(run_one)(seed) for seed in missing)
    done = Parallel(jobs, return_as="generator")(tasks)
    for number, one in enumerate(tqdm(done, total=len(missing), desc="simulate")):
        found[one.seed] = one
        if number % 100 == 99 or number == len(missing) - 1:
            _save(path, found)
    return [found[seed] for seed in range(runs)]


def run_one(seed: int) -> Simulated:
    """Simulate one ensemble and gather the evidence."""
    data, members, X, truth, labels = simulate(seed)
    ensemble = Ensemble(labels)
    method = SAL(2) if seed % _EVERY else LWEA(2)
    cut = method.fit(ensemble).cut_
    k = np.arange(1, min(K_MAX, cut.n_clusters_max, ensemble.n_microclusters) + 1)
    evidence = gather(cut, ensemble, k, None if members == _WITHOUT_FEATURES else X.__getitem__)
    ari = [adjusted_rand_score(truth, ensemble.to_objects(cut.cut(int(k)))) for k in evidence.k]
    return Simulated(seed, data, members, int(truth.max()) + 1, evidence, np.array(ari))


def fit_rule(found: list[Simulated]) -> Weights:
    """Return the weights of the candidates, the temperature of the probabilities, and the weights of k = 1.

    Only ensembles that have not lost the clusters count: where the cut at the true k has an adjusted Rand index below
    0.5 no k is right. The temperature is fitted on simulations whose own third had no part in the weights.
    """
    found = [one for one in found if one.is_good]
    scores, truth = [], []
    for fold in range(_FOLDS):
        weights = _fit_candidates([one for one in found if one.seed % _FOLDS != fold])
        for one in _with_clusters([one for one in found if one.seed % _FOLDS == fold]):
            scores.append(one.evidence.k_features()[1:] @ weights)
            truth.append(int(np.flatnonzero(one.evidence.k[1:] == one.n_clusters)[0]))

    def loss(log_temperature: float) -> float:
        flat = (softmax(score / np.exp(log_temperature))[place] for score, place in zip(scores, truth, strict=True))
        return -float(np.mean(np.log(np.maximum(list(flat), 1e-12))))

    temperature = float(np.exp(minimize_scalar(loss, bounds=(-2, 3), method="bounded").x))
    return Weights(_fit_candidates(found), temperature, _fit_one(found))


def held_out(found: list[Simulated]) -> str:
    """Say how often the rule is right on simulations that its weights have not seen, and how sure it was."""
    rows = []
    for fold in range(_FOLDS):
        weights = fit_rule([one for one in found if one.seed % _FOLDS != fold])
        for one in found:
            if one.seed % _FOLDS == fold:
                k = one.evidence.k
                chosen, p = choose_number(one.evidence, k, weights)
                near = abs(chosen - one.n_clusters) <= 0.2 * one.n_clusters
                rows.append((one.data, one.is_good, chosen == one.n_clusters, near, p[k == chosen][0]))
    lines = ["| data | ensembles | k right | within 20 % | within 20 % where the cut at the true k is good |"]
    lines.append("|---|---:|---:|---:|---:|")
    for name in ("all", *sorted({row[0] for row in rows})):
        mine = [row for row in rows if name in ("all", row[0])]
        good = [row[3] for row in mine if row[1]]
        cells = [np.mean([row[2] for row in mine]), np.mean([row[3] for row in mine]), np.mean(good) if good else 0]
        lines.append(f"| {name} | {len(mine)} | " + " | ".join(f"{100 * cell:.0f} %" for cell in cells) + " |")
    return "\n".join([*lines, "", *_calibration(rows)])


def _calibration(rows: list[Any]) -> list[str]:
    lines = ["| called | choices | right |", "|---|---:|---:|"]
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.001)):
        right = [row[2] for row in rows if row[1] and low <= row[4] < high]
        share = f"{100 * np.mean(right):.0f} %" if right else "-"
        lines.append(f"| {100 * low:.0f} to {100 * min(high, 1):.0f} % | {len(right)} | {share} |")
    return lines


def _with_clusters(found: list[Simulated]) -> list[Simulated]:
    return [one for one in found if 1 < one.n_clusters <= one.evidence.k[-1]]


def _fit_candidates(found: list[Simulated]) -> np.ndarray:
    """Conditional logit over k = 2, 3, ...: the log of the probability of what is right.

    The true k and those a few per cent off are right, and others as far as their cuts are as good as the best one.
    """
    used = _with_clusters(found)
    X = [one.evidence.k_features()[1:] for one in used]
    spread = np.vstack(X).std(axis=0)
    starts = np.cumsum([0, *(len(x) for x in X)])[:-1]
    lengths = np.array([len(x) for x in X])
    features = np.vstack(X) / spread
    right = np.concatenate([_rightness(one) for one in used])
    worth = np.full(len(used), 1 / len(used))

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        u = features @ w
        e = np.exp(u - np.repeat(np.maximum.reduceat(u, starts), lengths))
        whole, good = np.add.reduceat(e, starts), np.add.reduceat(e * right, starts)
        pull = e * right / np.repeat(good, lengths) - e / np.repeat(whole, lengths)
        gradient = -features.T @ (pull * np.repeat(worth, lengths)) + _PENALTY * w
        return float(worth @ np.log(whole / good)) + _PENALTY * float(w @ w) / 2, gradient

    fitted = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return np.asarray(fitted.x / spread)


def _rightness(one: Simulated) -> np.ndarray:
    ari = np.clip(one.ari[1:], 0.0, 1.0)
    same = (ari / max(float(ari.max()), 0.3)) ** 2
    near = np.exp(-((np.log(one.evidence.k[1:] / one.n_clusters) / _WIDTH) ** 2))
    return np.maximum(same, near) + 1e-3


def _fit_one(found: list[Simulated]) -> np.ndarray:
    """Logistic regression: whether there is but one cluster; members that people gave say nothing about that."""
    found = [one for one in found if one.members != _WITHOUT_FEATURES]
    X = np.stack([one.evidence.one_features() for one in found])
    spread = np.append(1.0, X[:, 1:].std(axis=0))
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000)
    return np.asarray(model.fit(X / spread, [one.n_clusters == 1 for one in found]).coef_[0] / spread)


def _save(path: Path, found: dict[int, Simulated]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    seeds = sorted(found)
    arrays: dict[str, Any] = {"seeds": np.array(seeds), "source": np.array(_source())}
    for seed in seeds:
        one = found[seed]
        e = one.evidence
        placed = [e.lifetime, e.separation, e.misfit] if e.separation is not None else [np.full(e.k.size, np.nan)] * 3
        measured = [e.k, e.split, e.external, e.internal, e.distance, e.following, e.apart]
        arrays[f"table{seed}"] = np.stack([*measured, *placed, one.ari])
        arrays[f"about{seed}"] = np.array([e.scale, e.n_members, one.n_clusters])
        arrays[f"names{seed}"] = np.array([one.data, one.members])
    partial = path.with_suffix(".partial.npz")
    np.savez_compressed(partial, **arrays)
    partial.replace(path)


@cache
def _source() -> str:
    """A hash of all that simulated evidence depends on, not of the rule that is fitted on it."""
    package = Path(str(rule.__file__)).parents[1]
    files = [path for room in _ROOMS for path in sorted((package / room).rglob("*.py"))]
    files += [package / name for name in _FILES] + [Path(__file__).with_name("simulate.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def _load(path: Path) -> dict[int, Simulated]:
    if not path.is_file():
        return {}
    found = {}
    with np.load(path, allow_pickle=False) as kept:
        if "source" not in kept or str(kept["source"]) != _source():
            print(f"{path} was made by other code and is made again.")
            return {}
        for seed in kept["seeds"].tolist():
            k, *table, apart, lifetime, separation, misfit, ari = kept[f"table{seed}"]
            scale, n_members, n_clusters = kept[f"about{seed}"]
            data, members = kept[f"names{seed}"].tolist()
            placed = () if np.isnan(separation).all() else (lifetime, separation, misfit)
            evidence = Evidence(k.astype(int), *table, apart > 0, float(scale), int(n_members), *placed)
            found[seed] = Simulated(seed, data, members, int(n_clusters), evidence, ari)
    return found
