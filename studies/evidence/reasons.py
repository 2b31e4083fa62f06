"""Why cells are worse than published: explained, or not explained and what was tried."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPARED", "REASONS", "Reason"]


@dataclass(frozen=True)
class Reason:
    """Why cells of a paper's own methods are worse than published, or what was tried; empty parts hold for all."""

    text: str
    tables: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    setting: str = ""
    fewer_than: int | None = None  # draws

    def holds(self, table: str, dataset: str, method: str, setting: str, runs: int) -> bool:
        """Tell whether it is about a cell."""
        places = ((self.tables, table), (self.datasets, dataset), (self.methods, method))
        few = self.fewer_than is None or runs < self.fewer_than
        return few and all(not allowed or name in allowed for allowed, name in places) and self.setting in setting


_FEW_DRAWS = (
    "not explained beyond the few draws, which serve all cells of this data set in the table, so that all are low "
    "together (on IS, where one draw was as low, five agree)"
)

_MDEC_TRIED = (
    "Kernel, embedding and consensus agree with the published code on its own recorded draws (in the tests), and the "
    "unit of the features changes nothing"
)

# Of the papers' own methods, by paper; the first that holds counts.
REASONS = {
    "000": (
        Reason(
            "explained: on ten draws for which we have the labels of the authors' code, that code has ARI .249 and "
            "ours .247, with a lower k-means objective of ours on every one; on 100 further draws ours has .231, with "
            "a standard error of .002. So the published figure is above what the published code gives",
            tables=("VII",),
            datasets=("Caltech20",),
            methods=("LWGP",),
        ),
        Reason(
            "explained: these draws lie low; 100 further ones have ARI .508 with a standard error of .003, and NMI "
            ".744 (published: .743). On five draws for which we have the labels of the authors' code, that code has "
            "ARI .508, ours .499 with ten starts of k-means and .504 with three, as the code has",
            tables=("VII",),
            datasets=("ISOLET",),
            methods=("LWGP",),
        ),
        Reason(_FEW_DRAWS, tables=("III", "IV"), fewer_than=4),
        Reason(
            "not explained, with more than three draws: weights, similarity and cut agree with the published code on "
            "its recorded draws of nine data sets (in the tests)",
        ),
    ),
    "001": (
        Reason(
            "the pool is our own, with a fifth fewer microclusters (Table 5); not explained further, which iterations "
            "of k-means and rates of RPCL the paper had is not printed",
            datasets=("LS", "PD", "KDD99"),
        ),
        Reason(
            "explained: the paper has one ensemble, in whole percents, ours is the mean of ten draws",
            tables=("1",),
        ),
        Reason(
            "explained: all K stand on the same ten draws, of which a few with coarse members keep far more links; 2 "
            "standard errors off",
            tables=("6",),
        ),
        Reason(_FEW_DRAWS, tables=("7", "8"), fewer_than=4),
        Reason(
            "explained in part: single linkage differs much from draw to draw; the labels agree with the published "
            "code on its recorded draws (in the tests)",
            methods=("PTA-SL",),
        ),
        Reason(
            "not explained: labels and similarities agree with the published code on its recorded draws of four data "
            "sets (in the tests)",
        ),
    ),
    "002": (
        Reason("explained: the published tables come from the kernel of the code", setting="variant=paper"),
        Reason(
            f"not explained, and three draws with a deviation of .027 (published: .022) are few for it. {_MDEC_TRIED}. "
            "One ensemble of 20 has the published figures (NMI .787, ARI .717); scaling its features one by one to "
            "[0, 1], as in the authors' file of Multiple Features, does not help (.722, .580). The neighbour graphs "
            "are in one piece (eight of eight looked at), so that no rule for pieces decides",
            datasets=("MNIST",),
            methods=("MDEC-HC",),
        ),
        Reason(
            "not explained: MDEC-HC agrees on the same base clusterings, so that these are hardly the cause. "
            f"{_MDEC_TRIED}",
            datasets=("USPS",),
            methods=("MDEC-SC", "MDEC-BG"),
        ),
        Reason(f"not explained: {_MDEC_TRIED}"),
    ),
    "003": (
        Reason(
            "explained in part: theta is not chosen by the truth, as for the published figure; but where it is, ours "
            "is worse here too, see there",
            tables=("4",),
            datasets=("MNIST", "ODR"),
            methods=("DLWECDL",),
            setting="theta",
        ),
        Reason(
            "explained: theta is not chosen by the truth, as for the published figure; where it is, ours is not worse",
            setting="theta",
        ),
        Reason(
            "explained: theta is 1 here, and not chosen by the truth, as for the published figure",
            tables=("section3.3",),
        ),
        Reason(
            "explained: the last two of R are printed in the other order than the clusters of Fig. 2 give",
            tables=("1",),
        ),
        Reason(
            "explained in part: the paper chooses lambda by the truth as well; on the first draw the published scheme "
            "has ARI .803 with lambda = 0.1 and rho = 3.5 at theta = 1, the closed form .752 (Section 3.3)",
            datasets=("ODR",),
            methods=("DLWECDL",),
        ),
        Reason(
            "not explained: three draws have ARI .504, .561 and .538. With noise it is not better (the first at theta "
            "= 1: .472 with lambda = 0.1, .482 with 1, rho = 3.5; .495 closed; Section 3.3), and ELWECDL agrees. The "
            "divergence agrees with Table 1 and a plain version of it (in the tests)",
            datasets=("MNIST",),
            methods=("DLWECDL",),
        ),
        Reason(
            "not explained: representation, similarity and cut agree with plain versions of the formulas (in the "
            "tests); the paper chooses lambda by the truth as well, but with noise the published scheme is above the "
            "closed form on some pools and below it on others (Section 3.3)",
        ),
    ),
    "004": (
        Reason(
            "explained: h has the unit of the squared features, so that on features with large values every 1/h of the "
            "grid leaves one feature per cluster; the paper must have scaled them, or had another grid",
            setting="features=raw",
        ),
        Reason("explained: neither reading of the example gives all of it, see there", tables=("section5",)),
        Reason(
            "explained: best and worst of the single clusterings depend on the grid of 1/h, which is not printed",
            methods=("LAC-max", "LAC-min", "LAC-avg"),
        ),
    ),
}

_ON_MICROCLUSTERS = (
    "explained in part: METIS cuts microclusters here, with the weight of their objects and never split, where the "
    "published code cuts objects. On three draws of MF (paper 000) cutting objects gives NMI .604 to .615, ours .588, "
    "published .617"
)
_COMPLETE = (
    "explained: most groups have similarity 0 to each other under complete linkage, so that the rule for ties decides, "
    "and the paper prints none"
)
_SINGLE = (
    "explained in part: with ten base clusterings most merges of single linkage tie, and the rule for ties decides; it "
    "differs much from draw to draw"
)
_CALTECH = (
    "not explained: ARI on Caltech20 alone, with NMI in agreement; so it is for LWGP, where the authors' own code has "
    "our figure"
)
_SIMRANK = "not explained: one to three draws; decay and rounds are those of its own paper, this one prints none"
_LOW_DRAW = "too few draws: one of MNIST and three of MF, which are low for SRS too"
_MIXED = "a variant, with a thousandth of the co-association mixed in"
_STRATA = (
    "explained in part: a variant; strata, subspaces and numbers of clusters are not published well enough to agree. "
    "Cells marked ° had as many clusters as classes in every base clustering, which on Chowdary-2006 splits off a few "
    "outliers; now the numbers are random"
)
_ONE_OBJECTIVE = (
    "explained in part: KCC with its default utility and ECC are one objective and one computation. On eleven data "
    "sets the entropy is nearer to both published columns (mean absolute difference .041 and .032) than the other "
    "utilities; starts are not printed"
)
_ON_KMEANS = (
    "not explained: which base clusterings the paper gave it is not printed; ours are by k-means with k in [2, sqrt(n)]"
)
_SPCE = (
    "explained: a variant after a port of the authors' code. Its objective counts components of an unnormalised graph, "
    "which are had most cheaply by cutting off single objects; what kept the published runs from that is not known"
)
_OTHER_M = "explained: the published figures are those of paper 000 with M = 10, ours have M = 20"

# Of the methods that the papers compare with, by paper and method.
COMPARED = {
    "000": {
        "TOME": "explained: a variant, the steps are the paper's, the formulas of the weights our own",
        "CSPA": _ON_MICROCLUSTERS,
        "SEC": _CALTECH,
        "KCC": _CALTECH,
        "WCT": _CALTECH,
        "GP-MGLA": "not explained: ARI on MNIST at true k, with NMI in agreement; the labels agree with the published "
        "code on its recorded draws of two data sets (in the tests)",
        "HGPA": "too few draws: one of LR; on all other data sets it is above",
    },
    "001": {
        "CSPA": _ON_MICROCLUSTERS,
        "HGPA": "too few draws: one of USPS; on nearly all other data sets it is above",
        "EAC-CL": f"{_COMPLETE}: in all 21 draws looked at, the cut falls between merges of equal similarity",
        "WEAC-CL": _COMPLETE,
        "ECMC-CL": f"{_COMPLETE}; {_MIXED}",
        "SRS-AL": _SIMRANK,
        "SRS-CL": _SIMRANK,
        "WCT-AL": _LOW_DRAW,
        "WCT-CL": _LOW_DRAW,
        "EAC-SL": _SINGLE,
        "WEAC-SL": _SINGLE,
        "WCT-SL": _SINGLE,
        "ECMC-SL": f"{_SINGLE}; {_MIXED}",
    },
    "002": {
        **dict.fromkeys(("SSCSPA", "SSHGPA", "SSMCLA"), _STRATA),
        **dict.fromkeys(("KCC", "ECC"), _ONE_OBJECTIVE),
        **dict.fromkeys(("SEC", "PTGP", "LWGP"), _ON_KMEANS),
        "SPCE": _SPCE,
    },
    "003": {
        "DREC": "not explained: the paper does not print its lambda, which is 100 here",
        "LWGP": _OTHER_M,
        "LWEA": _OTHER_M,
        "MCLA": "not explained: it is above on as many data sets; starts of METIS are not printed",
        "PTA-CL": "not explained: it is above on as many data sets; the labels agree with the code of paper 001",
        "CESHL": "explained: a variant, known to us by its aim; the formulas are our own",
        "SPCE": _SPCE,
        "TRCE": "not explained: a variant after a port of the authors' code; the sum in which the two differ (weights "
        "of the objects) changes no label on four draws of VS and Semeion",
    },
    "004": {
        "CSPA": "explained: on raw features LAC itself is worse; on the standardised Two-Gaussian the data are drawn "
        "again in every run, and a rule without error does not exist",
        "MCLA": "explained on raw features, where LAC itself is worse; not explained on the standardised ones of WDBC "
        "and Breast, of which the subsamples are not published",
    },
}
