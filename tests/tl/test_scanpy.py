"""A scanpy user's script, against the real anndata and scanpy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import consensa
from consensa.methods import DEFAULT_METHOD

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what other packages say while they are imported
    ad = pytest.importorskip("anndata", "0.12.7")
    sc = pytest.importorskip("scanpy")
    pd = pytest.importorskip("pandas")

KEYS = [f"leiden_{seed}" for seed in range(10)]
pytestmark = pytest.mark.filterwarnings("default")  # of scanpy's functions; our own are called strictly


def strictly(adata, **arguments):
    """Call the function with every warning an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return consensa.tl.consensus(adata, **arguments)


@pytest.fixture(scope="module")
def cells():
    """Ten Leiden runs of the 700 blood cells that come with scanpy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = sc.datasets.pbmc68k_reduced()
        sc.pp.neighbors(adata, random_state=0)
        for seed, key in enumerate(KEYS):
            sc.tl.leiden(
                adata,
                resolution=0.4 + 0.15 * seed,
                random_state=seed,
                flavor="igraph",
                n_iterations=2,
                directed=False,
                key_added=key,
            )
    return adata


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(center, 0.5, (40, 3)) for center in (0, 5, 10)])
    adata = ad.AnnData(X, obs=pd.DataFrame(index=[f"cell{i}" for i in range(120)]))
    truth = np.repeat([0, 1, 2], 40)
    adata.obs["a"] = pd.Categorical(truth.astype(str))
    adata.obs["b"] = np.where(rng.random(120) < 0.1, (truth + 1) % 3, truth)
    adata.obs["c"] = np.where(np.arange(120) % 7 == 0, None, truth.astype(str))
    adata.obs["depth"] = rng.random(120)
    return adata


def test_a_users_script(cells, tmp_path):
    adata = cells.copy()
    assert strictly(adata, keys=KEYS, random_state=0) is None

    clusters = adata.obs["consensus"]
    assert isinstance(clusters.dtype, pd.CategoricalDtype)
    k = adata.uns["consensus"]["n_clusters"]
    assert clusters.cat.categories.tolist() == [str(number) for number in range(k)]
    sizes = clusters.value_counts(sort=False).to_numpy()
    assert (np.diff(sizes) <= 0).all()
    assert adata.uns["consensus"]["anmi"] > 0.7
    assert consensa.evaluate.nmi(clusters, adata.obs["bulk_labels"]) > 0.6

    sc.tl.umap(adata, neighbors_key="consensus", random_state=0)
    finer = adata.copy()  # no run ever joins cells of the clusters above, and paga cannot do without any link
    strictly(finer, keys=KEYS, n_clusters=10, random_state=0)
    sc.tl.paga(finer, groups="consensus", neighbors_key="consensus")
    sc.tl.leiden(adata, neighbors_key="consensus", key_added="again", flavor="igraph", n_iterations=2, directed=False)
    assert np.isfinite(adata.obsm["X_umap"]).all()
    assert finer.uns["paga"]["connectivities"].shape == (10, 10)
    assert consensa.evaluate.ari(adata.obs["again"], clusters) > 0.5
    centres = pd.DataFrame(adata.obsm["X_umap"]).groupby(clusters.to_numpy(), observed=True).transform("mean")
    within = np.linalg.norm(adata.obsm["X_umap"] - centres, axis=1).mean()
    assert within < np.linalg.norm(adata.obsm["X_umap"] - adata.obsm["X_umap"].mean(axis=0), axis=1).mean()

    adata.write_h5ad(tmp_path / "cells.h5ad")
    same_after_reading(adata, ad.read_h5ad(tmp_path / "cells.h5ad"))


def same_after_reading(adata, again, key="consensus"):
    pd.testing.assert_series_equal(again.obs[key], adata.obs[key])
    pd.testing.assert_series_equal(again.obs[f"{key}_confidence"], adata.obs[f"{key}_confidence"])
    np.testing.assert_array_equal(again.obsm[f"{key}_partitions"], adata.obsm[f"{key}_partitions"])
    for name in (f"{key}_connectivities", f"{key}_distances"):
        assert (again.obsp[name] != adata.obsp[name]).nnz == 0
        assert again.obsp[name].nnz == adata.obsp[name].nnz
    assert_same(again.uns[key], adata.uns[key])


def assert_same(found, expected):
    if isinstance(expected, dict):
        assert set(found) == set(expected)
        for name in expected:
            assert_same(found[name], expected[name])
    else:
        np.testing.assert_array_equal(found, expected)


def test_zarr_round_trip(blobs, tmp_path):
    strictly(blobs, keys=["a", "b", "c"], random_state=0)
    blobs.write_zarr(tmp_path / "cells.zarr")
    same_after_reading(blobs, ad.read_zarr(tmp_path / "cells.zarr"))


def test_what_is_written(blobs):
    before = blobs.obs_names.copy()
    strictly(blobs, keys=["a", "b", "c"], n_clusters=3, random_state=0, key_added="mine", theta=0.5, n_neighbors=10)
    assert blobs.obs_names.equals(before)
    np.testing.assert_array_equal(blobs.obs["mine"].astype(int), np.repeat([0, 1, 2], 40))
    assert blobs.obs["mine_confidence"].between(0, 1).all()
    partitions = blobs.obsm["mine_partitions"]
    assert partitions.dtype == np.int32
    np.testing.assert_array_equal(partitions[:, 1], blobs.obs["b"])
    np.testing.assert_array_equal(partitions[:, 2] == -1, blobs.obs["c"].isna())
    about = blobs.uns["mine"]
    assert about["connectivities_key"] == "mine_connectivities"
    assert about["distances_key"] == "mine_distances"
    assert about["partitions"].tolist() == about["params"]["keys"].tolist() == ["a", "b", "c"]
    assert {"n_neighbors": 10, "method": DEFAULT_METHOD, "random_state": 0}.items() <= about["params"].items()
    assert about["params"]["method_params"]["theta"] == 0.5
    assert about["version"] == consensa.__version__
    assert "choice" not in about
    graph = blobs.obsp["mine_connectivities"]
    assert isinstance(graph, sp.csr_matrix)
    assert graph.dtype == np.float32
    assert (graph != graph.T).nnz == 0
    assert graph.nnz <= 2 * 9 * 120
    assert not graph.diagonal().any()
    assert (np.diff(blobs.obsp["mine_distances"].indptr) == 9).all()
    assert not {"use_rep"} & set(about["params"])


def test_no_graph(blobs):
    strictly(blobs, keys=["a", "b"], n_clusters=3, random_state=0, n_neighbors=None)
    assert not blobs.obsp
    assert "n_neighbors" not in blobs.uns["consensus"]["params"]


def test_the_labels_are_those_of_the_function_for_frames(blobs):
    strictly(blobs, keys=["a", "b"], n_clusters=3, random_state=5, method="lwea")
    expected = consensa.consensus(blobs.obs[["a", "b"]], 3, method="lwea")
    np.testing.assert_array_equal(blobs.obs["consensus"].astype(int), np.asarray(expected))


@pytest.mark.parametrize("use_rep", [None, "X", "X_pca"])
def test_from_a_representation(blobs, use_rep):
    blobs.obsm["X_pca"] = np.asarray(blobs.X)[:, :2].astype(np.float32)
    strictly(blobs, use_rep=use_rep, n_clusters="auto:2:6", n_partitions=12, random_state=0)
    about = blobs.uns["consensus"]
    assert about["params"]["use_rep"] == (use_rep or "X_pca")
    assert about["n_clusters"] == 3
    assert about["choice"]["k"].tolist() == [2, 3, 4, 5, 6]
    assert about["choice"]["votes"]["stability"] >= 2
    assert blobs.obsm["consensus_partitions"].shape == (120, 12)
    assert len(about["partitions"]) == 12
    X = blobs.X if use_rep == "X" else blobs.obsm["X_pca"]
    model = consensa.EnsembleClustering(3, n_partitions=12, random_state=0).fit(X)
    np.testing.assert_array_equal(blobs.obs["consensus"].astype(int), model.labels_)


def test_tested_numbers_and_one_cluster(blobs, tmp_path):
    generator = consensa.generate.KMeansPartitions(8, (2, 6))
    strictly(blobs, use_rep="X", n_clusters="tested", generator=generator, random_state=0)
    told = blobs.uns["consensus"]["significance"]
    assert blobs.uns["consensus"]["n_clusters"] == 3
    assert told["significant"].sum() == 2
    blobs.obsm["X_cloud"] = np.random.default_rng(0).normal(size=(120, 3))
    strictly(blobs, use_rep="X_cloud", n_clusters="tested", generator=generator, random_state=0)
    assert blobs.obs["consensus"].unique().tolist() == ["0"]
    assert "nothing here" in blobs.uns["consensus"]["significance"]["summary"]
    blobs.write_h5ad(tmp_path / "cells.h5ad")
    assert ad.read_h5ad(tmp_path / "cells.h5ad").uns["consensus"]["significance"]["node"].tolist() == [0]
    with pytest.raises(ValueError, match="needs features, and keys gives labels"):
        strictly(blobs, keys=["a", "b"], n_clusters="tested")


def test_sparse_x_and_generator(blobs):
    from consensa.generate import SubsamplePartitions

    blobs.X = sp.csr_matrix(blobs.X)
    strictly(blobs, n_clusters=3, generator=SubsamplePartitions(n_partitions=8, n_clusters=3), random_state=0)
    np.testing.assert_array_equal(blobs.obs["consensus"].astype(int), np.repeat([0, 1, 2], 40))
    assert "use_rep" in blobs.uns["consensus"]["params"]


def test_a_sparse_x_beyond_the_budget(blobs, monkeypatch):
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 1000)
    blobs.X = sp.csr_matrix(blobs.X)
    with pytest.raises(ValueError, match=r"sparse X of shape \(120, 3\) as a dense matrix would need .* scanpy.pp.pca"):
        strictly(blobs, n_clusters=3)


def test_copy_leaves_the_input_alone(blobs):
    names = set(blobs.obs)
    found = strictly(blobs, keys=["a", "b"], n_clusters=3, copy=True, random_state=0)
    assert set(blobs.obs) == names
    assert not blobs.uns
    assert not blobs.obsp
    assert found.obs_names.equals(blobs.obs_names)
    assert "consensus" in found.obs


def test_a_view_becomes_an_object_of_its_own(blobs):
    view = blobs[blobs.obs["a"] != "2"]
    assert view.is_view
    strictly(view, keys=["a", "b"], n_clusters=2, random_state=0)
    assert not view.is_view
    assert view.obs["consensus"].cat.categories.tolist() == ["0", "1"]
    assert "consensus" not in blobs.obs


def test_an_earlier_result_is_overwritten(blobs):
    strictly(blobs, keys=["a", "b"], n_clusters=2, random_state=0)
    strictly(blobs, keys=["a", "b"], n_clusters=3, random_state=0)
    assert blobs.obs["consensus"].cat.categories.tolist() == ["0", "1", "2"]
    assert blobs.uns["consensus"]["n_clusters"] == 3


def test_more_than_ten_clusters_stand_in_natural_order(blobs):
    blobs.obs["many"] = np.arange(120) % 12
    strictly(blobs, keys="many", n_clusters=12, random_state=0)
    assert blobs.obs["consensus"].cat.categories.tolist() == [str(number) for number in range(12)]


@pytest.mark.parametrize("n_clusters", ["auto", 1])
def test_one_cell_type_only(blobs, n_clusters):
    blobs.obs["all"] = "T cell"
    strictly(blobs, keys=["all"], n_clusters=n_clusters, random_state=0)
    assert blobs.obs["consensus"].unique().tolist() == ["0"]
    assert blobs.uns["consensus"]["n_microclusters"] == 1


def test_a_single_key(blobs):
    strictly(blobs, keys=["a"], random_state=0)
    np.testing.assert_array_equal(blobs.obs["consensus"].astype(int), np.repeat([0, 1, 2], 40))


def test_cells_without_any_label(blobs, tmp_path):
    blobs.obs["d"] = pd.Categorical(np.where(np.arange(120) < 10, None, blobs.obs["a"].astype(str)))
    with pytest.warns(consensa.ConsensaWarning, match="10 of 120 objects have no label"):
        consensa.tl.consensus(blobs, keys=["d"], n_clusters=3, random_state=0)
    assert blobs.obs["consensus"].isna().to_numpy().nonzero()[0].tolist() == list(range(10))
    assert (blobs.obs["consensus_confidence"].to_numpy()[:10] == 0).all()
    assert blobs.obsp["consensus_connectivities"][:10].nnz == 0
    blobs.write_h5ad(tmp_path / "cells.h5ad")
    same_after_reading(blobs, ad.read_h5ad(tmp_path / "cells.h5ad"))


def test_backed(blobs, tmp_path):
    blobs.write_h5ad(tmp_path / "cells.h5ad")
    backed = ad.read_h5ad(tmp_path / "cells.h5ad", backed="r+")
    strictly(backed, keys=["a", "b"], n_clusters=3, random_state=0)
    backed.write()
    backed.file.close()
    assert ad.read_h5ad(tmp_path / "cells.h5ad").obs["consensus"].nunique() == 3
    backed = ad.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"X lies in the file of a backed AnnData; .*to_memory"):
        strictly(backed, n_clusters=3)
    with pytest.raises(ValueError, match=r"backed by a file and copy=True was given"):
        strictly(backed, keys=["a"], n_clusters=3, copy=True)
    with pytest.raises(ValueError, match=r"backed by a file and it is a view"):
        strictly(backed[:50], keys=["a"], n_clusters=1)
    backed.file.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keys": ["a", "bb"]}, r"no obs column 'bb'; did you mean 'b'\? There are 4: 'a', 'b', 'c', 'depth'\.$"),
        ({"keys": []}, "keys is empty; give at least one obs column"),
        ({"keys": ["a", "b", "a"]}, "names the obs column 'a' 2 times"),
        ({"keys": ["a"], "use_rep": "X"}, "keys and use_rep were both given"),
        ({"keys": ["a"], "generator": object()}, "generator makes base clusterings, but keys gives"),
        ({"use_rep": "X_pcb"}, "no representation 'X_pcb'; did you mean 'X_pca'"),
        ({"keys": ["depth"]}, "column depth holds .* labels are names of clusters"),
        ({"keys": ["a"], "key_added": "a"}, "would overwrite the obs column 'a'"),
        ({"keys": ["a"], "key_added": "a/b"}, "key_added='a/b' is not allowed"),
        ({"keys": ["a"], "n_clusters": [2, 3]}, r"n_clusters=\[2, 3\] is not allowed"),
        ({"keys": ["a"], "n_clusters": 4}, "n_clusters=4 is more than the 3 microclusters"),
        ({"keys": ["a"], "n_clusters": "many"}, "n_clusters='many' is not allowed"),
        ({"keys": ["a"], "n_neighbors": 1}, "n_neighbors=1 is not allowed"),
        ({"keys": ["a"], "method": "nope"}, "nope"),
        ({"keys": ["a"], "method": int}, "give the name of a method or a consensus estimator"),
        ({"keys": ["a"], "method": consensa.LWEA(), "theta": 1}, "set it in the estimator itself"),
        ({"use_rep": "words"}, r"obsm\['words'\] of shape \(120, 1\) and type .* is no matrix of numbers"),
        ({"use_rep": "holes"}, r"obsm\['holes'\] holds nan in row 3, column 0"),
    ],
)
def test_errors_leave_the_object_alone(blobs, arguments, message):
    blobs.obsm["X_pca"] = np.asarray(blobs.X)
    blobs.obsm["words"] = pd.DataFrame({"w": ["x"] * 120}, index=blobs.obs_names)
    blobs.obsm["holes"] = np.where(np.arange(120) == 3, np.nan, 1.0)[:, None]
    before = set(blobs.obs), set(blobs.obsm), set(blobs.uns), set(blobs.obsp)
    with pytest.raises(ValueError, match=message) as caught:
        strictly(blobs, **arguments)
    assert "\n" not in str(caught.value)
    assert (set(blobs.obs), set(blobs.obsm), set(blobs.uns), set(blobs.obsp)) == before


def test_an_estimator_as_method(blobs):
    strictly(blobs, keys=["a", "b"], n_clusters=3, method=consensa.LWGP(n_init=3), random_state=0)
    assert blobs.uns["consensus"]["params"]["method"] == "LWGP"
    assert blobs.uns["consensus"]["params"]["method_params"]["n_init"] == 3


def test_no_x_and_no_anndata(monkeypatch):
    with pytest.raises(ValueError, match="adata has no X; give use_rep an entry of obsm"):
        strictly(ad.AnnData(obs=pd.DataFrame(index=["a", "b"])), n_clusters=1)
    with pytest.raises(ValueError, match="adata is a ndarray; an AnnData is needed"):
        strictly(np.zeros((3, 2)))
    monkeypatch.setitem(__import__("sys").modules, "anndata", None)
    with pytest.raises(ImportError, match="pip install anndata"):
        strictly(np.zeros((3, 2)))
