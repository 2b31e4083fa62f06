"""How far the work is: progress bars (text on a terminal, widgets in a notebook that has them), and stages by name."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["begin_stage", "progress_bar", "stages_told"]


def progress_bar(items: Iterable[Any], **options: Any) -> Iterator[Any]:
    """Show how far a loop is.

    Parameters
    ----------
    items : iterable
    **options
        Of tqdm, such as ``total`` and ``desc``.

    Returns
    -------
    iterator over the items

    Examples
    --------
    >>> list(progress_bar([1, 2], disable=True))
    [1, 2]
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets: the bar is text there
        from tqdm.auto import tqdm
    return iter(tqdm(items, **options))


_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


@contextmanager
def stages_told(listener: Callable[[str], None]) -> Iterator[None]:
    """Tell a function which stage of the work begins, for as long as the context lasts.

    Examples
    --------
    >>> with stages_told(print):
    ...     begin_stage("consensus")
    consensus
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def begin_stage(name: str) -> None:
    """Say that a stage of the work begins; nothing happens where nobody listens.

    Examples
    --------
    >>> begin_stage("consensus")
    """
    listener = _listener.get()
    if listener is not None:
        listener(name)
