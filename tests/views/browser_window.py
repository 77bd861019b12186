"""A page on a viewer in a real browser, and questions to its pixels."""

import io
import time

import matplotlib.image
import numpy as np


class Window:
    """A page on a viewer, and the addresses that it asked for."""

    def __init__(self, browser, viewer, width=760, height=400):
        self.viewer = viewer
        viewer.content._environment.use_plain_light(True)  # a software renderer takes long for the rest
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.asked = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(viewer.url)
        # a notice about software rendering slides in and out over the scene
        self.page.add_style_tag(content=".mantine-Notifications-root { display: none }")
        self.page.wait_for_selector("canvas", timeout=120_000)

    def pixels(self):
        """The window as it looks, (height, width, 3) in 0…1."""
        return matplotlib.image.imread(io.BytesIO(self.page.screenshot()))[..., :3]

    def eventually(self, holds, seconds=180.0):
        """Wait until holds(pixels) is true, and return those pixels."""
        end = time.monotonic() + seconds
        while not holds(pixels := self.pixels()):
            assert time.monotonic() < end, "the window never looked as it should"
        return pixels

    def settled(self):
        """The pixels once the robot is there and two pictures in a row are equal."""
        last = [np.zeros(())]

        def still(pixels):
            before, last[0] = last[0], pixels
            return gold(pixels) > 300 and np.array_equal(before, pixels)

        return self.eventually(still)


def gold(pixels):
    """How many pixels have the colour of the servicer's bus."""
    r, g, b = np.moveaxis(pixels, -1, 0)
    return int(((r > 0.35) & (r > 1.15 * g) & (g > 1.3 * b)).sum())


def changed(before, after, where=(slice(None), slice(None))):
    """How many pixels differ."""
    return int((np.abs(before[where] - after[where]).max(axis=-1) > 0.1).sum())


def until(condition, seconds=60.0):
    """Wait until condition() is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
