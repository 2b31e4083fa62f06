"""Labels into files: next to the ids, all or nothing, and never over something else."""

from __future__ import annotations

import io
import os
import sys

import numpy as np
import pytest

from consensa.io import check_output, read_features, read_labels, write_labels
from consensa.io import write as write_module

LABELS = {"k2": np.array([0, 1, 1], np.int32), "k3": np.array([0, -1, 2], np.int32)}
IDS = np.array(["ä,1", 'say "b"', "c"], dtype=object)


def fails(message, *args, **kwargs):
    with pytest.raises(ValueError, match=message) as caught:
        check_output(*args, **kwargs)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["csv", "tsv", "npz", "parquet"])
@pytest.mark.parametrize("ids", [IDS, None], ids=["ids", "no ids"])
def test_round_trip(tmp_path, ending, ids):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"l.{ending}"
    write_labels(path, LABELS, ids)
    table = read_labels(path)
    assert table.names == ("k2", "k3")
    np.testing.assert_array_equal(table.values, [[0, 0], [1, -1], [1, 1]])
    if ids is not None:
        assert table.ids.tolist() == ids.tolist()
    elif ending == "npz":
        assert table.ids is None
    else:
        assert table.ids.tolist() == ["0", "1", "2"]


def test_text_as_it_stands(tmp_path):
    write_labels(tmp_path / "l.csv", LABELS, IDS)
    assert (tmp_path / "l.csv").read_bytes().decode() == 'id,k2,k3\n"ä,1",0,0\n"say ""b""",1,-1\nc,1,2\n'
    write_labels(tmp_path / "l.tsv", {"label": LABELS["k2"]})
    assert (tmp_path / "l.tsv").read_text() == "row\tlabel\n0\t0\n1\t1\n2\t1\n"


def test_npy_holds_a_vector_or_a_matrix(tmp_path):
    write_labels(tmp_path / "one.npy", {"label": LABELS["k2"]}, IDS)
    one = np.load(tmp_path / "one.npy", allow_pickle=False)
    assert (one.dtype, one.tolist()) == (np.int32, [0, 1, 1])
    write_labels(tmp_path / "two.npy", LABELS)
    assert np.load(tmp_path / "two.npy", allow_pickle=False).tolist() == [[0, 0], [1, -1], [1, 2]]


def test_parquet_types(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    write_labels(tmp_path / "l.parquet", LABELS, IDS)
    assert [str(field.type) for field in pq.read_schema(tmp_path / "l.parquet")] == ["string", "int32", "int32"]


def test_standard_output(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    write_labels("-", {"label": LABELS["k2"]}, IDS)
    assert stream.buffer.getvalue().decode() == 'id,label\n"ä,1",0\n"say ""b""",1\nc,1\n'


def test_places_that_are_refused(tmp_path):
    there = tmp_path / "there.csv"
    there.write_text("old")
    fails(r"there\.csv: exists already; give force=True to overwrite it", there)
    check_output(there, force=True)
    fails("is the input itself, which is never overwritten", there, force=True, source=there)
    check_output(there, force=True, source=tmp_path / "other.csv")
    fails(r"the folder .*nowhere does not exist; make it first", tmp_path / "nowhere" / "l.csv")
    (tmp_path / "folder.csv").mkdir()
    fails("is a folder; give the name of a file", tmp_path / "folder.csv", force=True)
    fails(r"the ending '\.doc' is not known", tmp_path / "l.doc")
    check_output("-")


def test_read_only_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    fails("cannot be written; the folder .* is read-only", tmp_path / "l.csv")


def test_input_behind_a_link_is_never_overwritten(tmp_path):
    (tmp_path / "x.csv").write_text("x\n1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "x.csv")
    fails("is the input itself", tmp_path / "link.csv", force=True, source=tmp_path / "x.csv")


def test_an_existing_file_is_kept_without_force(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("old")
    with pytest.raises(ValueError, match="exists already"):
        write_labels(path, LABELS)
    assert path.read_text() == "old"
    write_labels(path, LABELS, force=True)
    assert path.read_text().startswith("row,k2,k3\n")
    assert [p.name for p in tmp_path.iterdir()] == ["l.csv"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_left_of_a_failed_write(tmp_path, monkeypatch, failure):
    path = tmp_path / "l.csv"
    path.write_text("old")

    def half(stream, *_):
        stream.write(b"id,label\n0,")
        raise failure

    monkeypatch.setattr(write_module, "_write", half)
    with pytest.raises(type(failure)):
        write_labels(path, LABELS, force=True)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["l.csv"]


def test_the_file_appears_only_when_complete(tmp_path, monkeypatch):
    path = tmp_path / "l.csv"
    seen = []
    real = write_module._write_text

    def watch(*args):
        real(*args)
        seen.append(path.exists())

    monkeypatch.setattr(write_module, "_write_text", watch)
    write_labels(path, LABELS)
    assert seen == [False]
    assert path.exists()


def test_links_and_permissions_survive(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_labels(tmp_path / "link.csv", LABELS, force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("row,")
    mask = os.umask(0o022)
    try:
        write_labels(tmp_path / "new.csv", LABELS)
    finally:
        os.umask(mask)
    assert (tmp_path / "new.csv").stat().st_mode & 0o777 == 0o644


def test_written_labels_are_no_features_by_accident(tmp_path):
    write_labels(tmp_path / "l.csv", {"label": LABELS["k2"]})
    assert read_features(tmp_path / "l.csv").names == ("label",)
