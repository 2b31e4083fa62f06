"""The commands compare, methods and demo, usage errors, exit codes, and the program as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import consensa
from consensa import __version__
from consensa.cli import main
from consensa.cli.parser import parse_cluster_numbers
from consensa.evaluate import accuracy, ari, nmi
from consensa.methods import FEATURE_METHODS, METHODS

A = np.array([0, 0, 1, 1, 2, 2])
B = np.array([1, 1, 0, 0, 0, 2])


def put(path, text):
    path.write_text(text)
    return str(path)


def column(labels, ids=None, name="label"):
    if ids is None:
        return "\n".join([name, *map(str, labels)]) + "\n"
    return "\n".join([f"id,{name}", *(f"{i},{label}" for i, label in zip(ids, labels, strict=True))]) + "\n"


# --- compare


def test_compare_by_order(tmp_path, capsys):
    a, b = put(tmp_path / "a.csv", column(A)), put(tmp_path / "b.csv", column([f"c{v}" for v in B], name="truth"))
    assert main(["compare", a, b]) == 0
    told = capsys.readouterr()
    header, row = (line.split() for line in told.out.splitlines())
    assert header == ["a", "b", "k_a", "k_b", "n", "NMI", "ARI", "ACC"]
    assert row == ["label", "truth", "3", "3", "6", f"{nmi(A, B):.4f}", f"{ari(A, B):.4f}", f"{accuracy(A, B):.4f}"]
    assert "consensa: rows are matched by order." in told.err


def test_compare_by_id(tmp_path, capsys):
    order = np.array([3, 1, 5, 0, 4, 2])
    a = put(tmp_path / "a.csv", column(A, ids="uvwxyz"))
    b = put(tmp_path / "b.tsv", column(B[order], ids=np.array(list("uvwxyz"))[order]).replace(",", "\t"))
    assert main(["compare", a, b, "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["matched_by"] == "id"
    (pair,) = found["pairs"]
    assert pair["nmi"] == pytest.approx(nmi(A, B), abs=1e-12)
    assert pair["ari"] == pytest.approx(ari(A, B), abs=1e-12)
    assert pair["acc"] == accuracy(A, B)
    assert (pair["k_a"], pair["k_b"], pair["n_objects"], pair["n_left_out"]) == (3, 3, 6, 0)
    assert "rows are matched by id" in told.err


def test_compare_all_pairs_of_columns(tmp_path, capsys):
    a = put(tmp_path / "a.csv", "id,k2,k3\nu,0,0\nv,0,1\nw,1,2\n")
    b = put(tmp_path / "b.csv", "id,x\nu,p\nv,p\nw,q\n")
    assert main(["compare", a, b, "-q"]) == 0
    told = capsys.readouterr()
    assert [line.split()[:2] for line in told.out.splitlines()[1:]] == [["k2", "x"], ["k3", "x"]]
    assert told.out.splitlines()[1].split()[-3:] == ["1.0000"] * 3
    assert told.err == ""
    assert main(["compare", a, b, "-q", "--columns-a", "k3"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_compare_leaves_missing_labels_out(tmp_path, capsys):
    a, b = put(tmp_path / "a.csv", column([0, 0, 1, 1, -1, 2])), put(tmp_path / "b.csv", column([1, 1, 0, "NA", 0, 2]))
    assert main(["compare", a, b, "--json", "-q"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["n_objects"], pair["n_left_out"], pair["nmi"]) == (4, 2, 1.0)
    assert main(["compare", a, b, "--json", "-q", "--missing", "none"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["n_objects"], pair["k_a"]) == (5, 4)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (column(A), column(B[:5]), "has 6 rows and {b} has 5, and not both have ids"),
        (column(A, ids="uvwxyz"), column(B[:5]), "has 6 rows and {b} has 5, and not both have ids"),
        (
            column(A, ids="uvwxyz"),
            column(B, ids="uvwxyq"),
            "the ids differ: 1 of 6 ids of {a} are not in {b} (the first",
        ),
        (column(A[:5], ids="uvwxy"), column(B, ids="uvwxyz"), "1 of 6 ids of {b} are not in {a} (the first is 'z')"),
        (column([0.5, 1]), column([0, 1]), "holds 0.5: labels are names of clusters"),
        (column(["NA", 1]), column([1, "NA"]), "no object has a label in both clusterings"),
    ],
)
def test_compare_refuses(tmp_path, capsys, first, second, message):
    a, b = put(tmp_path / "a.csv", first), put(tmp_path / "b.csv", second)
    assert main(["compare", a, b, "-q", "--header"]) == 2
    error = capsys.readouterr().err
    assert message.format(a=a, b=b) in error
    assert error.count("\n") == 1


def test_compare_refuses_repeated_ids(tmp_path, capsys):
    a = put(tmp_path / "a.csv", column([0, 0, 1], ids="uuv"))
    assert main(["compare", a, a, "-q", "--id-column", "id"]) == 2
    assert "the id 'u' occurs more than once, so rows cannot be matched by id" in capsys.readouterr().err


def test_compare_cannot_read_standard_input_twice(capsys):
    assert main(["compare", "-", "-"]) == 2
    assert "only one of the two files can be '-'" in capsys.readouterr().err


# --- methods and demo


def test_methods_lists_the_registry(capsys):
    assert main(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    methods = [*METHODS.values(), *FEATURE_METHODS.values()]
    assert len(lines) == len(methods) + 1
    for line, method in zip(lines[1:], methods, strict=True):
        sizes = "yes" if method.balanced else "no"
        assert line.split()[:4] == [method.name, method.estimator, method.input, sizes]
        assert line.endswith(f"{method.reference}. https://doi.org/{method.doi}")
    assert main(["methods", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in found] == [*METHODS, *FEATURE_METHODS]
    assert all(entry["doi"] and entry["memory"] for entry in found)
    assert {entry["input"] for entry in found} == {"labels", "features"}


def test_demo(tmp_path, capsys):
    out = tmp_path / "new" / "labels.csv"
    call = ["demo", "--output", str(out), "--n-partitions", "10"]
    assert main(call) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("digits, 1797 images of 8 x 8 pixels, 10 classes")
    assert lines[2].split() == ["k", "NMI", "ARI"]
    mean, best, plain, consensus = (lines[at].split() for at in (3, 4, 6, 7))
    assert mean[:5] == ["base", "clusterings,", "mean", "of", "10"]
    assert float(mean[-2]) < float(best[-2])
    assert plain[:2] == ["plain", "KMeans,"]
    assert consensus[:3] == ["consensus", "(SAL)", "10"]
    assert float(plain[-2]) < float(consensus[-2])
    assert float(mean[-2]) < float(consensus[-2]) <= 1
    assert lines[-1] == f"labels: {out}"
    written = out.read_text().splitlines()
    assert written[0] == "row,label"
    assert len(written) == 1798
    assert main(call) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["demo", "--output", str(tmp_path / "other" / "l.doc")]) == 2
    assert not (tmp_path / "other").exists()


# --- usage


@pytest.mark.parametrize(
    ("text", "found"),
    [("10", 10), ("3,4,5", [3, 4, 5]), ("2:6", [2, 3, 4, 5, 6]), ("2:3,7", [2, 3, 7]), ("4:4", [4]), ("3,3", [3])],
)
def test_numbers_of_clusters(text, found):
    assert parse_cluster_numbers(text) == found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "x.csv"], "the following arguments are required: -k/--n-clusters"),
        (["run", "x.csv", "-k", "0"], "'0' is not a number of clusters; give an integer of at least 1, several"),
        (["run", "x.csv", "-k", "6:2"], "'6:2' is not a number of clusters"),
        (["run", "x.csv", "-k", "two"], "'two' is not a number of clusters"),
        (["run", "x.csv", "-k", "3,"], "'3,' is not a number of clusters"),
        (
            ["run", "x.csv", "-k", "3", "--method", "ward"],
            f"'ward' is not known; choose one of {', '.join(METHODS)}",
        ),
        (
            ["run", "x.csv", "-k", "3", "--method", "kmeans"],
            "'kmeans' makes clusterings; give it as --generator kmeans",
        ),
        (["run", "x.csv", "-k", "3", "--param", "theta"], "'theta' is not of the form NAME=VALUE"),
        (["run", "x.csv", "-k", "3", "--seed", "-4"], "'-4' is not allowed; give an integer of at least 0"),
        (["run", "x.csv", "-k", "3", "--jobs", "0"], "'0' is not allowed; give an integer of at least 1"),
        (["run", "x.csv", "-k", "3", "--n-partitions", "x"], "'x' is not allowed; give an integer of at least 1"),
        (["run", "x.csv", "-k", "3", "--delimiter", "ab"], "'ab' is not a single character"),
        (["combine", "x.csv", "-k", "3", "--missing", "x"], "'x' is not allowed; give an integer, or 'none'"),
        (["compare", "x.csv"], "the following arguments are required: B"),
        (["sing"], "invalid choice: 'sing'"),
    ],
)
def test_bad_usage_is_code_2(capsys, arguments, message):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("usage: consensa")


@pytest.mark.parametrize("command", ["", "run", "combine", "compare", "methods", "demo"])
def test_help(capsys, command):
    with pytest.raises(SystemExit) as caught:
        main([*command.split(), "--help"])
    assert caught.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: consensa {command}".rstrip())
    if command in ("", "run", "combine", "compare"):
        assert "examples:\n  consensa" in told


# --- failures that are not the user's


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (KeyboardInterrupt(), "consensa: interrupted.\n"),
        (
            MemoryError("Unable to allocate 9 GiB"),
            "consensa: error: there is not enough memory (Unable to allocate 9 GiB).",
        ),
        (OSError(28, "No space left on device"), "consensa: error: [Errno 28] No space left on device"),
    ],
)
def test_failures_are_code_1(monkeypatch, capsys, failure, told):
    def fail(_):
        raise failure

    monkeypatch.setattr("consensa.cli.methods.execute", fail)
    assert main(["methods"]) == 1
    assert told in capsys.readouterr().err


def test_faults_of_our_own_are_not_hidden(monkeypatch):
    def fail(_):
        raise ZeroDivisionError

    monkeypatch.setattr("consensa.cli.methods.execute", fail)
    with pytest.raises(ZeroDivisionError):
        main(["methods"])


# --- as a process


@pytest.fixture
def program(tmp_path):
    """Start ``python -m consensa`` in an empty folder."""
    source = str(Path(consensa.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}

    def start(*arguments, **options):
        command = [sys.executable, "-m", "consensa", *map(str, arguments)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=tmp_path, env=env, text=True, **{**pipes, **options})

    return start


def test_the_whole_way_as_a_process(program, tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 2)) + 12 * truth[:, None]
    rows = "".join(f"s{i}\t{x}\t{y}\n" for i, (x, y) in enumerate(X.tolist()))
    put(tmp_path / "truth.csv", column(truth, ids=[f"s{i}" for i in range(90)]))
    run = program("run", "-", "-k", 3, "--n-partitions", 10, "-o", "labels.csv")
    out, err = run.communicate("sample\tx\ty\n" + rows, timeout=120)
    assert (run.returncode, out) == (0, "")
    assert "standard input: 90 rows x 2 features; the first line is the header; the ids are in column 'sample'" in err
    assert "it/s" not in err
    compare = program("compare", "labels.csv", "truth.csv", "--json", "-q")
    out, err = compare.communicate(timeout=120)
    assert (compare.returncode, err) == (0, "")
    assert json.loads(out)["pairs"][0]["nmi"] == 1.0


def test_version_and_exit_codes_of_the_process(program, tmp_path):
    version = program("--version")
    assert version.communicate(timeout=60)[0] == f"consensa {__version__}\n"
    assert version.returncode == 0
    missing = program("run", "no.csv", "-k", 3)
    out, err = missing.communicate(timeout=60)
    assert (missing.returncode, out, err) == (2, "", "consensa: error: no.csv: there is no such file.\n")
    usage = program("run")
    assert "required" in usage.communicate(timeout=60)[1]
    assert usage.returncode == 2


def test_a_closed_pipe_is_no_traceback(program, tmp_path):
    put(tmp_path / "p.csv", "a,b\n" + "1,x\n2,y\n" * 50_000)
    with program("combine", "p.csv", "-k", 2, "-q") as process:
        assert process.stdout.readline() == "row,label,confidence\n"
        process.stdout.close()
        assert process.wait(timeout=120) == 1
        assert process.stderr.read() == ""


def test_standard_output_holds_labels_only(program, tmp_path):
    pytest.importorskip("pymetis")  # which prints to standard output when one object outweighs all others
    rows = [[0] * 6] * 900 + np.random.default_rng(0).integers(1, 4, size=(100, 6)).tolist()
    put(tmp_path / "p.csv", "a,b,c,d,e,f\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    with program("combine", "p.csv", "-k", 12, "--method", "cspa") as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "METIS left" in err
    assert [line.split(",")[0] for line in out.splitlines()] == ["row", *map(str, range(1000))]


def test_an_interrupted_process_leaves_nothing(program, tmp_path):
    X = np.random.default_rng(0).normal(size=(2000, 5))
    np.save(tmp_path / "x.npy", X)
    process = program("run", "x.npy", "-k", 3, "--n-partitions", 100_000, "-o", "labels.csv")
    assert "2000 rows x 5 features" in process.stderr.readline()  # the long part begins
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "consensa: interrupted.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_help_imports_nothing_heavy(program, tmp_path):
    code = (
        "import sys\nfrom consensa.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'joblib', 'narwhals', 'tqdm', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(sorted(heavy) or 0)\n"
    )
    source = str(Path(consensa.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
