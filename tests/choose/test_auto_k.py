"""``n_clusters="auto"``: every estimator, the functions and the command line choose k themselves."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

import consensa
from consensa import (
    DLWECDL,
    LWEA,
    LWGP,
    MDEC,
    WBPA,
    WSPA,
    Ensemble,
    EnsembleClustering,
    KChoice,
    choose_k,
    consensus,
    wspa,
)
from consensa.choose.choose_cut import few_candidates
from consensa.cli import main
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions

X, TRUTH = make_blobs(150, centers=8 * np.eye(4)[:3], random_state=0)
PARTITIONS = KMeansPartitions(20, random_state=0).fit_transform(X)


def test_every_method(method):
    model = method("auto").fit(PARTITIONS)
    assert isinstance(model.choice_, KChoice)
    assert model.n_clusters_ == model.choice_.n_clusters == 3
    if method.spec.name != "ecmc":  # misses these groups for the right k as well
        assert ari(model.labels_, TRUTH) > 0.95
    assert np.array_equal(model.labels_, method(3).fit(PARTITIONS).labels_)


@pytest.mark.parametrize("name", ["TOME", "SSCSPA"])
def test_methods_without_it_say_what_to_do(name):
    with pytest.raises(ValueError, match=r"n_clusters='auto' is not allowed here: find a number"):
        getattr(consensa, name)("auto").fit(X)


def test_range_in_the_parameter():
    model = LWEA("auto:4:6").fit(PARTITIONS)
    assert model.choice_.k.tolist() == [4, 5, 6]
    assert model.n_clusters_ in (4, 5, 6)


def test_it_is_a_parameter_like_any_other():
    assert clone(LWGP("auto:2:5")).n_clusters == "auto:2:5"


def test_the_same_as_choose_k():
    assert LWEA("auto").fit(PARTITIONS).choice_.n_clusters == choose_k(PARTITIONS, "lwea", random_state=0).n_clusters


def test_no_choice_where_k_is_given():
    model = LWEA("auto").fit(PARTITIONS)
    assert model.set_params(n_clusters=2).fit(PARTITIONS).choice_ is None


def test_cut_of_an_automatic_model():
    assert len(np.unique(LWEA("auto").fit(PARTITIONS).cut(5))) == 5


@pytest.mark.parametrize("n_clusters", ["auto:", "auto:3", "auto:5:2", "auto:0:3", "auto:a:b", "Auto", "many"])
def test_words_that_are_not_allowed(n_clusters):
    with pytest.raises(ValueError, match=r"n_clusters=.* is not allowed: .*auto"):
        LWEA(n_clusters).fit(PARTITIONS)


def test_auto_is_not_a_cut():
    with pytest.raises(ValueError, match="n_clusters='auto' is not allowed"):
        LWEA(3).fit(PARTITIONS).cut("auto")


def test_range_beyond_the_ensemble():
    with pytest.raises(ValueError, match=r"k_range=.* can be cut into 1 to 2 clusters"):
        LWEA("auto:5:9").fit([[0, 0, 1, 1], [1, 1, 0, 0]])


def test_one_call():
    assert ari(consensus(PARTITIONS, "auto", random_state=0), TRUTH) > 0.95


def test_same_seed_same_choice():
    one, other = (LWGP("auto", random_state=4).fit(PARTITIONS) for _ in range(2))
    assert one.choice_.to_dict() == other.choice_.to_dict()


def test_a_generator_of_random_numbers_is_not_used_up_by_the_choice():
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    LWGP(3, random_state=one).fit(PARTITIONS)
    LWGP("auto", random_state=other).fit(PARTITIONS)
    assert one.integers(1000) == other.integers(1000)


def test_theta_is_chosen_before_k():
    model = DLWECDL("auto:2:4", theta="auto", random_state=0).fit(PARTITIONS)
    assert model.n_clusters_ == 3
    assert model.theta_ in model.theta_scores_
    assert few_candidates(Ensemble(PARTITIONS), range(2, 5)) == [2, 3, 4]


@pytest.mark.parametrize(
    "model",
    [
        EnsembleClustering("auto", n_partitions=20, random_state=0),
        EnsembleClustering("auto", method=LWEA(7), n_partitions=20, random_state=0),
        MDEC("auto", n_partitions=20, random_state=0),
        WSPA("auto", partitioner="tcut", n_partitions=5, random_state=0),
        WBPA("auto:2:8", partitioner="average", n_partitions=5, random_state=0),
    ],
    ids=["lwgp", "lwea", "mdec", "wspa", "wbpa"],
)
def test_from_features(model):
    model.fit(X)
    assert model.n_clusters_ == model.choice_.n_clusters == 3
    assert ari(model.labels_, TRUTH) > 0.95


def test_soft_clusterings():
    posteriors = [np.eye(column.max() + 1)[column] for column in PARTITIONS.T]
    assert ari(wspa(posteriors, "auto", partitioner="tcut", random_state=0), TRUTH) > 0.95


@pytest.fixture
def files(tmp_path):
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header=",".join("abcd"), comments="")
    names = ",".join(f"m{m}" for m in range(PARTITIONS.shape[1]))
    np.savetxt(tmp_path / "p.csv", PARTITIONS, fmt="%d", delimiter=",", header=names, comments="")
    return tmp_path


def test_command_line_run(files, capsys):
    labels = str(files / "l.csv")
    assert (
        main(["run", str(files / "x.csv"), "-k", "auto", "--n-partitions", "20", "-o", labels, "--method", "lwgp"]) == 0
    )
    error = capsys.readouterr().err
    assert "chose k = 3 (" in error
    assert "; conductance 3, eigenvalues 3, gaussians 3, agreement 3, stability 3." in error
    assert "3 clusters of 50 to 50 objects" in error


def test_command_line_combine(files, capsys):
    command = ["combine", str(files / "p.csv"), "-k", "auto", "--k-range", "2:6", "--method", "lwea", "--json", "-q"]
    assert main(command) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert captured.err == ""
    assert found["k"] == found["choice"]["n_clusters"] == 3
    assert found["choice"]["k"] == [2, 3, 4, 5, 6]


def test_command_line_range_without_auto(files, capsys):
    assert main(["combine", str(files / "p.csv"), "-k", "3", "--k-range", "2:6"]) == 2
    assert "--k-range gives the candidates for -k auto" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["6", "6:2", "0:3", "a:b", "2:3:4"])
def test_command_line_wrong_range(files, capsys, text):
    with pytest.raises(SystemExit):
        main(["combine", str(files / "p.csv"), "-k", "auto", "--k-range", text])
    assert "is not a range of numbers of clusters" in capsys.readouterr().err
