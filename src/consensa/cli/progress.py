"""Progress of long runs on standard error: rows, rows per second, time left."""

from __future__ import annotations

import sys
import time

from consensa.cli.terminal import say, shows_progress

__all__ = ["Progress", "duration"]

_SECONDS_ON_TERMINAL = 0.5
_SECONDS_IN_LOG = 10.0


class Progress:
    """Says how far a stage is: often on a terminal, every ten seconds in a log, and once when a stage is done.

    Parameters
    ----------
    quiet : bool

    Examples
    --------
    >>> Progress(quiet=True)("reading", 10, 100)
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = shows_progress(quiet=quiet)
        self._stage = ""
        self._first = (0, 0.0)  # rows and time when the stage was heard of first
        self._before = self._heard = self._told = time.monotonic()

    def __call__(self, stage: str, n_done: int, n_rows: int | None) -> None:
        """Take note that ``n_done`` of ``n_rows`` rows (None: not known) are through a stage."""
        if self._quiet:
            return
        now = time.monotonic()
        if stage != self._stage or n_done <= self._first[0]:
            self._stage, self._first, self._before, self._told = stage, (n_done, now), self._heard, now
        self._heard = now
        is_last = n_rows is not None and n_done >= n_rows
        if is_last or now - self._told >= (_SECONDS_ON_TERMINAL if self._live else _SECONDS_IN_LOG):
            self._tell(self._text(n_done, n_rows, now, is_last=is_last), is_last=is_last)
            self._told = now

    def _text(self, n_done: int, n_rows: int | None, now: float, *, is_last: bool) -> str:
        rows, since = self._first if n_done > self._first[0] else (0, self._before)
        pace = (n_done - rows) / max(now - since, 1e-3)
        if is_last or n_rows is None:
            return f"{self._stage}: {n_done:,} rows, {pace:,.0f} rows/s"
        left = duration((n_rows - n_done) / max(pace, 1e-9))
        return f"{self._stage}: {n_done:,} of {n_rows:,} rows, {pace:,.0f} rows/s, {left} left"

    def _tell(self, text: str, *, is_last: bool) -> None:
        if not self._live:
            say(text + ".")
            return
        sys.stderr.write(f"\r\x1b[Kconsensa: {text}" + ("\n" if is_last else ""))
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Write a time for people.

    Examples
    --------
    >>> duration(3.2), duration(75), duration(7322)
    ('3 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
