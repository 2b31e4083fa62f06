"""The speed benchmarks run on made-up data."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


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
        for kind in ("LWEC", "PTGP"):
            np.savez(tmp_path / "pools" / f"{kind}_{name}.npz", members=members, gt=truth)
    return tmp_path


def run(*arguments):
    from bench.__main__ import main

    return main([str(argument) for argument in arguments])


def read(path):
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def test_twins_agree_with_the_library(data_dir):
    from bench.data import load_pool
    from bench.speed.twins import cluster_index, lwea_twin, lwgp_twin
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
    from bench import child
    from bench.speed import processes

    monkeypatch.setattr(processes, "run_child", child.main)


def test_speed_against_twins(data_dir, capsys, in_this_process):
    out = data_dir / "speed.csv"
    request = ["speed", "--parts", "twins", "--pool", "Toy", "--repeats", 2, "--data-dir", data_dir, "--output", out]
    assert run(*request) == 0
    rows = {row["case"]: row for row in read(out)}
    assert list(rows) == ["LWEA", "LWEA twin", "LWGP", "LWGP twin"]
    assert all(float(row["seconds"]) > 0 and float(row["peak_mib"]) > 1 for row in rows.values())
    assert "LWGP: the twin takes" in capsys.readouterr().out


def test_measurements_run_in_a_process_of_their_own(tmp_path):
    from bench.speed.processes import run_child

    path = tmp_path / "labels.npy"
    np.save(path, np.arange(300).reshape(100, 3) % [2, 3, 4])
    figures = run_child({"action": "twin", "path": str(path), "method": "lwea", "n_clusters": 2, "repeats": 1})
    assert figures["seconds"] > 0
    with pytest.raises(RuntimeError, match="failed: FileNotFoundError"):
        run_child({"action": "fit", "path": "none.npy", "method": "lwea", "n_clusters": 2, "repeats": 1})


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak can be reset on Linux only")
def test_peak_memory_is_that_of_the_call():
    from bench.child import measure

    kept = np.ones(80 * 2**20 // 8)
    small = measure(lambda: None, 1)["peak_mib"]
    large = measure(lambda: np.ones(100 * 2**20 // 8).sum(), 1)["peak_mib"]
    assert 90 < large - small < 130
    assert small > kept.nbytes / 2**20


def test_startup_figures(monkeypatch):
    from bench.speed import processes
    from bench.speed.report import startup_report

    def fails_at_help(arguments, **environment):
        return (np.nan, np.nan) if "--help" in arguments else (0.5, 0.4)

    monkeypatch.setattr(processes, "_time_python", fails_at_help)
    report = startup_report(processes.startup(repeats=1))
    assert "import consensa, beyond numpy" in report
    assert report.count("failed") == 1


def test_trajectories_against_dense_products(data_dir, capsys):
    assert run("trajectory", "--pool", "Toy", "--n-clusters", 3, "--data-dir", data_dir) == 0
    shown = capsys.readouterr().out
    assert "trajectory similarity: ours" in shown
    assert "PTGP, end to end: ours" in shown
    assert float(shown.split("largest difference ")[1].split()[0]) < 1e-6
    assert run("trajectory", "--pool", "None", "--data-dir", data_dir) == 2
    assert "there is no pool 'None'; there are Other, Toy" in capsys.readouterr().err


def test_command_line_runs_from_the_root(data_dir):
    command = [sys.executable, "-m", "bench", "restarts", "--pools", "Toy", "--n-init", "1", "2", "--draws", "2"]
    options = ["--seeds", "2", "--data-dir", str(data_dir)]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split()[:2] == ["pool", "n_init"]
    assert len([line for line in done.stdout.splitlines() if line.startswith("mean")]) == 2
