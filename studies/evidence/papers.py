"""What the pages say about the five papers beyond their tables: protocol, tests, printed counts, figures to draw."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from studies.evidence.drawings import Drawing
from studies.evidence.reasons import COMPARED, REASONS, Reason

__all__ = ["PAGES", "Leaders", "Page"]

Counts = tuple[int, int, int]


@dataclass(frozen=True)
class Leaders:
    """How often the text of the paper says that a method is among the first ``places`` of ``cells`` comparisons."""

    places: int
    cells: int
    printed: dict[str, int]


@dataclass(frozen=True)
class Page:
    """The page of one paper.

    Parameters
    ----------
    number, title, doi : str
    own : tuple of str
        The paper's own methods.
    tolerance : float
        Of scores.
    protocol, tests : str
        Sentences.
    contests : dict of dict of dict of (wins, ties, losses)
        Printed counts by table, own method and other method.
    leaders : dict of Leaders by table
    drawings : tuple of Drawing
    not_contested : tuple of str
        Settings of own methods that are shown, but not compared with every other method.
    merged : tuple of str
        Tables of one data set each that are shown as one.
    parts : tuple of str
        What else of the paper's own stands in its tables as a method.
    reasons : tuple of Reason
        Of cells that are worse; the first that holds counts.
    compared : dict of str by method
        Why some cells of other methods are worse.
    """

    number: str
    title: str
    doi: str
    own: tuple[str, ...]
    tolerance: float
    protocol: str
    tests: str
    contests: dict[str, dict[str, dict[str, Counts]]] = field(default_factory=dict)
    leaders: dict[str, Leaders] = field(default_factory=dict)
    drawings: tuple[Drawing, ...] = ()
    not_contested: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    compared: dict[str, str] = field(default_factory=dict)

    def is_own(self, method: str) -> bool:
        """Tell whether a method, or what stands in its place, is the paper's own."""
        return method in self.own or method in self.parts

    def reason(self, table: str, dataset: str, method: str, setting: str, runs: int) -> str:
        """Say why a cell with so many draws is worse, as far as it is known."""
        return next(
            (each.text for each in self.reasons if each.holds(table, dataset, method, setting, runs)), "not explained"
        )


_OTHERS = ("SEC", "KCC", "TOME", "GP-MGLA", "WEAC", "WCT", "EAC", "HBGF", "MCLA", "HGPA", "CSPA")
_LWEA = ((30, 0, 0), (30, 0, 0), (24, 2, 4), (26, 4, 0), (28, 2, 0), (28, 2, 0), (29, 1, 0), (27, 3, 0), (28, 2, 0),
         (30, 0, 0), (29, 1, 0))  # fmt: skip
_LWGP = ((30, 0, 0), (30, 0, 0), (23, 4, 3), (29, 1, 0), (25, 4, 1), (26, 1, 3), (26, 3, 1), (28, 2, 0), (27, 2, 1),
         (30, 0, 0), (28, 2, 0))  # fmt: skip
# Tables VI and VIII, which print the same counts for NMI and for ARI
_LWEC_CONTESTS = {
    "LWEA": dict(zip(_OTHERS, _LWEA, strict=True)),
    "LWGP": dict(zip(_OTHERS, _LWGP, strict=True)),
}


_SHARED = (
    "Seconds on the clock of runs that shared the machine with others, the first call of a process with compiling "
    "its kernels; for speed see [speed.md](speed.md)."
)
_SIZE, _OBJECTS, _TAU = "ensemble size M", "objects n", "sampling ratio tau"

_LWEC = Page(
    "000",
    "Huang, Wang & Lai: Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), 2018",
    "10.1109/TCYB.2017.2702343",
    own=("LWEA", "LWGP"),
    tolerance=0.02,
    protocol=(
        "A run draws M=10 base clusterings from the published pool of 100 of a data set, without replacement; "
        "every method combines the same draw. NMI is divided by the larger entropy (NMI/max): the paper prints "
        "the square root of the product, but its figures, like its published code, follow the larger entropy. "
        "*True k* is the number of classes. *Best k* takes the k with the best score in every run, so it looks at "
        "the truth: k of 2 to 30, the range of the published demo, and every tenth up to the square root of n. "
        "Tables III and IV do not say their k rule; they are compared with best k, to which they are nearest. "
        "LWEA and LWGP have theta=0.4; everything else is at consensa's defaults."
    ),
    tests="The paper counts significant differences by the t-test at p < 0.05, best k and true k together.",
    contests={"V": _LWEC_CONTESTS, "VII": _LWEC_CONTESTS},
    drawings=(
        Drawing("theta", "NMI by theta (Tables III and IV)", ("III", "IV"), "NMI/max", ("best",), "theta", x="theta",
                scaled=False),
        Drawing("base", "Base clusterings against their consensus, mean and standard deviation (Fig. 5)", ("fig5",),
                "NMI/max", ("", "true"), kind="dots"),
        Drawing("size_nmi", "NMI by ensemble size (Fig. 6)", ("fig6",), "NMI/max", key="M", x=_SIZE),
        Drawing("size_ari", "ARI by ensemble size (Fig. 7)", ("fig7",), "ARI", key="M", x=_SIZE),
        Drawing("time", "Time by number of objects, LR (Fig. 8)", ("fig8",), "seconds", key="n", x=_OBJECTS, log="xy",
                note=_SHARED),
    ),
)  # fmt: skip

_PTA = Page(
    "001",
    "Huang, Lai & Wang: Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5), 2016",
    "10.1109/TKDE.2015.2503753",
    own=("PTA-AL", "PTA-CL", "PTA-SL", "PTGP"),
    tolerance=0.025,
    protocol=(
        "A run draws M=10 base clusterings from the pool of a data set, without replacement; every method "
        "combines the same draw. NMI is divided by the larger entropy (NMI/max). *True k* is the number of "
        "classes; *best k* takes the k with the best score in every run, so it looks at the truth. Tables 7 and 8 "
        "do not say their k rule; they are compared with best k, to which they are nearest. Everything is at "
        "consensa's defaults, which for PTA and PTGP are the paper's K = T = floor(sqrt(number of microclusters) "
        "/ 2)."
    ),
    parts=("CA", "MSG", "K-ENG"),
    tests="The paper has no test; it counts how often a method is among the best three. The t-test is our addition.",
    leaders={"9": Leaders(3, 20, {"PTGP": 19, "PTA-AL": 18})},
    drawings=(
        Drawing("k", "NMI by K, with T=10 (Tables 7 and 8)", ("7", "8"), "NMI/max", ("best",), "K", fixed={"T": "10"},
                x="K", scaled=False),
        Drawing("t", "NMI by T, with K=10 (Tables 7 and 8)", ("7", "8"), "NMI/max", ("best",), "T", fixed={"K": "10"},
                x="T", scaled=False),
        Drawing("links", "Share of the links kept, by K (Table 6)", ("6",), "ratio_links_percent", ("",), "K", x="K",
                y="links kept (%)", scaled=False),
        Drawing("base", "Base clusterings against their consensus, mean and standard deviation (Fig. 8)", ("fig8",),
                "NMI/max", ("", "true"), kind="dots"),
        Drawing("size", "NMI by ensemble size (Figs. 4 and 10)", ("fig10",), "NMI/max", key="M", x=_SIZE),
        Drawing("time", "Time by number of objects, KDD99-10P (Fig. 11)", ("fig11",), "seconds", key="n", x=_OBJECTS,
                log="xy", note=_SHARED),
    ),
)  # fmt: skip

_WEIGHTED = {"default": "weighted", "weighted=no": "not weighted"}
_METRICS = (
    "The text of the paper gives means over its 30 data sets for MDEC-HC: .675 with diversified metrics, .510 with "
    "cosine, .482 with correlation, .413 with Spearman."
)
_MDEC = Page(
    "002",
    "Huang, Wang, Lai & Kwoh: Toward multidiversified ensemble clustering of high-dimensional data: from subspaces to "
    "metrics and beyond, IEEE Trans. Cybernetics 52(11), 2022",
    "10.1109/TCYB.2021.3049633",
    own=("MDEC-HC", "MDEC-SC", "MDEC-BG"),
    tolerance=0.03,
    protocol=(
        "A run generates M=100 base clusterings from the features; for MDEC each has its own random kernel and a "
        "random half of the features (tau=0.5), and MDEC-HC, MDEC-SC and MDEC-BG combine the same ones. NMI is "
        "divided by the larger entropy (NMI/max); k is the number of classes. The published figures are "
        "percentages, divided by 100 here. The paper does not say that the other methods have M=100; it is "
        "assumed."
    ),
    tests=(
        "The paper has no test; it prints average ranks and how often a method is among the best three of 30 data "
        "sets. The t-test is our addition."
    ),
    leaders={
        "III": Leaders(3, 30, {"MDEC-HC": 26, "MDEC-SC": 27, "MDEC-BG": 25, "SPCE": 7}),
        "IV": Leaders(3, 30, {"MDEC-HC": 28, "MDEC-SC": 25, "MDEC-BG": 25}),
    },
    drawings=(
        Drawing("size_nmi", "NMI by ensemble size (Figs. 2 and 4)", ("fig2",), "NMI/max", key="M", x=_SIZE, across=5),
        Drawing("size_ari", "ARI by ensemble size (Figs. 3 and 4)", ("fig3",), "ARI", key="M", x=_SIZE, across=5),
        Drawing("metric", "NMI by metric (Fig. 5)", ("fig5",), "NMI/max", key="metric",
                kind="dots", absent="diversified", note=_METRICS),
        Drawing("tau_nmi", "NMI by sampling ratio (Fig. 6)", ("fig6",), "NMI/max", key="tau",
                kind="methods", x=_TAU, names=_WEIGHTED),
        Drawing("tau_ari", "ARI by sampling ratio (Fig. 7)", ("fig7",), "ARI", key="tau",
                kind="methods", x=_TAU, names=_WEIGHTED),
    ),
)  # fmt: skip

_SCHEMES = tuple(f"lam={lam};rho={rho};solver=published" for lam in ("0.1", "1", "10") for rho in ("2.3", "3.5"))
_DLWECDL = Page(
    "003",
    "Xu, Wu, Li & Nan: Divergence-based locally weighted ensemble clustering with dictionary learning and L2,1-norm, "
    "Entropy 24(10), 2022",
    "10.3390/e24101324",
    own=("DLWECDL", "ELWECDL"),
    tolerance=0.03,
    protocol=(
        "A run draws M=20 base clusterings from a published pool (of the LWEC, PTA or DREC authors), without "
        "replacement; every method combines the same draw; k is the number of classes. NMI is divided by the "
        "larger entropy (NMI/max), which the published figures follow. The paper chooses theta of DLWECDL and "
        "ELWECDL by the true classes. *By truth* does the same, with the best theta of every draw, and is a "
        "ceiling rather than a result; *by agreement* takes the theta whose labels agree most with the base "
        "clusterings, and *theta=1* is the default: what a user can have. The paper's LWEA and LWGP figures are "
        "those of paper 000 (M=10), not runs with M=20."
    ),
    parts=("DLWEC",),
    tests="The paper has no test; it counts how often a method is best or second best. The t-test is our addition.",
    not_contested=("theta by agreement", *_SCHEMES),
    leaders={
        "3": Leaders(2, 20, {"DLWECDL": 16, "ELWECDL": 8, "SPCE": 8, "TRCE": 3, "MCLA": 0}),
        "4": Leaders(2, 20, {"DLWECDL": 17, "ELWECDL": 9, "MCLA": 0, "TRCE": 0}),
    },
    drawings=(
        Drawing("theta", "NMI by theta (the sweep behind Fig. 6)", ("fig6",), "NMI/max", key="theta", x="theta"),
        Drawing("best_theta", "How often a theta was the best of its draw, by NMI (Fig. 6)", ("fig6",), "NMI/max",
                key="theta", x="theta", kind="counts"),
        Drawing("error", "Error, mean and standard deviation of the runs (Fig. 5)", ("fig5",), "error_percent",
                kind="dots", y="error (%)"),
    ),
)  # fmt: skip

_LAC = Page(
    "004",
    "Al-Razgan & Domeniconi: Weighted clustering ensembles, SIAM Data Mining 2006",
    "10.1137/1.9781611972764.23",
    own=("WSPA", "WBPA"),
    tolerance=0.03,
    protocol=(
        "A run clusters the features by LAC with several values of 1/h, and the ensembles combine the "
        "clusterings; k is the number of classes. NMI is divided by the square root of the product of the "
        "entropies (NMI/sqrt), as the paper prints it. The paper prints neither its values of 1/h nor whether "
        "features were scaled. Two-Gaussian has the printed parameters; Three-Gaussian is only drawn in the "
        "paper. The subsamples of WDBC and Breast are not published, so ours are others. *LAC-max*, *LAC-min* and "
        "*LAC-avg* are the largest, smallest and mean value of the single LAC clusterings; the largest error is "
        "the worst."
    ),
    parts=("LAC", "LAC-max", "LAC-min", "LAC-avg"),
    tests="The paper has no test and one run per data set. The t-test is our addition.",
    drawings=tuple(
        Drawing(f"error_{kind}", f"Error of LAC by 1/h, and of the ensembles; {kind} features (Figs. 5, 10-16)",
                ("fig5", "fig10", "fig11", "fig12", "fig13", "fig15", "fig16"), "error_percent", key="inverse_h",
                fixed={"features": kind}, absent="", x="1/h", y="error (%)")
        for kind in ("standardised", "raw")
    ),
    merged=("3", "4", "5", "6", "7", "8", "9", "10"),
)  # fmt: skip

PAGES = {
    page.number: replace(page, reasons=REASONS[page.number], compared=COMPARED[page.number])
    for page in (_LWEC, _PTA, _MDEC, _DLWECDL, _LAC)
}
