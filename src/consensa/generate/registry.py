"""Every generator by name, with its reference: the command line, error texts and the tests find them here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

from consensa._messages import meant

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DEFAULT_GENERATOR", "GENERATORS", "GeneratorInfo", "get_generator", "make_generator"]

_K, _RANGE = "n_clusters", "k_range"


@dataclass(frozen=True)
class GeneratorInfo:
    """What the command line, error texts and the tests know of a generator.

    Parameters
    ----------
    name : str
        The word for :func:`make_generator` and ``--generator``.
    estimator, module : str
        The class and where it lives.
    summary : str
        One line for people.
    reference, doi : str
        Where it was published.
    sized_by : tuple of str
        The parameters that carry the number of clusters of its members: ``"n_clusters"`` for one number, ``"k_range"``
        for a smallest and a largest; empty if the members settle it among themselves.
    transform : bool
        Whether it can label new data.
    sampled : bool
        Whether it is fitted on a sample of the rows and assigns the others, so that data can come in chunks.
    needs : str
        A parameter without which it makes nothing, and which is no plain value; empty if there is none.

    Examples
    --------
    >>> from consensa.generate import GENERATORS
    >>> GENERATORS["uspec"].doi
    '10.1109/TKDE.2019.2903410'
    """

    name: str
    estimator: str
    module: str
    summary: str
    reference: str
    doi: str
    sized_by: tuple[str, ...] = ()
    transform: bool = False
    sampled: bool = False
    needs: str = ""

    def load(self) -> Any:
        """Import and return the class.

        Returns
        -------
        type

        Examples
        --------
        >>> from consensa.generate import GENERATORS
        >>> GENERATORS["kmeans"].load()(20)
        KMeansPartitions(n_partitions=20)
        """
        return getattr(import_module(self.module), self.estimator)

    def size_parameters(self, n_clusters: Any) -> dict[str, Any]:
        """Return the number of clusters of the members as the generator takes it.

        Parameters
        ----------
        n_clusters : int, sequence of int or None
            One number, or numbers of which the smallest and the largest count; None to leave it to the generator.

        Returns
        -------
        dict

        Examples
        --------
        >>> from consensa.generate import GENERATORS
        >>> GENERATORS["kmeans"].size_parameters(5), GENERATORS["lac"].size_parameters(5)
        ({'k_range': (5, 5)}, {'n_clusters': 5})
        """
        if n_clusters is None:
            return {}
        single = isinstance(n_clusters, Integral)
        if single and _K in self.sized_by:
            return {_K: n_clusters}
        if _RANGE in self.sized_by:
            return {_RANGE: (n_clusters, n_clusters) if single else (min(n_clusters), max(n_clusters))}
        allowed = (
            "all its members have the same one; give a single number" if self.sized_by else "its members settle it"
        )
        msg = f"generator {self.name!r} takes no {'range' if self.sized_by else 'number'} of clusters: {allowed}."
        raise ValueError(msg)


DEFAULT_GENERATOR = "multiscale"

_TABLE = (
    GeneratorInfo("estimators", "EstimatorPartitions", "consensa.generate.estimators",
                  "Any clusterers, with all settings of their parameters",
                  "Strehl & Ghosh, JMLR 3, 2003", "10.1162/153244303321897735", needs="estimators"),
    GeneratorInfo("kmeans", "KMeansPartitions", "consensa.generate.kmeans",
                  "k-means with random numbers of clusters and random seeds",
                  "Fred & Jain, IEEE TPAMI 27(6), 2005", "10.1109/TPAMI.2005.113",
                  sized_by=(_RANGE,), transform=True, sampled=True),
    GeneratorInfo("lac", "LACPartitions", "consensa.generate.lac_partitions",
                  "Locally adaptive clusterings, which weigh the features of every cluster, over a grid of h",
                  "Al-Razgan & Domeniconi, SDM 2006", "10.1137/1.9781611972764.23", sized_by=(_K,), transform=True),
    GeneratorInfo("linkage", "LinkagePartitions", "consensa.generate.linkage",
                  "Single linkage that is robust against outliers (Genie), on random parts of the objects",
                  "Gagolewski, Bartoszuk & Cena, Information Sciences 363, 2016", "10.1016/j.ins.2016.05.003",
                  sized_by=(_RANGE,), transform=True, sampled=True),
    GeneratorInfo("mixed", "MixedPartitions", "consensa.generate.mixed",
                  "Several generators side by side: k-means and RPCL",
                  "Huang, Lai & Wang, IEEE TKDE 28(5), 2016", "10.1109/TKDE.2015.2503753", transform=True),
    GeneratorInfo("multiscale", "MultiscalePartitions", "consensa.generate.multiscale",
                  "Coarse and fine k-means, and linkage, for clusters of any shape",
                  "Fred & Jain, IEEE TPAMI 27(6), 2005", "10.1109/TPAMI.2005.113",
                  sized_by=(_RANGE,), transform=True, sampled=True),
    GeneratorInfo("rpcl", "RPCLPartitions", "consensa.generate.rpcl",
                  "Rival penalised competitive learning, which drops superfluous clusters",
                  "Xu, Krzyzak & Oja, IEEE Trans. Neural Networks 4(4), 1993", "10.1109/72.238318",
                  sized_by=(_RANGE,), transform=True),
    GeneratorInfo("stratified", "StratifiedPartitions", "consensa.generate.subspace",
                  "k-means in subspaces that take their share of every group of similar features",
                  "Jing, Tian & Huang, Pattern Recognition 48(11), 2015", "10.1016/j.patcog.2015.05.006",
                  sized_by=(_K, _RANGE), transform=True),
    GeneratorInfo("subsample", "SubsamplePartitions", "consensa.generate.estimators",
                  "k-means, or another clusterer, on random parts of the objects",
                  "Monti, Tamayo, Mesirov & Golub, Machine Learning 52, 2003", "10.1023/A:1023949509487",
                  sized_by=(_K, _RANGE)),
    GeneratorInfo("subspace", "MetricSubspacePartitions", "consensa.generate.subspace",
                  "Spectral clusterings in random subspaces with random similarity kernels",
                  "Huang, Wang, Lai & Kwoh, IEEE Trans. Cybernetics 52(11), 2022", "10.1109/TCYB.2021.3049633",
                  sized_by=(_RANGE,)),
    GeneratorInfo("table", "TablePartitions", "consensa.generate.table",
                  "Mixtures over some columns of a table: numbers in any unit, categories, dates, gaps",
                  "Hunt & Jorgensen, Computational Statistics & Data Analysis 41(3-4), 2003",
                  "10.1016/S0167-9473(02)00190-1", sized_by=(_RANGE,), transform=True, sampled=True),
    GeneratorInfo("uspec", "USPECPartitions", "consensa.generate.uspec",
                  "Spectral clusterings through representatives: rings and other shapes",
                  "Huang, Wang, Wu, Lai & Kwoh, IEEE TKDE 32(6), 2020", "10.1109/TKDE.2019.2903410",
                  sized_by=(_RANGE,), transform=True, sampled=True),
)  # fmt: skip

GENERATORS = {generator.name: generator for generator in _TABLE}


def get_generator(name: str) -> GeneratorInfo:
    """Return the generator of that name.

    Parameters
    ----------
    name : str
        In small or capital letters.

    Returns
    -------
    GeneratorInfo

    Examples
    --------
    >>> get_generator("uspec").estimator
    'USPECPartitions'
    """
    if isinstance(name, str) and name.lower() in GENERATORS:
        return GENERATORS[name.lower()]
    near = meant(name, GENERATORS) if isinstance(name, str) else ""
    msg = f"generator={name!r} is not known{near}; choose one of {', '.join(map(repr, GENERATORS))}."
    raise ValueError(msg)


def make_generator(
    name: str, /, n_partitions: int | None = None, n_clusters: int | Sequence[int] | None = None, **parameters: Any
) -> Any:
    """Build a generator by its name.

    Parameters
    ----------
    name : str
        :data:`consensa.generate.GENERATORS` lists them.
    n_partitions : int or None, default=None
        Number of base clusterings; None for the default of the generator.
    n_clusters : int, sequence of int or None, default=None
        Number of clusters of every member, or numbers between the smallest and largest of which one is drawn; None for
        the default of the generator.
    **parameters
        Further parameters of the generator, for example ``random_state``.

    Returns
    -------
    PartitionGenerator
        Not fitted.

    Examples
    --------
    >>> from consensa.generate import make_generator
    >>> make_generator("subsample", 50, 4, fraction=0.7)
    SubsamplePartitions(fraction=0.7, n_clusters=4, n_partitions=50)
    """
    info = get_generator(name)
    generator = info.load()()
    known = generator.get_params(deep=False)
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        msg = f"generator {info.name!r} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}."
        raise ValueError(msg)
    share = {} if n_partitions is None else {"n_partitions": n_partitions}
    return generator.set_params(**share, **(info.size_parameters(n_clusters) | parameters))
