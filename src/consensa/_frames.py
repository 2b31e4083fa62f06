"""Data frames at the border: what comes in is read here, and goes out as the same kind with the same index."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

__all__ = ["FrameKind", "as_frame", "collected", "kind_of", "make_frame", "names_of", "row_names"]

_LIBRARIES = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True, eq=False)
class FrameKind:
    """The library of a data frame, as narwhals calls it, and the index of its rows where it has one.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> kind = kind_of(pd.DataFrame({"a": [1, 2]}, index=["u", "v"]))
    >>> kind.series(np.array([0, 1]), "cluster").to_dict()
    {'u': 0, 'v': 1}
    """

    backend: Any
    index: Any

    def series(self, values: Any, name: str) -> Any:
        """Return a vector as a series of that library, with the index of the frame."""
        import narwhals as nw

        made: Any = nw.to_native(nw.new_series(name, values, backend=self.backend))
        if self.index is not None:
            made.index = self.index
        return made

    def wrap(self, labels: Any, name: str) -> Any:
        """Return labels, or a dict of labels by number of clusters, as series."""
        if isinstance(labels, dict):
            return {key: self.series(values, name) for key, values in labels.items()}
        return self.series(labels, name)


def kind_of(data: Any) -> FrameKind | None:
    """Return what kind of frame it is; None for anything but a data frame in memory.

    Examples
    --------
    >>> kind_of([[0, 1], [1, 0]]) is None
    True
    """
    import narwhals as nw

    data = collected(data)
    found = nw.from_native(data, pass_through=True, eager_only=True)
    if not isinstance(found, nw.DataFrame):
        return None
    return FrameKind(found.implementation, nw.maybe_get_index(found))


def collected(data: Any) -> Any:
    """Compute a lazy frame of polars; whatever else comes stays as it is.

    Examples
    --------
    >>> import polars as pl
    >>> type(collected(pl.LazyFrame({"a": [1]}))).__name__
    'DataFrame'
    """
    kind = type(data)
    return data.collect() if kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars.") else data


def make_frame(columns: dict[str, Any], kind: FrameKind | None = None) -> Any:
    """Return columns as a data frame of the library of another frame, else of the first of these that is installed.

    Examples
    --------
    >>> make_frame({"a": [1, 2]}).shape
    (2, 1)
    """
    import narwhals as nw

    backends: list[Any] = (
        [kind.backend] if kind is not None else [name for name in _LIBRARIES if find_spec(name) is not None]
    )
    if not backends:
        msg = "a data frame needs pandas, polars or pyarrow, and none is installed; install one: pip install pandas."
        raise ValueError(msg)
    return nw.to_native(nw.from_dict(columns, backend=backends[0]))


def as_frame(data: Any, what: str) -> Any:
    """Return a narwhals frame or series when the input is one of any library, else None; ``what`` names it in errors.

    Examples
    --------
    >>> import pandas as pd
    >>> as_frame(pd.DataFrame({"a": [1, 2]}), "X").shape
    (2, 1)
    """
    if isinstance(data, (np.ndarray, list, tuple)):
        return None
    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        names = [str(name) for name in data.columns]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        msg = f"two columns of {what} have the same name, {twice!r}. Rename them, or pass frame.to_numpy()."
        raise ValueError(msg) from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, (nw.DataFrame, nw.Series)) else None


def names_of(data: Any) -> list[str] | None:
    """Return the names of the columns of a frame as text; None for anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> names_of(pd.DataFrame([[1, 2]], columns=["a", 7])), names_of([[1, 2]])
    (['a', '7'], None)
    """
    columns = getattr(data, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def row_names(data: Any) -> np.ndarray | None:
    """Return the index of a frame as texts, unless it only counts the rows; None for anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> row_names(pd.DataFrame({"a": [1, 2]}, index=["u", "v"])).tolist(), row_names(pd.DataFrame({"a": [1, 2]}))
    (['u', 'v'], None)
    """
    kind = None if data is None else kind_of(data)
    if kind is None or kind.index is None or (np.asarray(kind.index) == np.arange(len(kind.index))).all():
        return None
    return np.array([str(name) for name in kind.index], dtype=object)
