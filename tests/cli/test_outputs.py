"""What is written where: every output in a place of its own, checked before the work, and nothing done in silence."""

from __future__ import annotations

import json
import zipfile

import joblib
import numpy as np
import pytest

import consensa
from consensa import ConsensaWarning
from consensa.cli import main
from consensa.generate import KMeansPartitions
from consensa.io import read_features, write_labels
from consensa.io.model import FORMAT, seal
from consensa.io.write import stream_labels


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(30, 2))
    np.savetxt("X.csv", X, "%g", ",", header="a,b", comments="")
    np.save("P.npy", np.random.default_rng(1).integers(0, 3, (30, 4)))
    return tmp_path


SAME = [
    ("run", "X.csv", "-o", "same.npz", "--save", "same.npz"),
    ("run", "X.csv", "-o", "same.npz", "--save", "./same.npz"),
    ("combine", "P.npy", "-o", "link.npz", "--save", "same.npz"),
    ("combine", "P.npy", "--save", "m.npz", "--report", "folder/../r.html", "-o", "l.csv", "--report", "l.csv"),
]


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("words", SAME)
def test_two_outputs_in_one_place(table, capsys, words, force):
    (table / "link.npz").symlink_to("same.npz")
    (table / "folder").mkdir()
    before = sorted(path.name for path in table.iterdir())
    assert main([*words, "-k", "2", *(["--force"] if force else [])]) == 2
    said = capsys.readouterr().err
    assert "would be written twice" in said or "l.csv" in said
    assert sorted(path.name for path in table.iterdir()) == before


@pytest.mark.parametrize("flag", ["-o", "--save", "--report"])
def test_no_output_is_the_input(table, capsys, flag):
    name = {"-o": "P.npy", "--save": "P.npz", "--report": "P.html"}[flag]
    if flag != "-o":
        (table / name).hardlink_to(table / "P.npy")
    before = (table / "P.npy").read_bytes()
    assert main(["combine", "P.npy", "-k", "2", flag, name, "--force"]) == 2
    assert "is the input itself" in capsys.readouterr().err
    assert (table / "P.npy").read_bytes() == before


def test_a_link_into_nowhere(table, capsys):
    (table / "link.csv").symlink_to(table / "no folder" / "labels.csv")
    assert main(["combine", "P.npy", "-k", "2", "-o", "link.csv"]) == 2
    assert "is a link into" in capsys.readouterr().err
    (table / "good.csv").symlink_to(table / "later.csv")
    assert main(["combine", "P.npy", "-k", "2", "-o", "good.csv", "-q"]) == 0
    assert (table / "later.csv").exists()


@pytest.mark.parametrize("name", ["=1+2", "+cmd", "-cmd|x", "@SUM(1)", "\tx"])
@pytest.mark.parametrize("stream", [False, True])
def test_ids_like_formulas_are_written_as_they_are_and_told(tmp_path, name, stream):
    labels, target = {"label": np.array([0, 1])}, tmp_path / "l.csv"
    write, ids = (stream_labels, [["-5"], [name]]) if stream else (write_labels, np.array(["-5", name], object))
    with pytest.warns(ConsensaWarning, match="begins like a formula and is written as it is") as told:
        write(target, labels, ids)
    assert len(told) == 1
    assert f"{name},1" in target.read_text()


def test_numbers_and_words_are_no_formulas(tmp_path):
    write_labels(tmp_path / "l.csv", {"label": np.array([0, 1, 0])}, np.array(["-5", "+1e3", "a=b"], object))
    assert "a=b,0" in (tmp_path / "l.csv").read_text()


@pytest.mark.parametrize("model", [False, True])
def test_what_unpacks_to_far_more_than_it_is(tmp_path, model):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if model:
            archive.writestr("model.json", json.dumps(FORMAT))
        with archive.open(zipfile.ZipInfo("x.npy"), "w", force_zip64=True) as member:
            member.write(b"\x93NUMPY")
    with zipfile.ZipFile(path) as archive:  # the directory of the archive says 3 GiB
        size = next(entry for entry in archive.infolist() if entry.filename == "x.npy")
        content = path.read_bytes()
        assert size.file_size == 6
    place = content.rindex(b"PK\x01\x02")
    content = content[: place + 24] + (3 << 30).to_bytes(4, "little") + content[place + 28 :]
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=r"bomb.npz: its part 'x.npy' unpacks from .* to 3.0 GiB; if that is meant, save"
    ):
        consensa.load(path) if model else read_features(path)


def test_components_that_no_row_has(tmp_path):
    """Such a model kept cut and predict busy for minutes."""
    labels = np.random.default_rng(0).integers(0, 3, (40, 5))
    consensa.LWGP(3, random_state=0).fit(labels).save(tmp_path / "m.npz")
    with zipfile.ZipFile(tmp_path / "m.npz") as archive:
        note, arrays = json.loads(archive.read("model.json")), dict(np.load(tmp_path / "m.npz"))
    arrays.pop("model.json", None)
    state = next(entry["state"] for entry in note["objects"] if entry["class"].endswith(":TransferCut"))
    name = state["components"]["array"]
    arrays[name] = arrays[name].astype(np.int64) + 2**30
    note["dtypes"][name] = "<i8"
    note["seal"] = seal(note, arrays)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("model.json", json.dumps(note))
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    with pytest.raises(ValueError, match="the components of its cut do not fit the rest"):
        consensa.load(tmp_path / "t.npz")


def test_every_backend_of_joblib():
    X = np.random.default_rng(0).normal(size=(30, 2))
    labels = KMeansPartitions(4, random_state=0).fit_transform(X)
    with joblib.parallel_config("multiprocessing"):
        assert np.array_equal(KMeansPartitions(4, random_state=0, n_jobs=2).fit_transform(X), labels)


def test_numbers_too_large_for_float64(tmp_path):
    if np.finfo(np.longdouble).max <= np.finfo(float).max:
        pytest.skip("long double is double here")
    np.save(tmp_path / "X.npy", np.array([[1, 2], [np.longdouble("1e4000"), 3]], np.longdouble))
    with pytest.raises(ValueError, match="which is not finite"):
        read_features(tmp_path / "X.npy")
