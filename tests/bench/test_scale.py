"""The benchmark of scale on small numbers: made-up data, child processes, digests, the table."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bench import child
from bench.__main__ import main
from bench.scale.data import write_labels
from bench.scale.run import STAGES, estimate, markdown


def test_matrices_of_any_length_begin_alike(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.scale.data._CHUNK_ROWS", 100)
    for n_rows in (250, 1000):
        write_labels(tmp_path / f"{n_rows}.npy", n_rows)
    short, long = (np.load(tmp_path / f"{n_rows}.npy") for n_rows in (250, 1000))
    assert (long.shape, long.dtype) == ((1000, 10), np.uint8)
    assert short[:200].tolist() == long[:200].tolist()
    assert long.max() < 60


def test_files_and_memory_give_the_same_digest(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bench.scale.run.run_child", child.main)  # the one on dask below has its own processes
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


def made_up(**changed):
    """A run of 100 seconds, 20 of them in each pass but for `number`, on 1,000 objects."""
    stages = {f"{stage}_seconds": 0.0 if stage == "number" else 20.0 for stage in STAGES}
    row = {"method": "LWGP", "backend": "files", "killed": False, "n_objects": 1000, "n_partitions": 10,
           "n_microclusters": 5, "is_sample": False, "seconds": 100.0, "cpu_seconds": 150.0, "rows_per_second": 10.0,
           "peak_mib": 3.0, "solve_seconds": 20.0, **stages}  # fmt: skip
    return {**row, **changed}


def test_the_table():
    said = markdown([made_up(is_sample=True)])
    assert "| 5 (sample) |" in said
    assert "grows" not in said
    assert "Processor time with 1,000 objects: 150000.00 s per million." in said


def test_growth_of_time_and_of_microclusters_without_the_sample():
    rows = [made_up(), made_up(n_objects=4000, n_microclusters=10, seconds=400.0)]
    said = markdown([*rows, made_up(n_objects=16_000, n_microclusters=11, is_sample=True, seconds=1600.0)])
    assert "Time grows as n to the power 1.000 from 1,000 to 16,000 objects." in said
    assert "The number of microclusters grows as n to the power 0.500 from 1,000 to 4,000 objects." in said


def test_estimate_for_more_objects_on_more_machines():
    found = estimate(made_up(), 10_000, machines=4, cores=5, bytes_per_second=1000.0)
    assert found["passes"] == 4
    assert found["read"] == 4 * 100_000 / 4000
    assert found["core_seconds"] == (100 - 20) * 2 * 10  # two workers, ten times the objects
    assert found["compute"] == found["core_seconds"] / 20
    assert found["together"] == 100 + 80 + 20


def test_only_a_sample_on_dask_says_what_more_objects_take():
    head = "| objects | matrix | passes |"
    assert head not in markdown([made_up(is_sample=True)])
    assert head not in markdown([made_up(backend="dask")])
    said = markdown([made_up(backend="dask", is_sample=True, n_objects=10**8)])
    assert "| 1,000,000,000 | 10 GB | 4 | 5 s | 1,600 | 12 s | 20 s | 38 s |" in said
    assert "Processor time" not in said
