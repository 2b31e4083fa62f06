"""MAT files: version 5 through scipy, version 7.3 (HDF5) through h5py, which is an extra. One matrix is read."""

from __future__ import annotations

import warnings
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from consensa._messages import Message, Parameter
from consensa.io.arrays import ArrayFile, checked_array, loaded
from consensa.io.mat_elements import check_elements

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["load_mat"]

_NUMERIC = {"double", "single", "logical", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
_HDF5 = b"MATLAB 7.3"
_SHOWN = 20


class _Variable(NamedTuple):
    shape: tuple[int, ...]
    kind: str

    @property
    def is_matrix(self) -> bool:
        return self.kind in _NUMERIC | {"sparse"} and len(self.shape) == 2 and 0 not in self.shape

    def __str__(self) -> str:
        return f"{' x '.join(map(str, self.shape))} {self.kind}".strip()


def load_mat(stream: IO[bytes], file: str, wanted: str | None, *, as_labels: bool) -> ArrayFile:
    """Read one matrix of a MAT file: the one named, or the only one with more than one row and column, or the only one.

    For labels a variable of 1 x n holds those of n objects; for features it is refused.
    """
    peeked: Any = stream
    if peeked.peek(len(_HDF5)).startswith(_HDF5):
        name, values, others = _from_hdf5(stream, file, wanted)
    else:
        name, values, others = _from_version_5(stream, file, wanted)
    values = checked_array(values.toarray() if hasattr(values, "toarray") else values, file)
    if values.shape[0] == 1 and values.shape[1] > 1:
        if not as_labels:
            msg = (
                f"{file}: the variable {name!r} has shape {values.shape}, one object with {values.shape[1]} features; "
                "save it transposed if these are objects."
            )
            raise ValueError(msg)
        values = values.T
    names = [name] if values.shape[1] == 1 else [str(j) for j in range(values.shape[1])]
    left = f", {', '.join(others)} left out" if others else ""
    return ArrayFile(values, None, names, (f"variable {name!r}{left}",))


def _from_version_5(stream: IO[bytes], file: str, wanted: str | None) -> tuple[str, Any, list[str]]:
    from scipy.io import loadmat, whosmat

    loaded(lambda: check_elements(stream), file)
    listed = loaded(lambda: whosmat(stream), file)
    variables = {name: _Variable(tuple(shape), kind) for name, shape, kind in listed}
    name = _choose(variables, file, wanted)
    stream.seek(0)
    with warnings.catch_warnings():
        # scipy 1.18 asks whether sparse variables shall be matrices or arrays, which 1.13 cannot be told; both will do
        warnings.simplefilter("ignore", DeprecationWarning)
        found = loaded(lambda: loadmat(stream, variable_names=[name])[name], file)
    return name, found, [other for other in variables if other != name]


def _from_hdf5(stream: IO[bytes], file: str, wanted: str | None) -> tuple[str, Any, list[str]]:
    try:
        import h5py
    except ImportError:
        msg = (
            f"{file}: MAT files of version 7.3 need h5py; install it with pip install h5py, or save with -v7 in MATLAB."
        )
        raise ValueError(msg) from None
    with loaded(lambda: h5py.File(stream, "r"), file) as archive:
        variables = loaded(lambda: {name: _hdf5_variable(archive[name]) for name in archive if name[0] != "#"}, file)
        name = _choose(variables, file, wanted)
        values = loaded(lambda: archive[name][()].T, file)  # MATLAB counts the other way round
    return name, values, [other for other in variables if other != name]


def _hdf5_variable(found: Any) -> _Variable:
    kind = found.attrs.get("MATLAB_class", b"")
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    if not hasattr(found, "shape"):
        return _Variable((), "sparse matrix" if "MATLAB_sparse" in found.attrs else kind or "struct")
    if found.attrs.get("MATLAB_empty", 0):
        return _Variable((0, 0), kind)
    plain = found.dtype.kind in "biuf"
    return _Variable(tuple(reversed(found.shape)), kind if kind and plain else "double" if plain else kind or "other")


def _choose(variables: Mapping[str, _Variable], file: str, wanted: str | None) -> str:
    """Name of the variable to read."""
    listed = [f"{name} ({variable})" for name, variable in variables.items()]
    shown = ", ".join(listed[:_SHOWN]) + (", ..." if len(listed) > _SHOWN else "") or "none"
    if wanted is not None:
        if wanted not in variables:
            msg = f"{file}: there is no variable {wanted!r}; the variables are {shown}."
            raise ValueError(msg)
        if not variables[wanted].is_matrix:
            msg = f"{file}: the variable {wanted!r} ({variables[wanted]}) is no matrix of numbers; there are {shown}."
            raise ValueError(msg)
        return wanted
    matrices = [name for name, variable in variables.items() if variable.is_matrix]
    proper = [name for name in matrices if min(variables[name].shape) > 1]
    found = proper if len(proper) == 1 else matrices
    if len(found) != 1:
        several = Message("holds several; choose one with {array}", array=Parameter("array", "NAME", of="mat"))
        what = several if found else "holds no matrix of numbers"
        raise ValueError(Message("{file}: {what}; the variables are {shown}.", file=file, what=what, shown=shown))
    return found[0]
