"""Disks that are full or not to be written, two writers of one file, workers that die: one sentence, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

from consensa.generate import EstimatorPartitions
from tools.kills import COMMANDS, killed_and_run_again

pytestmark = pytest.mark.slow


def command(*words):
    return [sys.executable, "-m", "consensa", *map(str, words), "-q"]


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "P.npy"
    np.save(path, np.random.default_rng(0).integers(0, 4, (20_000, 5)))
    return path


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 KiB; who may not mount one does not run the test."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts are those of Linux")
def test_a_full_disk(labels, small_disk):
    for name in ("out.csv", "out.npy"):
        done = subprocess.run(
            command("combine", labels, "-k", 3, "-o", small_disk / name), capture_output=True, text=True, check=False
        )
        assert done.returncode in (1, 2)
        assert "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert "space" in done.stderr
        assert list(small_disk.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="mounts are those of Linux")
def test_a_disk_that_is_not_to_be_written(labels, small_disk):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = subprocess.run(
        command("combine", labels, "-k", 3, "-o", small_disk / "out.csv"), capture_output=True, text=True, check=False
    )
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_two_writers_of_one_file(labels, tmp_path):
    subprocess.run(command("combine", labels, "-k", 3, "-o", tmp_path / "reference.csv"), check=True)
    both = [
        subprocess.Popen(command("combine", labels, "-k", 3, "-o", tmp_path / "out.csv", "--force")) for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "reference.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["P.npy", "out.csv", "reference.csv"]


class Suicide(ClusterMixin, BaseEstimator):
    """A clusterer that takes its process with it."""

    def fit(self, X, y=None):
        os.kill(os.getpid(), signal.SIGKILL)

    def fit_predict(self, X, y=None):
        return self.fit(X)


def test_a_worker_of_joblib_that_dies():
    """It is an error, and soon; a pool that waits for it for ever would be worse."""
    generator = EstimatorPartitions(Suicide(), n_partitions=4, random_state=0, n_jobs=2)
    with joblib.parallel_config("loky"), pytest.raises(Exception, match="terminated"):
        generator.fit(np.random.default_rng(0).normal(size=(30, 2)))


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_killed(tmp_path, kill):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(300, 4)))
    np.save(tmp_path / "P.npy", np.random.default_rng(0).integers(0, 4, (300, 5)))
    words = COMMANDS["combine"]
    subprocess.run(command(*words.split(), "--seed", 0, "-o", "reference.csv"), cwd=tmp_path, check=True)
    assert killed_and_run_again(words, tmp_path, kill, 0.7) == ""
