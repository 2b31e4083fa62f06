"""Reports in a real browser: every control pressed, the keyboard walked, no error and no request to anywhere."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_wine

from consensa import LWEA, LWGP, EnsembleClustering
from consensa.report import render_page, report_content
from consensa.report.page import MAX_BYTES
from reports import BROWSER, HOSTILE, NO_BROWSER, hostile_content

pytestmark = NO_BROWSER
WIDTHS = {"phone": 390, "wide": 1440}


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Paths of reports by name, made when they are asked for."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def path_of(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            made[name].write_text(render_page(CONTENTS[name]()), encoding="utf-8")
        return made[name]

    return path_of


def wine():
    data = load_wine(as_frame=True)
    model = EnsembleClustering(n_clusters="auto", n_partitions=12, method=LWEA(), random_state=0).fit(data.data)
    return report_content(model, data.data, truth=data.target, ids=[f"wine {i}" for i in range(178)], title="Wine")


def plain():
    """Clusterings only: no features, no truth, an object without labels."""
    labels = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [1, 2, 0], [-1, -1, -1]])
    with pytest.warns(UserWarning, match="no label"):
        model = LWGP(n_clusters=2, random_state=0).fit(labels)
    return report_content(model)


def large():
    """A million objects."""
    rng = np.random.default_rng(0)
    truth = rng.integers(8, size=1_000_000, dtype=np.int32)
    columns = [np.where(rng.random(truth.size) < 0.1, rng.integers(8, size=truth.size), truth) for _ in range(5)]
    model = LWGP(n_clusters=8, random_state=0, n_init=2).fit(np.stack(columns, axis=1).astype(np.int32))
    return report_content(model)


CONTENTS = {"wine": wine, "plain": plain, "large": large, "hostile": hostile_content}


class Visit:
    """A page with a record of everything that must not happen."""

    def __init__(self, browser, path, *, width=1440, scheme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        self.page = self.context.new_page()
        self.faults, self.requests = [], []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.faults.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=true]")
        self.own = path.as_uri()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def check(self):
        assert self.faults == []
        assert [url for url in self.requests if url != self.own and not url.startswith(("blob:", "data:"))] == []
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def press_everything(page):
    """Operate every control once, one kind after the other; return how many of each there were."""
    counts = {"radio": 0, "select": 0, "summary": 0, "button": 0}
    for label in page.locator("fieldset label").all():
        label.click()
        assert label.locator("input").is_checked()
        counts["radio"] += 1
    for select in page.locator("select").all():
        for index in range(min(4, select.locator("option").count())):
            select.select_option(index=index)
            counts["select"] += 1
    for summary in page.locator("summary").all():
        summary.click()
        summary.locator("xpath=..").locator("td").first.wait_for(timeout=5000)
        counts["summary"] += 1
    for button in page.locator("main button:not(.save):not(#save)").all():
        button.click()
        counts["button"] += 1
    return counts


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_control(browser, reports, name, scheme):
    path = reports(name)
    assert path.stat().st_size < MAX_BYTES
    width = WIDTHS["wide"] if scheme == "light" else WIDTHS["phone"]
    with Visit(browser, path, width=width, scheme=scheme) as visit:
        page = visit.page
        assert page.locator("html").get_attribute("data-theme") == scheme
        counts = press_everything(page)
        assert counts["radio"] >= 2
        assert counts["select"] >= 4
        assert counts["button"] >= 10
        page.locator("#theme").click()
        assert page.locator("html").get_attribute("data-theme") == {"light": "dark", "dark": "light"}[scheme]
        for link in page.locator("nav a").all():
            link.click()
        with page.expect_download() as download:
            page.locator("#save").click()
        saved = json.loads(download.value.path().read_text(encoding="utf-8"))
        assert saved == json.loads(page.locator("#data").text_content())
        visit.check()


@pytest.mark.parametrize("name", ["wine", "hostile"])
def test_keyboard(browser, reports, name):
    """Tab reaches every control; the arrow keys read out every figure."""
    with Visit(browser, reports(name)) as visit:
        page = visit.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        reached = set()
        for _ in range(400):
            page.keyboard.press("Tab")
            found = page.evaluate(
                "(() => { const all = [...document.querySelectorAll('main *')];"
                " return all.indexOf(document.activeElement); })()"
            )
            if found < 0:
                break
            reached.add(found)
            if page.evaluate("document.activeElement.getAttribute('role')") == "application":
                check_figure(page)
        figures = page.locator("svg[role=application]").count()
        assert figures >= 7
        assert len(reached) > figures + 20
        visit.check()


def check_figure(page):
    """The figure in focus says something else with every step, and keeps to its ends."""
    said = "document.activeElement.nextElementSibling.textContent"
    page.keyboard.press("Home")
    first = page.evaluate(said)
    assert first
    page.keyboard.press("End")
    last = page.evaluate(said)
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        assert page.evaluate(said)
    assert last


@pytest.mark.parametrize("name", CONTENTS)
def test_pointing_at_figures(browser, reports, name):
    with Visit(browser, reports(name)) as visit:
        page = visit.page
        shown = 0
        for figure in page.locator("svg[role=application]").all():
            figure.scroll_into_view_if_needed()
            box = figure.bounding_box()
            for across, down in ((0.3, 0.3), (0.5, 0.5), (0.7, 0.62)):
                page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
                shown += page.locator("#tip").is_visible()
        assert shown >= 5
        visit.check()


def test_words_are_shown_as_words(browser, reports):
    with Visit(browser, reports("hostile")) as visit:
        page = visit.page
        assert page.locator("img, iframe, object, embed").count() == 0
        assert page.title().startswith("</script><script>")
        assert page.locator("#title").inner_text().startswith(HOSTILE[2][:20])
        assert page.locator("td", has_text="<script>alert(1)").count() + page.locator("th", has_text="<script>").count()
        longest = page.evaluate(
            "Math.max(...[...document.querySelectorAll('bdi')].map(n => [...n.textContent].length))"
        )
        assert longest == 80
        visit.check()


def test_tables_sort(browser, reports):
    with Visit(browser, reports("wine")) as visit:
        page = visit.page
        region = page.get_by_role("region", name="Base clusterings")
        nmi = region.get_by_role("button", name="NMI")

        def values():
            return [float(cell) for cell in region.locator("tbody td:nth-child(3)").all_inner_texts()]

        nmi.click()
        assert values() == sorted(values(), reverse=True)
        assert region.locator("th[aria-sort=descending]").inner_text() == "NMI"
        nmi.click()
        assert values() == sorted(values())
        assert region.locator("th[aria-sort=ascending]").count() == 1
        visit.check()


def test_a_chosen_cluster_stands_out(browser, reports):
    with Visit(browser, reports("wine")) as visit:
        page = visit.page
        clear = "[...document.querySelectorAll('#map svg path')].filter(p => p.style.opacity > 0.5).length"
        assert page.evaluate(clear) == 178
        page.get_by_role("button", name="cluster 1: show on the map").first.click()
        size = json.loads(page.locator("#data").text_content())["clusters"]["size"][1]
        assert page.evaluate(clear) == size
        assert page.locator("select[aria-label='Show one cluster']").input_value() == "cluster 1"
        visit.check()


def test_names_for_screen_readers(browser, reports):
    """Landmarks, one first heading, headings without gaps, and a name for everything that can be operated."""
    with Visit(browser, reports("wine")) as visit:
        page = visit.page
        assert [page.locator(tag).count() for tag in ("main", "body > header", "body > footer", "h1")] == [1, 1, 1, 1]
        levels = [
            int(tag[1]) for tag in page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => h.tagName)")
        ]
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
        unnamed = page.evaluate(
            "[...document.querySelectorAll('button,select,input,a,[role=application],[role=region],[role=img]')]"
            ".filter(n => !(n.getAttribute('aria-label') || n.textContent.trim() || n.closest('label')?.textContent))"
            ".length"
        )
        assert unnamed == 0
        assert page.locator("table:not(:has(caption))").count() == 0
        assert page.locator("section:not([aria-labelledby])").count() == 0
        visit.check()


def test_print_is_light_and_complete(browser, reports):
    with Visit(browser, reports("wine"), scheme="dark") as visit:
        page = visit.page
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.locator("header.top").is_hidden()
        assert page.locator("#base-table").is_visible()
        assert re.match(rb"%PDF", page.pdf())
        visit.check()


def test_pictures_and_tables_are_saved_by_a_click(browser, reports):
    with Visit(browser, reports("wine")) as visit:
        page = visit.page

        def saved(name):
            button = page.get_by_role("button", name=name).first
            button.scroll_into_view_if_needed()
            with page.expect_download() as download:
                button.click()
            return download.value.suggested_filename, download.value.path().read_bytes()

        name, picture = saved(re.compile("^Save as SVG: Map of"))
        assert name == "map-of-178-objects.svg"
        assert picture.startswith(b"<svg")
        assert b"var(--" not in picture
        assert picture.count(b"<path") >= 178
        assert saved(re.compile("^Save as PNG: Consensus matrix"))[1].startswith(b"\x89PNG")
        name, text = saved("Save as CSV: Clusters")
        lines = text.decode().split("\r\n")
        sizes = json.loads(page.locator("#data").text_content())["clusters"]["size"]
        assert name == "clusters.csv"
        assert lines[0].startswith("Cluster,Objects,Consensus,Confidence")
        assert [int(line.split(",")[1]) for line in lines[1:-1]] == sizes
        figures, tables = page.locator("svg[role=application]").count(), page.locator("main table").count()
        assert page.locator(".save", has_text="SVG").count() == figures
        assert page.locator(".save", has_text="CSV").count() >= tables - 3  # parameters of the steps stand in none
        visit.check()


def test_the_summary_is_one_page(browser, reports):
    with Visit(browser, reports("wine")) as visit:
        page = visit.page
        page.evaluate("document.documentElement.dataset.print = 'summary'")
        pages = re.findall(rb"/Type\s*/Page[^s]", page.pdf(prefer_css_page_size=True))
        assert len(pages) == 1
        visit.check()


def test_without_scripts_the_page_says_so(browser, reports):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(reports("wine").as_uri())
    assert "clusters in 178 objects" in page.locator("noscript").inner_text()
    context.close()
