"""The rules of the house, read from the source itself."""

from __future__ import annotations

import ast
import functools
import io
import re
import sys
import tokenize
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np

import consensa
from consensa import consensus

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "consensa"
FILES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BROUGHT_BY_OTHERS = {"threadpoolctl", "pandas"}  # by scikit-learn and by anndata
OPENERS = {
    *("open", "load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt", "memmap", "fromfile"),
    *(
        "read_text",
        "write_text",
        "read_bytes",
        "write_bytes",
        "read_csv",
        "to_csv",
        "read_parquet",
        "to_parquet",
        "tofile",
    ),
}
LOADS_A_CLASS = {
    "cli/run.py",
    "generate/registry.py",
    "methods/__init__.py",
    "methods/consensus.py",
}  # an entry of a registry
COMPARERS = {"allclose", "array_equal", "array_equiv", "isclose", "same_partition", "equals"}
ASSERTING = re.compile(r"\bassert\b|\.assert_|pytest\.(raises|warns|fail)\b")


@functools.cache
def parse(name):
    return ast.parse((SOURCE / name).read_text())


@functools.cache
def imports(name):
    """Every imported module of a file, in functions too, but not those for the type checker only."""
    tree = ast.parse((SOURCE / name).read_text())  # its own, as it is changed
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def top_level(name):
    return {module.split(".")[0] for module in imports(name)}


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def code_lines(source):
    """Numbers of the lines that hold more than a comment."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in layout:
            found |= set(range(token.start[0], token.end[0] + 1))
    return found


def body_sizes(source):
    """Lines of code in the body of every function, without its docstring."""
    kept = code_lines(source)
    for function in functions(ast.parse(source)):
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if body:
            lines = range(body[0].lineno, body[-1].end_lineno + 1)
            yield function.name, len(kept.intersection(lines))


def room(*names):
    return [name for name in FILES if name.startswith(tuple(f"{each}/" for each in names))]


def kernels():
    return [name for name in FILES if name.rsplit("/", maxsplit=1)[-1].startswith("_kernels")]


def calls(name):
    """Name and node of every call in a file."""
    for node in ast.walk(parse(name)):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""), node


def test_only_one_file_imports_numba():
    assert [name for name in FILES if "numba" in top_level(name)] == ["_numba.py"]


def test_only_kernel_files_compile():
    compilers = {"consensa._numba.njit", "consensa._numba.njit_part"}
    assert {name for name in FILES if compilers & imports(name)} == set(kernels())


ROOMS = {  # what a room may know, imports inside functions included; "core" are the files beside the rooms
    "core": set(),
    "ensemble": {"core"},
    "weigh": {"core", "ensemble"},
    "relate": {"core", "ensemble"},
    "evaluate": {"core", "ensemble", "weigh", "relate"},
    "partition": {"core", "ensemble", "relate", "evaluate"},
    "choose": {"core", "ensemble", "weigh", "relate", "evaluate", "partition"},
    "columns": {"core"},
    "io": {"core", "columns", "ensemble"},
    "generate": {"core", "columns", "ensemble", "relate", "partition", "io"},
    "report": {"core", "columns", "ensemble", "relate", "evaluate", "partition", "choose", "io"},
    "methods": {
        *("core", "columns", "ensemble", "weigh", "relate", "evaluate", "partition", "choose", "io", "generate"),
        "report",
    },
    "scale": {"core", "ensemble", "evaluate", "partition", "generate"},  # a door: nothing lives behind it
    "tl": {"core", "ensemble", "relate", "evaluate", "methods"},
    "cli": {"core", "columns", "ensemble", "evaluate", "io", "generate", "report", "methods", "tl"},
}
FRONT = {"__init__.py": {"methods"}, "__main__.py": {"cli"}}  # the package and its command


def room_of(module):
    """The room of a module by its full name; None for what is not ours."""
    first, *rest = module.split(".")
    if first != "consensa" or not rest:
        return None
    return rest[0] if rest[0] in ROOMS else "core"


def known_rooms(name):
    return {room_of(module) for module in imports(name)} - {None}


def test_rooms_know_only_those_below():
    assert {name.split("/")[0] for name in FILES if "/" in name} == set(ROOMS) - {"core"}
    for name in FILES:
        own = name.split("/")[0] if "/" in name else "core"
        allowed = ROOMS[own] | {own} | FRONT.get(name, set())
        assert known_rooms(name) <= allowed, (name, known_rooms(name) - allowed)


def test_no_two_rooms_know_each_other():
    def reached(room, seen=()):
        return set().union(*({below} | reached(below, (*seen, room)) for below in ROOMS[room] if below not in seen))

    assert not [room for room in ROOMS if room in reached(room)]


PROBED = re.compile(
    r"(^|_|\.)(model|models|cut|cuts|cut_|tree|ensemble|ensemble_|estimator|consensus|consensus_|fitted|labeller)$"
)


def test_the_walk_through_a_consensus_changes_rooms_rarely(monkeypatch):
    """Calls in the order in which they are made; kernels and the files beside the rooms count as what they lie in."""
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "2")  # the same walk on any machine: calls within threads do not count
    rng = np.random.default_rng(0)
    truth = rng.integers(5, size=200)
    labels = np.where(rng.random((200, 8)) < 0.8, truth[:, None], rng.integers(5, size=(200, 8)))
    consensus(labels, n_clusters=5)  # what is done once only, such as compiling, is not part of the walk
    root, rooms = str(Path(consensa.__file__).parent), []

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(root):
            rooms.append(Path(frame.f_code.co_filename).relative_to(root).parts[0])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        consensus(labels, n_clusters=5)
    finally:
        sys.setprofile(before)
    assert len(rooms) > 200
    assert sum(one != other for one, other in pairwise(rooms)) <= 90


def test_nothing_asks_a_cut_an_ensemble_or_a_model_what_it_is():
    """Abilities are declared by the types (Cut, Ensemble, the bases of the estimators), not looked for."""
    for name in set(FILES) - {"generate/estimators.py"}:  # where the clusterers are other people's
        for called, node in calls(name):
            asked = ast.unparse(node.args[0]) if node.args else ""
            if called in {"getattr", "hasattr", "isinstance"} and PROBED.search(asked):
                assert ast.unparse(node.args[1]) == "SavableMixin", (name, node.lineno, ast.unparse(node))


GRAPH_CUTS = ("consensa.partition.anchor_cut", "consensa.relate.relation")  # U-SPEC cuts a graph of features


def test_generators_know_nothing_of_consensus():
    others = {"methods", "relate", "partition", "weigh", "evaluate", "choose", "report", "scale", "cli"}
    banned = tuple(f"consensa.{other}" for other in others)
    known = {module for name in room("generate") for module in imports(name) if module.startswith(banned)}
    assert not {module for module in known if not module.startswith(GRAPH_CUTS)}


def test_methods_hold_no_numerics():
    for name in room("methods"):
        assert not top_level(name) & {"numba", "scipy"}, name
        assert not [module for module in imports(name) if "_kernels" in module], name
        for function, size in body_sizes((SOURCE / name).read_text()):
            assert size <= 20, (name, function)


def test_kernels_hold_no_validation():
    for name in kernels():
        tree = parse(name)
        assert not [node for node in ast.walk(tree) if isinstance(node, (ast.Raise, ast.Assert, ast.Try))], name
        assert top_level(name) <= {"__future__", "typing", "numpy", "consensa"}, name
        own = [module for module in imports(name) if module.startswith("consensa._")]
        assert all(module.startswith(("consensa._numba", "consensa._kernels")) for module in own), name
        for function in functions(tree):
            decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
            assert decorators in (["njit"], ["njit_part"]), (name, function.name)


def test_parts_of_kernels_return_no_arrays():
    """They are compiled without counting references, so that nobody would own an array that one returns."""
    for name in kernels():
        for function in functions(parse(name)):
            if [ast.unparse(decorator) for decorator in function.decorator_list] == ["njit_part"]:
                words = set(re.findall(r"[\w.]+", ast.unparse(function.returns)))
                assert words <= {"None", "bool", "int", "float", "np.uint64", "tuple"}, (name, function.name)


def test_only_io_opens_files():
    readers = {"ensemble/sources.py", "cli/memory.py", "_parquet.py"}  # of chunks, and of what the process holds
    for name in set(FILES) - set(room("io", "report")) - readers:
        for called, node in calls(name):
            nowhere = "devnull" in ast.unparse(node)
            loads_a_class = called == "load" and name in LOADS_A_CLASS
            saves_a_model = ast.unparse(node.func) == "model.save"  # which writes through io
            allowed = nowhere or loads_a_class or saves_a_model
            assert called not in OPENERS or allowed, f"{name}, line {node.lineno}: {called}"


def test_nothing_is_ever_unpickled():
    for name in FILES:
        assert not top_level(name) & {"pickle", "cloudpickle", "dill", "shelve", "marshal"}, name
        assert "allow_pickle=True" not in (SOURCE / name).read_text(), name


def test_only_chunks_know_dask():
    assert not [name for name in set(FILES) - {"ensemble/on_dask.py"} if "dask" in top_level(name)]


def test_only_report_writes_html():
    for name in set(FILES) - set(room("report")) - {"_notebook.py"}:
        for node in ast.walk(parse(name)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"<(!doctype|html|div|svg)\b", node.value, re.IGNORECASE), (name, node.lineno)


def test_bench_knows_nothing_of_the_studies():
    """The studies use the data and the clocks of bench; bench is in the source distribution, the studies are not."""
    knowing = re.compile(r"^\s*(from|import) studies\b", re.MULTILINE)
    files = [*(ROOT / "bench").rglob("*.py"), *(ROOT / "tests" / "bench").rglob("*.py")]
    assert not [path.name for path in files if knowing.search(path.read_text())]


def test_nothing_is_imported_that_is_not_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [entry for extra in project.get("optional-dependencies", {}).values() for entry in extra]
    declared = {re.split(r"[^A-Za-z0-9_-]", entry)[0] for entry in [*project["dependencies"], *extras]}
    modules = {{"scikit-learn": "sklearn"}.get(entry, entry.replace("-", "_")) for entry in declared}
    known = modules | BROUGHT_BY_OTHERS | sys.stdlib_module_names | {"consensa"}
    assert {name: top_level(name) - known for name in FILES if top_level(name) - known} == {}


def test_core_dependencies_are_few():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {re.split(r"[^A-Za-z0-9_-]", entry)[0] for entry in project["dependencies"]}
    assert core == {"numpy", "scipy", "scikit-learn", "joblib", "numba", "narwhals", "tqdm"}


def test_silence():
    assert not [(name, node.lineno) for name in FILES for called, node in calls(name) if called == "print"]


def test_no_global_random_state():
    drawn = r"np\.random\.(?!Generator|RandomState|default_rng)\w+"
    assert not [(name, found) for name in FILES for found in re.findall(drawn, (SOURCE / name).read_text())]


def test_functions_and_files_are_small():
    for name in FILES:
        source = (SOURCE / name).read_text()
        assert len(source.splitlines()) <= 400, name
        for function, size in body_sizes(source):
            assert size <= 45, (name, function)


def test_nothing_is_left_to_do():
    words = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b")
    assert not [name for name in FILES if words.search((SOURCE / name).read_text())]


def test_no_test_compares_without_asserting():
    """A comparison that stands alone can never fail."""
    for path in TESTS:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Expr):
                called = node.value.func if isinstance(node.value, ast.Call) else None
                word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                assert word not in COMPARERS, (path.name, node.lineno)
                assert not isinstance(node.value, (ast.Compare, ast.BoolOp)), (path.name, node.lineno)


def test_every_test_asserts():
    """Itself, or through a helper of the same file that does."""
    for path in TESTS:
        found = functions(ast.parse(path.read_text()))
        helpers = [f.name for f in found if not f.name.startswith("test_") and ASSERTING.search(ast.unparse(f))]
        through_helper = re.compile(rf"\b({'|'.join([*helpers, 'check'])})\(")
        for function in found:
            if function.name.startswith("test_"):
                code = ast.unparse(function)
                assert ASSERTING.search(code) or through_helper.search(code), (path.name, function.name)


def test_python_never_calls_a_part_of_a_kernel():
    """A part has no wrapper for Python: calling one would end the process."""
    parts = {
        (name.removesuffix(".py").replace("/", "."), function.name)
        for name in kernels()
        for function in functions(parse(name))
        if [ast.unparse(decorator) for decorator in function.decorator_list] == ["njit_part"]
    }
    for name in set(FILES) - set(kernels()):
        homes = {}
        for node in ast.walk(parse(name)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    homes[alias.asname or alias.name] = (
                        node.module.removeprefix("consensa.").removeprefix("consensa"),
                        alias.name,
                    )
        for module, imported in homes.values():
            assert (module, imported) not in parts, (name, imported)
        for node in ast.walk(parse(name)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in homes:
                module = ".".join(part for part in homes[node.value.id] if part)
                assert (module, node.attr) not in parts, (name, node.attr)
