"""What a test of the splits found, in lines for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from consensa.choose.significance import Significance
    from consensa.report.subject import Subject

__all__ = ["tested_tree"]

_MAX_LINES = 200


def tested_tree(subject: Subject) -> dict[str, Any] | None:
    """The tree of tested splits from the root down, and a sentence; None where nothing was tested.

    Of every set of objects: ``depth``, ``text``, whether the split stands (``significant``), and ``cluster``, its label
    in the test where it is not split, else -1.
    """
    found: Significance | None = subject.model.significance_
    if found is None:
        return None
    lines = [
        {
            "depth": depth,
            "text": text,
            "significant": bool(split.significant),
            "cluster": split.cluster,
            "n_objects": split.n_objects,
            "p_value": None if np.isnan(split.p_value) else round(float(split.p_value), 4),
        }
        for depth, text, split in found.walk()[:_MAX_LINES]
    ]
    sentence = found.summary()
    return {"sentence": sentence[0].upper() + sentence[1:], "alpha": found.alpha, "lines": lines}
