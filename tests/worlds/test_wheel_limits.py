"""Reaction wheels with a highest speed and bearing friction: closed forms, momentum and energy."""

from functools import cache

import numpy as np
import pytest

import unmoored as um

I, J = 0.02, 0.5  # wheel, body without it (kg m²)


@cache
def satellite(**options) -> um.Plant:
    b = um.SystemBuilder("satellite")
    b.vehicle(
        "bus", um.Free(), inertia=um.Inertia(mass=10.0, com=(0, 0, 0), tensor=np.diag([0.4, 0.45, J + I]))
    )
    return um.Plant(b.build(), actuators=[um.ReactionWheel("bus", inertia=I, name="wheel", **options)])


def relative_speed(run: um.Run) -> np.ndarray:
    return run.x[:, 0] / I - run.v[:, 5]


def test_a_wheel_stops_at_its_highest_speed() -> None:
    """Constant torque until 1 % below the limit, then no more: speed, body rate and momentum; it slows down freely."""
    plant = satellite(max_speed=100.0)
    q = plant.system.neutral()
    run = um.simulate(plant, q, duration=20.0, step=0.01, controller=um.Inputs(plant, [0.2]))
    Ω = relative_speed(run)
    early = Ω < 98.0
    rate = 0.2 * (1 / I + 1 / J)
    assert np.abs(Ω - rate * run.t)[early].max() < 1e-9
    assert Ω.max() < 100.0
    assert abs(Ω[-1] - 100.0) < 1e-3
    assert abs(run.v[-1, 5] + I * Ω[-1] / (J + I)) < 1e-12  # no angular momentum in all
    assert np.abs(run.momentum(about="com")[:, 5]).max() < 1e-12
    assert run.invariants()["energy_balance"] < 2e-5  # second order in the distance of rows over the kink
    back = um.simulate(
        plant,
        q,
        np.asarray(run.v[-1]),
        x0=run.x[-1],
        duration=1.0,
        step=0.01,
        controller=um.Inputs(plant, [-0.2]),
    )
    assert np.abs(relative_speed(back) - (Ω[-1] - rate * back.t)).max() < 1e-9


def test_bearing_friction_in_closed_form() -> None:
    """Viscous: Ω falls as exp(−d(1/I + 1/J)t). Coulomb: on a line until it is slow. Energy goes, momentum stays."""
    x0, q = [I * 50.0], satellite(damping=1e-3).system.neutral()
    run = um.simulate(satellite(damping=1e-3), q, x0=x0, duration=20.0, step=0.01, record_every=20)
    assert np.abs(relative_speed(run) / (50.0 * np.exp(-1e-3 * (1 / I + 1 / J) * run.t)) - 1).max() < 1e-9
    assert run.invariants()["energy_balance"] < 1e-8
    dry = um.simulate(satellite(friction=2e-3), q, x0=x0, duration=20.0, step=0.01, record_every=20)
    assert np.abs(relative_speed(dry) - (50.0 - 2e-3 * (1 / I + 1 / J) * dry.t)).max() < 1e-9
    assert np.abs(np.diff(dry.momentum(about="com")[:, 5])).max() < 1e-12
    assert np.all(np.diff(dry.energy().total) < 0)


def test_what_is_wrong_is_told_and_numbers_are_free() -> None:
    for name, value in (("max_speed", 0.0), ("friction", -1.0), ("damping", -1.0), ("friction_speed", 0.0)):
        with pytest.raises(um.ModelError, match=name):
            um.ReactionWheel("bus", inertia=I, **{name: value})
    system = satellite(damping=1e-3).system
    wheel = um.ReactionWheel("bus", inertia=I, name="wheel", max_speed=100.0)
    plant = um.Plant(system, actuators=[wheel], free=["wheel.max_speed", "wheel.friction"])
    run = um.simulate(
        plant, system.neutral(), duration=10.0, step=0.02, controller=um.Inputs(plant, [0.3]), record_every=100,
        parameters={"wheel.max_speed": [40.0, 80.0], "wheel.friction": [0.0, 0.0]},
    )  # fmt: skip
    Ω = run.x[:, -1, 0] / I - run.v[:, -1, 5]
    assert np.abs(Ω - [40.0, 80.0]).max() < 0.05
