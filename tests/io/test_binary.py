"""NPY, NPZ and Parquet in, and nothing unpickled."""

from __future__ import annotations

import builtins
import io
import pickle
import sys
import zipfile

import numpy as np
import pytest

from consensa import ConsensaWarning
from consensa.io import read_features, read_labels
from consensa.io.large import LabelFile
from consensa.io.layout import Layout
from consensa.scale import as_chunks

X = np.array([[1.5, 2.0, 0.0], [3.0, 4.0, 1.0]])


class Bomb:
    """Marks the module if it is ever unpickled."""

    gone_off = False

    def __reduce__(self):
        return (setattr, (Bomb, "gone_off", True))


def fails(read, path, message, **layout):
    with pytest.raises(ValueError, match=message) as caught:
        read(path, **layout)
    assert "\n" not in str(caught.value)


def save(path, **arrays):
    np.savez(path, **arrays)
    return path


# --- NPY


def test_npy_features(tmp_path):
    np.save(tmp_path / "x.npy", X)
    table = read_features(tmp_path / "x.npy")
    np.testing.assert_array_equal(table.values, X)
    assert table.names == ("0", "1", "2")
    assert table.ids is None
    assert read_features(tmp_path / "x.npy", id_column=1, columns=[2, 0]).values.tolist() == [[0, 1.5], [1, 3]]
    assert read_features(tmp_path / "x.npy", id_column=1).ids.tolist() == ["2", "4"]


@pytest.mark.parametrize(
    ("dtype", "kept"), [("f4", "f4"), ("f8", "f8"), (">f8", "f8"), ("i2", "f8"), ("u1", "f8"), ("?", "f8")]
)
def test_npy_number_types(tmp_path, dtype, kept):
    np.save(tmp_path / "x.npy", np.asfortranarray(X.astype(dtype)))
    table = read_features(tmp_path / "x.npy")
    assert table.values.dtype == np.dtype(kept)
    np.testing.assert_array_equal(table.values, X.astype(dtype).astype(float))


def test_npy_features_that_are_refused(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, X[0])
    fails(read_features, path, r"the array has shape \(3,\); expected rows x columns. Save it with reshape\(-1, 1\)")
    np.save(path, X[None])
    fails(read_features, path, r"the array has shape \(1, 2, 3\); expected rows x columns")
    np.save(path, X[:0])
    fails(read_features, path, r"the array of shape \(0, 3\) holds nothing")
    np.save(path, X.astype(complex))
    fails(read_features, path, "the array holds complex128 entries; features must be numbers")
    np.save(path, X.astype(str))
    fails(read_features, path, "the array holds <U32 entries")
    np.save(path, np.array([[1, np.nan]]))
    fails(read_features, path, "column '1' holds 'nan' in row 0, which is a missing value")
    np.save(path, np.array([[1, 2], [-np.inf, 2]]))
    fails(read_features, path, "column '0' holds '-inf' in row 1, which is not finite")
    np.save(path, np.column_stack([np.arange(12), np.ones(12)]))
    fails(read_features, path, r"the first column \('0'\) counts the rows")
    assert read_features(path, id_column=0).ids[-1] == "11"


def test_npy_labels(tmp_path):
    path = tmp_path / "l.npy"
    np.save(path, np.array([[3, 5], [-1, 5], [9, 6]]))
    np.testing.assert_array_equal(read_labels(path).values, [[0, 0], [-1, 0], [1, 1]])
    assert read_labels(path, missing=None).values[:, 0].tolist() == [1, 0, 2]
    np.save(path, np.array(["b", "NA", "a", "b", "-1"]))
    assert read_labels(path).values.tolist() == [[1], [-1], [0], [1], [-1]]
    np.save(path, np.array([1.0, np.nan, 2.0]))
    assert read_labels(path).values.tolist() == [[0], [-1], [1]]
    np.save(path, np.array([[True], [False]]))
    assert read_labels(path).values.tolist() == [[1], [0]]
    np.save(path, np.array([b"x", b"y", b"x"]))
    assert read_labels(path).values.tolist() == [[0], [1], [0]]


def test_npy_labels_that_are_refused(tmp_path):
    path = tmp_path / "l.npy"
    np.save(path, np.array([[0.5], [1.0]]))
    fails(read_labels, path, r"column '0' of .*l\.npy holds 0\.5: labels are names of clusters, not measurements")
    np.save(path, np.zeros((2, 2), dtype="datetime64[s]"))
    fails(read_labels, path, r"the array holds datetime64\[s\] entries; labels must be whole numbers or texts")
    np.save(path, np.column_stack([np.arange(10) * 7, np.arange(10) % 2]))
    fails(read_labels, path, r"the first column \('0'\) holds another label in every row")
    np.save(path, np.array([[1], [-1], [1]]))
    with pytest.warns(ConsensaWarning, match="holds only 1 and -1"):
        read_labels(path)


# --- damaged, disguised and dangerous


@pytest.mark.parametrize("read", [read_features, read_labels])
def test_nothing_is_unpickled(tmp_path, read):
    path = tmp_path / "x.npy"
    np.save(path, np.array([[Bomb(), 1]], dtype=object), allow_pickle=True)
    fails(read, path, "holds Python objects, and nothing is ever unpickled")
    path.write_bytes(pickle.dumps(Bomb()))
    fails(read, path, "expected NPY, but the file starts like a pickle, and nothing is ever unpickled")
    archive = save(tmp_path / "x.npz", a=np.array([Bomb()], dtype=object))
    fails(read, archive, "holds Python objects, and nothing is ever unpickled")
    save(archive, a=X, ids=np.array([Bomb(), 1], dtype=object))
    fails(read, archive, "holds Python objects")
    assert not Bomb.gone_off


@pytest.mark.parametrize("read", [read_features, read_labels])
def test_cut_off_and_damaged_arrays(tmp_path, read):
    np.save(tmp_path / "x.npy", np.ones((100, 3)))
    whole = (tmp_path / "x.npy").read_bytes()
    path = tmp_path / "cut.npy"
    for length in (1, 7, 9, 60, 130, len(whole) - 1):
        path.write_bytes(whole[:length])
        fails(read, path, "damaged or")
    path.write_bytes(b"")
    fails(read, path, "the file is empty")
    path.write_bytes(b"1,2\n3,4\n")
    fails(read, path, "expected NPY, but the file does not start like one; it is damaged or of another kind")
    path.write_bytes(whole[:20].replace(b"\x93NUMPY\x01", b"\x93NUMPY\x09") + whole[20:])
    fails(read, path, "damaged or cut off")


def test_huge_shape_in_a_small_file(tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**13, 10)})
    (tmp_path / "x.npy").write_bytes(head.getvalue() + b"\0" * 80)
    fails(read_features, tmp_path / "x.npy", "damaged or cut off")


def test_npz(tmp_path):
    path = save(tmp_path / "x.npz", only=X)
    np.testing.assert_array_equal(read_features(path).values, X)
    save(path, a=X, b=X + 1)
    fails(read_features, path, r"holds 2 arrays \(a, b\); choose one with array='NAME'")
    np.testing.assert_array_equal(read_features(path, array="b").values, X + 1)
    fails(read_features, path, "there is no array 'c'; the arrays are a, b", array="c")
    save(path, a=X, ids=np.array(["ä", "b"]), names=np.array(["p", "q", "r"]))
    table = read_features(path)
    assert table.ids.tolist() == ["ä", "b"]
    assert table.names == ("p", "q", "r")
    assert table.notes == ("the ids are stored with it",)
    assert read_features(path, id_column=None).ids is None
    save(path, a=X, ids=np.array([7, 8]))
    assert read_features(path).ids.tolist() == ["7", "8"]
    save(path, a=X, ids=np.array([7, 8, 9]))
    assert read_features(path).ids is None


def test_npz_that_is_damaged(tmp_path):
    path = save(tmp_path / "x.npz", a=np.arange(1000.0).reshape(-1, 2))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    fails(read_features, path, "damaged or cut off")
    path.write_bytes(whole[:200] + bytes(50) + whole[250:])
    fails(read_features, path, "damaged or cut off")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "hello")
    fails(read_features, path, "the chosen part is not an array")
    with zipfile.ZipFile(path, "w"):
        pass
    fails(read_features, path, "holds 0 arrays")


# --- Parquet


@pytest.fixture
def parquet(tmp_path):
    """Write columns to a Parquet file and return its path."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    def put(columns, name="t.parquet"):
        pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), tmp_path / name)
        return tmp_path / name

    return put


def test_parquet_features(parquet):
    path = parquet({"sample": ["u", "v"], "a": [1, 2], "b": [0.5, 1.5], "c": [True, False]})
    table = read_features(path)
    assert table.names == ("a", "b", "c")
    assert table.ids.tolist() == ["u", "v"]
    np.testing.assert_array_equal(table.values, [[1, 0.5, 1], [2, 1.5, 0]])
    assert read_features(path, columns=["b"], id_column="a").ids.tolist() == ["1", "2"]
    assert read_features(parquet({"flower": ["u", "v"], "a": [1, 2]})).ids.tolist() == ["u", "v"]


def test_parquet_features_that_are_refused(parquet):
    fails(
        read_features, parquet({"a": [1, 2], "s": ["x", "x"]}), "column 's' holds 'x' in row 0, which is not a number"
    )
    fails(
        read_features, parquet({"s": ["x", "x"], "a": [1, 2]}), "column 's' holds 'x' in row 0, which is not a number"
    )
    fails(read_features, parquet({"a": [1, None]}), "column 'a' holds 'nan' in row 1, which is a missing value")
    fails(read_features, parquet({"a": []}), "has 0 rows and 1 columns, so there is nothing to read")


def test_parquet_labels(parquet):
    pa = pytest.importorskip("pyarrow")
    big = 2**60
    path = parquet(
        {
            "id": [1, 2, 3],
            "n": [big, None, big + 1],
            "s": ["b", "a", None],
            "c": pa.array(["y", None, "x"]).dictionary_encode(),
            "f": [1.0, float("nan"), 2.0],
        }
    )
    table = read_labels(path)
    assert table.ids.tolist() == ["1", "2", "3"]
    np.testing.assert_array_equal(table.values, [[0, 1, 1, 0], [-1, 0, -1, -1], [1, -1, 0, 1]])
    fails(read_labels, parquet({"a": [0.5, 1.0]}), r"column 'a' of .* holds 0\.5: labels are names of clusters")


def test_index_of_a_pandas_frame(parquet, tmp_path):
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["r1", "r2"]).to_parquet(tmp_path / "p.parquet")
    table = read_features(tmp_path / "p.parquet")
    assert table.ids.tolist() == ["r1", "r2"]
    assert table.names == ("a", "b")


def test_damaged_parquet(parquet):
    path = parquet({"a": list(range(100))})
    whole = path.read_bytes()
    for content in (whole[:40], whole[:-3]):
        path.write_bytes(content)
        fails(read_features, path, "cannot be read as Parquet; the file is damaged or cut off")
    path.write_bytes(b"a,b\n1,2\n")
    fails(read_features, path, "expected PARQUET, but the file does not start like one")
    path.write_bytes(whole)
    renamed = path.rename(path.with_suffix(".csv"))
    fails(read_features, renamed, "expected CSV, but the file starts like a Parquet file")


@pytest.mark.parametrize("as_dictionary", [False, True])
def test_parquet_texts_that_are_no_utf8(parquet, as_dictionary):
    """pyarrow reads them, and fails with words of its own when they are asked for."""
    pa = pytest.importorskip("pyarrow")
    texts = pa.array([b"a", b"\xb1\xff", b"a", b"b"]).cast(pa.binary()).view(pa.string())
    path = parquet(pa.table({"id": texts.dictionary_encode() if as_dictionary else texts, "a": [0, 1, 1, 0]}))
    fails(read_features, path, "cannot be read as Parquet; the file is damaged or cut off")
    fails(read_labels, path, "cannot be read as Parquet; the file is damaged or cut off")
    with pytest.raises(ValueError, match="cannot be read as Parquet; the file is damaged or cut off"):
        next(LabelFile(str(path), Layout(), -1).ids())
    fails(lambda place: list(as_chunks(place).blocks()), path, "cannot be read as Parquet; the file is damaged")


def test_parquet_without_pyarrow(parquet, monkeypatch):
    path = parquet({"a": [1.0, 2.0]})
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("pyarrow")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    fails(read_features, path, r"Parquet needs pyarrow; install it with pip install pyarrow")
