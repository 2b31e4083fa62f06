"""Commands that are killed at random moments and run again: nothing is lost, nothing is left, the labels are the same.

Run ``python -m tools.kills --kills 100`` (``make kills``): so many kills of every command by each of SIGKILL, SIGTERM
and SIGINT.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

__all__ = ["COMMANDS", "killed_and_run_again", "main"]

COMMANDS = {
    "run": "run X.npy -k 3 --n-partitions 8",
    "run --memory": "run X.npy -k 3 --n-partitions 8 --method lwgp --generator kmeans --memory 2GB",
    "combine": "combine P.npy -k 3",
    "combine --memory": "combine P.npy -k 3 --method lwgp --memory 2GB",
    "generate": "generate X.npy --n-partitions 8",
    "run -k tested": "run X.npy -k tested --n-partitions 8",
    "test": "test X.npy --n-null 9",
    "test --directory": "test X.npy --n-null 9 --directory kept",
}
_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_ENDS = (0, 1)  # it was through already, or says that it was interrupted


def killed_and_run_again(words: str, folder: Path, kill: signal.Signals, after: float) -> str:
    """Kill a command after some seconds, run it again to the end; return what is wrong, nothing if all is well."""
    command = [sys.executable, "-m", "consensa", *words.split(), "--seed", "0", "-q", "-o", "out.csv"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(kill)
    code = process.wait()
    if code not in (_ENDS if kill != signal.SIGKILL else _ENDS[:1]) and code != -kill:
        return f"exit code {code}"
    finished = (folder / "out.csv").exists()
    if finished and (folder / "out.csv").read_bytes() != (folder / "reference.csv").read_bytes():
        return "half an output was left"
    again = subprocess.run([*command, "--force"], cwd=folder, capture_output=True, text=True, check=False)
    if again.returncode != 0:
        return f"the same command failed afterwards: {again.stderr}"
    if (folder / "out.csv").read_bytes() != (folder / "reference.csv").read_bytes():
        return "the labels differ"
    (folder / "out.csv").unlink()
    shutil.rmtree(folder / "kept", ignore_errors=True)  # which is asked for, and stays until the next kill
    left = sorted(path.name for path in folder.iterdir() if not path.name.endswith(".tmp") or kill != signal.SIGKILL)
    return "" if left == ["P.npy", "X.npy", "reference.csv"] else f"left behind: {left}"


def main() -> int:
    """Kill every command, tell how often it was well."""
    parser = argparse.ArgumentParser(prog="python -m tools.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="of every command by every signal")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=3000, help="of the data")
    parser.add_argument("--only", nargs="*", choices=sorted(COMMANDS), default=list(COMMANDS), help="these commands")
    arguments = parser.parse_args()
    rng, n_wrong = random.Random(arguments.seed), 0  # noqa: S311 - moments, no secrets
    for name in arguments.only:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            np.save(folder / "X.npy", np.random.default_rng(0).normal(size=(arguments.rows, 4)))
            np.save(folder / "P.npy", np.random.default_rng(0).integers(0, 6, (arguments.rows, 10)))
            seconds = _seconds_of(COMMANDS[name], folder)
            for number in range(arguments.kills):
                for kill in _SIGNALS:
                    wrong = killed_and_run_again(COMMANDS[name], folder, kill, rng.uniform(0, 1.1 * seconds))
                    n_wrong += bool(wrong)
                    if wrong:
                        print(f"{name}, kill {number} by {kill.name}: {wrong}", flush=True)
        print(f"{name}: {arguments.kills} kills by each signal", flush=True)
    return int(n_wrong > 0)


def _seconds_of(words: str, folder: Path) -> float:
    """Write the reference; return how long that takes the second time, when the kernels are compiled."""
    for _ in range(2):
        start = time.monotonic()
        whole = [
            sys.executable,
            "-m",
            "consensa",
            *words.split(),
            "--seed",
            "0",
            "-q",
            "-o",
            "reference.csv",
            "--force",
        ]
        subprocess.run(whole, cwd=folder, check=True)
        seconds = time.monotonic() - start
        shutil.rmtree(folder / "kept", ignore_errors=True)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
