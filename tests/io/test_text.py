"""Features and labels from CSV and TSV: what is recognised, what is refused and how it is said."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest

from consensa import ConsensaWarning
from consensa.io import read_features, read_labels
from consensa.io import text as text_module
from consensa.io.layout import Layout
from consensa.io.tables import read_table


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file and return its path."""

    def put(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def fails(read, path, message, **layout):
    with pytest.raises(ValueError, match=message) as caught:
        read(path, **layout)
    told = str(caught.value)
    assert "\n" not in told
    assert told.endswith(".")
    return told


# --- what a feature file says about itself


def test_header_and_named_ids(write):
    table = read_features(write("ID,x,y\nb,1,2\na,3.5,-4e1\n"))
    assert table.names == ("x", "y")
    assert table.ids.tolist() == ["b", "a"]
    np.testing.assert_array_equal(table.values, [[1, 2], [3.5, -40]])
    assert table.notes == ("the first line is the header", "the ids are in column 'ID'")


@pytest.mark.parametrize("name", ["id", "Name", "SAMPLE", "index", "", "patient_id", "Unnamed: 0", "barcode"])
def test_names_that_are_taken_for_ids(write, name):
    table = read_features(write(f"{name},x,y\n7,1,2\n8,3,4\n"))
    assert table.ids.tolist() == ["7", "8"]
    assert table.names == ("x", "y")


def test_numeric_column_with_another_name_is_a_feature(write):
    table = read_features(write("width,x\n7,1\n8,3\n"))
    assert table.ids is None
    assert table.names == ("width", "x")
    assert "there is no id column" in table.notes


def test_text_in_the_first_column_is_ids_if_all_differ(write):
    table = read_features(write("flower,x\nrose,1\niris,3\n"))
    assert table.ids.tolist() == ["rose", "iris"]
    fails(read_features, write("flower,x\nrose,1\nrose,3\n"), r"column 'flower' holds 'rose' in line 2, which is not a")


def test_a_feature_column_with_a_bad_cell_is_not_taken_for_ids(write, monkeypatch):
    path = write("x,y\n5.1,1\noops,2\n4.9,3\n")
    fails(read_features, path, "column 'x' holds 'oops' in line 3, which is not a number")
    monkeypatch.setattr(text_module, "_BLOCK_ROWS", 1)
    fails(read_features, path, "column 'x' holds 'oops' in line 3, which is not a number")
    fails(read_features, write("x,y\noops,1\n5.1,2\n4.9,3\n"), "column 'x' holds 'oops' in line 2")
    fails(read_features, write("x,y\nu,1\n,2\nv,3\n"), "column 'x' holds 'u' in line 2")


def test_no_header(write):
    table = read_features(write("1,2\n3,4\n"))
    assert table.names == ("0", "1")
    assert table.n_rows == 2
    assert table.notes[0] == "there is no header line"


def test_no_header_with_text_ids(write):
    table = read_features(write("r1,1,2\nr2,3,4\n"))
    assert table.ids.tolist() == ["r1", "r2"]
    np.testing.assert_array_equal(table.values, [[1, 2], [3, 4]])


def test_names_of_samples_with_underscores_are_not_numbers(write):
    table = read_features(write("10_1,1,2\n10_2,3,4\n"))
    assert table.ids.tolist() == ["10_1", "10_2"]


def test_index_of_a_frame_without_names(write):
    table = read_features(write(",0,1\n0,5,6\n1,7,8\n"))
    assert table.ids.tolist() == ["0", "1"]
    assert table.names == ("0", "1")


@pytest.mark.parametrize("first", ["0,1,2", "5.1,abc,1.4", ",5,6"])
def test_header_that_cannot_be_told_is_refused(write, first):
    path = write(f"{first}\n4,5,6\n7,8,9\n")
    told = fails(read_features, path, "it cannot be told whether the first line")
    assert "header=True or header=False" in told
    assert first in told
    assert read_features(path, header=True, id_column=None).n_rows == 2


def test_missing_value_in_the_first_line_is_not_a_header(write):
    fails(read_features, write("5,NA,6\n7,8,9\n"), "column '1' holds 'NA' in line 1, which is a missing value")


def test_header_given(write):
    path = write("0,1,2\n3,4,5\n")
    assert read_features(path, header=True).names == ("0", "1", "2")
    assert read_features(path, header=False).n_rows == 2


def test_first_column_that_counts_the_rows_is_refused(write):
    path = write("t,x\n" + "".join(f"{i},{i % 3}\n" for i in range(1, 12)))
    fails(read_features, path, r"the first column \('t'\) counts the rows; give id_column=0 .* or id_column=None")
    assert read_features(path, id_column="t").names == ("x",)
    assert read_features(path, id_column=None).names == ("t", "x")
    assert read_features(path, columns=["t"]).names == ("t",)


def test_id_name_with_repeated_values_is_refused(write):
    path = write("sample,x\n1,5\n1,6\n2,7\n")
    fails(read_features, path, r"\('sample'\) looks like ids, but '1' occurs more than once")
    assert read_features(path, id_column="sample").ids.tolist() == ["1", "1", "2"]
    assert read_features(path, id_column=None).names == ("sample", "x")


def test_columns_by_name_and_number(write):
    path = write("id,a,b,c\nu,1,2,x\nv,4,5,y\n")
    assert read_features(path, columns=["b", "a"]).values.tolist() == [[2, 1], [5, 4]]
    assert read_features(path, columns=[1, "2"]).names == ("a", "b")
    assert read_features(path, columns=["a", "b"], id_column="c").ids.tolist() == ["x", "y"]
    fails(read_features, path, r"there is no column 'd'; the 4 columns are 'id', 'a', 'b', 'c' \(or by", columns=["d"])
    fails(read_features, path, "column 'a' is named twice", columns=["a", "a"])
    fails(read_features, path, "column 'id' is named twice", columns=["id", "a"], id_column="id")
    fails(read_features, write("a,a\n1,2\n"), "2 columns are called 'a'; give the number", columns=["a"])
    fails(read_features, write("x\na\nb\n"), "the only column is the id column", id_column=0)


def test_a_single_column_is_never_the_ids(write):
    assert read_features(write("id\n4\n5\n")).names == ("id",)


# --- bad cells and bad files


@pytest.mark.parametrize(
    ("cell", "fault"),
    [("abc", "not a number"), ("", "a missing value"), ("NA", "a missing value"), ("nan", "a missing value"),
     ("inf", "not finite"), ("1_000", "not a number"), ("1,5", "not a number"), ("0x1F", "not a number")],
)  # fmt: skip
def test_cells_that_are_no_features(write, cell, fault):
    quoted = f'"{cell}"' if "," in cell else cell
    told = fails(read_features, write(f"x,y\n1,2\n3,{quoted}\n"), f"which is {fault}")
    assert f"t.csv: column 'y' holds {cell!r} in line 3" in told


def test_the_first_bad_cell_is_found_in_a_later_block(write, monkeypatch):
    monkeypatch.setattr(text_module, "_BLOCK_ROWS", 2)
    path = write("x,y\n1,2\n3,4\n5,6\n7,oops\n")
    fails(read_features, path, "column 'y' holds 'oops' in line 5")


@pytest.mark.parametrize("quote", ["", '"'])
def test_ragged_rows(write, quote):
    path = write(f"x,y\n{quote}1{quote},2\n3\n")
    fails(read_features, path, "line 3 has 1 cell, but the first line has 2; all must have the same")
    fails(read_labels, write(f"x,y\n{quote}1{quote},2\n3,4,5\n"), "line 3 has 3 cells, but the first line has 2")


def test_lines_are_counted_across_quoted_line_breaks(write):
    fails(read_features, write('name,y\n"a\nb",2\nc,oops\n'), "column 'y' holds 'oops' in line 4")


@pytest.mark.parametrize("read", [read_features, read_labels])
@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "t.csv", "the file is empty"),
        (b"\n\n", "t.csv", "the first line is blank"),
        (b"\n1,2\n", "t.csv", "the first line is blank"),
        (b"id,x\n", "t.csv", "there is a header, but no row of data"),
        (b"x,y\n1,2\n\n3,4\n", "t.csv", "line 3 has 1 cell"),
        (b"x,y\n1,caf\xe9\n", "t.csv", r"is not UTF-8 text \(byte 0xe9\); save it as UTF-8"),
        ("x,y\n1,2\n".encode("utf-16"), "t.csv", "expected CSV, but the file starts like UTF-16 text; save it as"),
        (b"x,y\n1,\x00\x01\n", "t.csv", "is a binary file, not text"),
        (b'x,y\n1,"2\n', "t.csv", r"cannot be read as CSV \(unexpected end of data\); a quote may be open"),
        (b'x,y\n"1"2,3\n', "t.csv", "cannot be read as CSV"),
        (b"\x1f\x8b\x08\x00rest", "t.tsv", "expected TSV, but the file starts like a gzip file; unpack it first"),
        (b"PK\x03\x04rest", "t.csv", "expected CSV, but the file starts like a zip archive"),
        (b"\x80\x04\x95pickle", "t.csv", "starts like a pickle, and nothing is ever unpickled"),
        (b"1,2", "t.xlsx", r"sheets are not read; save the sheet as CSV"),
        (b"1,2", "t.npy.gz", r"only \.csv\.gz and \.tsv\.gz are unpacked here; unpack it first \(gunzip t\.npy\.gz\)"),
        (b"1,2", "t.csv.gz", r"cannot be read"),
        (b"1,2", "t.xyz", r"the ending '\.xyz' is not known; use one of \.csv, \.tsv, \.npy, \.npz, \.parquet"),
        (b"1,2", "noending", "the ending '' is not known"),
    ],
)
def test_unreadable_files(write, read, content, name, message):
    fails(read, write(content, name), message)


def test_files_that_are_not_there(tmp_path):
    fails(read_features, tmp_path / "no.csv", r"no\.csv: there is no such file")
    (tmp_path / "folder.csv").mkdir()
    fails(read_labels, tmp_path / "folder.csv", "is a folder, not a file")


def test_permission_denied(write, monkeypatch):
    path = write("1,2\n")

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    fails(read_features, path, "cannot be read; permission denied")


# --- ways to write text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(write, end, last):
    table = read_features(write(end.join(["id,x", "a,1", "b,2"]) + (end + end if last else "")))
    assert table.ids.tolist() == ["a", "b"]
    assert table.values.tolist() == [[1], [2]]


def test_byte_order_mark_unicode_and_quotes(write):
    content = '\ufeffid,"größe, cm"\n"Müller, ""A""",1\n"zwei\nZeilen",2\n'.encode()
    table = read_features(write(content))
    assert table.names == ("größe, cm",)
    assert table.ids.tolist() == ['Müller, "A"', "zwei\nZeilen"]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_found_out(write, delimiter):
    path = write("id,x,y\na,1,2\nb,3,4\n".replace(",", delimiter))
    assert read_features(path).values.tolist() == [[1, 2], [3, 4]]
    assert read_features(path, delimiter=delimiter).names == ("x", "y")


def test_tsv_keeps_commas_in_cells(write):
    table = read_features(write("id\tx\na,b\t1\nc,d\t2\n", "t.tsv"))
    assert table.ids.tolist() == ["a,b", "c,d"]


def test_blanks_around_cells(write):
    table = read_features(write("id, x , y\n a , 1 , 2\n b, 3, 4 \n"))
    assert table.names == ("x", "y")
    assert table.ids.tolist() == ["a", "b"]


def test_standard_input(monkeypatch):
    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    pipe(b"id\tx\na\t1\nb\t2\n")
    assert read_features("-").ids.tolist() == ["a", "b"]
    pipe(b"1;2\n1;3\n")
    assert read_labels("-").values.tolist() == [[0, 0], [0, 1]]
    pipe(b"")
    fails(read_features, "-", "standard input: the file is empty")


@pytest.mark.parametrize("rows_per_block", [1, 3, 1000])
@pytest.mark.parametrize("quote", ["", '"'])
def test_blocks_do_not_matter(write, monkeypatch, rows_per_block, quote):
    monkeypatch.setattr(text_module, "_BLOCK_ROWS", rows_per_block)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    lines = [f"{quote}s{i}{quote}," + ",".join(map(repr, row)) for i, row in enumerate(X.tolist())]
    table = read_features(write("\n".join(["id,a,b,c", *lines])))
    np.testing.assert_array_equal(table.values, X)
    assert table.ids.tolist() == [f"s{i}" for i in range(20)]
    labels = rng.integers(0, 4, size=(20, 3))
    cells = [[f"c{v}" if i == 15 and j == 1 else str(v) for j, v in enumerate(row)] for i, row in enumerate(labels)]
    found = read_labels(write("\n".join(["a,b,c", *map(",".join, cells)])))
    for j in (0, 2):
        np.testing.assert_array_equal(found.values[:, j], np.unique(labels[:, j], return_inverse=True)[1])
    words = np.array([str(v) for v in labels[:, 1]])
    words[15] = f"c{labels[15, 1]}"
    np.testing.assert_array_equal(found.values[:, 1], np.unique(words, return_inverse=True)[1])


# --- labels


def test_labels_of_all_kinds(write):
    table = read_labels(write("id,n,s,f\na,3,x,1.0\nb,-1,,2.0\nc,03,NA,\nd,7,y,1\n"))
    assert table.names == ("n", "s", "f")
    assert table.ids.tolist() == ["a", "b", "c", "d"]
    assert table.values.dtype == np.int32
    np.testing.assert_array_equal(table.values, [[0, 0, 0], [-1, -1, 1], [0, -1, -1], [1, 1, 0]])


@pytest.mark.parametrize("cell", ["", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "None", "<NA>", "-1"])
def test_missing_labels(write, cell):
    table = read_labels(write(f"a,b\n1,x\n2,{cell}\n{cell},y\n1,x\n"))
    np.testing.assert_array_equal(table.values, [[0, 0], [1, -1], [-1, 1], [0, 0]])


def test_another_number_for_missing(write):
    path = write("a,b\n1,x\n0,0\n-1,y\n")
    np.testing.assert_array_equal(read_labels(path, missing=0).values, [[1, 0], [-1, -1], [0, 1]])
    np.testing.assert_array_equal(read_labels(path, missing=None).values, [[2, 1], [1, 0], [0, 2]])


def test_minus_one_beside_a_single_label_warns(write):
    path = write("a,b\n1,1\n-1,2\n1,1\n")
    with pytest.warns(ConsensaWarning, match=r"column 'a' of .*t\.csv holds only 1 and -1; -1 was read as a missing"):
        table = read_labels(path)
    assert table.values[:, 0].tolist() == [0, -1, 0]
    assert read_labels(path, missing=None).values[:, 0].tolist() == [1, 0, 1]


def test_empty_cells_beside_a_single_label_do_not_warn(write):
    assert read_labels(write("a,b\n1,1\n,2\n1,1\n")).values[:, 0].tolist() == [0, -1, 0]


def test_large_integers_stay_apart(write):
    big = 2**60
    assert read_labels(write(f"a\n{big}\n{big + 1}\n{big}\n")).values[:, 0].tolist() == [0, 1, 0]
    beyond = read_labels(write(f"a\n{big}\n{big + 1}\n{big}\n{10**30}\n{10**30}\n"))
    assert beyond.values[:, 0].tolist() == [1, 2, 1, 0, 0]  # as texts


def test_measurements_are_no_labels(write):
    told = fails(read_labels, write("a,b\n1,0.5\n2,3\n"), r"column 'b' of .* holds 0\.5: labels are names of clusters")
    assert "EnsembleClustering" in told
    assert read_labels(write("a\nv0.5\n0.5\nv0.5\n")).values[:, 0].tolist() == [1, 0, 1]


def test_label_header_rules(write):
    for content, names, n_rows in [
        ("1,2\n1,3\n", ("0", "1"), 2),
        ("first,second\n1,2\n1,3\n", ("first", "second"), 2),
        ("x,y\nx,z\nw,y\n", ("0", "1"), 3),
        ("a,b\nx,u\nx,v\n", ("a", "b"), 2),
        ("x,1\ny,2\nx,1\n", ("0", "1"), 3),
        ("label\nx\ny\nx\n", ("label",), 3),
        ("0\n1\n0\n", ("0",), 3),
        ("x\n\ny\nx", ("0",), 4),
    ]:
        table = read_labels(write(content))
        assert (table.names, table.n_rows) == (names, n_rows), content


@pytest.mark.parametrize("content", ["0,1\n2,0\n", "x,a\nx,1\ny,2\n", "1,a\n2,3\n1,4\n", ",1\n2,3\n"])
def test_label_headers_that_cannot_be_told(write, content):
    fails(read_labels, write(content), "it cannot be told whether the first line")


def test_a_label_column_is_not_dropped_as_ids(write):
    rows = [f"o{i},{i % 2}" for i in range(12)]
    path = write("\n".join(["object7,a", *rows]))
    fails(read_labels, path, r"the first column \('object7'\) holds another label in every row; give id_column=0")
    assert read_labels(path, id_column="object7").ids[1] == "o1"
    assert read_labels(path, id_column=None).values[:, 0].max() == 11
    assert read_labels(write("cluster_x,b\n" + "1,2\n1,3\n" * 6)).names == ("cluster_x", "b")


def test_repeated_values_under_an_id_name_are_refused(write):
    path = write("cluster_id,b\n1,2\n1,3\n")
    told = fails(read_labels, path, r"\('cluster_id'\) looks like ids, but '1' occurs more than once")
    assert re.search("id_column=None", told)
    assert read_labels(path, id_column=None).names == ("cluster_id", "b")


def test_a_folder_is_refused_as_one(tmp_path):
    with pytest.raises(ValueError, match="this is a folder; name a file in it"):
        read_features(tmp_path)


def test_texts_under_other_names(tmp_path):
    for name, sign in (("a.txt", ";"), ("a.dat", ","), ("a.tab", "\t")):
        (tmp_path / name).write_text(f"x{sign}y\n1{sign}2\n3{sign}4\n")
        table = read_features(tmp_path / name)
        assert table.names == ("x", "y")
        assert table.values.tolist() == [[1, 2], [3, 4]]


def test_an_id_column_without_a_name_is_told_by_its_place(tmp_path):
    (tmp_path / "a.csv").write_text(",x,plan\n" + "".join(f"{i},{i * i % 7},{'ab'[i % 2]}\n" for i in range(12)))
    table = read_table(tmp_path / "a.csv", Layout())
    assert table.notes[1] == "the ids are in column 0, which has no name"
    assert (table.id_name, table.ids[3]) == ("id", "3")
