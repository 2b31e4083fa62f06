"""Every method by name, with its reference: one line here makes a method public everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from consensa._messages import meant

__all__ = ["DEFAULT_METHOD", "FEATURE_METHODS", "METHODS", "Method", "get_method", "method_of"]


@dataclass(frozen=True)
class Method:
    """What the command line, the comparison of methods and the tests know of a method.

    Parameters
    ----------
    name : str
        The word for ``consensus(method=...)`` and ``--method``.
    estimator, module : str
        The class and where it lives.
    summary : str
        One line for people.
    reference, doi : str
        Where it was published.
    input : {"labels", "features"}
        What its ``fit`` takes: a label matrix, or the data themselves.
    missing : bool
        Whether it handles missing labels; if not, they are a ValueError.
    balanced : bool
        Whether it forces clusters of (nearly) equal size with its default parameters.
    memory : str
        How the memory on top of the label matrix grows with the default parameters.
    cell_bytes : int or None
        Bytes for every label of a distinct row while the method works; None where its matrices depend on the data, so
        that no amount of memory can be promised.
    fixed_bytes : int
        Bytes on top of that, whatever the data.
    variant : str
        What differs from the published method, where it is known to us in parts only or was changed on purpose.

    Examples
    --------
    >>> from consensa.methods import METHODS
    >>> METHODS["eac"].doi
    '10.1109/TPAMI.2005.113'
    """

    name: str
    estimator: str
    module: str
    summary: str
    reference: str
    doi: str
    input: str = "labels"
    missing: bool = True
    balanced: bool = False
    memory: str = "microclusters x partitions"
    cell_bytes: int | None = None
    fixed_bytes: int = 0
    variant: str = ""

    def load(self) -> Any:
        """Import and return the estimator class.

        Returns
        -------
        type

        Examples
        --------
        >>> from consensa.methods import METHODS
        >>> METHODS["lwea"].load()(n_clusters=3)
        LWEA(n_clusters=3)
        """
        return getattr(import_module(self.module), self.estimator)


DEFAULT_METHOD = "sal"
_TREES = 600 << 20  # two of 4,000 rows and their moments: 333 MiB were measured on 159,062 distinct rows

_STRATA = "strata by k-means on the standardised features, base clusterings with random numbers of clusters"

_TABLE = (
    Method("asrs", "ASRS", "consensa.methods.link_based", "Approximate SimRank of clusters: linkage",
           "Iam-On & Garrett, J. Statistical Software 36(9), 2010", "10.18637/jss.v036.i09",
           memory="microclusters squared + clusters squared"),
    Method("cehm", "CEHM", "consensa.methods.searches", "k-HyperEdge medoids: k base clusters grow into the consensus",
           "Li, Wang, Zhang, Qian, Jin, Yan & Du, AAAI 2025", "10.1609/aaai.v39i17.34010",
           memory="microclusters x n_clusters + clusters squared"),
    Method("ceshl", "CESHL", "consensa.methods.learned", "Structured hypergraph learning (CESHL-style variant)",
           "Zhou, Wang, Du & Li, Information Fusion 78, 2022", "10.1016/j.inffus.2021.09.003",
           memory="microclusters x clusters", variant="known to us by its aim only; the formulas are our own"),
    Method("cspa", "CSPA", "consensa.methods.balanced", "Similarity partitioning: METIS on the co-association graph",
           "Strehl & Ghosh, JMLR 3, 2003", "10.1162/153244303321897735",
           balanced=True, memory="microclusters squared"),
    Method("cts", "CTS", "consensa.methods.link_based", "Weighted connected triples of clusters: linkage",
           "Iam-On, Boongoen, Garrett & Price, IEEE TPAMI 33(12), 2011", "10.1109/TPAMI.2011.84",
           memory="microclusters squared"),
    Method("dlwecdl", "DLWECDL", "consensa.methods.representation",
           "Low-rank representation with divergence weights: Ncut",
           "Xu, Wu, Li & Nan, Entropy 24(10), 2022", "10.3390/e24101324", memory="microclusters squared"),
    Method("drec", "DREC", "consensa.methods.representation", "Dense representation of microclusters: Ncut",
           "Zhou, Zheng & Pan, Neurocomputing 357, 2019", "10.1016/j.neucom.2019.04.078",
           memory="microclusters squared"),
    Method("eac", "EAC", "consensa.methods.evidence", "Evidence accumulation: linkage on the co-association of objects",
           "Fred & Jain, IEEE TPAMI 27(6), 2005", "10.1109/TPAMI.2005.113"),
    Method("ecc", "ECC", "consensa.methods.label_kmeans", "Entropy-based consensus: k-means on labels, KL distance",
           "Liu, Zhao, Fang, Cheng, Fu & Liu, Bioinformatics 33(17), 2017", "10.1093/bioinformatics/btx167",
           memory="microclusters + clusters x n_clusters"),
    Method("eccms", "ECCMS", "consensa.methods.spreading",
           "Weighted co-association smoothed along trusted pairs (EC-CMS): linkage",
           "Jia, Tao, Wang & Wang, IEEE TNNLS 35(8), 2024", "10.1109/TNNLS.2023.3249207",
           memory="microclusters squared"),
    Method("ecmc", "ECMC", "consensa.methods.learned", "Matrix completion of the co-association: Ncut or linkage",
           "Yi, Yang, Jin & Jain, ICDM 2012", "10.1109/ICDM.2012.123",
           memory="microclusters squared",
           variant="a thousandth of the co-association is mixed in; limits, solver and trade-off are not the paper's"),
    Method("ecpcs", "ECPCS", "consensa.methods.link_based", "Random walks over clusters: linkage, or meta-clusters",
           "Huang, Wang, Peng, Lai & Kwoh, IEEE TSMC: Systems 51(1), 2021", "10.1109/TSMC.2018.2876202",
           memory="microclusters squared + clusters squared"),
    Method("elwecdl", "ELWECDL", "consensa.methods.representation",
           "Low-rank representation with entropy weights: Ncut",
           "Xu, Wu, Li & Nan, Entropy 24(10), 2022", "10.3390/e24101324", memory="microclusters squared"),
    Method("em", "EMConsensus", "consensa.methods.searches", "Mixture model of the labels, fitted by EM",
           "Topchy, Jain & Punch, IEEE TPAMI 27(12), 2005", "10.1109/TPAMI.2005.237",
           memory="microclusters x n_clusters"),
    Method("gpmgla", "GPMGLA", "consensa.methods.bipartite", "Multi-granularity links (GP-MGLA): transfer cut",
           "Huang, Lai & Wang, Neurocomputing 170, 2015", "10.1016/j.neucom.2014.05.094",
           memory="clusters squared + microclusters x n_clusters"),
    Method("hbgf", "HBGF", "consensa.methods.bipartite", "Bipartite graph of objects and clusters: spectral or METIS",
           "Fern & Brodley, ICML 2004", "10.1145/1015330.1015414",
           memory="clusters squared + microclusters x n_clusters"),
    Method("hgpa", "HGPA", "consensa.methods.balanced",
           "Hypergraph partitioning: equal parts that cut the fewest clusters",
           "Strehl & Ghosh, JMLR 3, 2003", "10.1162/153244303321897735", balanced=True),
    Method("kcc", "KCC", "consensa.methods.label_kmeans", "k-means on labels with the distance of a utility function",
           "Wu, Liu, Xiong, Cao & Chen, IEEE TKDE 27(1), 2015", "10.1109/TKDE.2014.2316512",
           memory="microclusters + clusters x n_clusters"),
    Method("lwea", "LWEA", "consensa.methods.evidence", "Locally weighted evidence accumulation: average linkage",
           "Huang, Wang & Lai, IEEE Trans. Cybernetics 48(5), 2018", "10.1109/TCYB.2017.2702343",
           memory="microclusters x partitions + clusters squared", cell_bytes=260),
    Method("lwgp", "LWGP", "consensa.methods.bipartite", "Locally weighted graph partitioning: transfer cut",
           "Huang, Wang & Lai, IEEE Trans. Cybernetics 48(5), 2018", "10.1109/TCYB.2017.2702343",
           memory="clusters squared + microclusters x n_clusters", cell_bytes=12),
    Method("mcla", "MCLA", "consensa.methods.balanced", "Meta-clustering: groups of clusters share out the objects",
           "Strehl & Ghosh, JMLR 3, 2003", "10.1162/153244303321897735",
           balanced=True, memory="clusters squared + microclusters x n_clusters"),
    Method("mdec", "MDECConsensus", "consensa.methods.mdec", "Consensus step of MDEC: weighted linkage, cut or graph",
           "Huang, Wang, Lai & Kwoh, IEEE Trans. Cybernetics 52(11), 2022", "10.1109/TCYB.2021.3049633",
           memory="microclusters x partitions + clusters squared"),
    Method("median", "MedianPartition", "consensa.methods.searches", "Median partition by the best one-element moves",
           "Filkov & Skiena, Int. J. Artificial Intelligence Tools 13(4), 2004", "10.1142/S0218213004001867",
           memory="microclusters x n_clusters"),
    Method("nmf", "NMFConsensus", "consensa.methods.searches", "Non-negative factorisation of the co-association",
           "Li, Ding & Jordan, ICDM 2007", "10.1109/ICDM.2007.98",
           memory="microclusters x n_clusters + clusters squared"),
    Method("pta", "PTA", "consensa.methods.walks", "Probability trajectory accumulation: linkage on random walks",
           "Huang, Lai & Wang, IEEE TKDE 28(5), 2016", "10.1109/TKDE.2015.2503753",
           memory="microclusters squared"),
    Method("ptgp", "PTGP", "consensa.methods.walks", "Probability trajectory based graph partitioning: transfer cut",
           "Huang, Lai & Wang, IEEE TKDE 28(5), 2016", "10.1109/TKDE.2015.2503753",
           memory="microclusters x clusters"),
    Method("qmi", "QMI", "consensa.methods.label_kmeans", "Quadratic mutual information: k-means on labels",
           "Topchy, Jain & Punch, ICDM 2003", "10.1109/ICDM.2003.1250937",
           memory="microclusters + clusters x n_clusters"),
    Method("sal", "SAL", "consensa.methods.sal",
           "Spectral angle linkage: average linkage in the spectrum of the graph",
           "consensa's own; graph of Huang, Wang & Lai, 2018", "10.1109/TCYB.2017.2702343",
           memory="microclusters + 4,000 squared", cell_bytes=16, fixed_bytes=_TREES),
    Method("sdgca", "SDGCA", "consensa.methods.spreading",
           "Evidence for and against pairs, spread along trusted pairs: linkage",
           "Zhang, Jia, Song & Wang, IEEE TKDE, 2025", "10.48550/arXiv.2411.00904",
           memory="microclusters squared + clusters squared"),
    Method("sec", "SEC", "consensa.methods.label_kmeans",
           "Normalised cut of the co-association as weighted k-means on labels",
           "Liu, Liu, Wu, Tao & Fu, KDD 2015", "10.1145/2783258.2783287",
           memory="microclusters x n_clusters + clusters squared"),
    Method("spce", "SPCE", "consensa.methods.learned", "Self-paced learning of a similarity with k components",
           "Zhou, Du, Liu, Shen, Fan & Li, IEEE TNNLS 32(4), 2021", "10.1109/TNNLS.2020.2984814",
           memory="microclusters squared", variant="after a port of the authors' code, with one of its rules changed"),
    Method("srs", "SRS", "consensa.methods.link_based", "SimRank of objects and clusters: linkage",
           "Iam-On, Boongoen & Garrett, Discovery Science 2008", "10.1007/978-3-540-88411-8_22",
           memory="microclusters squared + clusters squared"),
    Method("srw", "SRW", "consensa.methods.walks", "Random walks to seed regions (SRW-style variant)",
           "Abdala, Wattuya & Jiang, ICPR 2010", "10.1109/ICPR.2010.354",
           memory="microclusters x neighbours",
           variant="known to us by its idea only; seeds and weights of the links are our own"),
    Method("supra", "SupraConsensus", "consensa.methods.balanced", "Supra-consensus: the best of CSPA, HGPA and MCLA",
           "Strehl & Ghosh, JMLR 3, 2003", "10.1162/153244303321897735",
           balanced=True, memory="microclusters squared"),
    Method("trce", "TRCE", "consensa.methods.learned", "Tri-level robust learning of a similarity with k components",
           "Zhou, Du, Shen & Li, AAAI 2021", "10.1609/aaai.v35i12.17327",
           memory="microclusters squared", variant="after a port of the authors' code"),
    Method("voting", "Voting", "consensa.methods.searches", "Clusters translated into those of a reference; majority",
           "Ayad & Kamel, IEEE TPAMI 30(1), 2008", "10.1109/TPAMI.2007.1138",
           memory="microclusters x clusters"),
    Method("weac", "WEAC", "consensa.methods.evidence",
           "Weighted evidence accumulation: clusterings by crowd agreement",
           "Huang, Lai & Wang, Neurocomputing 170, 2015", "10.1016/j.neucom.2014.05.094"),
)  # fmt: skip

_FEATURE_TABLE = (
    Method("mdec", "MDEC", "consensa.methods.mdec", "Diversified metrics in random subspaces, weighted clusters",
           "Huang, Wang, Lai & Kwoh, IEEE Trans. Cybernetics 52(11), 2022", "10.1109/TCYB.2021.3049633",
           input="features", missing=False, memory="objects x partitions + clusters squared"),
    Method("sscspa", "SSCSPA", "consensa.methods.stratified", "Stratified subspaces of features: CSPA",
           "Jing, Tian & Huang, Pattern Recognition 48(11), 2015", "10.1016/j.patcog.2015.05.006", input="features",
           missing=False, balanced=True, memory="objects squared",
           variant=_STRATA),
    Method("sshgpa", "SSHGPA", "consensa.methods.stratified", "Stratified subspaces of features: HGPA",
           "Jing, Tian & Huang, Pattern Recognition 48(11), 2015", "10.1016/j.patcog.2015.05.006", input="features",
           missing=False, balanced=True, memory="objects x partitions",
           variant=_STRATA),
    Method("ssmcla", "SSMCLA", "consensa.methods.stratified", "Stratified subspaces of features: MCLA",
           "Jing, Tian & Huang, Pattern Recognition 48(11), 2015", "10.1016/j.patcog.2015.05.006", input="features",
           missing=False, balanced=True, memory="clusters squared + objects x n_clusters",
           variant=_STRATA),
    Method("tome", "TOME", "consensa.methods.tome", "Two-level refined co-association, path-based: Ncut",
           "Zhong, Yue, Zhang & Lei, Pattern Recognition 48(8), 2015", "10.1016/j.patcog.2015.02.014", input="features",
           missing=False, memory="objects squared",
           variant="the steps are the paper's, the formulas of the weights our own"),
    Method("usenc", "USENC", "consensa.methods.uspec", "Ultra-scalable ensemble clustering: transfer cut of U-SPECs",
           "Huang, Wang, Wu, Lai & Kwoh, IEEE TKDE 32(6), 2020", "10.1109/TKDE.2019.2903410", input="features",
           missing=False, memory="objects x partitions"),
    Method("uspec", "USPEC", "consensa.methods.uspec", "Ultra-scalable spectral clustering through representatives",
           "Huang, Wang, Wu, Lai & Kwoh, IEEE TKDE 32(6), 2020", "10.1109/TKDE.2019.2903410", input="features",
           missing=False, memory="objects x partitions"),
    Method("wbpa", "WBPA", "consensa.methods.weighted_subspaces",
           "Weighted clusters in subspaces: graph of LAC clusterings",
           "Al-Razgan & Domeniconi, SDM 2006", "10.1137/1.9781611972764.23", input="features",
           missing=False, balanced=True, memory="objects x clusters"),
    Method("wspa", "WSPA", "consensa.methods.weighted_subspaces",
           "Weighted clusters in subspaces: similarity by LAC clusterings",
           "Al-Razgan & Domeniconi, SDM 2006", "10.1137/1.9781611972764.23", input="features",
           missing=False, balanced=True, memory="objects squared"),
)  # fmt: skip

METHODS = {method.name: method for method in _TABLE}
FEATURE_METHODS = {method.name: method for method in _FEATURE_TABLE}


def method_of(estimator: str) -> Method | None:
    """Return the method whose estimator has that name, None if there is none.

    Examples
    --------
    >>> method_of("LWEA").name
    'lwea'
    """
    return next((m for m in (*METHODS.values(), *FEATURE_METHODS.values()) if m.estimator == estimator), None)


def get_method(name: str) -> Method:
    """Return the method on label matrices of that name.

    Parameters
    ----------
    name : str
        In small or capital letters.

    Returns
    -------
    Method

    Examples
    --------
    >>> get_method("lwea").estimator
    'LWEA'
    """
    if isinstance(name, str) and name.lower() in METHODS:
        return METHODS[name.lower()]
    if isinstance(name, str) and name.lower() in FEATURE_METHODS:
        estimator = FEATURE_METHODS[name.lower()].estimator
        msg = f"method {name!r} makes its own base clusterings from features: use consensa.{estimator}."
        raise ValueError(msg)
    if not isinstance(name, str):
        msg = f"method={name!r} is not allowed: give the name of a method or a consensus estimator."
        raise ValueError(msg)  # noqa: TRY004 - as for all parameters
    msg = f"method={name!r} is not known{meant(name, METHODS)}; choose one of {', '.join(map(repr, METHODS))}."
    raise ValueError(msg)
