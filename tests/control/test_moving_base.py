"""Holding a tool still on a ship, and moving a load without swing: against closed forms, by frequency, with delay."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.thinning import one_in

import unmoored as um
from unmoored.control import residual_ratio
from unmoored.control.moving_base.ship_prediction import ahead
from unmoored.simulation.scenario import parse_scenario

POSE = um.Pose(xyz=(0.0, 0.0, 4.0)).matrix


FREQUENCIES = np.array([0.5, 0.8, 1.3])


def lift(amplitudes=(0.0, 1.0, 0.0), actuators=None):
    """A ship that heaves at three frequencies, with a winch: a load that goes up and down on it."""
    b = um.SystemBuilder("lift")
    ship = b.vehicle("ship", um.Free(), inertia=um.Inertia.box(1e4, (20, 6, 3)))
    b.link("load", parent=ship, joint=um.Prismatic((0, 0, 1)), at=um.Pose(xyz=(0, 0, 4)),
           inertia=um.Inertia.box(50.0, (1, 1, 1)))  # fmt: skip

    def heave(t):
        z = sum(a * np.sin(w * t) for a, w in zip(amplitudes, FREQUENCIES, strict=True))
        return np.stack([1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z, 0, 0, 0, 1 + 0.0 * z]).reshape(4, 4)

    return um.Plant(b.build(), world=um.Earth(), prescribed={"ship": um.Motion(heave)}, actuators=actuators)


def left_over(plant, law, sensors, duration=60.0, **options):
    """Amplitudes (3,) of the load's height at the ship's frequencies, after it has settled."""
    run = um.simulate(plant, plant.system.neutral(), duration=duration, step=0.01, control_step=0.02, controller=law,
                      sensors=sensors, **options)  # fmt: skip
    late = run.t > 15.0
    z = plant.system.pose(run.q[late], "load")[:, 2, 3] - 4.0
    angle = FREQUENCIES * run.t[late, None]
    waves = np.concatenate([np.sin(angle), np.cos(angle), np.ones_like(angle[:, :1])], axis=-1)
    fitted = np.linalg.lstsq(waves, z, rcond=None)[0]
    return np.hypot(fitted[:3], fitted[3:6])


PLANT, MIXED = lift(), lift((0.6, 1.0, 0.4))


@pytest.mark.parametrize("prediction", ["none", "twist", "oscillator"])
def test_what_is_left_by_frequency_is_the_closed_form(prediction):
    law = um.WorldFixedTool(MIXED, "load", POSE, "ship", "mru", rows=(2,), prediction=prediction, frequency=0.8,
                            bandwidth=25.0, rate=1.0)  # fmt: skip
    found = left_over(MIXED, law, [um.MotionUnit("mru", "ship", delay=0.2)]) / [0.6, 1.0, 0.4]
    wanted = residual_ratio(FREQUENCIES, 0.2, prediction, rate=1.0, peak=0.8)
    np.testing.assert_allclose(found, wanted, atol=0.012)


@pytest.mark.parametrize("delay", one_in(2, [0.3, 0.1]))
@pytest.mark.long
def test_prediction_beats_none_with_noise_lag_and_limits(delay):
    """In a swell, with a motor that lags, a winch with a speed limit and a noisy unit."""
    plant = lift(actuators=[um.JointMotor("load", name="winch", lag=0.05, limits=(-5e3, 5e3))])
    unit = [um.MotionUnit("mru", "ship", delay=delay, place_noise=0.01, speed_noise=0.01)]
    found = {}
    for kind in ("none", "twist", "oscillator"):
        law = um.WorldFixedTool(
            plant, "load", POSE, "ship", "mru", rows=(2,), prediction=kind, frequency=0.8, bandwidth=6.0, rate=1.0,
            lead=0.0 if kind == "none" else 0.05, fastest=2.0,
        )  # fmt: skip
        found[kind] = left_over(plant, um.Allocated(plant, law), unit, seed=3)[1]
    assert found["twist"] < 0.85 * found["none"]
    assert found["oscillator"] < 0.5 * found["none"]


def test_a_load_is_lowered_along_its_path():
    """On a ship that heaves and is known at once; without the path's speed it would be v/rate behind, 0.9 m."""
    path = um.StraightPath([1.0, 6.0], [um.Pose(xyz=(0, 0, 4)), um.Pose(xyz=(0, 0, 1.6))])
    law = um.WorldFixedTool(
        PLANT, "load", path, "ship", "mru", rows=(2,), frequency=0.8, bandwidth=40.0, lead=0.01
    )
    run = um.simulate(
        PLANT, PLANT.system.neutral(), duration=8.0, step=0.01, control_step=0.01, controller=law,
        sensors=[um.MotionUnit("mru", "ship")],
    )  # fmt: skip
    off = PLANT.system.pose(run.q, "load")[:, 2, 3] - path.at(run.t).pose[:, 2, 3]
    assert np.abs(off[run.t > 0.5]).max() < 0.02
    assert run.goals


def test_too_slow_a_winch_leaves_what_it_cannot_follow():
    unit = [um.MotionUnit("mru", "ship", delay=0.2)]
    slow, quick = (
        left_over(
            PLANT,
            um.WorldFixedTool(PLANT, "load", POSE, "ship", "mru", rows=(2,), fastest=v, frequency=0.8),
            unit,
        )[1]
        for v in (0.3, 3.0)
    )
    assert quick < 0.02
    assert slow > 0.3


def test_all_six_directions_on_a_rolling_ship():
    """A platform on a free link: roll, pitch and heave of the ship do not reach it."""
    b = um.SystemBuilder("deck")
    ship = b.vehicle("ship", um.Free(), inertia=um.Inertia.box(1e4, (20, 6, 3)))
    b.link(
        "platform",
        parent=ship,
        joint=um.Free(),
        at=um.Pose(xyz=(2.0, 1.0, 3.0)),
        inertia=um.Inertia.box(80.0, (1, 1, 0.5)),
    )

    def rolling(t):
        ξ = np.stack(
            [
                0.0 * t,
                0.1 * np.sin(0.7 * t),
                0.8 * np.sin(0.7 * t),
                0.12 * np.sin(0.7 * t),
                0.05 * np.cos(0.7 * t),
                0.0 * t,
            ]
        )
        return um.lie.se3.exp(ξ)

    plant = um.Plant(b.build(), world=um.Earth(), prescribed={"ship": um.Motion(rolling)})
    still = um.Pose(xyz=(2.0, 1.0, 3.0)).matrix
    off = {}
    for kind in ("none", "oscillator"):
        law = um.WorldFixedTool(
            plant, "platform", still, "ship", "mru", prediction=kind, frequency=0.7, bandwidth=15.0
        )
        q0 = plant.configuration(0.0, plant.system.neutral())
        run = um.simulate(plant, q0, duration=30.0, step=0.01, control_step=0.02, controller=law,
                          sensors=[um.MotionUnit("mru", "ship", delay=0.2)])  # fmt: skip
        e = um.lie.se3.log(np.linalg.inv(still) @ plant.system.pose(run.q[run.t > 20], "platform"))
        off[kind] = np.abs(e).max(axis=0)
    ship_moves = np.array([0.35, 0.45, 0.95, 0.12, 0.05])
    assert np.all(off["oscillator"][:5] < 0.02 * ship_moves + 1e-3)
    assert np.all(off["oscillator"][[2, 3]] < 0.2 * off["none"][[2, 3]])


def test_the_oscillator_is_exact_at_its_frequency_on_the_group():
    mean, ω, T = um.Pose(xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3)).matrix, 0.9, 0.3
    a, c = 0.3 * np.random.default_rng(0).normal(size=(2, 6))

    def motion(t):
        x, speed = a * np.sin(ω * t) + c * np.cos(ω * t), ω * (a * np.cos(ω * t) - c * np.sin(ω * t))
        return mean @ um.lie.se3.exp(x), um.lie.se3.dexp(x) @ speed

    found = ahead("oscillator", *motion(1.3), T, mean, ω)
    for one, other in zip(found[:2], motion(1.3 + T), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_without_a_model_of_the_swell_nothing_accelerates():
    """A ship that is where it was, or goes on as it went; one that swings has the rate of its twist, by differences."""
    g, V, mean = um.lie.se3.exp(0.1 * np.arange(6.0)), np.arange(6.0, 0.0, -1.0), POSE
    for kind, there in (("none", g), ("twist", g @ um.lie.se3.exp(0.4 * V))):
        found = ahead(kind, g, V, 0.4, mean, 0.8)
        np.testing.assert_allclose(found.pose, there, atol=1e-15)
        np.testing.assert_array_equal(found.twist, V)
        np.testing.assert_array_equal(found.rate, np.zeros(6))
    before, now, after = (
        ahead("oscillator", g, 0.1 * V, T, mean, 0.8) for T in (0.4 - 1e-5, 0.4, 0.4 + 1e-5)
    )
    ξ = um.lie.se3.log(um.lie.se3.inverse(mean) @ now.pose)
    ξ_dot = np.linalg.solve(um.lie.se3.dexp(ξ), now.twist)
    products = um.lie.se3.dexp_rate(ξ, ξ_dot) @ ξ_dot  # of speeds, which the prediction leaves to the loops
    np.testing.assert_allclose((after.twist - before.twist) / 2e-5 - products, now.rate, atol=1e-7)


@pytest.mark.parametrize("kind", ["none", "twist", "oscillator"])
def test_predictions_of_several_ships_are_those_of_each(kind):
    rng = np.random.default_rng(4)
    g, V = um.lie.se3.exp(0.3 * rng.normal(size=(3, 6))), rng.normal(size=(3, 6))
    together = ahead(kind, g, V, 0.4, POSE, 0.8)
    for k in range(3):
        for part, own in zip(together, ahead(kind, g[k], V[k], 0.4, POSE, 0.8), strict=True):
            np.testing.assert_allclose(part[k], own, atol=1e-13)


def test_readings_of_the_unit():
    plant = PLANT
    unit = um.MotionUnit("mru", "ship", delay=0.1, place_noise=[0.0, 0.0, 0.05])
    run = um.simulate(
        plant, plant.system.neutral(), duration=20.0, step=0.01, control_step=0.02, sensors=[unit], seed=1
    )
    y = run.y["mru"]
    late = (run.t > 1.0) & (run.t < 19.9)
    np.testing.assert_allclose(run.t[late] - y.stamp[late], 0.1, atol=0.0101)
    z = np.sin(0.8 * y.stamp[late])
    noise = (y.value[late, 11] - z)[::2]
    assert 0.04 < noise.std() < 0.06
    assert np.abs(y.value[late, 14] - 0.8 * np.cos(0.8 * y.stamp[late])).max() < 1e-12


class TestShaped:
    """A trolley that is moved, with a load on a link that swings freely below it."""

    ω = np.sqrt(9.81 / (2.0 + 0.5 / (10.0 * 2.0)))  # L = l + I_c/(m l)

    def swing(self, reference, duration=16.0):
        b = um.SystemBuilder("crane")
        trolley = b.vehicle("trolley", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(100.0, (1, 1, 1)))
        b.link("load", parent=trolley, joint=um.Revolute((0, 1, 0)),
               inertia=um.Inertia(10.0, (0, 0, -2.0), np.diag([0.5, 0.5, 0.5])))  # fmt: skip
        plant = um.Plant(b.build(), world=um.Earth(), prescribed={"trolley": reference})
        run = um.simulate(plant, plant.system.neutral(), duration=duration, step=0.01)
        late = run.t > 10.0
        angle, rate = run.q[late, 1], run.v[late, 1]
        return np.sqrt(angle**2 + (rate / self.ω) ** 2).max()

    MOVE = um.Quintic([0.0, 2.0], [0.0, 0.1])

    def test_swing_vanishes_and_is_robust_as_the_closed_form_says(self):
        raw = self.swing(self.MOVE)
        assert raw > 5e-3
        for kind, power in (("zv", 1), ("zvd", 2)):
            assert self.swing(um.Shaped(self.MOVE, self.ω, kind)) < 2e-3 * raw
            wrong = self.swing(
                um.Shaped(self.MOVE, self.ω / 0.85, kind)
            )  # half a period 0.85 of the true one
            np.testing.assert_allclose(wrong / raw, np.abs(np.cos(0.5 * np.pi * 0.85)) ** power, rtol=0.03)

    def test_it_ends_where_the_reference_ends(self):
        shaped = um.Shaped(self.MOVE, self.ω, "zvd")
        for t in (0.7, 2.9):
            x, speed, bent, *_ = shaped.derivatives(t, 3)
            ahead_, back = shaped.at(t + 1e-5), shaped.at(t - 1e-5)
            assert np.allclose([x, speed, bent], shaped.at(t), atol=1e-14)
            np.testing.assert_allclose((ahead_[0] - back[0]) / 2e-5, speed, atol=1e-9)
            np.testing.assert_allclose((ahead_[1] - back[1]) / 2e-5, bent, atol=1e-8)
        assert shaped(20.0) == self.MOVE(20.0)
        assert isinstance(um.Shaped(self.MOVE, np.array(4)).frequency, float)
        assert shaped(0.0) == 0.0
        with pytest.raises(um.ModelError, match="> 0"):
            um.Shaped(self.MOVE, 0.0)
        with pytest.raises(um.ModelError, match="a Reference"):
            um.Shaped(3.0, 1.0)


@pytest.mark.parametrize("prediction", ["twist", "oscillator"])
def test_with_a_lead_the_ship_is_seen_as_that_much_later(prediction):
    law, later = (
        um.WorldFixedTool(PLANT, "load", POSE, "ship", "mru", prediction=prediction, frequency=0.8, lead=lead)
        for lead in (0.3, 0.0)
    )
    value = np.r_[np.eye(3).ravel(), 0.1, 0.2, 0.3, 0.02, 0.1, 0.3, 0.05, -0.1, 0.2]
    ships = [
        own._ship(SimpleNamespace(t=t, y={"mru": SimpleNamespace(value=value, stamp=1.0)}))
        for own, t in ((law, 1.2), (later, 1.5), (later, 1.2))
    ]
    np.testing.assert_allclose(ships[0].pose, ships[1].pose, atol=1e-14)
    assert np.abs(ships[0].pose - ships[2].pose).max() > 1e-3


def test_a_unit_that_is_not_there_is_named():
    plant = PLANT
    law = um.WorldFixedTool(plant, "load", POSE, "ship", "mru", rows=(2,))
    with pytest.raises(um.ModelError, match="none were given"):
        um.simulate(plant, plant.system.neutral(), duration=0.1, step=0.01, control_step=0.02, controller=law)
    with pytest.raises(um.ModelError, match="above the vehicle"):
        um.WorldFixedTool(plant, "ship", POSE, "ship", "mru")


SCENARIO = """unmoored_scenario: 1
name: hoist
system: gantry_crane
world: {type: Earth}
initial: {}
prescribed:
  trolley:
    {type: Shaped, frequency: 4.0, reference: {type: Quintic, times: [0, 1], values: [[0, 0, 0], [0.1, 0, 0]]}}
sensors:
  - {type: MotionUnit, name: mru, frame: trolley, delay: 0.1, place_noise: 0.01}
integrator: {step: 0.02, control_step: 0.02}
duration: 0.2
"""


def test_units_and_shaped_references_from_a_file():
    system = um.load("gantry_crane")
    vehicle = system.vehicles[0]
    text = SCENARIO.replace("trolley", vehicle)
    size = system.tree.link(vehicle).joint.nv
    text = text.replace("[[0, 0, 0], [0.1, 0, 0]]", str([[0.0] * size, [0.1] + [0.0] * (size - 1)]))
    run = parse_scenario(text, "hoist.yaml").run()
    assert run.y["mru"].value.shape[-1] == 18
