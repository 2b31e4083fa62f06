"""k-means-based consensus clustering and its special cases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition.count_kmeans import count_kmeans
from consensa.partition.geometry import make_utility
from consensa.partition.search import SearchCut

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["ECC", "KCC", "QMI"]


class _LabelKMeans(ConsensusClusterer):
    """k-means on label rows, with the distance of a utility function."""

    utility: str
    n_init: int
    init: str
    random_state: RandomState

    def _consensus(self, ensemble: Ensemble) -> SearchCut:
        geometry = make_utility(ensemble, self.utility)
        search = partial(count_kmeans, ensemble, geometry, n_init=self.n_init, init=self.init)
        return SearchCut.seeded(search, self.random_state)


class KCC(_LabelKMeans):
    """k-means-based consensus clustering.

    Every cluster is described by the shares of the base clusters among its objects. The clustering that is as useful as
    possible for telling these shares is found by k-means on the label rows, with a distance that belongs to the utility
    function. Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    utility : {"u_h", "u_c", "u_cos", "nu_h", "nu_c", "nu_cos"}, default="u_h"
        What a clustering is good for: the entropy of the shares that it removes ("u_h", Kullback-Leibler distance), the
        sum of their squares ("u_c", squared Euclidean distance) or their length ("u_cos", cosine). Those with "nu"
        divide the weight of every base clustering by its own value.
    n_init : int, default=10
        Number of starts; the one with the smallest loss is kept.
    init : {"k-means++", "random"}, default="k-means++"
        Seeds drawn by distance from those before, or rows drawn at random as in the published code.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    ensemble_ : Ensemble

    See Also
    --------
    ECC : The entropy utility.
    QMI : The utility "u_c".
    SEC : Weighted k-means that equals a normalised cut.

    Notes
    -----
    An object counts in the base clusterings that label it. The logarithm of a share of 0 is replaced by that of
    2.2e-16, as in the published code.

    References
    ----------
    Wu, Liu, Xiong, Cao & Chen (2015), K-means-based consensus clustering: a unified view, IEEE TKDE 27(1).
    https://doi.org/10.1109/TKDE.2014.2316512

    Examples
    --------
    >>> from consensa import KCC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> KCC(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        utility: str = "u_h",
        *,
        n_init: int = 10,
        init: str = "k-means++",
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.utility = utility
        self.n_init = n_init
        self.init = init
        self.random_state = random_state
        self.missing = missing


class ECC(_LabelKMeans):
    """Entropy-based consensus clustering: :class:`KCC` with the entropy utility and base clusterings of equal weight.

    Finds the clusters in which the labels by the base clusterings are as certain as possible.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    n_init : int, default=10
        Number of starts; the one with the smallest loss is kept.
    init : {"k-means++", "random"}, default="k-means++"
        Seeds drawn by distance from those before, or rows drawn at random as in the published code.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    ensemble_ : Ensemble

    See Also
    --------
    KCC : All utilities.

    References
    ----------
    Liu, Zhao, Fang, Cheng, Fu & Liu (2017), Entropy-based consensus clustering for patient stratification,
    Bioinformatics 33(17). https://doi.org/10.1093/bioinformatics/btx167

    Examples
    --------
    >>> from consensa import ECC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> ECC(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    utility = "u_h"

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        n_init: int = 10,
        init: str = "k-means++",
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.init = init
        self.random_state = random_state
        self.missing = missing


class QMI(_LabelKMeans):
    """Quadratic mutual information: k-means on the centred 0/1 matrix of objects and base clusters.

    Centring moves all points alike, so this is :class:`KCC` with the utility "u_c".

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    n_init : int, default=10
        Number of starts; the one with the smallest loss is kept.
    init : {"k-means++", "random"}, default="k-means++"
        Seeds drawn by distance from those before, or rows drawn at random as in the published code.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    ensemble_ : Ensemble

    See Also
    --------
    KCC : All utilities.

    References
    ----------
    Topchy, Jain & Punch (2003), Combining multiple weak clusterings, ICDM. https://doi.org/10.1109/ICDM.2003.1250937

    Examples
    --------
    >>> from consensa import QMI
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> QMI(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    utility = "u_c"

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        n_init: int = 10,
        init: str = "k-means++",
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.init = init
        self.random_state = random_state
        self.missing = missing
