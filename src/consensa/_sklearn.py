"""The base classes of scikit-learn with types: it carries none, and a class with an unknown base takes any argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

__all__ = ["BaseEstimator", "ClusterMixin", "TransformerMixin"]

if TYPE_CHECKING:

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...  # noqa: FBT001, FBT002
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...
        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **options: Any) -> dict[str, str]: ...

    class ClusterMixin:
        def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Any: ...

    class TransformerMixin:
        def fit_transform(self, X: Any, y: Any = None) -> Any: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...

else:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
