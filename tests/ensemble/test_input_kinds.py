"""Label matrices in every kind that users have them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from consensa import LWEA, Ensemble
from consensa.ensemble.labels import as_label_vector

LABELS = np.array([[3, 0], [3, 1], [5, 1], [5, 2], [3, 0]])
CODES = [[0, 0], [0, 1], [1, 1], [1, 2]]
MISSING_CODES = [[0, 0], [-1, 1], [1, 1], [1, -1]]
TEXT = [["x", "x", "y", "y", "x"], ["p", "q", "q", "r", "p"]]
TEXT_WITH_NONE = [["x", None, "y", "y", "x"], ["p", "q", "q", None, "p"]]


def non_contiguous(labels):
    wide = np.zeros((2 * len(labels), 3 * labels.shape[1]), int)
    wide[::2, ::3] = labels
    return wide[::2, ::3]


def read_only(labels):
    frozen = labels.copy()
    frozen.setflags(write=False)
    return frozen


COMPLETE = {
    "array": LABELS,
    "uint8": LABELS.astype(np.uint8),
    "int8": LABELS.astype(np.int8),
    "uint64": LABELS.astype(np.uint64),
    "big-endian": LABELS.astype(">i4"),
    "float": LABELS.astype(float),
    "float32": LABELS.astype(np.float32),
    "Fortran order": np.asfortranarray(LABELS),
    "not contiguous": non_contiguous(LABELS),
    "negative strides": LABELS[::-1][::-1],
    "read-only": read_only(LABELS),
    "objects": LABELS.astype(object),
    "mixed objects": np.array([[3, "p"], [3, "q"], [5, "q"], [5, "r"], [3, "p"]], dtype=object),
    "numpy strings": np.array(TEXT).T,
    "bytes": np.array(TEXT).T.astype("S"),
    "variable strings": np.array(TEXT).T.astype(np.dtypes.StringDType()),
    "matrix subclass": LABELS.view(np.ma.MaskedArray),
    "list of lists": LABELS.T.tolist(),
    "tuple of tuples": tuple(map(tuple, LABELS.T.tolist())),
    "list of arrays": list(LABELS.T),
    "list of strings": TEXT,
    "numbers and strings": [LABELS[:, 0].tolist(), TEXT[1]],
    "list of floats": LABELS.T.astype(float).tolist(),
    "list of pandas series": [pd.Series(LABELS[:, 0], index=list("abcde")), pd.Series(TEXT[1], dtype="category")],
    "list of polars series": [pl.Series(LABELS[:, 0]), pl.Series(TEXT[1], dtype=pl.Categorical)],
    "list of pandas arrays": [pd.array(LABELS[:, 0]), pd.Index(LABELS[:, 1])],
    "list of arrow arrays": [pa.array(LABELS[:, 0]), pa.array(TEXT[1])],
    "pandas": pd.DataFrame({"a": LABELS[:, 0], "b": TEXT[1]}),
    "pandas without names": pd.DataFrame(LABELS),
    "pandas with numbers as names": pd.DataFrame(LABELS, columns=[7, 0]),
    "pandas with tuples as names": pd.DataFrame(LABELS, columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
    "pandas with an index": pd.DataFrame(LABELS, index=list("vwxyz"), columns=["a", "b"]),
    "pandas categories": pd.DataFrame({"a": pd.Categorical(LABELS[:, 0]), "b": pd.Categorical(TEXT[1])}),
    "pandas nullable": pd.DataFrame(LABELS, columns=["a", "b"]).astype("Int64"),
    "pandas arrow": pd.DataFrame(LABELS, columns=["a", "b"]).astype("int64[pyarrow]"),
    "polars": pl.DataFrame({"a": LABELS[:, 0], "b": TEXT[1]}),
    "polars categories": pl.DataFrame({"a": TEXT[0], "b": TEXT[1]}, schema={"a": pl.Categorical, "b": pl.Enum("pqr")}),
    "polars lazy": pl.LazyFrame({"a": LABELS[:, 0], "b": TEXT[1]}),
    "arrow table": pa.table({"a": LABELS[:, 0], "b": TEXT[1]}),
}

WITH_NAN = np.array([[3, 0], [np.nan, 1], [5, 1], [5, np.nan], [3, 0]])
WITH_NONE = np.where(np.isnan(WITH_NAN), None, WITH_NAN.astype(object))
WITH_MINUS = np.where(np.isnan(WITH_NAN), -1, WITH_NAN).astype(int)
HIDDEN = np.isnan(WITH_NAN)

INCOMPLETE = {
    "-1": WITH_MINUS,
    "-1.0": WITH_MINUS.astype(float),
    "NaN": WITH_NAN,
    "None": WITH_NONE,
    "-1 as object": WITH_MINUS.astype(object),
    "lists with None": TEXT_WITH_NONE,
    "lists with NaN": [[3, float("nan"), 5, 5, 3], [0, 1, 1, float("nan"), 0]],
    "lists with pandas.NA": [[3, pd.NA, 5, 5, 3], [0, 1, 1, pd.NA, 0]],
    "masked": np.ma.array(LABELS, mask=HIDDEN),
    "masked float rubbish": np.ma.array(np.where(HIDDEN, 0.5, LABELS), mask=HIDDEN),
    "masked object rubbish": np.ma.array(np.where(HIDDEN, {}, LABELS.astype(object)), mask=HIDDEN),
    "list of masked": [np.ma.array(LABELS[:, m], mask=HIDDEN[:, m]) for m in range(2)],
    "pandas NaN": pd.DataFrame(WITH_NAN, columns=["a", "b"]),
    "pandas nullable": pd.DataFrame(WITH_NONE, columns=["a", "b"]).astype("Int64"),
    "pandas arrow": pd.DataFrame(WITH_NONE, columns=["a", "b"]).astype("Int64").astype("int64[pyarrow]"),
    "pandas strings": pd.DataFrame(np.array(TEXT_WITH_NONE, dtype=object).T, columns=["a", "b"]).astype("string"),
    "pandas categories": pd.DataFrame(
        {"a": pd.Categorical(TEXT_WITH_NONE[0]), "b": pd.Categorical([0, 1, 1, None, 0])}
    ),
    "list of pandas series": [
        pd.Series([3, None, 5, 5, 3], dtype="Int64"),
        pd.Series(TEXT_WITH_NONE[1], dtype="category"),
    ],
    "polars": pl.DataFrame({"a": [3, None, 5, 5, 3], "b": TEXT_WITH_NONE[1]}),
    "polars categories": pl.DataFrame({"a": TEXT_WITH_NONE[0], "b": TEXT_WITH_NONE[1]}).cast(pl.Categorical),
    "list of polars series": [pl.Series([3, None, 5, 5, 3]), pl.Series(TEXT_WITH_NONE[1])],
}


@pytest.mark.parametrize("partitions", [pytest.param(v, id=k) for k, v in COMPLETE.items()])
def test_complete_labels(partitions):
    found = Ensemble(partitions)
    assert found.labels.tolist() == CODES
    assert found.labels.dtype == np.int32
    assert found.row_map.tolist() == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("partitions", [pytest.param(v, id=k) for k, v in INCOMPLETE.items()])
def test_missing_labels(partitions):
    found = Ensemble(partitions)
    assert found.labels.tolist() == MISSING_CODES
    assert found.row_map.tolist() == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("partitions", [pytest.param(v, id=k) for k, v in (COMPLETE | INCOMPLETE).items()])
def test_every_kind_reaches_the_estimators(partitions):
    model = LWEA(2).fit(partitions)
    assert model.labels_.shape == (5,)
    assert model.n_features_in_ == 2


@pytest.mark.parametrize(
    "column",
    [
        [True, False, True],
        np.array([True, False, True]),
        pl.Series([True, False, True]),
        np.array([True, False, True], dtype=object),
    ],
)
def test_truth_values_are_two_clusters(column):
    assert Ensemble([column]).row_map.tolist() == [0, 1, 0]


BIG = 2**60


@pytest.mark.parametrize(
    "column",
    [
        [BIG, None, BIG + 1, BIG],
        [BIG, float("nan"), BIG + 1, BIG],
        np.array([BIG, None, BIG + 1, BIG], dtype=object),
        pd.Series([BIG, None, BIG + 1, BIG], dtype="Int64"),
        pl.Series([BIG, None, BIG + 1, BIG]),
        np.ma.array([BIG, 0, BIG + 1, BIG], mask=[0, 1, 0, 0]),
    ],
)
def test_large_integers_are_told_apart_beside_missing_ones(column):
    found = Ensemble([column, [0, 0, 0, 0]])
    assert found.labels.tolist() == [[0, 0], [-1, 0], [1, 0]]
    assert found.row_map.tolist() == [0, 1, 2, 0]


def test_large_integers_of_a_frame():
    frame = pl.DataFrame({"a": [BIG, None, BIG + 1], "b": [0, 0, 0]})
    assert Ensemble(frame).labels.tolist() == [[0, 0], [-1, 0], [1, 0]]
    assert Ensemble(frame.to_pandas(use_pyarrow_extension_array=True)).labels.tolist() == [[0, 0], [-1, 0], [1, 0]]


@pytest.mark.parametrize(
    "column",
    [
        np.array([2**64 - 1, 0, 2**63], np.uint64),
        np.array([2**63 - 1, -(2**63), 5]),
        [2**64 - 1, 0, 2**63],
        [-5, -7, -6],
        [10**12, 0, 10**9],
    ],
)
def test_any_64_bit_integers(column):
    assert Ensemble([column]).labels.ravel().tolist() == [2, 0, 1]


def test_small_and_large_integers_far_apart():
    """Coded without a table as long as their range."""
    column = np.concatenate([np.arange(200), [2**61, -(2**61)]])
    assert Ensemble([column]).labels.ravel().tolist() == [*range(1, 201), 201, 0]


def test_minus_one_is_a_cluster_when_nothing_is_missing():
    found = Ensemble(np.array([[-1, 0], [0, 0], [-1, 1]]), missing=None)
    assert found.labels.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert LWEA(2, missing=None).fit(np.array([[-1], [-1], [0]])).labels_.tolist() == [0, 0, 1]


def test_other_negative_numbers_are_labels():
    labels = np.array([[-2, 0], [-1, 1], [0, 2], [-3, 3]])
    assert Ensemble(labels).labels[:, 0].tolist() == [1, -1, 2, 0]
    assert Ensemble(labels, missing=-2).labels[:, 0].tolist() == [-1, 1, 2, 0]


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_another_number_may_stand_for_missing():
    assert Ensemble(np.array([[0, 1], [1, 1], [2, 0]]), missing=0).labels.tolist() == [[-1, 0], [0, 0], [1, -1]]


def test_strings_are_never_missing():
    assert Ensemble([["-1", "nan", "None", ""]]).n_microclusters == 4


@pytest.mark.parametrize("column", [[4, -1, 4], np.array([4.0, -1.0, 4.0]), np.array([4, -1, None], dtype=object)])
def test_one_value_beside_minus_one_warns(column):
    with pytest.warns(match=r"column 1 holds only 4 and -1; -1 was read as a missing label\. Give missing=None"):
        Ensemble([[0, 1, 2], column])


@pytest.mark.parametrize("column", [[4, None, 4], [4, -1, 5], [4, 4, 4], [-1, -1, -1]])
def test_no_warning_where_minus_one_is_clear(column):
    assert Ensemble([[0, 1, 2], column]).n_microclusters == 3


def test_ids_without_members_vanish():
    found = Ensemble(np.array([[0, 100], [900, 7], [5, 100]]))
    assert found.n_base_clusters == 5
    assert found.labels.tolist() == [[0, 1], [2, 0], [1, 1]]


def test_categories_without_members_vanish():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"], categories=["w", "x", "y", "z"])})
    assert Ensemble(frame).n_base_clusters == 2


def test_one_cluster_columns_single_columns_and_single_objects(method):
    assert method(2).fit(np.array([[0, 7], [0, 7], [1, 7]])).labels_.tolist() == [0, 0, 1]
    assert method(2).fit(np.array([[4], [4], [9]])).labels_.tolist() == [0, 0, 1]
    assert method(1).fit(np.array([[4, 5, 6]])).labels_.tolist() == [0]
    assert method(1).fit(np.zeros((5, 3), int)).labels_.tolist() == [0] * 5


def test_a_column_without_any_label(method):
    labels = np.array([[0, -1, 0], [0, -1, 0], [1, -1, 1], [1, -1, 0]])
    assert method(2).fit(labels[:3]).labels_.tolist() == [0, 0, 1]
    assert np.unique(method(2).fit(labels).labels_).size == 2


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        (["b", "a", None], [1, 0, -1]),
        ([3.0, np.nan, 1.0], [1, -1, 0]),
        (pd.Series([3, pd.NA, 1], dtype="Int64"), [1, -1, 0]),
        (pl.Series(["b", None, "a"]), [1, -1, 0]),
        ([-1, 0, 1], [0, 1, 2]),
        (pd.Categorical(["b", None, "a"]), [1, -1, 0]),
    ],
)
def test_label_vectors(labels, codes):
    assert as_label_vector(labels).tolist() == codes


def test_label_vectors_with_a_number_for_missing():
    assert as_label_vector([-1, 0, 5], missing=-1).tolist() == [-1, 0, 1]
