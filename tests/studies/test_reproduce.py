"""Every paper's declaration runs, resumes and is compared, on a made-up data directory."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from studies.__main__ import main
from studies.reproduce import COLUMNS, runner
from studies.reproduce.papers import PAPERS, get_paper
from studies.reproduce.published import match, published_cells
from studies.reproduce.theta import choose_theta

HEADER = "paper,table,dataset,set,method,metric,k_rule,param,mean,std,source_note"
FIGURES = """
000,V,VS,,LWEA,NMI,true,theta=0.4;M=10,0.9,0.01,read
000,V,VS,,LWEA,NMI,best,theta=0.4;M=10,2.0,,doubt: slip
000,V,SPF,,LWEA,NMI,true,theta=0.4;M=10,0.1,,read
000,VII,VS,,EAC,ARI,true,M=10,0.1,,read
000,III,VS,,LWEA,NMI,,theta=1;M=10,0.5,,read
001,7,MF,,PTA,NMI,,K=2;T=10;M=10,0.5,,read
001,6,MF,,K-ENG,ratio_links_percent,,K=1;M=10,2.4,,read
001,9,MF,,PTA-CL,NMI,true,K=T=floor(sqrt(n_microclusters)/2);M=10,0.5,,read
002,III,Chowdary-2006,,MDEC-HC,NMI,true,tau=0.5;M=100,0.9,,read
002,IV,Chowdary-2006,,MDEC-HC,ARI,true,tau=0.5;M=100,0.8,,read
002,III,Chowdary-2006,,KCC,NMI,true,M=100,,,printed OM
003,3,Wine,,DLWECDL,NMI,true,M=20,0.5,,read
004,5,Iris,Iris,WSPA,NMI,true,,0.744,,read
004,6,WDBC,,WSPA,NMI,true,,0.344,,read
004,7,Breast,,WSPA,NMI,true,,0.344,,read
004,9,"Letter(A,B)",,WSPA,NMI,true,,0.344,,read
004,10,SatImage,,WSPA,NMI,true,,0.344,,read
004,5,Iris,Iris,WSPA,error_percent,true,,10.0,,read
"""
METRICS = ("cosine", "correlation", "spearman")
CHEAP = {
    "000": ["--table", "V", "--methods", "LWEA", "EAC", "TOME", "base clusterings", "--best-k-runs", "1"],
    "001": ["--table", "9", "--methods", "PTA-CL", "PTGP", "--best-k-runs", "0"],
    "002": ["--table", "III", "--methods", "MDEC-HC", "MDEC-BG"],
    "003": ["--table", "3", "--methods", "DLWECDL", "LWEA", "--sets", "Wine"],
    "004": ["--table", "5"],
}


@pytest.fixture
def data_dir(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 2, 3], 20)
    for folder in ("pools", "sets"):
        (tmp_path / folder).mkdir()
    for name in ("LWEC_VS", "LWEC_SPF", "PTGP_MF", "DREC_wine"):
        members = np.where(rng.random((60, 25)) < 0.6, rng.integers(1, 5, (60, 25)), truth[:, None]).astype(np.uint8)
        np.savez(tmp_path / "pools" / f"{name}.npz", members=members, gt=truth)
    X = rng.normal(truth[:, None] * 5, 1, (60, 4))
    for name in ("VS", "chowdary-2006", "Iris", "WDBC424", "Breast478", "LetterAB", "SatImage_1_7"):
        np.savez(tmp_path / "sets" / f"{name}.npz", X=X, y=truth)
    (tmp_path / "published.csv").write_text(f"{HEADER}{FIGURES}")
    return tmp_path


def request(paper, data_dir, *more):
    given = ["--paper", paper, *CHEAP[paper], "--data-dir", data_dir, "--runs", "2", "--jobs", "1", *more]
    return main(["reproduce", *(str(word) for word in given)])


def read(path):
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def values(path):
    keys = ("table", "dataset", "method", "setting", "k_rule", "metric", "run")
    return {
        tuple(row[key] for key in keys): (row["metric"] == "seconds" or row["value"], row["k"], row["parameters"])
        for row in read(path)
    }


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_every_paper_runs_and_goes_on_where_it_was(data_dir, paper, monkeypatch, capsys):
    whole, broken = data_dir / "whole.csv", data_dir / "broken.csv"
    assert request(paper, data_dir, "--output", whole) == 0
    rows = read(whole)
    assert tuple(rows[0]) == COLUMNS
    assert len(values(whole)) == len(rows)
    block = get_paper(paper).block(rows[0]["table"])
    for row in rows:
        assert row["paper"] == paper
        assert row["metric"] in block.metrics(runner.Column(row["method"], row["setting"], row["k_rule"]))
        assert "numpy=" in row["versions"]
    lines = whole.read_text().splitlines(keepends=True)
    broken.write_text("".join(lines[:6]) + lines[6][:25])  # in the middle of a cell
    assert request(paper, data_dir, "--output", broken) == 0
    assert values(broken) == values(whole)
    monkeypatch.setattr(runner, "compute_task", None)  # all is there, so nothing is computed
    assert request(paper, data_dir, "--output", broken) == 0
    assert "published" in capsys.readouterr().out


def test_jobs_change_nothing(data_dir):
    for jobs in (1, 2):
        assert request("000", data_dir, "--output", data_dir / f"{jobs}.csv", "--jobs", jobs) == 0
    assert values(data_dir / "1.csv") == values(data_dir / "2.csv")


def test_a_method_beyond_its_memory_costs_nothing_but_its_own_cells(data_dir, monkeypatch, capsys):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 100_000)
    out = data_dir / "out.csv"
    assert request("000", data_dir, "--output", out, "--methods", "CSPA", "LWEA") == 0
    assert {row["method"] for row in read(out)} == {"LWEA"}
    printed = capsys.readouterr().out
    assert "Not computed: CSPA on VS, CSPA on SPF. The graph of all pairs" in printed
    assert "CONSENSA_DENSE_BUDGET_GB" in printed
    monkeypatch.undo()
    assert request("000", data_dir, "--output", out, "--methods", "CSPA", "LWEA") == 0
    assert {row["method"] for row in read(out)} == {"LWEA", "CSPA"}


def test_rows_of_table_v(data_dir):
    out = data_dir / "sub" / "out.csv"
    assert request("000", data_dir, "--output", out) == 0
    rows = read(out)
    assert {row["dataset"] for row in rows if row["method"] == "TOME"} == {"VS"}  # SPF has no features here
    lwea = [row for row in rows if (row["dataset"], row["method"], row["run"]) == ("VS", "LWEA", "0")]
    assert [(row["k_rule"], row["metric"]) for row in lwea] == [
        (rule, metric) for rule in ("true", "best") for metric in ("NMI/max", "NMI/sqrt", "ARI")
    ]
    by_rule = {(row["k_rule"], row["metric"]): float(row["value"]) for row in lwea}
    assert all(by_rule["best", metric] >= by_rule["true", metric] for metric in ("NMI/max", "NMI/sqrt", "ARI"))
    assert {row["setting"] for row in lwea} == {"theta=0.4"}
    assert {row["parameters"] for row in lwea} == {"M=10;theta=0.4"}
    assert {row["k"] for row in lwea if row["k_rule"] == "true"} == {"3"}
    base = [row for row in rows if row["method"] == "base clusterings"]
    assert {row["k_rule"] for row in base} == {""}
    assert sum(row["k_rule"] == "best" for row in rows) == sum(row["run"] == "0" for row in rows if row not in base) / 2


def test_comparison_marks_doubtful_figures_and_does_not_count_them(data_dir, capsys):
    assert request("000", data_dir, "--output", data_dir / "out.csv") == 0
    printed = capsys.readouterr().out
    assert "Not available: IS (no pool); Texture (no pool)." in printed
    assert "2.000?" in printed
    true_k = printed[printed.index("LWEA theta=0.4, NMI/max, true k") :].splitlines()
    vs = next(line for line in true_k if line.startswith("VS"))
    published, ours, difference, _, runs = vs.split()[1:]
    assert float(difference) == pytest.approx(float(ours) - float(published), abs=2e-3)
    assert (published, runs) == ("0.900", "2")
    assert "within 0.02 or 2 standard errors of the published figure: 0 of 2, better 1, worse 1" in printed


def test_one_computation_serves_several_tables(data_dir, monkeypatch, capsys):
    out = data_dir / "out.csv"
    assert request("000", data_dir, "--output", out) == 0
    monkeypatch.setattr(runner, "compute_task", None)
    assert request("000", data_dir, "--output", out, "--table", "VII") == 0
    assert "EAC, ARI, true k" in capsys.readouterr().out
    assert request("000", data_dir, "--output", out, "--table", "fig5", "--methods", "LWEA") == 0
    assert "mean, NMI/max, true k" in capsys.readouterr().out


@pytest.mark.parametrize(("paper", "table"), [("000", "I"), ("003", "1")])
def test_worked_examples_need_no_data_and_one_run(data_dir, paper, table):
    out = data_dir / "out.csv"
    arguments = ["reproduce", "--paper", paper, "--table", table, "--data-dir", str(data_dir), "--output", str(out)]
    assert main(arguments) == 0
    found = {(row["setting"], row["metric"]): float(row["value"]) for row in read(out)}
    assert {row["run"] for row in read(out)} == {"0"}
    if paper == "000":
        assert found["base_clustering=1;cluster=1;theta=0.5", "ECI"] == pytest.approx(0.18, abs=5e-3)
    else:
        assert found["base_clustering=2;cluster=1", "stable_ratio_R"] == 0.6
        assert found["base_clustering=2;cluster=1", "KL_divergence"] == pytest.approx(0.734, abs=5e-4)


@pytest.mark.parametrize(
    ("paper", "table", "more", "settings"),
    [
        ("000", "III", ["--sets", "VS"], {f"theta={t}" for t in ("0.1", "0.2", "0.4", "0.6", "0.8", "1", "2", "4")}),
        ("000", "fig6", ["--sets", "VS", "--methods", "LWEA"], {f"M={m};theta=0.4" for m in (10, 20, 30, 40, 50)}),
        ("001", "6", [], {"", *(f"K={k}" for k in (1, 2, 4, 8, 16, 32, 64, "ALL"))}),
        ("002", "fig5", ["--methods", "MDEC-BG"], {"tau=0.5", *(f"metric={m};tau=0.5" for m in METRICS)}),
        ("003", "fig5", ["--methods", "DREC"], {""}),
    ],
)  # fmt: skip
def test_sweeps(data_dir, paper, table, more, settings):
    out = data_dir / "out.csv"
    arguments = ["reproduce", "--paper", paper, "--table", table, "--data-dir", str(data_dir), "--output", str(out)]
    assert main([*arguments, "--runs", "1", "--jobs", "1", *more]) == 0
    assert {row["setting"] for row in read(out)} == settings


def test_kept_links(data_dir):
    out = data_dir / "out.csv"
    assert request("001", data_dir, "--table", "5", "--methods", "MSG", "K-ENG", "--output", out) == 0
    shares = {row["setting"]: float(row["value"]) for row in read(out) if row["metric"] == "ratio_links_percent"}
    assert shares["K=ALL"] == 100
    assert shares["K=1"] <= shares["K=4"] <= shares["K=16"] <= 100


def test_theta_choices(data_dir):
    out = data_dir / "out.csv"
    assert request("003", data_dir, "--output", out) == 0
    rows = read(out)
    swept = [row for row in rows if row["method"] == "DLWECDL" and row["metric"] == "NMI/max"]
    means = {}
    for choice in ("draw", "dataset", "agreement", "default"):
        chosen = [row for row in choose_theta(rows, "NMI/max", choice) if row["method"] == "DLWECDL"]
        assert [row["run"] for row in chosen] == ["0", "1"]
        means[choice] = np.mean([float(row["value"]) for row in chosen])
    best = [max(float(row["value"]) for row in swept if row["run"] == run) for run in ("0", "1")]
    assert means["draw"] == pytest.approx(np.mean(best))
    assert means["draw"] >= means["dataset"] >= means["default"]
    default = [float(row["value"]) for row in swept if row["setting"] == "theta=1.0"]
    assert means["default"] == pytest.approx(np.mean(default))
    thetas = get_paper("003").exhibit("fig6").rows(rows, "best_theta")
    assert [row["run"] for row in thetas] in (["0", "1"], ["1", "0"])
    assert all(0.2 <= float(row["value"]) <= 2 for row in thetas)


def test_summary_is_the_mean_of_the_same_sets_on_both_sides(data_dir, capsys):
    out = data_dir / "out.csv"
    assert request("004", data_dir, "--table", "2", "--runs", "1", "--output", out) == 0
    line = next(row for row in capsys.readouterr().out.splitlines() if row.startswith("WSPA features=standardised"))
    assert line.split()[2] == "0.424"  # mean of 0.744 and four times 0.344
    assert {row["dataset"] for row in read(out)} == {"Iris", "WDBC", "Breast", "Letter(A,B)", "SatImage"}


def test_made_up_sets_have_the_printed_parameters(data_dir):
    X, truth = get_paper("004").block("3").points.load((data_dir,), 0)
    assert np.bincount(truth).tolist() == [300, 300]
    np.testing.assert_allclose(X[:300].mean(axis=0), [0.5, 5], atol=0.6)
    np.testing.assert_allclose(X[:300].var(axis=0), [1, 9], rtol=0.3)
    np.testing.assert_allclose(X[300:].var(axis=0), [6, 2], rtol=0.3)


def test_published_cells_have_our_names(data_dir):
    (cell,) = published_cells(data_dir, "001", "7")
    assert (cell.method, cell.setting, cell.mean) == ("PTA-AL", "K=2;T=10", 0.5)
    (reading,) = [each for each in get_paper("001").exhibit("7").readings if each.published_metric]
    assert (reading.metric, reading.k_rule) == ("NMI/max", "best")
    assert match([cell], reading) == {("MF", "PTA-AL", "K=2;T=10"): cell}
    doubtful = {cell.k_rule: cell.doubt for cell in published_cells(data_dir, "000", "V") if cell.dataset == "VS"}
    assert doubtful == {"true": False, "best": True}
    assert [cell.method for cell in published_cells(data_dir, "002", "III")] == ["MDEC-HC"]  # OM has no figure


def test_preset_of_the_paper(data_dir):
    out = data_dir / "out.csv"
    assert request("000", data_dir, "--preset", "published", "--methods", "LWGP", "KCC", "--output", out) == 0
    parameters = {row["method"]: row["parameters"] for row in read(out)}
    assert "n_init=3" in parameters["LWGP"]
    assert "init=random" in parameters["KCC"]


def test_quick_look_says_what_it_used(data_dir, capsys):
    out = data_dir / "out.csv"
    assert request("000", data_dir, "--quick", "--runs", "9", "--methods", "LWEA", "--output", out) == 0
    assert {row["run"] for row in read(out)} == {"0", "1"}
    assert "A quick look: 2 runs on VS, SPF; without best k, HGPA." in capsys.readouterr().out


def test_list_says_what_is_there_and_what_is_missing(data_dir, capsys):
    assert main(["reproduce", "--paper", "all", "--list", "--data-dir", str(data_dir)]) == 0
    printed = capsys.readouterr().out
    for paper in PAPERS.values():
        assert f"Paper {paper.name}: {paper.title}" in printed
    assert "data sets: VS, SPF\n" in printed
    assert "missing: LR needs pools/LWEC_LR.npz" in printed
    assert "not available: Modis-4 (no data)" in printed


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--seed", "1"], "holds results with seed '0', but now it is '1'"),
        (
            ["--preset", "published", "--methods", "LWGP"],
            "holds results with parameters 'M=10;exact_transfer=False;n_init=10;theta=0.4'",
        ),
        (["--table", "IX"], "table 'IX' of paper '000' is not known; choose one of: I, III, IV, V"),
        (["--paper", "005"], "paper '005' is not known; choose one of: 000, 001"),
        (["--paper", "004", "--table", "8"], "there is no data for this table"),
        (["--paper", "all", "--table", "all"], "--output names the file of one paper"),
        (["--data-dir", "nowhere"], "holds no folder 'pools'"),
        (["--sets", "Moon"], "there is no data set 'Moon' here; choose from VS, Semeion"),
        (["--sets", "LR"], "holds none of the files pools/LWEC_LR.npz"),
        (["--methods", "ABC"], "there is no method 'ABC' here; choose from LWEA, LWGP, SEC"),
    ],
)
def test_wrong_requests_are_refused(data_dir, capsys, more, message):
    first = ["--methods", "LWGP", "--sets", "VS", "--output", data_dir / "out.csv"]
    assert request("000", data_dir, *first) == 0
    assert request("000", data_dir, *first, *more) == 2
    assert message in capsys.readouterr().err


def test_another_release_is_refused(data_dir, capsys):
    out = data_dir / "out.csv"
    assert request("001", data_dir, "--output", out) == 0
    out.write_text(out.read_text().replace("consensa=", "consensa=9."))
    assert request("001", data_dir, "--output", out) == 2
    assert "holds results with release 'consensa=9." in capsys.readouterr().err


def test_cells_without_a_metric_are_refused_and_kept(data_dir, capsys):
    out = data_dir / "out.csv"
    assert request("001", data_dir, "--output", out) == 0
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(line for line in lines if ",ARI," not in line))
    before = out.read_text()
    assert request("001", data_dir, "--output", out) == 2
    assert "on MF without ARI, so it was made by another state" in capsys.readouterr().err
    assert out.read_text() == before


def test_own_pools_stand_in_for_missing_ones(data_dir, capsys):
    (data_dir / "sets" / "VS.npz").rename(data_dir / "sets" / "PD.npz")
    own = data_dir / "own"
    make = ["make-pool", "--sets", "PD", "--members", "12", "--jobs", "1", "--data-dir", data_dir, "--output", own]
    assert main([str(word) for word in make]) == 0
    with np.load(own / "pools" / "PTGP_PD.npz") as pool:
        assert pool["members"].shape == (60, 12)
        assert pool["members"].min() == 1
    made = (own / "pools" / "PTGP_PD.npz").read_bytes()
    assert main([str(word) for word in make]) == 0
    assert "there already" in capsys.readouterr().out
    assert (own / "pools" / "PTGP_PD.npz").read_bytes() == made
    out = data_dir / "out.csv"
    assert request("001", data_dir, "--own-pools", own, "--output", out) == 0
    assert {row["dataset"] for row in read(out)} == {"MF", "PD"}
    assert main(["make-pool", "--sets", "Moon", "--data-dir", str(data_dir)]) == 2
    assert "is not there; choose a data set with a file in sets/" in capsys.readouterr().err


def test_kept_draws_are_not_computed_again(data_dir, monkeypatch, capsys):
    from studies.reproduce.draws import read_draws, write_draws

    monkeypatch.chdir(data_dir)
    assert request("000", data_dir) == 0
    rows = read(Path("results", "paper000.csv"))
    write_draws(Path("docs", "evidence", "draws"), {"000": rows})
    Path("results", "paper000.csv").rename("first.csv")
    with monkeypatch.context() as patch:
        patch.setattr(runner, "compute_task", None)  # all is there, so nothing is computed
        assert request("000", data_dir) == 0
    kept = {key: value for key, (value, *_) in values(Path("results", "paper000.csv")).items()}
    assert kept == {key: value for key, (value, *_) in values("first.csv").items()}
    Path("results", "paper000.csv").unlink()
    others = [{**row, "parameters": "M=3"} if row["method"] == "LWEA" else row for row in rows]
    write_draws(Path("docs", "evidence", "draws"), {"000": [row for row in others if row["method"] != "EAC"]})
    assert request("000", data_dir, "--methods", "LWEA", "EAC") == 0
    assert values(Path("results", "paper000.csv")) == values("first.csv") | {
        key: (value, "", parameters)
        for key, (value, _, parameters) in values("first.csv").items()
        if key[2] not in ("LWEA", "EAC")
    }  # of other parameters, so LWEA is computed again; the number of clusters is not kept
    assert {row["method"] for row in read_draws(Path("docs", "evidence", "draws"), "000")} >= {"LWEA", "TOME"}
    capsys.readouterr()


def test_draws_of_a_changed_method_are_found_and_dropped(data_dir, monkeypatch, capsys):
    from studies.reproduce.draws import read_draws, write_draws

    monkeypatch.chdir(data_dir)
    assert request("000", data_dir, "--output", "rows.csv") == 0
    rows, draws = read("rows.csv"), Path("docs", "evidence", "draws")
    write_draws(draws, {"000": rows})
    look = ["draws", "--paper", "000", "--data-dir", str(data_dir)]
    capsys.readouterr()
    assert main(look) == 0
    assert "Paper 000: one draw of every method again, all figures as kept." in capsys.readouterr().out
    changed = [{**row, "value": "0.123456"} if row["method"] == "EAC" and row["run"] == "0" else row for row in rows]
    write_draws(draws, {"000": changed})
    header = "paper,table,dataset,method,setting,k_rule,metric,mean,sd,runs"
    means = [f"000,V,SPF,{method},,true,ARI,0.5,,1" for method in ("EAC", "KCC")]
    (draws / "earlier.csv").write_text("\n".join([header, *means, ""]))
    assert main(look) == 0
    assert "Paper 000, V, EAC on VS, draw 0: ARI 0.123456 is kept, now it is 0." in capsys.readouterr().out
    assert len(read_draws(draws, "000")) == len(rows)
    assert main([*look, "--drop"]) == 0
    assert {row["method"] for row in read_draws(draws, "000")} == {row["method"] for row in rows} - {"EAC"}
    assert (draws / "earlier.csv").read_text().splitlines() == [header, means[1]]
    assert main([*look, "--forget", "LWEA"]) == 0
    assert "LWEA" not in {row["method"] for row in read_draws(draws, "000")}
    assert main([*look, "--forget", "LWEA"]) == 2
    assert "no draw of 'LWEA' is kept" in capsys.readouterr().err


def test_base_clusterings_need_no_features():
    from studies.reproduce.methods import BASE

    for paper, table in (("000", "V"), ("001", "9")):
        block = get_paper(paper).block(table)
        assert all(BASE in {column.method for column in block.columns(name)} for name in block.needs())
