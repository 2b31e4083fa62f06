"""A finding made as small as possible: rows and columns leave while it stays the same kind of finding."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["keep", "kind_in_a_process", "shrunk"]

_SECONDS = 60
_SHRINK_SECONDS = 30  # for one finding
_SCRIPT = '''"""Shows a finding of the fuzzer: {kind}."""

from pathlib import Path

import numpy as np

from tools.fuzz.worker import ALL

case = dict(np.load(Path(__file__).parent / "case.npz"))
case = {{name: value if value.ndim else value.item() for name, value in case.items()}}
ALL[{area!r}][1](case)
'''


def kind_in_a_process(area: str, case: dict[str, Any]) -> str | None:
    """Run a case in a process of its own; return the kind of what broke."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.npz")
        np.savez(path, **case)
        code = (
            "import sys, json, numpy as np; from tools.fuzz.worker import kind_of; c = dict(np.load(sys.argv[2]));"
            "print(json.dumps(kind_of(sys.argv[1], {n: v if v.ndim else v.item() for n, v in c.items()})))"
        )
        command = [sys.executable, "-c", code, area, str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            return "hang"
    if done.returncode < 0:
        return f"died by signal {-done.returncode}"
    found = json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else ["no answer", done.stderr]
    return None if found is None else str(found[0])


def shrunk(area: str, case: dict[str, Any], kind: str) -> dict[str, Any]:
    """Leave out pieces of rows, columns or bytes, half of them at first, while the kind of finding stays."""
    name = next(key for key in ("labels", "X", "content") if np.ndim(case.get(key, 0)) > 0)
    end = time.monotonic() + _SHRINK_SECONDS
    for axis in range(np.ndim(case[name])):
        piece = case[name].shape[axis] // 2
        while piece >= 1 and time.monotonic() < end:
            start, smaller = 0, False
            while start < case[name].shape[axis] > piece and time.monotonic() < end:
                rest = np.delete(case[name], np.s_[start : start + piece], axis=axis)
                if kind_in_a_process(area, {**case, name: rest}) == kind:
                    case, smaller = {**case, name: rest}, True
                else:
                    start += piece
            piece = piece if smaller and piece > 1 else piece // 2
    return case


def keep(folder: Path, area: str, number: int, case: dict[str, Any], finding: tuple[str, str]) -> Path:
    """Write a finding: the case, what was said, and a script that shows it."""
    kind, detail = finding
    place = folder / f"{area}-{number}"
    place.mkdir(parents=True, exist_ok=True)
    np.savez(place / "case.npz", **case)
    shape = {name: np.shape(value) or value for name, value in case.items()}
    (place / "finding.txt").write_text(
        f"{kind}\n{shape}\npython -m tools.fuzz --area {area} --case {number}\n\n{detail}\n"
    )
    (place / "show.py").write_text(_SCRIPT.format(kind=kind.replace('"', "'"), area=area))
    return place
