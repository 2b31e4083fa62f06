"""The comparison pages: colours, errors, tests, ranks, what is missing, and that they come out the same every time."""

import csv
import math
import re
from pathlib import Path

import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
HEADER = "paper,table,dataset,set,method,metric,k_rule,param,mean,std,source_note\n"
VERSIONS = "consensa=0;source=abc;numpy=2"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


def result_row(method, value, run, *, dataset="VS", table="V", setting="", k_rule="true", metric="NMI/max"):
    from studies.reproduce.schema import COLUMNS

    given = ("000", table, dataset, method, setting, k_rule, metric, run, 0, value, 4, 100, 50, 0.1, "M=10", VERSIONS)
    return {name: str(entry) for name, entry in zip(COLUMNS, given, strict=True)}


LWEA = [0.50, 0.52, 0.54, 0.56]
EAC = [0.40, 0.43, 0.43, 0.46]
KCC = [0.52, 0.51, 0.55, 0.55]


@pytest.fixture
def rows():
    found = []
    for dataset, shift in (("VS", 0.0), ("MF", 0.2)):
        for run in range(4):
            found += [
                result_row("LWEA", LWEA[run] + shift, run, dataset=dataset, setting="theta=0.4"),
                result_row("EAC", EAC[run] + shift, run, dataset=dataset),
                result_row("KCC", KCC[run] + shift, run, dataset=dataset),
                result_row("base clusterings", 0.3 + shift, run, dataset=dataset, k_rule=""),
            ]
            for theta in ("0.1", "0.4", "1"):
                value = LWEA[run] + float(theta) / 50
                found.append(
                    result_row(
                        "LWEA", value, run, dataset=dataset, table="III", setting=f"theta={theta}", k_rule="best"
                    )
                )
    return found


@pytest.fixture
def data_dir(tmp_path):
    figures = [
        "000,V,VS,VS,LWEA,NMI,true,theta=0.4;M=10,0.52,0.02,read",
        "000,V,MF,MF,LWEA,NMI,true,theta=0.4;M=10,0.60,0.02,read",
        "000,V,VS,VS,EAC,NMI,true,M=10,0.46,0.02,read",
        "000,V,MF,MF,EAC,NMI,true,M=10,0.90,0.02,read",
        "000,V,VS,VS,KCC,NMI,true,M=10,0.10,0.02,read; doubt: a slip",
        "000,V,MF,MF,KCC,NMI,true,M=10,0.72,0.02,read",
        "000,V,MF,MF,TOME,NMI,true,M=10,0.70,0.02,read",
        "000,V,Texture,,LWEA,NMI,true,theta=0.4;M=10,0.70,0.02,read",
        "000,V,USPS,USPS,LWEA,NMI,true,theta=0.4;M=10,0.70,0.02,read",
        "000,III,VS,VS,LWEA,NMI,,theta=0.1;M=10,0.53,,read",
    ]
    (tmp_path / "published.csv").write_text(HEADER + "\n".join(figures) + "\n")
    (tmp_path / "pools").mkdir()
    return tmp_path


@pytest.fixture
def sections(rows, data_dir):
    from studies.evidence.collect import collect
    from studies.reproduce.papers import get_paper

    return {section.name: section for section in collect(get_paper("000"), rows, data_dir, 0.02)}


def write_results(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "paper000.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return folder


@pytest.mark.parametrize(
    ("difference", "error", "level"),
    [
        (0.0, 0.01, "near"),
        (0.02, 0.001, "near"),
        (0.021, 0.001, "above"),
        (0.03, 0.02, "near"),  # above, but within two standard errors
        (-0.02, 0.001, "near"),
        (-0.021, 0.001, "below"),
        (-0.04, 0.001, "below"),
        (-0.041, 0.001, "far"),
        (-0.08, 0.05, "below"),
        (-0.5, math.nan, "far"),
    ],
)
def test_levels_of_agreement(difference, error, level):
    from studies.statistics import agreement

    assert agreement(difference, error, 0.02) == level


def test_too_many_is_as_far_off_as_too_few():
    from studies.statistics import agreement

    assert agreement(0.5, 0.0, 0.1, both_sides=True) == agreement(-0.5, 0.0, 0.1, both_sides=True) == "far"
    assert agreement(0.5, 0.3, 0.1, both_sides=True) == "near"  # within two standard errors
    assert agreement(0.5, 0.2, 0.1, both_sides=True) == "below"


def test_less_error_is_better_and_counts_are_relative():
    from studies.evidence.cells import compare
    from studies.reproduce.published import PublishedCell

    def level(metric, ours, printed):
        cell = PublishedCell("d", "m", "", "", metric, printed, None, doubt=False)
        found = compare({("d", "m", ""): {(0, 0): ours}}, {("d", "m", ""): cell}, metric, 0.02)
        return found["d", "m", ""].level

    assert level("error_percent", 10.0, 20.0) == "above"
    assert level("error_percent", 30.0, 20.0) == "far"
    assert level("n_links", 1050.0, 1000.0) == "near"
    assert level("n_links", 1150.0, 1000.0) == level("n_links", 850.0, 1000.0) == "below"
    assert level("seconds", 1.0, 1000.0) == ""


def test_cells_of_a_table(sections):
    (comparison,) = sections["V"].comparisons
    cell = comparison.cells["VS", "LWEA", "theta=0.4"]
    assert cell.ours.mean == pytest.approx(0.53)
    assert cell.ours.error == pytest.approx(stats.sem(LWEA))
    assert cell.difference == pytest.approx(0.01)
    levels = {place[:2]: cell.level for place, cell in comparison.cells.items()}
    assert levels["VS", "LWEA"] == "near"
    assert levels["MF", "LWEA"] == "above"
    assert levels["VS", "EAC"] == "below"
    assert levels["MF", "EAC"] == "far"
    assert levels["VS", "KCC"] == ""  # doubtful
    assert comparison.levels() == {"above": 1, "near": 2, "below": 1, "far": 1}


def test_contests_are_paired_t_tests(sections):
    from studies.evidence.contests import contest_counts, entrants, printed_counts
    from studies.evidence.markdown import column_names

    (comparison,) = sections["V"].comparisons
    found = entrants([comparison], column_names(comparison))
    assert stats.ttest_rel(LWEA, EAC).pvalue < 0.05
    assert contest_counts(found["LWEA"], found["EAC"]) == (2, 0, 0)
    assert contest_counts(found["EAC"], found["LWEA"]) == (0, 0, 2)
    assert stats.ttest_rel(LWEA, KCC).pvalue > 0.05
    assert contest_counts(found["LWEA"], found["KCC"]) == (0, 2, 0)
    better, worse = stats.ttest_ind_from_stats(0.52, 0.02, 100, 0.46, 0.02, 100), (0.60, 0.90)
    assert better.pvalue < 0.05
    assert worse[0] < worse[1]
    assert printed_counts(found["LWEA"], found["EAC"]) == (1, 0, 1)


def test_contests_need_three_runs(rows, data_dir):
    from studies.evidence.collect import collect
    from studies.evidence.contests import contest_counts, entrants, printed_counts
    from studies.evidence.markdown import column_names
    from studies.reproduce.papers import get_paper

    few = [row for row in rows if row["dataset"] == "VS" or row["run"] in ("0", "1")]
    section = next(each for each in collect(get_paper("000"), few, data_dir, 0.02) if each.name == "V")
    found = entrants(section.comparisons, column_names(section.comparisons[0]))
    assert contest_counts(found["LWEA"], found["EAC"]) == (1, 0, 0)
    assert printed_counts(found["LWEA"], found["EAC"]) == (1, 0, 0)


def test_contests_without_a_difference_or_a_spread():
    from studies.statistics import paired_contest

    runs = {0: 0.5, 1: 0.7}
    assert paired_contest(runs, runs) == 0
    assert paired_contest({0: 0.6, 1: 0.8}, runs) == 1
    assert paired_contest({0: 0.6}, runs) == 0
    assert paired_contest({5: 0.9, 6: 0.95}, runs) == 0  # no run in common


def test_ranks_of_the_same_cells(sections):
    from studies.evidence.contests import entrants, rank_table
    from studies.evidence.markdown import column_names

    (comparison,) = sections["V"].comparisons
    table, said = rank_table(entrants([comparison], column_names(comparison)), {})
    assert "the 1 cells" in said  # the doubtful figure costs VS
    lines = [line.split("|")[1:4] for line in table.splitlines()[2:]]
    ranks = {name.strip(): (float(ours), float(theirs)) for name, ours, theirs in lines}
    assert ranks == {"KCC": (1.0, 2.0), "LWEA": (2.0, 3.0), "EAC": (3.0, 1.0)}


def test_means_are_compared_on_shared_runs(rows, data_dir):
    from studies.evidence.collect import collect
    from studies.evidence.contests import better_means, entrants, rank_table
    from studies.evidence.markdown import column_names
    from studies.reproduce.papers import get_paper

    kept = [row for row in rows if row["method"] != "KCC" or row["run"] == "0"]  # where KCC is better than LWEA
    section = next(each for each in collect(get_paper("000"), kept, data_dir, 0.02) if each.name == "V")
    found = entrants(section.comparisons, column_names(section.comparisons[0]))
    assert better_means(found["KCC"], found["LWEA"]) == "2 of 2"
    assert found["KCC"].ours()["MF, true"] < found["LWEA"].ours()["MF, true"]
    assert rank_table(found, {})[0].splitlines()[2].startswith("| KCC | 1.00 | 2.00 |")


def test_leaders_share_the_last_place():
    from studies.statistics import leaders

    figures = {"a": {"x": 0.9, "y": 0.1}, "b": {"x": 0.5, "y": 0.3}, "c": {"x": 0.5, "y": 0.2}}
    assert leaders(figures, ["a", "b", "c"], ["x", "y"], 2) == {"a": 1, "b": 2, "c": 2}


def test_rare_methods_do_not_cost_the_others_their_cells():
    from studies.statistics import common_cells

    full = {name: dict.fromkeys("wxyz", 0.5) for name in "ab"}
    methods, cells = common_cells([full | {"rare": {"w": 0.5}}, full | {"rare": {"w": 0.5}}])
    assert (methods, cells) == (["a", "b"], list("wxyz"))


def test_what_is_missing(sections):
    from studies.evidence.collect import missing_methods, missing_sets

    assert missing_sets(sections["V"]) == {"Texture": "no pool", "USPS": "not run", "IS": "no pool"}
    assert missing_methods(sections["V"]) == ["TOME"]
    assert sections["V"].doubts == ("KCC on VS, true k",)


def test_page_shows_all_that_was_asked(rows, data_dir):
    from studies.evidence.papers import PAGES
    from studies.evidence.write import write_page

    out = data_dir / "out"
    (out / "data").mkdir(parents=True)
    write_page(PAGES["000"], rows, data_dir, out)
    text = (out / "paper000.md").read_text().replace("\u00a0", " ")
    assert "Runs per cell: 4 (published: 100)." in text
    assert "🟩 .530 (.520)<br>+.010 ±.013" in text
    assert "🟦 .730 (.600)<br>+.130 ±.013" in text
    assert "🟥 .630 (.900)<br>-.270 ±.012" in text
    assert re.search(r"⬜ \.53\d \(\.100\?\)", text)
    assert "No runs on Texture (no pool), USPS (not run), IS (no pool). No runs of TOME." in text
    assert "KCC on VS, true k" in text
    assert "| against EAC | 2/0/0 | 2 of 2 | 1/0/1 | 29/1/0 |" in text
    assert "Made by: consensa 0; source abc; numpy 2 " in text
    assert "Caution" not in text
    assert "![NMI by theta (Tables III and IV)](paper000_theta.svg)\n\nRuns per mark: 4." in text
    for name in ("paper000_theta.svg", "paper000_base.svg"):
        assert "<svg" in (out / name).read_text()
    details = list(csv.DictReader((out / "data" / "000_V.csv").read_text().splitlines()))
    first = next(row for row in details if (row["dataset"], row["method"]) == ("VS", "LWEA"))
    assert (first["published"], first["runs"], first["agreement"]) == ("0.52", "4", "near")
    assert float(first["standard_error"]) == pytest.approx(stats.sem(LWEA), rel=1e-5)


def test_other_states_of_the_source_are_told(rows, data_dir):
    from studies.evidence.papers import PAGES
    from studies.evidence.write import write_page

    (data_dir / "data").mkdir()
    rows[0] = rows[0] | {"versions": VERSIONS.replace("abc", "abd")}
    write_page(PAGES["000"], rows, data_dir, data_dir)
    text = (data_dir / "paper000.md").read_text()
    assert "source abc, abd; numpy 2 " in text
    assert "Caution: these runs were made by different states" in text


def test_pages_are_the_same_every_time(rows, data_dir):
    from studies.evidence.write import write_pages

    results = write_results(data_dir / "results", rows)
    once, again = data_dir / "once", data_dir / "again"
    write_pages(data_dir, results, once)
    write_results(results, list(reversed(rows)))
    write_pages(data_dir, results, again)
    write_pages(data_dir, results, again)  # over its own pages
    names = sorted(str(path.relative_to(once)) for path in once.rglob("*.*"))
    assert names == sorted(str(path.relative_to(again)) for path in again.rglob("*.*"))
    assert {"README.md", "paper000.md", "paper004.md", "paper000_theta.svg", "data/000_V.csv"} <= set(names)
    for name in names:
        assert (once / name).read_bytes() == (again / name).read_bytes(), name


def test_overview_adds_up_the_levels(rows, data_dir):
    from studies.evidence.write import write_pages

    write_pages(data_dir, write_results(data_dir / "results", rows), data_dir / "out")
    text = (data_dir / "out" / "README.md").read_text()
    assert "All 6 comparisons" in text
    assert "| [000](paper000.md) | Table V |" in text
    assert "2 of 4 | 3 of 4 | 4 | 5 | 1 | 2 | 1 | 1 |" in text
    assert "(speed.md)" in text
    assert "(default.md)" in text


def test_best_counts_and_mean_curve(sections):
    from studies.evidence.drawings import best_counts, shared_means, sweep

    found = sweep(sections["III"].comparisons, "theta")
    assert best_counts(found) == {"LWEA": {"0.1": 0, "0.4": 0, "1": 8}}
    places = {"0.1": 0.0, "0.4": 1.0, "1": 2.0}
    n_sets, means = shared_means(found, places)
    value, error = means["LWEA"].points[2.0]
    assert n_sets == 2
    assert value == pytest.approx(0.55)
    assert error == pytest.approx(stats.sem(LWEA) / math.sqrt(2))
    assert means["LWEA"].printed == {}  # published on one of two data sets only
    del found["LWEA"]["MF"]["0.4"]
    assert shared_means(found, places)[0] == 1


def test_levels_and_named_places_of_settings_without_the_key(sections):
    from studies.evidence.drawings import sweep

    comparisons = [*sections["III"].comparisons, *sections["V"].comparisons]
    assert set(sweep(comparisons, "theta")) == {"LWEA"}
    assert sweep(comparisons, "theta", absent="none")["EAC"]["VS"].keys() == {"none"}
    assert sweep(comparisons, "theta", {"theta": "0.4"})["LWEA"]["VS"].keys() == {"0.4"}


def test_command(rows, data_dir, capsys):
    from studies.__main__ import main

    results = write_results(data_dir / "results", rows)
    request = ["evidence", "--data-dir", str(data_dir), "--output", str(data_dir / "out"), "--results"]
    assert main([*request, str(results)]) == 0
    assert str(data_dir / "out" / "README.md") in capsys.readouterr().out
    assert "There are no runs of this paper yet." in (data_dir / "out" / "paper001.md").read_text()
    assert main([*request, str(data_dir / "nowhere")]) == 2
    assert "holds no paper<P>.csv" in capsys.readouterr().err
    (results / "paper000.csv").write_text("dataset,score\nVS,1\n")
    assert main([*request, str(results)]) == 2
    assert "no column 'paper'" in capsys.readouterr().err
