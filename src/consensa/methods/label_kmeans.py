"""k-means on label rows: consensus clustering by a utility function, and as a normalised cut."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING

from consensa.methods.base import ConsensusClusterer
from consensa.partition.count_kmeans import count_kmeans
from consensa.partition.geometry import SpectralGeometry, make_utility
from consensa.partition.search_cut import SearchCut

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, RandomState
    from consensa.ensemble import Ensemble

__all__ = ["ECC", "KCC", "QMI", "SEC"]


@dataclass(eq=False, repr=False)
class UtilityKMeans(ConsensusClusterer):
    """k-means on label rows, with the distance of a utility function: what KCC, ECC and QMI share."""

    utility = "u_h"
    n_clusters: NClusters = 2
    _: KW_ONLY
    n_init: Count = 10
    init: str = "k-means++"
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        geometry = make_utility(ensemble, self.utility)
        search = partial(count_kmeans, ensemble, geometry, n_init=self.n_init, init=self.init)
        return SearchCut.seeded(ensemble.sizes, search, self.random_state)


@dataclass(eq=False, repr=False)
class KCC(UtilityKMeans):
    """k-means-based consensus clustering.

    Every cluster is described by the shares of the base clusters among its objects. The clustering that is as useful as
    possible for telling these shares is found by k-means on the label rows, with a distance that belongs to the utility
    function. Grows linearly with the number of objects. An object counts in the base clusterings that label it. The
    logarithm of a share of 0 is replaced by that of 2.2e-16, as in the published code.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    utility : {"u_h", "u_c", "u_cos", "nu_h", "nu_c", "nu_cos"}, default="u_h"
        What a clustering is good for: the entropy of the shares that it removes ("u_h", Kullback-Leibler distance), the
        sum of their squares ("u_c", squared Euclidean distance) or their length ("u_cos", cosine). Those with "nu"
        divide the weight of every base clustering by its own value.
    n_init : int, default=10 (starts, of which the best is kept)
    init : {"k-means++", "random"}, default="k-means++"
        Seeds drawn by distance from those before, or rows drawn at random as in the published code.
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    See Also
    --------
    ECC, QMI : The utilities "u_h" and "u_c".
    SEC : Weighted k-means that equals a normalised cut.

    References
    ----------
    Wu, Liu, Xiong, Cao & Chen (2015), K-means-based consensus clustering: a unified view, IEEE TKDE 27(1).
    https://doi.org/10.1109/TKDE.2014.2316512

    Examples
    --------
    >>> from consensa import KCC
    >>> KCC(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    utility: str = "u_h"


class ECC(UtilityKMeans):
    """Entropy-based consensus clustering: :class:`KCC` with the entropy utility and base clusterings of equal weight.

    Finds the clusters in which the labels by the base clusterings are as certain as possible.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_init : int, default=10 (starts, of which the best is kept)
    init : {"k-means++", "random"}, default="k-means++"
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    References
    ----------
    Liu, Zhao, Fang, Cheng, Fu & Liu (2017), Entropy-based consensus clustering for patient stratification,
    Bioinformatics 33(17). https://doi.org/10.1093/bioinformatics/btx167

    Examples
    --------
    >>> from consensa import ECC
    >>> ECC(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """


class QMI(UtilityKMeans):
    """Quadratic mutual information: k-means on the centred 0/1 matrix of objects and base clusters.

    Centring moves all points alike, so this is :class:`KCC` with the utility "u_c".

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_init : int, default=10 (starts, of which the best is kept)
    init : {"k-means++", "random"}, default="k-means++"
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    ensemble_ : Ensemble

    References
    ----------
    Topchy, Jain & Punch (2003), Combining multiple weak clusterings, ICDM. https://doi.org/10.1109/ICDM.2003.1250937

    Examples
    --------
    >>> from consensa import QMI
    >>> QMI(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    utility = "u_c"


@dataclass(eq=False, repr=False)
class SEC(ConsensusClusterer):
    """Spectral ensemble clustering.

    The normalised cut of the co-association matrix, as a weighted k-means on label rows that never forms the matrix:
    the weight of an object is the sum of the sizes of its clusters. Grows linearly with the number of objects. Objects
    in small clusters have small weights and lie far out, so that the loss has many local minima; published figures with
    a single random start are low.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
    n_init : int, default=10 (starts, of which the best is kept)
    init : {"spectral", "k-means++", "random"}, default="spectral"
        "spectral": one more start, from the eigenvectors that solve the relaxed problem, besides those of "k-means++".
        "random": rows drawn at random, as published.
    random_state : int, RandomState, Generator or None, default=None
    missing : int or None, default=-1 (what stands for a missing label; None if nothing is missing)

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        Numbered by size, then by first object; -1 for objects without any label.
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    confidence_ : ndarray of shape (n_objects,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SearchCut
    object_weights_ : ndarray of shape (n_objects,)
        Degree of every object in the co-association graph: the sizes of its clusters, summed; 0 without any label.
    ensemble_ : Ensemble

    See Also
    --------
    KCC : k-means on label rows without weights.
    MDECConsensus : ``consensus="sc"`` cuts the weighted co-association by its eigenvectors.

    References
    ----------
    Liu, Liu, Wu, Tao & Fu (2015), Spectral ensemble clustering, KDD. https://doi.org/10.1145/2783258.2783287

    Examples
    --------
    >>> from consensa import SEC
    >>> SEC(n_clusters=2, random_state=0).fit_predict([[0, 0, 1, 1], [0, 0, 1, 2], ["a", "a", "b", "b"]])
    array([0, 0, 1, 1], dtype=int32)
    """

    n_clusters: NClusters = 2
    _: KW_ONLY
    n_init: Count = 10
    init: str = "spectral"
    random_state: RandomState = None
    missing: int | None = -1

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        geometry = SpectralGeometry(ensemble)
        self.object_weights_ = ensemble.to_objects(geometry.scale, fill=0)
        search = partial(count_kmeans, ensemble, geometry, n_init=self.n_init, init=self.init)
        return SearchCut.seeded(ensemble.sizes, search, self.random_state)
