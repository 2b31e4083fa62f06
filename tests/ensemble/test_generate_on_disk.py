"""Base clusterings of features on disk: the labels of the run in memory, whatever the chunks; stops and faults."""

from __future__ import annotations

import errno
import json

import numpy as np
import pytest

from consensa.generate import KMeansPartitions, RPCLPartitions, USPECPartitions
from consensa.generate import chunked as generate_module
from consensa.generate.chunked import generate_labels
from consensa.io import rows as rows_module
from consensa.io.rows import RowStore, WorkFolder, smallest_dtype


def features(n=1500, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


GENERATORS = {
    "k-means": lambda: KMeansPartitions(4, (2, 9), sample_size=400, random_state=1),
    "u-spec": lambda: USPECPartitions(2, (3, 7), n_representatives=40, sample_size=400, random_state=1),
    "all rows": lambda: KMeansPartitions(3, (2, 9), random_state=1),
}


class Stop(Exception):
    """What a test raises in the middle."""


@pytest.mark.parametrize("name", sorted(GENERATORS))
@pytest.mark.parametrize("chunk_rows", [97, 1500])
def test_labels_are_those_of_the_run_in_memory(tmp_path, name, chunk_rows):
    X = features()
    wanted = GENERATORS[name]().fit_transform(X)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "X32.npy", X.astype(np.float32))
    found = np.load(generate_labels(tmp_path / "X.npy", GENERATORS[name](), tmp_path / "a.npy", chunk_rows=chunk_rows))
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.load(generate_labels(X, GENERATORS[name](), tmp_path / "b.npy")), wanted)
    pieces = [X[:500], X[500:501], X[501:]]
    np.testing.assert_array_equal(np.load(generate_labels(pieces, GENERATORS[name](), tmp_path / "c.npy")), wanted)
    single = GENERATORS[name]().fit_transform(X.astype(np.float32))
    path = generate_labels(tmp_path / "X32.npy", GENERATORS[name](), tmp_path / "d.npy", chunk_rows=chunk_rows)
    np.testing.assert_array_equal(np.load(path), single)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["X.npy", "X32.npy", "a.npy", "b.npy", "c.npy", "d.npy"]


def test_parquet_features(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    X = features()
    parquet.write_table(pa.table(list(X.T), names=["a", "b", "c"]), tmp_path / "X.parquet", row_group_size=311)
    found = generate_labels(tmp_path / "X.parquet", GENERATORS["k-means"](), tmp_path / "a.npy", chunk_rows=100)
    np.testing.assert_array_equal(np.load(found), GENERATORS["k-means"]().fit_transform(X))


@pytest.mark.parametrize("name", ["k-means", "u-spec"])
def test_a_stopped_run_goes_on(tmp_path, monkeypatch, name):
    X = features()
    done = []

    def stop_after_five(stage, n_done, n_rows):
        if stage == "assigning":
            done.append(n_done)
            if len(done) == 6:
                raise Stop

    with pytest.raises(Stop):
        generate_labels(X, GENERATORS[name](), tmp_path / "a.npy", chunk_rows=100, progress=stop_after_five)
    assert not (tmp_path / "a.npy").exists()
    assert (tmp_path / "a.npy.parts" / "model.npz").exists()
    stages = []

    def never(*_):
        raise AssertionError

    monkeypatch.setattr(generate_module, "picked_rows", never)  # the fitted model is kept
    generate_labels(
        X,
        GENERATORS[name](),
        tmp_path / "a.npy",
        chunk_rows=70,
        progress=lambda stage, n_done, n_rows: stages.append((stage, n_done)),
    )
    assert stages[:2] == [("assigning", 500), ("assigning", 560)]  # 500 rows were there
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), GENERATORS[name]().fit_transform(X))
    assert not (tmp_path / "a.npy.parts").exists()


def test_parts_of_another_run_are_not_used(tmp_path):
    X = features()

    def stop(stage, n_done, n_rows):
        if stage == "assigning":
            raise Stop

    with pytest.raises(Stop):
        generate_labels(X, GENERATORS["k-means"](), tmp_path / "a.npy", chunk_rows=100, progress=stop)
    other = GENERATORS["k-means"]().set_params(random_state=2)
    with pytest.raises(ValueError, match=r"holds the parts of another run \(its parameters differ\)"):
        generate_labels(X, other, tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"its first row differ"):
        generate_labels(X + 1, GENERATORS["k-means"](), tmp_path / "a.npy")
    generate_labels(X, other, tmp_path / "a.npy", restart=True)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), other.fit_transform(X))


def test_a_full_disk_keeps_what_is_done(tmp_path, monkeypatch):
    X = features()
    append, calls = RowStore.append, []

    def full(self, rows):
        calls.append(len(rows))
        if len(calls) == 4:
            self._file.write(b"half a chunk")
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, rows)

    monkeypatch.setattr(RowStore, "append", full)
    with pytest.raises(OSError, match="No space left"):
        generate_labels(X, GENERATORS["k-means"](), tmp_path / "a.npy", chunk_rows=100)
    calls[:] = [0] * 10
    generate_labels(X, GENERATORS["k-means"](), tmp_path / "a.npy", chunk_rows=100)
    assert len(calls) == 10 + 12  # 3 of 15 chunks were there
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), GENERATORS["k-means"]().fit_transform(X))


def test_a_chunk_with_other_columns_is_said(tmp_path):
    X = features()
    with pytest.raises(ValueError, match=r"chunk 1 \(rows 700 to 1499\) has 2 columns"):
        generate_labels([X[:700], X[700:, :2]], GENERATORS["k-means"](), tmp_path / "a.npy")
    broken = X.copy()
    broken[901, 1] = np.nan  # not in the sample
    with pytest.raises(ValueError, match=r"chunk 9 \(rows 900 to 999\).*NaN"):
        generate_labels(broken, GENERATORS["k-means"](), tmp_path / "b.npy", chunk_rows=100)
    with RowStore(tmp_path / "b.npy.parts" / "labels.npy", 4, np.uint8) as store:
        assert store.n_rows == 900
    assert not (tmp_path / "b.npy").exists()


@pytest.mark.parametrize(
    ("generator", "out", "message"),
    [
        (RPCLPartitions(2, random_state=0), "a.npy", "RPCLPartitions cannot cluster data in chunks"),
        (KMeansPartitions(2), "a.npy", "random_state=None is not allowed here"),
        (KMeansPartitions(2, random_state=0), "a.csv", "a name that ends in .npy"),
        (KMeansPartitions(2, random_state=0), "none/a.npy", "does not exist; make it first"),
    ],
)
def test_bad_arguments(tmp_path, generator, out, message):
    with pytest.raises(ValueError, match=message):
        generate_labels(features(50), generator, tmp_path / out)


def test_no_rows(tmp_path):
    with pytest.raises(ValueError, match="no rows"):
        generate_labels([], GENERATORS["k-means"](), tmp_path / "a.npy")


def test_a_restored_generator_is_the_fitted_one():
    X, new = features(), features(200, seed=5)
    for name in ("k-means", "u-spec"):
        fitted = GENERATORS[name]().fit(X)
        restored = GENERATORS[name]().restore(fitted.model_arrays())
        np.testing.assert_array_equal(restored.transform(new), fitted.transform(new))
        assert restored.cluster_numbers() == fitted.cluster_numbers()
    assert RPCLPartitions(2).model_arrays() is None
    assert RPCLPartitions(2).cluster_numbers() is None
    with pytest.raises(ValueError, match="RPCLPartitions cannot be restored"):
        RPCLPartitions(2).restore({})


def filled(path, n_chunks=5):
    with RowStore(path, 2, np.int16) as store:
        for chunk in range(n_chunks):
            store.append(np.full((10, 2), chunk))


def test_store_goes_on_after_the_last_whole_chunk(tmp_path, monkeypatch):
    path = tmp_path / "x.npy"
    for damage in (
        lambda data: data[:-7],  # cut off
        lambda data: data[:-7] + b"\0\x09" + data[-5:],  # another byte
        lambda data: data + b"more",
    ):
        monkeypatch.setattr(rows_module, "_READ_BYTES", 16)
        filled(path)
        data = path.read_bytes()
        path.write_bytes(damage(data))
        with RowStore(path, 2, np.int16) as store:
            whole = store.n_rows
            assert whole == (50 if len(damage(data)) > len(data) else 40)
            for chunk in range(whole // 10, 5):
                store.append(np.full((10, 2), chunk))
            store.finish()
        np.testing.assert_array_equal(np.load(path), np.repeat(np.arange(5), 10)[:, None] * np.ones((1, 2)))
        assert not (tmp_path / "x.npy.chunks").exists()


def test_store_ignores_half_an_entry_and_other_types(tmp_path):
    path = tmp_path / "x.npy"
    filled(path)
    entries = tmp_path / "x.npy.chunks"
    entries.write_text(entries.read_text()[:-4])
    with RowStore(path, 2, np.int16) as store:
        assert store.n_rows == 40
    with RowStore(path, 2, np.int32) as store:
        assert store.n_rows == 0
    assert [json.loads(line) for line in entries.read_text().splitlines()] == []


def test_work_folder(tmp_path):
    work = WorkFolder(tmp_path / "w", {"a": 1})
    assert work.is_new
    assert work.get("x") is None
    assert work.load_arrays("m") is None
    work.save_arrays("m", {"c": np.arange(3)})
    again = WorkFolder(tmp_path / "w", {"a": 1})
    assert not again.is_new
    np.testing.assert_array_equal(again.load_arrays("m")["c"], np.arange(3))
    (tmp_path / "w" / "m.npz").write_bytes(b"PK damaged")
    assert again.load_arrays("m") is None or pytest.fail("read damaged arrays")
    assert WorkFolder(tmp_path / "w", {"a": 2}, restart=True).load_arrays("m") is None


def test_smallest_types():
    assert smallest_dtype(257) == np.uint16
    assert smallest_dtype(128, signed=True) == np.int8
    assert smallest_dtype(70_000) == np.int32
