"""The tables of paper 003 run, resume and add up, on a made-up pool."""

import csv
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def data_dir(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 2, 3], 12)
    members = np.where(rng.random((36, 25)) < 0.3, rng.integers(1, 4, (36, 25)), truth[:, None]).astype(np.uint8)
    (tmp_path / "pools").mkdir()
    np.savez(tmp_path / "pools" / "LWEC_VS.npz", members=members, gt=truth)
    header = "paper,table,dataset,set,method,metric,k_rule,param,mean,std,source_note\n"
    (tmp_path / "published.csv").write_text(header + "003,3,VS,VS,DLWECDL,NMI,true,M=20,0.5,,\n")
    return tmp_path


def run(*arguments):
    from bench.__main__ import main

    return main(["paper003", "--jobs", "1", *map(str, arguments)])


def read(path):
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_theta_has_a_row_and_a_run_resumes(data_dir, capsys):
    from consensa import DLWECDL, Ensemble
    from consensa.methods.dlwecdl import THETA_GRID

    out = data_dir / "out.csv"
    assert run("--data-dir", data_dir, "--runs", 1, "--output", out) == 0
    first = read(out)
    swept = [row for row in first if row["method"] == "DLWECDL"]
    assert [float(row["theta"]) for row in swept] == list(THETA_GRID)
    assert {"DREC", "LWEA", "LWGP", "ELWECDL"} <= {row["method"] for row in first}
    printed = capsys.readouterr().out
    assert "published      by truth  one by truth     agreement       default" in printed
    best = max(float(row["NMI/sqrt"]) for row in swept)
    assert f"VS                 0.500{best:>14.3f}" in printed

    pool = np.load(data_dir / "pools" / "LWEC_VS.npz")
    columns = [int(column) for column in swept[0]["members"].split()]
    model = DLWECDL(3, theta="auto", random_state=0).fit(Ensemble(pool["members"][:, columns].astype(int)))
    agreement = {float(row["theta"]): float(row["ANMI"]) for row in swept}
    assert agreement == pytest.approx(model.theta_scores_, abs=0.05)

    assert run("--data-dir", data_dir, "--runs", 2, "--output", out) == 0
    rows = read(out)
    assert rows[: len(first)] == first
    assert len(rows) == 2 * len(first)


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--pools", "Moon"], "no data set 'Moon'"), (["--pools", "MF"], "none of the pools")]
)
def test_wrong_requests_are_refused(data_dir, capsys, arguments, message):
    assert run("--data-dir", data_dir, *arguments) == 2
    assert message in capsys.readouterr().err
