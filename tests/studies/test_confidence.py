"""The study of confidence: its curve against plain counting, its table and figure on a made-up pool."""

from __future__ import annotations

import numpy as np
import pytest

from strategies import noisy_ensemble
from studies.__main__ import main
from studies.confidence import (
    KEPT,
    accuracy_curve,
    compare_halves,
    confidence_figure,
    confidence_report,
    has_majority_class,
    run_confidence,
)


def test_curve_without_ties_counts_the_surest():
    rng = np.random.default_rng(0)
    confidence, right = rng.permutation(40) / 40, rng.random(40) < 0.5
    order = np.argsort(-confidence)
    expected = [right[order][: round(kept * 40)].mean() for kept in KEPT]
    np.testing.assert_allclose(accuracy_curve(confidence, right), expected)


def test_curve_without_any_order_is_flat():
    right = np.arange(30) % 3 == 0
    np.testing.assert_allclose(accuracy_curve(np.full(30, 0.5), right), 1 / 3)


def test_halves_are_compared_by_draw_and_by_row():
    halves = {"A": [(0.8, 0.7), (0.55, 0.6)], "B": [(0.9, 0.6), (0.7, 0.5)], "C": [(0.5, 0.5), (0.4, 0.5)]}
    rows = [
        {"pool": pool, "method": "lwea", "members": "10", "draw": str(draw), "kept": str(kept), "accuracy": str(value)}
        for pool, draws in halves.items()
        for draw, (half, everything) in enumerate(draws)
        for kept, value in ((0.1, 0.0), (0.5, half), (1.0, everything))
    ]
    assert compare_halves(rows) == (
        "The surer half is right more often in 3 of 6 draws (50 %) and 2 of 3 rows; "
        "median difference of the rows: 0.05."
    )


def test_rows_that_fail_are_counted_by_majority_too():
    curves = {"A": ((0.2, 0.6, 0.5), (0.9, 0.8, 0.7)), "B": ((0.9, 0.8, 0.7), (0.9, 0.8, 0.7))}
    rows = [
        {"pool": pool, "n_objects": "9", "n_classes": "2", "method": "lwea", "members": "10", "draw": "0",
         "kept": str(kept), "accuracy": str(one), "majority": str(two)}
        for pool, (matched, majority) in curves.items()
        for kept, one, two in zip((0.1, 0.5, 1.0), matched, majority, strict=True)
    ]  # fmt: skip
    table = confidence_report(rows).split("\n\n")[2].splitlines()
    assert table[2:] == ["| A | LWEA | 0.600 | 0.400 | 0.200 | 0.800 | 0.600 | 0.900 |"]


def test_majority_class_of_clusters_by_plain_counting():
    rng = np.random.default_rng(0)
    labels, codes = rng.integers(-1, 5, 60), rng.integers(0, 3, 60)
    most = {label: np.bincount(codes[labels == label]).argmax() for label in set(labels.tolist())}
    expected = [most[label] == code for label, code in zip(labels.tolist(), codes, strict=True)]
    assert has_majority_class(labels, codes).tolist() == expected


@pytest.fixture
def data_dir(tmp_path):
    (tmp_path / "pools").mkdir()
    for seed, name in enumerate(["LWEC_A", "PTGP_B"]):
        labels, truth = noisy_ensemble(np.random.default_rng(seed), n_objects=120, n_partitions=15, noise=0.3)
        np.savez(tmp_path / "pools" / f"{name}.npz", members=labels, gt=truth)
    return tmp_path


def test_run_report_and_figure(data_dir):
    output = data_dir / "confidence.csv"
    options = {"methods": ["lwea"], "members": [8], "draws": 2}
    rows = run_confidence(data_dir, output, **options)
    assert len(rows) == 2 * 2 * len(KEPT)
    assert run_confidence(data_dir, output, **options) == rows
    lines = confidence_report(rows).splitlines()
    assert lines[2].startswith("| LWEC_A | 120 | 4 | LWEA |")
    everything, surer, other = (float(cell) for cell in lines[2].split("|")[5:8])
    assert surer >= everything >= other
    assert compare_halves(rows) in lines
    assert (surer + other) / 2 == pytest.approx(everything, abs=0.002)
    pytest.importorskip("matplotlib")
    confidence_figure(rows, data_dir / "curve.svg")
    assert (data_dir / "curve.svg").stat().st_size < 60_000


def test_command_line(data_dir, capsys):
    options = ["--data-dir", str(data_dir), "--output", str(data_dir / "c.csv"), "--draws", "1", "--members", "5"]
    assert main(["confidence", *options, "--methods", "lwea", "--pools", "LWEC_A"]) == 0
    assert "| LWEC_A | 120 |" in capsys.readouterr().out
    assert main(["confidence", *options, "--pools", "LWEC_Z"]) == 2
    assert "there is no pool 'LWEC_Z'; there are LWEC_A, PTGP_B" in capsys.readouterr().err
