"""A run's own pictures and its viewer are those of the views, with all that they were asked for."""

import pytest
from tests.simulation.arms import small_arm

import unmoored as um
from unmoored import views

ASKED = {
    "plot": (("momentum", "a.png"), {"sample": 1, "dpi": 90, "title": "t", "percentiles": (5, 50)}),
    "view": ((), {"compare": "other", "names": ("a", "b"), "host": "0.0.0.0", "port": 0, "wait": False}),
    "report": (("a.html",), {"sample": 1, "title": "t", "stage": "space", "trails": ["bus"]}),
    "render": (
        ("a.gif",),
        {"sample": 1, "time": 0.5, "speed": 2.0, "fps": 15.0, "zoom": 1.5, "stage": "space"},
    ),
}
USUAL = {
    "plot": {"sample": None, "dpi": 150, "title": None},
    "view": {"compare": None, "names": None, "host": "127.0.0.1", "port": 8080, "wait": None},
    "report": {"sample": 0, "title": None, "stage": None, "trails": None},
    "render": {"sample": 0, "time": None, "speed": 1.0, "fps": None},
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_for_is_handed_on(name, monkeypatch):
    calls = []
    monkeypatch.setattr(views, name, lambda *given, **named: calls.append((given, named)) or "made")
    run = um.simulate(small_arm(), small_arm().neutral(), duration=0.01, step=0.01)
    given, named = ASKED[name]
    assert getattr(run, name)(*given, **named) == "made"
    assert getattr(run, name)(*given) == "made"
    assert calls == [((run, *given), named), ((run, *given), USUAL[name])]
