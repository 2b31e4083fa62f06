"""Progress bars: text on a terminal, widgets in a notebook that has them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["progress_bar"]


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
