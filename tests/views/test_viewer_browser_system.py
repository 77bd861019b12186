"""A system in the viewer, in a real browser: what people see, and what pages elsewhere cannot do."""

import http.server
import threading

import numpy as np
import pytest
from tests.views.browser_window import Window, changed, gold, until

import unmoored as um
from unmoored.views import view

ROBOT = (slice(None), slice(0, 430))  # left of the panel


@pytest.fixture(scope="module")
def posed(browser):
    """A window on a system."""
    with view(um.load("free_flyer_arm7"), port=0, wait=False) as viewer:
        window = Window(browser, viewer)
        yield window
        window.page.close()


def test_the_robot_is_drawn_and_nothing_leaves_the_machine(posed):
    pixels = posed.settled()
    r, g, b = np.moveaxis(pixels, -1, 0)
    assert gold(pixels) > 500
    assert ((b > 0.3) & (b > 2 * r) & (b > 2 * g)).sum() > 500, "no solar panels"
    assert posed.asked
    assert all(url.startswith((posed.viewer.url, "data:", "blob:")) for url in posed.asked)


def test_sliders_move_joints(posed):
    before = posed.settled()
    content = posed.viewer.content
    field = posed.page.get_by_role("textbox").nth(1)
    field.fill("1.2")
    field.press("Enter")
    until(lambda: abs(content.snapshot.q[13] - 1.2) < 1e-9)
    com = content.snapshot.system.centre_of_mass(content.snapshot.q)
    posed.eventually(lambda pixels: changed(before, pixels, ROBOT) > 60)
    shown = ", ".join(f"{x:.3f}" for x in com)
    posed.page.get_by_text(f"centre of mass ({shown}) m").wait_for()


def test_live_mode_moves_joints_to_their_sliders_and_lets_bodies_be_pulled(posed):
    content, page = posed.viewer.content, posed.page
    page.get_by_role("tab", name="Live").click()
    page.get_by_role("button", name="start").click()
    until(lambda: content.snapshot.t > 0.05, seconds=120.0)
    before = posed.pixels()
    where = np.argwhere((before[ROBOT][..., 0] > 0.5) & (before[ROBOT][..., 2] < 0.35))
    y, x = map(float, where[len(where) // 2])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y, steps=3)
    page.mouse.move(x - 90, y, steps=6)
    until(lambda: np.linalg.norm(content.snapshot.v[:3]) > 0.05)
    page.mouse.up()
    until(lambda: content.live._pull is None)
    posed.eventually(lambda pixels: changed(before, pixels, ROBOT) > 500)
    page.get_by_role("button", name="stop").click()
    until(lambda: not content.live.running)


@pytest.fixture
def other_site():
    """Another web site on this machine: another port is another origin."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<h1>other site</h1>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_another_sites_page_cannot_open_a_websocket(browser, posed, other_site):
    import viser

    connect = """([url, protocol]) => new Promise(done => {
        const socket = new WebSocket(url, [protocol]);
        socket.onopen = () => { socket.close(); done("open"); };
        socket.onerror = () => done("refused");
    })"""
    arguments = [posed.viewer.url.replace("http", "ws"), f"viser-v{viser.__version__}"]
    page = browser.new_page()
    page.goto(other_site)
    assert page.evaluate(connect, arguments) == "refused"
    page.close()
    assert posed.page.evaluate(connect, arguments) == "open"
