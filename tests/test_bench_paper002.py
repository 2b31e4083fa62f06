"""The MDEC tables on made-up data: rows, resuming, the report and wrong requests."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from bench.__main__ import main
from sklearn.datasets import make_blobs


@pytest.fixture
def data_dir(tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "pools").mkdir()
    X, y = make_blobs(60, centers=3, n_features=6, random_state=0)
    np.savez(tmp_path / "sets" / "blobs.npz", X=X, y=y)
    rows = [
        f"002,{table},Blobs,blobs,{method},{metric},true,,0.9,0.01,"
        for table, metric in (("III", "NMI"), ("IV", "ARI"))
        for method in ("MDEC-HC", "MDEC-SC", "MDEC-BG")
    ]
    header = "paper,table,dataset,set,method,metric,k_rule,param,mean,std,source_note"
    (tmp_path / "published.csv").write_text("\n".join([header, *rows]) + "\n")
    return tmp_path


def test_tables_are_computed_once_and_compared(data_dir, capsys):
    output = data_dir / "result.csv"
    request = ["reproduce", "--paper", "002", "--runs", "1", "--jobs", "1", "--data-dir", str(data_dir)]
    assert main([*request, "--table", "III", "--output", str(output)]) == 0
    assert "MDEC-SC" in capsys.readouterr().out
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["MDEC-HC", "MDEC-SC", "MDEC-BG"]
    assert all(float(row["nmi_max"]) > 0.9 for row in rows)
    before = output.read_bytes()
    assert main([*request, "--table", "IV", "--output", str(output)]) == 0
    assert output.read_bytes() == before
    assert "within 0.03 of the published figure, or above it: 1 of 1" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [["--table", "V"], ["--table", "III", "--sets", "nothing"]])
def test_wrong_requests_are_refused(data_dir, wrong, capsys):
    assert main(["reproduce", "--paper", "002", "--data-dir", str(data_dir), *wrong]) == 2
    assert "bench:" in capsys.readouterr().err
