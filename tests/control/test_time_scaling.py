"""The fastest motion within limits: closed forms, and nothing above a limit on a fine grid."""

import numpy as np
import pytest

import unmoored as um
from unmoored.control.time_scaling import _smallest
from unmoored.lie import se3


def slider(mass=2.0, **options):
    builder = um.SystemBuilder("slider")
    joint = um.Prismatic(axis=(1, 0, 0), **options)
    builder.vehicle("cart", joint, inertia=um.Inertia.box(mass=mass, size=(1, 1, 1)))
    return builder.build()


def swing():
    builder = um.SystemBuilder("arm")
    link = um.Inertia(mass=2.0, com=(0, 0, -0.3), tensor=0.05 * np.eye(3))
    first = builder.vehicle("upper", um.Revolute(axis=(0, 1, 0)), inertia=link)
    builder.link(
        "lower", parent=first, joint=um.Revolute(axis=(0, 1, 0)), at=um.Pose(xyz=(0, 0, -0.6)), inertia=link
    )
    return builder.build()


LINE = um.PoseSpline([0, 1], [np.eye(4), se3.exp(np.array([3.0, 0, 0, 0, 0, 0]))], rest=False)


def test_a_mass_is_pushed_and_braked():
    """2 √(d m/F), and with a limit on speed the trapezoid d/v + v m/F."""
    plant = um.Plant(slider())
    free = um.fastest_timing(plant, {"cart": LINE}, (0, 1), effort={"cart": 4.0})
    assert free.duration == pytest.approx(2 * np.sqrt(3.0 * 2.0 / 4.0), rel=1e-6)
    held = um.fastest_timing(plant, {"cart": LINE}, (0, 1), effort={"cart": 4.0}, velocity={"cart": 1.5})
    assert held.duration == pytest.approx(3.0 / 1.5 + 1.5 * 2.0 / 4.0, rel=1e-3)
    assert 0.999 < held.effort.max() <= 1.0
    assert 0.999 < held.velocity.max() <= 1.0
    eased = um.fastest_timing(plant, {"cart": LINE}, (0, 1), acceleration=[2.0])
    assert eased.duration == pytest.approx(2 * np.sqrt(3.0 / 2.0), rel=1e-6)
    motion = free.targets["cart"].motion(
        np.array([0.0, free.duration / 2, free.duration]), plant.tree.links[0].joint
    )
    assert np.abs(motion.configuration[:, 0] - [0.0, 1.5, 3.0]).max() < 1e-6


def test_uniform_scaling_is_the_closed_form():
    """Least jerk: the peak acceleration 10/√3 d/T² is the limit; peak speed 15/8 d/T."""
    plant = um.Plant(slider())
    path = um.Quintic([0.0, 1.0], [0.0, 3.0])
    found = um.fastest_timing(plant, {"cart": path}, (0, 1), effort={"cart": 4.0}, scaling="uniform")
    assert found.duration == pytest.approx(np.sqrt(10 / np.sqrt(3) * 3.0 / 2.0), rel=1e-4)
    found = um.fastest_timing(plant, {"cart": path}, (0, 1), velocity={"cart": 0.5}, scaling="uniform")
    assert found.duration == pytest.approx(15 / 8 * 3.0 / 0.5, rel=1e-4)


@pytest.mark.parametrize("scaling", ["uniform", "path"])
def test_where_a_path_begins_on_its_own_clock_does_not_matter(scaling):
    """The same way from 0 to 1 and from 1.5 to 4: as long, the same at every time, and from end to end."""
    plant, found = um.Plant(slider()), []
    for begin, end in ((0.0, 1.0), (1.5, 4.0)):
        poses = [se3.exp(np.array([x, 0, 0, 0, 0, 0])) for x in (0.5, 3.5)]
        line = (
            um.PoseSpline([begin, end], poses, rest=False)
            if scaling == "path"
            else um.ScrewPath([begin, end], poses)
        )
        found.append(
            um.fastest_timing(
                plant,
                {"cart": line},
                (begin, end),
                effort={"cart": 4.0},
                velocity={"cart": 1.6},
                scaling=scaling,
            )
        )
    assert found[1].duration == pytest.approx(found[0].duration, rel=1e-5)
    share = np.linspace(0.0, 1.0, 7)
    places = [
        x.targets["cart"].motion(share * x.duration, plant.tree.links[0].joint).configuration[:, 0]
        for x in found
    ]
    np.testing.assert_allclose(places[1], places[0], atol=1e-4)
    np.testing.assert_allclose(places[0][[0, -1]], [0.5, 3.5], atol=1e-9)


def test_shares_of_the_limits_that_are_told_are_those_of_the_motion():
    """Along a way that bends in time, speeds and accelerations by the motion itself at many times."""
    plant = um.Plant(slider())
    poses = [se3.exp(np.array([x, 0, 0, 0, 0, 0])) for x in (0.0, 1.0, 3.0)]
    path = um.PoseSpline([0.0, 0.7, 1.0], poses, rest=False)
    found = um.fastest_timing(
        plant, {"cart": path}, (0, 1), velocity={"cart": 1.9}, acceleration={"cart": 1.5}
    )
    t = np.linspace(1e-9, found.duration - 1e-9, 20001)
    motion = found.targets["cart"].motion(t, plant.tree.links[0].joint)
    assert np.abs(motion.velocity).max() / 1.9 == pytest.approx(found.velocity[0], rel=1e-3)
    assert np.abs(motion.acceleration).max() / 1.5 == pytest.approx(found.acceleration[0], rel=1e-3)
    assert 0.98 < found.velocity[0] <= 1.0
    assert 0.98 < found.acceleration[0] <= 1.0


@pytest.mark.parametrize("bend", [0.0, 0.6])
@pytest.mark.long
def test_an_arm_with_weight_uses_one_limit_all_the_way_and_keeps_all(bend):
    """Along a fixed path, straight or bent, one drive is at its limit nearly always (bang-bang); all are kept."""
    system = swing()
    plant = um.Plant(system, world=um.Earth())
    path = {
        "upper": um.PoseSpline([0, 1], [np.eye(4), se3.exp(np.array([0, 0, 0, 0, 1.5, 0]))], rest=False),
        "lower": um.PoseSpline([0, 1], [np.eye(4), se3.exp(np.array([0, 0, 0, 0, -1.0, 0]))], rest=False),
    }
    if bend:
        turns = (0.0, -0.5 + bend, -1.0)
        path["lower"] = um.PoseSpline(
            [0, 0.5, 1], [se3.exp(np.array([0, 0, 0, 0, x, 0])) for x in turns], rest=False
        )
    limit = np.array([25.0, 9.0])
    found = um.fastest_timing(plant, path, (0, 1), effort=limit, nodes=200 if not bend else 800)
    assert found.effort.max() <= 1.0
    t = np.linspace(0.01, found.duration - 0.01, 500)
    q, v, a = (
        np.concatenate(part, axis=-1)
        for part in zip(
            *(found.targets[name].motion(t, system.tree.link(name).joint) for name in ("upper", "lower")),
            strict=True,
        )
    )
    share = np.abs(plant.inverse_dynamics(0.0, q, v, a)) / limit
    assert share.max() < 1.0 + 1e-6
    assert np.mean(share.max(axis=1) > 0.97) > 0.95
    if bend:
        return
    uniform = {name: um.ScrewPath([0, 1], x.poses) for name, x in path.items()}
    slower = um.fastest_timing(plant, uniform, (0, 1), effort=limit, scaling="uniform")
    assert slower.effort.max() <= 1.0
    assert slower.duration > 1.1 * found.duration


def test_drag_and_friction_are_counted():
    """A damped cart at its steady speed uses the whole force: F = c v."""
    plant = um.Plant(slider(damping=3.0, friction=0.5))
    long = um.PoseSpline([0, 1], [np.eye(4), se3.exp(np.array([60.0, 0, 0, 0, 0, 0]))], rest=False)
    found = um.fastest_timing(plant, {"cart": long}, (0, 1), effort={"cart": 4.0}, nodes=400)
    assert found.effort.max() <= 1.0
    assert found.duration == pytest.approx(60.0 / (3.5 / 3.0), rel=0.03)


def test_refusals():
    plant = um.Plant(slider())
    with pytest.raises(um.ModelError, match="a stop at"):
        um.fastest_timing(plant, {"cart": um.Quintic([0, 1], [0, 1])}, (0, 1), effort=[1.0])
    with pytest.raises(um.ModelError, match="at rest at both ends"):
        um.fastest_timing(plant, {"cart": LINE}, (0, 1), effort=[1.0], scaling="uniform")
    with pytest.raises(um.ModelError, match="at least one"):
        um.fastest_timing(plant, {"cart": LINE}, (0, 1))
    with pytest.raises(um.ModelError, match="effort"):
        um.fastest_timing(plant, {"cart": LINE}, (0, 1), effort=[-1.0])
    for bad in ("1", True, [1.0, 2.0], [1j]):
        for given in ({"effort": bad}, {"effort": {"cart": bad}}, {"effort": [1.0], "q": bad}):
            with pytest.raises(um.ModelError, match=f"^fastest_timing: {[*given][-1]}.*: expected"):
                um.fastest_timing(plant, {"cart": LINE}, (0, 1), **given)
    upper = um.PoseSpline([0, 1], [np.eye(4), se3.exp(np.array([0, 0, 0, 0, 1.5, 0]))], rest=False)
    heavy, angle = um.Plant(swing(), world=um.Earth()), np.linspace(0.0, 1.5, 201)
    still = heavy.inverse_dynamics(0.0, np.stack([angle, 0.0 * angle], axis=-1), *np.zeros((2, 201, 2)))
    needed = np.abs(still).max(axis=0)
    with pytest.raises(um.ModelError, match="to hold still on the path"):
        um.fastest_timing(heavy, {"upper": upper}, (0, 1), effort=needed * (0.97, 2.0))
    assert um.fastest_timing(heavy, {"upper": upper}, (0, 1), effort=1.05 * needed).effort.max() <= 1.0


def test_the_smallest_factor_that_fits_is_found_to_a_millionth():
    for least in np.random.default_rng(1).uniform(1.0, 50.0, 20):
        found = _smallest(lambda k, least=least: k >= least, 1.0)
        assert least <= found <= least * (1 + 1.01e-6)
    assert _smallest(lambda k: True, 0.3) == 0.3
    assert _smallest(lambda k: k >= 0.9e9, 1.0) == pytest.approx(0.9e9, rel=1e-6)
    with pytest.raises(um.ModelError, match="some speed that keeps them"):
        _smallest(lambda k: k >= 1.5e9, 1.0)


def test_what_holds_still_must_leave_something():
    """The whole limit to hold a cart on a slope is too much; a little less is not."""
    plant = um.Plant(slider(), um.Earth(gravity=(-5.0, 0, 0)))
    for more, fits in ((0.0, False), (1e-3, True)):
        limit = plant.inverse_dynamics(0.0, [0.0], [0.0], [0.0]) + more
        assert limit[0] == 10.0 + more
        if fits:
            um.fastest_timing(plant, {"cart": LINE}, (0, 1), effort=limit, nodes=10)
        else:
            with pytest.raises(um.ModelError, match=r"cart: effort: expected 10 or less, given 10 to hold"):
                um.fastest_timing(plant, {"cart": LINE}, (0, 1), effort=limit)


@pytest.mark.whole
@pytest.mark.parametrize("scaling", ["uniform", "path"])
def test_the_other_joints_rest_where_they_are_told(scaling):
    """By the plant's own forces along the motion, with the second joint bent: just within the limit."""
    plant, limit = um.Plant(swing(), world=um.Earth()), np.array([30.0, 14.0])
    ends = [np.eye(4), se3.exp(np.array([0, 0, 0, 0, 1.2, 0]))]
    path = (
        um.ScrewPath([0.5, 2.0], ends)
        if scaling == "uniform"
        else um.PoseSpline([0.5, 2.0], ends, rest=False)
    )
    found = um.fastest_timing(
        plant, {"upper": path}, (0.5, 2.0), effort=limit, scaling=scaling, q=[0.0, 1.4], nodes=60
    )
    t = np.linspace(1e-9, found.duration - 1e-9, 1500)
    moved = found.targets["upper"].motion(t, plant.tree.links[0].joint)
    q, v, a = (
        np.column_stack([part, np.full(len(t), rest)]) for part, rest in zip(moved, (1.4, 0, 0), strict=True)
    )
    share = (np.abs(plant.inverse_dynamics(0.0, q, v, a)) / limit).max(axis=0)
    np.testing.assert_allclose(share, found.effort, rtol=2e-2)
    assert 0.97 < share.max() < 1.0 + 1e-4
    straight = um.fastest_timing(plant, {"upper": path}, (0.5, 2.0), effort=limit, scaling=scaling, nodes=60)
    assert abs(straight.duration / found.duration - 1.0) > 0.02


def test_limits_are_given_by_names_or_for_all_and_the_path_has_two_hundred_spans():
    plant, way = (
        um.Plant(swing()),
        um.PoseSpline([0, 1], [np.eye(4), se3.exp(np.array([0, 0, 0, 0, 1.0, 0]))], rest=False),
    )
    by_name = um.fastest_timing(
        plant, {"lower": way}, (0, 1), acceleration={"lower": 3.0}, velocity={"upper": 0.1}
    )
    for_all = um.fastest_timing(plant, {"lower": way}, (0, 1), acceleration=[np.inf, 3.0])
    assert by_name.duration == for_all.duration == pytest.approx(2 * np.sqrt(1.0 / 3.0), rel=1e-6)
    assert len(by_name.timing.times) == 201
    assert by_name.velocity.tolist() == [0.0, 0.0]
    for wrong in ({"acceleration": [3.0]}, {"acceleration": [0.0, 3.0]}, {"velocity": {"lower": 0.0}}):
        with pytest.raises(um.ModelError, match=f"{next(iter(wrong))}: expected .* or 2 numbers > 0"):
            um.fastest_timing(plant, {"lower": way}, (0, 1), **wrong)
    for interval, nodes in (((1, 1), 10), ((0, 1), 1)):
        with pytest.raises(um.ModelError, match="begin < end, and two nodes or more"):
            um.fastest_timing(plant, {"lower": way}, interval, acceleration={"lower": 3.0}, nodes=nodes)
    um.fastest_timing(plant, {"lower": way}, (0, 1), acceleration={"lower": 3.0}, nodes=2)
    whole = um.fastest_timing(
        plant, {"lower": way}, (0, 1), acceleration={"lower": 3}, q=[0, 0]
    )  # no integers
    assert whole.duration == by_name.duration


def test_a_millionth_of_the_largest_speed_is_rest():
    """Along a path it is a stop; a motion as a whole may begin and end with it."""
    plant, most = um.Plant(slider()), 60.0
    for share in (0.9e-6, 1.1e-6):
        start = share * most
        rising = um.Motion(lambda t, start=start: np.array([start * t + 0.5 * (most - start) * t * t]))
        arch = um.Motion(
            lambda t, start=start: np.array([start * t + most * (2 * t * t - 4 / 3 * t * t * t)])
        )
        chosen = {"effort": [9.0], "nodes": 4}
        along, whole = ({"cart": rising}, (0.0, 1.0)), ({"cart": arch}, (0.0, 1.0))
        if share < 1e-6:
            with pytest.raises(um.ModelError, match="a stop at 0"):
                um.fastest_timing(plant, *along, **chosen)
            um.fastest_timing(plant, *whole, scaling="uniform", **chosen)
        else:
            um.fastest_timing(plant, *along, **chosen)
            with pytest.raises(um.ModelError, match=r"given a speed of 6\.6e-05 there"):
                um.fastest_timing(plant, *whole, scaling="uniform", **chosen)
