"""What the user is told: the names of parameters in Python, flags on the command line, and nothing said twice."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import consensa
from consensa import ConsensaWarning
from consensa._messages import Message, Parameter, Term, warn
from consensa.cli import main
from consensa.cli.flags import FLAGS, WORDS, flag_of, in_flags
from consensa.cli.parser import build_parser
from consensa.io import check_output, read_features, read_labels
from consensa.io.large import LabelFile
from consensa.io.layout import Layout
from consensa.io.rows import WorkFolder
from consensa.methods.saving import load as load_model

SOURCE = Path(consensa.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z]")
EVERY_FLAG = {"--use-rep", "--variable", "--columns-a", "--columns-b", *FLAGS.values()}


def library():
    """Every file of the library, without the command line, as a tree."""
    return {path: ast.parse(path.read_text()) for path in SOURCE.rglob("*.py") if "cli" not in path.parts}


def docstrings(tree):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    return {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}


def terms(tree):
    """Names of the terms and parameters that a file speaks of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Term", "Parameter"):
            yield node.func.id, ast.literal_eval(node.args[0])


def test_the_library_names_no_flag():
    for path, tree in library().items():
        described = docstrings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
                assert not FLAG.search(node.value), (path.name, node.lineno, node.value)


def test_the_command_line_knows_every_term_and_no_other():
    found = {term for tree in library().values() for term in terms(tree)}
    assert {name for kind, name in found if kind == "Parameter"} == set(FLAGS)
    assert {name for kind, name in found if kind == "Term"} == set(WORDS)


def test_the_flags_exist():
    (commands,) = [action for action in build_parser()._actions if action.dest == "command"]
    known = {flag for command in commands.choices.values() for flag in command._option_string_actions}
    assert known >= EVERY_FLAG | {"--no-header", "--memory", "--save"}


def test_a_message_is_plain_text():
    message = Message(
        "{file!r}: give {force}, or {other}", file="{x}", force=Parameter("force", True), other=Term("f()")
    )
    assert str(message) == "'{x}': give force=True, or f()"
    assert isinstance(message, str)
    assert message.told(lambda term: term.name.upper()) == "'{x}': give FORCE, or F()"


def test_messages_in_messages():
    inner = Message("choose with {columns}", columns=Parameter("columns"))
    outer = Message("{what}: {inner}.", what="x", inner=inner)
    assert outer == "x: choose with columns=...."
    assert outer.told(lambda term: f"--{term.name}") == "x: choose with --columns."


@pytest.mark.parametrize("again", [lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy, copy.copy])  # noqa: S301
def test_errors_travel(again):
    """Between processes, for example, with all they can say."""
    error = ValueError(Message("{file}: give {none}", file="a{b}.csv", none=Parameter("id_column", None)))
    found = again(error)
    assert type(found) is ValueError
    assert str(found) == "a{b}.csv: give id_column=None"
    assert in_flags(found, "run") == "a{b}.csv: give --id-column none"


def test_warnings_can_be_told_again():
    with pytest.warns(ConsensaWarning, match="give missing=None") as caught:
        warn(Message("give {missing}", missing=Parameter("missing", None)))
    assert in_flags(caught[0].message, "combine") == "give --missing none"
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("term", "command", "flag"),
    [
        (Parameter("id_column", 0), "run", "--id-column 0"),
        (Parameter("id_column", None), "run", "--id-column none"),
        (Parameter("id_column", "my ids"), "run", "--id-column 'my ids'"),
        (Parameter("header", True), "run", "--header"),
        (Parameter("header", False), "run", "--no-header"),
        (Parameter("array", "NAME"), "run", "--array NAME"),
        (Parameter("array", "NAME", of="mat"), "run", "--variable NAME"),
        (Parameter("array", of="h5ad"), "run", "--use-rep"),
        (Parameter("columns"), "combine", "--columns"),
        (Parameter("columns"), "compare", "--columns-a or --columns-b"),
        (Parameter("restart", True), "run", "--restart"),
        (Term("save()"), "show", "--save"),
    ],
)
def test_flags(term, command, flag):
    assert flag_of(term, command) == flag


def test_other_errors_are_told_as_they_are():
    assert in_flags(ValueError(), "run") == ""
    assert in_flags(ValueError("no {place}"), "run") == "no {place}"
    assert in_flags(OSError(2, "gone"), "run") == "[Errno 2] gone"
    assert in_flags("a warning", "run") == "a warning"


def test_save_twice(tmp_path, example_a):
    model = consensa.EAC(2).fit(example_a)
    model.save(tmp_path / "m.npz")
    with pytest.raises(ValueError, match=r"m\.npz: exists already; give force=True to overwrite it"):
        model.save(tmp_path / "m.npz")


def numbered(n_rows=12):
    return "".join(f"{i},{i % 2}\n" for i in range(n_rows))


def make_files(folder):
    """Files that raise a question each."""
    (folder / "there.csv").write_text("old")
    (folder / "plain.csv").write_text("x,y\n1.5,2\n2,3\n4,7\n")
    (folder / "either.csv").write_text("0,1,2\n4,5,6\n7,8,9\n")
    (folder / "counted.csv").write_text("t,x\n" + numbered())
    (folder / "distinct.csv").write_text("t,x\n" + numbered())
    (folder / "repeated.csv").write_text("cluster_id,b\n1,2\n1,3\n")
    (folder / "word.csv").write_text("x,y\n1,a\n2,3\n")
    (folder / "measured.csv").write_text("x,y\n1.5,2\n2.5,3\n")
    (folder / "lonely.csv").write_text("x,y\n1,2\n-1,3\n1,2\n")
    np.savez(folder / "two.npz", a=np.eye(3), b=np.eye(3))
    np.savez(folder / "other.npz", a=np.eye(3))


def two_matrices(folder):
    from scipy.io import savemat

    savemat(folder / "two.mat", {"a": np.eye(3), "b": np.eye(3)})


def cells(folder):
    ad = pytest.importorskip("anndata")
    adata = ad.AnnData(np.eye(3, dtype=np.float32))
    adata.obs["type"] = ["a", "b", "a"]
    adata.write_h5ad(folder / "cells.h5ad")


QUESTIONS = [
    (
        lambda: check_output("there.csv"),
        ("run", "plain.csv", "-k", "2", "-o", "there.csv"),
        "there.csv: exists already; give {} to overwrite it",
        ("force=True", "--force"),
    ),
    (
        lambda: read_features("either.csv"),
        ("run", "either.csv", "-k", "2"),
        "is a header; give {} or {}.",
        ("header=True", "--header"),
        ("header=False", "--no-header"),
    ),
    (
        lambda: read_features("counted.csv"),
        ("generate", "counted.csv"),
        "('t') counts the rows; give {} if it holds ids, or {} if it is a feature.",
        ("id_column=0", "--id-column 0"),
        ("id_column=None", "--id-column none"),
    ),
    (
        lambda: read_labels("distinct.csv"),
        ("combine", "distinct.csv", "-k", "2"),
        "('t') holds another label in every row; give {} if it holds ids, or {} if it is a clustering.",
        ("id_column=0", "--id-column 0"),
        ("id_column=None", "--id-column none"),
    ),
    (
        lambda: read_labels("repeated.csv"),
        ("compare", "repeated.csv", "lonely.csv"),
        "'1' occurs more than once in it; give {} if it holds ids, or {} to read it like the others.",
        ("id_column=0", "--id-column 0"),
        ("id_column=None", "--id-column none"),
    ),
    (
        lambda: LabelFile("repeated.csv", Layout(), -1).store(WorkFolder("parts", {}), lambda *_: None),
        ("combine", "repeated.csv", "-k", "2", "-o", "l.csv", "--memory", "8GB"),
        "occurs more than once in it; give {} if it holds ids, or {} to read it like the others.",
        ("id_column=0", "--id-column 0"),
        ("id_column=None", "--id-column none"),
    ),
    (
        lambda: read_features("word.csv"),
        ("generate", "word.csv", "-m", "2"),
        "Mend the data, choose columns with {}, or name the id column with {}.",
        ("columns=...", "--columns"),
        ("id_column=...", "--id-column"),
    ),
    (
        lambda: read_labels("measured.csv"),
        ("combine", "measured.csv", "-k", "2"),
        "If these are features, cluster them first ({}).",
        ("EnsembleClustering", "consensa run"),
    ),
    (
        lambda: read_features("two.npz"),
        ("run", "two.npz", "-k", "2"),
        "two.npz: holds 2 arrays (a, b); choose one with {}.",
        ("array='NAME'", "--array NAME"),
    ),
    (
        lambda: load_model("other.npz"),
        ("show", "other.npz"),
        "other.npz: is not a saved model; models are written by {}.",
        ("save()", "--save"),
    ),
    (
        lambda: check_output("new.h5ad"),
        ("run", "plain.csv", "-k", "2", "-o", "new.h5ad"),
        "new.h5ad: {}; choose CSV, TSV, NPY, NPZ or Parquet.",
        (
            "h5ad is written by anndata, after consensa.tl.consensus",
            "only run and combine write h5ad, and from h5ad",
        ),
    ),
]


def check(question, capsys):
    ask, command, text, *names = question
    with pytest.raises(ValueError, match=re.escape(text.format(*(python for python, _ in names)))) as found:
        ask()
    assert not FLAG.search(str(found.value))
    assert main([*command]) == 2
    assert text.format(*(flag for _, flag in names)) in capsys.readouterr().err


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question[2])
def test_python_and_the_command_line(question, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    check(question, capsys)


def test_mat(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    two_matrices(tmp_path)
    text = "two.mat: holds several; choose one with {}; the variables are a (3 x 3 double)"
    names = ("array='NAME'", "--variable NAME")
    check((lambda: read_features("two.mat"), ("run", "two.mat", "-k", "2"), text, names), capsys)


def test_h5ad(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cells(tmp_path)
    text = "cells.h5ad: choose the columns of obs to read with {}, or a label matrix in obsm with {}; the 1 columns are"
    columns, array = ("columns=...", "--columns"), ("array=...", "--use-rep")
    ask = read_labels, "cells.h5ad"
    check((lambda: ask[0](ask[1]), ("combine", "cells.h5ad", "-k", "2"), text, columns, array), capsys)
    columns = ("columns=...", "--columns-a or --columns-b")
    check((lambda: ask[0](ask[1]), ("compare", "cells.h5ad", "cells.h5ad"), text, columns, array), capsys)
    text = "there is no 'Y'; choose with {} one of X."
    command = ("run", "cells.h5ad", "-k", "2", "--use-rep", "Y")
    check((lambda: read_features("cells.h5ad", array="Y"), command, text, array), capsys)
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 10)
    text = "Choose a representation with fewer columns with {}, for example X_pca."
    check((lambda: read_features("cells.h5ad"), command[:4], text, array), capsys)


def test_parts_of_another_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    WorkFolder("l.csv.parts", {"seed": 1})
    command = ("run", "plain.csv", "-k", "2", "-o", "l.csv", "--memory", "8GB")
    text = "go on with it, {} to throw its parts away, or another output."
    check((lambda: WorkFolder("l.csv.parts", {"seed": 2}), command, text, ("restart=True", "--restart")), capsys)


def test_too_many_labels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("consensa.io.large._MOST_LABELS", 3)
    (tmp_path / "many.csv").write_text("my things,b\n" + numbered())
    text = "more than 3 different labels; give {} if it holds ids, or choose the clusterings with {}."
    names = ("id_column='my things'", "--id-column 'my things'"), ("columns=...", "--columns")
    command = ("combine", "many.csv", "-k", "2", "-o", "l.csv", "--memory", "8GB")
    store = LabelFile("many.csv", Layout(), -1).store
    check((lambda: store(WorkFolder("parts", {}), lambda *_: None), command, text, *names), capsys)


def test_the_warning_about_a_lonely_label(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    with pytest.warns(ConsensaWarning, match=r"Give missing=None if it is a cluster\."):
        read_labels("lonely.csv")
    with warnings.catch_warnings():
        assert main(["combine", "lonely.csv", "-k", "1", "--method", "eac", "-o", "l.csv"]) == 0
    assert "-1 was read as a missing label. Give --missing none if it is a cluster." in capsys.readouterr().err
