"""MAT files of both kinds as features and labels, and on the command line."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from consensa.cli import main
from consensa.io import check_output, read_features, read_labels

X = np.array([[1.5, 2.0, 0.0], [3.0, 4.0, 1.0], [2.0, 2.0, 2.0]])
MEMBERS = np.array([[1, 1, 2], [1, 1, 2], [2, 1, 1], [2, 3, 1], [2, 3, 1]])
GT = np.array([[1], [1], [2], [2], [2]])


def fails(read, path, message, **layout):
    with pytest.raises(ValueError, match=message) as caught:
        read(path, **layout)
    assert "\n" not in str(caught.value)


@pytest.fixture
def mat(tmp_path):
    def save(name="x.mat", **variables):
        savemat(tmp_path / name, variables, do_compression=True)
        return tmp_path / name

    return save


@pytest.fixture
def mat73(tmp_path):
    """What MATLAB writes with -v7.3: HDF5 behind a header of 512 bytes, matrices the other way round."""
    h5py = pytest.importorskip("h5py")

    def save(name="x.mat", **variables):
        path = tmp_path / name
        with h5py.File(path, "w", userblock_size=512) as file:
            file.create_group("#refs#")
            for variable, value in variables.items():
                if isinstance(value, dict):
                    file.create_group(variable).attrs["MATLAB_class"] = np.bytes_("struct")
                    continue
                made = file.create_dataset(variable, data=np.asarray(value).T)
                made.attrs["MATLAB_class"] = np.bytes_("char" if made.dtype == np.uint16 else "double")
        with path.open("r+b") as stream:
            stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Nov 16 2026 HDF5 schema 1.00 .")
        return path

    return save


def test_features(mat):
    table = read_features(mat(X=X))
    np.testing.assert_array_equal(table.values, X)
    assert table.names == ("0", "1", "2")
    assert table.ids is None
    assert table.notes[0] == "variable 'X'"
    assert read_features(mat(X=X), columns=["2", "0"], id_column="1").ids.tolist() == ["2", "4", "2"]
    np.testing.assert_array_equal(read_features(mat(X=sp.csc_matrix(X))).values, X)
    np.testing.assert_array_equal(read_features(mat(X=X > 1)).values, X > 1)


def test_a_published_pool(mat):
    path = mat(members=MEMBERS.astype(float), gt=GT.astype(np.uint8))
    table = read_labels(path)
    np.testing.assert_array_equal(table.values, [[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 0]])
    assert table.notes[0] == "variable 'members', gt left out"
    truth = read_labels(path, array="gt")
    assert truth.names == ("gt",)
    np.testing.assert_array_equal(truth.values, [[0], [0], [1], [1], [1]])


def test_the_choice_of_a_variable(mat):
    several = mat(a=X, b=X.T)
    fails(read_features, several, r"holds several; choose one with array='NAME'; the variables are a \(3 x 3 double\)")
    np.testing.assert_array_equal(read_features(several, array="b").values, X.T)
    fails(read_features, several, r"there is no variable 'c'; the variables are a \(3 x 3 double\), b", array="c")
    mixed = mat(s={"x": 1.0}, c=np.array([["a", X]], dtype=object), t="text", X=X)
    np.testing.assert_array_equal(read_features(mixed).values, X)
    fails(read_features, mixed, r"the variable 's' \(1 x 1 struct\) is no matrix of numbers; there are s", array="s")
    fails(read_features, mixed, r"the variable 'c' \(1 x 2 cell\) is no matrix", array="c")
    fails(read_labels, mixed, r"the variable 't' \(1 char\) is no matrix", array="t")
    fails(read_features, mat(s={"x": 1.0}), r"holds no matrix of numbers; the variables are s \(1 x 1 struct\)")
    fails(read_features, mat(), "holds no matrix of numbers; the variables are none")
    fails(read_features, mat(e=np.zeros((0, 3))), r"holds no matrix of numbers; the variables are e \(0 x 3 double\)")
    fails(read_features, mat(e=np.zeros((2, 3, 4))), r"e \(2 x 3 x 4 double\)")
    fails(read_features, mat(z=X + 1j), "the array holds complex128 entries")


def test_vectors(mat):
    for vector in (GT.ravel()[None], GT):
        table = read_labels(mat(gt=vector))
        assert table.names == ("gt",)
        np.testing.assert_array_equal(table.values, [[0], [0], [1], [1], [1]])
    fails(
        read_features, mat(x=X[:1]), r"the variable 'x' has shape \(1, 3\), one object with 3 features; save it trans"
    )
    np.testing.assert_array_equal(read_features(mat(x=X[:, :1])).values, X[:, :1])
    labels = read_labels(mat(x=np.array([[1.0, np.nan, 2.0, -1.0]])))
    np.testing.assert_array_equal(labels.values, [[0], [-1], [1], [-1]])


def test_damaged_files(mat, tmp_path):
    path = mat(X=np.random.default_rng(0).random((50, 20)))
    whole = path.read_bytes()
    for length in (100, 130, 200, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:length])
        fails(read_features, path, "damaged or cut off|holds no matrix of numbers")
    path.write_bytes(b"")
    fails(read_features, path, "the file is empty")
    path.write_bytes(b"a,b\n1,2\n")
    fails(read_features, path, "expected MAT, but the file does not start like one")
    renamed = tmp_path / "x.csv"
    renamed.write_bytes(whole)
    fails(read_features, renamed, "expected CSV, but the file starts like a MAT file")
    fails(read_features, tmp_path / "none.mat", "there is no such file")


def test_types_that_do_not_exist(tmp_path):
    """scipy fetched them from beyond a table, and the process died."""
    path = tmp_path / "x.mat"
    savemat(path, {"X": np.arange(12.0).reshape(4, 3)})
    whole = path.read_bytes()
    refused = 0
    for place in range(128, len(whole)):
        for value in (8, 10, 14, 17, 20, 99, 255):
            path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            try:
                read_features(path)
            except ValueError as error:
                refused += "cannot be read; the file is damaged" in str(error)
    assert refused > 20


def test_version_7_3(mat73):
    path = mat73(members=MEMBERS.astype(float), gt=GT.astype(float), s={}, t=np.array([[104, 105]], np.uint16))
    table = read_labels(path)
    assert table.notes[0] == "variable 'members', gt, s, t left out"
    np.testing.assert_array_equal(table.values[:, 1], [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(read_features(mat73("other.mat", X=X)).values, X)
    fails(read_labels, path, r"the variable 's' \(struct\) is no matrix", array="s")
    fails(read_labels, path, r"the variable 't' \(1 x 2 char\) is no matrix", array="t")
    whole = path.read_bytes()
    for length in (300, 600, len(whole) // 2):
        path.write_bytes(whole[:length])
        fails(read_labels, path, "damaged or cut off")


def test_version_7_3_without_h5py(mat73, monkeypatch):
    path = mat73(X=X)
    monkeypatch.setitem(sys.modules, "h5py", None)
    fails(read_features, path, r"version 7.3 need h5py; install it with pip install h5py, or save with -v7")


def test_on_the_command_line(mat, tmp_path, capsys):
    pool = str(mat("pool.mat", members=MEMBERS, gt=GT))
    labels = str(tmp_path / "labels.csv")
    assert main(["combine", pool, "-k", "2", "--method", "lwea", "-o", labels]) == 0
    assert "variable 'members', gt left out; there is no id column" in capsys.readouterr().err
    assert main(["compare", labels, pool, "--variable", "gt", "--json", "-q"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["b"], pair["ari"]) == ("gt", 1.0)
    data = str(mat("data.mat", X=np.concatenate([X, X + 50]), y=np.zeros((6, 1))))
    assert main(["run", data, "-k", "2", "-m", "5", "-q"]) == 0
    found = capsys.readouterr().out.splitlines()
    assert [line.split(",")[1] for line in found[1:]] == ["0", "0", "0", "1", "1", "1"]
    made = str(tmp_path / "made.csv")
    assert main(["generate", data, "--variable", "X", "-m", "3", "-k", "2", "-o", made, "-q"]) == 0
    assert read_labels(made).values.shape == (6, 3)
    assert main(["run", data, "--variable", "Z", "-k", "2"]) == 2
    assert "there is no variable 'Z'" in capsys.readouterr().err
    assert main(["run", data, "-k", "2", "-o", labels, "--force", "--memory", "1GB"]) == 2
    assert "MAT cannot be read in parts" in capsys.readouterr().err


def test_no_results_into_mat():
    fails(check_output, "labels.mat", "MAT files are read, not written; choose CSV")
