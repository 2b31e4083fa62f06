"""One call from a label matrix to the number of clusters in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._features import check_features
from consensa._random import draw_seeds
from consensa.choose.choose_cut import N_RESAMPLES, choose_cut
from consensa.ensemble import as_ensemble
from consensa.methods.consensus import make_method

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.choose import KChoice
    from consensa.choose.separation import FeaturesOf

__all__ = ["choose_k"]


def choose_k(
    partitions: Any,
    method: str = "lwea",
    k_range: Any = None,
    *,
    X: Any = None,
    random_state: RandomState = None,
    n_resamples: int = N_RESAMPLES,
    **method_params: Any,
) -> KChoice:
    """Choose the number of clusters from the ensemble alone, with every curve that speaks for or against it.

    Parameters
    ----------
    partitions : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble
    method : str, default="lwea"
        Name of the method whose cuts are judged; :data:`consensa.methods.METHODS` lists them.
    k_range : tuple of two int, sequence of int, or None, default=None
        Smallest and largest candidate, both included, or a list or range of all candidates; those that the ensemble
        cannot be cut into are left out. None for
        1 up to twice the mean number of clusters of the base clusterings, all up to 50 and then in steps of 5 %.
    X : array of shape (n_objects, n_features) or None, default=None
        Features of the objects, if there are any: with them the choice is right more often.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the method and of the splits of the base clusterings.
    n_resamples : int, default=2
        Splits of the base clusterings for the curve of the stability, which is no part of the rule; 0 for none.
    **method_params
        Further parameters of the method, for example ``theta``.

    Returns
    -------
    KChoice
        The choice, how probable it and the other candidates are, the curves and what each of them would choose.

    Notes
    -----
    The curves:

    - *conductance* of the splits of the ensemble's graph: log of the smallest one among the next six splits over the
      largest one that k clusters need. Large where the clusters are apart and cannot be split any further.
    - *eigenvalues* of the same graph: log of (1 - the next eigenvalue) over (1 - the k-th).
    - *gaussians* (where there are features): how much more a mixture of Gaussians that begins at the k clusters needs
      to describe the features than the best number of them does, as BIC per object with a minus sign; at most 1,000
      objects on their 10 leading principal axes.
    - *lifetime* (methods with a dendrogram): for how long the tree keeps k clusters;
      :func:`consensa.evaluate.lifetimes`.
    - *agreement*: mean agreement of the cut with the base clusterings, corrected for chance. Its maximum lies near the
      mean k of the base clusterings whatever the data, so its vote is the smallest k that a quarter of the base
      clusterings likes no less than that maximum; :func:`consensa.evaluate.member_agreement`.
    - *stability*: agreement of two halves of the base clusterings; :func:`consensa.choose.stability`.
    - *pac* and *delta_area* (Monti), where every base clustering leaves objects out, from those with k clusters each;
      :func:`consensa.evaluate.consensus_cdfs`.

    The rule uses the first two, both on a scale that does not depend on how fine the base clusterings are, and log k;
    where there are features, also the fit of Gaussians, the lifetime and how far apart the parts of every split lie
    (the distance of their centres in deviations along the line between them): parts that lie far apart are hardly
    linked in any case, so that is no news, as are the two ends of a band. It is a conditional logit over the candidates
    whose few weights were fitted on simulated ensembles, and a logistic regression for k = 1. Both give probabilities,
    calibrated on simulations that had no part in the weights. No labels and nothing of a data set enter. k = 1 is
    chosen where it is more probable than all others together; else the most probable k in the range of 20 % that holds
    most of the probability. How often that is right on other data is in the documentation (choice of k).

    All cuts come from one fit of the method. Where there are more, splits are measured on objects in about 1,000
    microclusters, eigenvalues on 512, halves on 128, pairs on 2,048, drawn by the hashes of their labels, so the choice
    does not depend on the order of the objects.

    References
    ----------
    Oveis Gharan & Trevisan (2014), SODA, for the conductance. https://doi.org/10.1137/1.9781611973402.93
    McFadden (1974), Conditional logit analysis of qualitative choice behavior, in Frontiers in Econometrics.
    Fraley & Raftery (2002), JASA 97, for the Gaussians. https://doi.org/10.1198/016214502760047131
    Fred & Jain (2005), IEEE TPAMI 27(6), for the lifetime. https://doi.org/10.1109/TPAMI.2005.113
    Strehl & Ghosh (2003), JMLR 3, for the agreement. https://doi.org/10.1162/153244303321897735
    Ben-Hur, Elisseeff & Guyon (2002), PSB 7, for the stability. https://doi.org/10.1142/9789812799623_0002
    Monti, Tamayo, Mesirov & Golub (2003), Machine Learning 52. https://doi.org/10.1023/A:1023949509487
    Şenbabaoğlu, Michailidis & Li (2014), Scientific Reports 4, 6207. https://doi.org/10.1038/srep06207

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from consensa import choose_k
    >>> from consensa.generate import KMeansPartitions
    >>> X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> partitions = KMeansPartitions(20, random_state=0).fit_transform(X)
    >>> choice = choose_k(partitions, random_state=0)
    >>> choice.n_clusters, choice.votes
    (3, {'conductance': 3, 'eigenvalues': 3, 'lifetime': 3, 'agreement': 3, 'stability': 3})
    """
    method_seed, seed = draw_seeds(random_state, 2)
    estimator = make_method(method, "auto", method_seed, method_params)
    ensemble = as_ensemble(partitions, missing=estimator.missing)
    features_of = None if X is None else _features_of(X, ensemble.n_objects)
    cut = estimator._consensus(ensemble)  # noqa: SLF001 - the one fit, without labels of a k
    return choose_cut(cut, ensemble, k_range, features_of=features_of, random_state=seed, n_resamples=n_resamples)


def _features_of(X: Any, n_objects: int) -> FeaturesOf:
    X = check_features(None, X)
    if len(X) != n_objects:
        msg = (
            f"X has {len(X)} rows, but the label matrix has {n_objects} objects; give the features of the same objects."
        )
        raise ValueError(msg)
    return X.__getitem__
