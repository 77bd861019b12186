"""A run shows itself: methods with the signatures of the views, and a page for notebooks."""

import inspect

import pytest

import unmoored as um
from unmoored import views

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def run():
    system = um.load("tumbling_brick")
    return um.simulate(system, system.neutral(), [0.0, 0.0, 0.0, 0.1, 2.0, 0.1], duration=0.1, step=0.01)


@pytest.mark.parametrize("name", ["plot", "view", "report", "render"])
def test_methods_take_what_the_views_take(name):
    own = dict(list(inspect.signature(getattr(um.Run, name)).parameters.items())[1:])
    theirs = dict(list(inspect.signature(getattr(views, name)).parameters.items())[1:])
    for key, parameter in own.items():
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            assert parameter.default == theirs[key].default
    left = set(theirs) - set(own)
    assert left <= {"view": {"q", "stepper"}, "render": {"look"}}.get(name, set())
    assert getattr(um.Run, name).__doc__


def test_they_draw(run, tmp_path):
    assert run.plot("states", tmp_path / "states.png").axes
    assert run.render(tmp_path / "brick.png", size=(64, 48)).stat().st_size > 100
    assert (tmp_path / "states.png").stat().st_size > 100


def test_notebooks_get_facts_that_are_escaped(run):
    from dataclasses import replace

    assert "completed" in run._repr_html_()
    shown = replace(run, status=(um.Status("event", 0.1, "<script>alert(1)</script>"),))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
