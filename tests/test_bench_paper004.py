"""Tables of paper 004 on made-up data: rows, resumption, published figures beside ours."""

import csv
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pymetis")
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def data_dir(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 30)
    for folder in ("pools", "sets"):
        (tmp_path / folder).mkdir()
    for name in ("Iris", "WDBC424", "Breast478", "LetterAB", "SatImage_1_7"):
        np.savez(tmp_path / "sets" / f"{name}.npz", X=rng.normal(truth[:, None] * 5, 1, (60, 3)), y=truth)
    figures = "004,5,Iris,Iris,WSPA,NMI,true,,0.744,,read\n004,5,Iris,Iris,WSPA,error_percent,true,,10.0,,read\n"
    header = "paper,table,dataset,set,method,metric,k_rule,param,mean,std,source_note\n"
    (tmp_path / "published.csv").write_text(header + figures)
    return tmp_path


def run(*arguments):
    from bench.__main__ import main

    return main(["reproduce", "--paper", "004", "--jobs", "1", *(str(argument) for argument in arguments)])


def read(path):
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def test_one_table(data_dir, capsys):
    out = data_dir / "out.csv"
    assert run("--table", 5, "--data-dir", data_dir, "--runs", 1, "--output", out) == 0
    rows = read(out)
    assert {row["dataset"] for row in rows} == {"Iris"}
    assert {row["features"] for row in rows} == {"standardised", "raw"}
    assert {"LAC-max", "LAC-min", "LAC-avg", "WSPA", "WBPA", "WBPA/tcut"} <= {row["method"] for row in rows}
    assert all(float(row["error_percent"]) < 2 for row in rows if row["method"] == "WSPA")
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if line.startswith("WSPA "))
    assert line.split()[1] == "0.744"
    assert line.split()[4] == "10.00"


def test_summary_goes_on_where_it_was(data_dir, capsys):
    out = data_dir / "out.csv"
    assert run("--table", 5, "--data-dir", data_dir, "--runs", 1, "--output", out) == 0
    first = read(out)
    assert run("--table", 2, "--data-dir", data_dir, "--runs", 1, "--output", out) == 0
    rows = read(out)
    assert rows[: len(first)] == first
    assert len(rows) == 5 * len(first)
    assert "Table 2: mean of Iris, WDBC, Breast, Letter(A,B), SatImage" in capsys.readouterr().out


def test_made_up_sets_have_the_printed_parameters(data_dir):
    from bench.paper004 import SETS

    X, truth = SETS[0].load(data_dir, 0)
    assert np.bincount(truth).tolist() == [300, 300]
    np.testing.assert_allclose(X[:300].mean(axis=0), [0.5, 5], atol=1.5)
    np.testing.assert_allclose(X[:300].std(axis=0), [1, 9], rtol=0.15)
    np.testing.assert_allclose(X[300:].std(axis=0), [6, 2], rtol=0.15)


def test_wrong_requests(data_dir, capsys):
    out = data_dir / "out.csv"
    assert run("--table", "8", "--data-dir", data_dir) == 2
    assert "table '8' of paper '004' is not known" in capsys.readouterr().err
    assert run("--table", 5, "--data-dir", data_dir, "--runs", 1, "--output", out) == 0
    assert run("--table", 5, "--data-dir", data_dir, "--runs", 1, "--output", out, "--seed", 3) == 2
    assert "holds results with seed" in capsys.readouterr().err
