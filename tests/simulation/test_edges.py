"""Bounds of what is taken, on both sides: one step, texts as long as allowed, no spread, no number too many."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.simulation import arguments, goal_records, trajectories
from unmoored.simulation.blow_up import divided, fastest, joint_of
from unmoored.simulation.noise import standard_normals
from unmoored.simulation.on_group import is_rotation
from unmoored.simulation.scenario.random_poses import NormalPose, NormalRotation, UniformRotation
from unmoored.simulation.scenario.sweeps import Range, Values, number_of_samples, sweep_values
from unmoored.simulation.time_step import TimeStep

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=4)


def test_a_rollout_of_one_step_is_that_step():
    plant = um.Plant(SYSTEM)
    q, v = um.Rollout(plant, 1, 0.01)(Q[0], V[0])
    run = um.simulate(plant, Q[0], V[0], duration=0.01, step=0.01)
    np.testing.assert_array_equal(q, run.q)
    np.testing.assert_array_equal(v, run.v)
    for steps in (0, True, 1.0):
        with pytest.raises(um.ModelError, match="Rollout: steps: expected a whole number ≥ 1"):
            um.Rollout(plant, steps)


def test_words_of_a_criterion_may_have_two_thousand_letters():
    for what in ("name", "source", "channel", "unit"):
        words = {"name": "n", "channel": "c", "source": "s"}
        assert getattr(um.Criterion(**(words | {what: "x" * 2000}), below=1.0), what) == "x" * 2000
        with pytest.raises(um.ModelError, match=f"Criterion: {what}: expected 1 to 2000 characters"):
            um.Criterion(**(words | {what: "x" * 2001}), below=1.0)
        if what != "unit":
            with pytest.raises(um.ModelError, match=f"Criterion: {what}: expected 1 to 2000 characters"):
                um.Criterion(**(words | {what: "  "}), below=1.0)


def test_a_number_at_its_threshold_is_no_pass():
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(2.0, (1, 1, 1)))
    t = np.array([0.0, 1.0])
    run = um.Run(b.build(), t, np.array([[0.5], [0.25]]), np.zeros((2, 1)), lengths=np.array([2]))
    words = {"name": "near", "channel": "cart", "source": "s", "metric": "peak"}
    for side, threshold, good in (
        ("below", 0.5, 0),
        ("below", 0.501, 1),
        ("above", 0.5, 0),
        ("above", 0.499, 1),
    ):
        (verdict,) = run.judge([um.Criterion(**words, **{side: threshold})])
        assert bool(verdict) == good
        assert verdict.worst == 0.5
        assert str(verdict).startswith("PASS near: 0.5, must be" if good else "FAIL near: 0.5, must be")
    for given, told in (({}, "none"), ({"below": 1.0, "above": 0.0}, "below, above")):
        with pytest.raises(
            um.ModelError, match=f"near: threshold: expected one of below, above, given {told}"
        ):
            um.Criterion(**words, **given)


def test_no_spread_is_a_spread():
    mean = um.Pose(xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    r = np.random.default_rng(0).uniform(0.1, 0.9, (4, 6))
    np.testing.assert_array_equal(NormalPose(mean, 0.0).at(r), [mean.matrix] * 4)
    turned = um.Pose(rpy=(0.1, 0.2, 0.3))
    np.testing.assert_array_equal(NormalRotation(0.0, turned).at(r[:, :3]), [turned.rotation] * 4)
    one_way = NormalPose(mean, (0.0, 0.0, 2.0, 0.0, 0.0, 0.0)).at(r)
    along = (one_way[:, :3, 3] - mean.xyz) @ mean.rotation
    np.testing.assert_allclose(along[:, :2], 0.0, atol=1e-15)
    assert np.ptp(along[:, 2]) > 0.1
    for make in (lambda: NormalPose(mean, -1e-9), lambda: NormalRotation((0.0, -1e-9, 0.0))):
        with pytest.raises(um.ModelError, match="deviation: expected ≥ 0"):
            make()
    with pytest.raises(um.ModelError, match="covariance: expected symmetric and positive definite"):
        NormalPose(mean, covariance=np.diag([1.0, 1, 1, 1, 1, 0]))
    corners = UniformRotation().at(np.array([[0.25, 0.125, 0.5], [0.5, 0.3, 0.7]]))
    np.testing.assert_allclose(corners @ np.swapaxes(corners, -1, -2), [np.eye(3)] * 2, atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(corners), 1.0, atol=1e-15)


def test_only_samples_that_blew_up_are_asked_for_their_fastest_mode(monkeypatch):
    """Not those that the first event stopped, nor those whose event had no number."""
    asked = []
    monkeypatch.setattr(trajectories, "fastest_modes", lambda task, samples: asked.extend(samples) or {})
    q, v = np.stack([Q[0]] * 3), np.stack([V[0]] * 3)
    q[0, 12], q[1, 12], q[2, 12] = 0.49, -0.4, 0.1
    v[:, 6] = 1.0
    events = [um.Event(lambda t, q, v: q[12] - 0.5, "first")]

    def law(t, q, v):
        wild = um.trace.where(um.trace.less(q[12], 0.0), 1e5, 0.0)
        return np.concatenate([np.zeros(7), np.stack([wild * v[7] ** 3])])

    run = um.simulate(SYSTEM, q, v, duration=0.5, step=0.01, events=events, controller=law)
    kinds = [status.kind for status in run.status]
    assert kinds == ["event", "blew_up", "event"]
    assert asked == [1]


def test_the_fastest_mode_of_a_matrix():
    """Of two oscillators and a pair that grows: the faster of the tame ones, with its own DoF."""
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3:, :3] = -np.diag([4.0, 100.0, 0.0])
    A[5, 5] = 50.0  # grows by itself
    A[4, 4] = -2.0
    mode = fastest(A, 3, 3)
    assert mode.rate == pytest.approx(10.0, rel=1e-12)
    assert int(mode.participation.argmax()) == 1
    np.testing.assert_allclose(mode.participation[[0, 2]], 0.0, atol=1e-12)
    assert mode.participation[1] == pytest.approx(2 * 0.5 * 10.0 / np.sqrt(99.0), rel=1e-9)
    assert fastest(A, 3, 3, within=10.0 * (1 - 1e-9)).rate == pytest.approx(2.0, rel=1e-12)
    assert fastest(np.diag([1.0, 2.0]), 1, 1) is None
    assert fastest(np.full((2, 2), np.nan), 1, 1) is None
    assert [joint_of(SYSTEM.tree, k) for k in (0, 5, 6, 7, 99)] == ["bus", "bus", "arm1", "arm2", "bus"]
    assert [divided(0.01, x) for x in (0.01, 0.009, 0.0025, 0.002, 0.0011)] == [
        0.01, 0.005, 0.0025, 0.002, 0.001,
    ]  # fmt: skip


def test_whole_numbers_and_their_slack():
    assert arguments.whole("duration", 1.0, 0.1, "the step") == 10
    assert arguments.whole("duration", 0.1, 0.1, "the step") == 1
    assert arguments.whole("duration", 1.0 + 0.9e-10, 0.1, "the step") == 10
    assert arguments.whole("duration", 1e4 * (1 + 0.9e-12), 1e-3, "the step") == 10**7
    for duration in (0.04, 1.0 + 1.2e-10, 1.05):
        with pytest.raises(um.ModelError, match=r"duration: expected a multiple of the step 0\.1 s"):
            arguments.whole("duration", duration, 0.1, "the step")
    with pytest.raises(um.ModelError, match="a multiple of the step"):
        arguments.whole("duration", 1e4 * (1 + 1.2e-12), 1e-3, "the step")
    assert arguments.whole("duration", 2.0**53, 1.0, "the step") == 2**53
    assert arguments.schedule(1.0, 0.1, 2**53, None, 0.0).record_every == 2**53
    with pytest.raises(um.ModelError, match="record_every"):
        arguments.schedule(1.0, 0.1, 2**53 + 1, None, 0.0)
    schedule = arguments.schedule(1.0, 0.1, 2, 0.5, -3.0)
    assert (schedule.steps, schedule.record_every, schedule.update_every) == (10, 2, 5)
    assert schedule.span.tolist() == [-3.0, 0.1]
    for given, what in (
        ((1.0, 0.1, 0, None, 0.0), "record_every"),
        ((1.0, 0.1, True, None, 0.0), "record_every"),
        ((1.0, 0.1, 1, None, np.inf), "t0"),
        ((1.0, 0.1, 1, None, True), "t0"),
        ((1.0, 0.0, 1, None, 0.0), "step"),
        ((np.inf, 0.1, 1, None, 0.0), "duration"),
    ):
        with pytest.raises(um.ModelError, match=f"simulate: {what}: expected"):
            arguments.schedule(*given)
    for good in (0, 7, 2**64 - 1, np.int64(3)):
        assert arguments.checked_seed(good) == good
    with pytest.raises(um.ModelError, match="seed"):
        arguments.checked_seed(2**64)
    assert arguments.iterations("lie_midpoint", 2) == 2
    assert arguments.iterations("lie_midpoint", 1000) == 1000
    for bad in (1, 1001, True, 2.0):
        with pytest.raises(um.ModelError, match="iterations: expected a whole number from 2 to 1000"):
            arguments.iterations("lie_midpoint", bad)
    with pytest.raises(um.ModelError, match="iterations: expected none: rkmk4 does not iterate"):
        arguments.iterations("rkmk4", 3)


def test_batches_agree_or_are_named():
    one, three, four = np.zeros((1, 2)), np.zeros((3, 5)), np.zeros((4, 1))
    assert arguments.common_batch(a=np.zeros(2)) == ()
    assert arguments.common_batch(a=np.zeros(2), b=one) == (1,)
    assert arguments.common_batch(a=one, b=three, c=np.zeros(7)) == (3,)
    with pytest.raises(um.ModelError, match="samples: expected the same number everywhere, given b 3, c 4"):
        arguments.common_batch(a=np.zeros(2), b=three, c=four)
    np.testing.assert_array_equal(arguments.sample_numbers(None, 3), [0, 1, 2])
    np.testing.assert_array_equal(arguments.sample_numbers([0, 7], 2), [0, 7])
    for bad in ([0, -1], [0.0, 1.0], [1]):
        with pytest.raises(um.ModelError, match="samples: expected 2 whole numbers ≥ 0"):
            arguments.sample_numbers(bad, 2)


def test_whether_loads_of_closures_are_unique_is_told_by_name():
    """A body on a hinge, held by a second one along the same axis."""
    b = um.SystemBuilder("bob")
    b.vehicle("bob", um.Revolute((0, 0, 1)), inertia=um.Inertia(1.0, (1, 0, 0), np.eye(3)))
    plant = um.Plant(
        b.build(), closures=[um.Closure("world", "bob", joint=um.Revolute((0, 0, 1)), name="pin")]
    )
    run = um.simulate(plant, [[0.0], [0.3]], duration=0.02, step=0.01)
    assert run.closure_loads["pin"].shape == (2, 3, 6)
    assert run.closure_loads_unique["pin"].shape == (2, 3)
    assert not run.closure_loads_unique["pin"].any()


def test_the_fastest_mode_beside_states_of_actuators():
    """What an actuator's state takes of a mode is no joint's."""
    A = np.zeros((5, 5))
    A[:2, 2:4] = np.eye(2)
    A[2:4, :2] = -np.diag([4.0, 100.0])
    A[4, 4] = -1000.0
    mode = fastest(A, 2, 2)
    assert mode.rate == pytest.approx(1000.0, rel=1e-12)
    np.testing.assert_allclose(mode.participation, 0.0, atol=1e-12)
    A[4, 4] = -1.0
    np.testing.assert_allclose(fastest(A, 2, 2).participation, [0.0, 1.0], atol=1e-12)


def test_an_orbit_is_known_from_its_start_to_its_end(monkeypatch):
    monkeypatch.setattr(arguments, "orbit_known_for", lambda plant: 10.0)
    plant = um.Plant(SYSTEM)
    for end in (10.0, 10.0 * (1 + 0.8e-12), 10.0 * (1 + 1e-12)):  # the last of many steps may round so
        arguments.check_orbit(plant, 0.0, end)
    for t0, end in ((-1e-9, 5.0), (0.0, 10.0 * (1 + 1.2e-12))):
        with pytest.raises(um.ModelError, match="simulate: times: expected from 0 to 10 s"):
            arguments.check_orbit(plant, t0, end)
    monkeypatch.setattr(arguments, "orbit_known_for", lambda plant: None)
    arguments.check_orbit(plant, -1.0, 1e9)


def test_the_command_is_kept_without_its_arguments(monkeypatch):
    monkeypatch.setattr("sys.argv", ["program", "--password=x", "more"])
    run = um.simulate(SYSTEM, Q[0], V[0], duration=0.01, step=0.01)
    assert run.provenance["command"] == ["program"]


def test_noise_is_box_and_mullers_of_philox_numbers():
    """In blocks of four: key (seed, sample), counter of the block."""
    channels, first, periods = 5, 3, 2
    drawn = standard_normals(7, np.array([0, 9]), first, periods, channels)
    for row, sample in zip(drawn, (0, 9), strict=True):
        blocks = 2  # of four numbers, for five channels
        philox = np.random.Philox(key=np.array([7, sample], np.uint64), counter=[first * blocks, 0, 0, 0])
        raw = philox.random_raw(4 * blocks * periods).reshape(periods, 2 * blocks, 2)
        a, b = np.moveaxis(((raw >> np.uint64(11)).astype(float) + 0.5) / 2**53, -1, 0)
        pairs = np.sqrt(-2 * np.log(a))[..., None] * np.stack(
            [np.cos(2 * np.pi * b), np.sin(2 * np.pi * b)], -1
        )
        np.testing.assert_allclose(row, pairs.reshape(periods, -1)[:, :channels], rtol=1e-14)


def test_a_stepper_of_one_sample_is_a_run():
    stepper = um.Stepper(SYSTEM, 1, step=0.01, q=Q[0], v=V[0])
    stepper.step()
    run = um.simulate(SYSTEM, Q[0], V[0], duration=0.01, step=0.01)
    np.testing.assert_array_equal(stepper.state.q, run.q[-1:])
    with pytest.raises(um.ModelError, match="Stepper: samples: expected a whole number ≥ 1"):
        um.Stepper(SYSTEM, 0, step=0.01)


def test_only_what_may_be_stiff_is_looked_at_before_it_runs():
    def sprung(plant):
        return TimeStep(plant, "rkmk4", None, (), None, False).sprung

    assert not sprung(um.Plant(SYSTEM))
    b = um.SystemBuilder("bob")
    b.vehicle("bob", um.Prismatic((0, 0, 1)), inertia=um.Inertia.sphere(1.0, 0.1))
    bare = b.build()
    assert not sprung(um.Plant(bare, actuators=[um.JointMotor("bob")]))
    assert sprung(um.Plant(bare, actuators=[um.JointMotor("bob", lag=0.1)]))
    assert sprung(um.Plant(bare, elements=[um.SpringDamper("world", "bob", stiffness=1.0, rest_length=0.0)]))
    for what in ("stiffness", "damping", "friction"):
        b = um.SystemBuilder("bob")
        b.vehicle("bob", um.Prismatic((0, 0, 1), **{what: 1.0}), inertia=um.Inertia.sphere(1.0, 0.1))
        assert sprung(um.Plant(b.build()))


def test_goals_of_as_many_rows_as_may_be_are_kept(monkeypatch):
    system = um.load("tumbling_brick")
    law = um.StationKeeping(um.Plant(system), "brick", um.Pose(), stiffness=np.ones(6), damping=np.ones(6))
    run = um.simulate(um.Plant(system), system.neutral(), duration=0.02, step=0.01, controller=law)
    for most, kept in ((3, True), (2, False)):
        monkeypatch.setattr(goal_records, "MOST_ROWS", most)
        assert (goal_records.goal_variables(run, ("time",)) != ({}, "")) == kept


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_a_run_that_ends_early_has_the_rows_of_its_longest_sample(method):
    event = um.Event(lambda t, q, v: t - 0.055 + 0.0 * v[0], "late")
    run = um.simulate(SYSTEM, Q, V, duration=0.2, step=0.01, events=[event], method=method)
    assert run.lengths.tolist() == [6, 6, 6]
    assert len(run.t) == run.q.shape[1] == 6


def test_values_of_a_sweep_are_numbers_or_rows():
    for values in ([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]):
        np.testing.assert_array_equal(Values(values).points(), values)
    with pytest.raises(um.ModelError, match="Values: values"):
        Values(np.zeros((2, 2, 2)))


def test_a_range_goes_from_its_start_to_its_stop():
    np.testing.assert_array_equal(Range(1.0, 2.0, 5).points(), [1.0, 1.25, 1.5, 1.75, 2.0])
    np.testing.assert_array_equal(Range(3.0, 9.0, 1).points(), [3.0])
    np.testing.assert_array_equal(Range([0.0, 1.0], [2.0, -1.0], 3).points(), [[0, 1], [1, 0], [2, -1]])
    for count in (0, True, 2.0):
        with pytest.raises(um.ModelError, match=f"Range: count: expected a whole number ≥ 1, given {count}"):
            Range(0.0, 1.0, count)


def test_sweeps_combine_with_the_last_varying_fastest():
    """Lists and ranges by turns, each with its own random values; in the order of the file."""
    sweeps = {
        "b": Values([1.0, 2.0]), "r": um.Uniform(0.0, 1.0), "a": Range(0.0, 1.0, 3),
        "s": um.Normal([0.0, 1.0], [1.0, 2.0]),
    }  # fmt: skip
    found = sweep_values(sweeps, 2, 5)
    assert list(found) == ["b", "r", "a", "s"]
    np.testing.assert_array_equal(found["b"], np.repeat([1.0, 2.0], 6))
    np.testing.assert_array_equal(found["a"], np.tile(np.repeat([0.0, 0.5, 1.0], 2), 2))
    for key in ("r", "s"):
        rng = np.random.default_rng([5, ord(key)])
        np.testing.assert_array_equal(found[key], sweeps[key].drawn(12, rng))
    assert sweep_values({}, 3, 0) == {}
    assert sweep_values({"r": sweeps["r"]}, None, 0)["r"].shape == (1,)
    counts = [({}, None, None), ({}, 4, 4), (sweeps, None, 6), (sweeps, 2, 12), ({"r": sweeps["r"]}, None, 1)]
    for given, samples, count in counts:
        assert number_of_samples(given, samples) == count


def test_as_far_off_a_rotation_as_may_be_is_a_rotation():
    """One, some by NumPy, and thousands by a kernel; a reflection is none."""
    R = np.diag([1.0 + 2.0**-20, 1.0, 1.0]).ravel()
    off = 2.0**-19 + 2.0**-40
    for many in (R, np.stack([np.eye(3).ravel(), R]), np.tile(R, (2000, 1))):
        assert is_rotation(many, off)
        assert not is_rotation(many, np.nextafter(off, 0.0))
        assert not is_rotation(-many, 0.1)


def test_velocities_may_be_off_their_couplings_by_rounding_only():
    """By 1e-9 of one and the largest of them; the coordinates likewise, and the joint that is worst off is named."""
    b = um.SystemBuilder("gears")
    wheel = um.Inertia(1.0, (0.1, 0.0, 0.0), np.eye(3))
    b.vehicle("lead", um.Revolute((0, 0, 1)), inertia=wheel)
    for name, ratio in (("one", 2.0), ("two", -0.5)):
        b.link(name, parent="lead", joint=um.Revolute((0, 0, 1)), inertia=wheel)
        b.mimic(name, "lead", multiplier=ratio)
    plant = um.Plant(b.build())
    q, v = np.array([3.0, 6.0, -1.5]), np.array([4.0, 8.0, -2.0])
    none = plant.nominal_parameters
    for k in (1, 2):
        off = np.eye(3)[k]
        good = arguments.independent(plant, 0.0, q, v + 0.9 * (1 + 8.0) * 1e-9 * off, none)
        assert good == pytest.approx([4.0], abs=1e-8)
        bad = np.stack([v + 0.1e-9 * np.eye(3)[3 - k], v + 1.1 * (1 + 8.0) * 1e-9 * off])
        for given in (bad[1], bad):
            with pytest.raises(
                um.ModelError, match=rf"^{plant.system.names[k]}: v0: .* given off by 9\.9e-09"
            ):
                arguments.independent(plant, 0.0, np.broadcast_to(q, given.shape), given, none)
        size = 1.0 + abs(q[k])
        arguments.independent(plant, 0.0, q + 0.9 * size * 1e-9 * off, v, none)
        far = np.stack([q, q + 1.1 * size * 1e-9 * off])
        told = rf"^{plant.system.names[k]}: q0: expected {q[k]:g}, where lead puts it"
        for given in (far[1], far):
            with pytest.raises(um.ModelError, match=told):
                arguments.independent(plant, 0.0, given, np.broadcast_to(v, given.shape), none)
    with pytest.raises(um.ModelError, match=r"q0: expected 6, where lead puts it; .* given 5\.5"):
        arguments.independent(plant, 0.0, np.stack([q, q - [0.0, 0.5, 0.0]]), np.stack([v, v]), none)


def test_a_start_may_be_off_its_group_by_rounding_of_its_own_precision():
    turned = um.Pose(rpy=(0.3, -0.2, 0.5)).matrix

    def off_by(x):
        q = SYSTEM.neutral()
        q[:9] = (turned[:3, :3] @ np.diag([np.sqrt(1.0 + x), 1.0, 1.0])).ravel()
        return q

    go = {"duration": 0.01, "step": 0.01}
    for dtype, given, most in (
        ("float64", float, 1e-9),
        ("float64", np.float32, 1e-9),
        ("float32", float, 1e-9),
        ("float32", np.float32, 1e-5),
    ):
        assert arguments.on_group_tolerance(off_by(0.0).astype(given), dtype) == most
    for x, dtype, given in ((0.9e-9, "float64", float), (0.8e-5, "float32", np.float32)):
        assert um.simulate(SYSTEM, off_by(x).astype(given), dtype=dtype, **go).completed
    for x, dtype, given in ((1.1e-9, "float64", float), (1.2e-5, "float32", np.float32)):
        with pytest.raises(um.ModelError, match="bus: q0: expected a pose in SE"):
            um.simulate(SYSTEM, off_by(x).astype(given), dtype=dtype, **go)


def test_numbers_of_any_kind_are_laid_out_in_double_precision():
    for given in (
        np.array([1, 2], np.int8),
        np.array([1, 2], np.float32),
        [1, 2],
        np.array([[1, 2]], np.uint16),
    ):
        found = arguments.vector("x0", given, ("a", "b"))
        assert found.dtype == float
        assert found.tolist() == np.asarray(given).tolist()
    assert arguments.vector("x0", [], ()).shape == (0,)
    for given, words in (
        ([1.0, 2.0, 3.0], r"x0: expected shape \(2,\) or \(samples, 2\), given shape \(3,\)"),
        (np.zeros((2, 2, 2)), r"x0: expected shape .* given shape \(2, 2, 2\)"),
        (1.0, r"x0: expected shape .* given shape \(\)"),
        ([[1.0, 2.0], [3.0, np.inf]], r"x0\[1, 1\] \(b\): expected a finite number, given inf"),
        ([np.nan, -np.inf], r"x0\[0\] \(a\): expected a finite number, given nan"),
    ):
        with pytest.raises(um.ModelError, match=words):
            arguments.vector("x0", given, ("a", "b"))


def test_plants_of_the_last_eight_systems_alone_are_kept():
    def point():
        b = um.SystemBuilder("point")
        b.vehicle("point", um.Prismatic((1, 0, 0)), inertia=um.Inertia.point(1.0))
        return b.build()

    systems = [point() for _ in range(9)]
    plants = [arguments.as_plant(system) for system in systems]
    assert all(arguments.as_plant(systems[k]) is plants[k] for k in range(1, 9))
    assert arguments.as_plant(systems[0]) is not plants[0]


def test_numbers_are_laid_out_on_the_gpu_where_results_stay_there_and_nothing_ties_velocities(monkeypatch):
    monkeypatch.setattr(arguments.device, "cupy", lambda: "there")
    plant = um.Plant(SYSTEM)
    tied = um.Plant(SYSTEM, prescribed={"arm1": um.Quintic([0.0, 1.0], [0.1, 0.4])})
    closed = um.Plant(SYSTEM, closures=[um.Closure("world", "arm2", name="hold")])
    assert arguments.place_of("device", "cuda", plant) == "there"
    for given in (
        (None, "cuda", plant),
        ("device", "cpu", plant),
        ("device", "cuda", tied),
        ("device", "cuda", closed),
        ("device", "cuda", plant, "reduced"),
    ):
        assert arguments.place_of(*given) is np
