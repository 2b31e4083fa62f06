"""Mt-KaHyPar: silence, seeds, threads and processes, balance, parts that come back empty."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

from consensa import HGPA, ConsensaWarning
from consensa.evaluate import ari
from consensa.partition import hypergraph_cut
from consensa.partition.hypergraph import HypergraphCut

pytest.importorskip("mtkahypar")


def incidence(seed=0, n_rows=120, n_edges=40):
    rng = np.random.default_rng(seed)
    return sp.csr_array((rng.random((n_rows, n_edges)) < 0.08).astype(int))


def partition(_=None):
    return hypergraph_cut(incidence(), random_state=5).cut(4).tolist()


def in_a_child(queue):
    queue.put(partition())


def test_finds_blocks():
    truth = np.repeat(np.arange(5), 20)
    rng = np.random.default_rng(0)
    edges = np.stack([(truth == g) & (rng.random(100) < 0.5) for g in np.repeat(np.arange(5), 6)], axis=1)
    assert ari(hypergraph_cut(sp.csr_array(edges.astype(int)), random_state=0).cut(5), truth) == 1


def test_weights_of_the_rows_decide_the_balance():
    weights = np.where(np.arange(120) < 30, 9, 1)
    labels = hypergraph_cut(incidence(), weights, random_state=0).cut(2)
    mass = np.bincount(labels, weights)
    assert mass.max() <= 1.05 * mass.mean()
    loose = hypergraph_cut(incidence(), weights, imbalance=0.5, random_state=0).cut(2)
    assert np.bincount(loose, weights).max() <= 1.5 * mass.mean()


def test_same_seed_same_parts():
    assert partition() == partition()
    cut = hypergraph_cut(incidence(), random_state=0)
    orders = [np.random.default_rng(seed).permutation(120) for seed in range(4)]
    assert len({cut._partition(4, order)[1].tobytes() for order in orders}) > 1


def test_more_tries_are_better():
    Z = incidence().toarray() > 0

    def cost(labels):
        return sum(np.unique(labels[edge]).size - 1 for edge in Z.T)

    options = {"objective": "km1", "random_state": 0}
    found = [cost(hypergraph_cut(incidence(), n_init=n, **options).cut(4)) for n in (1, 3, 10)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1]
    with pytest.raises(ValueError, match="n_init=0"):
        hypergraph_cut(incidence(), n_init=0)


def test_threads():
    with ThreadPoolExecutor(4) as pool:
        assert all(found == partition() for found in pool.map(partition, range(8)))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_forked_process_after_the_first_use():
    reference = partition()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == reference
    child.join()
    assert child.exitcode == 0


def test_joblib_processes():
    from joblib import Parallel, delayed

    labels = np.random.default_rng(0).integers(4, size=(60, 5))
    found = Parallel(n_jobs=2)(delayed(HGPA(3, random_state=0).fit_predict)(labels) for _ in range(2))
    assert found[0].tolist() == found[1].tolist() == HGPA(3, random_state=0).fit_predict(labels).tolist()


def test_silence():
    code = (
        "import numpy as np; from consensa import HGPA;"
        "HGPA(3, random_state=0).fit(np.random.default_rng(0).integers(4, size=(60, 5)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == result.stderr == ""


def test_useless_hyperedges_are_left_out():
    """Hyperedges of one row, or of none, can never be cut."""
    pairs = sp.csr_array(np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]))
    cut = hypergraph_cut(pairs, random_state=0)
    assert cut.edges == [[0, 1], [2, 3]]
    labels = cut.cut(2)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert np.unique(hypergraph_cut(sp.csr_array(np.eye(5)), random_state=0).cut(3)).size == 3


def test_one_part_and_one_per_row():
    cut = hypergraph_cut(incidence(), random_state=0)
    assert cut.cut(1).tolist() == [0] * 120
    assert cut.cut(120).tolist() == list(range(120))
    with pytest.raises(ValueError, match="n_clusters=121 is more than the 120"):
        cut.cut(121)


def test_lost_parts_are_reported_and_made(monkeypatch):
    monkeypatch.setattr(HypergraphCut, "_partition", lambda self, k, order: (0, np.array([2, 2, 2, 0, 0])))
    with pytest.warns(ConsensaWarning, match="left 1 of the 3 clusters without objects; the largest were split"):
        labels = hypergraph_cut(sp.csr_array(np.ones((5, 2))), random_state=0).cut(3)
    assert labels.tolist() == [1, 1, 2, 0, 0]
