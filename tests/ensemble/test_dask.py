"""dask: the same labels, lazily; a killed worker costs a retry, not the answer; base clusterings on its workers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor

import dask
import dask.array as da
import dask.dataframe as dd
import joblib
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from consensa import LWEA, LWGP
from consensa.ensemble import sampling
from consensa.generate import KMeansPartitions
from consensa.scale import as_chunks
from strategies import nested_ensemble, noisy_ensemble

N_ROWS = 12_000
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:::distributed", "ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def labels():
    found, _ = noisy_ensemble(np.random.default_rng(5), N_ROWS, 5, 6, (6, 12), 0.2, missing=0.03)
    return found.astype(np.int8)


@pytest.fixture(params=[200_000, 500])
def sample_above(request, monkeypatch):
    """All microclusters, or a sample of them."""
    monkeypatch.setattr(sampling, "SAMPLE_ABOVE", request.param)
    return request.param


def one_process():
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("chunk_rows", [1_000, 7_919, 1_000_000])
def test_arrays(labels, chunk_rows, sample_above):
    expected = LWGP([4, 7], random_state=0).fit(labels)
    source = da.from_array(labels, chunks=(chunk_rows, 2))
    found = LWGP([4, 7], random_state=0).fit(source)
    assert (found.ensemble_.leads is not None) is (sample_above == 500)
    for k in (4, 7):
        assert isinstance(found.labels_[k], da.Array)
        assert found.labels_[k].chunks == (source.chunks[0],)
        assert found.labels_[k].dtype == np.int32
        assert found.labels_[k].compute().tolist() == expected.labels_[k].tolist()
        np.testing.assert_allclose(found.confidence_[k].compute(), expected.confidence_[k], atol=1e-12)


def test_what_shows_the_progress_stays_here(labels, sample_above):
    """A bar or a lock cannot travel to a worker, and neither need they."""
    lock = threading.Lock()

    def progress(stage, n_done, n_rows):
        with lock:
            seen.append(stage)

    seen = []
    source = as_chunks(da.from_array(labels, chunks=(1_000, 5)), progress=progress)
    with one_process() as pool, dask.config.set(scheduler="processes", pool=pool):  # else one for every pass
        found = LWGP(4, random_state=0).fit(source).labels_.compute()
    assert found.tolist() == LWGP(4, random_state=0).fit_predict(labels).tolist()
    assert "counts" in seen


def test_chunks_of_unknown_length_and_empty_ones(labels):
    expected = LWGP(5, random_state=0).fit_predict(labels[labels[:, 0] != 1])
    source = da.from_array(labels, chunks=(1_000, 5))
    filtered = source[source[:, 0] != 1]
    assert np.isnan(filtered.shape[0])
    assert LWGP(5, random_state=0).fit_predict(filtered).compute().tolist() == expected.tolist()
    none = da.concatenate([source[:0], source[:2_000], source[:0], source[2_000:]])
    whole = LWGP(5, random_state=0).fit_predict(labels)
    assert LWGP(5, random_state=0).fit_predict(none).compute().tolist() == whole.tolist()


def test_frames(labels):
    frame = pd.DataFrame(labels, columns=list("abcde"))
    frame["a"] = frame["a"].map({k: f"c{k}" for k in range(20)})
    expected = LWGP(5, random_state=0).fit_predict(frame)
    found = LWGP(5, random_state=0).fit(dd.from_pandas(frame, npartitions=7))
    assert found.labels_.compute().tolist() == expected.tolist()
    assert found.ensemble_.names == tuple("abcde")


def test_every_method(method):
    labels, _ = nested_ensemble(np.random.default_rng(2), 70)
    expected = method([2, 4]).fit(labels).labels_
    found = method([2, 4]).fit(da.from_array(labels, chunks=(33, 5))).labels_
    assert {k: v.compute().tolist() for k, v in found.items()} == {k: v.tolist() for k, v in expected.items()}


def test_too_many_microclusters():
    source = da.from_array(np.random.default_rng(0).integers(0, 9, (3_000, 4)), chunks=(500, 4))
    with pytest.raises(ValueError, match=r"more than 100 microclusters.*max_microclusters"):
        LWEA(3).fit(as_chunks(source, max_microclusters=100))


def broken(block, block_info=None):
    if block_info and block_info[None]["chunk-location"][0] == 2:
        raise OSError(5, "Input/output error")
    return block


def test_a_chunk_that_cannot_be_read(labels):
    source = da.from_array(labels, chunks=(5_000, 5)).map_blocks(broken, dtype=labels.dtype)
    with pytest.raises(ValueError, match=r"chunk 2 \(rows 10000 to 11999\) could not be read: OSError"):
        LWGP(3).fit(source)


def test_partitions_with_other_columns_or_kinds():
    frames = [pd.DataFrame({"a": [1, 2], "b": [1, 1]}), pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})]
    parts = dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0], verify_meta=False)
    with pytest.raises(ValueError, match=r"column b holds numbers in some chunks and strings in one of the chunks 1"):
        LWGP(1).fit(parts)


@pytest.mark.parametrize("source", [da.zeros(5, dtype=int), da.zeros((2, 2, 2), dtype=int)])
def test_only_matrices(source):
    with pytest.raises(ValueError, match="expected a dask array or data frame of shape"):
        LWGP(1).fit(source)


@pytest.fixture(scope="module")
def cluster():
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "60s"}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as started,
        Client(started) as client,
    ):
        yield client


def dying(block, folder=None, block_info=None):
    """Hand the chunk on; chunk 3 kills its worker the second and the third time it is read (two passes)."""
    if block_info and block_info[None]["chunk-location"][0] == 3:
        for time in range(6):
            try:
                os.close(os.open(f"{folder}/{time}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            if time in (1, 3):
                os.kill(os.getpid(), signal.SIGKILL)
            break
    return block


def test_a_killed_worker_costs_a_retry_not_the_answer(labels, cluster, tmp_path):
    expected = LWGP(5, random_state=0).fit_predict(labels)
    source = da.from_array(labels, chunks=(1_000, 5)).map_blocks(dying, folder=str(tmp_path), dtype=labels.dtype)
    found = LWGP(5, random_state=0).fit(source).labels_.compute()
    assert {"1", "3"} <= {file.name for file in tmp_path.iterdir()}
    assert found.tolist() == expected.tolist()


def test_base_clusterings_on_dask_workers(cluster):
    X = np.random.default_rng(0).normal(size=(300, 4))
    expected = KMeansPartitions(6, random_state=0).fit_transform(X)
    with joblib.parallel_config("dask"):
        found = KMeansPartitions(6, random_state=0, n_jobs=-1).fit_transform(X)
    assert found.tolist() == expected.tolist()
