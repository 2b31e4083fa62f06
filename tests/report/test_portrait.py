"""What makes a cluster what it is: effects, words, names, and where they are shown and kept."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import consensa
from consensa import LWEA, EnsembleClustering
from consensa.cli import main
from consensa.columns import Column
from consensa.report import report_content
from consensa.report.wording import number_text, value_text, way_text


def customers(n=400):
    rng = np.random.default_rng(0)
    segment = np.repeat([0, 1], [3 * n // 4, n // 4])
    frame = pd.DataFrame(
        {
            "income": np.where(segment == 1, 61_000, 38_000) + rng.normal(0, 2000, n),
            "age": rng.normal(40, 5, n),
            "plan": np.where(rng.random(n) < np.where(segment == 1, 0.88, 0.21), "team", "free"),
            "since": pd.to_datetime("2019-01-01") + pd.to_timedelta(1000 * segment + rng.integers(0, 300, n), unit="D"),
            "newsletter": rng.random(n) < np.where(segment == 1, 0.9, 0.1),
        },
        index=[f"c{i}" for i in range(n)],
    )
    frame.loc[(segment == 0) & (rng.random(n) < 0.8), "age"] = np.nan
    return frame, segment


@pytest.fixture(scope="module")
def model():
    frame, segment = customers()
    fitted = EnsembleClustering(2, n_partitions=20, random_state=0).fit(frame)
    assert (fitted.labels_ == segment).mean() > 0.98
    return fitted


def test_profile_tells_numbers_levels_dates_and_gaps(model):
    found = model.profile()
    sizes = np.bincount(model.labels_)
    assert found["size"].tolist() == sizes.tolist()
    assert found["share"].tolist() == pytest.approx(sizes / 400)
    text = found["description"][1]
    assert "income far above the rest (median 61,000 against 38,000)" in text
    assert "since far later than the rest (median 2022-0" in text
    assert "newsletter: yes " in text
    traits = model.profile(features=True)
    plan = traits[(traits["cluster"] == 1) & (traits["feature"] == "plan")].iloc[0]
    frame, segment = customers()[0], model.labels_
    shares = [(frame["plan"][segment == s] == "team").mean() for s in (1, 0)]
    assert plan["effect"] == pytest.approx(shares[0] - shares[1], abs=1e-3)
    assert plan["description"] == f"plan: team {shares[0]:.0%}, elsewhere {shares[1]:.0%}".replace("%", " %")
    gap = traits[(traits["cluster"] == 0) & (traits["feature"] == "age")].iloc[0]
    assert gap["kind"] == "gap"
    assert gap["description"].startswith("age: no value 8")
    assert found["typical"][1].split(", ")[0] in frame.index[segment == 1]  # ids come from the index of the frame


def test_effect_is_cliffs_delta():
    X = np.array([[1.0], [2.0], [3.0], [2.5], [9.0], [8.0]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    model = LWEA(2).fit(np.column_stack([labels, labels]))
    effect = model.profile(X, features=True, feature_names=["x"])["effect"]
    wins = np.sign(X[labels == 1] - X[labels == 0].T).mean()
    assert effect.tolist() == pytest.approx([-wins, wins], abs=1e-3)


def test_many_features_and_no_features():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=200)
    X = rng.normal(size=(200, 300))
    X[:, 217] += 5 * labels
    model = LWEA(2).fit(np.column_stack([labels, labels]))
    traits = model.profile(X, features=True)
    assert set(traits["feature"][traits["effect"].abs() > 0.5]) == {"feature 217"}
    assert model.profile()["description"].tolist() == ["", ""]
    assert report_content(model)["portraits"]["n_objects"] == 0


def test_marked_objects_take_no_part(model):
    frame, _ = customers()
    marked = EnsembleClustering(2, n_partitions=20, outliers="mark", random_state=0).fit(frame)
    assert marked.profile()["size"].sum() == np.count_nonzero(marked.labels_ >= 0)


def test_names_are_kept_and_checked(model, tmp_path):
    model.name_clusters({1: "teams"})
    model.save(tmp_path / "model.npz")
    again = consensa.load(tmp_path / "model.npz")
    assert again.profile()["name"].tolist() == ["cluster 0", "teams"]
    assert again.profile()["description"].tolist() == model.profile()["description"].tolist()
    assert report_content(again)["clusters"]["names"] == {"1": "teams"}
    with pytest.raises(ValueError, match="names has one for cluster 2, but the labels are 0 to 1"):
        model.name_clusters({2: "nobody"})
    assert model.name_clusters(["a", "b"]).cluster_name(0) == "a"
    assert model.name_clusters(None).cluster_names_ is None


def test_show_prints_and_names(model, tmp_path, capsys):
    model.save(tmp_path / "model.npz")
    named = str(tmp_path / "named.npz")
    assert main(["show", str(tmp_path / "model.npz"), "--names", "1=teams", "--save", named, "--quiet"]) == 0
    assert "income far above the rest" in capsys.readouterr().out
    assert main(["show", named, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["clusters"][1]
    assert (shown["cluster"], shown["name"], shown["size"]) == (1, "teams", int(np.count_nonzero(model.labels_ == 1)))


def test_names_do_not_outlive_a_fit():
    labels = [[0, 0, 1, 1], [0, 0, 1, 1]]
    model = LWEA(2).fit(labels).name_clusters(["a", "b"])
    assert model.fit(labels).cluster_names_ is None


@pytest.mark.parametrize(
    ("value", "beside", "text"),
    [(61234, 38120, "61,000"), (3.0, 8.0, "3"), (0.3512, 0.121, "0.35"), (1e-9, 2e-9, "1e-09"), (-4.26, 4.1, "-4.3")],
)
def test_numbers_have_the_digits_that_tell_them_apart(value, beside, text):
    assert number_text(value, beside) == text


def test_words_of_other_kinds():
    assert value_text(Column("size", "ordered", ("S", "M", "L")), 2.0, 0.0) == ("L", "S")
    assert value_text(Column("day", "date"), 19000.0, 18990.0) == ("2022-01-08", "2021-12-29")
    assert way_text("ordered", -0.9) == "far below"


def test_the_page_tells_columns_and_gaps(model, tmp_path):
    frame, _ = customers()
    content = model.report().content
    gaps = int(frame["age"].isna().sum())
    assert (content["table"]["n_gaps"], content["table"]["n_cells"]) == (gaps, 5 * 400)
    told = {each["name"]: each for each in content["table"]["columns"]}
    assert told["age"] == {"name": "age", "kind": "number", "gaps": gaps, "share": round(gaps / 400, 4)}
    usual = dict(zip(told, content["portraits"]["usual"], strict=True))
    assert usual["income"][1:] == ["38,000", "61,000"]
    assert usual["plan"][2].startswith("team ")
    assert [len(cells) for cells in usual.values()] == [3] * 5  # among all, and in both clusters
    model.save(tmp_path / "model.npz", ids=frame.index)
    again = report_content(consensa.load(tmp_path / "model.npz"))  # without the features
    assert again["table"] == content["table"]
    assert again["portraits"] == content["portraits"]
    assert again["portraits"]["clusters"][1]["typical"][0] in frame.index


def test_clusters_are_described_by_any_table(model):
    frame, _ = customers()
    other = pd.DataFrame({"town": np.where(model.labels_ == 1, "Graz", "Linz"), "debts": 5.0 * model.labels_})
    other.loc[3, "debts"] = np.nan
    content = report_content(model, other)
    assert "town: Graz 100 %, elsewhere 0 %" in content["portraits"]["clusters"][1]["text"]
    assert content["table"]["n_gaps"] == 1
    plain = EnsembleClustering(2, n_partitions=10, random_state=0).fit(frame[["income"]])  # of numbers alone
    assert "newsletter: yes" in report_content(plain, frame)["portraits"]["clusters"][1]["text"]
