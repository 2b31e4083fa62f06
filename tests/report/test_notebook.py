"""What notebooks show: summaries and reports in frames of their own, by a real kernel and in a real browser."""

from __future__ import annotations

import html
import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from consensa import LWEA, Ensemble, EnsembleClustering, choose_k, compare_methods
from consensa.report import Report, render_page
from consensa.report.page import MAX_BYTES
from consensa.scale import ChunkedEnsemble, as_chunks
from reports import BROWSER, HOSTILE, NO_BROWSER, hostile_content

SOURCE = Path(__file__).resolve().parents[2] / "src"
WORDS = "<script>alert(1)</script>\"'&"
ALLOWED = {"allow-scripts", "allow-downloads", "allow-popups", "allow-popups-to-escape-sandbox"}
CELLS = [
    """
import warnings; warnings.simplefilter("error")
import numpy as np, pandas as pd
from sklearn.datasets import load_wine
import consensa
data = load_wine(as_frame=True).data
model = consensa.EnsembleClustering(3, n_partitions=6, method="lwea", random_state=0, verbose=True).fit(data)
""",
    "model",
    "model.report()",
    "consensa.LWEA(n_clusters=3)",
    "consensa.Ensemble(model.partitions_)",
    "consensa.compare_methods(model.partitions_, 3, ['lwea', 'eac'], verbose=True)",
    "consensa.choose_k(model.partitions_, k_range=[2, 3, 4], random_state=0)",
    "consensa.consensus(pd.DataFrame(model.partitions_, index=data.index), 3, method='lwea').head(3)",
    "print(model)",
]


def frames(shown):
    """Attributes and pages of the frames in a piece of HTML."""
    found = re.findall(r'<iframe sandbox="([^"]*)" title="([^"]*)"[^>]*srcdoc="([^"]*)"></iframe>', shown)
    return [(allowed, html.unescape(title), html.unescape(page)) for allowed, title, page in found]


@pytest.fixture(scope="module")
def model():
    return EnsembleClustering(3, n_partitions=6, method="lwea", random_state=0).fit(load_wine().data)


def test_report_without_a_path(model, tmp_path):
    report = model.report(title=f"Wine {WORDS}")
    assert isinstance(report, Report)
    assert repr(report) == "Report(3 clusters in 178 objects)"
    ((allowed, title, page),) = frames(report._repr_html_())
    assert set(allowed.split()) == ALLOWED
    assert title == report.content["title"]
    assert page == report.html == render_page(report.content)
    assert len(page.encode()) < MAX_BYTES
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    report.save(tmp_path / "report.json")
    with pytest.raises(ValueError, match="exists"):
        report.save(tmp_path / "report.html")
    with pytest.raises(ValueError, match=r"report is written as \.html or \.json"):
        report.save(tmp_path / "report.pdf")
    assert model.report(tmp_path / "other.html") is None


def test_frames_let_nothing_out():
    shown = Report(hostile_content())._repr_html_()
    assert shown.count("<") == 2  # the frame alone: its page is inside an attribute
    assert not [word for word in HOSTILE if "<" in word and word in shown]


def test_an_ensemble_shows_its_base_clusterings():
    labels = {WORDS: [0, 0, 1, 1, 2], "b": ["x", None, None, "y", "y"]}
    ((allowed, title, page),) = frames(Ensemble(pd.DataFrame(labels))._repr_html_())
    assert allowed == ""
    assert title == "2 base clusterings of 5 objects"
    assert "<script" not in page
    assert re.findall(r"<td>([^<]*)</td>", page)[1:] == ["3", "0", "b", "2", "2"]
    many = frames(Ensemble(np.arange(300).reshape(3, 100))._repr_html_())[0][2]
    assert "and 60 more rows" in many


@pytest.mark.filterwarnings("ignore::consensa.ConsensaWarning")
def test_a_chunked_ensemble_shows_the_same(monkeypatch):
    labels = np.random.default_rng(0).integers(-1, 4, (60, 3))
    whole, chunks = Ensemble(labels), as_chunks(labels, chunk_rows=25)
    assert ChunkedEnsemble(chunks)._repr_html_() == whole._repr_html_()
    monkeypatch.setattr("consensa.ensemble.sampling.SAMPLE_ABOVE", 5)
    sampled = ChunkedEnsemble(chunks, sample=True)
    assert sampled.leads is not None
    shown = sampled._repr_html_()
    assert "3 base clusterings of 60 objects" in shown
    assert "objects without a label" not in shown


def test_comparisons_and_choices_show_their_tables():
    partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
    found = compare_methods(partitions, 2, ["lwea", "kcc"], parameters={"kcc": {"utility": "none"}}, random_state=0)
    ((_, title, page),) = frames(found._repr_html_())
    assert title == "2 clusters by 2 methods"
    assert "<td>lwea</td>" in page
    assert "kcc: utility=&#x27;none&#x27; is not known" in page
    choice = choose_k(partitions, k_range=[2, 3], random_state=0)
    ((_, title, page),) = frames(choice._repr_html_())
    assert title == f"{choice.n_clusters} clusters"
    assert f"<td>*{choice.n_clusters}</td>" in page
    assert html.escape(choice.rule) in page
    assert str(choice).splitlines()[0].split() == choice.rows()[0]


def test_fitted_models_show_both_summary_and_diagram(model):
    shown = model._repr_html_()
    assert len(frames(shown)) == 1
    assert "sk-top-container" in shown
    assert "sk-top-container" in LWEA()._repr_html_()
    assert str(model).startswith("EnsembleClustering(")


@pytest.fixture(scope="module")
def executed():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    before = dict(os.environ)
    os.environ |= {"PYTHONPATH": os.pathsep.join([str(SOURCE), before.get("PYTHONPATH", "")])}
    os.environ |= {"JUPYTER_PLATFORM_DIRS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    try:
        client = nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3", resources={})
        client.km = client.create_kernel_manager()
        client.km.kernel_spec.argv[0] = sys.executable
        return client.execute().cells
    finally:
        os.environ.clear()
        os.environ.update(before)


def shown_by(cell):
    (found,) = [output["data"] for output in cell["outputs"] if output["output_type"] == "execute_result"]
    return found


@pytest.mark.filterwarnings("ignore")  # of the libraries of the kernel
def test_a_real_notebook(executed):
    fit, model, report, unfitted, ensemble, comparison, choice, labels, printed = executed
    bars = "".join(output.get("text", "") for output in fit["outputs"])
    assert "k-means: 100%" in bars
    assert "Warning" not in bars
    assert "3 clusters in 178 objects" in frames(shown_by(model)["text/html"])[0][2]
    assert "sk-top-container" in shown_by(model)["text/html"]
    assert set(frames(shown_by(report)["text/html"])[0][0].split()) == ALLOWED
    assert shown_by(report)["text/plain"] == "Report(3 clusters in 178 objects)"
    assert not frames(shown_by(unfitted)["text/html"])
    assert frames(shown_by(ensemble)["text/html"])[0][1] == "6 base clusterings of 178 objects"
    assert "methods: 100%" in "".join(output.get("text", "") for output in comparison["outputs"])
    assert "<td>eac</td>" in frames(shown_by(comparison)["text/html"])[0][2]
    assert "<td>*" in frames(shown_by(choice)["text/html"])[0][2]
    assert "Name: cluster" in shown_by(labels)["text/plain"]
    assert printed["outputs"][0]["text"].startswith("EnsembleClustering(")


@NO_BROWSER
@pytest.mark.filterwarnings("ignore")
def test_the_outputs_in_a_browser(executed, tmp_path):
    """As a notebook puts them into its page; the report draws itself inside its frame, and nothing is asked for."""
    from playwright.sync_api import sync_playwright

    outputs = [shown_by(cell)["text/html"] for cell in executed[1:3]]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><title>Notebook</title>{''.join(f'<div>{o}</div>' for o in outputs)}", encoding="utf-8"
    )
    problems, requests = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(notebook.as_uri())
        summary, report = (page.frame_locator("iframe").nth(place) for place in (0, 1))
        assert summary.locator("h1").inner_text() == "3 clusters in 178 objects"
        report.locator("html[data-ready=true]").wait_for()
        assert report.locator("svg").count() > 3
        report.locator("nav a", has_text="Base clusterings").click()
        report.locator("html").evaluate(  # it scrolls smoothly
            "() => new Promise(done => { const see = () => (scrollY > 500 ? done() : setTimeout(see, 50)); see(); })"
        )
        assert report.locator("html").evaluate("() => { try { return parent.document.title } catch { return 0 } }") == 0
        with page.expect_download(timeout=10_000) as download:
            report.locator("button", has_text="JSON").click()
        assert download.value.suggested_filename == "report.json"
        browser.close()
    assert problems == []
    assert [url for url in requests if url.startswith(("http:", "https:"))] == []
    assert [url for url in requests if url.startswith("file:")] == [notebook.as_uri()]
