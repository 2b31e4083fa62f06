"""``consensa.tl.consensus``: one clustering of the cells of an AnnData, from many."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from consensa._validation import as_cluster_numbers, auto_range, check_integer, is_auto
from consensa.methods.consensus import make_method
from consensa.methods.registry import DEFAULT_METHOD
from consensa.tl.annotate import annotate
from consensa.tl.inputs import check_anndata, check_key, partitions_of, representation_of, the_one_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa._random import RandomState

__all__ = ["consensus"]


def consensus(  # noqa: PLR0913 - scanpy's manner: everything by name
    adata: Any,
    *,
    keys: Sequence[str] | str | None = None,
    use_rep: str | None = None,
    n_clusters: Any = "auto",
    method: Any = DEFAULT_METHOD,
    n_partitions: int = 100,
    generator: Any = None,
    n_neighbors: int | None = 15,
    key_added: str = "consensus",
    copy: bool = False,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Any:
    """Combine clusterings of cells into one, or make them first, and write the result into the AnnData.

    Parameters
    ----------
    adata : AnnData
        Cells in rows. A view becomes an object of its own, as with scanpy. Of a backed object everything but ``X`` is
        in memory and can be used; results are in memory too until ``adata.write()``.
    keys : sequence of str, or str, default=None
        Columns of ``obs`` to combine, for example Leiden runs over resolutions and seeds: categories, texts or whole
        numbers; NaN and -1 are missing labels.
    use_rep : str, default=None
        Representation to make base clusterings of: "X" or an entry of ``obsm``. Without ``keys`` and ``use_rep`` that
        is "X_pca" if there is one, else "X". Both together are an error.
    n_clusters : int, "auto" or "tested", default="auto"
        Number of clusters; "auto" chooses it, "auto:2:20" among these, see :func:`~consensa.choose_k`; "tested" takes
        as many as are more than chance, which may be one, see :func:`~consensa.significance`, and not with ``keys``.
    method : str or estimator, default="sal"
        Name of a method (:data:`consensa.methods.METHODS`), or a consensus estimator; its ``n_clusters`` is set to the
        one given here.
    n_partitions : int, default=100
        Number of base clusterings to make, where ``generator`` is None; not used with ``keys``.
    generator : transformer, default=None
        Makes the base clusterings; None for :class:`~consensa.generate.MultiscalePartitions`. Not with ``keys``.
    n_neighbors : int or None, default=15
        Size of the neighbourhoods in the graph of the cells, the cell itself counted as in ``scanpy.pp.neighbors``;
        None for no graph.
    key_added : str, default="consensus"
        Name of the column in ``obs`` and beginning of all other names; what is there under these names is overwritten.
    copy : bool, default=False
        Return a new AnnData and leave this one as it is.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the base clusterings and of the method.
    n_jobs : int or None, default=None
        Number of base clusterings made at a time.
    **parameters
        Further parameters of a method given by name, for example ``theta``.

    Returns
    -------
    None, or AnnData if ``copy``
        With *key* for ``key_added``, these are written:

        - ``obs[key]``: the clusters, a categorical of "0", "1", ... by size; NaN for cells without any label
        - ``obs[f"{key}_confidence"]``: how clearly every cell belongs to its cluster, between 0 and 1
        - ``obsm[f"{key}_partitions"]``: the base clusterings as whole numbers, -1 where a label is missing
        - ``obsp[f"{key}_connectivities"]``: how often neighbouring cells meet, weighted as the method does it
          (:func:`consensa.relate.nearest_objects`); symmetric, on average at most 2 (``n_neighbors`` - 1) per cell
        - ``obsp[f"{key}_distances"]``: 1 less that, for the links from every cell
        - ``uns[key]``: parameters, ANMI, names of the base clusterings, how the number of clusters was chosen or
          tested, and where scanpy finds the graph: ``sc.tl.umap(adata, neighbors_key=key)``, and likewise ``leiden``
          and ``paga`` (which fails on a graph without links between clusters: where no base clustering ever joins them)

    See Also
    --------
    consensa.consensus : The same for arrays and data frames.
    consensa.EnsembleClustering : The same on features.

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5).
    https://doi.org/10.1109/TCYB.2017.2702343
    Wolf, Angerer & Theis (2018), SCANPY: large-scale single-cell gene expression data analysis, Genome Biology 19.
    https://doi.org/10.1186/s13059-017-1382-0

    Examples
    --------
    >>> import anndata, numpy as np, consensa
    >>> adata = anndata.AnnData(np.zeros((6, 1)))
    >>> adata.obs["leiden_0.5"] = ["0", "0", "0", "1", "1", "1"]
    >>> adata.obs["leiden_1.0"] = ["0", "0", "2", "1", "1", "1"]
    >>> consensa.tl.consensus(adata, keys=["leiden_0.5", "leiden_1.0"], n_clusters=2, random_state=0)
    >>> adata.obs["consensus"].tolist()
    ['0', '0', '0', '1', '1', '1']
    >>> adata.uns["consensus"]["n_clusters"], round(adata.uns["consensus"]["anmi"], 3)
    (2, 0.914)
    """
    check_anndata(adata, copy=copy)
    columns, rep = the_one_source(adata, keys, use_rep)
    key = check_key(key_added, columns)
    _check_one_number(n_clusters, columns)
    if n_neighbors is not None:
        check_integer("n_neighbors", n_neighbors, at_least=2)
    if columns and generator is not None:
        msg = "generator makes base clusterings, but keys gives those that exist; leave one of them out."
        raise ValueError(msg)
    estimator = _make_estimator(method, n_clusters, random_state if columns else None, parameters)
    if columns:
        model = estimator.fit(partitions_of(adata, columns, estimator.missing))
    else:
        from consensa.methods.ensemble_clustering import EnsembleClustering

        model = EnsembleClustering(
            n_clusters,
            generator=generator,
            method=estimator,
            n_partitions=n_partitions,
            random_state=random_state,
            n_jobs=n_jobs,
        ).fit(representation_of(adata, rep))
    target = adata.copy() if copy else adata
    annotate(target, model, key, n_neighbors=n_neighbors, **_noted(method, columns, rep, random_state))
    return target if copy else None


def _check_one_number(n_clusters: Any, columns: list[str]) -> None:
    if isinstance(n_clusters, str) and n_clusters == "tested":
        if columns:
            msg = 'n_clusters="tested" needs features, and keys gives labels; give use_rep, or n_clusters="auto".'
            raise ValueError(msg)
    elif is_auto(n_clusters):
        auto_range(n_clusters)
    elif len(as_cluster_numbers(n_clusters)) != 1 or not isinstance(n_clusters, numbers.Integral):
        msg = (
            f'n_clusters={n_clusters!r} is not allowed: an obs column holds one clustering; give an integer, "auto" or '
            '"tested".'
        )
        raise ValueError(msg)


def _make_estimator(method: Any, n_clusters: Any, random_state: RandomState, parameters: dict[str, Any]) -> Any:
    """The estimator of a method; without a seed where :class:`EnsembleClustering` will give it one."""
    if isinstance(method, str):
        return make_method(method, n_clusters, random_state, parameters)
    if not hasattr(method, "get_params") or isinstance(method, type):
        msg = f"method={method!r} is not allowed: give the name of a method or a consensus estimator."
        raise ValueError(msg)
    if parameters:
        msg = f"{next(iter(parameters))!r} was given beside a consensus estimator; set it in the estimator itself."
        raise ValueError(msg)
    found = clone(method)
    known = found.get_params(deep=False)
    seed = {"random_state": random_state} if known.get("random_state", 0) is None else {}
    return found.set_params(n_clusters=n_clusters, **seed)


def _noted(method: Any, columns: list[str], rep: str, random_state: RandomState) -> dict[str, Any]:
    """Parameters for ``uns``, in values that h5ad can hold."""
    import numpy as np

    return {
        "method": method if isinstance(method, str) else type(method).__name__,
        "random_state": int(random_state) if isinstance(random_state, numbers.Integral) else None,
        "use_rep": rep or None,
        "keys": np.array(columns, dtype=object) if columns else None,
    }
