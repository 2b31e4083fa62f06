"""The benchmark of the choice of k runs and resumes on made-up pools, and counts hits as it says."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from studies.__main__ import main
from studies.choose_k.report import choice_cost, hit_rates, is_hit
from studies.choose_k.run import DATA_SETS, group_of


@pytest.fixture
def data_dir(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 2, 3], 40)
    (tmp_path / "pools").mkdir()
    (tmp_path / "sets").mkdir()
    members = np.where(rng.random((120, 25)) < 0.1, rng.integers(1, 7, (120, 25)), truth[:, None]).astype(np.uint8)
    for pool in ("LWEC_VS", "DREC_wine"):
        np.savez(tmp_path / "pools" / f"{pool}.npz", members=members, gt=truth)
    np.savez(tmp_path / "sets" / "VS.npz", X=rng.normal(size=(120, 2)) + 9 * np.eye(3)[truth - 1][:, :2], y=truth)
    return tmp_path


def run(data_dir, output, *more):
    command = ["choose-k", "--data-dir", str(data_dir), "--runs", "1", "--k-max", "6", "--output", str(output), *more]
    assert main(command) == 0
    with output.open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_tables_and_figure(data_dir, capsys):
    rows = run(data_dir, data_dir / "out.csv", "--figure", str(data_dir / "figure.svg"))
    chosen = {(row["pool"], row["method"]): row["k"] for row in rows if row["rule"] == "rule"}
    assert chosen == {(pool, method): "3" for pool in ("LWEC_VS", "DREC_wine") for method in ("lwea", "lwgp")}
    assert {row["k"] for row in rows if row["rule"] == "silhouette (features)"} == {"3"}
    printed = capsys.readouterr().out
    assert "| lwea | rule | - | 100 % (x 1.0) | 100 % (x 1.0) |" in printed
    assert (data_dir / "figure.svg").stat().st_size > 1000


def test_goes_on_where_it_was(data_dir):
    first = run(data_dir, data_dir / "out.csv")
    assert run(data_dir, data_dir / "out.csv") == first


def test_without_pools(tmp_path, capsys):
    (tmp_path / "pools").mkdir()
    assert main(["choose-k", "--data-dir", str(tmp_path), "--output", str(tmp_path / "out.csv")]) == 2
    assert "holds none of the pools" in capsys.readouterr().err


def test_a_hit_is_within_a_fifth():
    assert [k for k in range(1, 20) if is_hit(k, 10)] == [8, 9, 10, 11, 12]


def test_every_data_set_counts_once():
    common = {"method": "lwea", "rule": "rule", "group": "design", "n_classes": "10"}
    rows = [{**common, "data": "A", "pool": "A1", "k": "10"}, {**common, "data": "A", "pool": "A2", "k": "20"}]
    rows += [{**common, "data": "B", "pool": "B1", "k": "10"} for _ in range(5)]
    hit, off, n_sets = hit_rates(rows)["lwea", "rule"]["design"]
    assert (hit, n_sets) == (0.75, 2)
    assert off == pytest.approx(2**0.25)


def test_cost_in_fits_is_that_of_the_same_draw():
    seconds = {"fit": [0.1, 0.2, 0.4], "rule": [1.0, 1.6, 0.8]}
    rows = [
        {"pool": "A", "run": str(run), "method": method, "rule": rule, "seconds": str(taken)}
        for method in ("lwea", "lwgp")
        for rule, every in seconds.items()
        for run, taken in enumerate(every)
    ]
    said = choice_cost(rows).splitlines()
    assert said[0] == "lwea: one fit 0.20 s, all curves 1.00 s or 8 fits (medians)."
    assert said[1].startswith("lwgp: ")


def test_no_data_set_is_on_both_sides():
    groups = {name: {group_of(pool, name) for pool in pools} - {"given"} for name, pools in DATA_SETS.items()}
    assert all(len(found) <= 1 for found in groups.values())
    assert {"design", "held out"} == set.union(*groups.values())
