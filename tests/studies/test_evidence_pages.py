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
        (0.0, 0.01, "agrees"),
        (0.02, 0.001, "agrees"),
        (0.021, 0.001, "better"),
        (0.03, 0.02, "agrees"),  # above, but within two standard errors
        (-0.02, 0.001, "agrees"),
        (-0.021, 0.001, "worse"),
        (-0.08, 0.05, "agrees"),
        (0.5, math.nan, "better"),
        (-0.5, math.nan, "worse"),
    ],
)
def test_levels_of_agreement(difference, error, level):
    from studies.statistics import agreement

    assert agreement(difference, error, 0.02) == level


def test_too_many_is_as_far_off_as_too_few():
    from studies.statistics import agreement

    assert agreement(0.5, 0.0, 0.1, both_sides=True) == agreement(-0.5, 0.0, 0.1, both_sides=True) == "worse"
    assert agreement(0.5, 0.3, 0.1, both_sides=True) == "agrees"  # within two standard errors


def level_of(metric, ours, printed, std=None, paper_runs=1):
    from studies.evidence.cells import compare
    from studies.reproduce.published import PublishedCell

    cell = PublishedCell("d", "m", "", "", metric, printed, std, doubt=False)
    runs = dict(enumerate(ours if isinstance(ours, list) else [ours]))
    found = compare({("d", "m", ""): runs}, {("d", "m", ""): cell}, metric, 0.02, paper_runs)
    return found["d", "m", ""].level


def test_less_error_is_better_and_counts_are_relative():
    assert level_of("error_percent", 10.0, 20.0) == "better"
    assert level_of("error_percent", 30.0, 20.0) == "worse"
    assert level_of("n_links", 1050.0, 1000.0) == "agrees"
    assert level_of("n_links", 1150.0, 1000.0) == level_of("n_links", 850.0, 1000.0) == "worse"
    assert level_of("seconds", 1.0, 1000.0) == ""


def test_the_tolerance_shrinks_with_the_published_figure():
    assert level_of("NMI/max", 0.115, 0.1) == "better"  # a tenth of 0.1
    assert level_of("NMI/max", 0.109, 0.1) == "agrees"
    assert level_of("NMI/max", 0.024, 0.02) == "agrees"  # at least 0.005
    assert level_of("error_percent", 5.5, 3.0) == "worse"  # at least 1
    assert level_of("error_percent", 3.9, 3.0) == "agrees"


def test_cells_that_cannot_fail_do_not_count():
    assert level_of("NMI/max", 0.5, 0.004) == ""
    assert level_of("NMI/max", 0.0, 0.006) == "worse"
    assert level_of("NMI/max", [0.0, 0.4], 0.3) == ""  # so wide an error that 0 would agree
    assert level_of("error_percent", 20.0, 98.0) == ""


def test_the_published_deviation_counts_too():
    near = [0.50, 0.50, 0.51]
    assert level_of("NMI/max", near, 0.55) == "worse"
    assert level_of("NMI/max", near, 0.55, std=0.3, paper_runs=100) == "agrees"
    assert level_of("NMI/max", near[:1], 0.55, std=0.3, paper_runs=100) == "worse"  # one run has no error of its own


def test_true_and_best_k_stand_on_the_same_draws(rows, data_dir):
    from studies.evidence.collect import collect
    from studies.reproduce.papers import get_paper

    best = [result_row("LWEA", 0.58, run, setting="theta=0.4", k_rule="best") for run in (0, 3)]
    section = next(each for each in collect(get_paper("000"), rows + best, data_dir, 0.02) if each.name == "V")
    found = {each.k_rule: each.cells for each in section.comparisons}
    assert found["true"]["VS", "LWEA", "theta=0.4"].ours.mean == pytest.approx((LWEA[0] + LWEA[3]) / 2)
    assert found["true"]["MF", "LWEA", "theta=0.4"].ours.runs == 4  # without any draw at best k
    assert found["best"]["VS", "LWEA", "theta=0.4"].ours.runs == 2


def test_every_place_in_the_inventory_is_there():
    from importlib import import_module

    from studies.evidence.inventory import INVENTORY

    assert sorted(INVENTORY) == ["000", "001", "002", "003", "004"]
    for number, rows in INVENTORY.items():
        for row in rows:
            assert len(row) == 4, (number, row)
            for name in re.findall(r"`((?:consensa|studies)[.\w]*)`", row[2]):
                module, _, last = name.rpartition(".")
                try:
                    import_module(name)
                except ModuleNotFoundError:
                    assert hasattr(import_module(module), last), name
            verdict = row[3]
            known = (
                "agrees",
                "differs because",
                "missing because",
                "below",
                "a picture",
                "pictures",
                "there",
                "the words",
            )
            assert verdict.startswith(known) or "missing because" in verdict or "of 10" in verdict or "of 30" in verdict


def test_worse_cells_of_own_methods_are_explained(rows, data_dir):
    from dataclasses import replace

    from studies.evidence.collect import collect
    from studies.evidence.papers import PAGES
    from studies.evidence.reasons import Reason
    from studies.evidence.worse import compared_table, worse_table
    from studies.reproduce.papers import get_paper

    for row in rows:
        if (row["method"], row["dataset"], row["table"]) == ("LWEA", "VS", "V"):
            row["value"] = "0.3"
    page = replace(PAGES["000"], reasons=(Reason("another pool", ("V",), ("MF",)),))
    sections = collect(get_paper("000"), rows, data_dir, 0.02)
    table = worse_table(page, sections).splitlines()
    assert table[2:] == [
        "| Table V | VS | LWEA | theta=0.4 | true | NMI/max | .520 | .300 | .000 | 4 | not explained |"
    ]
    known = replace(page, reasons=(Reason("too few draws", ("V",), ("VS",), ("LWEA",), "theta=0.4"),))
    assert worse_table(known, sections).endswith("| too few draws |")
    told = replace(page, compared={"EAC": "ties"})
    assert compared_table(told, sections).splitlines()[2:] == ["| EAC | 2 | 2 | 0 | ties |"]
    assert compared_table(replace(page, compared={}), sections).endswith("| not explained |")


def test_cells_of_a_table(sections):
    (comparison,) = sections["V"].comparisons
    cell = comparison.cells["VS", "LWEA", "theta=0.4"]
    assert cell.ours.mean == pytest.approx(0.53)
    assert cell.ours.error == pytest.approx(stats.sem(LWEA))
    assert cell.difference == pytest.approx(0.01)
    levels = {place[:2]: cell.level for place, cell in comparison.cells.items()}
    assert levels["VS", "LWEA"] == "agrees"
    assert levels["MF", "LWEA"] == "better"
    assert levels["VS", "EAC"] == "worse"
    assert levels["MF", "EAC"] == "worse"
    assert levels["VS", "KCC"] == ""  # doubtful
    assert comparison.levels() == {"better": 1, "agrees": 2, "worse": 2}


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
    assert "Of the worse cells 0 concern the paper's own methods, graphs and examples, 2 the methods that it" in text
    assert "Made by: consensa 0; source abc; numpy 2 " in text
    assert "Caution" not in text
    assert "![NMI by theta (Tables III and IV)](paper000_theta.svg)\n\nRuns per mark: 4." in text
    for name in ("paper000_theta.svg", "paper000_base.svg"):
        assert "<svg" in (out / name).read_text()
    details = list(csv.DictReader((out / "data" / "000_V.csv").read_text().splitlines()))
    first = next(row for row in details if (row["dataset"], row["method"]) == ("VS", "LWEA"))
    assert (first["published"], first["runs"], first["agreement"]) == ("0.52", "4", "agrees")
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
    assert "*earlier*" not in text
    rows[0] = rows[0] | {"versions": "consensa=earlier"}
    write_page(PAGES["000"], rows, data_dir, data_dir)
    text = (data_dir / "paper000.md").read_text()
    assert "Made by: consensa 0, earlier; source abc; numpy 2 " in text
    assert "Of some first draws the versions were not kept (*earlier*)." in text


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
    assert "2 of 5 | 3 of 4 | 4 | 5 | 1 | 2 | 2 |" in text
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
    assert main([*request, str(data_dir / "nowhere")]) == 0  # the draws are kept beside the pages
    request[4] = str(data_dir / "other")
    assert main([*request, str(data_dir / "nowhere")]) == 2
    assert "holds no paper<P>.csv" in capsys.readouterr().err
    (results / "paper000.csv").write_text("dataset,score\nVS,1\n")
    assert main([*request, str(results)]) == 2
    assert "no column 'paper'" in capsys.readouterr().err


def test_draws_are_kept_beside_the_pages(rows, data_dir):
    from studies.evidence.write import write_pages
    from studies.reproduce.draws import figure_key, read_draws

    once, again = data_dir / "once", data_dir / "again"
    write_pages(data_dir, write_results(data_dir / "results", rows), once)
    kept = read_draws(once / "draws", "000")
    assert {figure_key(row): row["value"] for row in kept} == {figure_key(row): row["value"] for row in rows}
    assert {(row["parameters"], row["versions"]) for row in kept} == {("M=10", VERSIONS)}
    more = [{**row, "run": "4", "value": "0.9"} for row in rows if row["run"] == "3"]
    write_pages(data_dir, write_results(data_dir / "results", more), once)
    write_pages(data_dir, write_results(data_dir / "results", rows + more), again)
    for path in sorted(again.rglob("*.*")):
        assert path.read_bytes() == (once / path.relative_to(again)).read_bytes(), path


def test_earlier_means_stand_until_they_are_drawn_again(rows, data_dir):
    from studies.evidence.write import write_pages

    draws = data_dir / "out" / "draws"
    draws.mkdir(parents=True)
    header = "paper,table,dataset,method,setting,k_rule,metric,mean,sd,runs\n"
    drawn = "000,V,VS,EAC,,true,NMI/max,0.9,0.1,4\n"
    best = "000,V,MF,LWEA,theta=0.4,best,NMI/max,0.75,0.1,20\n000,V,MF,LWEA,theta=0.4,true,NMI/max,0.61,,1\n"
    tome = "000,V,MF,TOME,,true,NMI/max,0.69,0.01,5\n"
    (draws / "earlier.csv").write_text(header + drawn + best + tome)
    write_pages(data_dir, write_results(data_dir / "results", rows), data_dir / "out")
    text = (data_dir / "out" / "paper000.md").read_text().replace("\u00a0", " ")
    assert "🟩 .690° (.700)<br>-.010 ±.004" in text
    assert "🟩 .610° (.600)<br>+.010" in text  # best k has no draws, so that true k stays with it
    assert ".900°" not in text
    assert "marked °, are means of earlier runs" in text
    assert sorted((draws / "earlier.csv").read_text().splitlines()[1:]) == sorted((best + tome).splitlines())
    details = list(csv.DictReader((data_dir / "out" / "data" / "000_V.csv").read_text().splitlines()))
    assert {row["method"]: row["draws"] for row in details if row["dataset"] == "MF"} == {
        "LWEA": "", "TOME": "", "EAC": "kept", "KCC": "kept",
    }  # fmt: skip


def worse_cells():
    """Every worse cell on the pages: number, table, row of its data and what is said of it."""
    from studies.evidence.papers import PAGES

    for path in sorted((ROOT / "docs" / "evidence" / "data").glob("*.csv")):
        number, _, table = path.stem.partition("_")
        page = PAGES[number]
        for row in csv.DictReader(path.read_text().splitlines()):
            if row["agreement"] == "worse":
                own = page.is_own(row["method"])
                why = page.reason(table, row["dataset"], row["method"], row["setting"], int(row["runs"]))
                yield number, table, row, why if own else page.compared.get(row["method"], ""), own


def test_every_worse_cell_on_the_pages_is_explained_or_said_not_to_be():
    """Of a paper's own systems: explained, or "not explained" with what was tried behind it."""
    bare = set()
    for number, table, row, why, own in worse_cells():
        told = why.startswith("explained") or re.search("not explained.{20}", why)
        if not (told if own else why not in ("", "not explained")):
            bare.add((number, table, row["dataset"], row["method"], row["setting"], why))
    assert not bare


def test_what_theta_explains_is_not_worse_with_the_theta_of_the_truth():
    cells = [(table, row, why) for number, table, row, why, own in worse_cells() if number == "003" and own]
    worse = {(table, row["dataset"], row["method"], row["setting"]) for table, row, _ in cells}
    explained = [
        (table, row["dataset"], row["method"])
        for table, row, why in cells
        if "theta is not chosen by the truth" in why and why.startswith("explained:") and row["setting"]
    ]
    assert explained
    assert not {place for place in explained if (*place, "") in worse}


def test_best_k_is_nowhere_below_true_k_on_the_pages():
    for path in sorted((ROOT / "docs" / "evidence" / "data").glob("*.csv")):
        rules = {"true": {}, "best": {}}
        for row in csv.DictReader(path.read_text().splitlines()):
            place = row["dataset"], row["method"], row["setting"], row["metric"]
            rules.setdefault(row["k_rule"], {})[place] = float(row["mean"])
        below = {place for place, best in rules["best"].items() if best < rules["true"].get(place, best) - 1e-6}
        assert not below, path.name


@pytest.mark.slow
def test_the_pages_are_what_the_kept_draws_give(shared_data, tmp_path):
    import shutil

    from bench.data import find_data_dir
    from studies.evidence.write import write_pages

    pages = ROOT / "docs" / "evidence"
    shutil.copytree(pages / "draws", tmp_path / "draws")
    write_pages(find_data_dir(str(shared_data)), tmp_path / "nowhere", tmp_path)
    for path in (*tmp_path.glob("*.md"), *tmp_path.glob("data/*.csv"), *tmp_path.glob("draws/*.csv")):
        assert path.read_text() == (pages / path.relative_to(tmp_path)).read_text(), path.name
