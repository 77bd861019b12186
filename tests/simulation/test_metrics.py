"""`run.metrics()` against closed forms: decays, swings, held commands; batches, saved runs, errors."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.control.allocation.channels import FAR
from unmoored.simulation.law_channels import duty
from unmoored.simulation.measured import losses
from unmoored.simulation.metrics import STATISTICS, Windowed


def cart():
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(2.0, (1, 1, 1)))
    return b.build()


def of_rows(t, x, u=None, **options):
    """A run of the cart that was at x (T,) at times t (T,)."""
    v = np.gradient(x, t)
    more = {} if u is None else {"u": u[:, None], "input_names": ("push",)}
    return um.Run(cart(), t, x[:, None], v[:, None], lengths=np.array([len(t)]), **more, **options)


T = np.linspace(0.0, 10.0, 10001)


def test_a_decay_has_its_closed_forms():
    """x = 3 + e^−t: rms √((1 − e^−20)/20), settled into 0.02 after ln 50, no overshoot."""
    m = of_rows(T, 3.0 + np.exp(-T)).metrics(["cart"], targets={"cart": 3.0})["cart"]
    assert m.rms == pytest.approx(np.sqrt((1 - np.exp(-20.0)) / 20.0), rel=1e-6)
    assert m.peak == pytest.approx(1.0, rel=1e-12)
    assert m.last == pytest.approx(np.exp(-10.0), rel=1e-9)
    assert m.settling_time == pytest.approx(np.log(50.0), abs=1e-6)
    assert m.overshoot == 0.0


def test_a_swing_overshoots_by_its_closed_form():
    """x = 1 − e^(−at) cos(bt), from below: beyond 1 by e^(−a t*) |cos b t*| at tan(b t*) = −a/b."""
    a, b = 0.4, 2.0
    x = 1.0 - np.exp(-a * T) * np.cos(b * T)
    m = of_rows(T, x).metrics(["cart"], targets={"cart": 1.0}, band=0.1)["cart"]
    top = (np.pi - np.arctan(a / b)) / b
    assert m.overshoot == pytest.approx(np.exp(-a * top) * abs(np.cos(b * top)), rel=1e-6)
    swings = np.abs(np.exp(-a * T) * np.cos(b * T))
    assert m.settling_time == pytest.approx(T[np.flatnonzero(swings > 0.1)[-1]], abs=2e-3)
    other = of_rows(T, -x).metrics(["cart"], targets={"cart": -1.0}, band=0.1)["cart"]
    np.testing.assert_allclose(other, [m.rms, m.peak, -m.last, m.settling_time, m.overshoot], rtol=1e-12)


def test_without_a_target_errors_are_from_the_last_value_and_what_never_settles_takes_for_ever():
    m = of_rows(T, np.exp(-T)).metrics(["cart"])["cart"]
    assert m.last == 0.0
    assert m.peak == pytest.approx(1.0 - np.exp(-10.0))
    never = of_rows(T, np.sin(T)).metrics(["cart"], targets={"cart": 0.0}, band=0.1)["cart"]
    assert never.settling_time == np.inf
    assert np.isnan(never.overshoot)
    assert of_rows(T, 0 * T).metrics(["cart"], targets={"cart": 0.0})["cart"].settling_time == 0.0


def test_a_window_counts_from_its_start():
    m = of_rows(T, np.exp(-T)).metrics(["cart"], targets={"cart": 0.0}, start=1.0, end=5.0, band=0.02)
    assert m["cart"].peak == pytest.approx(np.exp(-1.0))
    assert m["cart"].settling_time == pytest.approx(np.log(50.0) - 1.0, abs=1e-6)


def test_a_moving_target_is_taken_off_and_angles_are_within_half_a_turn():
    reference = um.Sine(0.5, 4.0)
    run = of_rows(T, reference(T)[:, 0] + 0.01)
    assert run.metrics(["cart"], targets={"cart": reference})["cart"].rms == pytest.approx(0.01, rel=1e-9)
    b = um.SystemBuilder("top")
    b.vehicle("top", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    system = b.build()
    turned = np.array([system.pack({"top": um.Pose(rpy=(0, 0, x)).matrix}) for x in (3.1, -3.1)])
    run = um.Run(system, np.array([0.0, 1.0]), turned, np.zeros((2, 6)), lengths=np.array([2]))
    m = run.metrics(["top.yaw"], targets={"top.yaw": np.pi})["top.yaw"]
    assert m.peak == pytest.approx(np.pi - 3.1, abs=1e-12)


def test_distance_and_angle_from_a_pose_a_path_and_a_frame():
    b = um.SystemBuilder("pair")
    b.vehicle("a", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    b.vehicle("b", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    system, t = b.build(), np.linspace(0.0, 2.0, 21)
    g = um.Pose(xyz=(1, 2, 3), rpy=(0.1, -0.2, 0.3))
    path = um.ScrewPath([0, 2], [g, um.Pose(xyz=(2, 2, 3))])
    rows = []
    for s in t:
        at = path.at(s).pose
        rows.append(system.pack({"a": at, "b": at @ um.Pose(xyz=(0, 0.3, 0.4), rpy=(0.5, 0, 0)).matrix}))
    run = um.Run(system, t, np.array(rows), np.zeros((21, 12)), lengths=np.array([21]))
    names = ["b.distance", "b.angle"]
    for target in (um.FollowedFrame("a"), path):
        m = run.metrics(names, targets=dict.fromkeys(names, target))
        assert m["b.distance"].peak == pytest.approx(0.5, abs=1e-12)
        assert m["b.angle"].rms == pytest.approx(0.5, abs=1e-12)
    beside = um.Relative(um.FollowedFrame("a"), um.Pose(xyz=(0, 0.3, 0.4), rpy=(0.5, 0, 0)))
    m = run.metrics(names, targets=dict.fromkeys(names, beside))
    assert max(m["b.distance"].peak, m["b.angle"].peak) < 1e-12
    done = {"lengths": np.array([21, 21]), "status": (um.Status("completed"),) * 2}
    both = um.Run(system, t, np.stack([run.q, run.q[::-1]]), np.zeros((2, 21, 12)), **done)
    for target in (um.FollowedFrame("a"), beside, path, g):
        m = both.metrics(names, targets=dict.fromkeys(names, target))
        for i in range(2):
            own = both.sample(i).metrics(names, targets=dict.fromkeys(names, target))
            for name in names:
                np.testing.assert_array_equal([x[i] for x in m[name]], own[name])
    first = run.metrics(["a.distance"], targets={"a.distance": g}, end=0.0)["a.distance"]
    assert first.peak == pytest.approx(0.0, abs=1e-12)


def driven(samples=None, lag=None):
    """A cart that is pushed with 3 N of −4 … 6 N for half of the time, then pulled with 4 N; by sample k times that."""
    plant = um.Plant(cart(), actuators=[um.JointMotor("cart", name="push", limits=(-4, 6), lag=lag)])

    class Push(um.Law):
        size: float

        def __call__(self, t, q, v):
            return self.size * np.stack([3.0 - 7.0 * um.trace.where(um.trace.less(t, 0.999), 0.0, 1.0)])

    size = 1.0 if samples is None else np.linspace(0.5, 1.0, samples)
    return um.simulate(
        plant, [0.0], duration=2.0, step=0.01, control_step=0.02, controller=Push(size), record_every=2
    )


def test_duty_is_the_share_of_the_largest_command_of_its_sign():
    m = driven().metrics()["push"]
    assert m.duty == pytest.approx(0.5 * 3.0 / 6.0 + 0.5 * 1.0, abs=1e-9)
    assert m.saturated == pytest.approx(0.5, abs=1e-9)
    assert m.peak == 4.0
    assert m.impulse == pytest.approx(3.0 + 4.0, abs=1e-9)
    free = um.simulate(um.Plant(cart()), [0.0], duration=0.1, step=0.01, controller=lambda t, q, v: -v + 1.0)
    assert np.isnan(free.metrics().actuators[free.input_names[0]].duty)


def test_duty_of_small_commands_none_and_any():
    """Of one sign only, without a limit, of one that counts as none, and of limits that leave zero out."""
    limits = np.array(
        [[-0.2, 0.5], [0.0, 0.5], [-np.inf, 0.5], [-0.2, 0.0], [-FAR, FAR], [-3.0, -1.0], [1.0, 2.0]]
    )
    for u, wanted in (
        (0.1, [0.2, 0.2, 0.2, 1.0, np.nan, 1.0, 0.05]),
        (-0.1, [0.5, 1.0, np.nan, 0.5, np.nan, 0.1 / 3.0, 1.0]),
        (0.0, [0.0, 0.0, 0.0, 0.0, np.nan, 0.0, 0.0]),
        (0.7, [1.0, 1.0, 1.0, 1.0, np.nan, 1.0, 0.35]),
    ):
        with np.errstate(all="raise"):
            np.testing.assert_allclose(duty(np.full(7, u), limits), wanted, rtol=1e-14)


def test_an_actuator_is_saturated_above_999_thousandths_of_its_largest_command():
    """Of what its limits are as they were saved; without any there is no share of either sign."""
    u = np.array([0.999, -0.9995, 0.9995, 1.0, 0.5])
    known = {"kept_input_limits": np.array([[-1.0, 1.0]])}
    m = of_rows(np.arange(5.0), 0.0 * u, u, **known).metrics()["push"]
    assert m.saturated == 0.75  # of the four that are held, the first is not above it
    assert m.duty == pytest.approx((0.999 + 0.9995 + 0.9995 + 1.0) / 4)
    assert (m.rms, m.peak, m.impulse) == pytest.approx((np.sqrt(np.trapezoid(u * u) / 4), 1.0, 3.998))
    for size in (1.0, -1.0):
        m = of_rows(np.arange(5.0), 0.0 * u, 0.0 * u + size).metrics()["push"]
        assert np.isnan([m.duty, m.saturated]).all()
        assert (m.rms, m.peak, m.impulse) == (1.0, 1.0, 4.0)


def test_what_is_held_between_two_rows_is_what_the_first_of_them_says():
    run = of_rows(np.array([1.0, 1.25, 3.0]), np.zeros(3), np.array([3.0, -2.0, 8.0]))
    run = replace(run, kept_input_limits=np.array([[-4.0, 6.0]]))
    for start, end, duty_, impulse in ((1.0, 1.25, 0.5, 0.75), (1.25, 3.0, 0.5, 3.5), (1.0, 3.0, 0.5, 4.25)):
        m = run.metrics(start=start, end=end)["push"]
        assert (m.duty, m.impulse) == pytest.approx((duty_, impulse), rel=1e-14)


@pytest.mark.parametrize("last", [0.5, 10.0])
def test_rows_at_the_ends_of_a_window_count_whatever_rounding_says(last):
    """By 1e-9 of the last time, or of a second."""
    t, slack = np.linspace(0.2, last, 4), 1e-9 * max(1.0, last)
    run = of_rows(t, np.array([4.0, 3.0, 2.0, 1.0]))

    def counted(start, end):
        (part,) = Windowed(run, run.q[:, 0], start, end).parts
        return part[1].tolist()

    assert counted(None, None) == [4.0, 3.0, 2.0, 1.0]
    assert counted(t[1], t[2]) == counted(t[1] + 0.9 * slack, t[2] - 0.9 * slack) == [3.0, 2.0]
    assert counted(t[0] + 1.1 * slack, t[3] - 1.1 * slack) == [3.0, 2.0]
    assert counted(t[3], None) == [1.0]
    with pytest.raises(um.ModelError, match=r"metrics: window: expected rows .* within 0\.2 … .* s, given"):
        counted(t[1] + 1.1 * slack, t[2] - 1.1 * slack)


def test_the_numbers_of_errors_at_uneven_times():
    """By hand: of rows that begin late, one row alone, and a band that is met between rows or just at one."""
    t, e = np.array([2.0, 2.5, 4.0, 5.0]), np.array([-4.0, 2.0, -1.0, 0.5])

    def of(name, count=4, band=None):
        return STATISTICS[name](t[:count], e[:count], band)

    assert of("mean") == pytest.approx((-0.5 + 0.75 - 0.25) / 3.0)
    assert of("rms") == pytest.approx(np.sqrt((5.0 + 3.75 + 0.625) / 3.0))
    assert (of("mean", 1), of("rms", 1), of("settling_time", 1, 5.0)) == (-4.0, 4.0, 0.0)
    names = ("peak", "last", "highest", "lowest", "range", "overshoot")
    assert [of(name) for name in names] == [4.0, 0.5, 2.0, -4.0, 6.0, 2.0]
    assert [of(name, 2) for name in names] == [4.0, 2.0, 2.0, -4.0, 6.0, 2.0]
    assert STATISTICS["overshoot"](t, e + 4.5, None) == 0.0
    assert STATISTICS["overshoot"](t, -e, None) == 2.0
    for band, settled in ((4.0, 0.0), (3.0, 0.25), (1.0, 2.0), (0.75, 2.5), (0.5, 3.0), (0.4, np.inf)):
        assert of("settling_time", band=band) == settled
    assert of("settling_time") == np.inf  # 2 % of the largest
    assert STATISTICS["settling_time"](t, np.array([100.0, 4.0, 2.0, 0.0]), None) == 2.0


def test_samples_have_their_own_numbers_and_those_of_runs_alone():
    batch = driven(3)
    m = batch.metrics(["cart", "push.duty"], targets={"cart": 1.0, "push.duty": 0.0})
    assert m["cart"].rms.shape == (3,)
    for i in range(3):
        own = batch.sample(i).metrics(["cart", "push.duty"], targets={"cart": 1.0, "push.duty": 0.0})
        np.testing.assert_array_equal([x[i] for x in m["cart"]], own["cart"])
        np.testing.assert_array_equal([x[i] for x in m["push"]], own["push"])


def test_a_sample_that_stopped_counts_its_own_rows():
    plant = um.Plant(cart())
    events = [um.ChannelEvent("cart", rises_above=0.5)]
    run = um.simulate(plant, [[0.0], [0.0]], [[1.0], [0.1]], duration=1.0, step=0.01, events=events)
    m = run.metrics(["cart"], targets={"cart": 0.0})["cart"]
    np.testing.assert_allclose(m.peak, [0.49, 0.1], atol=0.011)


def test_of_a_run_from_disk_they_are_the_same(tmp_path):
    """Limits and loads come from the scenario in the file."""
    text = """unmoored_scenario: 1
name: box
system: tumbling_brick
actuators:
  - {type: Thruster, frame: brick, name: one, limits: [-10, 20]}
  - {type: Thruster, frame: brick, name: other, limits: [-5, 5]}
elements: [{type: SpringDamper, frame_a: world, frame_b: brick, name: tether, stiffness: 10, rest_length: 0.1}]
controllers: [{type: Inputs, values: {one: -3, other: 8}}]
initial: {joints: {brick: {xyz: [1, 0, 0]}}}
integrator: {step: 0.02}
duration: 1
"""
    from unmoored.simulation.scenario import parse_scenario

    run = parse_scenario(text).run()
    names = ["brick.x", "tether.force"]
    before = run.metrics(names)
    assert before["tether.force"].peak > 0.0
    assert before["one"].duty == pytest.approx(0.3)
    assert before["other"].duty == pytest.approx(1.0)
    run.save(tmp_path / "run.zarr.zip")
    after = um.load_run(tmp_path / "run.zarr.zip").metrics(names)
    assert after.channels == before.channels
    assert after.actuators == before.actuators


def test_ties_have_the_sizes_of_their_force_and_of_their_moment():
    """A rod that is welded to the world hangs aside: its weight, and that times the way to its middle."""
    b = um.SystemBuilder("bracket")
    b.vehicle("rod", um.Free(), inertia=um.Inertia(2.0, (0.3, 0.4, 0.0), np.diag([0.4, 0.3, 0.6])))
    tie = um.Closure("world", "rod", joint=um.Fixed(), name="weld")
    plant = um.Plant(b.build(), um.Earth(gravity=(0, 0, -10.0)), closures=[tie])
    run = um.simulate(plant, np.tile(plant.system.neutral(), (2, 1)), duration=0.02, step=0.01)
    found = run.metrics(["weld.force", "weld.moment"], targets={"weld.force": 0.0, "weld.moment": 0.0})
    np.testing.assert_allclose(found["weld.force"].peak, [20.0, 20.0], rtol=1e-9)
    np.testing.assert_allclose(found["weld.moment"].peak, [10.0, 10.0], rtol=1e-9)


def test_losses_of_levels_are_told():
    plant = um.Plant(cart())
    law = um.TaskPriority(plant, [[um.PostureTask({"cart": 1.0})], [um.PostureTask({"cart": 2.0})]])
    run = um.simulate(plant, [0.0], duration=0.04, step=0.01, control_step=0.02, controller=law)
    m = run.metrics(["level_1.loss"])
    assert set(m.levels) == {"level_0", "level_1"}
    assert m["level_0"].peak == run.memory["loss"][:, 0].max()
    assert losses(run).shape == (len(run.t), 2)
    alone = um.simulate(plant, [0.0], duration=0.04, step=0.01)
    assert losses(alone).shape == (len(alone.t), 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"channels": ["wagon"]}, "unknown channel: expected time, a joint (cart)"),
        ({"channels": ["rope.force"]}, ".input, .duty of push"),
        ({"channels": ["level_0.loss"]}, "unknown channel"),
        ({"channels": "cart"}, "a list of names"),
        ({"targets": {"wagon": 1.0}}, "unknown channel with a target: expected one of cart"),
        ({"targets": {"cart": um.Pose()}}, "a number, or a reference of one coordinate"),
        ({"channels": ["cart.distance"]}, "a pose, a trajectory of poses, or a FollowedFrame"),
        ({"channels": ["cart.angle"], "targets": {"cart.angle": 3.0}}, "a pose, a trajectory of poses"),
        (
            {"channels": ["cart.angle"], "targets": {"cart.angle": um.FollowedFrame("x")}},
            "unknown frame to follow",
        ),
        ({"start": 11.0}, "rows between start and end, within 0 … 10 s"),
    ],
)
@pytest.mark.whole
def test_what_is_wrong_is_told_with_the_names_that_there_are(options, words):
    run = of_rows(T, np.exp(-T), u=0 * T)
    with pytest.raises(um.ModelError) as told:
        run.metrics(**options)
    assert words in str(told.value)


def test_a_name_that_no_number_has_is_told():
    with pytest.raises(um.ModelError, match="unknown channel, actuator, level or goal: expected one of cart"):
        of_rows(T, T).metrics()["wagon"]


def test_goals_of_the_law_are_told_by_unit():
    """A law that holds a pose: its own target is what it is measured by."""
    system = um.load("tumbling_brick")
    plant = um.Plant(system)
    pose = um.Pose(xyz=(0.3, 0.4, 0), rpy=(0, 0, 0.2))
    law = um.StationKeeping(
        plant, "brick", pose, stiffness=[4.0, 4, 4, 0.1, 0.1, 0.1], damping=[8.0, 8, 8, 0.2, 0.2, 0.2]
    )
    run = um.simulate(plant, np.tile(system.neutral(), (2, 1)), duration=2.0, step=0.02, controller=law)
    m = run.metrics()
    (metres,) = (name for name in m.goals if name.endswith("(m)"))
    (radians,) = (name for name in m.goals if name.endswith("(rad)"))
    assert m[metres].peak == pytest.approx([0.5, 0.5], rel=0.01)
    assert m[radians].peak == pytest.approx([0.2, 0.2], rel=1e-9)
    one = run.sample(1).metrics()
    np.testing.assert_array_equal([x[1] for x in m[metres]], one[metres])
