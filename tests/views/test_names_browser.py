"""Names that mean harm, in the viewer and the report, in a real browser: no script runs, nothing is fetched."""

import pytest
from tests.support.hostile_names import NAMES, hostile_run, hostile_system
from tests.support.thinning import one_in

import unmoored as um
from unmoored.views import report, view


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 600, "height": 360})
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("dialog", lambda dialog: page.asked.append("dialog"))
    yield page
    page.close()


def opened(page, viewer):
    viewer.content._environment.use_plain_light(True)  # a software renderer takes long for the rest
    page.goto(viewer.url)
    page.wait_for_selector("canvas", timeout=120_000)


def check(page, own):
    page.wait_for_timeout(700)
    for frame in page.frames:
        assert frame.evaluate("window.stolen") is None
    assert len(page.frames) == 1
    assert all(url.startswith((own, "data:", "blob:", "file:")) for url in page.asked), page.asked


def lone_body(name):
    """A system that is drawn fast."""
    b = um.SystemBuilder(name)
    b.vehicle("body", um.Free(), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    return b.build()


SYSTEMS = {
    " ".join(NAMES[0:3]).replace("/", "∕"): hostile_system,
    " ".join(NAMES[3:8]).replace("\\", ""): lone_body,
}


@pytest.mark.parametrize("name", one_in(2, SYSTEMS))
def test_a_systems_name_is_only_letters(page, name):
    with view(SYSTEMS[name](name), port=0, wait=False) as viewer:
        opened(page, viewer)
        page.get_by_text(name, exact=False).first.wait_for()
        check(page, viewer.url)


@pytest.mark.long
def test_names_in_a_run_two_runs_and_their_plots(page):
    run = hostile_run()
    names = ("![x](http:∕∕evil.example∕a.png)", "<img src=x onerror=window.stolen=1>")
    with view(run, compare=run, names=names, port=0, wait=False) as viewer:
        opened(page, viewer)
        page.get_by_text("against").first.wait_for()
        check(page, viewer.url)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
def test_names_in_the_report(page, tmp_path):
    path = report(hostile_run(), tmp_path / "page.html")
    page.goto(f"file://{path}")
    check(page, "file://")
