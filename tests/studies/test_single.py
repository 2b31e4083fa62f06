"""The study beside single algorithms: what is scored, resuming, the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from bench.store import ResultFile
from studies.single.page import single_page, summary_table
from studies.single.run import COLUMNS, OURS, TABLES, data_sets, run_single

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def data_dir(tmp_path):
    X, y = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    for folder in ("shapes", "sets"):
        (tmp_path / folder).mkdir()
    np.savez(tmp_path / "shapes" / "toy.npz", X=np.vstack([X, [[50.0, 50.0]]]), y=np.append(y + 1, 0))
    for name in TABLES:
        np.savez(tmp_path / "sets" / f"{name}.npz", X=X * [1.0, 1000.0], y=y)
    return tmp_path


def test_noise_does_not_count_and_finished_fits_are_kept(data_dir):
    names = ("KMeans, 10 starts", "Ward")
    run_single(data_dir, data_dir / "single.csv", 1, names)
    rows = ResultFile(data_dir / "single.csv", COLUMNS).rows()
    assert len(rows) == 2 * (1 + len(TABLES))
    assert {row["ARI"] for row in rows if row["kind"] == "table"} == {"1.0"}  # columns are scaled
    run_single(data_dir, data_dir / "single.csv", 1, names)
    assert ResultFile(data_dir / "single.csv", COLUMNS).rows() == rows
    assert next(iter(data_sets(data_dir)))[:2] == ("shape", "toy")
    page = single_page(rows)
    assert "| KMeans, 10 starts |" in summary_table(rows)
    assert "One run." in page


def test_the_page_and_the_readme_say_what_the_kept_rows_say():
    rows = ResultFile(DOCS / "evidence" / "single.csv", COLUMNS).rows()
    assert single_page(rows) == (DOCS / "evidence" / "single.md").read_text(encoding="utf-8")
    means = {line.split("|")[1].strip(): line.split("|")[2:7] for line in summary_table(rows).splitlines()}
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    order = [f"**{OURS}**", "KMeans, 10 starts", "GaussianMixture, 10 starts", "Ward"]
    order += ["SpectralClustering", "HDBSCAN, its own k", "Genie"]
    for kind, column in {"shapes": 0, "real data": 2}.items():
        assert f"| {kind} | {' | '.join(means[name][column].strip() for name in order)} |" in readme
