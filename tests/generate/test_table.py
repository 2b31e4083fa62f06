"""Base clusterings of tables: mixed columns, gaps, copies, weights, new rows, chunks."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

import consensa
from consensa._messages import ConsensaWarning
from consensa.columns import CodedTable, read_frame
from consensa.generate import TablePartitions
from consensa.generate._kernels_table import Costs, assign_rows
from consensa.generate.scale import units_differ
from consensa.generate.table_members import patterns_for
from consensa.generate.table_parts import NumberScale, find_parts


def mixed(n=240, gaps=0.1, seed=0):
    """A table of three groups in different units, and the groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "income": np.exp(rng.normal(10 + 1.5 * group, 0.4)),
            "visits": rng.poisson(2 + 9 * (group == 1)).astype(float),
            "plan": np.where(rng.random(n) < 0.85, np.array(["free", "team", "gold"])[group], "free"),
            "loyal": (rng.random(n) < np.array([0.1, 0.5, 0.9])[group]).astype(object),
            "since": pd.to_datetime("2019-01-01") + pd.to_timedelta(rng.integers(0, 300, n) + 500 * group, "D"),
        }
    )
    return frame.mask(rng.random(frame.shape) < gaps), group


def test_groups_in_different_units_with_gaps_are_found():
    frame, group = mixed()
    model = consensa.EnsembleClustering(3, n_partitions=20, random_state=0).fit(frame)
    assert type(model.generator_) is TablePartitions
    assert adjusted_rand_score(group, model.labels_) > 0.9
    assert [column.kind for column in model.columns_] == ["number", "number", "category", "boolean", "date"]


def test_units_do_not_matter():
    frame, _ = mixed()
    other = frame.assign(income=frame["income"] / 1000 - 7, visits=frame["visits"] * 1e6)
    expected = TablePartitions(6, random_state=0).fit_transform(frame)
    np.testing.assert_array_equal(TablePartitions(6, random_state=0).fit_transform(other), expected)


def test_new_rows_in_any_order_of_columns_and_any_library():
    frame, _ = mixed()
    generator = TablePartitions(8, random_state=0)
    labels = generator.fit_transform(frame)
    np.testing.assert_array_equal(generator.transform(frame), labels)
    np.testing.assert_array_equal(generator.transform(frame[frame.columns[::-1]].iloc[:9]), labels[:9])
    np.testing.assert_array_equal(generator.transform(pl.from_pandas(frame)), labels)
    strange = frame.assign(plan="platinum")
    np.testing.assert_array_equal(generator.transform(strange), generator.transform(frame.assign(plan=None)))


def test_rows_without_any_value_get_no_label():
    frame, _ = mixed()
    frame.loc[5] = None
    with pytest.warns(ConsensaWarning, match="1 of 240 objects have no label"):
        model = consensa.EnsembleClustering(3, n_partitions=10, random_state=0).fit(frame)
    assert model.labels_[5] == -1
    assert (np.delete(model.labels_, 5) >= 0).all()
    assert model.confidence_[5] == 0


def test_jobs_blocks_and_samples_do_not_matter():
    frame, _ = mixed()
    expected = TablePartitions(6, random_state=0).fit_transform(frame)
    np.testing.assert_array_equal(TablePartitions(6, random_state=0, n_jobs=2).fit_transform(frame), expected)
    generator = TablePartitions(6, random_state=0, sample_size=100)
    labels = generator.fit_transform(frame)
    np.testing.assert_array_equal(np.vstack([generator.transform(frame[:50]), generator.transform(frame[50:])]), labels)


def test_saved_models_label_new_rows(tmp_path):
    frame, _ = mixed()
    model = consensa.EnsembleClustering(3, n_partitions=10, random_state=0).fit(frame)
    model.save(tmp_path / "model.npz")
    loaded = consensa.load(tmp_path / "model.npz")
    assert loaded.columns_ == model.columns_
    np.testing.assert_array_equal(loaded.predict(frame), model.labels_)
    kept = TablePartitions(10).restore(model.generator_.model_arrays())
    np.testing.assert_array_equal(kept.transform(frame), model.partitions_)


def test_copies_of_a_column_count_once():
    frame, _ = mixed(gaps=0)
    frame["income_again"] = frame["income"] * 1.1 + 3
    frame["plan_code"] = frame["plan"].map({"free": "f", "team": "t", "gold": "g"})
    generator = TablePartitions(3, random_state=0).fit(frame)
    expected = [0.5, 1, 0.5, 1, 1, 0.5, 0.5]
    np.testing.assert_allclose(generator.column_weights_, expected)


def test_weights_of_columns():
    frame, _ = mixed(gaps=0)
    rng = np.random.default_rng(1)
    frame["side"] = np.where(rng.random(len(frame)) < 0.5, "left", "right")
    weights = dict.fromkeys(["income", "visits", "plan", "loyal", "since"], 0)
    generator = TablePartitions(3, (2, 2), weights=weights, random_state=0)
    labels = generator.fit_transform(frame)
    assert adjusted_rand_score(labels[:, 0], frame["side"]) == 1
    for bad, message in (
        ({"age": 1}, "weights names a column 'age' that is not used"),
        ({"income": -1}, "a weight is a number of at least 0"),
        (dict.fromkeys(frame.columns, 0), "weights leave no column"),
    ):
        with pytest.raises(ValueError, match=message):
            TablePartitions(3, weights=bad).fit(frame)


def test_dates_vary_by_year_and_week():
    days = pd.date_range("2020-01-01", periods=800, freq="D").to_frame(index=False, name="day")
    parts = find_parts(read_frame(days).values, read_frame(days).used)
    assert (parts.years, parts.days) == ((0,), (0,))
    short = read_frame(days[:5])
    assert (find_parts(short.values, short.used).years, find_parts(short.values, short.used).days) == ((), ())
    numbers, levels = parts.make(read_frame(days).values)
    assert numbers.shape == (800, 4)
    assert levels[:8, 0].tolist() == [6, 0, 1, 2, 3, 4, 5, 6]


def test_outliers_and_skew_are_tamed():
    rng = np.random.default_rng(0)
    values = np.append(rng.normal(size=500), 1e9)
    scale = NumberScale.of(values)
    for way in (scale.tamed, scale.ranked):
        assert np.abs(way(values)[:-1]).max() < 6
        assert way(values)[-1] < 25
    counts = NumberScale.of(rng.poisson(0.3, 500).astype(float))
    assert np.isfinite(counts.tamed(np.arange(5.0))).all()


def test_costs_add_up_over_the_values_that_are_there():
    """The kernel against the sum that its docstring says."""
    rng = np.random.default_rng(0)
    numbers, levels = rng.normal(size=(50, 3)), rng.integers(-1, 4, (50, 2)).astype(np.int32)
    numbers[rng.random(numbers.shape) < 0.3] = np.nan
    k = 5
    costs = Costs(
        np.array([2, 0]), rng.normal(size=(2, k)), rng.random((2, k)), rng.random((2, k)),
        np.array([1]), np.array([0]), rng.random((4, k)), rng.random(k), np.array([0.4, 0.4, 0.2]),
        np.empty((0, 0)),
    )  # fmt: skip
    labels = np.empty(50, np.int32)
    assign_rows(numbers, levels, costs, patterns_for(costs), 0.3, labels)
    for i in range(50):
        spent, seen = costs.prior.copy(), 0.0
        for a, place in enumerate(costs.places):
            if not np.isnan(numbers[i, place]):
                spent += costs.base[a] + costs.slope[a] * (numbers[i, place] - costs.centers[a]) ** 2
                seen += costs.shares[a]
        if levels[i, 1] >= 0:
            spent += costs.table[levels[i, 1]]
            seen += costs.shares[2]
        assert labels[i] == (np.argmin(spent) if seen >= 0.3 else -1)


def test_one_covariance_of_the_numbers_that_a_row_has():
    """The kernel against Mahalanobis distances by parts of the covariance, with more patterns of gaps than it keeps."""
    rng = np.random.default_rng(0)
    n, p, k = 2000, 9, 4
    numbers, levels = rng.normal(size=(n, p)), np.zeros((n, 1), np.int32)
    numbers[rng.random(numbers.shape) < 0.3] = np.nan
    roots = rng.normal(size=(p, p))
    tied, centers = roots @ roots.T + np.eye(p), rng.normal(size=(p, k))
    none = np.empty((p, k))
    costs = Costs(
        np.arange(p), centers, none, none, np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, k)),
        np.zeros(k), np.full(p, 1 / p), tied,
    )  # fmt: skip
    labels = np.empty(n, np.int32)
    assign_rows(numbers, levels, costs, patterns_for(costs), 0.3, labels)
    for row, label in zip(numbers, labels, strict=True):
        there = ~np.isnan(row)
        away = row[there, None] - centers[there]
        spent = (away * np.linalg.solve(tied[np.ix_(there, there)], away)).sum(axis=0)
        assert label == (np.argmin(spent) if there.sum() >= 0.3 * p else -1)


def test_what_numbers_share_within_groups_makes_no_groups():
    """Two long parallel groups, which variances alone cut across."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    size = rng.normal(0, 3, 400)
    frame = pd.DataFrame({"height": size + 1.6 * group, "weight": size - 1.6 * group}) + rng.normal(0, 0.4, (400, 2))
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    generator = TablePartitions(16, (2, 2), random_state=0)
    found = [adjusted_rand_score(group, each) for each in generator.fit_transform(frame).T]
    tied = np.array([member.tied.size > 0 for member in generator.members_])
    assert np.max(found, where=~tied, initial=0) < 0.2
    assert np.max(found, where=tied, initial=0) > 0.8


def test_many_numbers_are_drawn_from():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 200)
    frame = pd.DataFrame(rng.normal(group[:, None], 0.7, (200, 70)))
    frame.columns = [f"x{j}" for j in range(70)]
    frame.iloc[0, 0] = None
    generator = TablePartitions(4, (3, 3), random_state=0)
    labels = generator.fit_transform(frame)
    assert [len(member.tied) for member in generator.members_] == [0, 24, 24, 24]
    assert max(adjusted_rand_score(group, each) for each in labels.T) > 0.95


def test_coded_tables_and_arrays_go_the_same_way():
    frame, _ = mixed()
    table = read_frame(frame)
    expected = TablePartitions(4, random_state=0).fit_transform(frame)
    np.testing.assert_array_equal(TablePartitions(4, random_state=0).fit_transform(table), expected)
    generator = TablePartitions(4, random_state=0)
    numbers = table.values[:, :2]
    labels = generator.fit_transform(numbers)
    np.testing.assert_array_equal(generator.transform(CodedTable(numbers, generator.columns_)), labels)
    with pytest.raises(ValueError, match="X has 1 features"):
        generator.transform(numbers[:, :1])


def test_the_report_of_a_table(tmp_path):
    frame, _ = mixed()
    model = consensa.EnsembleClustering(3, n_partitions=10, random_state=0).fit(frame)
    model.report(tmp_path / "report.html")
    assert "TablePartitions" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("scale", ["standard", "auto"])
def test_scale_of_plain_numbers(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [1, 1000]
    X[:100, 0] += 8
    wrong = consensa.EnsembleClustering(2, n_partitions=10, random_state=0).fit(X)
    model = consensa.EnsembleClustering(2, n_partitions=10, scale=scale, random_state=0).fit(X)
    assert adjusted_rand_score(np.arange(200) < 100, model.labels_) == 1
    assert adjusted_rand_score(np.arange(200) < 100, wrong.labels_) < 0.5
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert wrong.scaler_ is None
    np.testing.assert_allclose(model.scaler_, [X.mean(axis=0), X.std(axis=0)])


def test_more_features_than_samples_share_a_unit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 40)) * np.geomspace(0.1, 100, 40)
    assert not units_differ(X)
    assert units_differ(np.vstack([X, X]))


@pytest.mark.parametrize(
    ("n_numbers", "weights", "alone"),
    [(4, None, (0.3, 0.7)), (1, None, (0, 0)), (4, {"c0": 2.0, "c1": 2.0}, (0, 0))],
    ids=["numbers enough", "one number", "categories that weigh more"],
)
def test_half_of_the_members_look_at_numbers_alone(n_numbers, weights, alone):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{j}": rng.normal(size=60) for j in range(n_numbers)})
    for j in range(2):
        frame[f"c{j}"] = rng.choice(["a", "b", "c"], 60)
    generator = TablePartitions(60, weights=weights, max_iter=2, random_state=0)
    generator.fit_transform(frame)
    share = np.mean([member.sites.size == 0 for member in generator.members_])
    assert alone[0] <= share <= alone[1]


def test_a_category_that_crosses_the_groups_does_not_become_the_clusters():
    rng = np.random.default_rng(0)
    group, sex = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    means, moved = rng.normal(0, 2, (3, 4)), rng.normal(0, 1, (3, 4))
    values = means[group] + moved[sex] + rng.normal(0, 0.8, (200, 4))
    frame = pd.DataFrame(values, columns=list("abcd")).assign(sex=np.array(["f", "m", "x"])[sex])
    labels = consensa.EnsembleClustering(3, random_state=0).fit(frame).labels_
    assert adjusted_rand_score(labels, group) > 0.6
    assert adjusted_rand_score(labels, sex) < 0.2


def test_nobody_is_asked_about_a_member_of_one_cluster_that_leaves_rows_out():
    class Lonely(TablePartitions):
        """Members with one cluster, that leave out the first rows."""

        def _assign(self, X):
            labels = super()._assign(X)
            labels[:, 0] = np.where(np.arange(len(X)) < 5, -1, 0)
            return labels

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = consensa.EnsembleClustering(3, generator=Lonely(8), random_state=0).fit(mixed()[0])
    assert set(model.partitions_[:, 0]) == {-1, 0}
    with pytest.warns(ConsensaWarning, match="holds only 0 and -1"):
        consensa.LWEA(3).fit(model.partitions_)
