"""The process that runs cases and may die: it says which case comes before it begins, and what became of it after."""

from __future__ import annotations

import faulthandler
import json
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tools.fuzz.clear import check_clear, clear_case
from tools.fuzz.features import check_features, features_case
from tools.fuzz.files import MOST_MEMORY, check_file, file_case
from tools.fuzz.labels import check_labels, labels_case
from tools.fuzz.relations import check_relation, relation_case
from tools.fuzz.rules import Broken
from tools.fuzz.scores import check_scores, scores_case

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ALL", "PAUSE", "kind_of", "main", "name_of"]

# How a case is drawn from its number, and how it is checked; the check says whether there was an answer or a sentence.
Area: TypeAlias = "tuple[Callable[[int], dict[str, Any]], Callable[[dict[str, Any]], bool]]"
ALL: dict[str, Area] = {
    "labels": (labels_case, check_labels),
    "clear": (clear_case, check_clear),
    "features": (features_case, check_features),
    "relations": (relation_case, check_relation),
    "scores": (scores_case, check_scores),
    "files": (file_case, check_file),
}
PAUSE = "pause\n"  # said at the end of a turn
_BEFORE_THE_LIMIT = 200  # cases, until all that is loaded late is there


def name_of(case: dict[str, Any]) -> str:
    """Return the method, generator or kind of file of a case."""
    return str(case.get("name", case.get("kind")))


def kind_of(area: str, case: dict[str, Any]) -> tuple[str, str] | None:
    """Run a case; return the kind of what broke and all about it, None if nothing did."""
    return _outcome(area, case)[0]


def _outcome(area: str, case: dict[str, Any]) -> tuple[tuple[str, str] | None, bool]:
    try:
        return None, ALL[area][1](case)
    except Broken as found:
        return (found.kind, f"{found}\n{traceback.format_exc(limit=-6)}"), True
    except ImportError as missing:
        return None if "consensa[" in str(missing) else ("ImportError", str(missing)), False
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        return (f"{type(error).__name__} in {where.name}", traceback.format_exc(limit=-6)), True


def main(area: str, first: int) -> None:
    """Run cases from the first on, for as many seconds and at most as many cases as each line of the parent says."""
    faulthandler.enable(sys.stderr)
    number = first
    for line in sys.stdin:
        end, most = time.monotonic() + float(line.split()[0]), number + int(line.split()[1])
        while time.monotonic() < end and number < most:
            _run(area, number, number == first + _BEFORE_THE_LIMIT)
            number += 1
        print(PAUSE, end="", flush=True)


def _run(area: str, number: int, bound: bool) -> None:  # noqa: FBT001 - bound from here on
    print(json.dumps({"begins": number}), flush=True)
    if area == "files" and bound:
        _bound_memory(MOST_MEMORY)
    case = ALL[area][0](number)
    found, answered = _outcome(area, case)
    print(json.dumps({"ends": number, "found": found, "answered": answered, "name": name_of(case)}), flush=True)


def _bound_memory(more: int) -> None:
    """From now on, this process may have so many bytes more than it has, where that can be said."""
    try:
        import resource

        sizes = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
        most = 1024 * int(sizes["VmData"].split()[0]) + more
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    except (ImportError, OSError):
        pass


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
