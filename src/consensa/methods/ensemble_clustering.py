"""From features to a consensus clustering: a generator and a method in one estimator."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from consensa._random import draw_seeds
from consensa._validation import as_cluster_numbers, check_n_clusters, is_auto
from consensa.columns import CodedTable, code_frame
from consensa.ensemble.missing import own_labels
from consensa.generate import MultiscalePartitions, TablePartitions
from consensa.generate import make_generator as named_generator
from consensa.generate.base import label_new_data
from consensa.generate.scale import apply_scale, find_scale
from consensa.generate.table import table_of
from consensa.methods.consensus import make_method
from consensa.methods.features import FeatureClusterer
from consensa.methods.registry import DEFAULT_METHOD
from consensa.methods.significance import refuse_table, significance_for

if TYPE_CHECKING:
    from consensa._types import Count, Directory, NClusters, Outliers, RandomState, Scale
    from consensa.choose.separation import FeaturesOf
    from consensa.columns import Column
    from consensa.ensemble import Ensemble
    from consensa.partition.cut import Cut

__all__ = ["EnsembleClustering", "GeneratedEnsemble", "make_generator"]


class GeneratedEnsemble(FeatureClusterer):
    """Base of the methods on features that are a generator and a consensus method, each by itself."""

    n_clusters: NClusters
    random_state: RandomState
    columns_: tuple[Column, ...] | None = None  # of a table

    @abstractmethod
    def _make_generator(self, seed: int) -> Any:
        """Return the generator, not fitted."""

    @abstractmethod
    def _make_consensus(self, seed: int) -> Any:
        """Return the consensus method, not fitted."""

    def _fit(self, X: np.ndarray) -> None:
        k = self._wanted()
        if not is_auto(k):
            check_n_clusters(as_cluster_numbers(k), X.shape[0], "samples")
        self.generator_, method = self.make_parts()
        features = self._for_generator(X)
        partitions = np.asarray(self.generator_.fit_transform(features))
        self._combine(partitions, method, None if self.columns_ is not None else features.__getitem__)

    def _wanted(self) -> Any:
        """Return the number of clusters that the consensus method is asked for."""
        return self.n_clusters

    def _for_generator(self, X: np.ndarray) -> Any:
        """Hand features to the generator, as it takes them."""
        return X

    def make_parts(self) -> tuple[Any, Any]:
        """Return the generator and the consensus method, seeded as ``fit`` does, but not fitted.

        Returns
        -------
        generator, method : estimators
        """
        generator_seed, method_seed = draw_seeds(self.random_state, 2)
        method = self._make_consensus(method_seed)  # its errors come before the long part
        return self._make_generator(generator_seed), method

    def _combine(self, partitions: Any, method: Any, features_of: FeaturesOf | None = None) -> Self:
        self.partitions_ = partitions
        with own_labels():
            return self._accept(method.fit(self._to_combine(partitions), **self.fit_options(method, features_of)))

    def fit_options(self, method: Any, features_of: FeaturesOf | None = None) -> dict[str, Any]:
        """Return what the consensus method is told when it is fitted, beside the label matrix.

        Parameters
        ----------
        method : consensus estimator
        features_of : callable or None, default=None
            Gives the features (n x d) of objects by their numbers, which rise; for the choice of k.

        Returns
        -------
        dict
        """
        wanted = features_of is not None and is_auto(self._wanted()) and has_fit_parameter(method, "features_of")
        return {"features_of": features_of} if wanted else {}

    def _accept(self, consensus: Any) -> Self:
        self.consensus_ = consensus
        self.labels_ = self.consensus_.labels_
        self.n_clusters_ = self.consensus_.n_clusters_
        self.choice_ = self.consensus_.choice_
        return self

    def accept(self, consensus: Any, generator: Any, n_features: int) -> Self:
        """Become the model of base clusterings that were made and combined outside, as of data larger than memory.

        Parameters
        ----------
        consensus : fitted consensus estimator
        generator : fitted transformer or None
        n_features : int

        Returns
        -------
        self
        """
        self.n_features_in_ = n_features
        self.generator_ = generator
        return self._accept(consensus)

    def _consensus_part(self) -> Any:
        return self.consensus_

    def _row_part(self) -> Any:
        return self.consensus_

    @property
    def cut_(self) -> Cut:  # type: ignore[override]
        """What the consensus is cut from."""
        return self.consensus_.cut_

    @property
    def ensemble_(self) -> Ensemble:  # type: ignore[override]
        """The base clusterings."""
        return self.consensus_.ensemble_

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "labels_")
        return self.consensus_.confidence_

    @property
    def outlier_scores_(self) -> Any:
        """How little company every object finds in any cluster, where a random one has 1.

        See :func:`consensa.evaluate.outlier_scores`.
        """
        check_is_fitted(self, "labels_")
        return self.consensus_.outlier_scores_

    def _cut(self, n_clusters: Any) -> Any:
        return self.consensus_.cut(n_clusters)

    def _predict(self, X: np.ndarray) -> Any:
        """Label new data: by every base clustering first, then by the consensus."""
        return self.consensus_.predict(label_new_data(self.generator_, self._for_generator(X)))


@dataclass(eq=False, repr=False)
class EnsembleClustering(GeneratedEnsemble):
    """Robust clustering of features: many base clusterings, combined into one.

    Clusterings that already exist are combined by :func:`~consensa.consensus` and the methods behind it.
    ``predict`` needs a generator that can label new data, by a method ``transform``: those that keep centres.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=8
        Number of clusters; several give a dict of labels, "auto" or "auto:2:20" a choice (:func:`~consensa.choose_k`).
        "tested" takes as many as are more than chance (:func:`~consensa.significance`), which may be one.
    generator : transformer, str or None, default=None
        Makes the label matrix from the features; a name of :data:`consensa.generate.GENERATORS`; None for
        :class:`~consensa.generate.MultiscalePartitions` with
        ``n_partitions`` members, or, where X is a data frame with anything but finite numbers (categories, dates,
        booleans, gaps), for :class:`~consensa.generate.TablePartitions`.
    method : str or estimator, default="sal"
        Name of a method, or a consensus estimator; its ``n_clusters`` is set to the one given here.
    n_partitions : int, default=100 (base clusterings)
    outliers : {"assign", "mark"}, default="assign"
        What becomes of objects that no cluster can claim (:func:`consensa.evaluate.outlier_scores`): they go to the
        cluster that suits them best, or get the label -1.
    scale : {"none", "standard", "auto"}, default="none"
        What is done to plain numbers first: nothing, every feature to mean 0 and deviation 1, or that only where their
        units differ. The columns of a table are always scaled.
    directory : path or None, default=None
        Keeps what is finished of the test of "tested", so that a stopped fit goes on there; needs a ``random_state``.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : KChoice or None (how the number of clusters was chosen, if it was)
    significance_ : Significance or None (how it was tested, if it was)
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    outlier_scores_ : ndarray of shape (n_samples,), or dict of them (how little company objects find, 1 on average)
    cut_ : Cut
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : fitted transformer
    columns_ : tuple of Column or None (what the columns of a table are; None for plain numbers)
    scaler_ : ndarray of shape (2, n_features) or None (means and deviations that plain numbers were scaled by)
    consensus_ : fitted consensus estimator
    ensemble_ : Ensemble

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5).
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import EnsembleClustering
    >>> EnsembleClustering(n_clusters=3, n_partitions=20, random_state=0).fit(load_iris().data).labels_.shape
    (150,)
    """

    n_clusters: NClusters = 8
    _: KW_ONLY
    generator: Any = None
    method: Any = DEFAULT_METHOD
    n_partitions: Count = 100
    outliers: Outliers = "assign"
    scale: Scale = "none"
    directory: Directory = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def fit_options(self, method: Any, features_of: FeaturesOf | None = None) -> dict[str, Any]:
        """Return what the consensus method is told when it is fitted, beside the label matrix.

        Parameters
        ----------
        method : consensus estimator
        features_of : callable or None, default=None
            Gives the features (n x d) of objects by their numbers, which rise; for the choice of k.

        Returns
        -------
        dict
        """
        marked = {} if self.outliers == "assign" else {"outliers": self.outliers}
        return super().fit_options(method, features_of) | marked

    def _read(self, X: Any) -> np.ndarray:
        table = table_of(X, self.generator)
        self.columns_, self.scaler_ = None, None
        if table is not None:
            self.accept_columns(table.columns)
            return table.values
        X = super()._read(X)
        self.scaler_ = find_scale(X, self.scale)
        return X

    def accept_columns(self, columns: tuple[Column, ...]) -> None:
        """Take note of what the columns of the table are.

        Parameters
        ----------
        columns : tuple of Column
        """
        self.columns_ = columns
        self.n_features_in_ = len(columns)
        self.feature_names_in_ = np.array([column.name for column in columns], dtype=object)

    def _read_new(self, X: Any) -> np.ndarray:
        if self.columns_ is None:
            return super()._read_new(X)
        return X.values if isinstance(X, CodedTable) else code_frame(X, self.columns_)

    def _for_generator(self, X: np.ndarray) -> Any:
        return apply_scale(X, self.scaler_) if self.columns_ is None else CodedTable(X, self.columns_)

    def _fit(self, X: np.ndarray) -> None:
        self.significance_ = None
        if _is_tested(self.n_clusters):
            refuse_table(self.columns_)
            self.test(self._for_generator(X), self.directory)
        super()._fit(X)

    def test(self, X: np.ndarray, directory: Directory = None) -> None:
        """Find out how many clusters are more than chance, for ``n_clusters="tested"``; ``fit`` calls it.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Scaled as the generator gets them.
        directory : path or None, default=None
            Keeps what is finished, so that a stopped test goes on where it was.
        """
        if directory is not None and self.random_state is None:
            msg = "directory needs a random_state: without a seed, a stopped test cannot go on."
            raise ValueError(msg)
        seed = draw_seeds(self.random_state, 3)[2]  # the first two are those of the parts
        self.significance_ = significance_for(self, X, seed, directory)

    def _wanted(self) -> Any:
        return self.n_clusters if self.significance_ is None else self.significance_.n_clusters

    def _make_generator(self, seed: int) -> Any:
        return make_generator(self, seed)

    def _make_consensus(self, seed: int) -> Any:
        return make_method(self.method, self._wanted(), seed, {})


def _is_tested(n_clusters: Any) -> bool:
    return isinstance(n_clusters, str) and n_clusters == "tested"


def make_generator(model: Any, seed: int, default: type = MultiscalePartitions) -> Any:
    """Return the generator of a model on features, seeded but not fitted; the default if none was given."""
    if model.generator is None and model.columns_ is not None:
        return TablePartitions(model.n_partitions, random_state=seed, n_jobs=model.n_jobs, verbose=model.verbose)
    if model.generator is None:
        return default(model.n_partitions, random_state=seed, n_jobs=model.n_jobs, verbose=model.verbose)
    by_name = isinstance(model.generator, str)
    generator = named_generator(model.generator, model.n_partitions) if by_name else clone(model.generator)
    given = {"random_state": seed, "n_jobs": model.n_jobs}
    known = generator.get_params(deep=False)
    return generator.set_params(**{k: v for k, v in given.items() if k in known and known[k] is None})
