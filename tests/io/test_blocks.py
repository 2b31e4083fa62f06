"""Tables are read in blocks of bounded size, however wide their rows and however long their texts."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from consensa.io import read_labels
from consensa.io.large import FeatureFile, LabelFile
from consensa.io.layout import Layout

MIB = 1 << 20


def peak_of_reading(file, ids=False):
    tracemalloc.start()
    for block in file.ids() if ids else file._raw_blocks():
        del block
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("quoted", [False, True])
def test_long_labels_and_ids_in_text(tmp_path, quoted):
    long = "y" * 8000
    with (tmp_path / "long.csv").open("w") as stream:
        stream.write("id,a,b\n")
        for i in range(6_000):
            stream.write(f'"{i}{long}",{i % 3},1\n' if quoted else f"{i}{long},{i % 3},1\n")
    file = LabelFile(str(tmp_path / "long.csv"), Layout(), -1)
    assert peak_of_reading(file) < 36 * MIB
    assert peak_of_reading(file, ids=True) < 36 * MIB
    assert sum(len(block) for block in file.ids()) == 6_000


def test_long_ids_in_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ids = [f"{i}{'y' * 8000}" for i in range(6_000)]
    pq.write_table(pa.table({"id": ids, "a": [i % 3 for i in range(6_000)]}), tmp_path / "long.parquet")
    sizes = [len(block[0]) for block in LabelFile(str(tmp_path / "long.parquet"), Layout(), -1)._raw_blocks()]
    assert sum(sizes) == 6_000
    assert max(sizes) * 8000 < 16 * MIB


def test_wide_features_in_arrays(tmp_path):
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).normal(size=(2_000, 4_000)))
    file = FeatureFile(str(tmp_path / "wide.npy"), Layout())
    sizes = [block.shape for block in file.blocks()]
    assert sum(rows for rows, _ in sizes) == 2_000
    assert max(rows * columns * 8 for rows, columns in sizes) <= 16 * MIB


def test_texts_take_time_in_proportion_to_the_columns(tmp_path):
    """Every line is cut once, not once for every column."""
    seconds = []
    for n_columns in (200, 800):
        words = [[f"w{(i * j) % 5}" for j in range(n_columns)] for i in range(400)]
        names = [f"c{j}" for j in range(n_columns)]
        (tmp_path / "t.csv").write_text("".join(",".join(row) + "\n" for row in [names, *words]))
        start = time.process_time()
        table = read_labels(tmp_path / "t.csv", id_column=None)
        seconds.append(time.process_time() - start)
        assert table.values.shape == (400, n_columns)
    assert seconds[1] < 9 * seconds[0]  # 16 times where every column cuts the lines again
