"""AnnData files on the command line: representations and obs columns in, an annotated copy out."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from consensa.cli import main
from consensa.io import check_output, read_features, read_labels

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what other packages say while they are imported
    ad = pytest.importorskip("anndata", "0.12.7")
    pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("ignore:The '.*' option is deprecated")  # of pandas, which anndata still asks

TRUTH = np.repeat(["T", "B"], 10)


def fails(read, path, message, **layout):
    with pytest.raises(ValueError, match=message) as caught:
        read(path, **layout)
    assert "\n" not in str(caught.value)


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    X = np.repeat([0.0, 9.0], 10)[:, None] + rng.normal(0, 0.1, (20, 4))
    obs = pd.DataFrame(index=[f"cell{i}" for i in range(20)])
    obs["type"] = pd.Categorical(TRUTH)
    obs["run"] = np.where(np.arange(20) == 3, 1, np.repeat([0, 1], 10))
    obs["some"] = np.where(np.arange(20) % 5 == 0, None, TRUTH)
    obs["depth"] = rng.random(20)
    adata = ad.AnnData(sp.csr_matrix(X), obs=obs, var=pd.DataFrame(index=["g1", "g2", "g3", "g4"]))
    adata.obsm["X_pca"] = X[:, :2].astype(np.float32)
    adata.obsm["frame"] = pd.DataFrame({"u": X[:, 0], "v": X[:, 1]}, index=obs.index)
    adata.obsm["runs"] = np.stack([np.repeat([0, 1], 10), np.repeat([5, 3], 10)], axis=1)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


def test_features(path):
    adata = ad.read_h5ad(path)
    table = read_features(path)
    assert table.names == ("X_pca_0", "X_pca_1")
    assert table.ids.tolist() == adata.obs_names.tolist()
    assert table.notes == ("obsm['X_pca']", "the ids are stored with it")
    np.testing.assert_array_equal(table.values, adata.obsm["X_pca"])
    assert table.values.dtype == np.float32
    table = read_features(path, array="X", columns=["g3", "g1"])
    assert table.names == ("g3", "g1")
    np.testing.assert_array_equal(table.values, adata.X.toarray()[:, [2, 0]])
    assert read_features(path, array="frame").names == ("u", "v")
    assert read_features(path, id_column=None).ids is None
    fails(
        read_features,
        path,
        r"there is no 'X_umap'; choose with array=\.{3} one of X, X_pca, frame, runs",
        array="X_umap",
    )
    fails(read_features, path, "there is no column 'g9'", array="X", columns=["g9"])


def test_x_where_there_is_no_pca(path):
    adata = ad.read_h5ad(path)
    del adata.obsm["X_pca"]
    adata.write_h5ad(path)
    assert read_features(path).notes[0] == "X"
    ad.AnnData(obs=adata.obs).write_h5ad(path)
    fails(read_features, path, r"there is no 'X'; choose with array=\.{3} one of none|holds nothing|is not an array")


def test_a_sparse_x_beyond_the_budget(path, monkeypatch):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 100)
    fails(read_features, path, r"X of shape \(20, 4\) as a dense matrix would need .*array=\.{3}", array="X")


def test_labels(path):
    table = read_labels(path, columns=["type", "run", "some"])
    assert table.names == ("type", "run", "some")
    assert table.ids.tolist() == [f"cell{i}" for i in range(20)]
    np.testing.assert_array_equal(table.values[:, 0], TRUTH == "T")
    np.testing.assert_array_equal(table.values[:, 1], ad.read_h5ad(path).obs["run"])
    np.testing.assert_array_equal(table.values[:, 2], np.where(np.arange(20) % 5 == 0, -1, TRUTH == "T"))
    assert table.vocabularies[0].labels.tolist() == ["B", "T"]
    assert read_labels(path, columns=["run"], id_column="type").ids.tolist() == TRUTH.tolist()
    assert read_labels(path, columns=["run"], id_column=None).ids is None
    matrix = read_labels(path, array="runs")
    np.testing.assert_array_equal(matrix.values, np.stack([np.repeat([0, 1], 10), np.repeat([1, 0], 10)], axis=1))
    fails(
        read_labels, path, r"choose the columns of obs to read with columns=\.{3}, .* the 4 columns are 'type', 'run'"
    )
    fails(read_labels, path, "there is no column 'nope'; the 4 columns are 'type'", columns=["nope"])
    fails(read_labels, path, "column 'depth' of .* holds 0.* labels are names of clusters", columns=["depth"])


def test_run_and_combine(path, tmp_path, capsys):
    labels = tmp_path / "labels.csv"
    assert main(["run", str(path), "-k", "2", "-m", "5", "-o", str(labels)]) == 0
    told = capsys.readouterr().err
    assert "20 rows x 2 features; obsm['X_pca']; the ids are stored with it." in told
    assert labels.read_text().splitlines()[:2] == ["id,label,confidence", "cell0,0,1.0"]
    assert main(["generate", str(path), "--use-rep", "X", "-m", "3", "-k", "2", "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("cell0,")
    assert main(["combine", str(path), "--columns", "type,run,some", "-k", "2", "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[20].startswith("cell19,1,")
    assert main(["combine", str(path), "--use-rep", "runs", "-k", "2", "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[20].startswith("cell19,1,")
    assert main(["compare", str(labels), str(path), "--columns-b", "type,run"]) == 0
    told = capsys.readouterr()
    assert "rows are matched by id" in told.err
    assert told.out.splitlines()[1].split()[-3:] == ["1.0000"] * 3


@pytest.mark.parametrize(
    ("command", "use_rep"), [(["run", "-m", "6"], "X_pca"), (["combine", "--columns", "type,run"], None)]
)
def test_an_annotated_copy(path, tmp_path, capsys, command, use_rep):
    out = tmp_path / "out.h5ad"
    before = path.read_bytes()
    assert main([command[0], str(path), "-k", "auto", "--k-range", "2:3", *command[1:], "-o", str(out)]) == 0
    assert f"wrote {out}" in capsys.readouterr().err
    assert path.read_bytes() == before
    adata = ad.read_h5ad(out)
    assert adata.obs["consensus"].cat.categories.tolist() == ["0", "1"]
    assert adata.obs["type"].tolist() == TRUTH.tolist()
    about = adata.uns["consensus"]
    assert about["params"].get("use_rep") == use_rep
    assert about["params"]["method"] == "sal"
    assert about["choice"]["k"].tolist()[0] == 2
    assert "consensus_connectivities" in adata.obsp
    assert len(about["partitions"]) == adata.obsm["consensus_partitions"].shape[1]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cells.h5ad", "out.h5ad"]


def test_what_an_h5ad_output_cannot_hold(path, tmp_path, capsys):
    out = str(tmp_path / "out.h5ad")
    for command in (
        ["run", str(path), "-k", "2,3"],
        ["combine", str(path), "--columns", "type", "-k", "2", "--method", "eac,lwea"],
        ["run", str(path), "-k", "2", "--memory", "1GB"],
    ):
        assert main([*command, "-o", out]) == 2
        assert "an h5ad file gets one clustering, made in memory" in capsys.readouterr().err
    assert main(["generate", str(path), "-o", out]) == 2
    assert "only run and combine write h5ad, and from h5ad; choose CSV" in capsys.readouterr().err
    assert main(["run", str(path), "-k", "2", "-o", str(path), "--force"]) == 2
    assert "is the input itself" in capsys.readouterr().err
    assert main(["run", str(path), "-k", "2", "-o", str(tmp_path / "x.csv"), "--memory", "1GB"]) == 2
    assert "h5ad cannot be read in parts" in capsys.readouterr().err
    fails(check_output, "labels.h5ad", "h5ad is written by anndata, after consensa.tl.consensus; choose CSV")


def test_damaged_files(path, tmp_path):
    whole = path.read_bytes()
    for length in (20, 100, 2000, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:length])
        fails(read_features, path, "damaged or cut off")
    path.write_bytes(b"a,b\n1,2\n")
    fails(read_features, path, "expected H5AD, but the file does not start like one")
    renamed = tmp_path / "x.csv"
    renamed.write_bytes(whole)
    fails(read_features, renamed, "expected CSV, but the file starts like an HDF5 file")
    import h5py

    with h5py.File(path, "w") as file:
        file["x"] = np.zeros(3)
    fails(read_features, path, "is an HDF5 file without obs, so no AnnData")
    with h5py.File(path, "w") as file:
        for name in ("X", "obs"):
            file[name] = np.zeros((3, 2))
            file[name].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    fails(read_features, path, "obs is no table; the file is damaged or from an early anndata")
    fails(read_labels, path, "obs is no table; the file is damaged or from an early anndata", columns=["a"])


def test_without_anndata(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    fails(read_features, path, r"h5ad files need anndata; install it with pip install anndata")
