"""``consensa test`` and ``-k tested``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import consensa
from consensa.cli import main

QUICK = ["--alpha", "0.2", "--n-null", "19", "--generator", "kmeans"]


@pytest.fixture
def table(tmp_path):
    X, _ = make_blobs(60, centers=[[0, 0], [12, 12]], random_state=0)
    path = tmp_path / "data.csv"
    np.savetxt(path, X, delimiter=",", header="a,b", comments="")
    return path


def test_the_tree_and_the_labels(table, tmp_path, capsys):
    assert main(["test", str(table), *QUICK, "-o", str(tmp_path / "labels.csv")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("60 objects: split into 30 + 30, p = ")
    assert "these 2 clusters are well separated" in said
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 61
    assert main(["test", str(table), *QUICK, "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["n_clusters"] == 2


def test_run_with_a_tested_number(table, tmp_path, capsys):
    model = tmp_path / "model.npz"
    arguments = ["run", str(table), "-k", "tested", "-m", "10", "--generator", "kmeans"]
    assert main([*arguments, "--save", str(model), "--json"]) == 0
    said = capsys.readouterr()
    assert "60 objects: split into 30 + 30" in said.err
    assert json.loads(said.out)["k"] == 2
    loaded = consensa.load(model)
    assert loaded.n_clusters_ == loaded.significance_.n_clusters == 2
    assert loaded.predict(np.array([[0.0, 0.0], [12.0, 12.0]])).tolist() in ([0, 1], [1, 0])


def test_a_file_larger_than_memory(table, tmp_path, capsys):
    arguments = ["run", str(table), "-k", "tested", "-m", "10", "--generator", "kmeans"]
    memory, chunks = tmp_path / "memory.csv", tmp_path / "chunks.csv"
    assert main([*arguments, "-o", str(memory)]) == 0
    in_memory = capsys.readouterr().err
    assert main([*arguments, "-o", str(chunks), "--memory", "8GB", "--report", str(tmp_path / "report.json")]) == 0
    in_chunks = capsys.readouterr().err
    assert memory.read_text() == chunks.read_text()
    for line in in_memory.splitlines():
        told_with_times = "(stage " in line or "wrote" in line
        assert told_with_times or line in in_chunks
    told = json.loads((tmp_path / "report.json").read_text())["significance"]
    assert told["sentence"].startswith("These 2 clusters are well separated")
    assert [line["significant"] for line in told["lines"]] == [True, False, False]
    assert [line["depth"] for line in told["lines"]] == [0, 1, 1]


def test_a_stopped_run_in_chunks_keeps_the_test(table, tmp_path, capsys, monkeypatch):
    from consensa.methods import ensemble_clustering

    def stop(*_):
        raise KeyboardInterrupt

    out = tmp_path / "out.csv"
    arguments = ["run", str(table), "-k", "tested", "-m", "10", "--generator", "kmeans", "-o", str(out)]
    with monkeypatch.context() as patch:
        patch.setattr(ensemble_clustering.EnsembleClustering, "make_parts", _fail_at(2, stop))
        assert main([*arguments, "--memory", "8GB"]) != 0
    assert "test) are kept in" in capsys.readouterr().err
    assert main([*arguments, "--memory", "8GB"]) == 0
    assert "going on with the finished parts" in capsys.readouterr().err


def _fail_at(call, fail):
    from consensa.methods.ensemble_clustering import EnsembleClustering

    real, calls = EnsembleClustering.make_parts, []

    def make_parts(self):
        calls.append(0)
        return fail() if len(calls) == call else real(self)

    return make_parts


def test_one_cluster_is_an_answer(tmp_path, capsys):
    data, report = tmp_path / "cloud.csv", tmp_path / "report.html"
    np.savetxt(data, np.random.default_rng(0).normal(size=(80, 3)), delimiter=",", header="a,b,c", comments="")
    for number in ("tested", "1"):
        out = tmp_path / f"{number}.csv"
        arguments = ["run", str(data), "-k", number, "-m", "10", "-o", str(out), "--report", str(report), "--force"]
        assert main([*arguments, "--directory", str(tmp_path / number)] if number == "tested" else arguments) == 0
        assert {line.split(",")[1] for line in out.read_text().splitlines()[1:]} == {"0"}
        said = capsys.readouterr().err
        assert "(1 cluster of 80 objects; " in said
        assert ("nothing here" in said) == (number == "tested")
        assert ("Nothing here: data without clusters split as well" in report.read_text()) == (number == "tested")
    assert list((tmp_path / "tested").glob("split_*.npy"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["test", "DATA", "--alpha", "2"], "alpha=2"),
        (["test", "DATA", "--weights", "a=2"], "--weights is for tables"),
        (["combine", "DATA", "-k", "tested"], "-k tested needs features"),
    ],
)
def test_refusals(table, tmp_path, capsys, arguments, said):
    given = [{"DATA": str(table), "OUT": str(tmp_path / "out.csv")}.get(word, word) for word in arguments]
    assert main(given) == 2
    assert said in capsys.readouterr().err


def test_words_are_no_numbers(tmp_path, capsys):
    path = tmp_path / "words.csv"
    path.write_text("size,colour\n" + "".join(f"{i},{'red' if i % 2 else 'blue'}\n" for i in range(40)))
    assert main(["test", str(path)]) == 2
    assert "the test needs finite numbers, but 'colour' is a" in capsys.readouterr().err
