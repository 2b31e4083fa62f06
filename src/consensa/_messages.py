"""What the user is told: messages that name parameters, and warnings of our own kind at the user's line."""

from __future__ import annotations

import sys
import traceback
import warnings
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["ConsensaWarning", "Message", "Parameter", "Term", "meant", "warn"]

_LONGEST = 300  # characters of a cell or name in a message
_SHOWN = 40
_OWN_FILES = str(Path(__file__).parent)


@dataclass(frozen=True)
class Term:
    """Words that a user of Python knows, and a user of the command line by other words.

    Examples
    --------
    >>> str(Term("save()"))
    'save()'
    """

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Parameter(Term):
    """A parameter of a public function, with the value that the message is about; without it, it is about any value.

    ``of`` is the kind of file, where the command line has a flag for each.

    Examples
    --------
    >>> str(Parameter("id_column", None)), str(Parameter("columns"))
    ('id_column=None', 'columns=...')
    """

    value: Any = ...
    of: str = ""

    def __str__(self) -> str:
        return f"{self.name}={'...' if self.value is ... else repr(self.value)}"


class Message(str):
    """A text that names parameters as Python does, and that can be told again with other names for them.

    The template has places in braces, as for ``str.format``, for a :class:`Term`, another message, or anything else.

    Examples
    --------
    >>> message = Message("{file}: exists; give {force}.", file="a.csv", force=Parameter("force", True))
    >>> str(ValueError(message))
    'a.csv: exists; give force=True.'
    >>> message.told(lambda term: f"--{term.name}")
    'a.csv: exists; give --force.'
    """

    __slots__ = ("_template", "_values")
    _template: str
    _values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Message:
        """Fill the template; what is as long as no name, number or path is cut off."""
        values = {name: _shortened(value) for name, value in values.items()}
        message = super().__new__(cls, template.format(**values))
        message._template, message._values = template, values
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self._template,), self._values

    def told(self, spell: Callable[[Term], str]) -> str:
        """Return the text with every term as ``spell`` writes it."""
        return self._template.format(**{name: _told(value, spell) for name, value in self._values.items()})


def _shortened(value: Any) -> Any:
    if type(value) is str and len(value) > _LONGEST:
        return f"{value[:_SHOWN]}... ({len(value)} characters)"
    return value


def _told(value: Any, spell: Callable[[Term], str]) -> Any:
    if isinstance(value, Message):
        return value.told(spell)
    return spell(value) if isinstance(value, Term) else value


def meant(word: str, known: Iterable[str]) -> str:
    """Ask whether a known word was meant that is much like the one given; empty if there is none.

    Examples
    --------
    >>> meant("lwae", ["eac", "lwea"]), meant("x", ["eac"])
    (" (did you mean 'lwea'?)", '')
    """
    near = get_close_matches(word.lower(), list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


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
        warnings.warn(ConsensaWarning(message), skip_file_prefixes=(_OWN_FILES,))
        return
    outside = [frame.filename.startswith(_OWN_FILES) for frame in reversed(traceback.extract_stack())].index(False)
    warnings.warn(ConsensaWarning(message), stacklevel=outside + 1)
