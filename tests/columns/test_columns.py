"""What the columns of a table are, and the table as one matrix of numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from consensa.columns import CodedTable, Column, ColumnScan, code_frame, read_frame
from consensa.columns.cells import cells_of_texts
from consensa.columns.coding import code_cells, is_plain
from consensa.columns.scan import columns_of
from consensa.io.layout import Layout
from consensa.io.tables import read_table


def customers(n=40):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "customer_no": rng.permutation(n) + 1000,
            "income": rng.lognormal(10, 1, n),
            "plan": rng.choice(["free", "team", "gold"], n),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True),
            "newsletter": rng.choice(["yes", "no"], n),
            "active": rng.random(n) < 0.5,
            "since": pd.to_datetime("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "country": "DE",
            "nothing": np.full(n, np.nan),
            "mail": [f"{i}@example.org" for i in range(n)],
        }
    )
    frame.loc[3, ["income", "plan", "since"]] = None
    return frame


KINDS = ["id", "number", "category", "ordered", "boolean", "boolean", "date", "constant", "empty", "id"]


def test_kinds_of_columns():
    table = read_frame(customers())
    assert [column.kind for column in table.columns] == KINDS
    by_name = {column.name: column for column in table.columns}
    assert by_name["plan"].levels == ("free", "gold", "team")
    assert by_name["size"].levels == ("s", "m", "l")
    assert by_name["newsletter"].levels == ("no", "yes")
    assert (by_name["income"].n_missing, by_name["income"].n_rows) == (1, 40)
    assert by_name["country"].note == "it holds one value only, 'DE'"
    assert table.values.shape == (40, 6)
    assert np.isnan(table.values[3]).tolist() == [True, True, False, False, False, True]
    assert not table.is_plain


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_frames_of_any_library_give_the_same_numbers(convert):
    frame = customers()
    expected = read_frame(frame, {"size": "s<m<l"})
    found = read_frame(convert(frame), {"size": "s<m<l"})
    np.testing.assert_array_equal(found.values, expected.values)
    assert [column.kind for column in found.columns] == [column.kind for column in expected.columns]
    np.testing.assert_array_equal(code_frame(convert(frame), expected.columns), expected.values)


def test_texts_of_files_mean_what_frames_mean():
    frame = customers()
    texts = frame.astype({"since": str}).astype(object).where(frame.notna(), "").astype(str)
    expected = read_frame(frame, {"size": "s<m<l"})
    found = read_frame(texts, {"size": "s<m<l"})
    assert [column.kind for column in found.columns] == [column.kind for column in expected.columns]
    np.testing.assert_allclose(found.values, expected.values)


def test_dates_are_days_and_new_levels_are_gaps():
    table = read_frame(pd.DataFrame({"when": ["1970-01-02", "1970-01-04 12:00"], "what": ["a", "b"]}))
    np.testing.assert_array_equal(table.values, [[1, 0], [3.5, 1]])
    new = code_frame(pd.DataFrame({"what": ["c", "b", None], "when": ["1970-01-01", None, ""]}), table.columns)
    np.testing.assert_array_equal(new, [[0, np.nan], [np.nan, 1], [np.nan, np.nan]])


def test_a_new_table_has_the_columns_of_the_old():
    table = read_frame(pd.DataFrame({"a": [1.0, 2.0, None], "b": ["x", "y", "x"]}))
    with pytest.raises(ValueError, match=r"has no column 'b', which the model was fitted on; add it"):
        code_frame(pd.DataFrame({"a": [1.0]}), table.columns)
    with pytest.raises(ValueError, match="column 'a' holds 'many'; it was a number when the model was fitted"):
        code_frame(pd.DataFrame({"a": ["many"], "b": ["x"]}), table.columns)


@pytest.mark.parametrize(
    ("texts", "form", "first"),
    [(["31.12.1970", "01.02.1970"], "dmy", 364), (["12/31/1970", "01/02/1970"], "mdy", 364)],
)
def test_dates_with_the_day_or_the_month_first(texts, form, first):
    table = read_frame(pd.DataFrame({"when": texts}))
    assert table.columns[0].form == form
    assert table.values[0, 0] == first


def test_what_the_user_says_counts():
    frame = pd.DataFrame(
        {"zip": [80331, 10115, 80331], "grade": ["b", "a", "c"], "x": [1.0, 2.0, 3.0], "t": list("uvw")}
    )
    types = {"zip": "category", "grade": "c<b<a", "x": "ignore", "t": "id"}
    table = read_frame(frame, types)
    assert [column.kind for column in table.columns] == ["category", "ordered", "ignore", "id"]
    np.testing.assert_array_equal(table.values, [[1, 1], [0, 2], [1, 0]])
    assert table.columns[0].levels == ("10115", "80331")


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"age": "number"}, "types names a column 'age' that is not there; the columns are 'x', 'y'"),
        ({"x": "text"}, "types={'x': 'text'} is not allowed; give one of number, boolean"),
        ({"y": "number"}, "'y' holds 'a', which cannot be read as number"),
        ({"y": "a<c"}, "'y' holds 'b', which is not among the levels 'a<c'"),
    ],
)
def test_types_are_checked(types, message):
    with pytest.raises(ValueError, match="(?s)" + message.replace("(", r"\(").replace("{", r"\{").replace("}", r"\}")):
        read_frame(pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}), types)


def test_all_faults_at_once():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "comment": [f"text {i // 2 * 2 if i < 20 else i}" for i in range(60)],
            "age": [*map(str, rng.integers(18, 80, 59)), "unknown"],
            "when": ["01/02/2024", "03/04/2024"] * 30,
            "ratio": [np.inf, *rng.normal(size=59)],
            "fine": rng.normal(size=60),
        }
    )
    with pytest.raises(ValueError, match="4 columns cannot be used") as caught:
        read_frame(frame)
    said = str(caught.value)
    assert "'comment' holds 50 different texts in 60 rows, too many for categories" in said
    assert "'age' holds numbers, but also 'unknown'" in said
    assert "'when' holds dates like '01/02/2024', which can be read in two ways: call it date:dmy or date:mdy" in said
    assert "'ratio' holds an infinite number in row 0" in said
    ignored = dict.fromkeys(("comment", "age", "when", "ratio"), "ignore")
    assert repr(ignored) in said
    assert read_frame(frame, ignored).values.shape == (60, 1)


def test_blocks_do_not_matter():
    rng = np.random.default_rng(1)
    cells = [*map(str, rng.integers(0, 5, 50)), *rng.choice(["a", "b", ""], 50)]
    found = []
    for size in (100, 7):
        scan = ColumnScan("x", "category")
        for start in range(0, 100, size):
            scan.add(cells_of_texts(cells[start : start + size]))
        found.append(scan.column())
    assert found[0] == found[1]
    assert found[0].levels == ("0", "1", "2", "3", "4", "a", "b")


def test_codes_with_leading_zeros_are_no_numbers():
    assert read_frame(pd.DataFrame({"zip": ["01067", "04109", "01067"]})).columns[0].kind == "category"


def test_nothing_to_cluster_by():
    with pytest.raises(ValueError, match=r"no column to cluster by; all are left out: 'x' \(constant\)"):
        read_frame(pd.DataFrame({"x": [1, 1]}))
    with pytest.raises(ValueError, match="0 rows and 1 columns"):
        read_frame(pd.DataFrame({"x": []}))
    with pytest.raises(ValueError, match="a table is a data frame, or an array of numbers"):
        read_frame(np.array([["a"]]))


def test_numbers_are_ids_only_if_name_or_order_says_so():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"height": rng.permutation(30), "x": rng.normal(size=30), "row": np.arange(30)})
    assert [column.kind for column in read_frame(frame).columns] == ["number", "number", "id"]
    assert [column.kind for column in read_frame(frame[["x", "row", "height"]]).columns] == ["number"] * 3
    kinds = [column.kind for column in read_frame(frame.rename(columns={"height": "PassengerId"})).columns]
    assert kinds == ["id", "number", "id"]
    assert read_frame(frame.to_numpy()).columns[2].kind == "number"


def test_plain_frames_are_left_alone():
    assert is_plain(pd.DataFrame({"a": [1.0, 2.0]}))
    assert is_plain(np.array([["x"]]))
    assert not is_plain(pd.DataFrame({"a": [1.0, np.nan]}))
    assert not is_plain(pl.DataFrame({"a": [True, False]}))
    assert CodedTable(np.ones((2, 1)), (Column("a", "number", n_rows=2),)).is_plain


def test_columns_of_keeps_the_order():
    scans = [ColumnScan(name) for name in ("b", "a")]
    for scan in scans:
        scan.add(cells_of_texts(["1", "2"]))
    assert [column.name for column in columns_of(scans, {})] == ["b", "a"]


def column_of(cells, **more):
    frame = pd.DataFrame({"a": cells, "b": np.arange(len(cells)) % 7.0})
    table = read_frame(frame, **more)
    return table.columns[0], table.values[:, 0]


@pytest.mark.parametrize("sign", ["-", "n.a.", ".", "#N/A"])
def test_signs_for_no_value_are_gaps_among_numbers_and_dates(sign):
    column, values = column_of(["1", sign, "3.5", "4"])
    assert (column.kind, column.n_missing) == ("number", 1)
    np.testing.assert_array_equal(values, [1, np.nan, 3.5, 4])
    for cells in (["31.12.2024", sign, "01.06.2024"], ["2024-12-31", sign, "2024-06-01"]):
        column, values = column_of(cells)
        assert (column.kind, column.n_missing) == ("date", 1)
        np.testing.assert_array_equal(np.isnan(values), [False, True, False])


def test_signs_among_words_are_words():
    column, values = column_of(["+", "-", "+", "-"])
    assert (column.kind, column.levels, column.n_missing) == ("category", ("+", "-"), 0)
    assert not np.isnan(values).any()


def test_a_block_of_signs_alone_does_not_change_what_a_column_is():
    blocks = [cells_of_texts(["1", "2"]), cells_of_texts(["-", "-"]), cells_of_texts(["3", ""])]
    scan = ColumnScan("a")
    for block in blocks:
        scan.add(block)
    column = scan.column()
    assert (column.kind, column.n_rows, column.n_missing) == ("number", 6, 3)
    found = np.concatenate([code_cells(column, block) for block in blocks])
    np.testing.assert_array_equal(found, [1, 2, np.nan, np.nan, 3, np.nan])


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["2024/12/31", "2024/1/5"], ""),
        (["2024-12-31T10:00:00+02:00", "2024-01-05T00:00:00Z"], ""),
        (["31.12.24", "05.01.24"], "dmy"),
        (["12/31/24", "01/05/24"], "mdy"),
        (["31 Dec 2024", "5 Jan 2024"], "named"),
        (["December 31, 2024", "Jan 5, 2024"], "named"),
        (["31-DEC-24", "05-JAN-24"], "named"),
    ],
)
def test_dates_in_the_notations_of_tables(cells, form):
    column, values = column_of(cells * 12)
    assert (column.kind, column.form) == ("date", form)
    assert np.floor(values[0] - values[1]) == 361
    assert np.floor(values[1]) == 19_727


def test_versions_are_no_dates():
    assert column_of(["1.2.10", "1.3.11", "1.2.10"])[0].kind == "category"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"$ {i}.50" for i in range(30)] + ["$ 1.50"], "holds numbers with a sign or unit like '\\$ 0.50'"),
        ([f"{i},5 kg" for i in range(30)] + ["1,5 kg"], "holds numbers with a sign or unit like '0,5 kg'"),
        ([f"{i % 28 + 1}. Mai {2000 + i}" for i in range(30)] + ["1. Mai 2000"], "holds dates like '1. Mai 2000'"),
        ([f"about {i}" for i in range(30)] + ["about 1"], "holds 30 different texts in 31 rows, too many"),
    ],
)
def test_texts_that_are_nearly_numbers_or_dates_are_told(cells, said):
    with pytest.raises(ValueError, match=said):
        column_of(cells)


def test_decimal_commas_and_dates_with_points_in_one_table(tmp_path):
    lines = [f"{i % 9},{i % 7};{1 + i % 9}.234,5;{1 + i % 28:02}.{1 + i % 12:02}.2024" for i in range(40)]
    (tmp_path / "t.csv").write_text("x;money;since\n" + "\n".join(lines) + "\n")
    table = read_table(str(tmp_path / "t.csv"), Layout(decimal=","))
    assert [(column.name, column.kind) for column in table.columns] == [
        ("x", "number"),
        ("money", "number"),
        ("since", "date"),
    ]
    assert table.values[0].tolist() == [0.0, 1234.5, 19723.0]


def test_points_that_stand_nowhere_between_thousands_are_no_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(f"{i},5;{i}.5\n" for i in range(40)))
    with pytest.raises(ValueError, match=r"'y' holds numbers like '0\.5', '1\.5'"):
        read_table(str(tmp_path / "t.csv"), Layout(decimal=","))


def test_ordered_dictionaries_of_arrow_keep_their_order():
    sizes = pd.Categorical(["s", "l", "m", "l"], categories=["s", "m", "l"], ordered=True)
    table = pa.Table.from_pandas(pd.DataFrame({"size": sizes, "x": [1.0, 2.0, 3.0, 4.0]}))
    column = read_frame(table).columns[0]
    assert (column.kind, column.levels) == ("ordered", ("s", "m", "l"))
