"""Data frames in and out: the library, the index and the names stay what they were."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consensa
from consensa import LAC, LWEA, MDEC, USPEC, WSPA, EnsembleClustering, compare_methods, consensus, generate
from consensa.generate import EstimatorPartitions, KMeansPartitions, MixedPartitions, SubsamplePartitions
from consensa.report import report_content

COLUMNS = {"a": [0, 0, 0, 1, 1, 1], "b": ["x", "x", "y", "y", "z", "z"], "c": [5, 5, 5, 7, 7, 7]}
EXPECTED = [0, 0, 0, 1, 1, 1]
INDEX = ["f", "e", "d", "c", "b", "a"]


@pytest.fixture
def runs():
    return pd.DataFrame(COLUMNS, index=pd.Index(INDEX, name="patient"))


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True).data
    return data.set_axis([f"flower {i}" for i in range(150)], axis=0)


def check_series(found, index):
    assert isinstance(found, pd.Series)
    assert found.name == "cluster"
    assert found.dtype == np.int32
    assert found.tolist() == EXPECTED
    pd.testing.assert_index_equal(found.index, index)


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(6),
        pd.Index(INDEX, name="patient"),
        pd.Index([3, 1, 4, 1, 5, 9]),
        pd.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["site", "number"]),
        pd.date_range("2020-01-01", periods=6),
    ],
    ids=["range", "names", "numbers with a repeated one", "two levels", "dates"],
)
def test_labels_have_the_index_of_the_frame(index):
    check_series(consensus(pd.DataFrame(COLUMNS, index=index), 2, method="lwea"), index)


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.astype({"a": "Int64", "b": "string", "c": "UInt8"}),
        lambda frame: frame.astype({"a": "int64[pyarrow]", "b": "string[pyarrow]", "c": "int8[pyarrow]"}),
        lambda frame: frame.astype("category"),
        lambda frame: frame.assign(b=pd.Categorical(frame["b"], categories=["w", "x", "y", "z"], ordered=True)),
        lambda frame: frame.astype({"a": bool}),
        lambda frame: frame.astype({"a": float}),
        lambda frame: frame.astype(object),
        lambda frame: frame.set_axis(pd.MultiIndex.from_tuples([("k", 1), ("k", 2), ("l", 1)]), axis=1),
        lambda frame: frame.set_axis([0, 1, 2], axis=1),
    ],
    ids=["nullable", "arrow", "categories", "unused", "truth", "float", "objects", "two levels of names", "numbers"],
)
def test_columns_of_any_kind(runs, change):
    check_series(consensus(change(runs), 2, method="lwea"), runs.index)


def test_several_numbers_of_clusters_give_several_series(runs):
    found = consensus(runs, [2, 3], method="lwea")
    assert list(found) == [2, 3]
    check_series(found[2], runs.index)
    assert found[3].nunique() == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame,
        lambda frame: frame.lazy(),
        lambda frame: frame.cast({"b": pl.Categorical}),
        lambda frame: frame.cast({"b": pl.Enum(["w", "x", "y", "z"])}),
        lambda frame: frame.cast({"a": pl.UInt8, "c": pl.Float64}),
    ],
    ids=["plain", "lazy", "categorical", "enum", "numbers"],
)
def test_polars_in_polars_out(change):
    found = consensus(change(pl.DataFrame(COLUMNS)), 2, method="lwea")
    assert isinstance(found, pl.Series)
    assert (found.name, found.dtype, found.to_list()) == ("cluster", pl.Int32, EXPECTED)


def test_arrow_in_arrow_out():
    found = consensus(pa.table(COLUMNS), 2, method="lwea")
    assert isinstance(found, pa.ChunkedArray)
    assert found.to_pylist() == EXPECTED


def test_missing_labels_of_a_frame(runs):
    part = runs.astype({"a": "Int64"})
    part.loc["e", "a"] = pd.NA
    part.loc["d", "b"] = None
    check_series(consensus(part, 2, method="lwea"), runs.index)


def test_other_kinds_give_arrays(runs):
    for partitions in (list(COLUMNS.values()), runs.to_numpy(), [runs["a"], runs["b"], runs["c"]]):
        assert type(consensus(partitions, 2, method="lwea")) is np.ndarray


def test_compared_methods_have_the_index_of_the_frame(runs):
    found = compare_methods(runs, 2, ["lwea", "eac"])
    for name, labels in found.labels.items():
        assert labels.name == name
        pd.testing.assert_index_equal(labels.index, runs.index)
    assert runs.assign(**found.labels).loc["a", "lwea"] == 1
    assert json.dumps(found.to_dict())
    assert "lwea" in str(found)
    assert isinstance(compare_methods(pl.DataFrame(COLUMNS), 2, ["lwea"]).labels["lwea"], pl.Series)


def test_estimators_give_arrays_and_keep_the_names(runs):
    model = LWEA(2).fit(runs)
    assert type(model.labels_) is np.ndarray
    assert type(model.predict(runs)) is np.ndarray
    assert model.feature_names_in_.tolist() == list("abc") == list(model.ensemble_.names)
    assert LWEA(2).fit(pl.LazyFrame(COLUMNS)).feature_names_in_.tolist() == list("abc")
    assert model.predict(pl.LazyFrame(COLUMNS)).tolist() == EXPECTED


def test_names_of_base_clusterings_in_errors(runs):
    model = LWEA(2).fit(runs)
    with pytest.raises(
        ValueError, match="unseen at fit time:\n- z\nFeature names seen at fit time, yet now missing:\n- b"
    ):
        model.predict(runs.rename(columns={"b": "z"}))
    with pytest.raises(ValueError, match=r"column b holds 0\.5 in row 1"):
        LWEA(2).fit(runs.assign(b=np.arange(6) / 2))
    with pytest.raises(ValueError, match="column b has dtype datetime64"):
        LWEA(2).fit(runs.assign(b=pd.Timestamp("2020-01-01")))
    with pytest.raises(ValueError, match="two columns of the frame have the same name, 'a'"):
        consensus(pd.concat([runs, runs[["a"]]], axis=1), 2)
    with pytest.warns(UserWarning, match="column b holds only 4 and -1"):
        LWEA(2).fit(runs.assign(b=[4, -1, 4, 4, -1, 4]))


def test_a_saved_model_keeps_the_names(runs, tmp_path):
    LWEA(2).fit(runs).save(tmp_path / "model.npz")
    again = consensa.load(tmp_path / "model.npz")
    assert again.feature_names_in_.tolist() == list("abc")
    with pytest.raises(ValueError, match="yet now missing:\n- a"):
        again.predict(runs.rename(columns={"a": "z"}))


GENERATORS = {
    name: kind
    for name, kind in ((name, getattr(generate, name)) for name in generate.__all__)
    if hasattr(kind, "get_feature_names_out")
}


def make(name):
    if name == "EstimatorPartitions":
        return EstimatorPartitions([KMeans(3), KMeans(4), KMeans(5), KMeans(6)], random_state=0)
    return GENERATORS[name](n_partitions=4, random_state=0)


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_generators_put_out_frames(name, iris):
    pool = make(name).set_output(transform="pandas")
    found = pool.fit_transform(iris)
    pd.testing.assert_index_equal(found.index, iris.index)
    assert list(found.columns) == pool.get_feature_names_out().tolist()
    assert len(set(found.columns)) == found.shape[1] == 4
    assert pool.feature_names_in_.tolist() == list(iris.columns)
    assert pool.n_features_in_ == 4
    plain = make(name).fit_transform(iris.to_numpy())
    assert np.array_equal(found, plain)
    if hasattr(pool, "transform"):
        pd.testing.assert_index_equal(pool.transform(iris[:3]).index, iris.index[:3])
    other = make(name).set_output(transform="polars").fit_transform(pl.from_pandas(iris))
    assert isinstance(other, pl.DataFrame)
    assert other.columns == list(found.columns)
    assert np.array_equal(other.to_numpy(), plain)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_set_for_everything(library, iris):
    expected = [
        kind.fit(iris).labels_
        for kind in (
            EnsembleClustering(3, n_partitions=5, random_state=0),
            EnsembleClustering(3, generator=MixedPartitions(4), random_state=0),
            EnsembleClustering(3, generator=SubsamplePartitions(n_partitions=5), random_state=0),
            MDEC(3, random_state=0),
            WSPA(3, random_state=0, partitioner="average"),
        )
    ]
    with sklearn.config_context(transform_output=library):
        models = [
            EnsembleClustering(3, n_partitions=5, random_state=0),
            EnsembleClustering(3, generator=MixedPartitions(4), random_state=0),
            EnsembleClustering(3, generator=SubsamplePartitions(n_partitions=5), random_state=0),
            MDEC(3, random_state=0),
            WSPA(3, random_state=0, partitioner="average"),
        ]
        for model, labels in zip(models, expected, strict=True):
            assert np.array_equal(model.fit(iris).labels_, labels)
            assert type(model.labels_) is np.ndarray
        assert models[0].predict(iris[:5]).shape == (5,)


def test_names_of_several_generators_of_one_kind(iris):
    pool = MixedPartitions(5, generators=[KMeansPartitions(), KMeansPartitions(k_range=(3, 4))], random_state=0)
    assert pool.fit(iris).get_feature_names_out().tolist() == [f"kmeans{m}" for m in range(5)]


def test_names_go_through_a_pipeline(iris):
    steps = make_pipeline(StandardScaler(), KMeansPartitions(4, random_state=0), LWEA(3))
    model = steps.set_output(transform="pandas").fit(iris)[-1]
    assert model.feature_names_in_.tolist() == ["kmeans0", "kmeans1", "kmeans2", "kmeans3"]


FEATURE_MODELS = [KMeansPartitions(3), LAC(2), USPEC(2), MDEC(2), WSPA(2)]  # EnsembleClustering takes tables


def test_ensembles_take_tables_with_gaps_but_no_name_twice(iris):
    wide = "petal width (cm)"
    hole = iris.copy()
    hole.loc[["flower 7", "flower 9"], wide] = np.nan
    model = EnsembleClustering(3, n_partitions=5, random_state=0)
    assert model.fit(hole.assign(species="setosa")).labels_.shape == (150,)
    with pytest.raises(ValueError, match=r"two columns of X have the same name, 'petal width \(cm\)'"):
        model.fit(pd.concat([iris, iris[[wide]]], axis=1))


@pytest.mark.parametrize("model", FEATURE_MODELS, ids=lambda model: type(model).__name__)
def test_errors_name_the_feature(model, iris):
    wide = "petal width (cm)"
    hole = iris.copy()
    hole.loc[["flower 7", "flower 9"], wide] = np.nan
    with pytest.raises(
        ValueError, match=r"contains NaN: feature 'petal width \(cm\)' has no finite number in row 7 and in 1"
    ):
        model.fit(hole)
    with pytest.raises(ValueError, match="contains infinity: feature 2 has no finite number in row 4"):
        model.fit(np.where(np.arange(600).reshape(150, 4) == 18, np.inf, iris.to_numpy()))
    with pytest.raises(ValueError, match=r"feature 'species' holds 'setosa' in row 0; features are numbers"):
        model.fit(iris.assign(species="setosa"))
    with pytest.raises(ValueError, match=r"feature 'seen' holds dates or times"):
        model.fit(iris.assign(seen=pd.Timestamp("2020-01-01")))
    with pytest.raises(ValueError, match=r"two columns of X have the same name, 'petal width \(cm\)'"):
        model.fit(pd.concat([iris, iris[[wide]]], axis=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.astype("Float64").mask(X < 4.5), "feature 'sepal length .cm.' has no finite number in row 8"),
        (lambda X: X.astype("double[pyarrow]").mask(X > 7.5), "feature 'sepal length .cm.' has no finite number"),
        (lambda X: pl.from_pandas(X).with_columns(pl.lit(None, pl.Float64).alias("z")), "feature 'z' has no finite"),
        (lambda X: pl.from_pandas(X).with_columns(pl.lit("q").alias("z")), "feature 'z' holds 'q' in row 0"),
        (lambda X: X.assign(z=pd.Categorical(["u"] * 150)), "feature 'z' holds 'u' in row 0"),
        (lambda X: X.assign(z=pd.Series(["1.5"] * 149 + ["?"], X.index)), "feature 'z' holds '.' in row 149"),
        (lambda X: X.astype(object).assign(z=None), "feature 'z' has no finite number in row 0"),
    ],
)
def test_errors_name_the_feature_of_any_kind_of_frame(change, message, iris):
    with pytest.raises(ValueError, match=message):
        KMeansPartitions(3).fit(change(iris))


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X.astype("Float64"),
        lambda X: X.astype("double[pyarrow]"),
        lambda X: X.astype("float32"),
        pl.from_pandas,
        lambda X: pl.from_pandas(X).lazy(),
    ],
    ids=["nullable", "arrow", "float32", "polars", "lazy"],
)
def test_features_of_any_kind(change, iris):
    pool = KMeansPartitions(3, random_state=0).fit(change(iris))
    assert pool.feature_names_in_.tolist() == list(iris.columns)


def test_features_that_differ_from_the_fit_are_named(iris):
    pool = KMeansPartitions(3, random_state=0).fit(iris)
    for wrong in (iris.rename(columns={"petal width (cm)": "q"}), iris.iloc[:, :3]):
        with pytest.raises(ValueError, match=r"yet now missing:\n- petal width \(cm\)"):
            pool.transform(wrong.mask(wrong > 7))
    with pytest.raises(ValueError, match="must be in the same order"):
        pool.transform(iris.iloc[:, ::-1])


def test_names_and_index_reach_the_report(iris, runs):
    model = EnsembleClustering(3, n_partitions=4, random_state=0).fit(iris)
    found = report_content(model, iris)
    assert set(found["profile"]["names"]) == set(iris.columns)
    assert set(found["base"]["name"]) == {"coarse0", "fine0", "linkage0", "linkage1"}
    assert all(name.startswith("flower ") for name in found["confidence"]["least"]["id"])
    counted = report_content(model, iris.reset_index(drop=True))
    assert all(str(name).isdecimal() for name in counted["confidence"]["least"]["id"])
    assert set(report_content(LWEA(2).fit(runs))["base"]["name"]) == set("abc")
    gappy = report_content(model, iris.assign(**{"petal width (cm)": np.nan}))
    assert gappy["table"]["left_out"] == ["petal width (cm) (empty)"]
