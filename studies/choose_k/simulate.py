"""Simulated data with a known number of clusters, and ensembles of it, of many kinds: what the rule is fitted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import qr
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score

from consensa.generate import KMeansPartitions, MultiscalePartitions

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DATA_KINDS", "MEMBER_KINDS", "simulate", "simulate_mixture"]

Draw = tuple[np.ndarray, np.ndarray]  # features and truth
_LEAST_ARI = 0.7  # of the nearest true centre: clusters may overlap as far as that


def simulate(seed: int) -> tuple[str, str, np.ndarray, np.ndarray, np.ndarray]:
    """Draw a data set and an ensemble of it: kind of data, kind of members, features, truth, label matrix.

    Of every two one has 250 to 800 objects and 100 base clusterings, the other 60 to 600 and 5 to 200.
    """
    rng = np.random.default_rng([seed, 7])
    data, members = (str(rng.choice(list(kinds), p=_shares(kinds))) for kinds in (DATA_KINDS, MEMBER_KINDS))
    usual = seed % 2 == 0
    low, high = (250, 800) if usual else (60, 600)
    n = int(np.exp(rng.uniform(np.log(low), np.log(high))))
    X, truth = DATA_KINDS[data][1](rng, n)
    order = rng.permutation(len(X))
    X, truth = X[order], truth[order]
    n_members = 100 if usual else int(np.exp(rng.uniform(np.log(5), np.log(200))))
    return data, members, X, truth, MEMBER_KINDS[members][1](rng, X, truth, n_members)


def simulate_mixture(draw: int) -> Draw:
    """Draw a Gaussian mixture of 250 to 800 objects that is none of those of ``simulate``.

    Its clusters overlap at most so far that k-means with the true k has an adjusted Rand index of 0.7; those that
    overlap further are drawn again.
    """
    rng = np.random.default_rng([draw, 11])
    while True:
        X, truth = _mixture(rng, int(np.exp(rng.uniform(np.log(250), np.log(800)))))
        found = KMeans(int(truth.max()) + 1, n_init=10, random_state=0).fit_predict(X)
        if adjusted_rand_score(truth, found) >= _LEAST_ARI:
            order = rng.permutation(len(X))
            return X[order], truth[order]


def _shares(kinds: dict[str, tuple[float, Callable[..., object]]]) -> np.ndarray:
    shares = np.array([share for share, _ in kinds.values()])
    return shares / shares.sum()


def _sizes(rng: np.random.Generator, n: int, k: int, ratio: float) -> np.ndarray:
    """Sizes up to 1 : ratio, together about n, at least 8 each."""
    shares = np.exp(rng.uniform(0, np.log(ratio), k))
    return np.maximum((n * shares / shares.sum()).astype(int), 8)


def _mixture(rng: np.random.Generator, n: int, k: int | None = None, d: int | None = None) -> Draw:
    """Gaussians in 2 to 100 dimensions, of equal or unequal sizes, spreads and shapes, apart or overlapping."""
    k = int(np.exp(rng.uniform(np.log(2), np.log(min(30.9, n / 12))))) if k is None else k
    d = int(rng.choice([2, 3, 5, 10, 20, 50, 100])) if d is None else d
    sizes = _sizes(rng, n, k, rng.choice([1.0, 3.0, 20.0]))
    truth = np.repeat(np.arange(k), sizes)
    stretch = rng.choice([1.0, 3.0])
    noise = rng.normal(size=(truth.size, d))
    spread = np.exp(rng.uniform(-0.35, 0.35, k)) if rng.random() < 0.5 else np.ones(k)
    turn = [qr(rng.normal(size=(d, d)))[0] * np.exp(rng.uniform(-0.5, 0.5, d) * np.log(stretch)) for _ in range(k)]
    points = np.concatenate([spread[c] * noise[truth == c] @ turn[c].T for c in range(k)])
    centers = rng.normal(size=(k, d)) if rng.random() < 0.6 else rng.uniform(-1.7, 1.7, size=(k, d))
    scale = rng.uniform(1.0, 2.0) * 2.0 / np.sqrt(d) * k ** (1 / d)
    for _ in range(40):
        X = points + scale * centers[truth]
        nearest = np.argmin(((X[:, None] - scale * centers) ** 2).sum(axis=2), axis=1)
        if adjusted_rand_score(truth, nearest) >= _LEAST_ARI:
            break
        scale *= 1.2
    return X * np.exp(rng.uniform(0, 1)), truth


def _expression(rng: np.random.Generator, n: int) -> Draw:
    """Few objects, many variables of which a part carries the groups: like gene expression."""
    n = min(n, 250)
    k = int(rng.integers(2, 8))
    X, truth = _mixture(rng, n, k, int(rng.integers(3, 8)))
    d = int(rng.integers(100, 400))
    loads = rng.normal(size=(X.shape[1], d)) * (rng.random(d) < 0.3)
    return X @ loads + rng.normal(size=(truth.size, d)) * rng.uniform(0.3, 1.0) * X.std(), truth


def _images(rng: np.random.Generator, n: int) -> Draw:
    """Curved sheets in many dimensions, one for each class, that come near each other: like images."""
    k = int(rng.integers(3, 21))
    truth = np.repeat(np.arange(k), _sizes(rng, n, k, 2.0))
    d = int(rng.integers(30, 120))
    X, inner = np.empty((truth.size, d)), int(rng.integers(2, 6))
    first = rng.normal(size=(inner, d))
    for c in range(k):
        place = rng.normal(size=(np.sum(truth == c), inner))
        own = rng.normal(size=(inner, d))
        X[truth == c] = np.tanh(0.5 * place @ (own + first) + rng.normal(size=d) * rng.uniform(0.9, 1.6))
    return X + 0.2 * rng.normal(size=X.shape), truth


def _tables(rng: np.random.Generator, n: int) -> Draw:
    """Clusters that are no Gaussians, in columns of all kinds: skew, heavy-tailed, bounded, counted, rounded."""
    k = int(np.exp(rng.uniform(np.log(2), np.log(12.9))))
    d = int(np.exp(rng.uniform(np.log(3), np.log(60))))
    inner = min(int(rng.integers(2, 9)), d)
    truth = np.repeat(np.arange(k), _sizes(rng, n, k, rng.choice([1.0, 3.0, 10.0])))
    centers = rng.normal(size=(k, inner))
    own = np.stack([rng.normal(size=(inner, inner)) / np.sqrt(inner) for _ in range(k)])
    noise = rng.standard_t(rng.choice([3.0, 6.0, 50.0]), size=(truth.size, inner))
    noise = np.einsum("ni,nij->nj", noise, own[truth])
    scale = rng.uniform(1.0, 2.0)
    for _ in range(40):  # apart as far as it takes to be found by the true centres
        nearest = np.argmin(((noise + scale * centers[truth])[:, None] - scale * centers) ** 2 @ np.ones(inner), axis=1)
        if adjusted_rand_score(truth, nearest) >= _LEAST_ARI:
            break
        scale *= 1.2
    latent = noise + scale * centers[truth]
    latent /= latent.std()
    X = latent @ rng.normal(size=(inner, d)) / np.sqrt(inner)
    X += rng.uniform(0.1, 0.5) * X.std() * rng.normal(size=X.shape)
    return np.column_stack([_column(rng, column / column.std()) for column in X.T]), truth


def _column(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """A column of a table that follows a trait: as it is, bent, bounded, rounded or counted; of deviation 1."""
    kind = rng.integers(6)
    if kind == 1:
        x = np.exp(rng.uniform(0.3, 1.0) * x)
    elif kind == 2:
        x = np.tanh(rng.uniform(0.7, 2.0) * x)
    elif kind == 3:
        x = np.maximum(x - rng.normal() * 0.7, 0.0)
    elif kind == 4:
        x = np.round(rng.uniform(0.7, 3.0) * x)
    elif kind == 5:
        x = rng.poisson(np.exp(np.clip(0.6 * x + 0.5, -5, 4))).astype(float)
    deviation = x.std()
    return x / deviation if deviation > 0 else x


def _curve(rng: np.random.Generator, n: int, path: Callable[[np.ndarray], np.ndarray], noise: float) -> np.ndarray:
    return path(rng.random(n)) + noise * rng.normal(size=path(np.zeros(1)).shape[1] * n).reshape(n, -1)


def _rings(rng: np.random.Generator, n: int) -> Draw:
    """Concentric circles in the plane, or interlocked ones in space."""
    noise = rng.uniform(0.02, 0.09)
    if rng.random() < 0.4:
        k = int(rng.integers(2, 4))
        parts = []
        for c in range(k):
            plane = [0, 1] if c % 2 == 0 else [0, 2]

            def path(t: np.ndarray, c: int = c, plane: list[int] = plane) -> np.ndarray:
                out = np.zeros((t.size, 3))
                out[:, plane] = np.column_stack([np.cos(2 * np.pi * t) + c, np.sin(2 * np.pi * t)])
                return out

            parts.append(_curve(rng, n // k, path, noise))
        return _joined(parts)
    k = int(rng.integers(2, 4))
    radii = np.cumsum(rng.uniform(0.8, 1.2, k)) - rng.uniform(0.3, 0.8)
    share = radii / radii.sum()
    return _joined(
        [
            _curve(
                rng,
                max(int(n * s), 15),
                lambda t, r=r: r * np.column_stack([np.cos(6.29 * t), np.sin(6.29 * t)]),
                noise,
            )
            for r, s in zip(radii, share, strict=True)
        ]
    )


def _spirals(rng: np.random.Generator, n: int) -> Draw:
    k = int(rng.integers(2, 4))
    turns = rng.uniform(0.6, 1.2)

    def path(t: np.ndarray, c: int) -> np.ndarray:
        angle = 2 * np.pi * (turns * np.sqrt(t) + c / k)
        return (0.3 + 2 * turns * np.sqrt(t))[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])

    return _joined([_curve(rng, n // k, lambda t, c=c: path(t, c), rng.uniform(0.02, 0.06)) for c in range(k)])


def _moons(rng: np.random.Generator, n: int) -> Draw:
    k = int(rng.integers(2, 5))

    def path(t: np.ndarray, c: int) -> np.ndarray:
        sign = 1 if c % 2 == 0 else -1
        return np.column_stack([np.cos(np.pi * t) + c, sign * np.sin(np.pi * t) + (0 if c % 2 == 0 else 0.5)])

    return _joined([_curve(rng, n // k, lambda t, c=c: path(t, c), rng.uniform(0.03, 0.12)) for c in range(k)])


def _stripes(rng: np.random.Generator, n: int) -> Draw:
    """Long parallel bands, uniform or Gaussian."""
    k = int(rng.integers(2, 7))
    length = rng.uniform(3, 8)
    parts = []
    for c in range(k):
        m = n // k
        along = rng.uniform(-1, 1, m) if rng.random() < 0.5 else rng.normal(size=m) * 0.5
        across = rng.uniform(-0.32, 0.32, m)
        parts.append(np.column_stack([length * along, across + c]))
    turn = qr(rng.normal(size=(2, 2)))[0]
    X, truth = _joined(parts)
    return X @ turn, truth


def _chains(rng: np.random.Generator, n: int) -> Draw:
    """Zigzags and waves beside each other."""
    k = int(rng.integers(2, 5))
    waves, height = rng.uniform(0.5, 2), rng.uniform(0.5, 1.5)
    zigzag = rng.random() < 0.5

    def path(t: np.ndarray, c: int) -> np.ndarray:
        wave = np.abs((2 * waves * t) % 2 - 1) if zigzag else np.sin(2 * np.pi * waves * t)
        return np.column_stack([4 * t, height * wave + 0.9 * c])

    return _joined([_curve(rng, n // k, lambda t, c=c: path(t, c), rng.uniform(0.03, 0.12)) for c in range(k)])


def _flats(rng: np.random.Generator, n: int) -> Draw:
    """Squares, discs or diamonds of even density, with a gap or a touch between them, of unlike density or size."""
    k = int(rng.integers(2, 10))
    d = int(rng.choice([2, 2, 3]))
    side = int(np.ceil(k ** (1 / d)))
    places = np.array(np.unravel_index(rng.permutation(side**d)[:k], (side,) * d)).T.astype(float)
    power = float(rng.choice([1.0, 2.0, 10.0]))
    gap = rng.uniform(1.02, 1.4)
    parts = []
    for place, m in zip(places, _sizes(rng, n, k, rng.choice([1.0, 4.0])), strict=True):
        cube = rng.uniform(-1, 1, size=(20 * m + 50, d))
        kept = cube[(np.abs(cube) ** power).sum(axis=1) <= 1][:m]
        parts.append(kept * rng.uniform(0.75, 1.0) + 2 * gap * place)
    return _joined(parts)


def _mixed(rng: np.random.Generator, n: int) -> Draw:
    """A ring around blobs, or a dense ball within a shell or a wide cloud."""
    shell = rng.normal(size=(n // 2, int(rng.integers(2, 4))))
    shell /= np.linalg.norm(shell, axis=1)[:, None]
    shell *= rng.uniform(3, 4) * (1 + rng.uniform(0.02, 0.1) * rng.normal(size=(len(shell), 1)))
    d = shell.shape[1]
    k = int(rng.integers(1, 4))
    centers = np.zeros((k, d))
    centers[:, 0] = np.linspace(-1.1, 1.1, k) if k > 1 else 0.0
    blobs = [c + rng.normal(size=(n // (2 * k), d)) * rng.uniform(0.15, 0.25 if k > 1 else 0.6) for c in centers]
    return _joined([shell, *blobs])


def _outliers(rng: np.random.Generator, n: int) -> Draw:
    """A mixture or a shape, and a few objects far from everything: these do not make clusters."""
    X, truth = (_mixture if rng.random() < 0.5 else _moons)(rng, n)
    far = rng.uniform(X.min(axis=0) - X.std(), X.max(axis=0) + X.std(), size=(max(len(X) // 40, 2), X.shape[1]))
    return np.vstack([X, far]), np.concatenate([truth, rng.choice(truth, len(far))])


def _one(rng: np.random.Generator, n: int) -> Draw:
    """No clusters: a round, stretched, heavy-tailed, even or skew cloud, a band, counts."""
    d = int(rng.choice([2, 3, 5, 10, 20, 50]))
    kind = rng.integers(7)
    X = rng.normal(size=(n, d))
    if kind == 1:
        X = X @ (rng.normal(size=(d, d)) * np.exp(rng.uniform(-1, 1, d)))
    elif kind == 2:
        X /= np.sqrt(rng.chisquare(5, size=(n, 1)) / 5)
    elif kind == 3:
        X = rng.uniform(-1, 1, size=(n, d))
    elif kind == 4:
        X = np.exp(0.6 * X)
    elif kind == 5:
        t = rng.uniform(-1, 1, n)
        X = 0.15 * X + np.column_stack([np.cos(2 * t * j) for j in range(1, d + 1)])
    elif kind == 6:
        rates = np.exp(rng.normal(size=d)) * np.exp(0.4 * rng.normal(size=(n, 1)))
        counts = rng.poisson(5 * rates).astype(float)
        X = np.log1p(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) * np.median(counts.sum(axis=1)))
    return X, np.zeros(n, int)


def _joined(parts: list[np.ndarray]) -> Draw:
    return np.vstack(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def _default(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:  # noqa: ARG001
    """The default generator; of every four one with another range of numbers of clusters."""
    high = max(int(rng.choice([0.7, 1.4, 2.0]) * len(X) ** 0.5), 4)
    k_range = None if rng.random() < 0.75 else (2, min(high, len(X) // 2))
    return MultiscalePartitions(m, k_range, random_state=int(rng.integers(2**31))).fit_transform(X)


def _kmeans(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:  # noqa: ARG001
    """Random numbers of clusters, up to some multiple of the root of the number of objects."""
    high = min(max(int(rng.choice([0.7, 1.0, 1.0, 2.0, 3.0]) * len(X) ** 0.5), 4), len(X) // 2)
    return _members(rng, X, m, (2, high))


def _members(rng: np.random.Generator, X: np.ndarray, m: int, k_range: tuple[int, int]) -> np.ndarray:
    return KMeansPartitions(m, k_range, max_iter=30, random_state=int(rng.integers(2**31))).fit_transform(X)


def _same(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:
    """All members have the same number of clusters, the true one or another."""
    factor = float(rng.choice([0.5, 1.0, 1.0, 2.0, 3.0]))
    k = int(np.clip(round(factor * (truth.max() + 1)), 2, len(X) // 4))
    return _members(rng, X, m, (k, k))


def _fine(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:  # noqa: ARG001
    """Members of two scales: some coarse, some fine."""
    root = len(X) ** 0.5
    coarse = _members(rng, X, max(m // 2, 2), (2, max(int(root), 3)))
    fine = _members(rng, X, max(m - m // 2, 2), (max(int(root), 3), int(min(3 * root, len(X) // 2)) + 1))
    return np.hstack([coarse, fine])


def _subsamples(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:
    """Every member sees a part of the objects only."""
    labels = (_kmeans if rng.random() < 0.5 else _default)(rng, X, truth, m)
    return np.where(rng.random(labels.shape) < rng.uniform(0.1, 0.4), -1, labels)


def _linkage(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:  # noqa: ARG001
    """Hierarchical clusterings of random parts of the features."""
    columns = []
    for _ in range(min(m, 30)):
        kept = rng.permutation(X.shape[1])[: max(2, int(X.shape[1] * rng.uniform(0.5, 1)))]
        k = int(rng.integers(2, max(int(len(X) ** 0.5), 4)))
        model = AgglomerativeClustering(k, linkage=str(rng.choice(["ward", "average", "complete"])))
        noisy = X[:, kept] + 0.05 * X[:, kept].std(axis=0) * rng.normal(size=(len(X), kept.size))
        columns.append(model.fit_predict(noisy))
    return np.column_stack(columns)


def _given(rng: np.random.Generator, X: np.ndarray, truth: np.ndarray, m: int) -> np.ndarray:
    """The truth with clusters joined or split and labels changed, without features: like what people say."""
    k, columns = int(truth.max()) + 1, []
    wrong, joined, split = rng.uniform(0, 0.25), rng.uniform(0, 0.4), rng.uniform(0, 0.4)
    for _ in range(min(m, 40)):
        label = np.where(rng.random(k) < joined, rng.integers(k, size=k), np.arange(k))[truth]
        parts = rng.random(k) < split
        label = label + k * (parts[truth] & (rng.random(truth.size) < 0.5))
        columns.append(np.where(rng.random(truth.size) < wrong, rng.permutation(label), label))
    labels = np.column_stack(columns)
    return labels if (labels != labels[0]).any() else _given(rng, X, truth, m)  # all are told apart from none


DATA_KINDS = {
    "mixture": (5.0, _mixture), "expression": (1.0, _expression), "images": (1.5, _images), "rings": (1.0, _rings),
    "spirals": (0.5, _spirals), "moons": (0.7, _moons), "stripes": (1.0, _stripes), "chains": (1.0, _chains),
    "flats": (1.5, _flats), "mixed": (0.8, _mixed), "outliers": (1.0, _outliers), "one": (2.0, _one),
    "tables": (3.0, _tables),
}  # fmt: skip
MEMBER_KINDS = {
    "default": (7.0, _default), "kmeans": (2.0, _kmeans), "same": (0.7, _same), "fine": (0.7, _fine),
    "subsamples": (0.7, _subsamples), "linkage": (0.4, _linkage), "given": (0.6, _given),
}  # fmt: skip
