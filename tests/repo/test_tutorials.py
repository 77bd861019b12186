"""The tutorials: every block runs, the published number is met within what the page says, the figure is made."""

import re
from pathlib import Path

import numpy as np
import pytest

from unmoored.kernels.cuda import CudaError, device_array

DOCS = Path(__file__).parents[2] / "docs"
#: greatest `error` of each page, as its table tells it, and other numbers that the page asserts
BOUNDS = {
    "arm-in-water": {"error": 1e-7, "map_error": 5e-5, "speed_error": 0.005, "roll_error": 0.05},
    "tasks-and-thrusters": {"error": 5e-5, "current_error": 1e-6},
    "free-floating-robot": {"error": 0.005, "spart_error": 1e-12},
    "law-and-filter": {"error": 0.02, "filter_error": 1e-5, "book_error": 1e-4},
    "identify-and-vary": {
        "error": 0.02,
        "speed_error": 0.005,
        "nomoto_error": 1e-6,
        "certified_error": 1e-10,
        "deviation_error": 1e-6,
    },
    "gradients-and-policy": {"error": 1.5e-3},
}
CHEAP = {"free-floating-robot"}


def run_page(name, folder, monkeypatch, **changed):
    """What the page's blocks leave behind, run in a folder of their own; changed: text in the place of other."""
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(folder)
    text = (DOCS / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    for old, new in changed.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(code, scope)
    return scope


@pytest.mark.parametrize(
    "name", [name if name in CHEAP else pytest.param(name, marks=pytest.mark.long) for name in BOUNDS]
)
def test_tutorial_meets_what_is_published(name, tmp_path, monkeypatch):
    if name == "identify-and-vary":
        pytest.importorskip("zarr")
    scope = run_page(name, tmp_path, monkeypatch)
    for what, bound in BOUNDS[name].items():
        assert np.max(scope[what]) < bound, what
    assert (tmp_path / f"{name}.png").stat().st_size > 20_000
    scope["plt"].close("all")


def test_every_tutorial_is_tested_and_has_its_figure():
    pages = {page.stem for page in (DOCS / "tutorials").glob("*.md")} - {"index"}
    assert pages == set(BOUNDS)
    for name in pages:
        text = (DOCS / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
        assert f"../images/tutorials/{name}.png" in text
        assert (DOCS / "images" / "tutorials" / f"{name}.png").exists()
        assert "| published | source |" in text


def test_policy_of_the_tutorial_on_a_gpu(tmp_path, monkeypatch):
    try:
        device_array(np.zeros(1))
    except (CudaError, ImportError) as why:
        pytest.skip(str(why))
    changed = {'"cpu", 150, 64': '"cuda", 150, 4096'}
    scope = run_page("gradients-and-policy", tmp_path, monkeypatch, **changed)
    assert scope["ratio"]["after"] < 1.06
