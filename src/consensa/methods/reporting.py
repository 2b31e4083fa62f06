"""Reports of fitted models: a page, JSON, and a summary in notebooks."""

from __future__ import annotations

import time
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar, overload

from sklearn.utils.validation import check_is_fitted

from consensa.methods.profiling import ProfileMixin

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import numpy as np

    from consensa.choose import KChoice, Significance
    from consensa.columns import Column
    from consensa.methods.saving import Saved
    from consensa.partition.labelling import Labeller
    from consensa.report import Report
    from consensa.report.made import MadeOf

__all__ = ["FeaturesInMemory", "ReportMixin", "timed"]

P = ParamSpec("P")
Model = TypeVar("Model")


class FeaturesInMemory:
    """The features that a model was fitted on, for its report; they stay behind when the model is copied or saved.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
    ids : sequence of n_samples, default=None
        The index of the frame they came in.
    """

    def __init__(self, values: Any = None, ids: Any = None) -> None:
        self.values = values
        self.ids = ids

    def __reduce__(self) -> tuple[type[FeaturesInMemory], tuple[()]]:
        return FeaturesInMemory, ()


class ReportMixin(ProfileMixin):
    """Gives fitted models a method ``report`` and a summary in notebooks, and says what those may ask of a model."""

    takes_features = False  # whether it is fitted on features, not on clusterings
    how_it_runs: ClassVar = frozenset(
        {"directory", "n_jobs", "verbose"}
    )  # parameters that change nothing in the result
    fit_seconds_: float | None = None
    generator_: Any = None
    choice_: KChoice | None = None
    significance_: Significance | None = None  # the test that gave the number of clusters
    columns_: tuple[Column, ...] | None = None  # what the columns of a table are; None for plain numbers
    scaler_: np.ndarray | None = None  # means and deviations that plain numbers were scaled by
    _features: FeaturesInMemory | None = None
    saved_: Saved | None

    def _consensus_part(self) -> Any:
        """The estimator that combines base clusterings."""
        return self

    def _row_part(self) -> Any:
        """The estimator whose labels go by label rows, None where they do not."""
        return None

    def made_of(self) -> MadeOf:
        """Return the parts of the fitted model, and where its method comes from.

        Returns
        -------
        MadeOf
        """
        from consensa.methods.registry import method_of
        from consensa.report.made import MadeOf

        consensus, generator = self._consensus_part(), self.generator_
        names = () if generator is None else generator.get_feature_names_out()
        method = method_of(type(self).__name__) or method_of(type(consensus).__name__)
        if method is None:
            return MadeOf(consensus, generator, names)
        return MadeOf(consensus, generator, names, method.summary, method.reference, method.doi)

    def row_labeller(self, n_clusters: int | None = None) -> Labeller | None:
        """Return what labels label rows, where the labels go by these.

        Parameters
        ----------
        n_clusters : int or None, default=None
            None for the fitted number.

        Returns
        -------
        Labeller or None
        """
        part = self._row_part()
        return None if part is None else part.labeller(n_clusters)

    @overload
    def report(self, path: None = None, X: Any = None, **details: Any) -> Report: ...

    @overload
    def report(self, path: str | os.PathLike[str], X: Any = None, **details: Any) -> None: ...

    def report(
        self: Any,  # a fitted model, once it has passed the first line
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        *,
        ids: Any = None,
        feature_names: Any = None,
        format: str | None = None,  # noqa: A002 - the word that people look for
        force: bool = False,
        **details: Any,
    ) -> Report | None:
        """Show the evidence for the fitted clustering, or write it as a page for the browser or as JSON.

        The page is one file below 500 KB for any number of objects, which loads nothing from anywhere: clusters,
        a map of the objects, confidence, consensus matrix, dendrogram, curves over the number of clusters,
        reliability of the base clusterings, features, flow between clusterings, and how it was made.

        Parameters
        ----------
        path : path or None, default=None
            Ends in .html or .json, if ``format`` is None. None to return the report, which a notebook shows.
        X : array or frame of shape (n_objects, n_features), default=None
            Features. Models that were fitted on features use these while they are in memory.
        ids : sequence of n_objects, default=None
            Names of the objects; None for those that a loaded model brings, the index of a frame X, or row numbers.
        feature_names : sequence of n_features str, default=None
            None for the columns of a frame, or numbers.
        format : {"html", "json"} or None, default=None
            None for what the ending of the path says.
        force : bool, default=False
            Whether an existing file may be replaced.
        **details
            Further arguments of :func:`consensa.report.report_content`: ``n_clusters``, ``truth``, ``others``,
            ``compare``, ``title``, ``source``, ``partition_names``.

        Returns
        -------
        Report or None
            None if it was written to a file.
        """
        from consensa.report import Report, report_content, write_report

        check_is_fitted(self, "labels_")
        details |= self.known_of_objects(X, ids=ids, feature_names=feature_names)
        if path is None:
            return Report(report_content(self, **details))
        write_report(path, self, format=format, force=force, **details)
        return None

    def known_of_objects(self, X: Any = None, *, ids: Any = None, feature_names: Any = None, **more: Any) -> Any:
        """Return what is known of the objects for a report: what is given, else what the fit or a file left.

        Parameters
        ----------
        X : array or frame of shape (n_objects, n_features), default=None
        ids : sequence of n_objects, default=None
        feature_names : sequence of n_features str, default=None
        **more
            Handed on as it is.

        Returns
        -------
        dict
        """
        if X is None and self._features is not None:
            X = self._features.values
            ids = self._features.ids if ids is None else ids
            if X is not None and feature_names is None:
                feature_names = vars(self).get("feature_names_in_")
        if ids is None and self.saved_ is not None:
            ids = self.saved_.ids
        return {**more, "X": X, "ids": ids, "feature_names": feature_names}

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        if "labels_" not in vars(self):
            return diagram
        from consensa.report.notebook import notebook_summary

        model: Any = self  # a fitted one
        return notebook_summary(model) + diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def timed(fit: Callable[Concatenate[Model, P], Model]) -> Callable[Concatenate[Model, P], Model]:
    """Let a method that fits remember how long it took, in ``fit_seconds_``.

    Examples
    --------
    >>> from consensa import LWEA
    >>> LWEA(n_clusters=2).fit([[0, 0, 1], [0, 0, 1]]).fit_seconds_ > 0
    True
    """

    @wraps(fit)
    def timed_fit(self: Model, *args: P.args, **kwargs: P.kwargs) -> Model:
        for name in ("cluster_names_", "_portraits"):  # of an earlier fit
            vars(self).pop(name, None)
        start = time.perf_counter()
        fitted = fit(self, *args, **kwargs)
        fitted.fit_seconds_ = time.perf_counter() - start  # type: ignore[attr-defined]
        return fitted

    return timed_fit  # type: ignore[return-value]  # functools.wraps names the first argument
