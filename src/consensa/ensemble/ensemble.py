"""The Ensemble: many clusterings of the same objects, as distinct label rows and exact counts."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from consensa._notebook import table_summary
from consensa._stored import Stored
from consensa._threads import row_ranges
from consensa.ensemble.chunks import is_chunked
from consensa.ensemble.labels import Vocabulary, encode_columns, label_columns, read_columns
from consensa.ensemble.microclusters import MicroclusterTable, row_hashes
from consensa.ensemble.missing import warn_unlabelled
from consensa.ensemble.objects import CHUNK_ROWS, Objects, RowSum
from consensa.ensemble.pairs import PairCounts
from consensa.ensemble.reading import from_chunks, from_matrix, from_pieces, from_saved, frozen
from consensa.ensemble.spread import Spread, cluster_spread
from consensa.ensemble.sums import counts_by_cluster, incidence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import scipy.sparse as sp

    from consensa._types import LabelMatrix
    from consensa.ensemble.sums import LeadCounts

__all__ = ["Ensemble", "as_ensemble"]

S = TypeVar("S", bound=RowSum)


class Ensemble(Stored):
    """Many clusterings of the same objects: the one primitive that every method rests on.

    Objects with the same label in every base clustering form a *microcluster*. The ensemble keeps the distinct
    label rows in the order of their first object, how many objects share each of them, and (computed when first
    asked for) the incidence of microclusters and clusters and the exact overlap counts of all clusters.
    An ensemble cannot be changed.

    Parameters
    ----------
    partitions : array or frame of shape (n_objects, n_partitions), or list of n_partitions label vectors
        Base clusterings. Labels are integers, strings or categories and mean nothing outside their column.
        NaN, None and null are missing labels. Matrices larger than memory come as chunks
        (:func:`consensa.scale.as_chunks`), dask arrays or dask data frames; their objects stay where they are.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if there is none, so that -1 is a cluster like any other.
    sample : bool, default=False
        Of a matrix in chunks: whether sums over all rows and a sample of the distinct ones are enough. If there are
        more than 200,000 distinct rows, those with the smallest hashes are kept. Without, more of them than
        ``max_microclusters`` of the chunks are an error.

    Attributes
    ----------
    labels : ndarray of shape (n_microclusters, n_partitions), int32
        Distinct label rows, coded 0, 1, ... in every column; -1 = missing.
    sizes : ndarray of shape (n_microclusters,), int64
        How many objects share each row.
    row_map : ndarray of shape (n_objects,), int32 or int64
        The microcluster of every object; -1 for an object without any label, and for one whose row is not in the
        sample. Of chunks it is found in a pass whenever it is asked for, and lazy on dask.
    offsets : ndarray of shape (n_partitions + 1,), int64
        Cluster ids of base clustering m are ``offsets[m] .. offsets[m + 1] - 1``.
    names : tuple of str
        Column names, or the numbers of the columns.
    n_objects, n_labelled : int
        Number of objects, and of those that have any label.
    n_partitions, n_base_clusters, n_microclusters : int
        Number of base clusterings, M; of clusters in all of them, n_c; and of distinct label rows, Ñ.
    leads : LeadCounts or None
        Counts over all objects, where the microclusters are only a sample of all; None where they are all.

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5)
    (microclusters, Definitions 1-2). https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[1, 1, 1, 1, 2, 2, 2, 2], [1, 1, 1, 2, 2, 2, 3, 3]])
    >>> ensemble.row_map
    array([0, 0, 0, 1, 2, 2, 3, 3], dtype=int32)
    >>> ensemble.sizes
    array([3, 1, 2, 2])
    >>> ensemble.overlap.toarray()
    array([[4, 0, 3, 1, 0],
           [0, 4, 0, 2, 2],
           [3, 0, 3, 0, 0],
           [1, 2, 0, 3, 0],
           [0, 2, 0, 0, 2]])
    """

    labels: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    names: tuple[str, ...]
    vocabularies: tuple[Vocabulary, ...]
    objects: Objects
    n_objects: int
    n_labelled: int
    n_partitions: int
    n_base_clusters: int
    n_microclusters: int
    leads: LeadCounts | None

    def __init__(self, partitions: LabelMatrix, *, missing: int | None = -1, sample: bool = False) -> None:
        if is_chunked(partitions):
            self.__dict__.update(from_chunks(partitions, missing, sample=sample))
        else:
            self.__dict__.update(from_matrix(partitions, missing))
        warn_unlabelled(self.n_objects - self.n_labelled, self.n_objects)

    @classmethod
    def from_codes(
        cls, codes: np.ndarray, vocabularies: Sequence[Vocabulary], names: Sequence[str] | None = None
    ) -> Ensemble:
        """Build an ensemble of labels that are coded already.

        Parameters
        ----------
        codes : ndarray of shape (n_objects, n_partitions), int32
            Places of the labels in the vocabularies; -1 = missing.
        vocabularies : sequence of n_partitions Vocabulary
        names : sequence of n_partitions str, default=None
            None for the numbers of the columns.

        Returns
        -------
        Ensemble

        Examples
        --------
        >>> import numpy as np
        >>> from consensa.ensemble import Ensemble, Vocabulary
        >>> words = Vocabulary(np.array(["a", "b"]), -1)
        >>> Ensemble.from_codes(np.array([[0], [1]], np.int32), [words], ["first"]).encode(np.array([["b"]]))
        array([[1]], dtype=int32)
        """
        pieces = (codes[start:stop] for start, stop in row_ranges(len(codes), CHUNK_ROWS))
        named = map(str, range(codes.shape[1])) if names is None else names
        ensemble = cls.__new__(cls)
        ensemble.__dict__.update(from_pieces(len(codes), pieces, tuple(vocabularies), tuple(named)))
        warn_unlabelled(ensemble.n_objects - ensemble.n_labelled, ensemble.n_objects)
        return ensemble

    def state(self) -> dict[str, Any]:
        """Return what the ensemble can be built from again, for a file; the objects of chunks are read once more.

        Returns
        -------
        dict
        """
        leads = self.leads
        of_sample = {} if leads is None else {"leads": (leads.counts, leads.first), "overlap": self.overlap}
        kept = {name: getattr(self, name) for name in ("labels", "sizes", "offsets", "names", "vocabularies")}
        return kept | {"row_map": np.asarray(self.row_map)} | of_sample

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Ensemble:
        """Build the ensemble again from :meth:`state`; parts that do not fit together are an error."""
        ensemble = cls.__new__(cls)
        ensemble.__dict__.update(from_saved(state))
        return ensemble

    def __setattr__(self, name: str, value: Any = None) -> NoReturn:
        msg = f"an Ensemble cannot be changed ({name}); build a new one."
        raise AttributeError(msg)

    __delattr__ = __setattr__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: frozen(value) for name, value in state.items()})
        self.objects.freeze()

    def __repr__(self) -> str:
        names = ("n_objects", "n_partitions", "n_base_clusters", "n_microclusters")
        return f"Ensemble({', '.join(f'{name}={getattr(self, name)}' for name in names)})"

    def _repr_html_(self) -> str:
        rows = [["base clustering", "clusters"]]
        rows += [[name, f"{n:,}"] for name, n in zip(self.names, np.diff(self.offsets), strict=True)]
        if self.leads is None:  # otherwise the rows at hand are only a sample
            absent = self.sizes @ (self.labels < 0) + (self.n_objects - self.n_labelled)
            told = ["objects without a label", *(f"{number:,}" for number in absent)]
            rows = [[*row, cell] for row, cell in zip(rows, told, strict=True)]
        note = f"{self.n_base_clusters:,} clusters, {self.n_microclusters:,} distinct rows of labels."
        return table_summary(f"{self.n_partitions:,} base clusterings of {self.n_objects:,} objects", rows, [note])

    @property
    def row_map(self) -> np.ndarray:
        """The microcluster of every object; -1 for an object without any label, or of a row beyond the sample."""
        return self.objects.row_map()

    @cached_property
    def owner(self) -> np.ndarray:
        """Base clustering that every cluster belongs to, shape (n_base_clusters,)."""
        return frozen(np.repeat(np.arange(self.n_partitions), np.diff(self.offsets)))

    @property
    def n_filled(self) -> int:
        """Number of base clusterings that label any object; one that labels none says nothing."""
        return int(np.count_nonzero(np.diff(self.offsets)))

    @cached_property
    def n_observed(self) -> np.ndarray:
        """In how many base clusterings each microcluster has a label, shape (n_microclusters,)."""
        return frozen(np.count_nonzero(self.labels >= 0, axis=1))

    @cached_property
    def hashes(self) -> np.ndarray:
        """64-bit hash of every distinct label row, shape (n_microclusters,); chooses reproducible samples."""
        return frozen(row_hashes(self.labels))

    @cached_property
    def incidence(self) -> sp.csr_array:
        """Which clusters each microcluster lies in: CSR of ones, shape (n_microclusters, n_base_clusters)."""
        return frozen(incidence_of(self.labels, self.offsets))

    @cached_property
    def overlap(self) -> sp.csr_array:
        """Number of common objects of every two clusters: symmetric CSR, int64, exact."""
        return frozen(self.sum_rows(partial(PairCounts, self.offsets)).finish())

    @cached_property
    def spread(self) -> Spread:
        """How every cluster is spread over those of all clusterings: entropies and squared shares."""
        return Spread(*map(frozen, cluster_spread(self)))

    @cached_property
    def cluster_sizes(self) -> np.ndarray:
        """Number of objects in every cluster, shape (n_base_clusters,), int64."""
        if self.leads is not None:  # the microclusters at hand are only a sample
            return frozen(np.asarray(self.overlap.diagonal()))
        return frozen(counts_by_cluster(self.labels, self.offsets, self.sizes))

    @cached_property
    def firsts(self) -> np.ndarray:
        """First object of every microcluster, shape (n_microclusters,), int64; they rise."""
        return frozen(self.objects.firsts())

    @cached_property
    def table(self) -> MicroclusterTable:
        """The microclusters, to look label rows up."""
        return MicroclusterTable.of(self.labels)

    def sum_rows(self, new: Callable[[], S], sizes: np.ndarray | None = None) -> S:
        """Add up something over all objects, the one door for every sum over rows.

        Parameters
        ----------
        new : callable
            Makes an empty mergeable sum, such as those of ``consensa.ensemble.sums``.
        sizes : ndarray of shape (n_microclusters,), int64, default=None
            How often every microcluster counts; None for its number of objects. Where they are only a sample, all
            objects count once.

        Returns
        -------
        The sum, the same for any number of threads and any chunks.

        Examples
        --------
        >>> from consensa.ensemble.pairs import PairCounts
        >>> ensemble = Ensemble([[0, 0, 1]])
        >>> ensemble.sum_rows(lambda: PairCounts(ensemble.offsets)).finish().toarray()
        array([[2, 0],
               [0, 1]])
        """
        return self.objects.sum_rows(new, self.sizes if sizes is None else sizes)

    def encode(self, partitions: LabelMatrix) -> np.ndarray:
        """Code new objects by the labels of this ensemble.

        Parameters
        ----------
        partitions : label matrix of shape (n_new, n_partitions), list of label vectors, or Ensemble
            Labels by the same base clusterings, in the same order.

        Returns
        -------
        ndarray of shape (n_new, n_partitions), int32
            -1 where a label is missing or was never seen.

        Examples
        --------
        >>> import numpy as np
        >>> Ensemble([["a", "b"], [7, 9]]).encode(np.array([["b", 9], ["c", 7]], dtype=object))
        array([[ 1,  1],
               [-1,  0]], dtype=int32)
        """
        other = partitions if isinstance(partitions, Ensemble) else None
        columns = read_columns(partitions)[1] if other is None else label_columns(other.labels, other.vocabularies)
        if len(columns) != self.n_partitions:
            msg = (
                f"X has {len(columns)} features, but this ensemble is expecting {self.n_partitions} features as input: "
                "one column per base clustering, in the same order."
            )
            raise ValueError(msg)
        codes = encode_columns(columns, self.vocabularies)
        return codes if other is None else other.to_objects(codes)

    def to_objects(self, values: np.ndarray, fill: float = -1) -> np.ndarray:
        """Hand the value of every microcluster to its objects.

        Parameters
        ----------
        values : ndarray of shape (n_microclusters, ...)
        fill : float, default=-1
            For objects without any label.

        Returns
        -------
        ndarray of shape (n_objects, ...), or a lazy dask array if the objects are on dask

        Examples
        --------
        >>> import numpy as np
        >>> Ensemble([[0, 0, 5]]).to_objects(np.array([10, 20]))
        array([10, 10, 20])
        """
        return self.objects.spread(values, fill)

    def map_codes(self, stage: str, function: Callable[[np.ndarray], np.ndarray], dtype: Any) -> np.ndarray:
        """Compute one number per object from its label row.

        Parameters
        ----------
        stage : str
            What is being done, for the progress of a pass.
        function : callable
            Takes codes (n x M, int32, -1 = missing), returns n numbers.
        dtype : dtype

        Returns
        -------
        ndarray of shape (n_objects,), or a lazy dask array if the objects are on dask
        """
        return self.objects.map_codes(stage, function, dtype)

    def number(self, rule: Any) -> tuple[Any, Any]:
        """Label all objects by a rule for label rows, numbered by falling size, then by first object.

        Parameters
        ----------
        rule : callable
            Takes codes (n x M, int32), returns labels below ``rule.n_labels``, -1 for rows without any label.

        Returns
        -------
        labels : ndarray of shape (n_objects,), int32, or a lazy dask array
        numbered : callable
            The rule that gives these labels.
        """
        return self.objects.number(rule)

    def codes_of(self, objects: np.ndarray) -> np.ndarray:
        """Return the label rows of some objects.

        Parameters
        ----------
        objects : ndarray of shape (n,), int
            Their numbers, which rise.

        Returns
        -------
        ndarray of shape (n, n_partitions), int32
        """
        return self.objects.codes_of(objects)


def as_ensemble(partitions: LabelMatrix, *, missing: int | None = -1, sample: bool = False) -> Ensemble:
    """Return the ensemble itself, or build one from a label matrix.

    Examples
    --------
    >>> as_ensemble([[0, 0, 1], [1, 0, 0]])
    Ensemble(n_objects=3, n_partitions=2, n_base_clusters=4, n_microclusters=3)
    """
    return partitions if isinstance(partitions, Ensemble) else Ensemble(partitions, missing=missing, sample=sample)
