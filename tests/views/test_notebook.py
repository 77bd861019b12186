"""Systems, plants and runs in notebooks: tables, and a picture to turn that needs no network."""

import html as text
import re

import numpy as np
import pytest
from tests.support.hostile_names import hostile_run
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.views.notebook import html, plant_table

nbclient = pytest.importorskip("nbclient", reason="pip install 'unmoored[docs]'")
nbformat = pytest.importorskip("nbformat", reason="pip install 'unmoored[docs]'")

CELLS = (
    "import unmoored as um",
    "system = um.load('tumbling_brick')\nsystem",
    "jet = um.Thruster('brick', name='jet', limits=(0.0, 2.0))",
    "um.Plant(system, actuators=[jet], free=['brick.mass'])",
    "um.simulate(um.Plant(system), system.neutral(), duration=0.1, step=0.01)",
)


def framed(shown):
    """The page in the frame of what is shown."""
    return text.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])


def test_a_system_is_a_table_of_bodies_and_a_picture():
    shown = html(um.load("free_flyer_arm7"))
    for words in ("13 DoF", "235 kg", "shoulder_yaw", "Revolute", "vx, vy, vz, wx, wy, wz", "frames tool"):
        assert words in shown, words
    page = framed(shown)
    assert "default-src 'none'" in page
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert len(shown) < 2_000_000


def test_a_plant_tells_worlds_actuators_and_what_is_free():
    brick = um.load("tumbling_brick")
    plant = um.Plant(
        brick,
        world=um.Earth(),
        actuators=[um.Wrench("brick", name="hand", limits=(-3.0, 4.0))],
        free=["brick.mass"],
    )
    shown = html(plant)
    for words in ("Earth", "hand", "Wrench within -3 … 4", "brick.mass", "6 inputs"):
        assert words in shown, words


def test_one_input_is_not_many():
    jet = um.Thruster("brick", name="jet", lag=0.1)
    shown = plant_table(um.Plant(um.load("tumbling_brick"), actuators=[jet]))
    assert "6 DoF, 1 input, 1 state of actuators" in shown


def test_a_run_tells_its_facts_and_plays():
    shown = html(tumbling_brick(duration=0.2))
    assert "completed" in shown
    assert 'class=""' in framed(shown), "time can be moved"
    assert 'class="timeless"' in framed(html(um.load("tumbling_brick")))


def test_of_a_batch_the_first_sample_is_played():
    assert "sample shown" in html(tumbling_brick(duration=0.1, samples=3))


def test_names_are_shown_letter_by_letter():
    run = hostile_run()
    for shown in (html(run), html(run.system)):
        assert "<script>alert" not in shown
        assert "<script>alert" not in framed(shown)


def test_without_the_extra_the_text_is_shown(monkeypatch):
    monkeypatch.setattr("unmoored.views.extra.find_spec", lambda name: None)
    assert um.load("tumbling_brick")._repr_html_() is None


def test_the_frame_draws_without_network(browser):
    context = browser.new_context(viewport={"width": 700, "height": 500})
    context.set_offline(True)
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(html(um.load("tumbling_brick")))
    inside = page.frame_locator("iframe")
    inside.locator("#clock:not(:empty)").wait_for(state="attached", timeout=60_000)
    assert inside.locator("#still").evaluate("x => x.style.display") == "none", (
        "WebGL took the picture's place"
    )
    assert not inside.locator("#play").is_visible()
    assert inside.locator("#reset").is_visible()
    context.close()
    assert complaints == []


@pytest.mark.long
def test_a_notebook_shows_them():
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    shown = [cell.outputs[0].data["text/html"] for cell in (book.cells[1], *book.cells[3:])]
    for words, cell in zip(("tumbling_brick", "jet", "completed"), shown, strict=True):
        assert words in cell
        assert "<iframe" in cell
    assert np.all([len(cell) < 1_000_000 for cell in shown])
