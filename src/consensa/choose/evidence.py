"""What an ensemble, its cuts and its features say about every number of clusters, and what the rule makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consensa.choose.gaps import lifetimes
from consensa.choose.gaussians import misfits
from consensa.choose.separation import placed_objects, separations
from consensa.choose.spectrum import leading_eigenvalues
from consensa.choose.splits import sampled_links, splits_of
from consensa.ensemble.sampling import sample_objects
from consensa.partition.agglomerate import agglomerate
from consensa.relate.relation import Dense
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa.choose.separation import FeaturesOf
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut
    from consensa.partition.dendrogram import Dendrogram

__all__ = [
    "K_FEATURES",
    "ONE_FEATURES",
    "PLACED_FEATURES",
    "PLACED_ONE_FEATURES",
    "Evidence",
    "gather",
    "number_grid",
    "walk_weights",
]

THETA = 1.0
N_ROWS = 1000  # microclusters on which splits are measured
N_SPECTRUM = 512  # of which eigenvalues are taken
LOOK_AHEAD = 6  # splits
ALL_UP_TO = 50  # beyond, numbers of clusters are 5 % apart
_SCALE_UP_TO = 40  # splits that say how large a conductance is in this ensemble
_SCALE_EIGENVALUE = 30
_LEAST_SCALE = 0.02
_EPS = 0.03
_EIGEN_EPS = 0.1
_LIFE_EPS = 0.01
_MISFIT_EPS = 0.005
_SEPARATIONS = (1.0, 4.0)  # beyond, parts are near or far, and how much says nothing
_OF_ONE_MEMBER = 0.5  # times p (1 - p) of its share p: what one odd member among others can change

K_FEATURES = ("internal", "external", "split", "eigenvalue ratio", "eigenvalue", "log k")
# where features are at hand
PLACED_FEATURES = (*K_FEATURES, "lifetime", "separation", "misfit", "log k log best")
ONE_FEATURES = ("constant", "internal", "second eigenvalue", "best score", "best ratio", "scale", "log members")
PLACED_ONE_FEATURES = (*ONE_FEATURES, "misfit of one", "one fits best")


@dataclass(frozen=True, eq=False)
class Evidence:
    """Measures of the cuts into 1, 2, ... clusters, on a scale that does not depend on how fine the members are.

    Conductances are divided by the 75 % quantile of those of the splits into up to 40 clusters, 1 - eigenvalue by that
    of the 31st: finer base clusterings make both smaller, everywhere.
    """

    k: np.ndarray  # 1, 2, ..., 50 and then 5 % apart
    split: np.ndarray  # conductance of the split that leads to k clusters; that of an earlier one where it is small
    external: np.ndarray  # largest of those: the worst separation that k clusters need
    internal: np.ndarray  # smallest of the next splits: how hard it is to go on
    distance: np.ndarray  # 1 - k-th eigenvalue
    following: np.ndarray  # 1 - (k+1)-th eigenvalue
    apart: np.ndarray  # bool: whether the split that leads to k clusters has parts of some size
    scale: float  # of the conductances
    n_members: int
    lifetime: np.ndarray | None = None  # how long the tree keeps k clusters; these three where there are features
    separation: np.ndarray | None = None  # of the parts of the split that leads to k clusters, in deviations
    misfit: np.ndarray | None = None  # of k Gaussians: BIC per object, less the smallest one

    @property
    def score(self) -> np.ndarray:
        """log(internal / external): large where k clusters are apart and cannot be split any more."""
        return _log_ratio(self.internal, self.external, _EPS)

    @property
    def ratio(self) -> np.ndarray:
        """log((1 - l_{k+1}) / (1 - l_k)), the ratio of eigenvalues."""
        return _log_ratio(self.following, self.distance, _EIGEN_EPS)

    def k_features(self) -> np.ndarray:
        """One row of ``K_FEATURES`` for every k, or of ``PLACED_FEATURES``."""
        noise = _OF_ONE_MEMBER * (self.n_members - 1) / self.n_members**2
        eps, eigen_eps = _EPS + noise, _EIGEN_EPS + noise
        logs = [np.log(values + eps) for values in (self.internal, self.external, self.split)]
        ratio = _log_ratio(self.following, self.distance, eigen_eps)
        columns = [*logs, ratio, np.log(self.distance + eigen_eps), np.log(self.k)]
        if self.lifetime is not None and self.separation is not None and self.misfit is not None:
            columns += [np.log(self.lifetime + _LIFE_EPS), np.log(np.clip(self.separation, *_SEPARATIONS))]
            of_best = np.log(self.k[int(self.misfit.argmin())])
            columns += [np.log(self.misfit + _MISFIT_EPS), of_best * np.log(self.k)]
        return np.column_stack(columns)

    def one_features(self) -> np.ndarray:
        """``ONE_FEATURES``, or ``PLACED_ONE_FEATURES``: what speaks for or against any structure at all."""
        score, ratio = (float(v[self.k > 1].max(initial=-5.0)) for v in (self.score, self.ratio))
        first = [np.log(self.internal[0] + _EPS), np.log(self.following[0] + _EIGEN_EPS)]
        found = [1.0, *first, score, ratio, np.log(self.scale), np.log(self.n_members)]
        if self.misfit is not None:
            found += [np.log(self.misfit[0] + _MISFIT_EPS), float(self.misfit[0] == 0)]
        return np.array(found)


def _log_ratio(above: np.ndarray, below: np.ndarray, eps: float) -> np.ndarray:
    return np.asarray(np.log((above + eps) / (below + eps)))


def gather(cut: Cut, ensemble: Ensemble, candidates: np.ndarray, features_of: FeaturesOf | None = None) -> Evidence:
    """Measure the cuts of an ensemble into the candidates, all numbers below and some beyond them.

    Parameters
    ----------
    cut : Cut
    ensemble : Ensemble
    candidates : ndarray of int
    features_of : callable or None, default=None
        Gives the features (n x d) of objects by their numbers, which rise.

    Returns
    -------
    Evidence

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LWEA, Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]])
    >>> gather(LWEA(2).fit(ensemble).cut_, ensemble, np.array([2, 3])).score.round(1)
    array([0. , 0. , 7.4])
    """
    limit = min(cut.n_clusters_max, ensemble.n_microclusters)
    k = np.union1d(number_grid(max(int(candidates.max()), _SCALE_UP_TO), limit), candidates)
    rows, counts = sample_objects(ensemble, max(N_ROWS, 4 * int(k[-1])))
    weights = walk_weights(ensemble)
    links = sampled_links(ensemble, weights, rows, counts)
    labels, tree = _nested(cut, ensemble, rows, counts, k)
    splits = splits_of(links, labels, k)
    rows, counts = sample_objects(ensemble, N_SPECTRUM)
    n_values = max(int(k[-1]), _SCALE_EIGENVALUE) + 1
    distance = 1 - leading_eigenvalues(sampled_links(ensemble, weights, rows, counts), n_values)
    distance /= max(distance[_SCALE_EIGENVALUE], _LEAST_SCALE)
    known = splits.worst[(splits.k <= _SCALE_UP_TO) & np.isfinite(splits.worst)]
    scale = max(float(np.quantile(known, 0.75)) if known.size else 1.0, _LEAST_SCALE)
    worst, best = (np.concatenate([[np.nan], values / scale]) for values in (splits.worst, splits.best))
    external = np.maximum(np.fmax.accumulate(np.concatenate([[0.0], worst[1:]])), 0.0)
    internal = _internal(best, 1 / scale if k[-1] == limit else 1.0)
    split = np.where(np.isfinite(worst), worst, external)
    placed: tuple[np.ndarray, ...] = ()
    if features_of is not None:
        placed = (np.nan_to_num(lifetimes(tree, k)), *_of_places(cut, ensemble, features_of, k))
    measured = (k, split, external, internal, distance[k - 1], distance[k], np.isfinite(worst))
    return Evidence(*measured, scale, ensemble.n_partitions, *placed)


def walk_weights(ensemble: Ensemble) -> np.ndarray:
    """Return the weights of the base clusters by which a walk goes from an object through one of them to another.

    Every base clustering links an object with all others together as strongly as its base cluster is certain, however
    large that is: with equal weights per pair, few coarse clusterings outweigh many fine ones.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> walk_weights(Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]]))
    array([0.5, 0.5, 0.5, 0.5])
    """
    return entropy_weights(ensemble, THETA) / np.maximum(ensemble.cluster_sizes - 1, 1)


def number_grid(largest: int, limit: int) -> np.ndarray:
    """Numbers of clusters from 1 to the largest and some splits beyond it, all up to 50, then 5 % apart.

    Examples
    --------
    >>> number_grid(2, 5), number_grid(50, 100)[-3:]
    (array([1, 2, 3, 4, 5]), array([58, 60, 63]))
    """
    found, beyond = [1], 0
    while found[-1] < limit and beyond < LOOK_AHEAD:
        found.append(min(limit, max(found[-1] + 1, int(1.05 * found[-1]) if found[-1] >= ALL_UP_TO else 0)))
        beyond += found[-1] > largest
    return np.array(found)


def _nested(
    cut: Cut, ensemble: Ensemble, rows: np.ndarray, counts: np.ndarray, k: np.ndarray
) -> tuple[list[np.ndarray], Dendrogram]:
    """Labels of the rows in nested clusters, and their tree: that of the cut if it has one, else average linkage (EAC).

    A cluster of a cut that is no tree may be no part of one with fewer clusters, and one bad start spoils all beyond.
    """
    if cut.tree is not None:
        return cut.cut_rows(k.tolist(), rows, counts), cut.tree
    order = np.argsort(ensemble.hashes[rows], kind="stable")  # ties fall alike for any order of the objects
    B = sampled_links(ensemble, np.ones(ensemble.n_base_clusters), rows[order], counts[order]).factor()
    tree = agglomerate(Dense((B @ B.T).toarray()), counts[order])
    return [tree.cut(int(number))[np.argsort(order)] for number in k], tree


def _of_places(cut: Cut, ensemble: Ensemble, features_of: FeaturesOf, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far apart the parts of every split lie, and how ill k Gaussians fit, by a sample of the objects."""
    objects, found = placed_objects(ensemble)
    rows, inverse, counts = np.unique(found, return_inverse=True, return_counts=True)
    reached = k[k <= rows.size]
    nested, _ = _nested(cut, ensemble, rows, counts, reached)
    X, labels = features_of(objects), [one[inverse] for one in nested]
    beyond = (0, k.size - reached.size)
    apart, misfit = separations(X, labels), misfits(X, labels, reached)
    return np.pad(apart, beyond, "edge"), np.pad(misfit, beyond, "edge")


def _internal(split: np.ndarray, at_end: float) -> np.ndarray:
    """Smallest conductance of the next splits; ``at_end`` where there is none."""
    ahead = np.full((LOOK_AHEAD, split.size), np.nan)
    for step in range(min(LOOK_AHEAD, split.size - 1)):
        ahead[step, : -step - 1] = split[step + 1 :]
    smallest = np.fmin.reduce(ahead, axis=0)
    return np.where(np.isfinite(smallest), smallest, at_end)
