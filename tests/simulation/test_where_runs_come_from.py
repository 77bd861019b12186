"""What a run says of where it comes from, laws in words, laws of other plants, and the bar while it runs."""

import platform
import re
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation import progress, provenance
from unmoored.simulation.plants_of_laws import check_plants_of_laws


def cart(*names, **options):
    b = um.SystemBuilder("carts")
    for name in names or ("cart",):
        b.vehicle(name, um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1))
    return um.Plant(b.build(), **options)


def test_a_run_says_everything_that_it_was_made_with():
    b = um.SystemBuilder("carts")
    for name in ("one", "two"):
        b.vehicle(name, um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1))
    tie = um.SpringDamper("world", "one", stiffness=1.0, rest_length=0.0, name="tie")
    grasp = um.Closure("one", "two", name="grasp", active=0.0)
    plant = um.Plant(b.build(), um.Earth(), elements=[tie], closures=[grasp])
    events = [um.Event(lambda t, q, v: q[0] - 9.0, "far"), um.Event(lambda t, q, v: q[0] + 9.0, "near")]
    rail = um.Encoder("rail", joints="one", noise=0.125)
    law = um.JointPD(plant, {"one": 0.5}, stiffness=3.0, damping=1.0)
    run = um.simulate(
        plant, [[0.0, 1.0], [0.1, 2.0]], t0=0.5, duration=0.04, step=0.01, record_every=2, control_step=0.02,
        controller=law, method="lie_midpoint", iterations=7, events=events, sensors=[rail], seed=11, samples=[4, 9],
        noise=um.Noise(velocity=0.25), dtype="float64",
    )  # fmt: skip
    told = dict(run.provenance)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", told.pop("time"))
    assert told.pop("noise") == "Noise(configuration=0.0, velocity=0.25, input=0.0)"
    (sensor,) = told.pop("sensors")
    assert sensor.startswith("Encoder(name='rail', ")
    assert "joints=('one',), resolution=(0.0,), noise=[0.125])" in sensor
    assert told.pop("controller").startswith("JointPD(plant=<Plant>, targets=")
    assert len(told.pop("command")) == 1
    assert told == {
        "unmoored": um.__version__, "numpy": np.__version__, "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}", "system": "carts", "world": list(plant.worlds_in_words),
        "system_digest": plant.system.tree.digest, "plant_digest": plant.digest, "elements": ["tie"],
        "closures": ["grasp"], "method": "lie_midpoint", "equations": "full", "iterations": 7, "t0": 0.5, "step": 0.01,
        "steps": 4, "record_every": 2, "control_every": 2, "controller_in": "kernel", "events": ["far", "near"],
        "seed": 11, "samples": [4, 9], "backend": "cpu", "dtype": "float64",
    }  # fmt: skip
    bare = um.simulate(cart(), [0.0], duration=0.02, step=0.01).provenance
    for name in ("iterations", "control_every", "controller", "controller_in", "noise"):
        assert bare[name] is None
    assert bare["events"] == bare["sensors"] == bare["elements"] == []


class Own(um.Law):
    """Has fields of many kinds."""

    few: np.ndarray
    many: np.ndarray
    name: object
    parts: object

    def __call__(self, t, q, v):
        return 0.0 * v


def test_laws_in_words():
    """Sixteen numbers are written out, of more how many; functions by their names, other things by their classes."""
    inner = Own(np.ones(2), np.ones(1), None, True)
    law = Own(np.arange(16.0), np.ones((17, 1)), "x", (inner, 0.5, SimpleNamespace()))
    told = (
        f"Own(few={np.arange(16.0).tolist()}, many=<shape (17, 1)>, name='x',"
        " parts=(Own(few=[1.0, 1.0], many=[1.0], name=None, parts=True), 0.5, <SimpleNamespace>))"
    )
    assert provenance._named(law) == told
    assert provenance._named(inner + law) == f"{provenance._named(inner)} + {told}"
    assert provenance._named(cart) == "cart"
    assert provenance._named(partial(cart)) == "partial"


def test_a_law_is_refused_that_was_made_for_another_plant():
    """Where the DoFs or inputs first differ; what a law's model says of masses or worlds may differ."""
    motors = [um.JointMotor(name) for name in ("one", "two")]
    here = cart("one", "two", actuators=motors)

    def told(plant, **gains):
        law = um.JointPD(plant, {plant.system.names[0]: 0.0}, stiffness=1.0, damping=1.0)
        with pytest.raises(um.ModelError) as caught:
            check_plants_of_laws(law, here)
        return str(caught.value)

    start = "law JointPD: plant: expected that of the run, or one with the same"
    assert told(cart("one", "other")) == f"{start} DoFs in the same order: DoFs[1] 'two', given 'other'"
    assert told(cart("two", "one")) == f"{start} DoFs in the same order: DoFs[0] 'one', given 'two'"
    assert told(cart("one")) == f"{start} DoFs in the same order: DoFs[1] 'two', given 1 in all"
    more = cart("one", "two", "three")
    assert told(more) == f"{start} DoFs in the same order: DoFs[2] 2 in all, given 'three'"
    swapped = cart("one", "two", actuators=motors[::-1])
    inputs = (
        f"{start} inputs in the same order: inputs[0] {here.input_names[0]!r}, given {here.input_names[1]!r}"
    )
    assert told(swapped) == inputs
    other = um.Plant(here.system, um.Earth())
    check_plants_of_laws(um.JointPD(other, {"one": 0.0}, stiffness=1.0, damping=1.0), here)
    check_plants_of_laws(lambda t, q, v: v, here)
    nested = um.Phases((um.JointPD(swapped, {"one": 0.0}, stiffness=1.0, damping=1.0),), "way")
    with pytest.raises(um.ModelError, match="inputs in the same order"):
        check_plants_of_laws(nested, here)


class Terminal:
    """What rich draws on, seen from outside."""

    def __init__(self):
        self.text, self.now, self.tty = "", 10.0, True

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return self.tty


def test_a_bar_comes_after_a_second_and_only_on_terminals(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress.time, "monotonic", lambda: terminal.now)
    for show, tty, patience, shown in (
        (None, True, 1.0, True),
        (None, True, 0.999, False),
        (None, False, 9.0, False),
        (True, False, 1.0, True),
        (False, True, 9.0, False),
    ):
        terminal.now, terminal.tty = 10.0, tty
        bar = progress.ProgressBar(show, 8.0, "carts")
        terminal.now += patience
        bar(2.0)
        assert (bar._bar is not None) == shown
        if shown:
            (task,) = bar._bar.tasks
            assert (task.description, task.total, task.completed) == ("carts", 8.0, 2.0)
            opened = bar._bar
            terminal.now = 10.0  # once it is there it stays
            bar(6.0)
            assert bar._bar is opened
            assert opened.tasks[0].completed == 6.0
            bar.close()
            assert "carts" in terminal.text
            assert " 75%" in terminal.text
        bar.close()
        assert bar._bar is None
