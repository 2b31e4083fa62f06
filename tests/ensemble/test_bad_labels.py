"""Label matrices that are refused, by their messages: where all methods read them, and through one of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from consensa import EAC, Ensemble

LABELS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 2, 2], [2, 2, 2]])

BAD_PARTITIONS = {
    "fractions": (
        np.array([[0.0, 1.5], [1.0, 2.0]]),
        r"column 1 holds 1\.5 in row 0: labels are names of clusters, not measurements.*\(EnsembleClustering",
    ),
    "fractions in a list": ([[0, 1], [0.5, 1]], r"column 1 holds 0\.5 in row 0"),
    "fractions in a frame": (pd.DataFrame({"a": [1, 2], "b": [0.25, 1]}), r"column b holds 0\.25 in row 0"),
    "fractions among objects": (np.array([[2**60], [0.5]], dtype=object), r"column 0 holds 0\.5 in row 1"),
    "infinite labels": (np.array([[0.0], [np.inf]]), r"column 0 holds inf in row 1"),
    "large floats": (np.array([[2.0**53], [1.0]]), r"column 0 holds floating-point labels beyond 2\*\*53"),
    "large single floats": (np.array([[2.0**24], [1.0]], np.float32), r"column 0 holds .* labels beyond 2\*\*24"),
    "large half floats": (np.array([[2.0**11], [1.0]], np.float16), r"column 0 holds .* labels beyond 2\*\*11"),
    "texts that end in NUL": (np.array([["a\0"], ["a"]], object), r"column 0 holds a label that ends in a NUL"),
    "bytes that end in NUL": (np.array([[b"a\0"], [b"a"]], object), r"column 0 holds a label that ends in a NUL"),
    "huge integers": ([[2**70, 1]], r"column 0 holds integers that do not fit into 64 bits\. Pass such labels as str"),
    "ragged lists": ([[0, 1, 1], [0, 1]], r"the label vectors have different lengths \(\[2, 3\]\).*use -1, NaN or"),
    "no rows": (np.empty((0, 3), int), r"found a label matrix with 0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no rows in a list": ([[], []], r"found a label matrix with 0 sample\(s\)"),
    "no columns": (np.empty((3, 0), int), r"found a label matrix with 0 feature\(s\) \(shape=\(3, 0\)\)"),
    "an empty list": ([], r"found a label matrix with 0 feature\(s\)"),
    "an empty frame": (pd.DataFrame(), r"found a label matrix with 0 feature\(s\)"),
    "one dimension": (np.arange(4), r"expected a 2D array of labels.*got an array of shape \(4,\).*Reshape your data"),
    "three dimensions": (np.zeros((2, 2, 2), int), r"got an array of shape \(2, 2, 2\)"),
    "a list of numbers": ([0, 1, 1], r"a list must hold one label vector per base clustering"),
    "a list of matrices": ([np.zeros((2, 2), int)], r"got entries with \[2\] dimensions"),
    "a series": (pd.Series([0, 1]), r"got a Series\. Reshape your data: pass series\.to_frame\(\)"),
    "a polars series": (pl.Series([0, 1]), r"got a Series"),
    "a word": ("labels.csv", r"expected a 2D array of labels.*got an array of shape \(\)"),
    "nothing": (None, r"expected a 2D array of labels.*got an array of shape \(\)"),
    "more vectors than objects": (
        LABELS[:2].T.tolist(),
        r"got a list of 3 vectors of length 2.*pass numpy\.asarray\(partitions\); if this is meant.*\.T\.",
    ),
    "mixed kinds": ([["a", 1, 2]], r"column 0 mixes labels of the types int, str"),
    "complex numbers": (np.array([[1j], [2j]]), r"column 0: Complex data not supported"),
    "dates": (np.array([["2020-01-01"]], "datetime64[D]"), r"column 0 has dtype datetime64\[D\]\. Labels are integers"),
    "lists as labels": (pl.DataFrame({"a": [[1], [2]]}), r"column a mixes labels of the types ndarray"),
    "equal names": (pd.DataFrame(LABELS, columns=["a", "a", "b"]), r"two columns of the frame have the same name"),
    "a sparse matrix": (
        sp.csr_array(LABELS),
        r"a sparse label matrix was passed, but dense data is required\. Use \.to",
    ),
    "no labels at all": (np.full((3, 2), -1), r"none of the 3 objects has a label in any base clustering"),
}  # fmt: skip


@pytest.mark.parametrize("read", [Ensemble, EAC(2).fit], ids=["Ensemble", "EAC"])
@pytest.mark.parametrize("kind", sorted(BAD_PARTITIONS))
def test_partitions(read, kind):
    partitions, message = BAD_PARTITIONS[kind]
    with pytest.raises(ValueError, match=message):
        read(partitions)


@pytest.mark.parametrize("missing", ["-1", -1.5, True, np.nan], ids=repr)
def test_what_stands_for_missing(missing):
    with pytest.raises(ValueError, match=r"missing=.* is not allowed: give the integer that stands for a missing"):
        Ensemble(LABELS, missing=missing)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
def test_floats_of_every_width(kind):
    assert np.array_equal(Ensemble(LABELS.astype(kind)).labels, Ensemble(LABELS).labels)
