"""What a filter in a run believed, and by how much it was off: of one sample, of several, and back from disk."""

from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.sensing.estimated import Estimate
from unmoored.simulation.estimated_position import estimated_position
from unmoored.simulation.run_goals import EstimateErrors
from unmoored.simulation.scenario import channel_values

AXES = ("position.z", "position.x", "position.y", "attitude.x")
VARIANCES = np.array([0.09, 0.04, 0.01, -1e-18])  # rounding may leave less than nothing


class Guess(um.Law):
    """Believes the craft to be off by a fixed step and turn, and says how sure it is."""

    plant: um.Plant
    off: np.ndarray
    memory = {"covariance": np.diag(VARIANCES)}
    shapes = {"off": (6,)}
    error_names = AXES
    imu = um.Imu("imu", "nose", grade="ADIS16488")

    def __call__(self, seen, memory):
        q = self.plant.system.retract(seen.q, self.off)
        return Estimate(q, seen.v, memory["covariance"]), memory

    def errors(self, run):
        off = run.system.local(run.estimate.q, run.q)
        return off[..., [2, 0, 1, 3]]


def craft():
    b = um.SystemBuilder("craft")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=12.0, size=(0.6, 0.4, 0.3)))
    b.frame("nose", parent=bus, at=um.Pose(xyz=(0.1, 0.05, -0.02), rpy=(0.1, -0.2, 0.3)))
    return um.Plant(b.build())


PLANT = craft()


def late(t, q, v):
    return q[9] - 0.305


@cache
def run(batched):
    """The first of two samples stops between rows."""
    system, rng = PLANT.system, np.random.default_rng(7)
    q = system.retract(np.tile(system.neutral(), (2, 1)), 0.2 * rng.normal(size=(2, 6)))
    q[:, 9] = 0.1
    v = np.tile([0.0, 0.0, 0.0, 0.1, 0.2, 0.3], (2, 1))
    v[0, :3] = q[0, :9].reshape(3, 3).T @ [1.0, 0.0, 0.0]
    law = um.Estimated(
        Guess(PLANT, np.array([0.1, -0.2, 0.3, 0.02, 0.01, 3.0])), um.Inputs(PLANT, np.zeros(6))
    )
    hold = um.StationKeeping(PLANT, "bus", um.Pose(), 0.0, 0.0)
    options = {
        "duration": 0.4,
        "step": 0.01,
        "control_step": 0.02,
        "record_every": 4,
        "events": [um.Event(late)],
    }
    q, v = (q, v) if batched else (q[1], v[1])
    return um.simulate(PLANT, q, v, controller=law + hold, **options)


def check(one, rows):
    """The estimate of one sample: `rows` rows at control periods, then none that counts."""
    found = one.estimate_errors
    assert (found.names, found.of) == (AXES, "nose")
    off = PLANT.system.local(one.estimate.q, one.q)
    np.testing.assert_array_equal(found.error[:rows], off[:rows][:, [2, 0, 1, 3]])
    np.testing.assert_allclose(found.error[0], [-0.3, -0.1, 0.2, 0.0], atol=0.1)
    np.testing.assert_allclose(found.deviation[:rows], np.tile([0.3, 0.2, 0.1, 0.0], (rows, 1)), atol=1e-8)


def test_errors_and_deviations_of_one_sample(tmp_path):
    one = run(False)
    check(one, 11)
    place = one.estimated_position
    g = PLANT.system.pose(one.estimate.q, "nose")
    assert place.frame == "nose"
    np.testing.assert_allclose(place.position, g[:, :3, 3], atol=1e-15)
    R = g[:, :3, :3]
    np.testing.assert_allclose(
        place.covariance, R @ np.diag([0.04, 0.01, 0.09]) @ R.transpose(0, 2, 1), atol=1e-15
    )
    one.save(tmp_path / "run.nc")
    check(um.load_run(tmp_path / "run.nc"), 11)


def test_errors_and_deviations_of_several_samples_on_disk(tmp_path):
    batch = run(True)
    rows = batch.lengths.tolist()
    assert rows == [6, 11]
    batch.save(tmp_path / "run.nc")
    back = um.load_run(tmp_path / "run.nc")
    for i, count in enumerate(rows):
        check(batch.sample(i), count)
        check(back.sample(i), count)
        for of in (back.sample(i).estimate_errors, back.sample(i).goals["pose of bus"]):
            assert len(of.error) == len(back.sample(i).t)
            assert np.isnan(of.error[count:]).all()
        goals = (x.sample(i).goals["pose of bus"] for x in (batch, back))
        mine, own = goals
        np.testing.assert_array_equal(mine.target[:count], own.target[:count])
    assert len(back.sample(0).t) == 7  # and the row where it stopped


def test_a_filter_of_the_plants_own_tangent_has_the_position_of_its_first_vehicle():
    tree, names = PLANT.tree, tuple(f"d {name}" for name in PLANT.tree.dof_names)
    q, P = run(False).q, np.broadcast_to(np.diag(np.arange(1.0, 7.0)), (11, 6, 6))
    found = estimated_position(tree, Estimate(q, None, P), EstimateErrors(names, P, P))
    R = q[:, :9].reshape(-1, 3, 3)
    assert found.frame == "bus"
    np.testing.assert_allclose(
        found.covariance, R @ np.diag([1.0, 2.0, 3.0]) @ R.transpose(0, 2, 1), atol=1e-13
    )
    assert estimated_position(tree, Estimate(q, None, P), EstimateErrors(names[1:], P, P)) is None
    places = names[2::-1]  # of the position alone, the last axis first
    alone = estimated_position(tree, Estimate(q, None, P[:, 2::-1, 2::-1]), EstimateErrors(places, P, P))
    np.testing.assert_array_equal(alone.covariance, found.covariance)
    np.testing.assert_array_equal(alone.position, q[:, 9:12])


@pytest.mark.parametrize("batched", [False, True])
def test_channels_of_the_state_are_told_as_believed(batched):
    system, one = PLANT.system, run(batched)
    for name, of in (("bus.x", 9), ("nose.z", None), ("bus.yaw", None)):
        (believed,) = one_channel(one, f"{name}.estimate")
        (off,) = one_channel(one, f"{name}.estimate_error")
        (true,) = one_channel(one, name)
        if of is not None:
            np.testing.assert_array_equal(believed, one.estimate.q[..., of])
        if name == "nose.z":
            np.testing.assert_allclose(believed, system.pose(one.estimate.q, "nose")[..., 2, 3], atol=1e-14)
        gap = believed - true
        wanted = np.remainder(gap + np.pi, 2 * np.pi) - np.pi if name == "bus.yaw" else gap
        np.testing.assert_allclose(off, wanted, atol=1e-14)


def one_channel(of, name):
    return channel_values(of, [name]).values()
