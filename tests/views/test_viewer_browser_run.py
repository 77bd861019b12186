"""A run in the viewer, in a real browser: the time bar moves what it should."""

import pytest
from tests.views.browser_window import Window, changed, gold, until


@pytest.fixture(scope="module")
def played(browser, spinning_run):
    """A window on a run."""
    with spinning_run.view(port=0, wait=False) as viewer:
        window = Window(browser, viewer, width=1000)
        yield window
        window.page.close()


def test_the_time_bar_moves_the_robot_and_the_plots_line(played):
    before = played.settled()
    field = played.page.get_by_role("textbox").first
    field.fill("2")
    field.press("Enter")
    run = played.viewer.content
    until(lambda: run.playback.t == 2.0)
    robot, plots = (slice(None), slice(360, 660)), (slice(None), slice(0, 340))
    played.eventually(lambda pixels: changed(before, pixels, robot) > 500)
    played.eventually(lambda pixels: changed(before, pixels, plots) > 20)


def test_play_and_pause(played):
    playback = played.viewer.content.playback
    played.page.get_by_role("button", name="play").click()
    start = playback.t
    until(lambda: playback.t != start)
    played.page.get_by_role("button", name="pause").click()
    until(lambda: not playback.playing)


@pytest.mark.long
def test_a_small_window_still_shows_robot_and_time_bar(browser, played):
    window = Window(browser, played.viewer, width=400, height=640)
    pixels = window.eventually(lambda pixels: gold(pixels) > 200)
    assert window.page.get_by_role("button", name="play").is_visible()
    assert gold(pixels[:320]) > 200, "the panel hides the robot"
    window.page.close()
