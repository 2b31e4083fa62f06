"""Any table comes back as it was written, and any damage is one sentence."""

from __future__ import annotations

import csv
import io
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensa.io import read_features, read_labels

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).map(str.strip)
ids = texts.filter(bool)
numbers = st.floats(allow_nan=False, allow_infinity=False)


def written(rows, delimiter, quoting, end):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return out.getvalue().encode()


def read(function, content, ending="csv", **layout):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{ending}"
        path.write_bytes(content)
        return function(path, **layout)


@given(
    st.lists(ids, min_size=1, max_size=12, unique=True),
    st.integers(1, 4),
    st.data(),
    st.sampled_from([",", "\t", ";"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_features_come_back(names, width, data, delimiter, quoting, end):
    X = data.draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=len(names), max_size=len(names)))
    header = ["id", *(f"x{j}" for j in range(width))]
    rows = [header, *([name, *map(repr, row)] for name, row in zip(names, X, strict=True))]
    table = read(read_features, written(rows, delimiter, quoting, end), delimiter=delimiter)
    np.testing.assert_array_equal(table.values, X)
    assert table.ids.tolist() == names
    assert table.names == tuple(header[1:])


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "7", "8", "", "NA"]), min_size=3, max_size=3), min_size=2, max_size=12
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_labels_come_back(rows, quoting):
    table = read(
        read_labels, written([["id", "p", "q", "r"], *([i, *row] for i, row in enumerate(rows))], ",", quoting, "\n")
    )
    for m, column in enumerate(zip(*rows, strict=True)):
        same = [[a == b for b in column] for a in column]
        known = np.array([cell not in ("", "NA") for cell in column])
        codes = table.values[:, m]
        np.testing.assert_array_equal(codes >= 0, known)
        np.testing.assert_array_equal(
            (codes[:, None] == codes)[np.ix_(known, known)], np.array(same)[np.ix_(known, known)]
        )


def _saved(save):
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def attempt(function, content, ending):
    """The table, or what a ValueError says; anything else is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(function, content, ending)
        except ValueError as error:
            return str(error)


WHOLE = {
    "csv": b'id,x,y\n"a",1,2\nb,3,4\nc,5,6\n',
    "npy": _saved(lambda out: np.save(out, np.arange(12.0).reshape(4, 3))),
    "npz": _saved(lambda out: np.savez(out, a=np.eye(3), ids=np.array(["u", "v", "w"]))),
}


@pytest.mark.parametrize("function", [read_features, read_labels])
@pytest.mark.parametrize("ending", sorted(WHOLE))
@given(data=st.data())
def test_damage_is_one_sentence(function, ending, data):
    content = bytearray(WHOLE[ending])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        width = data.draw(st.integers(0, 9))
        content[place : place + width] = data.draw(st.binary(max_size=4))
    outcome = attempt(function, bytes(content), ending)
    if isinstance(outcome, str):
        assert "\n" not in outcome
        assert outcome.endswith(".")
    else:
        assert outcome.values.ndim == 2
        assert outcome.ids is None or len(outcome.ids) == outcome.n_rows
