"""The commands run and combine: files in, labels out, and what is said on the way."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

import consensa
from consensa import LWEA, LWGP, EnsembleClustering, __version__
from consensa.cli import main
from consensa.io import read_labels
from consensa.methods import FEATURE_METHODS

X = load_iris().data
SMALL = ["--n-partitions", "8"]


@pytest.fixture
def iris(tmp_path):
    """The iris data as CSV with a header and ids."""
    path = tmp_path / "iris.csv"
    rows = [f"flower{i}," + ",".join(map(str, row)) for i, row in enumerate(X)]
    path.write_text("\n".join(["id,sl,sw,pl,pw", *rows]) + "\n")
    return path


@pytest.fixture
def partitions(tmp_path):
    """Five clusterings of 30 objects as CSV, with words, numbers and missing labels."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 10)
    columns = [np.where(rng.random(30) < 0.1, rng.integers(0, 3, 30), truth).astype(str) for _ in range(5)]
    columns[1] = np.char.add("c", columns[1])
    columns[2][4] = ""
    columns[3][5] = "-1"
    path = tmp_path / "partitions.csv"
    path.write_text(
        "\n".join(["name,a,b,c,d,e", *(f"o{i}," + ",".join(row) for i, row in enumerate(zip(*columns, strict=True)))])
    )
    return path


def lines_of(path):
    return path.read_text().splitlines()


# --- run


def test_run_writes_what_the_estimator_finds(iris, tmp_path, capsys):
    out = tmp_path / "labels.csv"
    assert main(["run", str(iris), "-k", "3", *SMALL, "-o", str(out)]) == 0
    model = EnsembleClustering(3, n_partitions=8, random_state=0).fit(X)
    found = zip(model.labels_, model.confidence_.round(4).tolist(), strict=True)
    rows = (f"flower{i},{label},{sure}" for i, (label, sure) in enumerate(found))
    assert lines_of(out) == ["id,label,confidence", *rows]
    told = capsys.readouterr()
    assert told.out == ""
    first, second = told.err.splitlines()
    assert first == (
        f"consensa: {iris}: 150 rows x 4 features; the first line is the header; the ids are in column 'id'."
    )
    assert second.startswith(f"consensa: wrote {out} (3 clusters of ")


def test_quiet_says_nothing(iris, tmp_path, capsys):
    assert main(["run", str(iris), "-k", "3", *SMALL, "-q", "-o", str(tmp_path / "l.csv")]) == 0
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_on_a_terminal_only(iris, tmp_path, capsys, monkeypatch):
    call = ["run", str(iris), "-k", "3", *SMALL, "--force", "-o", str(tmp_path / "l.csv")]
    assert main(call) == 0
    assert "k-means" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(call) == 0
    assert "k-means: 100%" in capsys.readouterr().err
    assert main([*call, "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_run_to_standard_output(iris, capfd):
    assert main(["run", str(iris), "-k", "2", *SMALL, "-q"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "id,label,confidence"
    assert len(lines) == 151


def test_seed_jobs_method_and_parameters(iris, tmp_path):
    def labels(name, *options):
        out = tmp_path / name
        assert main(["run", str(iris), "-k", "3", *SMALL, "-q", "-o", str(out), *options]) == 0
        return read_labels(out).values[:, 0]

    base = labels("a.csv", "--seed", "5")
    np.testing.assert_array_equal(base, labels("b.csv", "--seed", "5", "--jobs", "2"))
    model = EnsembleClustering(3, method=LWEA(theta=0.2), n_partitions=8, random_state=5).fit(X)
    found = labels("c.csv", "--seed", "5", "--method", "LWEA", "--param", "theta=0.2")
    np.testing.assert_array_equal(found, model.labels_)


def test_several_k_give_a_column_each(iris, tmp_path):
    out = tmp_path / "l.tsv"
    assert main(["run", str(iris), "-k", "2:4,6", *SMALL, "-q", "-o", str(out)]) == 0
    table = read_labels(out)
    assert table.names == ("k2", "k3", "k4", "k6")
    assert [len(np.unique(column)) for column in table.values.T] == [2, 3, 4, 6]


def test_json_without_output_holds_the_labels(iris, capsys):
    assert main(["run", str(iris), "-k", "3", *SMALL, "-q", "--json", "--seed", "4"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == __version__
    assert (found["command"], found["method"], found["k"], found["seed"]) == ("run", "sal", 3, 4)
    assert found["parameters"] == {"n_partitions": 8, "generator": "multiscale"}
    assert (found["n_objects"], found["n_columns"]) == (150, 4)
    assert found["seconds"] > 0
    labels = found["labels"]["label"]
    (only,) = found["clusterings"]
    assert only == {"name": "label", "cluster_sizes": np.bincount(labels).tolist(), "n_unlabelled": 0}
    assert found["ids"][:2] == ["flower0", "flower1"]


def test_json_with_output_holds_no_labels(iris, tmp_path, capsys):
    out = tmp_path / "l.csv"
    assert main(["run", str(iris), "-k", "2,3", *SMALL, "-q", "--json", "-o", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["k"] == [2, 3]
    assert found["output"] == str(out)
    assert [one["name"] for one in found["clusterings"]] == ["k2", "k3"]
    assert "labels" not in found
    assert "ids" not in found
    assert out.exists()


@pytest.mark.parametrize("ending", ["npy", "npz", "parquet"])
def test_other_kinds_in_and_out(tmp_path, capsys, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    np.save(tmp_path / "x.npy", X)
    out = tmp_path / f"l.{ending}"
    assert main(["run", str(tmp_path / "x.npy"), "-k", "3", *SMALL, "-o", str(out)]) == 0
    model = EnsembleClustering(3, n_partitions=8, random_state=0).fit(X)
    np.testing.assert_array_equal(read_labels(out).values[:, 0], model.labels_)
    assert "there is no id column" in capsys.readouterr().err


def test_npy_output_says_that_ids_are_lost(iris, tmp_path, capsys):
    assert main(["run", str(iris), "-k", "3", *SMALL, "-o", str(tmp_path / "l.npy")]) == 0
    assert "without the ids, which NPY has no place for" in capsys.readouterr().err


def test_layout_options_reach_the_reader(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("0;1;2;3\n" + "\n".join(f"{i % 3};{i % 2};{i};x{i}" for i in range(20)))
    out = tmp_path / "l.csv"
    layout = ["--no-header", "--id-column", "none", "--columns", "0,1"]
    assert main(["run", str(path), "-k", "2", *SMALL, "-q", "-o", str(out), *layout]) == 0
    assert len(lines_of(out)) == 22
    layout = ["--header", "--id-column", "3", "--columns", "0,1", "--delimiter", ";", "--force"]
    assert main(["run", str(path), "-k", "2", *SMALL, "-q", "-o", str(out), *layout]) == 0
    assert lines_of(out)[1].startswith("x0,")


def test_array_option(tmp_path, capsys):
    np.savez(tmp_path / "x.npz", first=X, second=X[:10])
    call = ["run", str(tmp_path / "x.npz"), "-k", "2", *SMALL, "-o", str(tmp_path / "l.csv")]
    assert main(call) == 2
    assert "choose one with --array NAME" in capsys.readouterr().err
    assert main([*call, "--array", "second"]) == 0
    assert len(lines_of(tmp_path / "l.csv")) == 11


# --- combine


def test_combine_writes_what_the_method_finds(partitions, tmp_path, capsys):
    out = tmp_path / "l.csv"
    assert main(["combine", str(partitions), "-k", "3", "--method", "lwea", "-o", str(out)]) == 0
    table = read_labels(partitions)
    expected = LWEA(3).fit_predict(np.ma.masked_less(table.values, 0))
    assert [line.rpartition(",")[0] for line in lines_of(out)] == [
        "name,label",
        *(f"o{i},{label}" for i, label in enumerate(expected)),
    ]
    assert "30 rows x 5 clusterings" in capsys.readouterr().err


def test_combine_equals_the_library_on_a_frame(partitions):
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(partitions, index_col="name")
    assert frame.isna().to_numpy().sum() == 1
    labels = LWGP(3, random_state=0).fit_predict(frame)
    table = read_labels(partitions)
    np.testing.assert_array_equal(labels, LWGP(3, random_state=0).fit_predict(np.ma.masked_less(table.values, 0)))


def test_combine_from_a_pipe_to_a_pipe(partitions, monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(partitions.read_bytes().replace(b",", b"\t"))))
    assert main(["combine", "-", "-k", "2,3", "--columns", "a,b,c"]) == 0
    told = capfd.readouterr()
    assert told.out.splitlines()[0] == "name,k2,k3,confidence_k2,confidence_k3"
    assert told.err.startswith("consensa: standard input: 30 rows x 3 clusterings;")


def test_objects_without_any_label_get_minus_one(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("a,b\n" + "1,x\n2,y\n" * 5 + ",\n")
    out = tmp_path / "l.csv"
    assert main(["combine", str(path), "-k", "2", "-o", str(out), "--json"]) == 0
    told = capsys.readouterr()
    assert lines_of(out)[-1] == "10,-1,0.0"
    assert "consensa: warning: 1 of 11 objects have no label in any base clustering" in told.err
    assert json.loads(told.out)["clusterings"][0]["n_unlabelled"] == 1


def test_minus_one_as_a_cluster(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("a,b\n" + "1,1\n-1,2\n" * 6)
    call = ["combine", str(path), "-k", "2", "-q", "--force", "-o", str(tmp_path / "l.csv")]
    assert main(call) == 0
    warning = capsys.readouterr().err
    assert warning.count("warning") == 1
    assert "column 'a' of" in warning
    assert "--missing none" in warning
    assert main([*call, "--missing", "none"]) == 0
    assert capsys.readouterr().err == ""


# --- what is refused, before any computing


@pytest.fixture
def no_computing(monkeypatch):
    """Make every attempt to compute or to read a failure."""

    def refuse(*_args, **_kwargs):
        pytest.fail("computed before the checks")

    monkeypatch.setattr(EnsembleClustering, "fit", refuse)
    monkeypatch.setattr("consensa.io.read_features", refuse)
    monkeypatch.setattr("consensa.io.read_labels", refuse)


@pytest.mark.usefixtures("no_computing")
@pytest.mark.parametrize("command", ["run", "combine"])
def test_outputs_are_checked_first(iris, tmp_path, capsys, command):
    def told(target, *options):
        assert main([command, str(iris), "-k", "3", "-o", str(target), *options]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert error.startswith("consensa: error: ")
        return error

    (tmp_path / "old.csv").write_text("old")
    assert "exists already; give --force to overwrite it" in told(tmp_path / "old.csv")
    assert (tmp_path / "old.csv").read_text() == "old"
    assert "does not exist; make it first" in told(tmp_path / "no" / "l.csv")
    assert "the ending '.txt' is not known" in told(tmp_path / "l.txt")
    assert "is the input itself, which is never overwritten" in told(iris, "--force")


def test_force_overwrites(iris, tmp_path):
    out = tmp_path / "l.csv"
    out.write_text("old")
    assert main(["run", str(iris), "-k", "3", *SMALL, "-q", "-o", str(out), "--force"]) == 0
    assert lines_of(out)[0] == "id,label,confidence"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["iris.csv", "l.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "151"], "n_clusters=151 is more than the 150 samples"),
        (["-k", "3", "--param", "theta=0"], "theta=0 is not allowed"),
        (["-k", "3", "--param", "zeta=1"], "method 'sal' has no parameter 'zeta'"),
        (["-k", "3", "--columns", "sl,nope"], "there is no column 'nope'"),
        (["-k", "3", "--types", "age=number"], "types names a column 'age' that is not there"),
        (["-k", "3", "--types", "pl=word"], "types={'pl': 'word'} is not allowed; give one of number, boolean"),
        (["-k", "3", "--method", "mdec", "--types", "pl=category"], "method mdec needs finite numbers, but 'pl' is"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(iris, tmp_path, capsys, options, message):
    out = tmp_path / "l.csv"
    assert main(["run", str(iris), *SMALL, "-q", "-o", str(out), *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith("consensa: error: ")
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_too_many_clusters_for_the_ensemble(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("a,b\n" + "1,x\n2,y\n" * 5)
    assert main(["combine", str(path), "-k", "3", "-q"]) == 2
    assert "n_clusters=3 is more than the 2 microclusters" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(FEATURE_METHODS))
def test_every_method_on_features_runs(iris, tmp_path, capsys, name):
    """What is listed for features runs on features, under its own name."""
    labels, saved, page = tmp_path / "l.csv", tmp_path / "m.npz", tmp_path / "r.json"
    small = ["--n-partitions", "4"] if name != "uspec" else []
    outputs = ["-o", str(labels), "--save", str(saved), "--report", str(page)]
    assert main(["run", str(iris), "-k", "3", "--method", name, *small, *outputs, "-q"]) == 0
    model = consensa.load(saved)
    assert type(model).__name__ == FEATURE_METHODS[name].estimator
    assert read_labels(labels).values[:, 0].tolist() == model.labels_.tolist()
    assert np.unique(model.labels_).size == 3
    assert model.cut([2, 4])[4].shape == model.confidence_.shape == (150,)
    assert json.loads(page.read_text())["made"]["doi"] == FEATURE_METHODS[name].doi
    if name == "tome":
        with pytest.raises(AttributeError, match="cannot label new ones; fit it on all objects"):
            model.predict(X)
    elif name == "mdec":
        with pytest.raises(ValueError, match="MetricSubspacePartitions cannot label new data"):
            model.predict(X)
    else:
        assert model.predict(X).tolist() == model.labels_.tolist()
    assert main(["run", str(iris), "-k", "3", "--method", name, "--param", "nonsense=1"]) == 2
    assert "has no nonsense of its own to set" in capsys.readouterr().err


def test_a_single_lac_clustering_from_the_command_line(iris, tmp_path, capsys):
    """LAC makes clusterings rather than combining them: one for every value of 1/h, and of one the consensus is it."""
    out, whole = tmp_path / "lac.csv", tmp_path / "run.csv"
    options = ["--generator", "lac", "-k", "3", "-m", "1", "--seed", "1", "-q"]
    assert main(["generate", str(iris), *options, "--param", "inverse_h=[7]", "-o", str(out)]) == 0
    assert main(["run", str(iris), *options, "--generator-param", "inverse_h=[7]", "-o", str(whole)]) == 0
    expected = consensa.generate.LACPartitions(3, inverse_h=[7], random_state=1).fit_transform(X)
    assert read_labels(out).values[:, 0].tolist() == expected[:, 0].tolist()
    assert np.unique(read_labels(whole).values[:, 0]).size == 3
    with pytest.raises(SystemExit):
        main(["run", str(iris), "-k", "3", "--method", "lac"])
    assert "'lac' makes clusterings; give it as --generator lac, with -m 1" in capsys.readouterr().err
