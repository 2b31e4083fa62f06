"""Fitted models into files and back."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._stored import versions
from consensa.io.model import damaged, read_model, write_model
from consensa.io.packing import Packer, unpack

if TYPE_CHECKING:
    import os

__all__ = ["SavableMixin", "Saved", "check_seed", "load"]


@dataclass(frozen=True, eq=False)
class Saved:
    """What a file says about the model in it.

    Parameters
    ----------
    created : str
        When it was saved: date and time (UTC) by ISO 8601.
    versions : dict of str
        Of Python and of the packages it was saved by.
    ids : ndarray of n_objects str, or None
        Ids of the objects, where they were given.
    left_out : tuple of str
        Attributes that could not be saved, since they are of a foreign kind.
    id_name : str, default="id"
        What the column of the ids was called.

    Examples
    --------
    >>> Saved("2026-01-01T00:00:00+00:00", {"consensa": "0.1"}, None, ()).versions["consensa"]
    '0.1'
    """

    created: str
    versions: dict[str, str]
    ids: np.ndarray | None
    left_out: tuple[str, ...]
    id_name: str = "id"


class SavableMixin:
    """Gives fitted models a method ``save``."""

    saved_: Saved | None = None  # what the file says of a loaded model

    if not TYPE_CHECKING:  # or every attribute would be known

        def __getattr__(self, name: str) -> Any:
            """Make what a loaded model lacks when it is first asked for: a cut that was not saved, and labellers."""
            if name not in ("cut_", "_labellers") or "labels_" not in vars(self):
                return object.__getattribute__(self, name)  # the error, in the words of a property that raised it
            vars(self)[name] = self._consensus_again() if name == "cut_" else {}
            return vars(self)[name]

    def save(self, path: str | os.PathLike[str], *, ids: Any = None, id_name: str = "id", force: bool = False) -> None:
        """Save the fitted model; :func:`consensa.load` reads it back.

        The file holds arrays (NPZ) and JSON, no code and no pickle: parameters, labels, base clusterings, weights,
        dendrogram or spectrum, versions, and the time that the fit took. A spectrum can be cut after loading as far
        as its eigenvectors reach: at least 31 clusters, or the most it was cut into before.

        Parameters
        ----------
        path : path that ends in .npz
        ids : sequence of n_objects ids, default=None
            Names of the objects, to be kept beside the labels; None for those that a loaded model brings, if any.
        id_name : str, default="id"
            What the column of the ids is called.
        force : bool, default=False
            Whether an existing file may be replaced.
        """
        check_is_fitted(self, "labels_")
        if ids is None and self.saved_ is not None:
            ids, id_name = self.saved_.ids, self.saved_.id_name
        self.keep_portraits(ids=ids)  # type: ignore[attr-defined]
        packer = Packer()
        note = {
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "model": packer.pack(self),
            "ids": packer.pack(None if ids is None else _as_ids(ids, self)),
            "id_name": id_name,
        }
        note |= {"left_out": sorted(set(packer.left_out)), "objects": packer.objects}
        write_model(path, note, packer.arrays, force=force)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that was written by its method ``save`` or by ``--save`` on the command line.

    Parameters
    ----------
    path : path

    Returns
    -------
    fitted estimator
        As it was saved, with another attribute ``saved_``, which says when and by what it was saved.

    Notes
    -----
    Files are data, never code: only classes of consensa, and clusterers of scikit-learn by their parameters, are
    built from them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consensa
    >>> model = consensa.LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder, "model.npz"))
    ...     again = consensa.load(pathlib.Path(folder, "model.npz"))
    >>> again, again.labels_, again.cut(3)
    (LWEA(), array([0, 0, 0, 1, 1, 1], dtype=int32), array([0, 0, 0, 2, 1, 1], dtype=int32))
    """
    note, arrays = read_model(path)
    try:
        model = unpack(note["model"], note["objects"], arrays)
        ids = unpack(note["ids"], [], arrays)
        more = (tuple(note["left_out"]), str(note.get("id_name", "id")))
        saved = Saved(note["created"], dict(note["versions"]), ids, *more)
        if not isinstance(model, SavableMixin) or "labels_" not in vars(model):
            msg = "it holds no fitted model."
            raise ValueError(msg)  # noqa: TRY301 - one of the faults of a file
    except ValueError as error:
        msg = f"{path}: the model cannot be read: {error}"
        raise ValueError(msg) from None
    except Exception as error:  # noqa: BLE001 - there is no end of what a note that was tampered with may lead to
        raise damaged(path, error) from None
    model.saved_ = saved
    return model


def check_seed(model: Any) -> None:
    """Refuse to make a cut again that would not be the same."""
    params = model.get_params(deep=False)
    if not isinstance(params.get("random_state", 0), numbers.Integral):
        msg = (
            f"the cut of {type(model).__name__} cannot be saved, and without an integer random_state it cannot be made "
            "again; fit the model again for other numbers of clusters."
        )
        raise ValueError(msg)  # noqa: TRY004 - as for all parameters


def _as_ids(ids: Any, model: Any) -> np.ndarray:
    names = np.array([str(name) for name in ids])
    labels = model.labels_
    n_objects = len(next(iter(labels.values())) if isinstance(labels, dict) else labels)
    if names.size != n_objects:
        msg = f"ids has {names.size} entries, but the model has {n_objects} objects; give one id per object."
        raise ValueError(msg)
    return names
