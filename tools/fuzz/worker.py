"""The process that runs cases and may die: it says which case comes before it begins, and what became of it after."""

from __future__ import annotations

import faulthandler
import json
import sys
import traceback
from typing import Any

from tools.fuzz.checks import AREAS, Broken
from tools.fuzz.readers import check_file, file_case

__all__ = ["ALL", "kind_of", "main"]

ALL = {**AREAS, "files": (file_case, check_file)}


def kind_of(area: str, case: dict[str, Any]) -> tuple[str, str] | None:
    """Run a case; return the kind of what broke and all about it, None if nothing did."""
    try:
        ALL[area][1](case)
    except Broken as found:
        return found.kind, str(found)
    except ImportError as missing:
        return None if "consensa[" in str(missing) else ("ImportError", str(missing))
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {where.name}", traceback.format_exc(limit=-6)
    return None


def main(area: str, first: int, step: int) -> None:
    """Run the cases first, first + step, ... until the parent ends this process."""
    faulthandler.enable(sys.stderr)
    number = first
    while True:
        print(json.dumps({"begins": number}), flush=True)
        case = ALL[area][0](number)
        found = kind_of(area, case)
        print(json.dumps({"ends": number, "found": found, "name": str(case.get("name", case.get("kind")))}), flush=True)
        number += step


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
