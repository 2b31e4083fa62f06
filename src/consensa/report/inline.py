"""A report that has not been written to a file: shown in notebooks, saved on request."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from consensa._notebook import in_frame
from consensa.report.page import render_page
from consensa.report.write import write_content

if TYPE_CHECKING:
    import os

__all__ = ["Report"]

_HEIGHT = 780
_ALLOWED = "allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox"  # not to reach the notebook


class Report:
    """The evidence for a clustering; notebooks show it as a page, ``save`` writes it.

    Parameters
    ----------
    content : dict
        From :func:`~consensa.report.report_content`.

    Attributes
    ----------
    html : str
        The page, which loads nothing and is below 500 KB.

    Examples
    --------
    >>> from consensa import LWEA
    >>> report = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]).report()
    >>> report
    Report(2 clusters in 6 objects)
    >>> report.html.startswith("<!doctype html>")
    True
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    @cached_property
    def html(self) -> str:
        """The page as HTML."""
        return render_page(self.content)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> None:  # noqa: A002
        """Write the report.

        Parameters
        ----------
        path : path
            Ends in .html or .json, if ``format`` is None.
        format : {"html", "json"} or None, default=None
            None for what the ending of the path says.
        force : bool, default=False
            Whether an existing file may be replaced.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from consensa import LWEA
        >>> report = LWEA(n_clusters=2).fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]).report()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     target = pathlib.Path(folder, "report.html")
        ...     report.save(target)
        ...     target.read_text(encoding="utf-8") == report.html
        True
        """
        write_content(path, self.content, format=format, force=force)

    def __repr__(self) -> str:
        summary = self.content["summary"]
        return f"Report({summary['n_clusters']} clusters in {summary['n_objects']} objects)"

    def _repr_html_(self) -> str:
        return in_frame(self.html, self.content["title"], _HEIGHT, _ALLOWED)
