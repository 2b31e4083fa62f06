"""The search for the default: draws, resuming, the page and its targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.store import ResultFile
from consensa import Ensemble
from consensa.evaluate import ari
from studies.default import run
from studies.default.command import TEXT
from studies.default.differences import difference_table, paired_difference
from studies.default.page import default_page, means_of, target_lines
from studies.default.points import POINTS, root_relation
from studies.default.run import COLUMNS, run_points, with_noise

EVIDENCE = Path(__file__).parents[2] / "docs" / "evidence"


@pytest.fixture
def data_dir(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 2, 3], 30)
    members = np.where(rng.random((90, 12)) < 0.9, truth[:, None], rng.integers(1, 4, size=(90, 12)))
    (tmp_path / "pools").mkdir()
    np.savez(tmp_path / "pools" / "LWEC_Toy.npz", members=members, gt=truth)
    monkeypatch.setattr(run, "CHOOSING", {"LWEC_Toy": "Toy"})
    return tmp_path


def _row(point, dataset, nmi, ari, pool="", **others):
    row = {"part": "reporting", "n_members": "10", "noise": "0.0", "run": "0", "versions": "v", "pool": pool or dataset}
    return {**row, "point": point, "dataset": dataset, "NMI/sqrt": str(nmi), "ARI": str(ari), **others}


def test_only_what_is_missing_is_run(data_dir):
    output = data_dir / "default.csv"
    first = run_points(data_dir, output, part="choosing", runs=1, points=["SAL", "LWEA"])
    assert [(row["point"], row["dataset"], row["run"]) for row in first] == [("SAL", "Toy", "0"), ("LWEA", "Toy", "0")]
    assert all(float(row["NMI/sqrt"]) > 0.7 for row in first)
    again = run_points(data_dir, output, part="choosing", runs=2, points=["SAL", "LWEA", "C²"])
    assert again[:2] == first
    assert [(row["point"], row["run"]) for row in again[2:]] == [("C²", "0"), ("SAL", "1"), ("LWEA", "1"), ("C²", "1")]


def test_noise_replaces_the_share_that_was_asked_for():
    labels = np.random.default_rng(0).integers(100, size=(3000, 4))
    assert with_noise(labels, 0.0, 0).tolist() == labels.tolist()
    noisy = with_noise(labels, 0.3, 0)
    assert (noisy != labels).mean() == pytest.approx(0.3 * 0.99, abs=0.02)
    assert noisy.tolist() == with_noise(labels, 0.3, 0).tolist()


def test_the_root_relation_is_the_root_of_the_weighted_one():
    ensemble = Ensemble(np.random.default_rng(0).integers(3, size=(40, 3)))
    relation = root_relation(ensemble, theta=1e9)
    sizes = np.diag(np.sqrt(ensemble.sizes))
    values, vectors = np.linalg.eigh(sizes @ (ensemble.incidence @ ensemble.incidence.T).toarray() @ sizes)
    root = np.linalg.inv(sizes) @ (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T @ np.linalg.inv(sizes)
    length = np.sqrt(np.diag(root))
    np.testing.assert_allclose(relation, np.clip(root / length / length[:, None], 0, 1), atol=1e-9)


def test_pools_of_one_data_set_count_as_one():
    rows = [_row("SAL", "IS", 0.2, 0.1, "a"), _row("SAL", "IS", 0.4, 0.3, "a"), _row("SAL", "IS", 0.9, 0.8, "b")]
    nmi, ari = means_of(rows, "reporting", 10, "0.0")["SAL"]["IS"]
    assert (nmi, ari) == (pytest.approx(0.6), pytest.approx(0.5))


def test_targets_are_judged_against_the_best_complete_method():
    rows = [_row("SAL", "A", 0.50, 0.4), _row("SAL", "B", 0.60, 0.5), _row("LWEA", "A", 0.54, 0.3)]
    rows += [_row("LWEA", "B", 0.50, 0.5), _row("LWGP", "A", 0.1, 0.1), _row("LWGP", "B", 0.1, 0.1)]
    rows += [_row("PTA", "A", 0.99, 0.9)]
    text = "\n".join(target_lines(means_of(rows, "reporting", 10, "0.0")))
    assert "best single method by NMI is LWEA, of LWEA, LWGP." in text
    assert "NMI at least 0.02 above it: met, +0.0300" in text
    assert "ARI at least 0.02 above it: met, +0.0500" in text
    assert "**not met**, the worst is A with -0.0400" in text


def test_a_page_says_how_many_runs_it_shows_and_what_was_not_run():
    rows = [_row("SAL", "A", 0.5, 0.4), _row("SAL", "A", 0.7, 0.4, run="1"), _row("SAL", "A", 0.9, 0.4, run="2")]
    rows += [_row("LWEA", "A", 0.1, 0.1), _row("LWEA", "A", 0.1, 0.1, run="1")]
    page = default_page(rows, "{{reporting}}|{{choosing}}")
    assert "| **SAL** | 0.6000 | 0.4000 | 0.600 |" in page
    assert "runs: 2 (A)" in page
    assert page.endswith("|Not run.")


def test_the_page_says_what_its_kept_rows_say():
    rows = ResultFile(EVIDENCE / "default.csv", COLUMNS).rows()
    page = (EVIDENCE / "default.md").read_text(encoding="utf-8")
    assert default_page(rows, TEXT.read_text(encoding="utf-8")) == page


def test_differences_are_taken_draw_by_draw():
    rng = np.random.default_rng(0)
    draws = {pool: rng.random((6, 2, 2)) for pool in "abc"}  # pools a and b are of one data set
    rows = [
        _row(point, "D" if pool in "ab" else "E", *values[run, number], pool, run=str(run))
        for pool, values in draws.items()
        for run in range(6)
        for number, point in enumerate(("SAL", "LWEA"))
        if (pool, run, point) != ("c", 5, "LWEA")
    ]
    gains = [draws["a"][:, 0] - draws["a"][:, 1], draws["b"][:, 0] - draws["b"][:, 1]]
    gains.append((draws["c"][:, 0] - draws["c"][:, 1])[:5])
    means, errors = [each.mean(axis=0) for each in gains], [each.var(axis=0, ddof=1) / len(each) for each in gains]
    found = paired_difference(rows, "SAL", "LWEA")
    np.testing.assert_allclose(found.mean, ((means[0] + means[1]) / 2 + means[2]) / 2)
    np.testing.assert_allclose(found.error, np.sqrt((errors[0] + errors[1]) / 4 + errors[2]) / 2)
    assert f"| LWEA | {found.mean[0]:+.4f} ± {found.error[0]:.4f} |" in difference_table(rows, "SAL", ["LWEA", "PTA"])


@pytest.mark.parametrize("point", POINTS)
def test_every_point_finds_clusters_that_are_there(point):
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 20)
    labels = np.where(rng.random((60, 8)) < 0.95, truth[:, None], rng.integers(3, size=(60, 8)))
    assert ari(POINTS[point](Ensemble(labels), 3, 0), truth) > 0.95
