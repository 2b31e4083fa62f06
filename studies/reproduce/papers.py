"""All papers, by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.reproduce import paper000, paper001, paper002, paper003, paper004

if TYPE_CHECKING:
    from studies.reproduce.declare import Paper

__all__ = ["PAPERS", "get_paper"]

PAPERS: dict[str, Paper] = {
    module.PAPER.name: module.PAPER for module in (paper000, paper001, paper002, paper003, paper004)
}


def get_paper(name: str) -> Paper:
    """Return the paper of that number."""
    if name in PAPERS:
        return PAPERS[name]
    msg = f"paper {name!r} is not known; choose one of: {', '.join(PAPERS)}, all."
    raise ValueError(msg)
