"""The site of `make docs`, built strictly and looked at in a real browser, without the network."""

import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.made_once import made_once
from tests.support.thinning import one_in

ROOT = Path(__file__).parents[2]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and does not print each."""

    def log_message(self, *_):
        """Nothing."""


def build(folder):
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(ROOT / "docs"), str(folder)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Address of the built site; a broken link or a page that no other leads to is a failure."""
    folder = made_once(tmp_path_factory, "site", build)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser, site):
    """A window that asks nobody else; what it logs and fails to load is kept."""
    window = browser.new_page(viewport={"width": 1200, "height": 900})
    window.troubles = []
    window.on("console", lambda said: said.type == "error" and window.troubles.append(said.text))
    window.on("requestfailed", lambda r: "ABORTED" in r.failure or window.troubles.append(r.url))
    window.on("request", lambda r: r.url.startswith((site, "data:")) or window.troubles.append(r.url))
    yield window
    window.close()


PAGES = sorted(
    path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")
)


@pytest.mark.parametrize("name", one_in(8, PAGES))
def test_every_page_opens_without_errors_and_shows_its_pictures(site, page, name):
    page.goto(f"{site}/{name}.html")
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert page.locator("article h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    assert not page.troubles


def test_a_figure_and_its_unit_are_on_one_line(site, page):
    """In the table of the benchmarks, which has seven columns."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{site}/benchmarks.html")
    row = page.locator("article table tbody tr").first
    breaks = row.locator("td").evaluate_all("cells => cells.map(cell => getComputedStyle(cell).whiteSpace)")
    assert breaks[2] == breaks[3] == "nowrap"
    table = page.locator("article table").first
    assert table.evaluate("t => t.scrollWidth - t.clientWidth") <= 1


def test_search_finds_a_method(site, page):
    page.goto(f"{site}/search.html?q=generalized_jacobian")
    # results come one by one
    page.wait_for_selector("#search-results li a[href*='reference.html']", timeout=60_000)
    assert not page.troubles


@pytest.mark.parametrize("name", one_in(2, ["index", "theory", "reference", "benchmarks", "worlds"]))
def test_small_screens_do_not_scroll_sideways(site, page, name):
    page.set_viewport_size({"width": 375, "height": 700})
    page.goto(f"{site}/{name}.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


STICKING_OUT = """() => [...document.querySelectorAll('article *')].filter(e => {
    const scrolls = p => ['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX);
    if (e.getBoundingClientRect().right <= document.documentElement.clientWidth + 1) return false;
    for (let p = e.parentElement; p && p.tagName != 'ARTICLE'; p = p.parentElement) if (scrolls(p)) return false;
    return true;
}).map(e => e.tagName + ' ' + e.textContent.slice(0, 60))"""


def test_nothing_is_cut_off_on_a_small_screen(site, page):
    """What is wider than a phone scrolls by itself: an equation in the text, too, which cannot break."""
    page.set_viewport_size({"width": 375, "height": 700})
    page.goto(f"{site}/theory.html")
    assert page.evaluate(STICKING_OUT) == []


@pytest.mark.parametrize("width", [1100, 1366, 1600])
def test_code_takes_the_room_that_menus_leave(site, page, width):
    """Lines of code are long: ninety letters are seen on a laptop, and text stays narrower."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}/tutorials/free-floating-robot.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    code, text = (page.locator(f"article {kind}").first.bounding_box()["width"] for kind in ("pre", "p"))
    assert code > 740  # of 640 that the theme gives
    assert text <= code


def test_no_line_begins_with_the_mark_behind_an_equation(site, page):
    page.set_viewport_size({"width": 375, "height": 700})
    page.goto(f"{site}/theory.html")
    assert (
        page.evaluate("Math.max(...[...document.querySelectorAll('.whole')].map(e => e.textContent.length))")
        < 120
    )
    broken = """() => [...document.querySelectorAll('article p math')].filter(math => {
        const next = math.nextSibling;
        if (!next || next.nodeType !== 3 || !/^[.,;:)]/.test(next.data)) return false;
        const range = document.createRange();
        range.setStart(next, 0), range.setEnd(next, 1);
        return range.getBoundingClientRect().left < math.getBoundingClientRect().left;
    }).length"""
    assert page.evaluate(broken) == 0


def test_light_and_dark(site, page):
    colours = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{site}/index.html")
        colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2
