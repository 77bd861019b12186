"""A real browser, and runs to look at."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tests.views.approved_looks import watched

import unmoored as um

# software rendering, and nothing that talks to anybody
FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--no-first-run",
    "--no-default-browser-check", "--disable-extensions", "--disable-dev-shm-usage",
]  # fmt: skip


def ensure_chromium():
    """Path of the browser; a failure, not a skip, without one."""
    spec = importlib.util.spec_from_file_location(
        "ensure_chromium", Path(__file__).parent / "ensure_chromium.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        return module.ensure_chromium()
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def browser():
    """Chromium without a screen."""
    from playwright.sync_api import sync_playwright

    path = ensure_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def server():
    """A server of the viewer, with what was added to it."""
    with watched() as opened:
        yield opened


@pytest.fixture(scope="session")
def spinning_run():
    """A servicer that turns and moves all joints steadily: q(t) = neutral · exp(v t)."""
    system = um.load("free_flyer_arm7")
    t = np.linspace(0.0, 4.0, 81)
    v = np.concatenate([np.zeros(3), [0.0, 0.0, 0.5], np.full(7, 0.25)])
    q = system.retract(system.neutral(), t[:, None] * v)
    return um.Run(system, t, q, np.broadcast_to(v, (81, system.nv)), lengths=np.array([81]))
