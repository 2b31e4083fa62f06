"""What a report says, against brute force on small ensembles; its size, its safety, its files."""

from __future__ import annotations

import itertools
import json
import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris

import consensa
from consensa import LWEA, LWGP, Ensemble, EnsembleClustering
from consensa.evaluate import ari, confidence, nmi
from consensa.report import render_page, report_content
from consensa.report.page import MAX_BYTES
from consensa.report.subject import spread_sample, subject_of
from consensa.report.text import clean, clean_all, embed_json
from consensa.report.tree import leaf_order, tree_of
from reports import HOSTILE, hostile_content


def random_ensemble(seed=0, n=40, m=6, missing=0.1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    noise = rng.random((n, m)) < 0.25
    labels = np.where(noise, rng.integers(4, size=(n, m)), truth[:, None])
    labels[rng.random((n, m)) < missing] = -1
    labels[0] = 0
    return labels, truth


def co_association(labels):
    """Mean over pairs as the library defines it: shared clusters over the root of both numbers of labels."""
    n = len(labels)
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = (labels[i] >= 0) & (labels[j] >= 0)
            shared = np.sum(both & (labels[i] == labels[j]))
            S[i, j] = shared / np.sqrt(np.sum(labels[i] >= 0) * np.sum(labels[j] >= 0))
    return S


@pytest.fixture(scope="module", params=["lwea", "lwgp"])
def small(request):
    labels, truth = random_ensemble()
    method = LWEA(n_clusters=3) if request.param == "lwea" else LWGP(n_clusters=3, random_state=0)
    model = method.fit(labels)
    return model, labels, truth, report_content(model, truth=truth, ids=[f"o{i}" for i in range(len(labels))])


def test_summary(small):
    model, _labels, truth, content = small
    summary = content["summary"]
    assert (summary["n_objects"], summary["n_partitions"], summary["n_clusters"]) == (40, 6, 3)
    assert summary["mean_confidence"] == pytest.approx(model.confidence_.mean(), abs=5e-4)
    assert summary["share_uncertain"] == pytest.approx(np.mean(model.confidence_ < 0.2), abs=1e-4)
    assert summary["known_classes"]["nmi"] == pytest.approx(nmi(model.labels_, truth), abs=5e-4)
    assert summary["known_classes"]["ari"] == pytest.approx(ari(model.labels_, truth), abs=5e-4)


def test_clusters_against_pairs(small):
    model, labels, _, content = small
    S, found, clusters = co_association(labels), model.labels_, content["clusters"]
    assert clusters["size"] == np.bincount(found).tolist()
    for c in range(3):
        own = np.flatnonzero(found == c)
        between = [S[np.ix_(own, np.flatnonzero(found == d))].mean() if d != c else 0 for d in range(3)]
        assert clusters["nearest"][c] == int(np.argmax(between))
        assert clusters["nearest_value"][c] == pytest.approx(max(between), abs=6e-4)
        assert clusters["confidence"][c] == pytest.approx(model.confidence_[own].mean(), abs=6e-4)
        best = own[np.argmax(model.confidence_[own])]
        assert clusters["typical"][c] == f"o{best}"


def test_cluster_consensus_without_missing_labels():
    labels, _ = random_ensemble(missing=0)
    model = LWEA(n_clusters=3).fit(labels)
    S = co_association(labels)
    for c, told in enumerate(report_content(model)["clusters"]["consensus"]):
        own = np.flatnonzero(model.labels_ == c)
        pairs = S[np.ix_(own, own)][np.triu_indices(own.size, 1)]
        assert told == pytest.approx(pairs.mean(), abs=6e-4)


def test_confidence(small):
    model, labels, _, content = small
    values = content["confidence"]
    assert values["counts"] == np.histogram(model.confidence_, 20, (0, 1))[0].tolist()
    least = values["least"]
    rows = [int(name[1:]) for name in least["id"]]
    order = np.argsort(model.confidence_, kind="stable")
    first = np.unique(labels, axis=0, return_index=True)[1]  # of objects with the same labels only one is shown
    assert rows == order[np.isin(order, first)][:25].tolist()
    assert least["confidence"] == pytest.approx(model.confidence_[rows], abs=6e-4)
    assert least["cluster"] == model.labels_[rows].tolist()
    S = co_association(labels)
    for row, second in zip(rows, least["second"], strict=True):
        means = [S[row, model.labels_ == c].mean() if c != model.labels_[row] else -1 for c in range(3)]
        assert means[second] == pytest.approx(max(means))


def test_heat_map_against_pairs(small):
    model, labels, _, content = small
    subject = subject_of(model)
    tree = tree_of(subject)
    order = leaf_order(tree.dendrogram)
    members = [
        np.flatnonzero((subject.ensemble.codes_of(np.arange(40)) == tree.codes[leaf]).all(axis=1)) for leaf in order
    ]
    objects = np.concatenate(
        [rows[model.labels_[rows] == tree.labels[leaf]] for rows, leaf in zip(members, order, strict=True)]
    )
    assert sorted(objects.tolist()) == list(range(40))
    heat = content["heatmap"]
    assert sum(heat["size"]) == 40
    bounds = np.cumsum([0, *heat["size"]])
    blocks = [objects[a:b] for a, b in itertools.pairwise(bounds)]
    S = co_association(labels)
    n = len(blocks)
    assert len(heat["values"]) == n * (n + 1) // 2
    for i in range(n):
        assert set(model.labels_[blocks[i]]) == {heat["cluster"][i]}
        for j in range(i + 1):
            pairs = S[np.ix_(blocks[i], blocks[j])]
            if i == j:
                mean = pairs[~np.eye(len(pairs), dtype=bool)].mean() if len(pairs) > 1 else 1.0
            else:
                mean = pairs.mean()
            assert heat["values"][i * (i + 1) // 2 + j] == pytest.approx(100 * mean, abs=0.51)


def test_clusters_lie_side_by_side_in_the_tree(small):
    model, _, _, content = small
    assert content["tree"]["own"] == isinstance(model, LWEA)
    leaves, merges = content["tree"]["leaves"], content["tree"]["merges"]
    assert sum(size for size, _ in leaves) == 40
    assert len(merges) == len(leaves) - 1
    assert len([1 for (_, a), (_, b) in itertools.pairwise(leaves) if a != b]) == 2
    assert sorted(child for merge in merges for child in merge[:2]) == list(range(2 * len(leaves) - 2))
    levels = [merge[2] for merge in merges]
    assert levels == sorted(levels, reverse=True)


def test_flow_is_the_contingency_table(small):
    model, labels, truth, content = small
    flow = content["flow"]
    assert [p["name"] for p in flow["partitions"]][:2] == ["consensus", "known classes"]
    expected = [int(np.sum((model.labels_ == a) & (truth == b))) for a in range(3) for b in range(3)]
    assert flow["tables"][0] == expected
    n = len(flow["partitions"])
    assert len(flow["tables"]) == n * (n - 1) // 2
    assert all(sum(table) == 40 for table in flow["tables"])
    base = flow["partitions"][2]
    column = labels[:, int(base["name"].rsplit(" ", 1)[1])]
    counts = {str(word): int(np.sum(column == word)) for word in np.unique(column[column >= 0])}
    counts |= {"no label": int(np.sum(column < 0))} if (column < 0).any() else {}
    assert dict(zip(base["groups"], base["sizes"], strict=True)) == counts


def test_base_clusterings(small):
    model, labels, _, content = small
    base = content["base"]
    known = [column >= 0 for column in labels.T]
    expected = [nmi(model.labels_[k], c[k]) for c, k in zip(labels.T, known, strict=True)]
    order = np.argsort(-np.array(expected), kind="stable")
    assert base["name"] == [str(m) for m in order]
    assert base["nmi"] == pytest.approx(np.array(expected)[order], abs=6e-4)
    assert base["missing"] == pytest.approx([np.mean(labels[:, m] < 0) for m in order], abs=6e-4)


def test_feature_profile():
    iris = load_iris(as_frame=True)
    model = EnsembleClustering(3, n_partitions=10, random_state=0).fit(iris.data)
    profile = report_content(model, iris.data)["profile"]
    X, labels = iris.data.to_numpy(), model.labels_
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    share = np.array([np.sum((labels == c)[:, None] * (means[c] - X.mean(axis=0)) ** 2, axis=0) for c in range(3)])
    explained = share.sum(axis=0) / (150 * X.var(axis=0))
    order = np.argsort(-explained)
    assert profile["names"] == [iris.feature_names[j] for j in order]
    assert profile["explained"] == pytest.approx(explained[order], rel=1e-4)
    assert np.array(profile["means"]) == pytest.approx(means[:, order].T, rel=1e-4)
    assert np.array(profile["scores"]) == pytest.approx(
        ((means - X.mean(axis=0)) / X.std(axis=0))[:, order].T, abs=0.006
    )


def test_map_places_every_object_and_alike_objects_together(small):
    model, _labels, _, content = small
    shown = content["map"]
    assert shown["n_shown"] == 40
    assert shown["id"] == [f"o{i}" for i in range(40)]
    assert shown["cluster"] == model.labels_.tolist()
    assert shown["confidence"] == np.rint(100 * model.confidence_).astype(int).tolist()
    x, y = (np.array(shown["layouts"][0][axis]) for axis in "xy")
    assert x.min() >= 0
    assert max(x.max(), y.max()) == 1000
    rows = model.ensemble_.row_map
    alike = [np.hypot(x[i] - x[j], y[i] - y[j]) for i in range(40) for j in range(i) if rows[i] == rows[j]]
    assert max(alike, default=0) < 80


def test_curves_of_a_given_and_of_a_chosen_number(small):
    model, labels, _, content = small
    choice = content["choice"]
    assert choice["chosen"] == 3
    assert choice["k"][0] == 2
    curve = next(curve for curve in choice["curves"] if curve["name"] == "agreement")
    if isinstance(model, LWEA):
        rows = model.cut_.cut(choice["k"][1])
        expected = consensa.evaluate.member_agreement([rows], model.ensemble_).mean()
        assert curve["values"][1] == pytest.approx(expected, abs=1e-4)
    chosen = LWEA(n_clusters="auto").fit(labels)
    told = report_content(chosen)["choice"]
    assert told["chosen"] == chosen.choice_.n_clusters
    assert {curve["name"] for curve in told["curves"]} == {*chosen.choice_.curves, "probability"}
    assert told["note"] == chosen.choice_.rule


def test_several_numbers_of_clusters(example_a):
    model = LWEA(n_clusters=[2, 3, 4]).fit(example_a)
    best = max(model.labels_, key=lambda k: consensa.evaluate.anmi(model.labels_[k], example_a))
    assert report_content(model)["summary"]["n_clusters"] == best
    assert report_content(model, n_clusters=2)["summary"]["n_clusters"] == 2


def test_every_method_reports(method, example_a):
    content = report_content(method(3).fit(example_a), title=method.spec.name)
    assert content["summary"]["n_clusters"] == 3
    assert content["made"]["doi"] == method.spec.doi
    assert len(render_page(content).encode()) < 200_000


def test_soft_methods_report_with_their_features(tmp_path):
    model = consensa.WBPA(n_clusters=3, partitioner="tcut", n_partitions=4, random_state=0).fit(load_iris().data)
    model.report(tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    assert content["profile"]["n_features"] == 4
    assert content["choice"]["curves"] == []


def test_objects_without_labels():
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [-1, -1]])
    with pytest.warns(consensa.ConsensaWarning, match="no label in any"):
        model = LWEA(n_clusters=2).fit(labels)
    content = report_content(model, ids=list("abcde"), truth=[0, 0, 1, 1, 1])
    assert content["summary"]["n_unlabelled"] == 1
    assert content["map"]["id"] == ["a", "b", "c", "d"]
    assert content["confidence"]["least"]["id"] == ["a", "c"]
    assert content["flow"]["partitions"][0]["groups"] == ["0", "1", "no label"]
    assert render_page(content)


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_smallest_ensembles(n_clusters):
    labels = np.arange(5)[:, None] if n_clusters == 5 else np.array([[0], [0], [1], [1], [1]])
    content = report_content(LWEA(n_clusters=n_clusters).fit(labels))
    assert content["summary"]["n_clusters"] == n_clusters
    assert render_page(content)


def test_one_microcluster():
    content = report_content(LWEA(n_clusters=1).fit([[7, 7, 7], [1, 1, 1]]))
    assert content["tree"]["leaves"] == [[3, 0]]
    assert content["heatmap"]["values"] == [100] * (
        len(content["heatmap"]["size"]) * (len(content["heatmap"]["size"]) + 1) // 2
    )


def test_many_clusters_and_many_base_clusterings():
    rng = np.random.default_rng(0)
    groups = np.arange(4200) // 2
    labels = np.stack([np.where(rng.random(4200) < 0.02, rng.permutation(groups), groups) for _ in range(5)], axis=1)
    model = LWEA(n_clusters=2050).fit(labels)
    content = report_content(model)
    assert content["clusters"]["n_left_out"] == 2050 - 120
    assert len(render_page(content).encode()) < MAX_BYTES
    wide = rng.integers(4, size=(60, 300))
    content = report_content(LWEA(n_clusters=4).fit(wide))
    assert len(content["base"]["name"]) == 240
    assert content["base"]["n_left_out"] == 60
    assert content["base"]["nmi"] == sorted(content["base"]["nmi"], reverse=True)


@pytest.fixture(scope="module")
def hostile():
    return hostile_content()


def test_size_is_bounded_whatever_the_names(hostile):
    page = render_page(hostile)
    assert len(page.encode("utf-8", "strict")) < MAX_BYTES


def test_the_budget_is_enforced():
    labels, _ = random_ensemble(n=200)
    content = report_content(LWEA(n_clusters=3).fit(labels))
    content["map"]["id"] = ["é" * 2000] * content["map"]["n_shown"]
    page = render_page(content)
    assert 100_000 < len(page.encode()) < MAX_BYTES


class Parts(HTMLParser):
    """Collects tags, attributes and the text of scripts."""

    def __init__(self):
        super().__init__()
        self.tags, self.inside, self.scripts, self.links = [], None, [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in {"src", "href", "action", "data"}]
        assert not [name for name, _ in attrs if name.startswith("on") or name == "style"]
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
            self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None if tag == self.inside else self.inside

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1][1] += data


def test_nothing_of_the_users_words_becomes_markup(hostile):
    page = render_page(hostile)
    parts = Parts()
    parts.feed(page)
    assert parts.tags.count("script") == 2
    assert not {"img", "iframe", "object", "embed", "link", "form"} & set(parts.tags)
    assert all(link.startswith("#") for link in parts.links)
    (kind, data), (_, code) = parts.scripts
    assert kind["type"] == "application/json"
    assert not re.search("[<>&\u2028\u2029]", data)
    assert json.loads(data) == json.loads(json.dumps(hostile)) or json.loads(data)["map"]["n_shown"] < 2000
    assert "innerHTML" not in code
    assert "outerHTML" not in code
    assert "insertAdjacent" not in code
    assert "eval(" not in code


def test_the_policy_allows_the_own_script_and_style_only():
    page = render_page(report_content(LWEA(n_clusters=2).fit([[0, 0, 1], [0, 0, 1]])))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 2


def test_words_are_cleaned():
    assert clean("a\x00\u202eb\ud800") == "a��b�"
    assert len(clean("x" * 10_000)) == 80
    assert clean("begin" + "x" * 1000 + "end", 20).endswith("end")
    words = clean_all(HOSTILE * 100, 20_000)
    assert max(map(len, words)) == 10
    assert json.loads(embed_json(HOSTILE[:3])) == HOSTILE[:3]


def test_same_content_twice_but_for_the_date(small):
    model, _, truth, content = small
    again = report_content(model, truth=truth, ids=[f"o{i}" for i in range(40)])
    for each in (again, content):
        each["made"]["created"] = ""
    assert again == content


def test_files(tmp_path, example_a):
    model = LWEA(n_clusters=3).fit(example_a)
    page, plain = tmp_path / "r.html", tmp_path / "r.json"
    model.report(page, title="Sixteen objects")
    model.report(plain, title="Sixteen objects")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(plain.read_text())["title"] == "Sixteen objects"
    with pytest.raises(ValueError, match=r"r\.html: exists already; give force=True"):
        model.report(page)
    model.report(page, force=True)
    model.report(tmp_path / "r.txt", format="json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.json", "r.txt"]


def test_bad_requests(tmp_path, example_a):
    model = LWEA(n_clusters=3).fit(example_a)
    with pytest.raises(ValueError, match=r"a report is written as \.html or \.json"):
        model.report(tmp_path / "r.pdf")
    with pytest.raises(ValueError, match="format='pdf' is not allowed"):
        model.report(tmp_path / "r", format="pdf")
    with pytest.raises(ValueError, match="ids has 2 entries, but the model has 16 objects"):
        model.report(tmp_path / "r.html", ids=["a", "b"])
    with pytest.raises(ValueError, match="X has 2 entries, but the model has 16 objects"):
        model.report(tmp_path / "r.html", np.zeros((2, 2)))
    with pytest.raises(ValueError, match="feature_names has 1 entries, but the model has 2 features"):
        model.report(tmp_path / "r.html", np.zeros((16, 2)), feature_names=["a"])
    with pytest.raises(ValueError, match="known classes has 3 labels, but the model has 16 objects"):
        model.report(tmp_path / "r.html", truth=[1, 2, 3])
    with pytest.raises(ValueError, match="partition_names has 1 entries, but the model has 3 base clusterings"):
        model.report(tmp_path / "r.html", partition_names=["a"])
    with pytest.raises(ValueError, match="not fitted yet"):
        LWEA().report(tmp_path / "r.html")
    assert not list(tmp_path.iterdir())


def test_features_stay_behind_when_a_model_is_copied(tmp_path):
    iris = load_iris(as_frame=True)
    model = EnsembleClustering(3, n_partitions=5, random_state=0).fit(iris.data)
    model.report(tmp_path / "a.json")
    found = json.loads((tmp_path / "a.json").read_text())
    assert set(found["profile"]["names"]) == set(iris.feature_names)
    assert found["made"]["seconds"] > 0
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    copied.report(tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["profile"] is None


def test_notebooks(example_a):
    unfitted = LWEA(n_clusters=3)
    assert "Summary of the clustering" not in unfitted._repr_html_()
    model = unfitted.fit(example_a)
    shown = model._repr_html_()
    assert shown.startswith('<iframe sandbox="" ')
    assert "3 clusters in 16 objects" in shown
    assert "<script" not in shown.split("</iframe>")[0]
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"].startswith('<iframe sandbox="" ')
    assert bundle["text/plain"] == repr(model)


def test_samples_hold_every_cluster():
    labels = np.repeat(np.arange(30), np.linspace(5000, 20, 30).astype(int))
    sample = spread_sample(labels, np.bincount(labels), 2000)
    counts = np.bincount(labels[sample])
    assert counts.min() >= 8
    assert 1900 < sample.size < 2300
    many = np.repeat(np.arange(5000), 2)
    assert spread_sample(many, np.bincount(many), 2000).size == 2000


def test_confidence_of_the_subject_is_that_of_the_model(example_a):
    model = LWEA(n_clusters=3).fit(example_a)
    assert np.array_equal(subject_of(model).confidence, confidence(model.labels_, Ensemble(example_a)))
