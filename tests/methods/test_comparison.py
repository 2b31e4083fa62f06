"""compare_methods: many methods side by side, failures reported, interruptions survived."""

from __future__ import annotations

import json
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pytest

from consensa import EAC, KCC, ConsensaWarning, MethodComparison, compare_methods, consensus
from consensa._messages import warn
from consensa.cli import main
from consensa.evaluate import anmi, ari, nmi
from consensa.methods import METHODS
from consensa.methods.base import ConsensusClusterer
from consensa.partition import agglomerate
from consensa.relate import co_association
from strategies import nested_ensemble

CHOICE = ["eac", "lwea", "kcc", "voting"]


@pytest.fixture
def labels_and_truth():
    return nested_ensemble(np.random.default_rng(0))


def test_results_are_those_of_the_methods(labels_and_truth):
    labels, truth = labels_and_truth
    found = compare_methods(labels, 4, CHOICE, truth=truth, random_state=3)
    assert isinstance(found, MethodComparison)
    assert list(found.results) == list(found.labels) == CHOICE
    for name, result in found.results.items():
        assert result.labels.tolist() == consensus(labels, 4, name, random_state=3).tolist()
        assert (result.status, result.error, result.notes) == ("ok", None, [])
        assert result.seconds > 0
        assert result.anmi == anmi(result.labels, labels)
        assert result.nmi == nmi(result.labels, truth)
        assert result.ari == ari(result.labels, truth)
    assert found.errors == {}
    assert not found.interrupted


def test_agreement_among_the_results():
    labels = np.random.default_rng(0).integers(4, size=(60, 5))
    for measure, score in (("ari", ari), ("nmi", nmi)):
        found = compare_methods(labels, 3, CHOICE, measure=measure, random_state=0)
        expected = [[score(a, b) for b in found.labels.values()] for a in found.labels.values()]
        np.testing.assert_allclose(found.agreement, expected)
        assert f"mean {measure.upper()}" in str(found)
    assert "NMI" not in str(compare_methods(labels, 3, ["eac"])).replace("ANMI", "")


@pytest.mark.parametrize("make", [int, np.random.default_rng, np.random.RandomState])
def test_jobs_change_nothing(labels_and_truth, make):
    labels, _ = labels_and_truth
    one, two = (compare_methods(labels, 4, CHOICE, n_jobs=n, random_state=make(1)) for n in (1, 2))
    assert {k: v.tolist() for k, v in one.labels.items()} == {k: v.tolist() for k, v in two.labels.items()}


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_all_methods_run():
    labels, truth = nested_ensemble(np.random.default_rng(1), missing=0.2)
    found = compare_methods(labels, 4, truth=truth, random_state=0)
    assert list(found.results) == list(METHODS)
    unable = {name for name, method in METHODS.items() if not method.missing}
    assert set(found.errors) == unable
    assert all("cannot handle missing labels" in found.errors[name] for name in unable)


def test_failures_do_not_stop_the_others(labels_and_truth, monkeypatch):
    def fail(self, ensemble):
        raise RuntimeError("out of luck")

    def warn_first(self, ensemble):
        warn("slow today")
        return original(self, ensemble)

    original = KCC._consensus
    monkeypatch.setattr(EAC, "_consensus", fail)
    monkeypatch.setattr(KCC, "_consensus", warn_first)
    monkeypatch.setattr("consensa._budget.DENSE_BUDGET", 100)
    found = compare_methods(labels_and_truth[0], 4, ["eac", "kcc", "voting", "pta"], random_state=0)
    assert {name: result.status for name, result in found.results.items()} == {
        "eac": "failed",
        "kcc": "ok",
        "voting": "ok",
        "pta": "memory",
    }
    assert found.errors["eac"] == "out of luck"
    assert "of memory; the budget for a dense matrix is 100.0 B" in found.errors["pta"]
    assert found.results["kcc"].notes == ["slow today"]
    assert found.agreement.shape == (2, 2)
    assert str(found).splitlines()[-2] == "eac: out of luck"


def test_interruption_keeps_what_is_finished(labels_and_truth, monkeypatch):
    def stop(self, ensemble):
        raise KeyboardInterrupt

    monkeypatch.setattr(KCC, "_consensus", stop)
    found = compare_methods(labels_and_truth[0], 4, CHOICE, n_jobs=1)
    assert list(found.labels) == ["eac", "lwea"]
    assert found.interrupted
    assert set(found.errors) == {"kcc", "voting"}
    assert found.results["voting"].status == "interrupted"


def test_lost_workers_are_reported(labels_and_truth, monkeypatch):
    def lost(*_, **__):
        raise BrokenProcessPool("killed")
        yield

    monkeypatch.setattr("consensa.methods.comparison.run_parallel", lost)
    found = compare_methods(labels_and_truth[0], 4, CHOICE, n_jobs=2)
    assert found.labels == {}
    assert not found.interrupted
    assert found.errors["eac"].startswith("a worker process ended, perhaps for lack of memory (killed)")


def test_as_plain_values(labels_and_truth):
    labels, _ = labels_and_truth
    told = json.loads(json.dumps(compare_methods(labels, 4, ["eac", "kcc"], random_state=0).to_dict()))
    assert told["n_clusters"] == 4
    assert [result["name"] for result in told["results"]] == ["eac", "kcc"]
    assert told["results"][0]["labels"] == consensus(labels, 4, "eac").tolist()
    assert told["agreement"]["names"] == ["eac", "kcc"]
    assert np.shape(told["agreement"]["matrix"]) == (2, 2)


def test_parameters_of_single_methods(labels_and_truth):
    labels, _ = labels_and_truth
    found = compare_methods(labels, 4, ["kcc", "qmi"], parameters={"kcc": {"utility": "u_c"}}, random_state=0)
    assert found.labels["kcc"].tolist() == found.labels["qmi"].tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": ["nope"]}, "method='nope' is not known"),
        ({"methods": []}, r"methods=\[\] names no method"),
        ({"methods": ["wspa"]}, "makes its own base clusterings from features"),
        ({"n_clusters": [2, 3]}, r"n_clusters=\[2, 3\] is not allowed"),
        ({"n_clusters": 10_000}, "n_clusters=10000 is more than"),
        ({"measure": "vi"}, "measure='vi' is not known"),
        ({"parameters": {"eac": {"theta": 1}}}, "method 'eac' has no parameter 'theta'"),
        ({"random_state": -1}, "random_state=-1 cannot seed"),
    ],
)
def test_wrong_requests(labels_and_truth, arguments, message):
    with pytest.raises(ValueError, match=message):
        compare_methods(**{"partitions": labels_and_truth[0], "n_clusters": 4, "methods": ["eac"], **arguments})


def test_unlabelled_objects_warn_once():
    labels = np.array([[0, 0], [0, 0], [1, 1], [-1, -1]])
    with pytest.warns(ConsensaWarning, match="1 of 4 objects have no label") as caught:
        found = compare_methods(labels, 2, ["eac", "kcc"])
    assert len(caught) == 1
    assert found.labels["kcc"].tolist() == [0, 0, 1, -1]


# --- on the command line


@pytest.fixture
def file(tmp_path, labels_and_truth):
    path = tmp_path / "partitions.csv"
    header = ",".join(f"p{m}" for m in range(labels_and_truth[0].shape[1]))
    np.savetxt(path, labels_and_truth[0], fmt="%d", delimiter=",", header=header, comments="")
    return path


def test_several_methods_on_the_command_line(file, tmp_path, capsys, labels_and_truth):
    out = tmp_path / "labels.csv"
    assert main(["combine", str(file), "-k", "4", "--method", "eac,kcc,lwea", "-o", str(out)]) == 0
    header, *rows = out.read_text().splitlines()
    assert header == "row,eac,kcc,lwea"
    assert [int(row.split(",")[1]) for row in rows] == consensus(labels_and_truth[0], 4, "eac").tolist()
    told = capsys.readouterr().err
    assert "ANMI" in told
    assert "3 clusterings of 120 objects" in told


def test_all_methods_as_json(file, capsys):
    assert main(["combine", str(file), "-k", "4", "--method", "all", "--json", "--jobs", "2", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [result["name"] for result in told["methods"]] == list(METHODS) == list(told["labels"])
    assert all(0 <= result["anmi"] <= 1 for result in told["methods"])
    assert len(told["agreement"]["matrix"]) == len(METHODS)


def test_parameters_go_to_the_methods_that_have_them(file, capsys):
    call = ["combine", str(file), "-k", "4", "--method", "eac,lwea", "--quiet"]
    assert main([*call, "--param", "theta=0.2"]) == 0
    assert main([*call, "--param", "thetta=0.2"]) == 2
    assert "none of the methods has a parameter 'thetta'" in capsys.readouterr().err


def test_failures_on_the_command_line(file, tmp_path, capsys, monkeypatch):
    def stop(self, ensemble):
        raise KeyboardInterrupt

    out = tmp_path / "labels.csv"
    call = ["combine", str(file), "--method", "eac,kcc", "-o", str(out), "--force", "-k"]
    assert main([*call, "3,4"]) == 2
    assert "several methods and several numbers of clusters were given" in capsys.readouterr().err
    monkeypatch.setattr(KCC, "_consensus", stop)
    assert main([*call, "4"]) == 1
    assert out.read_text().splitlines()[0] == "row,eac"
    monkeypatch.setattr(EAC, "_consensus", lambda *_: 1 / 0)
    monkeypatch.setattr(KCC, "_consensus", lambda *_: 1 / 0)
    assert main([*call, "4"]) == 2
    assert "no method finished: eac: division by zero; kcc: division by zero" in capsys.readouterr().err


@dataclass(eq=False, repr=False)
class Weakest(ConsensusClusterer):
    """A method of somebody else, as the page on adding a method writes one."""

    n_clusters: int = 2
    missing: int | None = -1
    linkage: str = "average"

    def _consensus(self, ensemble):
        return agglomerate(co_association(ensemble), ensemble.sizes, self.linkage)


def test_own_estimators_stand_beside_the_known(labels_and_truth):
    labels, truth = labels_and_truth
    found = compare_methods(labels, 4, ["lwea", Weakest(linkage="single"), EAC()], truth=truth, random_state=0)
    assert list(found.labels) == ["lwea", "Weakest", "EAC"]
    assert found.labels["EAC"].tolist() == consensus(labels, 4, "eac").tolist()
    assert consensus(labels, 4, Weakest(linkage="single")).tolist() == found.labels["Weakest"].tolist()
    named = compare_methods(labels, 4, {"mine": Weakest(), "theirs": "eac"})
    assert list(named.labels) == ["mine", "theirs"]
    with pytest.raises(ValueError, match=r"is not known \(did you mean 'lwea'\?\)"):
        compare_methods(labels, 4, ["lwae"])


def test_several_ensembles_give_a_ranking():
    draws = {
        (name, draw): nested_ensemble(np.random.default_rng([i, draw]))
        for i, name in enumerate("abc")
        for draw in (0, 1)
    }
    partitions = {key: labels for key, (labels, _) in draws.items()}
    truth = {key: classes for key, (_, classes) in draws.items()}
    study = compare_methods(partitions, 4, ["eac", "lwea", "voting"], truth=truth, random_state=0)
    ranking = study.ranking("nmi")
    assert ranking.datasets == ("a", "b", "c")
    expected = np.mean([study.comparisons["b", draw].results["lwea"].nmi for draw in (0, 1)])
    assert ranking.scores[1, 1] == pytest.approx(expected)
    assert study.to_frame().shape == (18, 9)
    assert str(study).startswith("ARI of 6 ensembles")
    with pytest.raises(ValueError, match="truth has to be a dict"):
        compare_methods(partitions, 4, ["eac"], truth=[0, 1])
    with pytest.raises(ValueError, match=r"n_clusters has nothing for \('a', 0\)"):
        compare_methods(partitions, {"b": 4}, ["eac"])
    with pytest.raises(ValueError, match="there is no ari without known classes"):
        compare_methods({"x": partitions["a", 0]}, 4, ["eac"]).ranking("ari")


def test_seconds_leave_compilation_out(labels_and_truth, monkeypatch):
    labels, _ = labels_and_truth

    class Slow(Weakest):
        def _consensus(self, ensemble):
            clock["now"] += 5.0
            spent.append(4.0)
            return super()._consensus(ensemble)

    clock, spent = {"now": 0.0}, []
    monkeypatch.setattr("consensa.methods.comparison.compiling", lambda: nullcontext(spent))
    monkeypatch.setattr("consensa.methods.comparison.time.perf_counter", lambda: clock["now"])
    assert compare_methods(labels, 4, [Slow()]).results["Slow"].seconds == pytest.approx(1.0)
