"""Words from users' files, made safe to show: no control characters, no endless names, a bounded number of bytes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["clean", "clean_all", "embed_json"]

_LIMITS = (80, 48, 32, 24, 16, 10)
_REPLACEMENT = "\ufffd"
# Control characters, halves of surrogate pairs, line separators, marks that turn the direction of the text around them.
_UNSAFE = re.compile(
    "[\u0000-\u001f\u007f-\u009f\ud800-\udfff\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def clean(value: Any, limit: int = _LIMITS[0]) -> str:
    r"""Return a word as it can be shown: unsafe characters replaced, the middle of one longer than ``limit`` left out.

    Examples
    --------
    >>> clean("a\x00b"), clean("abcdefghij", limit=5)
    ('a�b', 'abc…j')
    """
    text = str(value)
    if len(text) > limit:
        tail = limit // 3
        text = f"{text[: limit - tail - 1]}…{text[len(text) - tail :]}"
    return _UNSAFE.sub(_REPLACEMENT, text)


def clean_all(values: Iterable[Any], n_bytes: int) -> list[str]:
    """Clean many words and cut them until all fit into ``n_bytes`` of JSON, but never below 10 characters.

    Examples
    --------
    >>> clean_all(["x" * 100, "y"], 50)
    ['xxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxx', 'y']
    """
    words = [clean(value) for value in values]
    for limit in _LIMITS:
        shorter = [clean(word, limit) for word in words]
        if len(embed_json(shorter).encode()) <= n_bytes:
            break
    return shorter


def embed_json(value: Any) -> str:
    r"""Write JSON that can stand inside an HTML script element: nothing in it can end the element.

    Examples
    --------
    >>> embed_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_ESCAPES)
