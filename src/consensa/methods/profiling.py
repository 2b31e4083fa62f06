"""What makes the clusters of a fitted model what they are, and names for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from consensa._frames import make_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ProfileMixin"]


class ProfileMixin:
    """Gives fitted models the methods ``profile`` and ``name_clusters``."""

    cluster_names_: dict[int, str] | None = None
    _portraits: dict[str, Any] | None = None  # of the fit, where the features are no longer there

    def profile(self, X: Any = None, *, features: bool = False, **details: Any) -> Any:
        """Say of every cluster how large it is, who is typical of it and what sets it apart, as a data frame.

        Parameters
        ----------
        X : array or frame of shape (n_objects, n_features), default=None
            Features to describe the clusters by, for example in their own units; None for those of the fit.
        features : bool, default=False
            Whether to return a line for every telling feature of every cluster, instead of a line for every cluster.
        **details
            ``n_clusters``, ``ids`` and ``feature_names``, as in :meth:`report`.

        Returns
        -------
        data frame
            ``cluster``, ``name``, ``size``, ``share``, ``typical`` (ids of the objects of the highest confidence) and
            ``description`` in words. By feature: ``cluster``, ``feature``, ``kind``, ``effect``, ``inside``,
            ``outside`` and ``description``; the effect is Cliff's delta in [-1, 1], for a level the difference of its
            shares.
        """
        check_is_fitted(self, "labels_")
        content = self.portraits(X, **details)
        lines = [(c, each) for c, each in enumerate(content["clusters"])]
        if features:
            found = [(c, trait) for c, each in lines for trait in each["traits"]]
            columns: dict[str, Any] = {"cluster": [c for c, _ in found]}
            for word in ("feature", "kind", "effect", "inside", "outside"):
                columns[word] = [trait[word] for _, trait in found]
            return make_frame({**columns, "description": [trait["text"] for _, trait in found]})
        return make_frame(
            {
                "cluster": [c for c, _ in lines],
                "name": [self.cluster_name(c) for c, _ in lines],
                "size": [each["size"] for _, each in lines],
                "share": [each["share"] for _, each in lines],
                "typical": [", ".join(each["typical"]) for _, each in lines],
                "description": [each["text"] for _, each in lines],
            }
        )

    def portraits(self: Any, X: Any = None, **details: Any) -> dict[str, Any]:
        """Return what :meth:`profile` is made of, as plain numbers and words.

        Parameters
        ----------
        X : array or frame of shape (n_objects, n_features), default=None
        **details
            As for :meth:`profile`.

        Returns
        -------
        dict
        """
        from consensa.report.portrait import portraits
        from consensa.report.subject import subject_of

        given = self.known_of_objects(X, **details)
        if given["X"] is None and self._portraits is not None and details.get("n_clusters") is None:
            return dict(self._portraits)
        return portraits(subject_of(self, **given))

    def name_clusters(self, names: Mapping[int, str] | Sequence[str] | None) -> Self:
        """Give the clusters names, which profile, report and ``consensa show`` use, and which are saved with the model.

        Parameters
        ----------
        names : dict of str by label, sequence of str, or None
            A sequence names the clusters from label 0 on; None takes the names away.

        Returns
        -------
        self
        """
        check_is_fitted(self, "labels_")
        given = {} if names is None else dict(names if isinstance(names, dict) else enumerate(names))
        n_clusters = max(self.n_clusters_) if isinstance(self.n_clusters_, list) else self.n_clusters_  # type: ignore[attr-defined]
        wrong = [label for label in given if label not in range(n_clusters)]
        if wrong:
            msg = f"names has one for cluster {wrong[0]!r}, but the labels are 0 to {n_clusters - 1}; name these."
            raise ValueError(msg)
        self.cluster_names_ = {int(label): str(name) for label, name in given.items()} or None
        return self

    def cluster_name(self, label: int) -> str:
        """Return the name of a cluster, or "cluster" with its label.

        Parameters
        ----------
        label : int

        Returns
        -------
        str
        """
        return (self.cluster_names_ or {}).get(label, f"cluster {label}")

    @property
    def kept_portraits(self) -> dict[str, Any] | None:
        """What a file says of the clusters of a model that was loaded from it; None where it says nothing."""
        return self._portraits

    def keep_portraits(self: Any, X: Any = None, ids: Any = None) -> None:
        """Keep what the features say of the clusters, for a file that does not hold them.

        Parameters
        ----------
        X : array, frame or chunks of shape (n_objects, n_features), default=None
            None for the features of the fit, while they are in memory.
        ids : sequence of n_objects, default=None
        """
        if X is not None or (self._features is not None and self._features.values is not None):
            self._portraits = self.portraits(X, ids=ids)
