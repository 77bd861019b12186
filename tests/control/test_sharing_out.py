"""Allocation beyond a box: weights, priorities, rates, curves, azimuths, pulses and failures."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored import kernels
from unmoored.control.allocation.channels import working_now
from unmoored.control.allocation.pulses import Pulses, pulsed
from unmoored.control.allocation.thrust_curves import check_curve, command_of
from unmoored.trace import maximum, minimum

CORNERS = [(x, y) for x in (1, -1) for y in (1, -1)]


def rov(limits=(-5.0, 5.0), **options):
    """A box with eight thrusters: four level ones at the corners, 45° out, four upright."""
    b = um.SystemBuilder("box")
    b.vehicle("box", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(0.5, 0.4, 0.3)))
    level = [
        um.Thruster(
            "box",
            at=(0.2 * x, 0.15 * y, 0),
            direction=(1, -x * y, 0),
            name=f"level{k}",
            limits=limits,
            **options,
        )
        for k, (x, y) in enumerate(CORNERS)
    ]
    upright = [
        um.Thruster(
            "box", at=(0.15 * x, 0.2 * y, 0), direction=(0, 0, 1), name=f"up{k}", limits=limits, **options
        )
        for k, (x, y) in enumerate(CORNERS)
    ]
    return um.Plant(b.build(), actuators=[*level, *upright])


class Push(um.Law):
    """Constant forces."""

    forces: np.ndarray

    def __call__(self, t, q, v):
        return self.forces + 0.0 * v


WANTED = np.array([3.0, 1.0, -2.0, 0.3, 0.2, 0.1])


def demands(count, seed=0, size=25.0):
    rng = np.random.default_rng(seed)
    return size ** rng.random((count, 1)) * rng.normal(size=(count, 6)) * [2, 2, 2, 0.4, 0.4, 0.4]


def kernel_of(plant, **options):
    """forces ↦ (inputs, what is missing) at rest."""
    law = um.Allocated(plant, Push(WANTED), **options)
    q = plant.system.neutral()
    return kernels.compile(lambda forces: tuple(law.shared_out(q, forces)), [(6,)], exact_zeros=False)


def kkt(B, wanted, f, low, high, regularization, weights=1.0, inputs=1.0):
    """Residual (S,) of optimality in parts of the largest slope."""
    B = np.asarray(weights)[..., None] * B if np.ndim(weights) else B
    H = B.T @ B + regularization**2 * np.diag(np.broadcast_to(inputs, B.shape[1]))
    g = (weights * wanted) @ B
    slope = f @ H - g
    at_low, at_high = f <= low, f >= high
    slope = np.where(at_low, np.minimum(slope, 0), np.where(at_high, np.maximum(slope, 0), slope))
    return np.abs(slope).max(axis=1) / np.abs(g).max(axis=1)


@pytest.mark.parametrize("low", [-5.0, 0.0])
def test_optimal_for_random_wrenches_with_weights(low):
    plant = rov((low, 5.0))
    weights, inputs = np.array([1, 1, 3, 10, 10, 5.0]), np.array([1, 2, 1, 1, 1, 1, 4, 1.0])
    law = kernel_of(plant, weights=weights, input_weights=inputs)
    wanted = demands(5000)
    f, missing = law(wanted)
    B = plant.allocation_matrix(plant.system.neutral())
    assert f.min() >= low
    assert f.max() <= 5.0
    assert kkt(B, wanted, f, low, 5.0, 1e-3, weights, inputs).max() < 1e-8
    assert np.abs(wanted - f @ B.T - missing).max() < 1e-9
    if low:
        clipped = np.clip(wanted @ np.linalg.pinv(weights[:, None] * B).T * 1.0, low, 5.0)
        lost = np.linalg.norm(weights * (wanted - clipped @ B.T), axis=1)
        assert np.mean(np.linalg.norm(weights * missing, axis=1) < lost - 1e-6) > 0.3


@pytest.mark.parametrize("options", [{}, {"keep_direction": True}, {"limits": (-2.0, 3.0), "weights": 2.0}])
def test_many_forces_at_one_place_are_shared_out_as_each_of_them(options):
    plant, wanted = rov(), demands(3)
    law, q = um.Allocated(plant, Push(WANTED), **options), plant.system.neutral()
    alone = [law.shared_out(q, τ) for τ in wanted]
    for k, part in enumerate(law.shared_out(q, wanted)):
        np.testing.assert_allclose(part, [one[k] for one in alone], rtol=1e-9, atol=1e-9)


def test_directions_of_higher_priority_are_given_first():
    plant = rov()
    q = plant.system.neutral()
    B = plant.allocation_matrix(q)
    first = ["box.wx", "box.wy", "box.wz"]
    levels = kernel_of(plant, priority=[first, ["box.vz"]], regularization=1e-6)
    alone = kernel_of(plant, weights=[1e-6, 1e-6, 1e-6, 1, 1, 1], regularization=1e-9)
    plain = kernel_of(plant, regularization=1e-6)
    wanted = demands(500, seed=1)
    missing, best, without = (law(wanted)[1][:, 3:] for law in (levels, alone, plain))
    norm = np.linalg.norm
    assert np.all(norm(missing, axis=1) <= norm(best, axis=1) + 1e-4 * norm(wanted, axis=1))
    assert np.mean(norm(missing, axis=1) < norm(without, axis=1) - 1e-3) > 0.2
    for k in range(20):  # the second level, with what the first one got held
        f = levels(wanted[k])[0]
        rows = np.vstack([1e4 * B[3:], B[2:3]])
        target = np.r_[1e4 * (B[3:] @ f), wanted[k, 2]]
        other = um.allocate(rows, target, (-5.0, 5.0), regularization=1e-10)
        assert abs(B[2] @ f - wanted[k, 2]) <= abs(B[2] @ other - wanted[k, 2]) + 1e-3
    with pytest.raises(um.ModelError, match="wx"):
        um.Allocated(plant, Push(WANTED), priority=[["box.wq"]])
    pair, rows = um.Allocated(plant, Push(WANTED), limits=(-2.0, 3.0)), [(-2.0, 3.0)] * plant.nu
    assert np.array_equal(pair.limits, um.Allocated(plant, Push(WANTED), limits=rows).limits)
    with pytest.raises(um.ModelError, match=r"a row .lowest, highest. for every input"):
        um.Allocated(plant, Push(WANTED), limits=3.0)  # the lowest would be the highest
    with pytest.raises(um.ModelError, match="a law"):
        um.Allocated(plant, lambda t, q, v: WANTED)


def test_thrusts_change_no_faster_than_their_rates():
    plant = rov()
    law = um.Allocated(plant, Push(WANTED), rates=2.0)
    run = um.simulate(
        plant, plant.system.neutral(), duration=3.0, step=0.02, control_step=0.1, controller=law
    )
    held = run.u[::5]
    assert np.abs(np.diff(held, axis=0)).max() <= 0.2 + 1e-12
    assert np.abs(held[0]).max() <= 0.2 + 1e-12
    free = um.Allocated(plant, Push(WANTED)).shared_out(run.q[-1], WANTED)
    assert np.abs(run.u[-1] - free.thrusts).max() < 1e-6
    B = plant.allocation_matrix(run.q[0])
    assert np.abs(WANTED - run.u[0] @ B.T - run.unallocated[0]).max() < 1e-12
    assert run.unsolved.max() == 0.0


def test_curves_are_inverted():
    def curve(u):
        return 4.0 * u * np.abs(u) + 0.5 * u

    plain, curved = rov((-4.5, 4.5)), rov((-1.0, 1.0), curve=curve)
    f, missing = kernel_of(plain)(demands(200))
    u, same = kernel_of(curved)(demands(200))
    assert np.abs(curve(u) - f).max() < 1e-9
    assert np.abs(missing - same).max() < 1e-8
    assert np.abs(u).max() <= 1.0
    falls = kernel_of(rov((-1.0, 1.0), curve=lambda u: -4.0 * u - 0.5 * u**3))
    assert (
        np.abs(-4.0 * falls(WANTED)[0] - 0.5 * falls(WANTED)[0] ** 3 - kernel_of(plain)(WANTED)[0]).max()
        < 1e-9
    )

    def dead(u):
        return np.sign(u) * np.maximum(np.abs(u) - 0.1, 0.0)

    law = um.Allocated(rov((-5.0, 5.0), curve=dead), Push(WANTED))
    assert np.all(law.shared_out(plain.system.neutral(), np.zeros(6)).thrusts == 0.0)
    with pytest.raises(um.ModelError, match="turns back"):
        um.Allocated(rov((-1.0, 1.0), curve=lambda u: u * u), Push(WANTED))
    with pytest.raises(um.ModelError, match="limits"):
        um.Allocated(rov(None, curve=curve), Push(WANTED))


def ship(limits):
    b = um.SystemBuilder("ship")
    b.vehicle("ship", um.Planar(), inertia=um.Inertia.box(mass=100.0, size=(4, 1, 1)))
    azimuth = [
        um.Thruster("ship", at=(-2, 0.4 * s, 0), azimuth=(0, 0, 1), name=f"azimuth{k}", limits=limits)
        for k, s in enumerate((1, -1))
    ]
    bow = um.Thruster("ship", at=(2, 0, 0), direction=(0, 1, 0), name="bow", limits=(-6.0, 6.0))
    return um.Plant(b.build(), actuators=[*azimuth, bow])


class Swing(um.Law):
    """Forces that turn round and change their sign."""

    speed: float
    size: float = 6.0

    def __call__(self, t, q, v):
        return self.size * np.array([np.cos(self.speed * t), 0.3 * np.sin(self.speed * t), 0.1]) + 0.0 * v


def test_azimuths_turn_steadily_and_push_back_instead_of_turning_round():
    plant = ship((-10.0, 10.0))
    law = um.Allocated(plant, Swing(0.5), turn_rate=0.4)
    q0 = plant.system.neutral()
    run = um.simulate(plant, q0, duration=20.0, step=0.05, control_step=0.1, controller=law)
    commands, angles = run.u[::2, [0, 2]], run.u[::2, [1, 3]]
    assert np.abs(np.diff(angles, axis=0)).max() <= 0.04 + 1e-12
    assert np.ptp(angles) < np.pi  # the sign of the thrust turns round, the thrusters do not
    assert commands.min() < -1.0
    assert np.abs(commands).max() <= 10.0
    settled = np.abs(run.unallocated[::2])
    assert np.median(settled.max(axis=1)) < 0.5
    # what is told to be missing is what the actuators do not give
    for k in (3, 77, 150):
        u = run.u[2 * k]
        pushes = [u[2 * i] * np.array([np.cos(u[2 * i + 1]), np.sin(u[2 * i + 1])]) for i in range(2)]
        moments = [-2 * f[1] - arm * f[0] for f, arm in zip(pushes, (0.4, -0.4), strict=True)]
        given = np.array([*(pushes[0] + pushes[1] + [0, u[4]]), sum(moments) + 2 * u[4]])
        force = Swing(0.5)(run.t[2 * k], run.q[2 * k], np.zeros(3))
        assert np.abs(force - given - run.unallocated[2 * k]).max() < 1e-9
    pushing = um.Allocated(ship((0.0, 10.0)), Swing(0.5), turn_rate=0.4)
    run = um.simulate(ship((0.0, 10.0)), q0, duration=20.0, step=0.05, control_step=0.1, controller=pushing)
    assert run.u[:, [0, 2]].min() >= 0.0
    assert np.abs(np.diff(run.u[::2, [1, 3]], axis=0)).max() <= 0.04 + 1e-12


def test_a_steady_force_is_given_by_azimuths_wholly():
    plant = ship((0.0, 10.0))
    forces = np.array([-5.0, 3.0, 4.0])
    law = um.Allocated(plant, Push(forces), turn_rate=1.0, regularization=1e-6)
    run = um.simulate(plant, plant.system.neutral(), duration=6.0, step=0.1, control_step=0.1, controller=law)
    assert np.abs(run.unallocated[-1]).max() < 1e-6
    assert np.abs(run.unallocated[0]).max() > 1.0  # they point the other way at first


@pytest.mark.parametrize(("first", "along"), [("ship.vx", 0.0), ("ship.vy", np.pi / 2)])
def test_azimuths_that_cannot_give_all_turn_to_what_comes_first(first, along):
    plant = ship((0.0, 10.0))
    law = um.Allocated(
        plant, Push(np.array([40.0, 40.0, 0.0])), turn_rate=1.0, priority=[[first], ["ship.wz"]]
    )
    run = um.simulate(plant, plant.system.neutral(), duration=4.0, step=0.1, control_step=0.1, controller=law)
    assert np.abs(run.u[-1, [1, 3]] - along).max() < 0.3


def jet(fails_at=None):
    b = um.SystemBuilder("jet")
    b.vehicle("jet", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(1, 1, 1)))
    places = [(-0.5, 0.3, 1), (-0.5, -0.3, 1), (0.5, 0.3, -1), (0.5, -0.3, -1)]
    jets = [
        um.Thruster("jet", at=(x, y, 0), direction=(d, 0, 0), name=f"jet{k}", limits=(0.0, 2.0),
                    fails_at=fails_at if k == 0 else None)
        for k, (x, y, d) in enumerate(places)
    ]  # fmt: skip
    side = um.Thruster("jet", direction=(0, 1, 0), name="side", limits=(-1.0, 1.0))
    return um.Plant(b.build(), actuators=[*jets, side])


def test_pulses_give_the_impulse_in_the_mean():
    plant = jet()
    names = [f"jet{k}" for k in range(4)]
    forces = np.array([0.9, 0.2, 0.05])
    law = um.Allocated(
        plant, Push(forces), on_off=names, pulse_periods=10, least_pulse=0.02, regularization=1e-6
    )
    run = um.simulate(
        plant, plant.system.neutral(), duration=20.0, step=0.01, control_step=0.01, controller=law
    )
    u = run.u[:-1]
    assert set(np.unique(u[:, :4])) <= {0.0, 2.0}
    switched = np.diff(np.vstack([np.zeros(4), u[:, :4], np.zeros(4)]), axis=0)
    for k in range(4):
        begin, end = np.flatnonzero(switched[:, k] > 0), np.flatnonzero(switched[:, k] < 0)
        assert np.all(end - begin >= 2)
    B = plant.allocation_matrix(run.q[0])
    mean = (u @ B.T).mean(axis=0)
    assert np.abs(mean - forces)[:2].max() < 2 * 2.0 * 0.02 / 20.0 + 2e-2
    assert abs(mean[2] - forces[2]) < 1e-2
    with pytest.raises(um.ModelError, match="0 to full thrust"):
        um.Allocated(plant, Push(forces), on_off=["side"])
    with pytest.raises(um.ModelError, match="jet3"):
        um.Allocated(plant, Push(forces), on_off=["jet9"])


def test_small_pulses_are_saved_up():
    plant = jet()
    law = um.Allocated(
        plant, Push([0.02, 0.0, 0.0]), on_off=["jet0", "jet1"], pulse_periods=10, least_pulse=0.03
    )
    run = um.simulate(
        plant, plant.system.neutral(), duration=30.0, step=0.01, control_step=0.01, controller=law
    )
    impulse = run.u[:-1, :2].sum() * 0.01
    assert abs(impulse - 0.6) < 2 * 0.06 + 1e-9  # less than one bit of each
    assert (run.u[:, 0] > 0).sum() > 0


def test_without_limits_it_is_least_squares_with_the_price_of_its_inputs():
    """|W(Bf − τ)|² + ε² fᵀW_f f, as one stacked least-squares problem."""
    plant = jet()
    plant = um.Plant(plant.system, actuators=[replace(a, limits=None) for a in plant.actuators])
    rng, ε = np.random.default_rng(4), 0.3
    weights, price, τ = rng.uniform(0.5, 2.0, 3), rng.uniform(0.5, 2.0, 5), rng.normal(size=3)
    law = um.Allocated(plant, Push(τ), weights=weights, input_weights=price, regularization=ε)
    B = plant.allocation_matrix(plant.system.neutral())
    A, b = np.vstack([weights[:, None] * B, ε * np.diag(np.sqrt(price))]), np.r_[weights * τ, np.zeros(5)]
    found = law.shared_out(plant.system.neutral(), τ)
    np.testing.assert_allclose(found.thrusts, np.linalg.lstsq(A, b)[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.missing, τ - B @ found.thrusts, rtol=0, atol=1e-12)


def test_failed_thrusters_are_no_longer_used_once_that_is_known():
    plant = jet(fails_at=0.5)
    forces = np.array([1.0, 0.0, 0.0])
    blind = um.Allocated(plant, Push(forces), regularization=1e-6, detected_after=None)
    told = um.Allocated(plant, Push(forces), regularization=1e-6, detected_after=0.2)
    runs = [
        um.simulate(plant, plant.system.neutral(), duration=1.0, step=0.01, control_step=0.1, controller=law)
        for law in (blind, told)
    ]
    assert runs[0].u[-1, 0] > 0.3
    assert runs[1].u[65, 0] > 0.3  # not known yet
    assert runs[1].u[-1, 0] == 0.0
    assert runs[1].u[-1, 1] > runs[0].u[-1, 1] + 0.1  # the others do its work
    assert np.abs(runs[1].unallocated[-1]).max() > 0.05  # as far as they can


def test_thrusters_that_work_have_their_limits_and_failed_ones_none():
    plant = jet(fails_at=0.5)
    law = um.Allocated(plant, Push([100.0, 0.0, 0.0]), regularization=1e-6, detected_after=0.2)
    forces = np.array([100.0, 0.0, 0.0])
    q = plant.system.neutral()
    before, after = (law.shared_out(q, forces, t).thrusts for t in (0.699, 0.7))
    np.testing.assert_allclose(before[:2], 2.0, rtol=1e-9)
    assert after[0] == 0.0
    assert 0.5 < after[1] <= 2.0
    together = working_now(law.channels, np.array([0.0, 0.699, 0.7]), 0.2)
    assert np.array_equal(together, [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1]])


def test_from_a_scenario_file(tmp_path):
    text = """
unmoored_scenario: 1
name: shared
system: bluerov2_heavy
world: {type: Ocean}
duration: 0.5
integrator: {step: 0.01, control_step: 0.05}
actuators:
  - {type: Thruster, frame: rov, name: a, at: [0, 0.2, 0], limits: [-2, 2]}
  - {type: Thruster, frame: rov, name: b, at: [0, -0.2, 0], limits: [0, 2]}
allocation: {rates: 4.0, weights: [1, 1, 1, 1, 1, 2], priority: [[rov.wz]]}
controllers:
  - {type: StationKeeping, body: rov, pose: {xyz: [0.3, 0, 0], rpy: [0, 0, 0.3]}, stiffness: 20, damping: 10}
"""
    path = tmp_path / "shared.yaml"
    body = um.load("bluerov2_heavy").names[0]
    path.write_text(text.replace("rov", body).replace(f"blue{body}2", "bluerov2"), encoding="utf-8")
    run = um.load_scenario(path).run()
    assert np.abs(np.diff(run.u[::5], axis=0)).max() <= 0.2 + 1e-12
    assert np.abs(run.u).max() > 0.1
    path.write_text(path.read_text(encoding="utf-8").replace("rates: 4.0", "rates: -4.0"), encoding="utf-8")
    with pytest.raises(um.ModelError, match="rates"):
        um.load_scenario(path)


def test_a_curve_needs_limits_that_are_some():
    """1e29 and more are none, on either side."""
    for low, high in ((-1.0, 1e29), (-1e29, 1.0), (-np.inf, 1.0), (-1.0, np.nan)):
        with pytest.raises(um.ModelError, match=r"jet: limits: expected limits of the command"):
            check_curve("jet", lambda u: u, low, high)
    check_curve("jet", lambda u: -u, -1e28, 1e28)


def test_within_a_dead_band_no_thrust_is_no_command():
    """All commands of the band give none; of them the one that rests is taken, not its middle."""

    def dead(u):
        return maximum(u - 1.0, 0.0) + minimum(u + 0.5, 0.0)

    for thrust, command in ((0.0, 0.0), (0.75, 1.75), (-0.25, -0.75)):
        assert command_of(dead, np.array(thrust), -5.0, 5.0) == pytest.approx(command, abs=1e-13)


SIDES = [(-0.8, 0.8), (0.2, 0.8), (-0.8, -0.2), (0.2, 2.0), (-2.0, -0.2), (-2.0, 0.0), (0.0, 2.0)]


@pytest.mark.parametrize(("low", "high"), SIDES)
@pytest.mark.whole
def test_no_thrust_is_a_command_within_the_limits(low, high):
    """Of a dead band of ±0.5: none at all where that is allowed, else one of those without thrust."""

    def dead(u):
        return maximum(u - 0.5, 0.0) + minimum(u + 0.5, 0.0)

    found = float(command_of(dead, np.array(0.0), low, high))
    assert low <= found <= high
    assert dead(found) == pytest.approx(0.0, abs=1e-13)
    assert found == 0.0 or not low <= 0.0 <= high


@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_thrusters_may_have_a_dead_band_whichever_way_they_push(turned):
    def dead(u):
        return turned * (np.maximum(u - 0.5, 0.0) + np.minimum(u + 0.5, 0.0))

    check_curve("jet", dead, -1.0, 1.0)
    for thrust in (0.3, -0.2):
        assert dead(command_of(dead, np.array(thrust), -1.0, 1.0)) == pytest.approx(thrust, abs=1e-14)
    with pytest.raises(um.ModelError, match=r"curve: expected .* given one that turns back or is flat"):
        check_curve("jet", dead, -0.5, 0.5)


def test_a_pulse_lasts_at_least_as_long_as_it_must_and_no_more_than_a_cycle_is_owed():
    """Parts of a cycle of ten periods; the shortest pulse has three. All begin together and end one by one."""
    duty = np.array([0.2, 0.25, 0.3, 1.0])
    state, fired = Pulses(0.0, np.zeros(4), np.array([0.0, 0.0, 0.0, 0.4])), []
    for _ in range(10):
        firing, state = pulsed(state, duty, 10, 3.0)
        fired.append(firing)
    expected = np.arange(10)[:, None] < np.array([0, 3, 3, 10])
    np.testing.assert_array_equal(fired, expected)
    np.testing.assert_allclose(state.owed, [2.0, -0.5, 0.0, 0.4], atol=1e-12)
    assert state.now == 0.0
    for _ in range(30):  # never fired, so that more and more would be owed
        firing, state = pulsed(state, duty, 10, 11.0)
        assert not firing.any()
    np.testing.assert_array_equal(state.owed, [8.0, 7.0, 9.0, 10.0])


def test_each_sample_is_at_its_own_place_in_the_cycle():
    duty = np.array([[0.5, 0.1], [0.4, 0.9]])
    state = Pulses(np.array([0.0, 3.0]), np.array([[1.0, 2.0], [4.0, 3.0]]), np.zeros((2, 2)))
    firing, after = pulsed(state, duty, 4, 0.0)
    np.testing.assert_array_equal(firing, [[1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_array_equal(after.now, [1.0, 0.0])
    np.testing.assert_array_equal(after.on, [[2.0, 0.0], [4.0, 3.0]])


def test_pulses_are_the_nearest_whole_number_of_periods_and_owe_the_rest():
    rng, state = np.random.default_rng(2), Pulses(0.0, np.zeros(3), np.zeros(3))
    total, fired = np.zeros(3), np.zeros(3)
    for _ in range(20):
        duty = rng.uniform(0.1, 0.9, 3)
        total += 10 * duty
        for _ in range(10):
            firing, state = pulsed(state, duty, 10, 0.0)
            fired += firing
        np.testing.assert_allclose(state.owed, total - fired, atol=1e-12)
        assert np.abs(state.owed).max() <= 0.5 + 1e-12
