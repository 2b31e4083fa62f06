"""Warnings of our own kind, pointing at the user's line."""

from __future__ import annotations

import warnings
from pathlib import Path

__all__ = ["ConsensaWarning", "warn"]

_OWN_FILES = str(Path(__file__).parent)


class ConsensaWarning(UserWarning):
    """Something in the input was handled in a documented way that the user may not expect.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", ConsensaWarning)  # doctest: +SKIP
    """


def warn(message: str) -> None:
    """Warn with :class:`ConsensaWarning` at the first frame outside this package."""
    import sys

    if sys.version_info >= (3, 12):
        warnings.warn(message, ConsensaWarning, skip_file_prefixes=(_OWN_FILES,))
        return
    depth = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN_FILES):
        frame = frame.f_back
        depth += 1
    warnings.warn(message, ConsensaWarning, stacklevel=depth - 1)
