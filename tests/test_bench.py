"""The benchmarks run, resume and agree with themselves, on made-up data."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
METHODS = ["--methods", "LWEA", "LWGP", "EAC"]
TABLE = ["reproduce", "--paper", "000", "--table", "V", "--jobs", "1", *METHODS]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def data_dir(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 2, 3], 40)
    (tmp_path / "pools").mkdir()
    for name in ("Toy", "Other"):
        members = np.where(rng.random((120, 15)) < 0.3, rng.integers(1, 7, (120, 15)), truth[:, None]).astype(np.uint8)
        np.savez(tmp_path / "pools" / f"LWEC_{name}.npz", members=members, gt=truth)
    header = "paper,table,dataset,set,method,metric,k_rule,param,mean,std,source_note\n"
    figures = (
        "000,V,Toy,,LWEA,NMI,true,,0.9,,read\n"
        "000,V,Toy,,LWEA,NMI,best,,2.0,,doubt: slip\n"
        "000,V,Gone,,EAC,NMI,true,,1,,\n"
    )
    (tmp_path / "published.csv").write_text(header + figures)
    return tmp_path


def run(*arguments):
    from bench.__main__ import main

    return main([str(argument) for argument in arguments])


def read(path):
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def scores(path):
    keys = ("dataset", "method", "k_rule", "run")
    return {tuple(row[key] for key in keys): (row["score"], row["k"], row["members"]) for row in read(path)}


def test_table_has_one_row_per_method_rule_and_run(data_dir, capsys):
    out = data_dir / "sub" / "out.csv"
    assert run(*TABLE, "--data-dir", data_dir, "--runs", 2, "--best-k-runs", 1, "--output", out) == 0
    rows = read(out)
    assert len(rows) == 2 * 3 * (2 + 1)
    assert {row["method"] for row in rows} == {"LWEA", "LWGP", "EAC"}
    assert all(0 <= float(row["score"]) <= 1 for row in rows)
    assert {row["k"] for row in rows if row["k_rule"] == "true"} == {"3"}
    assert all(len(set(row["members"].split())) == 10 for row in rows)
    assert "theta=0.4" in rows[0]["parameters"]
    assert "numpy=" in rows[0]["versions"]
    printed = capsys.readouterr().out
    assert "No pool for: Gone." in printed
    assert "2.000?" in printed
    assert "or above it: 1 of 1 data sets" in printed
    assert "or above it: 0 of 1 data sets" in printed


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_ranking_of_all_methods(data_dir, capsys):
    from bench.tables import get_table

    request = ["reproduce", "--paper", "000", "--table", "V", "--jobs", "1", "--sets", "Toy", "--data-dir", data_dir]
    output = data_dir / "all.csv"
    assert run(*request, "--runs", 1, "--best-k-runs", 0, "--preset", "published", "--output", output) == 0
    rows = read(output)
    printed = capsys.readouterr().out
    assert {row["method"] for row in rows} == set(get_table("000", "V").registered())
    assert {row["k_rule"] for row in rows} == {"true"}
    settings = {row["method"]: row["parameters"] for row in rows}
    assert "init=random" in settings["KCC"]
    assert "n_init=3" in settings["LWGP"]
    assert "weaker settings as published" in printed
    ranks = printed[printed.index("mean, true k") :].splitlines()
    means = [float(line.split()[2]) for line in ranks[1 : 1 + len(rows)]]
    assert means == sorted(means, reverse=True)
    own = next(line for line in ranks if line.startswith("LWEA"))
    assert float(own.split()[6]) == pytest.approx(float(own.split()[2]) - 0.9, abs=2e-3)


def test_published_figures_in_doubt_do_not_count(data_dir, capsys):
    run(*TABLE, "--data-dir", data_dir, "--runs", 1, "--sets", "Toy", "--output", data_dir / "out.csv")
    best = capsys.readouterr().out.split("mean, best k")[1]
    assert "more than 0.04 below the published mean: none" in best
    assert len(next(line for line in best.splitlines() if line.startswith("LWEA")).split()) == 4


def test_killed_run_goes_on_where_it_was(data_dir):
    whole, broken = data_dir / "whole.csv", data_dir / "broken.csv"
    run(*TABLE, "--data-dir", data_dir, "--runs", 2, "--output", whole)
    lines = whole.read_text().splitlines(keepends=True)
    broken.write_text("".join(lines[:9]) + lines[9][:25])
    before = read(broken)[:8]
    run(*TABLE, "--data-dir", data_dir, "--runs", 2, "--output", broken)
    assert read(broken)[:8] == before
    assert len(read(broken)) == len(read(whole))
    assert scores(broken) == scores(whole)


def test_finished_table_is_not_computed_again(data_dir, monkeypatch):
    from bench import reproduce

    out = data_dir / "out.csv"
    run(*TABLE, "--data-dir", data_dir, "--quick", "--output", out)
    content = out.read_text()
    monkeypatch.setattr(reproduce, "run_cell", None)
    assert run(*TABLE, "--data-dir", data_dir, "--quick", "--output", out) == 0
    assert out.read_text() == content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1"], "holds results with seed '0', but now it is '1'"),
        (["--table", "IX"], "is not known; choose one of: --paper 000 --table V"),
        (["--data-dir", "nowhere"], "holds no folder 'pools'"),
        (["--sets", "Nowhere"], "there is no pool 'Nowhere'; there are Other, Toy"),
        (["--methods", "TOME"], "method 'TOME' cannot be run; choose from LWEA, LWGP, SEC, KCC"),
    ],
)
def test_wrong_requests_are_refused(data_dir, capsys, arguments, message):
    request = [*TABLE, "--data-dir", data_dir, "--runs", 1, "--output", data_dir / "out.csv"]
    assert run(*request) == 0
    assert run(*request, *arguments) == 2
    assert message in capsys.readouterr().err


def test_twins_agree_with_the_library(data_dir):
    from bench.data import load_pool
    from bench.twins import cluster_index, lwea_twin, lwgp_twin

    from consensa import LWEA, LWGP
    from consensa.evaluate import ari

    members, _ = load_pool(data_dir / "pools" / "LWEC_Toy.npz")
    labels = members[:, :10] - 1
    model = LWEA(3).fit(labels)
    np.testing.assert_allclose(np.concatenate(cluster_index(labels, 0.4)), model.cluster_weights_, rtol=1e-12)
    assert ari(lwea_twin(labels, 3), model.labels_) == 1.0
    assert ari(lwgp_twin(labels, 3), LWGP(3, random_state=0).fit_predict(labels)) == 1.0


def test_made_up_ensemble_is_the_same_again():
    from bench.data import made_up_ensemble

    labels = made_up_ensemble(500, seed=1)
    assert labels.shape == (500, 10)
    assert labels.min() >= 0
    assert labels.max() < 200
    np.testing.assert_array_equal(labels, made_up_ensemble(500, seed=1))
    np.testing.assert_array_equal(labels.max(axis=0), made_up_ensemble(600, seed=1).max(axis=0))


@pytest.fixture
def in_this_process(monkeypatch):
    """Measure here instead of in a fresh process, whose imports take seconds."""
    from bench import child, speed

    monkeypatch.setattr(speed, "run_child", child.main)


def test_speed_against_twins(data_dir, capsys, in_this_process):
    out = data_dir / "speed.csv"
    request = ["speed", "--parts", "twins", "--pool", "Toy", "--repeats", 2, "--data-dir", data_dir, "--output", out]
    assert run(*request) == 0
    rows = {row["case"]: row for row in read(out)}
    assert list(rows) == ["LWEA", "LWEA twin", "LWGP", "LWGP twin"]
    assert all(float(row["seconds"]) > 0 and float(row["peak_mib"]) > 1 for row in rows.values())
    assert "LWGP: the twin takes" in capsys.readouterr().out


def test_growth_curve(in_this_process):
    from bench.speed import fitted_exponent, growth
    from bench.speed_report import growth_report

    rows = growth("lwea", [200, 400])
    assert [row["n_objects"] for row in rows] == [200, 400]
    assert all(row["labels_mib"] == pytest.approx(row["n_objects"] * 40 / 2**20) for row in rows)
    assert "time grows as n to the power" in growth_report(rows)
    assert fitted_exponent([10, 100, 1000], [1, 100, 10000]) == pytest.approx(2.0)


def test_measurements_run_in_a_process_of_their_own(tmp_path):
    from bench.speed import run_child

    path = tmp_path / "labels.npy"
    assert run_child({"action": "make", "path": str(path), "n_objects": 50, "seed": 0}) == {}
    assert np.load(path).shape == (50, 10)
    with pytest.raises(RuntimeError, match="failed: FileNotFoundError"):
        run_child({"action": "fit", "path": "none.npy", "method": "lwea", "n_clusters": 2, "repeats": 1})


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak can be reset on Linux only")
def test_peak_memory_is_that_of_the_call():
    from bench.child import _measure

    kept = np.ones(80 * 2**20 // 8)
    small = _measure(lambda: None, 1)["peak_mib"]
    large = _measure(lambda: np.ones(100 * 2**20 // 8).sum(), 1)["peak_mib"]
    assert 90 < large - small < 130
    assert small > kept.nbytes / 2**20


def test_startup_figures(monkeypatch):
    from bench import speed
    from bench.speed_report import startup_report

    def fails_at_help(arguments, **environment):
        return (np.nan, np.nan) if "--help" in arguments else (0.5, 0.4)

    monkeypatch.setattr(speed, "_time_python", fails_at_help)
    report = startup_report(speed.startup(repeats=1))
    assert "import consensa, beyond numpy" in report
    assert report.count("failed") == 1


def test_command_line_runs_from_the_root(data_dir):
    command = [sys.executable, "-m", "bench", "restarts", "--pools", "Toy", "--n-init", "1", "2", "--draws", "2"]
    options = ["--seeds", "2", "--data-dir", str(data_dir)]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split()[:2] == ["pool", "n_init"]
    assert len([line for line in done.stdout.splitlines() if line.startswith("mean")]) == 2


def test_tables_of_paper_001(data_dir, capsys):
    from bench.paper001 import main

    for path in (data_dir / "pools").glob("LWEC_*.npz"):
        path.rename(path.with_name(path.name.replace("LWEC", "PTGP")))
    with (data_dir / "published.csv").open("a") as file:
        file.write("001,9,Toy,,PTGP,NMI,true,M=10,0.1,,read\n001,5,Toy,,MSG,n_links,,M=10,9,,read\n")
    for table, per_run in (("5", 9), ("6", 9), ("9", 14)):
        out = data_dir / f"{table}.csv"
        for _ in range(2):
            main(["--table", table, "--data-dir", str(data_dir), "--runs", "2", "--output", str(out)])
        assert len(read(out)) == 2 * 2 * per_run
    assert "within 0.025 of the published figure, or above it: 1 of 1" in capsys.readouterr().out
    main(["--table", "7", "--data-dir", str(data_dir), "--runs", "1", "--output", str(data_dir / "7.csv")])
    assert len(read(data_dir / "7.csv")) == 2 * 16


def test_pool_of_paper_001(tmp_path):
    from bench.paper001 import main

    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 40)
    (tmp_path / "data" / "pools").mkdir(parents=True)
    (tmp_path / "data" / "sets").mkdir()
    np.savez(tmp_path / "data" / "sets" / "Toy.npz", X=rng.normal(size=(120, 2)) + 9 * truth[:, None], y=truth)
    main(
        [
            "--make-pool",
            "Toy",
            "--members",
            "6",
            "--data-dir",
            str(tmp_path),
            "--output",
            str(tmp_path / "own" / "r.csv"),
        ]
    )
    with np.load(tmp_path / "own" / "pools" / "PTGP_Toy.npz") as pool:
        assert pool["members"].shape == (120, 6)
        assert pool["members"].min() == 1
