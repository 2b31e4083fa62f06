"""Base clusterings of tables as people have them: numbers in any unit, categories, dates, gaps."""

from __future__ import annotations

import json
import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._frames import kind_of
from consensa._progress import begin_stage
from consensa._random import as_generator
from consensa._threads import row_ranges, thread_map
from consensa._types import check_parameters
from consensa.columns import CodedTable, code_frame, read_frame, used_columns
from consensa.columns.coding import is_plain
from consensa.ensemble.sampling import sampled_rows
from consensa.generate.base import LabellingGenerator
from consensa.generate.kmeans import check_k_range
from consensa.generate.table_copies import copy_groups
from consensa.generate.table_members import MemberPlan, fit_member
from consensa.generate.table_parts import find_parts
from consensa.io.packing import Packer, unpack

if TYPE_CHECKING:
    from consensa._types import ColumnTypes, ColumnWeights, Count, KRange, RandomState
    from consensa.generate.table_members import TableMember
    from consensa.generate.table_parts import Look, TableParts

__all__ = ["TablePartitions", "table_of"]

_LARGEST_K = 12
_LEAST_COLUMNS = 0.7  # share of the columns that a member looks at, at least
_ROUND = 4  # one member of so many has variances of every cluster, the others one covariance of all clusters
_NUMBERS_ALONE = 0.5  # share of the members that look at numbers only, where there are enough of them
_MOST_TIED = 24  # numbers in a covariance
_BLOCK_ROWS = 8192
_KEPT = ("columns_", "column_weights_", "members_", "n_features_in_", "parts_")


@dataclass(eq=False, repr=False)
class TablePartitions(LabellingGenerator):
    """Base clusterings of a table with numbers in any unit, booleans, dates, categories and gaps.

    Every member looks at some of the columns, each in one of several ways, and is a mixture of a random number of
    clusters. Up to half of the members leave categories out, so that one category alone does not make the clusters. In
    three of four members the numbers have one covariance in all clusters, so that what they share within clusters makes
    none; in the others they are independent. Nothing is imputed: a row is compared by the columns that it has a value
    in, and a member leaves out (-1) rows that have less than a third of its columns.

    Parameters
    ----------
    n_partitions : int, default=100 (base clusterings)
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included, drawn uniformly. None for 2 to
        min(floor(sqrt(n_samples)), 12).
    types : dict of str to str or None, default=None
        What columns are, by name, where it is not to be found out: "number", "boolean", "date", "date:dmy",
        "date:mdy", "category", "ordered", levels in their order like "low<medium<high", "id" or "ignore".
    weights : dict of str to float or None, default=None
        Weights of columns by name; 1 for those that are not named, 0 to leave a column out.
    max_iter : int, default=30 (largest number of iterations of each member)
    sample_size : int, default=20000
        Members are fitted on at most that many rows, and the others then assigned.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    columns_ : tuple of Column (what the columns of the table are, also of those that are left out)
    column_weights_ : ndarray of shape (n_used_columns,) (weights as given, shared by columns that are nearly copies)
    parts_ : TableParts (ways to look at the columns, with their scales)
    members_ : list of n_partitions TableMember

    Notes
    -----
    Numbers are scaled by column in two ways, both robust against outliers and skew; members draw one of them: the
    inverse hyperbolic sine of the distance from the median in robust deviations (interquartile range / 1.349), or
    normal scores of the ranks. Dates are looked at as a time, and where they vary as a place in the year and a day of
    the week. The frequencies of levels lean towards those of the whole table, so that a rare level does not dominate.

    References
    ----------
    Hunt & Jorgensen (2003), Mixture model clustering for mixed data with missing information, Computational
    Statistics & Data Analysis 41(3-4). https://doi.org/10.1016/S0167-9473(02)00190-1

    Examples
    --------
    >>> import pandas as pd
    >>> from consensa.generate import TablePartitions
    >>> table = pd.DataFrame({"age": [31, 25, None, 60], "plan": ["free", "team", "free", None]})
    >>> generator = TablePartitions(5, random_state=0)
    >>> generator.fit_transform(table).shape
    (4, 5)
    >>> [(column.name, column.kind) for column in generator.columns_]
    [('age', 'number'), ('plan', 'category')]
    """

    _fitted = "members_"
    reads_tables: ClassVar[bool] = True
    leaves_out: ClassVar[bool] = True
    n_partitions: Count = 100
    k_range: KRange = None
    _: KW_ONLY
    types: ColumnTypes = None
    weights: ColumnWeights = None
    max_iter: Count = 30
    sample_size: Count = 20_000
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:  # noqa: ARG002 - scikit-learn's signature
        """Make the base clusterings and return their labels.

        Parameters
        ----------
        X : frame of shape (n_samples, n_columns), CodedTable, or array of numbers with NaN for gaps
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
            -1 where a base clustering leaves an object out.
        """
        check_parameters(self)
        table = X if isinstance(X, CodedTable) else read_frame(X, self.types)
        self.columns_ = table.columns
        self.n_features_in_ = len(table.columns)
        if kind_of(X) is not None:
            self.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)
        return self._fit_labels(table.values)

    def transform(self, X: Any) -> np.ndarray:
        """Label new rows of the same table by every base clustering; levels never seen are gaps.

        Parameters
        ----------
        X : frame of shape (n_samples, n_columns), CodedTable, or array
            Columns are found by their names.

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
        """
        check_is_fitted(self, self._fitted)
        return self._assign(X.values if isinstance(X, CodedTable) else code_frame(X, self.columns_))

    def model_arrays(self) -> dict[str, np.ndarray]:
        """Return the columns, the scales and all members."""
        check_is_fitted(self, "members_")
        packer = Packer()
        fitted = packer.pack({name: getattr(self, name) for name in _KEPT})
        note = json.dumps({"fitted": fitted, "objects": packer.objects}).encode()
        return {**packer.arrays, "note": np.frombuffer(note, np.uint8)}

    def restore(self, arrays: dict[str, np.ndarray]) -> Self:
        """Become the fitted generator that the arrays of ``model_arrays`` describe."""
        note = json.loads(arrays["note"].tobytes())
        vars(self).update(unpack(note["fitted"], note["objects"], arrays))
        return self

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        rows = sampled_rows(X.shape[0], self.sample_size)
        sample = X if rows is None else X[rows]
        self.parts_ = find_parts(sample, used_columns(self.columns_))
        numbers, levels = self.parts_.make(sample)
        groups = copy_groups(self.parts_, numbers, levels)
        self.column_weights_ = self._given_weights() / np.bincount(groups)[groups]
        rng = as_generator(self.random_state)
        ks = _draw_cluster_numbers(self.n_partitions, self.k_range, len(sample), rng)
        plans = [self._draw_plan(int(k), place % _ROUND != 0, rng) for place, k in enumerate(ks)]
        tasks = [(numbers, levels, self.parts_.n_levels, plan, self.max_iter) for plan in plans]
        self.members_: list[TableMember] = self._run(fit_member, tasks, "mixtures")
        begin_stage("rows into base clusterings")
        return self._assign(X)

    def _draw_plan(self, n_clusters: int, is_tied: bool, rng: np.random.Generator) -> MemberPlan:  # noqa: FBT001
        """Draw what a member looks at; a covariance tells copies by itself, so that numbers need share no weight."""
        is_measured = np.array([scale is not None for scale in self.parts_.scales])
        weights = np.where(is_measured & is_tied, self._given_weights(), self.column_weights_)
        looks = _some_kinds(_draw_looks(self.parts_, weights, rng), weights, rng)
        if is_tied:
            looks = _few_numbers(looks, rng)
        is_tied &= any(look.numbers for look in looks)
        return MemberPlan(
            looks, [float(weights[look.column]) for look in looks], n_clusters, int(rng.integers(2**31 - 1)), is_tied
        )

    def _given_weights(self) -> np.ndarray:
        names = [column.name for column in used_columns(self.columns_)]
        given = dict(self.weights or {})
        for name, weight in given.items():
            if name not in names:
                msg = (
                    f"weights names a column {name!r} that is not used; the columns are {', '.join(map(repr, names))}."
                )
                raise ValueError(msg)
            if not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
                msg = f"weights={{{name!r}: {weight!r}}} is not allowed: a weight is a number of at least 0."
                raise ValueError(msg)
        found = np.array([float(given.get(name, 1)) for name in names])
        if not found.any():
            msg = "weights leave no column with a weight greater than 0; give at least one."
            raise ValueError(msg)
        return found

    def n_drawn_clusters(self, n_samples: int) -> int:
        """Return how many clusters all members will have together at most."""
        return _limits(self.k_range, n_samples)[1] * self.n_partitions

    def _assign(self, X: np.ndarray) -> np.ndarray:
        labels = np.empty((X.shape[0], len(self.members_)), np.int32)

        def assign(rows: tuple[int, int]) -> None:
            part = slice(*rows)
            numbers, levels = self.parts_.make(X[part])
            block = np.empty((len(self.members_), len(numbers)), np.int32)
            for member, own in zip(self.members_, block, strict=True):
                member.assign(numbers, levels, own)
            labels[part] = block.T

        thread_map(assign, row_ranges(X.shape[0], _BLOCK_ROWS))
        return labels

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of every fitted member."""
        check_is_fitted(self, "members_")
        return [member.n_clusters for member in self.members_]


def table_of(X: Any, generator: Any) -> CodedTable | None:
    """Return features as a table, where they are one: for a generator that reads tables, and for none given.

    Parameters
    ----------
    X : frame, array or CodedTable
    generator : PartitionGenerator, another transformer or None

    Returns
    -------
    CodedTable or None
        None for plain numbers, which need no table.

    Examples
    --------
    >>> import pandas as pd
    >>> table_of(pd.DataFrame({"plan": ["free", "team"]}), None).values.ravel(), table_of([[1.0], [2.0]], None)
    (array([0., 1.]), None)
    """
    if isinstance(X, CodedTable):
        return X
    if getattr(generator, "reads_tables", False):
        return read_frame(X, generator.types)
    return None if generator is not None or is_plain(X) else read_frame(X)


def _draw_cluster_numbers(n_partitions: int, k_range: Any, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a number of clusters for every member, both ends included."""
    low, high = _limits(k_range, n_rows)
    return rng.integers(min(low, n_rows), min(high, n_rows), size=n_partitions, endpoint=True)


def _limits(k_range: Any, n_rows: int) -> tuple[int, int]:
    """Smallest and largest number of clusters of a member."""
    return (2, max(2, min(math.isqrt(n_rows), _LARGEST_K))) if k_range is None else check_k_range(k_range, n_rows)


def _draw_looks(parts: TableParts, weights: np.ndarray, rng: np.random.Generator) -> list[Look]:
    """Draw the columns of a member, and how it looks at each: half of the time as it is, else in its other ways."""
    usable = np.flatnonzero(weights > 0)
    size = max(min(2, usable.size), round(usable.size * rng.uniform(_LEAST_COLUMNS, 1)))
    chosen = np.sort(rng.choice(usable, size, replace=False))
    looks = []
    for column in chosen:
        ways = [look for look in parts.looks if look.column == column]
        plain, more = ways[:2], ways[2:]
        if more and rng.random() < 0.5:
            plain = more
        looks.append(plain[rng.integers(len(plain))])
    return looks


def _some_kinds(looks: list[Look], weights: np.ndarray, rng: np.random.Generator) -> list[Look]:
    """Leave out all levels at times: clusters are to say more than one category, which is a clustering already.

    That is done for half of the members where there are as many numbers as categories, and for fewer where there are
    fewer, as such numbers alone say little. What was given more weight stays.
    """
    kept = [look for look in looks if look.numbers or weights[look.column] > 1]
    n_dropped = len(looks) - len(kept)
    if len(kept) < 2 or not n_dropped:
        return looks
    share = min(1.0, len(kept) / n_dropped) ** 2
    return kept if rng.random() < _NUMBERS_ALONE * share else looks


def _few_numbers(looks: list[Look], rng: np.random.Generator) -> list[Look]:
    """Leave out some of many looks at numbers, as the work on a covariance grows with their cube."""
    measured = [place for place, look in enumerate(looks) if look.numbers]
    surplus = sum(len(looks[place].numbers) for place in measured) - _MOST_TIED
    if surplus <= 0:
        return looks
    dropped = set(rng.choice(measured, surplus, replace=False).tolist())
    return [look for place, look in enumerate(looks) if place not in dropped]
