"""The report in a real browser, opened from disk with the network cut."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from tests.support.recorded_runs import reaching_servicer, tied_slide

from unmoored.views.render import Film, Look
from unmoored.views.render.camera import Camera
from unmoored.views.report import report
from unmoored.views.report.embedded_playback import playback

DESKTOP, PHONE = {"width": 1040, "height": 640}, {"width": 390, "height": 760}


@pytest.fixture(scope="module")
def run():
    return reaching_servicer()


@pytest.fixture(scope="module")
def file(run, tmp_path_factory):
    return report(run, tmp_path_factory.mktemp("report") / "out.html", stage="light")


@pytest.fixture(
    scope="module", params=[DESKTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["desktop", "phone"]
)
def opened(request, browser, file):
    """The opened report and how its controls stand; afterwards: nothing was asked for, nothing complained."""
    context = browser.new_context(viewport=request.param)
    context.set_offline(True)
    page = context.new_page()
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    page.locator("#clock:not(:empty)").wait_for()
    boxes = {name: page.locator(name).is_checked() for name in ("#loop", "#trails", "#frames")}
    yield page, boxes, page.locator("#speed").input_value()
    context.close()
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert complaints == []


#: of tests that the size of the window cannot change
DESKTOP_ONLY = pytest.mark.parametrize("opened", [DESKTOP], indirect=True, ids=["desktop"])


@pytest.fixture
def page(opened):
    """The report as it was when it was opened: loading it takes longer than most tests."""
    page, boxes, speed = opened
    if page.locator("#play").get_attribute("aria-label") != "Play":
        page.click("#play")
    for name, checked in boxes.items():
        page.locator(name).set_checked(checked)
    page.select_option("#speed", speed)
    page.click("#reset")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    seek(page, 0.0)
    settle(page)
    return page


def settle(page):
    """Wait until what was asked for has been drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def picture(page):
    settle(page)
    image = Image.open(io.BytesIO(page.locator("#stage").screenshot()))
    return np.asarray(image.convert("RGB")).astype(int)


def moved(a, b):
    """Number of pixels that differ clearly."""
    return int((np.abs(a - b).max(axis=-1) > 30).sum())


def seek(page, time):
    page.locator("#time").evaluate(
        "(bar, time) => { bar.value = time; bar.dispatchEvent(new Event('input')) }", time
    )


def clock(page):
    return float(page.locator("#clock").inner_text().split("/")[0])


def until(page, condition):
    """Wait for the clock; the page's own rules forbid the browser to do so for us."""
    for _ in range(2000):
        if condition(clock(page)):
            return
        page.wait_for_timeout(10)
    pytest.fail(f"the clock stays at {clock(page)}")


def test_the_system_is_seen(page):
    """Gold of the bus and blue of its wings, in the middle of a light picture."""
    seen = picture(page)
    r, b = seen[..., 0], seen[..., 2]
    gold, blue = (r > 120) & (r - b > 60), (b > 60) & (b - r > 40)
    assert gold.sum() > 0.004 * gold.size
    assert blue.sum() > 0.002 * blue.size
    rows, columns = np.nonzero(gold | blue)
    height, width = gold.shape
    assert rows.min() > 0
    assert rows.max() < height - 1
    assert columns.min() > 0
    assert columns.max() < width - 1
    assert page.locator("#still").is_hidden()


def test_the_page_draws_what_the_renderer_draws(page, run):
    """Two programs, one picture: the silhouettes cover each other at every time."""
    data = playback(run, stage="light")
    box = page.locator("#stage").bounding_box()
    width, height = round(box["width"]), round(box["height"])
    fit = [fit for fit in data["camera"]["fits"] if fit["aspect"] <= width / height][-1]
    film = Film(run, Look(size=(width, height), stage="light", trails=(), title=""))
    film._camera = Camera(np.array(fit["target"]), fit["distance"])
    page.locator("#trails").uncheck()
    for time in (0.0, 1.3, 6.0):
        seek(page, time)
        ours, theirs = picture(page), next(film.pictures([time])).astype(int)
        ours, theirs = (silhouette(one[: int(0.85 * height)]) for one in (ours, theirs))
        rows, columns = (min(a, b) for a, b in zip(ours.shape, theirs.shape, strict=True))
        ours, theirs = ours[:rows, :columns], theirs[:rows, :columns]
        assert (ours & theirs).sum() / (ours | theirs).sum() > 0.93


def test_ties_are_seen_while_they_act(browser, tmp_path):
    """The line in orange all the time, the closure in purple until it opens."""
    page = browser.new_page(viewport=DESKTOP)
    page.goto(report(tied_slide(), tmp_path / "out.html", stage="light").as_uri())
    page.locator("#clock:not(:empty)").wait_for()
    seen = []
    for time in (0.9, 1.0):
        seek(page, time)
        r, g, b = np.moveaxis(picture(page), -1, 0)
        seen.append((((r > 200) & (g > 130) & (b < 90)).sum(), ((r > 170) & (g < 150) & (b > 140)).sum()))
    page.close()
    (orange, purple), (later, none) = seen
    assert min(orange, purple, later) > 100
    assert none == 0


def silhouette(image):
    """Where the system is, on a light background."""
    return image.min(axis=-1) < 200


@DESKTOP_ONLY
def test_the_time_bar_moves_the_robot(page):
    start = picture(page)
    seek(page, 3.0)
    later = picture(page)
    assert clock(page) == 3.0
    assert moved(start, later) > 100
    seek(page, 0.0)
    assert moved(start, picture(page)) == 0


def test_cursors_follow_the_time_and_plots_can_be_clicked(page):
    cursor, axes = page.locator(".cursor").first, page.locator(".axes").first
    seek(page, 3.0)
    box = axes.bounding_box()
    assert cursor.bounding_box()["x"] == pytest.approx(box["x"] + box["width"] / 2, abs=1.5)
    axes.click(position={"x": box["width"] / 4, "y": 10})
    assert clock(page) == pytest.approx(1.5, abs=0.05)


@DESKTOP_ONLY
def test_play_runs_at_its_speed_and_pauses(page):
    page.select_option("#speed", "10")
    page.locator("#loop").uncheck()
    page.click("#play")
    until(page, lambda time: time == 6.0)
    page.wait_for_selector('#play[aria-label="Play"]')  # the button follows in the next frame
    page.select_option("#speed", "0.1")
    page.click("#play")
    until(page, lambda time: 0.0 < time < 5.0)
    page.click("#play")
    paused = clock(page)
    settle(page)
    assert clock(page) == paused


@pytest.mark.long
@DESKTOP_ONLY
def test_the_camera_turns_zooms_and_comes_back(page):
    home = picture(page)
    box = page.locator("#canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 40, steps=4)
    page.mouse.up()
    turned = picture(page)
    assert moved(home, turned) > 500
    page.mouse.wheel(0, -400)
    assert moved(turned, picture(page)) > 500
    page.click("#reset")
    assert moved(home, picture(page)) == 0


@pytest.mark.long
@DESKTOP_ONLY
def test_trails_and_frames_are_drawn_on_demand(page):
    seek(page, 6.0)
    with_trail = picture(page)
    page.locator("#trails").uncheck()
    without = picture(page)
    assert moved(with_trail, without) > 10
    page.locator("#frames").check()
    assert moved(without, picture(page)) > 50


def test_nothing_sticks_out_and_all_plots_are_there(page):
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    loaded = page.evaluate("[...document.images].map(image => image.naturalWidth)")
    assert len(loaded) == 8
    assert min(loaded) > 100


def test_without_webgl_there_is_a_picture(browser, file):
    context = browser.new_context(viewport=DESKTOP)
    context.set_offline(True)
    page = context.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(file.as_uri())
    assert page.locator("#excuse").is_visible()
    assert page.locator("#still").is_visible()
    assert re.search("WebGL", page.locator("#excuse").inner_text())
    seen = picture(page)
    assert (seen[..., 0] - seen[..., 2] > 60).sum() > 500
    context.close()
