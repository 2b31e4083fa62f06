"""Reports from the command line: names from the files, places that are refused, saved models."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from consensa.cli import main

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def iris(tmp_path):
    """Features with ids and names that are not nice."""
    path = tmp_path / "iris.csv"
    data = load_iris()
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", HOSTILE, *data.feature_names[1:]])
        writer.writerows([f"{HOSTILE}{i}", *row] for i, row in enumerate(data.data.tolist()))
    return str(path)


@pytest.fixture
def partitions(tmp_path):
    path = tmp_path / "partitions.csv"
    rows = ["id,first,second,third", *(f"o{i},{w},{i // 8},{i // 6}" for i, w in enumerate("aaaaaaabbbbbbbbc"))]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def content_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def run(*arguments):
    return main([str(word) for word in arguments])


def test_run_takes_names_from_the_file(iris, tmp_path, capsys):
    options = ["-k", 3, "--n-partitions", 8, "-o", tmp_path / "l.csv"]
    assert run("run", iris, *options, "--report", tmp_path / "r.json") == 0
    assert f"wrote {tmp_path / 'r.json'} (" in capsys.readouterr().err
    content = content_of(tmp_path / "r.json")
    assert content["map"]["id"][:2] == [f"{HOSTILE}0", f"{HOSTILE}1"]
    assert HOSTILE in content["profile"]["names"]
    assert content["made"]["source"] == iris or "…" in content["made"]["source"]
    assert content["summary"]["n_clusters"] == 3


def test_run_writes_a_page(iris, tmp_path):
    options = ["-k", "auto", "--n-partitions", 8, "-q", "-o", tmp_path / "l.csv"]
    assert run("run", iris, *options, "--report", tmp_path / "r.html") == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert HOSTILE not in page


def test_combine_takes_names_from_the_file(partitions, tmp_path):
    options = ["-k", 2, "--method", "lwea", "-q", "-o", tmp_path / "l.csv"]
    assert run("combine", partitions, *options, "--report", tmp_path / "r.json") == 0
    content = content_of(tmp_path / "r.json")
    assert sorted(content["base"]["name"]) == ["first", "second", "third"]
    assert content["map"]["id"] == [f"o{i}" for i in range(16)]
    first = next(p for p in content["flow"]["partitions"] if p["name"] == "base clustering first")
    assert dict(zip(first["groups"], first["sizes"], strict=True)) == {"a": 7, "b": 8, "c": 1}


def test_places_are_refused_before_any_work(partitions, tmp_path, capsys):
    labels = tmp_path / "l.csv"
    (tmp_path / "old.html").write_text("mine")
    for target, reason in [
        (tmp_path / "old.html", "exists already"),
        (tmp_path / "r.pdf", "a report is written as .html or .json"),
        (tmp_path / "none" / "r.html", "does not exist"),
    ]:
        assert run("combine", partitions, "-k", 2, "-o", labels, "--report", target) == 2
        assert reason in capsys.readouterr().err
        assert not labels.exists()
    assert (tmp_path / "old.html").read_text() == "mine"
    assert run("combine", partitions, "-k", 2, "-o", labels, "--report", tmp_path / "old.html", "--force") == 0
    assert (tmp_path / "old.html").read_text().startswith("<!doctype html>")


def test_report_of_a_saved_model(iris, tmp_path, capsys):
    model = tmp_path / "m.npz"
    options = ["-k", 3, "--n-partitions", 8, "-q", "-o", tmp_path / "l.csv"]
    assert run("run", iris, *options, "--save", model, "--report", tmp_path / "direct.json") == 0
    assert run("report", model, tmp_path / "r.json") == 0
    assert run("report", model, tmp_path / "x.json", "--data", iris) == 0
    direct, plain, full = (content_of(tmp_path / name) for name in ("direct.json", "r.json", "x.json"))
    assert plain["profile"] is None
    assert plain["map"]["id"] == direct["map"]["id"]
    for section in ("summary", "clusters", "confidence", "heatmap", "tree", "profile", "base", "flow", "map"):
        assert full[section] == direct[section], section
    capsys.readouterr()
    assert run("report", model, model) == 2
    assert "a report is written as .html or .json" in capsys.readouterr().err
    assert run("report", tmp_path / "nothing.npz", tmp_path / "y.html") == 2
    assert "no such file" in capsys.readouterr().err


def test_demo_reports(tmp_path):
    options = ["--n-partitions", 5, "-q", "--output", tmp_path / "l.csv"]
    assert run("demo", *options, "--report", tmp_path / "r.json") == 0
    content = content_of(tmp_path / "r.json")
    assert content["summary"]["known_classes"]["nmi"] > 0.5
    assert content["profile"]["names"][0].startswith("pixel ")
    assert np.sum(content["clusters"]["size"]) == 1797
