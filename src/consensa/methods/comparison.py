"""Many methods on one ensemble, side by side."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from joblib import delayed

from consensa._budget import BudgetError
from consensa._frames import kind_of
from consensa._numba import compiling
from consensa._random import draw_seed
from consensa._text import format_table
from consensa._threads import run_parallel
from consensa._validation import check_choice, check_integer, check_n_clusters
from consensa.ensemble import as_ensemble
from consensa.evaluate import anmi, ari, nmi
from consensa.methods.consensus import make_method
from consensa.methods.registry import METHODS, get_method
from consensa.methods.study import run_study

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from consensa._frames import FrameKind
    from consensa._random import RandomState
    from consensa._types import LabelMatrix, LabelVector
    from consensa.ensemble import Ensemble
    from consensa.methods.base import ConsensusClusterer
    from consensa.methods.study import MethodStudy

__all__ = ["MethodComparison", "MethodResult", "compare_methods"]

_AGREEMENT = {"ari": ari, "nmi": nmi}


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What one method did.

    Parameters
    ----------
    name : str
    status : {"ok", "failed", "memory", "interrupted"}
        "memory": it would need, or needed, more memory than there is; "interrupted": it was not finished.
    seconds : float or None
        Time of the fit, without that of compiling kernels.
    labels : ndarray of shape (n_objects,), int32, or None
    anmi : float or None
        Mean NMI with the base clusterings.
    nmi, ari : float or None
        Agreement with the truth, if it was given.
    error : str or None
        Why there are no labels.
    notes : list of str
        Warnings of the method.
    """

    name: str
    status: str = "interrupted"
    seconds: float | None = None
    labels: np.ndarray | None = None
    anmi: float | None = None
    nmi: float | None = None
    ari: float | None = None
    error: str | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Results of many methods on one ensemble; ``print`` it for a table.

    Parameters
    ----------
    n_clusters : int
    results : dict of MethodResult by name
        In the order in which the methods were given.
    agreement : ndarray of shape (n_finished, n_finished)
        Agreement between the labels of every two methods that finished, in the order of ``labels``.
    measure : {"ari", "nmi"}
        What the agreement is.
    frame : FrameKind or None
        The library and the index of the data frame that the base clusterings came in, None for other kinds.

    Examples
    --------
    >>> from consensa import compare_methods
    >>> found = compare_methods([[0, 0, 0, 1, 1], [0, 0, 1, 1, 2]], 2, ["eac", "lwea"])
    >>> found.labels["lwea"]
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> found.agreement
    array([[1., 1.],
           [1., 1.]])
    """

    n_clusters: int
    results: dict[str, MethodResult]
    agreement: np.ndarray
    measure: str = "ari"
    frame: FrameKind | None = None

    @property
    def labels(self) -> dict[str, Any]:
        """Labels of the methods that finished, by name: arrays, or series with the index of the data frame."""
        found = {name: result.labels for name, result in self.results.items() if result.labels is not None}
        return {name: self.frame.series(labels, name) for name, labels in found.items()} if self.frame else found

    @property
    def errors(self) -> dict[str, str]:
        """Why the others did not finish."""
        return {name: result.error or result.status for name, result in self.results.items() if result.labels is None}

    @property
    def interrupted(self) -> bool:
        """Whether the comparison was stopped before all methods had been tried."""
        return any(result.status == "interrupted" for result in self.results.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings, lists and dicts, for JSON.

        Returns
        -------
        dict
        """
        results = [asdict(result) for result in self.results.values()]
        for result in results:
            result["labels"] = None if result["labels"] is None else result["labels"].tolist()
        return {
            "n_clusters": self.n_clusters,
            "results": results,
            "agreement": {"measure": self.measure, "names": [*self.labels], "matrix": self.agreement.tolist()},
        }

    def __str__(self) -> str:
        """Return a table, the method that agrees most with the ensemble first."""
        rows = self.rows()
        lines = [format_table(rows, right=range(1, len(rows[0])))] if len(rows) > 1 else []
        lines += [f"{name}: {error}" for name, error in self.errors.items()]
        return "\n".join(lines)

    def rows(self) -> list[list[str]]:
        """Return the cells of the table as text.

        Returns
        -------
        list of rows
            The header first, then the methods that finished, by their agreement with the ensemble.
        """
        finished = [result for result in self.results.values() if result.labels is not None]
        scores = [score for score in ("anmi", "nmi", "ari") if any(getattr(r, score) is not None for r in finished)]
        mean = dict(zip(self.labels, _mean_agreement(self.agreement), strict=True))
        rows = [["method", "k", "seconds", *(score.upper() for score in scores), f"mean {self.measure.upper()}"]]
        for result in sorted(finished, key=lambda result: -(result.anmi or 0.0)):
            figures = [f"{getattr(result, score):.4f}" for score in scores]
            k = "" if result.labels is None else str(result.labels.max() + 1)
            rows.append([result.name, k, f"{result.seconds:.2f}", *figures, f"{mean[result.name]:.4f}"])
        return rows

    def _repr_html_(self) -> str:
        from consensa._notebook import table_summary

        notes = [f"{name}: {error}" for name, error in self.errors.items()]
        return table_summary(f"{self.n_clusters} clusters by {len(self.results)} methods", self.rows(), notes)


@overload
def compare_methods(
    partitions: Mapping[Any, LabelMatrix],
    n_clusters: int | Mapping[Any, int],
    methods: str | Sequence[str | ConsensusClusterer] | Mapping[str, str | ConsensusClusterer] = "all",
    *,
    truth: Mapping[Any, LabelVector] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    measure: str = "ari",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    missing: int | None = -1,
    verbose: bool = False,
) -> MethodStudy: ...


@overload
def compare_methods(
    partitions: LabelMatrix,
    n_clusters: int,
    methods: str | Sequence[str | ConsensusClusterer] | Mapping[str, str | ConsensusClusterer] = "all",
    *,
    truth: LabelVector | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    measure: str = "ari",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    missing: int | None = -1,
    verbose: bool = False,
) -> MethodComparison: ...


def compare_methods(
    partitions: Any,
    n_clusters: Any,
    methods: str | Sequence[Any] | Mapping[str, Any] = "all",
    *,
    truth: Any = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    measure: str = "ari",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    missing: int | None = -1,
    verbose: bool = False,
) -> Any:
    """Run many methods on one ensemble, or on several, some methods at a time.

    A method that fails, or that would need too much memory, is reported and does not stop the others. After an
    interruption (Ctrl-C) the methods that had finished are returned.

    Parameters
    ----------
    partitions : label matrix of shape (n_objects, n_partitions), list of label vectors, Ensemble, or dict of them
        A dict holds several ensembles by name. Several draws of the same data set have pairs as names, such as
        ``("wine", 0)``; they are averaged before methods are ranked.
    n_clusters : int, or dict of int
        Number of clusters; with several ensembles, one for all or by name (of the ensemble or the data set).
    methods : "all", sequence of str or estimators, or dict of them by name, default="all"
        Names in :data:`consensa.methods.METHODS`, "all" for all of them; or consensus estimators of your own, which
        go by the name of their class. With a dict the keys are the names.
    truth : label vector of length n_objects, or dict of them, default=None
        True classes, to score the results with NMI and ARI; with several ensembles by name, as ``n_clusters``.
    parameters : dict of dict by name of method, default=None
        Parameters that differ from the defaults, such as ``{"kcc": {"utility": "u_c"}}``.
    measure : {"ari", "nmi"}, default="ari"
        Agreement between the results.
    n_jobs : int or None, default=None
        Number of methods computed at a time. The labels do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed. With an integer every method gives the labels that :func:`consensa.consensus` gives with that integer.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.
    verbose : bool, default=False

    Returns
    -------
    MethodComparison, or MethodStudy for several ensembles
        For a data frame of base clusterings, its ``labels`` are series of the same library with the same index. A
        study has a ranking with tests (:meth:`MethodStudy.ranking`), as frame, Markdown and LaTeX.

    Examples
    --------
    >>> from consensa import compare_methods
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
    >>> found = compare_methods(partitions, 2, ["lwea", "kcc"], truth=[0, 0, 0, 1, 1, 1], random_state=0)
    >>> found.results["kcc"].ari
    1.0
    """
    if isinstance(partitions, Mapping):
        options: dict[str, Any] = {
            "parameters": parameters,
            "measure": measure,
            "n_jobs": n_jobs,
            "random_state": random_state,
        }
        compare: Any = partial(compare_methods, methods=methods, missing=missing, verbose=verbose, **options)
        return run_study(compare, partitions, n_clusters, truth)
    check_choice("measure", measure, tuple(_AGREEMENT))
    frame = kind_of(partitions)
    ensemble = as_ensemble(partitions, missing=missing)
    k = check_n_clusters([check_integer("n_clusters", n_clusters)], ensemble.n_microclusters, "microclusters")[0]
    models = _models(chosen_methods(methods), k, random_state, parameters or {})
    found = {name: MethodResult(name, error="interrupted before it finished.") for name in models}
    for result in _finished(models, ensemble, truth, n_jobs=n_jobs, verbose=verbose):
        found[result.name] = result
    labels = [result.labels for result in found.values() if result.labels is not None]
    return MethodComparison(k, found, _pairwise(labels, measure), measure, frame)


def _models(
    chosen: dict[str, Any], n_clusters: int, random_state: RandomState, parameters: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    drawn = draw_seed(random_state)
    seed = int(random_state) if isinstance(random_state, (int, np.integer)) else drawn
    given = {name: dict(parameters.get(name, {})) for name in chosen}
    return {name: make_method(method, n_clusters, seed, given[name]) for name, method in chosen.items()}


def chosen_methods(methods: str | Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return methods by the names they are shown under: words of the registry, or estimators.

    Examples
    --------
    >>> from consensa import EAC
    >>> list(chosen_methods(["LWEA", EAC(linkage="single"), EAC()]))
    ['lwea', 'EAC', 'EAC 2']
    """
    if isinstance(methods, Mapping):
        named = [(str(name), method) for name, method in methods.items()]
    elif isinstance(methods, str):
        named = [("", name) for name in (METHODS if methods == "all" else [methods])]
    else:
        named = [("", method) for method in methods]
    if not named:
        msg = "methods=[] names no method; give names of methods, or 'all'."
        raise ValueError(msg)
    found: dict[str, Any] = {}
    for name, method in named:
        if not _is_estimator(method):
            known = get_method(method).name
            found[name or known] = known
        else:
            found[name or _free(type(method).__name__, found)] = method
    return found


def _free(name: str, taken: dict[str, Any]) -> str:
    """Return a name that is not taken yet, with a number behind it if need be."""
    number = 1
    while (free := name if number == 1 else f"{name} {number}") in taken:
        number += 1
    return free


def _is_estimator(method: Any) -> bool:
    return hasattr(method, "get_params") and not isinstance(method, type)


def _finished(
    models: dict[str, Any], ensemble: Ensemble, truth: Any, *, n_jobs: int | None, verbose: bool
) -> Iterator[MethodResult]:
    """Yield results as they come; an interruption ends them."""
    tasks = (delayed(run_method)(name, model, ensemble, truth) for name, model in models.items())
    computed = run_parallel(n_jobs, tasks, ordered=False, batch_size=1)
    if verbose:
        from consensa._progress import progress_bar

        computed = progress_bar(computed, total=len(models), desc="methods", unit="method")
    waiting = set(models)
    try:
        for result in computed:
            waiting.discard(result.name)
            yield result
    except KeyboardInterrupt:
        return
    except BrokenExecutor as error:
        for name in waiting:
            yield MethodResult(name, "failed", error=f"a worker process ended, perhaps for lack of memory ({error}).")


def run_method(name: str, model: Any, ensemble: Ensemble, truth: Any) -> MethodResult:
    """Fit one method and score its labels; whatever goes wrong becomes part of the result."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, compiling() as compiled:
        warnings.simplefilter("always")
        try:
            labels = model.fit(ensemble).labels_
        except Exception as error:  # noqa: BLE001 - one failing method must not stop the others
            status = "memory" if isinstance(error, (BudgetError, MemoryError)) else "failed"
            message = str(error) or type(error).__name__
            return MethodResult(name, status, time.perf_counter() - start - sum(compiled), error=message)
    seconds = time.perf_counter() - start - sum(compiled)
    notes = list(dict.fromkeys(str(warning.message) for warning in caught))
    truly = (None, None) if truth is None else (nmi(labels, truth), ari(labels, truth))
    agreement = anmi(labels, ensemble)
    return MethodResult(name, "ok", seconds, labels, agreement, nmi=truly[0], ari=truly[1], notes=notes)


def _pairwise(labels: list[np.ndarray], measure: str) -> np.ndarray:
    matrix = np.eye(len(labels))
    for i, one in enumerate(labels):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = _AGREEMENT[measure](one, labels[j])
    return matrix


def _mean_agreement(matrix: np.ndarray) -> np.ndarray:
    """Mean agreement of every method with the others; 1 for a single one."""
    return (matrix.sum(axis=1) - 1.0) / (len(matrix) - 1) if len(matrix) > 1 else np.ones(len(matrix))
