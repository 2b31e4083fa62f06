"""The published figures, under the names of our result files."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studies.reproduce.declare import MEAN
from studies.reproduce.papers import get_paper
from studies.reproduce.schema import setting_parts, setting_text
from studies.statistics import mean_of

if TYPE_CHECKING:
    from pathlib import Path

    from studies.reproduce.declare import Reading

__all__ = ["PublishedCell", "match", "published_cells"]


@dataclass(frozen=True)
class PublishedCell:
    """One published figure.

    Parameters
    ----------
    dataset, method, setting : str
        As in our result files.
    k_rule, metric : str
        As in ``published.csv``; the readings of an exhibit say which of ours they are.
    mean, std : float or None
    doubt : bool
        Whether the figure is probably a slip of the paper.
    """

    dataset: str
    method: str
    setting: str
    k_rule: str
    metric: str
    mean: float
    std: float | None
    doubt: bool


def published_cells(data_dir: Path, paper: str, table: str) -> list[PublishedCell]:
    """Return the figures of a published table; none without a file ``published.csv``, or if none was printed.

    M is no part of the setting, because no published figure varies it. For a table that shows means over data sets, the
    means over those that we have follow after the printed ones.
    """
    exhibit = get_paper(paper).exhibit(table)
    cells = _read(data_dir, paper, exhibit.published or exhibit.name)
    if exhibit.averaged:
        single = [cell for block in exhibit.blocks for cell in _read(data_dir, paper, block)]
        cells += _means(single, len(exhibit.blocks))
    cells = [replace(cell, setting=ours) for cell in cells for ours in exhibit.alike.get(cell.setting, (cell.setting,))]
    return cells + [
        PublishedCell(*place, "", metric, mean, None, doubt=False) for *place, metric, mean in exhibit.stated
    ]


def _read(data_dir: Path, paper: str, table: str) -> list[PublishedCell]:
    path = data_dir / "published.csv"
    if not path.is_file():
        return []
    renamed = get_paper(paper).renamed
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["paper"], row["table"]) == (paper, table) and row["mean"]]
    return [
        PublishedCell(
            row["dataset"],
            renamed.get(row["method"], row["method"]),
            setting_text({name: value for name, value in setting_parts(row["param"]).items() if name != "M"}),
            row["k_rule"],
            row["metric"],
            float(row["mean"]),
            float(row["std"]) if row["std"] else None,
            "doubt:" in row["source_note"],
        )
        for row in rows
    ]


def _means(cells: list[PublishedCell], n_datasets: int) -> list[PublishedCell]:
    groups: dict[tuple[str, str, str, str], list[PublishedCell]] = {}
    for cell in cells:
        groups.setdefault((cell.method, cell.setting, cell.k_rule, cell.metric), []).append(cell)
    return [
        PublishedCell(MEAN, *key, mean_of(cell.mean for cell in group), None, any(cell.doubt for cell in group))
        for key, group in groups.items()
        if len(group) == n_datasets
    ]


def match(cells: list[PublishedCell], reading: Reading) -> dict[tuple[str, str, str], PublishedCell]:
    """Return the published cells that a reading stands beside, by our (data set, method, setting)."""
    return {
        (cell.dataset, cell.method, reading.settings.get(cell.setting, cell.setting)): cell
        for cell in cells
        if (cell.metric, cell.k_rule) == (reading.published_metric, reading.published_rule)
    }
