"""Pages of the documentation as scripts: run their code blocks, and put what they print in its place.

``python tests/pages.py docs/start.md ...`` writes the pages again with what was printed now.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?"
    r"|^```console\n(?P<session>.*?)^```\n",
    re.DOTALL | re.MULTILINE,
)


def run_page(text: str, folder: Path) -> str:
    """Run the blocks of a page in order, in one namespace and one folder, and return the page with their output."""
    page_module = sys.modules["__page__"] = ModuleType("__page__")  # classes on a page ask for their module
    names = vars(page_module)
    with contextlib.chdir(folder):
        return BLOCK.sub(lambda block: _run(block, names), text)


def _run(block: re.Match[str], names: dict[str, object]) -> str:
    if block["session"] is not None:
        commands = re.findall(r"^\$ (.*)$", block["session"], re.MULTILINE)
        return "```console\n" + "".join(f"$ {command}\n{_shell(command)}" for command in commands) + "```\n"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block["code"], "page", "exec", dont_inherit=True), names)  # noqa: S102 - our own pages
    if block["printed"] is None:
        assert not printed.getvalue(), f"the page does not show what this prints:\n{block['code']}"
        return block[0]
    return f"```python\n{block['code']}```\n\n```text\n{printed.getvalue()}```\n"


def _shell(command: str) -> str:
    """Run a command as the page's reader does, with ``consensa`` being the one of this interpreter."""
    ours = re.sub("^consensa ", f"{sys.executable} -m consensa ", command)
    run = subprocess.run(ours, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # noqa: S602
    assert run.returncode == 0, f"{command}\n{run.stdout}"
    return run.stdout


def main() -> None:
    """Write the pages that are named again."""
    for name in sys.argv[1:]:
        page = Path(name)
        with tempfile.TemporaryDirectory() as folder:
            text = run_page(page.read_text(encoding="utf-8"), Path(folder))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("CONSENSA_NUM_THREADS", "1")
    main()
