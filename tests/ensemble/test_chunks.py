"""Chunks from any source: the same labels as in memory, and errors that say where."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

from consensa import LWEA, LWGP, Ensemble, MDECConsensus
from consensa.ensemble import sampling
from consensa.evaluate import accuracy, anmi, ari, nmi
from consensa.evaluate.scores import table_scores
from consensa.methods import METHODS
from consensa.scale import ChunkedEnsemble, as_chunks, chunked_anmi, chunked_contingency
from strategies import nested_ensemble, noisy_ensemble

N_ROWS = 12_000
SIZES = [1_000, 7_919, 1_000_000]


@pytest.fixture(scope="module")
def labels():
    """A label matrix in which most distinct rows come several times, with some labels missing."""
    found, _ = noisy_ensemble(np.random.default_rng(5), N_ROWS, 5, 6, (6, 12), 0.2, missing=0.03)
    return found.astype(np.int8)


@pytest.fixture
def small_sample(monkeypatch):
    """More microclusters than k-means fits on, without a long test."""
    monkeypatch.setattr(sampling, "SAMPLE_ABOVE", 500)


def parquet_of(labels, folder):
    path = folder / "labels.parquet"
    pq.write_table(pa.table({str(m): labels[:, m] for m in range(labels.shape[1])}), path, row_group_size=3_000)
    return path


def zarr_of(labels, folder):
    array = zarr.create_array(folder / "labels.zarr", shape=labels.shape, chunks=(2_500, 3), dtype=labels.dtype)
    array[:] = labels
    return array


def memmap_of(labels, folder):
    np.save(folder / "labels.npy", labels)
    return np.load(folder / "labels.npy", mmap_mode="r")


def pieces_of(labels, folder):
    return lambda: (labels[start : start + 777] for start in range(0, len(labels), 777))


def frames_of(labels, folder):
    names = [str(m) for m in range(labels.shape[1])]
    return [pd.DataFrame(labels[start : start + 5_000], columns=names) for start in range(0, len(labels), 5_000)]


SOURCES = {
    "array": lambda labels, folder: labels,
    "fortran": lambda labels, folder: np.asfortranarray(labels.astype(np.int64)),
    "memmap": memmap_of,
    "slice of a memmap": lambda labels, folder: memmap_of(np.vstack([labels[:9], labels]), folder)[9:],
    "npy path": lambda labels, folder: (memmap_of(labels, folder), folder / "labels.npy")[1],
    "parquet": parquet_of,
    "zarr": zarr_of,
    "zarr path": lambda labels, folder: (zarr_of(labels, folder), str(folder / "labels.zarr"))[1],
    "callable": pieces_of,
    "list of chunks": lambda labels, folder: [labels[:10], labels[10:10], labels[10:]],
    "frames": frames_of,
    "polars": lambda labels, folder: pl.DataFrame(labels, schema=[str(m) for m in range(labels.shape[1])]),
}


@pytest.mark.parametrize("chunk_rows", SIZES)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("sampled", [False, True])
def test_labels_are_those_in_memory(labels, tmp_path, source, chunk_rows, sampled, request):
    if sampled:
        request.getfixturevalue("small_sample")
    expected = LWGP([4, 7], random_state=0).fit(labels)
    chunks = as_chunks(SOURCES[source](labels, tmp_path), chunk_rows)
    found = LWGP([4, 7], random_state=0).fit(chunks)
    assert (found.ensemble_.leads is not None) is sampled
    for k in (4, 7):
        assert found.labels_[k].dtype == np.int32
        assert found.labels_[k].tolist() == expected.labels_[k].tolist()
    np.testing.assert_array_equal(found.cluster_weights_, expected.cluster_weights_)


@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("n_threads", ["1", "3"])
def test_threads_do_not_matter(labels, monkeypatch, n_threads, sampled, request):
    if sampled:
        request.getfixturevalue("small_sample")
    monkeypatch.setattr("consensa.ensemble.chunks._THREAD_ROWS", 100)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", "1")
    expected = LWGP(5, random_state=0).fit_predict(labels)
    monkeypatch.setenv("CONSENSA_NUM_THREADS", n_threads)
    assert LWGP(5, random_state=0).fit_predict(as_chunks(labels, 7_919)).tolist() == expected.tolist()


@pytest.mark.filterwarnings("ignore:.*won no object:consensa.ConsensaWarning")
@pytest.mark.parametrize("chunk_rows", [7, 1_000])
def test_every_method(method, chunk_rows):
    labels, _ = nested_ensemble(np.random.default_rng(2), 70, missing=0.02)
    expected = method([2, 4]).fit(labels)
    found = method([2, 4]).fit(as_chunks(labels, chunk_rows))
    for k in (2, 4):
        assert found.labels_[k].tolist() == expected.labels_[k].tolist()
        assert found.cut(k + 1).tolist() == expected.cut(k + 1).tolist()
        np.testing.assert_allclose(found.confidence_[k], expected.confidence_[k], atol=1e-12)
    assert found.n_clusters_ == [2, 4]
    assert found.n_features_in_ == labels.shape[1]


def test_the_graph_of_mdec_on_a_sample(labels, small_sample):
    for weighted in (True, False):
        model = MDECConsensus(5, "bg", weighted=weighted, random_state=0)
        assert model.fit(as_chunks(labels, 999)).ensemble_.leads is not None
        found, confidence = model.labels_, model.confidence_
        model.fit(labels)
        assert found.tolist() == model.labels_.tolist()
        np.testing.assert_allclose(confidence, model.confidence_, atol=1e-12)


def test_a_sample_in_pieces(small_sample):
    """More connected components than clusters: cut along them, the lightest joined, whatever is in the sample."""
    rng = np.random.default_rng(0)
    piece = np.sort(rng.choice(7, size=9_000, p=[0.4, 0.3, 0.2, 0.04, 0.03, 0.02, 0.01]))[rng.permutation(9_000)]
    labels = rng.integers(0, 6, (9_000, 5)) + 6 * piece[:, None]
    for k in (2, 4, 7):
        expected = LWGP(k, random_state=0).fit_predict(labels)
        model = LWGP(k, random_state=0).fit(as_chunks(labels, 1_000))
        assert model.ensemble_.leads is not None
        assert model.labels_.tolist() == expected.tolist()


def test_strings_and_gaps(tmp_path):
    rng = np.random.default_rng(0)
    words = rng.choice(np.array(["a", "bb", "ccc", None], object), size=(500, 3))
    words[(words == None).all(axis=1), 0] = "a"  # noqa: E711 - elementwise
    numbers = rng.choice([-7, 3, 10**12], size=500)
    frame = pd.DataFrame({"x": words[:, 0], "y": words[:, 1], "z": words[:, 2], "n": numbers})
    expected = LWGP(3, random_state=0).fit_predict(frame)
    assert LWGP(3, random_state=0).fit_predict(as_chunks(frame, 33)).tolist() == expected.tolist()
    frame.to_parquet(tmp_path / "words.parquet")
    found = LWGP(3, random_state=0).fit(as_chunks(tmp_path / "words.parquet", 41))
    assert found.labels_.tolist() == expected.tolist()
    assert found.ensemble_.names == ("x", "y", "z", "n")


def test_rows_without_any_label(monkeypatch):
    labels = np.random.default_rng(0).integers(-1, 9, size=(5_000, 4))
    labels[[0, 17, 4_000]] = -1
    for limit in (500, 10**6):
        monkeypatch.setattr(sampling, "SAMPLE_ABOVE", limit)
        with pytest.warns(match=r"objects have no label in any base clustering"):
            expected = LWGP(4, random_state=0).fit(labels)
        with pytest.warns(match=r"of 5000 objects have no label in any base"):
            found = LWGP(4, random_state=0).fit(as_chunks(labels, 333))
        assert (found.ensemble_.leads is not None) is (limit == 500)
        assert found.labels_.tolist() == expected.labels_.tolist()
        np.testing.assert_allclose(found.confidence_, expected.confidence_, atol=1e-12)
    with pytest.raises(ValueError, match="none of the 3 objects has a label"):
        LWGP(1).fit(as_chunks(np.full((3, 2), -1)))


def test_a_lonely_label_warns():
    with pytest.warns(match="column 0 holds only 2 and -1"):
        LWGP(2).fit(as_chunks(np.array([[2, 1], [-1, 2], [2, 2]], np.int8), 1))


def test_missing_none():
    labels = np.array([[2, 1], [-1, 2], [2, 2], [-1, 1]])
    expected = LWGP(2, missing=None, random_state=0).fit_predict(labels)
    assert LWGP(2, missing=None, random_state=0).fit_predict(as_chunks(labels, 3)).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="missing='x' is not allowed"):
        LWGP(2, missing="x").fit(as_chunks(labels))


def test_the_ensemble_itself(labels):
    inside, outside = Ensemble(labels), ChunkedEnsemble(as_chunks(labels, 1_000))
    assert outside.labels.tolist() == inside.labels.tolist()
    assert outside.sizes.tolist() == inside.sizes.tolist()
    assert outside.overlap.toarray().tolist() == inside.overlap.toarray().tolist()
    assert (outside.n_objects, outside.n_labelled) == (N_ROWS, N_ROWS)
    assert outside.row_map.tolist() == inside.row_map.tolist()
    assert outside.firsts.tolist() == inside.firsts.tolist()
    some = np.arange(0, N_ROWS, 997)
    assert outside.codes_of(some).tolist() == inside.codes_of(some).tolist()


def test_too_many_microclusters_is_an_error_with_the_way_out():
    labels = np.random.default_rng(0).integers(0, 9, (3_000, 4))
    message = r"more than 100 microclusters \(distinct rows; .*\).*max_microclusters.*LWGP"
    with pytest.raises(ValueError, match=message):
        LWEA(3).fit(as_chunks(labels, 500, max_microclusters=100))
    assert LWGP(3, random_state=0).fit(as_chunks(labels, 500, max_microclusters=100)).labels_.shape == (3_000,)


def test_an_iterator_is_read_only_once():
    with pytest.raises(ValueError, match=r"an iterator can be read only once.*Give a callable"):
        as_chunks(iter([np.zeros((2, 2), int)]))


@pytest.mark.parametrize("source", [3, None])
def test_what_cannot_be_read(source):
    with pytest.raises(ValueError, match="cannot be read in chunks: give an array"):
        as_chunks(source)


def test_paths_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        as_chunks(tmp_path / "nothing.npy")
    (tmp_path / "labels.txt").write_text("1")
    with pytest.raises(ValueError, match=r"ends in \.npy, \.parquet or \.zarr"):
        as_chunks(tmp_path / "labels.txt")


@pytest.mark.parametrize("source", [np.zeros(3, int), [np.zeros(3, int)], lambda: [np.zeros((2, 2, 2), int)]])
def test_chunks_have_rows_and_columns(source):
    with pytest.raises(ValueError, match=r"shape|no label matrix"):
        LWGP(1).fit(as_chunks(source))


def test_no_rows_at_all():
    with pytest.raises(ValueError, match="no chunk holds any row"):
        LWGP(1).fit(as_chunks([]))


def test_a_chunk_with_other_columns():
    with pytest.raises(ValueError, match=r"chunk 1 \(rows 4 to 6\) has 3 columns, but the chunks before it have 2"):
        LWGP(1).fit(as_chunks([np.zeros((4, 2), int), np.zeros((3, 3), int)]))
    frames = [pd.DataFrame({"a": [1, 2], "b": [1, 1]}), pd.DataFrame({"a": [1, 2], "c": [1, 1]})]
    with pytest.raises(ValueError, match=r"chunk 1 \(rows 2 to 3\) has the column 'c' where .* have 'b'"):
        LWGP(1).fit(as_chunks(frames))
    with pytest.raises(ValueError, match=r"column 0 holds numbers in some chunks and strings in chunk 1 \(rows 2"):
        LWGP(1).fit(as_chunks([np.array([[1], [2]]), np.array([["x"], ["y"]])]))


class Changing:
    """Chunks that are others from the second pass on."""

    def __init__(self, *passes):
        self.passes = list(passes)

    def __call__(self):
        return iter(self.passes.pop(0) if len(self.passes) > 1 else self.passes[0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.uint64, str])
def test_new_labels_in_a_later_pass(dtype):
    first = [np.array([[1, 1], [2, 1]]).astype(dtype), np.array([[1, 2], [2, 2]]).astype(dtype)]
    later = [first[0], np.array([[1, 2], [7, 2]]).astype(dtype)]
    with pytest.raises(ValueError, match=r"chunk 1 \(rows 2 to 3\) holds in row 3 a label that the first pass"):
        LWGP(2).fit(Changing(first, later))


def test_other_rows_in_a_later_pass():
    first = [np.array([[1, 1], [2, 1]]), np.array([[1, 2], [2, 2]])]
    with pytest.raises(ValueError, match=r"chunk 1 \(rows 2 to 2\) has 1 rows, but 2 in the first pass"):
        LWGP(2).fit(Changing(first, [first[0], first[1][:1]]))
    with pytest.raises(ValueError, match="a row of labels turned up that the earlier passes have not seen"):
        LWGP(2, random_state=0).fit(Changing([first[0], first[1][[0, 0]]], [first[0], first[1][[0, 0]]], first))


def test_a_chunk_that_cannot_be_read(tmp_path):
    def chunks():
        yield np.zeros((5, 2), int)
        raise OSError(5, "Input/output error")

    with pytest.raises(ValueError, match=r"chunk 1 \(from row 5 on\) could not be read: OSError.*Input/output"):
        LWGP(1).fit(chunks)
    path = tmp_path / "labels.npy"
    np.save(path, np.zeros((100, 4), np.uint8))
    source = as_chunks(path, 30)
    with path.open("r+b") as file:
        file.truncate(128 + 250)
    with pytest.raises(ValueError, match=r"chunk 2 \(rows 60 to 89\) could not be read: EOFError: the file ends in"):
        LWGP(1).fit(source)


def test_a_damaged_parquet_file(tmp_path, labels):
    path = parquet_of(labels, tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="cannot be read as Parquet; the file is damaged"):
        as_chunks(path)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(2_000) + whole[middle + 2_000 :])
    with pytest.raises(ValueError, match=r"chunk \d \(rows \d+ to \d+\) could not be read"):
        LWGP(2).fit(as_chunks(path, 1_000))


@pytest.mark.parametrize("sampled", [False, True])
def test_labels_on_disk(labels, tmp_path, sampled, request):
    if sampled:
        request.getfixturevalue("small_sample")

    def on_disk(n_rows, dtype):
        return np.lib.format.open_memmap(tmp_path / "found.npy", "w+", dtype, (n_rows,))

    found = LWGP(4, random_state=0).fit_predict(as_chunks(labels, 999, new_array=on_disk))
    found.flush()
    assert np.load(tmp_path / "found.npy").tolist() == LWGP(4, random_state=0).fit_predict(labels).tolist()


@pytest.mark.parametrize("source", ["array", "memmap", "parquet", "zarr", "list of chunks", "polars"])
def test_a_fitted_model_can_be_stored(labels, tmp_path, source):
    model = LWGP(3, random_state=0).fit(as_chunks(SOURCES[source](labels, tmp_path), 5_000))
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.labels_.tolist() == model.labels_.tolist()
    assert again.cut(6).tolist() == LWGP(6, random_state=0).fit_predict(labels).tolist()


@pytest.mark.parametrize("sampled", [False, True])
def test_scores(labels, sampled, request):
    if sampled:
        request.getfixturevalue("small_sample")
    model = LWGP([4, 7], random_state=0).fit(as_chunks(labels, 999))
    for k in (4, 7):
        assert chunked_anmi(model, k, "max") == pytest.approx(anmi(model.labels_[k], labels, "max"), abs=1e-12)
    both = np.stack([model.labels_[4], model.labels_[7]], axis=1)
    found = table_scores(chunked_contingency(as_chunks(both, 1_000)))
    assert found["nmi"] == pytest.approx(nmi(*both.T), abs=1e-12)
    assert found["ari"] == pytest.approx(ari(*both.T), abs=1e-12)
    assert found["accuracy"] == pytest.approx(accuracy(*both.T), abs=1e-12)
    with pytest.raises(ValueError, match="expected two columns, one for each clustering; got 5"):
        chunked_contingency(as_chunks(labels))


@pytest.mark.parametrize("name", ["lwgp", "sal", "lwea"])
def test_new_rows_get_one_answer(name, labels, small_sample):
    """Rows that no microcluster has: the same labels by predict in memory, in chunks, and beyond a sample."""
    rng = np.random.default_rng(0)
    new = np.stack([rng.permutation(column) for column in labels.T], axis=1)[:700]

    def model():
        found = METHODS[name].load()(4)
        quick = {"random_state": 0, "max_microclusters": 300}
        return found.set_params(**{key: value for key, value in quick.items() if key in found.get_params()})

    inside, chunked = model().fit(labels), model().fit(as_chunks(labels, 999))
    assert chunked.predict(labels).tolist() == chunked.labels_.tolist() == inside.labels_.tolist()
    assert inside.predict(new).tolist() == chunked.predict(new).tolist()
    rule = inside.cut_.rule(4)
    assert (rule is None) is (name == "lwea")
    if rule is not None:
        codes = inside.ensemble_.encode(new)
        unseen = inside.ensemble_.table.find(codes) < 0
        found, names = rule(codes), inside.labeller()(codes)
        assert unseen.sum() > 100
        assert nmi(found[unseen], names[unseen]) == pytest.approx(1.0)


def test_a_sum_of_ones_own(labels, small_sample):
    """Any sum of one's own goes through the same door."""

    class Rows:
        def __init__(self):
            self.n_rows = self.n_labels = 0

        def add(self, labels, sizes, firsts):
            self.n_rows += int(sizes.sum())
            self.n_labels += int(sizes @ np.count_nonzero(labels >= 0, axis=1))

        def merge(self, other):
            self.n_rows += other.n_rows
            self.n_labels += other.n_labels

    for sample in (True, False):
        total = ChunkedEnsemble(as_chunks(labels, 1_000, max_microclusters=10**6), sample=sample).sum_rows(Rows)
        assert (total.n_rows, total.n_labels) == (N_ROWS, int((labels >= 0).sum()))


def test_progress(labels):
    said = []
    LWGP(2, random_state=0).fit(as_chunks(labels, 5_000, progress=lambda *what: said.append(what)))
    assert [what[1] for what in said] == [0, 5_000, 10_000, N_ROWS] * 3
    assert {what[2] for what in said} == {N_ROWS}
    assert list(dict.fromkeys(what[0] for what in said)) == ["labels", "counts", "assign"]
