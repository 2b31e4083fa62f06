"""The benchmark of scale on small numbers: made-up data, child processes, digests, the table."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from bench.__main__ import main
from bench.scale import markdown
from bench.scale_data import write_labels


def test_matrices_of_any_length_begin_alike(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.scale_data._CHUNK_ROWS", 100)
    for n_rows in (250, 1000):
        write_labels(tmp_path / f"{n_rows}.npy", n_rows)
    short, long = (np.load(tmp_path / f"{n_rows}.npy") for n_rows in (250, 1000))
    assert (long.shape, long.dtype) == ((1000, 10), np.uint8)
    assert short[:200].tolist() == long[:200].tolist()
    assert long.max() < 60


def test_files_and_memory_give_the_same_digest(tmp_path, capsys):
    output = tmp_path / "scale.csv"
    asked = ["scale", "--rows", "3e3,5e3", "--dir", str(tmp_path), "--output", str(output), "--compare", "5e3"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "Labels of 5,000 objects are the same as in memory." in said
    assert "Time grows as n to the power" in said
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["backend"], row["n_objects"]) for row in rows] == [
        ("files", "3000"),
        ("files", "5000"),
        ("memory", "5000"),
    ]
    assert rows[1]["digest"] == rows[2]["digest"] != rows[0]["digest"]


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_gives_the_same_digest(tmp_path, capsys):
    asked = ["scale", "--rows", "4e3", "--dir", str(tmp_path), "--output", str(tmp_path / "r.csv"), "--compare", "4e3"]
    assert main([*asked, "--backend", "dask", "--kill-worker"]) == 0
    said = capsys.readouterr().out
    assert "dask, one worker killed" in said
    assert "are the same as in memory" in said


def test_the_table():
    figures = dict.fromkeys(
        ["labels_seconds", "counts_seconds", "sums_seconds", "number_seconds", "assign_seconds", "solve_seconds"], 1.0
    )
    row = {"method": "LWGP", "backend": "files", "killed": False, "n_objects": 10, "n_microclusters": 5,
           "is_sample": True, "seconds": 2.0, "rows_per_second": 5.0, "peak_mib": 3.0, **figures}  # fmt: skip
    assert "| 5 (sample) |" in markdown([row])
