"""``--memory``: the labels of the run in memory, a kept promise, stops, faults and resumption on the command line."""

from __future__ import annotations

import errno
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import consensa
from consensa.cli import main
from consensa.cli.memory import MemoryPlan
from consensa.cli.parser import build_parser
from consensa.cli.progress import Progress, duration
from consensa.io import write as write_module
from consensa.io.rows import RowStore

N = 3000


def make_features(folder, n=N):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 3)) + np.eye(3)[rng.integers(0, 3, n)] * 5, 4)
    np.save(folder / "X.npy", X)
    lines = [f"r{i}," + ",".join(map(str, row)) for i, row in enumerate(X.tolist())]
    (folder / "X.csv").write_text("id,a,b,c\n" + "\n".join(lines) + "\n")
    return X


def make_labels(folder, n=N):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, n)
    P = np.stack([(truth + (rng.random(n) < 0.1)) % 3, truth % 2, rng.integers(0, 4, n)], axis=1)
    np.save(folder / "P.npy", P.astype(np.uint8))
    rows = [
        f"r{i}," + ",".join("NA" if (i + j) % 40 == 0 else f"c{v}" for j, v in enumerate(row))
        for i, row in enumerate(P)
    ]
    (folder / "P.csv").write_text("name,p,q,r\n" + "\n".join(rows) + "\n")
    return P


def as_parquet(folder, name, columns):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), folder / name, row_group_size=700)
    return folder / name


def run(*words):
    return main([str(word) for word in words])


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks and blocks of few rows, whatever the memory."""
    monkeypatch.setattr("consensa.cli.memory._MOST_ROWS", 613)
    monkeypatch.setattr("consensa.io.large._BLOCK_ROWS", 500)
    monkeypatch.setattr("consensa.io.text._BLOCK_ROWS", 500)


def same(folder, command, data, *options, out="csv"):
    a, b = folder / f"a.{out}", folder / f"b.{out}"
    assert run(command, data, *options, "-o", a) == 0
    assert run(command, data, *options, "-o", b, "--memory", "8GB") == 0
    assert a.read_bytes() == b.read_bytes() or out == "parquet"
    assert not (folder / f"b.{out}.parts").exists()
    return a, b


@pytest.mark.parametrize(
    ("data", "options", "out"),
    [
        ("X.csv", (), "csv"),
        ("X.csv", ("--columns", "c,a"), "npy"),
        ("X.npy", ("-k", "2,3"), "tsv"),
        ("X.npy", ("-k", "2,3"), "npy"),
        ("X.npy", ("--id-column", "0"), "csv"),
        ("X.npy", ("--generator", "uspec"), "csv"),
    ],
)
def test_run_gives_the_same_labels(tmp_path, small_chunks, data, options, out):
    make_features(tmp_path)
    same(tmp_path, "run", tmp_path / data, "-k", "3", "--n-partitions", "4", *options, out=out)


def test_run_on_parquet(tmp_path, small_chunks):
    X = make_features(tmp_path)
    path = as_parquet(tmp_path, "X.parquet", {"id": [f"i{i}" for i in range(N)], "a": X[:, 0], "b": X[:, 1]})
    a, b = same(tmp_path, "run", path, "-k", "3", "--n-partitions", "4", out="parquet")
    from pyarrow import parquet

    assert parquet.read_table(a).equals(parquet.read_table(b))


@pytest.mark.parametrize("method", ["sal", "lwgp", "lwea"])
@pytest.mark.parametrize("data", ["P.csv", "P.npy"])
def test_combine_gives_the_same_labels(tmp_path, small_chunks, data, method):
    make_labels(tmp_path)
    same(tmp_path, "combine", tmp_path / data, "-k", "3", "--method", method)


def test_combine_on_parquet_and_other_layouts(tmp_path, small_chunks):
    P = make_labels(tmp_path)
    texts = {"p": [f"c{v}" for v in P[:, 0]], "q": [None if i % 9 == 0 else int(v) for i, v in enumerate(P[:, 1])]}
    same(tmp_path, "combine", as_parquet(tmp_path, "P.parquet", texts), "-k", "2")
    same(tmp_path, "combine", tmp_path / "P.npy", "-k", "2", "--columns", "0,2", "--force")
    same(tmp_path, "combine", tmp_path / "P.npy", "-k", "2", "--missing", "1", "--force")
    np.save(tmp_path / "F.npy", P.astype(float))
    same(tmp_path, "combine", tmp_path / "F.npy", "-k", "2", "--force")


def stop_at(monkeypatch, name, n_appends, error):
    """Let the store of that file fail at one append."""
    append, calls = RowStore.append, []

    def failing(self, rows):
        if self.path.name == name:
            calls.append(len(rows))
            if len(calls) == n_appends:
                raise error
        append(self, rows)

    monkeypatch.setattr(RowStore, "append", failing)
    return calls


def test_a_stopped_run_says_what_is_kept_and_goes_on(tmp_path, small_chunks, monkeypatch, capsys):
    make_features(tmp_path)
    command = ("run", tmp_path / "X.csv", "-k", "3", "--n-partitions", "4")
    assert run(*command, "-o", tmp_path / "a.csv") == 0
    calls = stop_at(monkeypatch, "features.npy", 4, KeyboardInterrupt())
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "8GB") == 1
    told = capsys.readouterr().err
    assert "finished parts (features.npy) are kept in" in told
    assert "the same command goes on with them" in told
    assert "interrupted." in told
    assert not (tmp_path / "b.csv").exists()
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "4GB") == 0
    assert "going on with the finished parts" in capsys.readouterr().err
    assert len(calls) == 4 + 3  # 3 of 6 blocks were there
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_full_disk(tmp_path, small_chunks, monkeypatch, capsys):
    make_labels(tmp_path)
    command = ("combine", tmp_path / "P.csv", "-k", "3")
    assert run(*command, "-o", tmp_path / "a.csv") == 0
    stop_at(monkeypatch, "codes.npy", 3, OSError(errno.ENOSPC, "No space left on device"))
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "8GB") == 1
    told = capsys.readouterr().err
    assert "error: [Errno 28] No space left on device" in told
    assert "finished parts (codes.npy) are kept" in told
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "8GB") == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_output_appears_only_when_complete(tmp_path, small_chunks, monkeypatch, capsys):
    make_labels(tmp_path)
    command = ("combine", tmp_path / "P.csv", "-k", "3", "-o", tmp_path / "b.csv", "--memory", "8GB")
    whole = write_module._csv_rows

    def full(stream, kind):
        def write(rows):
            whole(stream, kind)(rows)
            raise OSError(errno.ENOSPC, "No space left on device")

        return write

    monkeypatch.setattr(write_module, "_csv_rows", full)
    assert run(*command) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["P.csv", "P.npy", "b.csv.parts"]
    monkeypatch.setattr(write_module, "_csv_rows", whole)
    capsys.readouterr()
    assert run(*command) == 0
    assert "reading" not in capsys.readouterr().err  # that stage was finished


def test_a_corrupt_part_is_made_again(tmp_path, small_chunks, monkeypatch):
    make_features(tmp_path)
    command = ("run", tmp_path / "X.csv", "-k", "3", "--n-partitions", "4")
    assert run(*command, "-o", tmp_path / "a.csv") == 0
    stop_at(monkeypatch, "features.npy", 5, KeyboardInterrupt())
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "8GB") == 1
    part = tmp_path / "b.csv.parts" / "features.npy"
    data = bytearray(part.read_bytes())
    data[128 + 700 * 24] ^= 1  # in the second block
    part.write_bytes(data)
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "8GB") == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_faults_of_the_input_are_one_line_and_keep_what_is_done(tmp_path, small_chunks, capsys):
    X = make_features(tmp_path)
    lines = (tmp_path / "X.csv").read_text().splitlines(keepends=True)
    (tmp_path / "wrong.csv").write_text("".join([*lines[:2000], "r1999,1,2\n", *lines[2001:]]))
    assert run("run", tmp_path / "wrong.csv", "-k", "3", "-o", tmp_path / "b.csv", "--memory", "8GB") == 2
    told = capsys.readouterr().err
    assert "line 2001 has 3 cells, but the first line has 4" in told
    assert not (tmp_path / "b.csv.parts").exists()  # the columns are looked at before anything is stored
    broken = X.copy()
    broken[1234, 1] = np.inf
    np.save(tmp_path / "B.npy", broken)
    assert run("run", tmp_path / "B.npy", "-k", "3", "-o", tmp_path / "c.csv", "--memory", "8GB") == 2
    assert "infinity" in capsys.readouterr().err
    data = (tmp_path / "X.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(data[:-2000])
    assert run("run", tmp_path / "cut.npy", "-k", "3", "-o", tmp_path / "d.csv", "--memory", "8GB") == 2
    assert len(capsys.readouterr().err.splitlines()) <= 2
    as_parquet(tmp_path, "X.parquet", {"a": X[:, 0], "b": X[:, 1]})
    data = bytearray((tmp_path / "X.parquet").read_bytes())
    data[4000:6000] = bytes(2000)
    (tmp_path / "X.parquet").write_bytes(data)
    assert run("run", tmp_path / "X.parquet", "-k", "3", "-o", tmp_path / "e.csv", "--memory", "8GB") == 2
    assert "X.parquet: cannot be read as Parquet; the file is damaged" in capsys.readouterr().err


def test_parts_of_another_run(tmp_path, small_chunks, monkeypatch, capsys):
    make_features(tmp_path)
    stop_at(monkeypatch, "features.npy", 4, KeyboardInterrupt())
    command = ("run", tmp_path / "X.csv", "-k", "3", "-o", tmp_path / "b.csv", "--memory", "8GB", "--n-partitions", "3")
    assert run(*command) == 1
    assert run(*command, "--seed", "7") == 2
    assert "holds the parts of another run (its seed differ)" in capsys.readouterr().err
    assert run(*command, "--seed", "7", "--restart") == 0


def test_a_changed_k_uses_the_same_parts(tmp_path, small_chunks, monkeypatch):
    make_features(tmp_path)
    monkeypatch.setattr("consensa.cli.large._deliver", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    command = ("run", tmp_path / "X.csv", "--n-partitions", "4", "--memory", "8GB", "-o", tmp_path / "b.csv")
    assert run(*command, "-k", "3") == 1
    assert {"features.npy", "labels.npy"} <= {path.name for path in (tmp_path / "b.csv.parts").iterdir()}
    monkeypatch.undo()
    calls = stop_at(monkeypatch, "labels.npy", 99, KeyboardInterrupt())
    assert run(*command, "-k", "2") == 0
    assert calls == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--memory", "2GB"), "--memory needs -o FILE"),
        (("--memory", "2GB", "-o", "-"), "--memory needs -o FILE"),
        (("--memory", "2GB", "-o", "l.npz"), "NPZ cannot be written in parts"),
        (("--memory", "10MB", "-o", "l.csv"), "is too little for 3000 rows: at least"),
        (("--memory", "2GB", "-o", "l.csv", "--method", "pta"), "cannot be promised for method 'pta'"),
    ],
)
def test_refusals(tmp_path, monkeypatch, capsys, options, message):
    make_features(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run("run", "X.npy", "-k", "3", *options) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("l.*"))


def test_what_cannot_be_read_in_parts(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savez("X.npz", X=np.zeros((5, 2)))
    np.save("one.npy", np.zeros(5))
    for source, message in (("-", "not standard input"), ("X.npz", "NPZ cannot be read in parts"),
                            ("one.npy", "expected rows x columns"), ("none.csv", "there is no such file")):  # fmt: skip
        for command in ("run", "combine"):
            assert run(command, source, "-k", "2", "-o", "l.csv", "--memory", "2GB") == 2
            assert message in capsys.readouterr().err
    np.save("counted.npy", np.c_[np.arange(40000), np.random.default_rng(0).random(40000)])
    assert run("run", "counted.npy", "-k", "2", "-o", "l.csv", "--memory", "2GB") == 2
    assert "counts the rows; give --id-column 0" in capsys.readouterr().err
    Path("l.txt.csv").write_text("a,b\n" + "\n".join(f"x{i},{i % 2}" for i in range(20)) + "\n")
    assert run("combine", "l.txt.csv", "-k", "2", "-o", "l.csv", "--memory", "2GB") == 2
    assert "holds another label in every row" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("500 mb", 5 * 10**8), ("1.5GiB", 3 * 2**29), ("800M", 8 * 10**8), ("77", 77)],
)
def test_sizes(text, size):
    assert build_parser().parse_args(["run", "x.csv", "-k", "2", "--memory", text]).memory == size


def test_sizes_that_are_none(capsys):
    for text in ("much", "-2GB", "2 boxes", ""):
        with pytest.raises(SystemExit):
            build_parser().parse_args(["run", "x.csv", "-k", "2", f"--memory={text}"])
        assert "is not a size of memory" in capsys.readouterr().err


def test_plan():
    plan = MemoryPlan(10**9, base=10**8)
    assert plan.chunk_rows(per_row=10_000, fixed=0, what="x") == (9 * 10**8 - 160 * 2**20) // 10_000
    assert plan.chunk_rows(per_row=1, fixed=0, what="x") == 2**19
    with pytest.raises(ValueError, match="too little for x: at least 1268 MB are needed"):
        plan.chunk_rows(per_row=10**6, fixed=0, what="x")


def test_progress(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress(quiet=False)
    for n_done in (100, 200, 300, 400):
        now[0] += 6
        progress("reading", n_done, 400)
    now[0] += 5
    progress("labels", 50, 50)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "consensa: reading: 300 of 400 rows, 17 rows/s, 6 s left.",
        "consensa: reading: 400 rows, 17 rows/s.",
        "consensa: labels: 50 rows, 10 rows/s.",
    ]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    live = Progress(quiet=False)
    now[0] += 1
    live("reading", 1, 3)
    now[0] += 1
    live("reading", 2, 3)
    assert capsys.readouterr().err == "\r\x1b[Kconsensa: reading: 2 of 3 rows, 1 rows/s, 1 s left"
    Progress(quiet=True)("reading", 3, 3)
    assert capsys.readouterr().err == ""
    assert duration(59.7) == "1 min 0 s"


CHILD = "import sys; from consensa.cli import main; sys.exit(main(sys.argv[1:]))"


KILLED = """
import os, sys
import consensa
from consensa.cli import main
from consensa.io.rows import RowStore

append = RowStore.append

def append_and_die(store, rows):
    append(store, rows)
    os.kill(os.getpid(), int(sys.argv[1]))

RowStore.append = append_and_die
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_process_goes_on(tmp_path, kill):
    """The signal comes when the first chunk of rows is stored, however fast the machine."""
    make_features(tmp_path, 60_000)
    command = ("run", tmp_path / "X.csv", "-k", "3", "--n-partitions", "3")
    words = [int(kill), *command, "-o", tmp_path / "b.csv", "--memory", "2GB"]
    child = subprocess.run(
        [sys.executable, "-c", KILLED, *map(str, words)], capture_output=True, text=True, check=False, timeout=120
    )
    assert child.returncode == (1 if kill == signal.SIGTERM else -signal.SIGKILL), child.stderr
    assert (tmp_path / "b.csv.parts" / "features.npy.chunks").read_text()
    assert not (tmp_path / "b.csv").exists()
    if kill == signal.SIGTERM:
        assert "the same command goes on with them" in child.stderr
    assert run(*command, "-o", tmp_path / "b.csv", "--memory", "2GB") == 0
    assert run(*command, "-o", tmp_path / "a.csv") == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


PEAK = """
import re, sys
from pathlib import Path
import consensa
from consensa.cli import main
code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("command", ["combine", "run"])
def test_the_promise_is_kept(tmp_path, command):
    """Peak resident memory of a process of its own, with a promise little above the least possible."""
    n = 3_000_000 if command == "combine" else 300_000
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, n).astype(np.uint8)
    table = np.empty((n, 20), np.uint8 if command == "combine" else np.float64)
    for m in range(20):
        noise = rng.random(n)
        table[:, m] = (truth + (noise < 0.05)) % (4 + m % 3) if command == "combine" else truth * (m % 5) + noise
    np.save(tmp_path / "data.npy", table)
    del table
    words = [command, tmp_path / "data.npy", "-k", "4", "-o", tmp_path / "l.npy", "-q"]
    words += ["--n-partitions", "2"] if command == "run" else []
    least = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, words), "--memory", "1MB"], capture_output=True, text=True, check=False
    )
    needed = int(re.search(r"at least (\d+) MB", least.stderr)[1])
    promise = (needed + 41) * 10**6
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *map(str, words), "--memory", str(promise)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) * 1024 < promise
    assert np.load(tmp_path / "l.npy").shape == (n,)


def test_summary(tmp_path, capsys):
    make_labels(tmp_path)
    options = ("--memory", "8GB", "--json", "-q")
    assert run("combine", tmp_path / "P.csv", "-k", "3", "-o", tmp_path / "l.npy", *options) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["n_objects"] == N
    assert summary["parameters"] == {"n_partitions": 3, "memory": 8 * 10**9}
    assert "labels" not in summary
    assert run("combine", tmp_path / "P.csv", "-k", "3", "-o", tmp_path / "m.npy", "--memory", "8GB") == 0
    assert "without the ids" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "name"), [("run", "X.csv"), ("combine", "P.csv")])
def test_choice_report_and_model_are_those_of_memory(tmp_path, small_chunks, command, name):
    make_features(tmp_path)
    make_labels(tmp_path)
    members = ("--n-partitions", "6") if command == "run" else ()

    def made(folder, *more):
        place = tmp_path / folder
        place.mkdir()
        outputs = ("-o", place / "l.csv", "--report", place / "r.json", "--save", place / "m.npz")
        assert run(command, tmp_path / name, "-k", "auto", "--k-range", "2:5", "-q", *members, *outputs, *more) == 0
        return place

    inside, outside = made("inside"), made("outside", "--memory", "8GB")
    assert (outside / "l.csv").read_text() == (inside / "l.csv").read_text()
    told, expected = (json.loads((place / "r.json").read_text()) for place in (outside, inside))
    assert {key: told[key] for key in told if key != "made"} == {key: expected[key] for key in told if key != "made"}
    assert told["tree"]["own"]
    assert {"lifetime", "agreement"} <= {curve["name"] for curve in told["choice"]["curves"]}
    one, other = (consensa.load(place / "m.npz") for place in (outside, inside))
    assert one.labels_.tolist() == other.labels_.tolist()
    assert one.choice_.n_clusters == other.choice_.n_clusters
    assert one.saved_.ids.tolist() == other.saved_.ids.tolist()
    new = np.load(tmp_path / "X.npy")[:50] + 0.3 if command == "run" else [["c2", "c1", "c0"]] * 4
    new = np.asarray(new) if command == "run" else np.asarray(new, dtype=object)
    assert one.predict(new).tolist() == other.predict(new).tolist()
    assert run("show", outside / "m.npz", "-k", "4", "-q") == 0
    assert list(tmp_path.glob("*/*.parts")) == []
