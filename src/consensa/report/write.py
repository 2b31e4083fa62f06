"""From a fitted model to a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consensa.io.write import write_document
from consensa.report.content import report_content
from consensa.report.page import render_page

if TYPE_CHECKING:
    import os

    from consensa._types import FittedModel

__all__ = ["report_format", "write_content", "write_report"]

_ENDINGS = {".html": "html", ".htm": "html", ".json": "json"}


def write_report(
    path: str | os.PathLike[str],
    model: FittedModel,
    *,
    format: str | None = None,  # noqa: A002 - the word that people look for
    force: bool = False,
    **details: Any,
) -> None:
    """Write the report of a fitted model.

    Parameters
    ----------
    path : path
        Ends in .html or .json, if ``format`` is None.
    model : fitted estimator
    format : {"html", "json"} or None, default=None
    force : bool, default=False
        Whether an existing file may be replaced.
    **details
        Arguments of :func:`~consensa.report.report_content`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consensa import LWEA
    >>> model = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = pathlib.Path(folder, "report.html")
    ...     write_report(target, model)
    ...     len(target.read_bytes()) < 500_000
    True
    """
    report_format(path, format)  # its errors come before the work
    write_content(path, report_content(model, **details), format=format, force=force)


def write_content(
    path: str | os.PathLike[str],
    content: dict[str, Any],
    *,
    format: str | None = None,  # noqa: A002
    force: bool = False,
) -> None:
    """Write the content of a report as a page or as JSON, by the word given or by the ending of the path."""
    if report_format(path, format) == "json":
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
    else:
        text = render_page(content)
    write_document(path, text, force=force)


def report_format(path: str | os.PathLike[str], format: str | None = None) -> str:  # noqa: A002
    """Return "html" or "json", by the word given or by the ending of the path.

    Examples
    --------
    >>> report_format("r.html"), report_format("r.txt", "json")
    ('html', 'json')
    >>> report_format("r.pdf")
    Traceback (most recent call last):
    ...
    ValueError: r.pdf: a report is written as .html or .json; choose one of these endings.
    """
    if format is None:
        found = _ENDINGS.get(Path(path).suffix.lower())
        if found is None:
            msg = f"{path}: a report is written as .html or .json; choose one of these endings."
            raise ValueError(msg)
        return found
    if format not in _ENDINGS.values():
        msg = f"format={format!r} is not allowed: choose 'html' or 'json'."
        raise ValueError(msg)
    return format
