"""docs/evidence/rivals.md: other packages beside consensa, only what was measured."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from bench.markdown import markdown_table
from bench.speed.page import brief
from bench.speed.run import predicted_seconds
from studies.rivals.run import ON_FEATURES, ON_LABELS, PACKAGES, SIZES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, str]

__all__ = ["front_table", "rivals_page"]

NAMES = {"ensembleclustering": "ClusterEnsembles", "openensembles": "OpenEnsembles"}
SAME = {"cspa": "CSPA", "hgpa": "HGPA", "mcla": "MCLA", "hbgf": "HBGF", "nmf": "NMF"}
TWINS = {"linkage": "eac", "consensus matrix": "subsample+eac", "km": "subsample+eac"}
_TELLING = 0.05  # processor seconds below which a ratio says little
_INPUTS = ("missing (NaN)", "strings", "gaps and negative")

_TEXT = """\
# Beside other packages

{front}

"-" means that the package has no such way in (it takes features, not clusterings) or that it was not measured. Written
by `python -m studies rivals`; every run is a row of [rivals.csv](rivals.csv).

## What was done

- Everything ran on one thread with {memory} of address space; time is processor time without imports and, for consensa,
  after a warm-up that takes the compilation out. Memory is the peak beyond that before the call. Every run of another
  package is a process of its own (but for the odd input); consensa's methods share one per case, so their memory under
  "Agreement with the truth" is a lower bound. The rows of consensa under "Growth" that the [speed page](speed.md) has
  come from there: the same ensembles, a process for each. Other work ran on the machine.
- *Truth*: `digits` are 20 k-means clusterings (k from 10 to 30) of scikit-learn's digits; Semeion and MF are 10 members
  each of published pools of base clusterings. One draw each and one seed, so small differences mean nothing. NMI is
  divided by the geometric mean of the entropies; ANMI is the mean NMI with the base clusterings, which needs no truth.
- *Growth*: made-up ensembles as on the [speed page](speed.md), 20 clusters; a size was tried only if the growth so far
  predicted at most the limit ({limit:g} processor seconds, 10 or 20 in the rows from the speed page), and while there
  was time. On features: 10 clusters, 50 resamples of 80 %.
- Packages: {versions}.
- ClusterEnsembles is not on PyPI under its own name any more; it was installed as `ensembleclustering`, whose
  authors say that the code is unchanged. It pins scikit-learn 1.0 and OpenEnsembles scikit-learn 0.24, so both ran in
  environments of Python 3.8.
- The same name is not always the same procedure: HBGF is cut by METIS in ClusterEnsembles and by a spectral method
  here; HGPA is cut by KaHyPar there, which was faster than ours in every run; NMF there works on the n x n matrix.
- OpenEnsembles takes features and clusters them itself; the label matrices were put into its ensemble by hand. Its
  linkage is cut by a threshold, not by a number of clusters, so its tree was cut by scipy here; its majority vote
  chooses the number of clusters itself. Its mixture model and its graph closure were not measured.
- ConsensusClusterPlus (R) and consensusclustering (Python) resample features themselves, so they ran on the first 500
  digits; on all 1,797 two runs of ConsensusClusterPlus were not finished after 120 processor seconds. It always
  computes all k from 2 up, so its time is that of all of them; consensusclustering gives the consensus matrix, and
  average linkage was added here. Beside them stands our own resampling with EAC (`SubsamplePartitions`).
- Not measured: diceR (CRAN could not be reached from this machine), Cluster_Ensembles 1.16 (asks for Python 2.7 and a
  32-bit binary, by its page), sc3s and pyckmeans (not tried).
- How to read the first table: "best NMI" is the best of nine methods of consensa, of five and of one of the others, on
  one draw, chosen by the truth. "Largest n run" is no contest: time ran out before the other packages were tried beyond
  10,000 objects. The rows of this run were made by several processes side by side and put together; ClusterEnsembles'
  MCLA was left out under "Growth", and OpenEnsembles' majority vote ran on the odd input only.
"""


def rivals_page(rows: Sequence[Row], memory: int) -> str:
    """Return the page as Markdown."""
    text = _TEXT.format(
        front=front_table(rows),
        memory=f"{memory >> 30} GiB",
        limit=statistics.median(float(row["limit"]) for row in rows),
        versions=", ".join(_versions(rows)),
    )
    parts = [text.rstrip(), "## Agreement with the truth", *_truth(rows), "## The same method twice", _same(rows)]
    parts += [
        "## Growth",
        _growth(rows),
        "## Odd input",
        _inputs(rows),
        "## Failures in their own words",
        _failures(rows),
    ]
    return "\n\n".join(parts) + "\n"


def front_table(rows: Sequence[Row]) -> str:
    """The compact table: packages across, what was measured down."""
    packages = [package for package in PACKAGES if any(row["package"] == package for row in rows)]
    lines = [
        ["combines given clusterings", *(_yes(_own(rows, package, "input")) for package in packages)],
        *([f"input: {case}", *(_accepted(rows, package, case) for package in packages)] for case in _INPUTS),
        ["same seed, same labels", *(_repeatable(rows, package) for package in packages)],
    ]
    cases = list(dict.fromkeys(row["case"] for row in rows if row["part"] == "truth"))
    lines += [[f"best NMI, {case}", *(_best(rows, package, case) for package in packages)] for case in cases]
    lines.append(["processor time / ours, same method", *(_times(rows, package) for package in packages)])
    lines.append(["largest n run", *(_largest(rows, package) for package in packages)])
    return markdown_table(["measured", *(_name(package) for package in packages)], lines)


def _name(package: str) -> str:
    return NAMES.get(package, package)


def _own(rows: Sequence[Row], package: str, part: str, **wanted: str) -> list[Row]:
    found = [row for row in rows if row["package"] == package and row["part"] == part and row["status"] == "ok"]
    return [row for row in found if all(row[name] == value for name, value in wanted.items())]


def _yes(found: Sequence[Row]) -> str:
    return "yes" if found else "-"


def _accepted(rows: Sequence[Row], package: str, case: str) -> str:
    tried = [row for row in rows if row["package"] == package and row["part"] == "input" and row["case"] == case]
    ran = [row["method"] for row in tried if row["status"] == "ok"]
    return f"{len(ran)} of {len(tried)} methods" if tried else "-"


def _repeatable(rows: Sequence[Row], package: str) -> str:
    told = [row for row in rows if row["package"] == package and row["repeatable"]]
    same = [row for row in told if row["repeatable"].lower() == "true"]
    return f"{len(same)} of {len(told)} runs" if told else "-"


def _best(rows: Sequence[Row], package: str, case: str) -> str:
    found = _own(rows, package, "truth", case=case)
    if not found:
        return "-"
    best = max(found, key=lambda row: float(row["nmi"]))
    return f"{float(best['nmi']):.3f} ({best['method']})"


def _largest(rows: Sequence[Row], package: str) -> str:
    found = _own(rows, package, "growth")
    if not found:
        return "-"
    best = max(found, key=lambda row: int(row["n_objects"]))
    reached = [row["method"] for row in found if row["n_objects"] == best["n_objects"]]
    return f"{int(best['n_objects']):,} ({', '.join(reached)})"


def _times(rows: Sequence[Row], package: str) -> str:
    """Range of the ratios over all data sets with a truth."""
    ratios = [
        float(row["cpu_seconds"]) / float(ours["cpu_seconds"])
        for row in _own(rows, package, "truth")
        for ours in _own(rows, "consensa", "truth", case=row["case"], method=TWINS.get(row["method"], row["method"]))
    ]
    if package == "consensa" or not ratios:
        return "1" if ratios else "-"
    return f"{brief(min(ratios))} to {brief(max(ratios))}" if len(ratios) > 1 else brief(ratios[0])


def _versions(rows: Sequence[Row]) -> list[str]:
    pairs = dict.fromkeys((_name(row["package"]), row["version"]) for row in rows if row["version"])
    return [" ".join(pair) for pair in pairs]


def _truth(rows: Sequence[Row]) -> list[str]:
    tables = []
    for case in dict.fromkeys(row["case"] for row in rows if row["part"] == "truth"):
        own = [row for row in rows if row["part"] == "truth" and row["case"] == case]
        done = sorted((row for row in own if row["status"] == "ok"), key=lambda row: -float(row["nmi"]))
        unit = max((float(row["cpu_seconds"]) for row in done if row["package"] == "consensa"), default=1.0)
        lines = [
            [
                _name(row["package"]),
                row["method"],
                f"{float(row['nmi']):.3f}",
                f"{float(row['ari']):.3f}",
                f"{float(row['anmi']):.3f}" if row["anmi"] else "-",
                brief(float(row["cpu_seconds"]) / unit),
                f"{max(0.0, float(row['new_mib'])):,.0f}",
            ]
            for row in done
        ]
        lines += [[_name(row["package"]), row["method"], "failed", *4 * ["-"]] for row in own if row["status"] != "ok"]
        size = f"{int(own[0]['n_objects']):,} objects, {own[0]['n_clusters']} clusters"
        heading = ["package", "method", "NMI", "ARI", "ANMI", "time", "new MiB"]
        note = "Time: processor time, that of the slowest of consensa's methods here = 1."
        tables.append(f"### {case} ({size})\n\n{markdown_table(heading, lines, left=2)}\n\n{note}")
    return tables


def _same(rows: Sequence[Row]) -> str:
    """Ours against theirs where the method has the same name or does the same."""
    lines = []
    for row in rows:
        if row["package"] == "consensa" or row["part"] != "truth" or row["status"] != "ok":
            continue
        name = row["method"] if row["method"] in SAME else TWINS.get(row["method"])
        ours = _own(rows, "consensa", "truth", case=row["case"], method=name) if name else []
        if ours:
            pairs = [_pair(ours[0], row, score) for score in ("nmi", "ari", "anmi")]
            ratio = float(row["cpu_seconds"]) / max(float(ours[0]["cpu_seconds"]), 1e-9)
            lines.append([row["case"], name or "", f"{_name(row['package'])} {row['method']}", *pairs, brief(ratio)])
    if not lines:
        return "No method was run in two packages."
    heading = ["data", "ours", "theirs", "NMI ours / theirs", "ARI", "ANMI", "their time / ours"]
    return markdown_table(heading, lines, left=3) + "\n\n" + _wins(rows)


def _pair(ours: Row, theirs: Row, score: str) -> str:
    if not ours[score] or not theirs[score]:
        return "-"
    a, b = float(ours[score]), float(theirs[score])
    texts = [f"{value:.3f}" for value in (a, b)]
    if a != b:
        best = int(b > a)
        texts[best] = f"**{texts[best]}**"
    return " / ".join(texts)


def _wins(rows: Sequence[Row]) -> str:
    """How often each side scores higher on the five methods of the same name."""
    sentences = []
    for score in ("nmi", "ari", "anmi"):
        signs = []
        for row in rows:
            if row["package"] == "ensembleclustering" and row["part"] == "truth" and row["status"] == "ok":
                ours = _own(rows, "consensa", "truth", case=row["case"], method=row["method"])
                signs += [float(each[score]) - float(row[score]) for each in ours]
        higher, lower = sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)
        sentences.append(
            f"{score.upper()}: ours higher in {higher}, theirs in {lower}, equal in {len(signs) - higher - lower}"
        )
    return f"Methods of the same name in ClusterEnsembles, over all data sets: {'; '.join(sentences)}."


def _growth(rows: Sequence[Row]) -> str:
    sizes = sorted({int(row["n_objects"]) for row in rows if row["part"] == "growth"})
    lines = []
    for methods in (ON_LABELS, ON_FEATURES):
        for package, names in methods.items():
            for name in names:
                own = {int(row["n_objects"]): row for row in rows if _is(row, "growth", package, name)}
                if own:
                    cells = [_time(rows, own.get(n), n, package, name) for n in sizes]
                    lines.append([_name(package), name, *cells, _then(list(own.values()))])
    note = (
        "Their processor time / that of consensa's method of the same name or kind ("
        + _pairs()
        + "), and the new memory; "
        f"for consensa's own methods the memory alone. Ratios only where both took {_TELLING:g} s at least."
    )
    return markdown_table(["package", "method", *(f"{n:,}" for n in sizes), "then"], lines, left=2) + "\n\n" + note


def _then(own: Sequence[Row]) -> str:
    """What the next size was predicted to take, in units of the limit."""
    largest = max(int(row["n_objects"]) for row in own)
    larger = [n for n in SIZES if n > largest]
    if any(row["status"] != "ok" for row in own) or not larger:
        return "-"
    times = predicted_seconds(own, larger[0]) / float(own[-1]["limit"])
    return f"{larger[0]:,}: {times:.1f} times the limit" if times >= 1 else f"{larger[0]:,}: no time left"


def _pairs() -> str:
    return ", ".join(f"{theirs}: {ours}" for theirs, ours in TWINS.items())


def _is(row: Row, part: str, package: str, method: str) -> bool:
    return (row["part"], row["package"], row["method"]) == (part, package, method)


def _time(rows: Sequence[Row], row: Row | None, n_objects: int, package: str, name: str) -> str:
    if row is None:
        return "-"
    if row["status"] != "ok":
        return "failed"
    memory = f"{max(0.0, float(row['new_mib'])):,.0f} MiB"
    ours = _own(rows, "consensa", "growth", method=TWINS.get(name, name), n_objects=str(n_objects))
    if package == "consensa" or not ours:
        return memory
    times = float(row["cpu_seconds"]), float(ours[0]["cpu_seconds"])
    return f"{brief(times[0] / times[1])}; {memory}" if min(times) >= _TELLING else f"-; {memory}"


def _inputs(rows: Sequence[Row]) -> str:
    cases = ["integers", *_INPUTS]
    lines = []
    for package, names in ON_LABELS.items():
        for name in names:
            own = {row["case"]: row for row in rows if _is(row, "input", package, name)}
            if own:
                cells = [_input(own.get(case)) for case in cases]
                lines.append([_name(package), name, *cells])
    note = "ARI with the three groups that the labels were made from; `error` where the method gave up."
    return markdown_table(["package", "method", *cases], lines, left=2) + "\n\n" + note


def _input(row: Row | None) -> str:
    if row is None:
        return "-"
    return f"{float(row['ari']):.2f}" if row["status"] == "ok" else "error"


def _failures(rows: Sequence[Row]) -> str:
    lines = [
        f"- {_name(row['package'])} {row['method']}, {row['case']}: `{row['status'].replace('`', '')}`"
        for row in rows
        if row["status"] != "ok"
    ]
    return "\n".join(lines) or "None."
