"""What makes every cluster what it is: the features that set it apart, with effect sizes, in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from consensa._groups import membership
from consensa.columns import Column
from consensa.report.columns import usual_values
from consensa.report.subject import spread_sample
from consensa.report.text import clean, clean_all
from consensa.report.wording import share_text, value_text, way_text

if TYPE_CHECKING:
    from consensa.report.subject import Subject

__all__ = ["MAX_PORTRAITS", "portraits"]

MAX_PORTRAITS = 60
_MOST_VALUES = 4_000_000  # of the sample of objects that is looked at
_MOST_OBJECTS, _FEWEST_OBJECTS = 20_000, 1000
_MOST_FEATURES = 80  # looked at closely
_MOST_TRAITS = 6  # of a cluster
_TOLD = 4  # of these in its sentence
_TELLING = 0.33  # effects below are not told
_SLIGHT = 0.15  # and below this not even listed
_N_TYPICAL = 3
_WORD = 40  # characters of a name or a level
_ID_BYTES = 12_000


@dataclass(frozen=True, eq=False)
class Trait:
    """A feature that sets a cluster apart from the other clusters.

    ``effect`` is Cliff's delta in [-1, 1]: how much more often an object of the cluster has the larger value than an
    object of the rest, and not the other way round; for a level it is the difference of its shares.
    """

    feature: str
    kind: str
    effect: float
    inside: str
    outside: str
    text: str


def portraits(subject: Subject) -> dict[str, Any]:
    """Describe the largest clusters: how many objects, the most typical of them, and what sets them apart.

    ``n_objects`` looked at; ``clusters`` with ``size``, ``share`` of all objects, ``text`` ("" without features),
    ``typical`` and ``traits``, each with ``feature``, ``kind``, ``effect``, ``inside``, ``outside``, ``text``;
    ``usual`` values of the columns of a table among all objects and in every cluster (empty without a table).
    """
    shown = min(subject.n_clusters, MAX_PORTRAITS)
    found, usual, n_objects = _all_traits(subject, shown)
    typical = _typical(subject, shown)
    names = clean_all([name for own in typical for name in own], _ID_BYTES)
    start = np.cumsum([0, *map(len, typical)])
    return {
        "n_objects": n_objects,
        "usual": usual,
        "clusters": [
            {
                "size": int(subject.sizes[c]),
                "share": round(float(subject.sizes[c] / subject.labels.size), 4),
                "text": "; ".join(trait.text for trait in traits[:_TOLD] if abs(trait.effect) >= _TELLING),
                "typical": names[start[c] : start[c + 1]],
                "traits": [{**vars(trait), "effect": round(trait.effect, 3)} for trait in traits],
            }
            for c, traits in enumerate(found)
        ],
    }


def _all_traits(subject: Subject, shown: int) -> tuple[list[list[Trait]], list[list[str]], int]:
    """Traits of the first clusters, strongest first, usual values, and the number of objects that they are of."""
    if subject.features is None:
        return [[] for _ in range(shown)], [], 0
    wanted = int(np.clip(_MOST_VALUES // subject.features.n_features, _FEWEST_OBJECTS, _MOST_OBJECTS))
    rows = spread_sample(subject.labels, subject.sizes, wanted)
    groups = np.asarray(subject.labels[rows])
    values = np.asarray(subject.features.pick(rows), float)
    columns = _columns(subject)
    usual = [] if subject.columns is None else usual_values(columns, values, groups)
    found: list[list[Trait]] = [[] for _ in range(shown)]
    for j in _promising(values, groups, columns):
        for c, trait in enumerate(_traits_of(columns[j], values[:, j], groups, shown)):
            if trait is not None and abs(trait.effect) >= _SLIGHT:
                found[c].append(trait)
    strongest = [sorted(traits, key=lambda trait: -abs(trait.effect))[:_MOST_TRAITS] for traits in found]
    return strongest, usual, int(rows.size)


def _columns(subject: Subject) -> list[Any]:
    """What the features are; plain numbers, unless the model knows the columns of a table."""
    if subject.columns is not None:
        return list(subject.columns)
    n_features = 0 if subject.features is None else subject.features.n_features
    names = subject.feature_names
    return [Column(f"feature {j}" if names is None else str(names[j]), "number") for j in range(n_features)]


def _promising(values: np.ndarray, groups: np.ndarray, columns: list[Any]) -> np.ndarray:
    """All features, or of very many those whose means differ most between the clusters."""
    if len(columns) <= _MOST_FEATURES:
        return np.arange(len(columns))
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.nanstd(values, axis=0)
        standard = np.nan_to_num((values - np.nanmean(values, axis=0)) / np.where(spread > 0, spread, 1.0))
    counts = np.bincount(groups)
    means = membership(groups, counts.size, np.ones(groups.size)) @ standard / np.maximum(counts, 1)[:, None]
    return np.sort(np.argsort(-np.abs(means).max(axis=0), kind="stable")[:_MOST_FEATURES])


def _traits_of(column: Any, values: np.ndarray, groups: np.ndarray, shown: int) -> list[Trait | None]:
    """The trait of every cluster in one column: by its values, its levels, or by who has no value at all."""
    known = ~np.isnan(values)
    absent = 1.0 - _mean_by_group(known.astype(float), groups)
    elsewhere = _elsewhere(1.0 - known, groups)
    by_level = column.kind in ("category", "boolean")
    usual = (_level_traits if by_level else _number_traits)(column, values[known], groups[known], shown)
    found: list[Trait | None] = []
    for c in range(shown):
        gap = absent[c] - elsewhere[c]
        trait = usual[c]
        if abs(gap) >= _TELLING and (trait is None or abs(gap) > abs(trait.effect)):
            name, inside, outside = clean(column.name, _WORD), share_text(absent[c]), share_text(elsewhere[c])
            trait = Trait(name, "gap", float(gap), inside, outside, f"{name}: no value {inside}, elsewhere {outside}")
        found.append(trait)
    return found


def _number_traits(column: Any, values: np.ndarray, groups: np.ndarray, shown: int) -> list[Trait | None]:
    """Whether the values of a cluster lie above or below the rest."""
    found: list[Trait | None] = [None] * shown
    n = values.size
    if n < 2 or values.min() == values.max():
        return found
    ranks = rankdata(values)
    size = np.bincount(groups, minlength=shown)
    sums = np.bincount(groups, ranks, shown)
    name = clean(column.name, _WORD)
    for c in np.flatnonzero((size[:shown] > 0) & (size[:shown] < n)):
        wins = sums[c] - size[c] * (size[c] + 1) / 2
        effect = float(2 * wins / (size[c] * (n - size[c])) - 1)
        # the mean of the middle two is that of their halves, whose sum always fits
        inside, outside = (2 * float(np.median(values[(groups == c) == own] / 2)) for own in (True, False))
        a, b = value_text(column, inside, outside)
        told = f"{name} {way_text(column.kind, effect)} the rest (median {a} against {b})"
        found[c] = Trait(name, column.kind, effect, a, b, told)
    return found


def _level_traits(column: Any, values: np.ndarray, groups: np.ndarray, shown: int) -> list[Trait | None]:
    """The level whose share in the cluster differs most from that elsewhere."""
    found: list[Trait | None] = [None] * shown
    if not values.size:
        return found
    codes = values.astype(np.int64)
    n_levels = int(codes.max()) + 1
    table = np.zeros((max(int(groups.max()) + 1, shown), n_levels))
    np.add.at(table, (groups, codes), 1.0)
    total = table.sum(axis=0)
    name = clean(column.name, _WORD)
    words = [*column.levels] or ["no", "yes"]
    for c in range(shown):
        own, rest = table[c].sum(), total.sum() - table[c].sum()
        if not own or not rest:
            continue
        here, there = table[c] / own, (total - table[c]) / rest
        gain = here - there
        level = int(gain.argmax() if gain.max() >= _TELLING else np.abs(gain).argmax())
        if column.kind == "boolean":
            level = n_levels - 1
        inside, outside = share_text(here[level]), share_text(there[level])
        word = clean(words[level], _WORD)
        told = f"{name}: {word} {inside}, elsewhere {outside}"
        found[c] = Trait(name, column.kind, float(gain[level]), f"{word} {inside}", f"{word} {outside}", told)
    return found


def _mean_by_group(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    return np.bincount(groups, values) / np.maximum(np.bincount(groups), 1)


def _elsewhere(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Mean over the objects of all other groups."""
    sums, counts = np.bincount(groups, values), np.bincount(groups)
    return (sums.sum() - sums) / np.maximum(counts.sum() - counts, 1)


def _typical(subject: Subject, shown: int) -> list[list[Any]]:
    """Ids of the objects of the highest confidence in every cluster, of those in the sample."""
    labels, sure = np.asarray(subject.labels[subject.sample]), subject.sample_confidence
    order = np.lexsort((subject.sample, -sure, labels))
    found = []
    for c in range(shown):
        own = order[np.searchsorted(labels[order], c) :][:_N_TYPICAL]
        found.append(subject.id_of(np.sort(subject.sample[own[labels[own] == c]])))
    return found
