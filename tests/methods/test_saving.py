"""Models in files: what comes back does what the model did, and anything else is refused with a reason."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import consensa
from consensa import EAC, LWEA, LWGP, MDEC, WBPA, WSPA, EnsembleClustering
from consensa.generate import LACPartitions, MixedPartitions, SubsamplePartitions
from consensa.io.model import read_model, seal, write_model
from consensa.methods import METHODS
from strategies import noisy_ensemble

WORDS = np.array(["größe", "<b>", 'x"y', "日本", "a", "b", "c", "d", "e"])


@pytest.fixture
def labels():
    return noisy_ensemble(np.random.default_rng(3), n_objects=80, missing=0.1)[0]


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(90, n_features=4, centers=4, random_state=0)[0]


def stored(model, folder, **options):
    model.save(folder / "model.npz", **options)
    return consensa.load(folder / "model.npz")


def same(a, b):
    """Whether two fitted attributes hold the same, whatever they are made of."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (int, float, str, type(None))):
        return a == b
    return type(a) is type(b) and (isinstance(a, BaseEstimator) or hasattr(a, "__dict__"))


def assert_same_model(model, again):
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    left_out = () if again.saved_ is None else again.saved_.left_out
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and name not in left_out:
            assert same(value, getattr(again, name)), name


def test_every_method_comes_back(method, labels, tmp_path):
    model = method(4).fit(labels)
    again = stored(model, tmp_path)
    assert_same_model(model, again)
    np.testing.assert_array_equal(again.confidence_, model.confidence_)
    np.testing.assert_array_equal(again.predict(labels), model.labels_)
    for k in (1, 2, 5, 9):
        np.testing.assert_array_equal(again.cut(k), model.cut(k))


def test_several_numbers_of_clusters(method, labels, tmp_path):
    again = stored(method([3, 5]).fit(labels), tmp_path)
    assert again.n_clusters_ == [3, 5]
    assert again.labels_[5].dtype == np.int32
    assert sorted(again.predict(labels[:9])) == [3, 5]


@pytest.mark.parametrize("name", ["lwea", "lwgp"])
def test_a_chosen_number_of_clusters_comes_back_with_its_evidence(labels, name, tmp_path):
    model = METHODS[name].load()("auto").fit(labels)
    again = stored(model, tmp_path)
    assert again.n_clusters_ == model.n_clusters_
    assert again.choice_.summary() == model.choice_.summary()
    assert again.choice_.to_dict() == model.choice_.to_dict()


def test_words_and_names_come_back(labels, tmp_path):
    frame = pd.DataFrame({name: WORDS[labels[:, m]] for m, name in enumerate(["ä", "<i>", "c", "d", "e", "f"])})
    frame[labels < 0] = None
    model = LWEA(3).fit(frame)
    again = stored(model, tmp_path)
    assert again.feature_names_in_.tolist() == list(frame.columns)
    assert again.ensemble_.names == tuple(frame.columns)
    np.testing.assert_array_equal(again.predict(frame), model.labels_)


@pytest.mark.parametrize(
    "model",
    [
        EnsembleClustering(4, n_partitions=8, random_state=1),
        EnsembleClustering([2, 4], method="lwea", n_partitions=8, random_state=1),
        EnsembleClustering(4, method=EAC(linkage="single"), generator=LACPartitions(4, 3, n_init=2), random_state=1),
        EnsembleClustering(4, generator=MixedPartitions(8), random_state=1),
        EnsembleClustering(4, generator=SubsamplePartitions(KMeans(4, n_init=1), 5), random_state=1),
        MDEC(4, n_partitions=4, random_state=1),
    ],
    ids=["kmeans", "several", "parts", "mixed", "subsamples", "mdec"],
)
def test_feature_models_come_back(model, blobs, tmp_path):
    model.fit(blobs)
    again = stored(model, tmp_path)
    assert_same_model(model, again)
    assert_same_model(model.consensus_, again.consensus_)
    assert same(model.cut([2, 4]), again.cut([2, 4]))
    if hasattr(model.generator_, "transform"):
        assert same(again.predict(blobs), model.predict(blobs))


@pytest.mark.parametrize("partitioner", ["tcut", "spectral", "average", "metis"])
@pytest.mark.parametrize("method", [WSPA, WBPA])
def test_soft_methods_come_back(method, partitioner, blobs, tmp_path):
    if partitioner == "metis":
        pytest.importorskip("pymetis")
    if (method, partitioner) == (WBPA, "average"):
        partitioner = "tcut"
    model = method(4, partitioner=partitioner, n_partitions=3, n_init=2, random_state=0).fit(blobs)
    again = stored(model, tmp_path)
    assert_same_model(model, again)
    np.testing.assert_array_equal(again.cut(3), model.cut(3))


def test_a_cut_that_is_not_saved_needs_a_seed(blobs, tmp_path):
    pytest.importorskip("pymetis")
    model = WSPA(4, partitioner="metis", n_partitions=3, n_init=2).fit(blobs)
    again = stored(model, tmp_path)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    with pytest.raises(ValueError, match="the cut of WSPA cannot be saved, and without an integer random_state"):
        again.cut(3)


def test_ids_versions_and_time(labels, tmp_path):
    model = LWEA(3).fit(labels)
    again = stored(model, tmp_path, ids=[f"cell {i}" for i in range(80)])
    assert again.saved_.ids[79] == "cell 79"
    assert again.saved_.versions["consensa"] == consensa.__version__
    assert again.saved_.created.endswith("+00:00")
    assert again.fit_seconds_ == model.fit_seconds_ > 0
    assert stored(again, tmp_path, force=True).saved_.ids[79] == "cell 79"
    with pytest.raises(ValueError, match="ids has 3 entries, but the model has 80 objects"):
        model.save(tmp_path / "other.npz", ids=[1, 2, 3])


def test_spectra_are_cut_as_far_as_their_eigenvectors_reach(tmp_path):
    labels = np.random.default_rng(0).integers(12, size=(300, 8))
    model = LWGP(3, random_state=None).fit(labels)
    again = stored(model, tmp_path)
    for k in (2, 10, 31):
        np.testing.assert_array_equal(again.cut(k), model.cut(k))
    with pytest.raises(ValueError, match="more than were saved with the model; fit it again"):
        again.cut(50)
    model.cut(50)
    np.testing.assert_array_equal(stored(model, tmp_path, force=True).cut(50), model.cut(50))


@pytest.mark.parametrize("name", ["DLWECDL", "DREC", "ELWECDL", "LWGP"])
def test_places_of_equals_come_back_to_the_last_bit(name, tmp_path):
    """Objects as far from each other as from any: one rounding decides which of them are a cluster."""
    labels = np.array([[0] * 12, [1, 11, 3, 2, 6, 1, 3, 7, 10, 9, 11, 0]]).T
    model = getattr(consensa, name)(4, random_state=0).fit(labels)
    again = stored(model, tmp_path)
    np.testing.assert_array_equal(again.cut_.embedding(4), model.cut_.embedding(4))
    np.testing.assert_array_equal(again.cut(4), model.labels_)


def test_what_is_foreign_is_left_out_and_said(labels, tmp_path):
    model = LWGP(3, random_state=np.random.default_rng(0)).fit(labels)
    again = stored(model, tmp_path)
    assert again.random_state is None
    assert again.saved_.left_out == ("random_state",)
    np.testing.assert_array_equal(again.cut(5), model.cut(5))


def test_only_fitted_models_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        LWEA(3).save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_places_that_are_refused(labels, tmp_path):
    model = LWEA(3).fit(labels)
    with pytest.raises(ValueError, match=r"a model is an NPZ file; give a name that ends in \.npz"):
        model.save(tmp_path / "model.csv")
    model.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="exists already"):
        model.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=r"the folder .* does not exist"):
        model.save(tmp_path / "nowhere" / "model.npz")


def test_files_that_are_no_models(labels, tmp_path):
    path = tmp_path / "file.npz"
    with pytest.raises(ValueError, match=r"file\.npz: there is no such file"):
        consensa.load(path)
    for content in (b"", b"a,b\n1,2\n", b"\x80\x04pickle"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"is not a saved model; models are written by save\(\)"):
            consensa.load(path)
    np.savez(path, labels=labels)
    with pytest.raises(ValueError, match="is not a saved model"):
        consensa.load(path)


def test_a_model_cut_off_anywhere_is_refused(labels, tmp_path):
    path = tmp_path / "model.npz"
    LWEA(3).fit(labels).save(path)
    whole = path.read_bytes()
    for length in range(2, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="damaged or cut off"):
            consensa.load(path)


def test_a_model_with_another_array_is_refused(labels, tmp_path):
    """The checksums of the archive are right; what was written tells the difference."""
    path = tmp_path / "model.npz"
    LWGP(3, random_state=0).fit(labels).save(path)
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(name for name in members if name.endswith(".npy"))
    for name, other in zip(names, names[1:] + names[:1], strict=True):
        if members[name] == members[other]:
            continue
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, members[other] if member == name else content)
        with pytest.raises(ValueError, match="not as it was written"):
            consensa.load(path)


@pytest.mark.filterwarnings("ignore")  # numbers that make no sense
@pytest.mark.parametrize("kind", [consensa.SAL, LWGP, LWEA, consensa.CSPA])
def test_parts_of_a_model_that_do_not_fit_reach_no_kernel(labels, tmp_path, kind):
    """Whoever changes a model and seals it again gets a sentence or an answer, and never reads beyond an array."""
    path = tmp_path / "model.npz"
    kind(3).fit(labels).save(path)
    note, arrays = read_model(path)
    whole = {name: note[name] for name in note if name not in ("format", "format_version", "dtypes", "seal")}
    refused = 0
    for name in arrays:
        for other in (
            *arrays.values(),
            arrays[name][:-1],
            arrays[name] + 1 if arrays[name].dtype.kind in "iuf" else None,
        ):
            write_model(path, whole, {**arrays, name: arrays[name] if other is None else other}, force=True)
            try:
                again = consensa.load(path)
                assert np.shape(again.cut(2)) == (len(labels),)
                assert again.predict(labels[:5]).shape == (5,)
            except ValueError:
                refused += 1
    assert refused > len(arrays)


def test_a_damaged_model_is_refused_or_the_same(labels, tmp_path):
    """A flipped byte anywhere: the checksums of the archive find it, or it stands where nothing is read."""
    path = tmp_path / "model.npz"
    model = LWEA(3).fit(labels)
    model.save(path)
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            again = consensa.load(path)
        except ValueError:
            refused += 1
        else:
            np.testing.assert_array_equal(again.labels_, model.labels_)
    assert refused > 75


def rewritten(path, change):
    """The same archive with another note, and the seal of it."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    note = json.loads(members["model.json"])
    change(note)
    note["seal"] = seal(note, {name: np.load(io.BytesIO(members[f"{name}.npy"])) for name in note["dtypes"]})
    members["model.json"] = json.dumps(note).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def put(value, *places):
    def change(note):
        for place in places[:-1]:
            note = note[place]
        note[places[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(3, "format_version"), "is a model of format 3, this version of consensa reads format 2"),
        (put("os:system", "objects", 0, "class"), "cannot hold a 'os:system'"),
        (put("consensa.cli:main", "objects", 0, "class"), "cannot hold a 'consensa.cli:main'"),
        (put("consensa.ensemble.labels:Nothing", "objects", 0, "class"), "knows no 'consensa.ensemble.labels:Nothing'"),
        (
            put("consensa.ensemble.labels:read_columns", "objects", 0, "class"),
            "knows no 'consensa.ensemble.labels:read_columns'",
        ),
        (put("sklearn.cluster:KMeans", "objects", 0, "class"), "knows no 'sklearn.cluster:KMeans'"),
        (put("consensa.methods.registry:Method", "objects", 0, "class"), "cannot hold a 'Method'"),
        (put(3, "model"), "it holds no fitted model"),
        (put({"object": 0}, "model"), "it holds no fitted model"),
        (put({"object": 99}, "model"), "damaged or cut off"),
        (put({"array": "none"}, "model"), "damaged or cut off"),
        (put({}, "dtypes"), "damaged or cut off"),
        (put(None, "objects"), "damaged or cut off"),
    ],
    ids=[f"lie{number}" for number in range(13)],
)
def test_notes_that_lie_are_refused(labels, tmp_path, change, message):
    path = tmp_path / "model.npz"
    LWEA(3).fit(labels).save(path)
    rewritten(path, change)
    with pytest.raises(ValueError, match=message):
        consensa.load(path)


def test_an_ensemble_whose_parts_do_not_fit_is_refused(labels, tmp_path):
    path = tmp_path / "model.npz"
    LWEA(3).fit(labels).save(path)

    def swap(note):
        state = next(entry for entry in note["objects"] if entry["class"] == "consensa.ensemble.ensemble:Ensemble")[
            "state"
        ]
        state["sizes"] = state["row_map"]

    rewritten(path, swap)
    with pytest.raises(ValueError, match=r"the parts of the ensemble do not fit together|damaged"):
        consensa.load(path)


def test_small_integers_take_few_bytes(tmp_path):
    labels = np.random.default_rng(0).integers(5, size=(20000, 20))
    model = EAC(3, linkage="single").fit(labels[:2000])
    model.save(tmp_path / "model.npz")
    assert (tmp_path / "model.npz").stat().st_size < 2000 * 20 * 4
    assert consensa.load(tmp_path / "model.npz").ensemble_.labels.dtype == np.int32
