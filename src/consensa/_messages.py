"""Warnings of our own kind, pointing at the user's line."""

from __future__ import annotations

import sys
import traceback
import warnings
from pathlib import Path

__all__ = ["ConsensaWarning", "warn"]

_OWN_FILES = str(Path(__file__).parent)


class ConsensaWarning(UserWarning):
    """Something in the input was handled in a documented way that the user may not expect.

    Examples
    --------
    >>> import warnings
    >>> from consensa import Ensemble
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ConsensaWarning)
    ...     ensemble = Ensemble([[4, -1, 4], [0, 1, 1]])
    >>> ensemble.labels[:, 0]
    array([ 0, -1,  0], dtype=int32)
    """


def warn(message: str) -> None:
    """Warn with :class:`ConsensaWarning` at the first frame outside this package."""
    if sys.version_info >= (3, 12):
        warnings.warn(message, ConsensaWarning, skip_file_prefixes=(_OWN_FILES,))
        return
    outside = [frame.filename.startswith(_OWN_FILES) for frame in reversed(traceback.extract_stack())].index(False)
    warnings.warn(message, ConsensaWarning, stacklevel=outside + 1)
