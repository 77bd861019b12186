"""Forces shared out among actuators with limits: never more than an actuator can do, and what is missing is told."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.control.allocation import allocated
from unmoored.control.allocation.channels import channels_of
from unmoored.worlds import Seen


def boat(limits=(0.0, 5.0), **options):
    """Four thrusters that only push, two along, one to each side."""
    builder = um.SystemBuilder("boat")
    builder.vehicle("boat", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(2, 1, 0.4)))
    places = {
        "left": ((1, 0, 0), (-1, 0.4, 0)),
        "right": ((1, 0, 0), (-1, -0.4, 0)),
        "port": ((0, 1, 0), (0.9, 0, 0)),
        "starboard": ((0, -1, 0), (0.9, 0, 0)),
    }
    thrusters = [
        um.Thruster("boat", direction=d, at=r, name=name, limits=limits) for name, (d, r) in places.items()
    ]
    return um.Plant(builder.build(), actuators=thrusters, **options)


class Push(um.Law):
    """Forces that grow with time; the second sample of a batch asks for twice as much."""

    size: float

    def __call__(self, t, q, v):
        return self.size * (1 + t) * np.array([2.0, -0.3, 0.2]) + 0.0 * v


def test_one_sided_thrusters_give_what_they_can_and_no_negative_command():
    plant = boat()
    law = um.Allocated(plant, Push(0.7), regularization=1e-6)
    q0 = plant.system.neutral()
    run = um.simulate(plant, q0, duration=1.0, step=0.01, control_step=0.1, controller=law)
    assert run.u.min() >= 0.0
    assert run.u.max() <= 5.0
    B = plant.allocation_matrix(q0)
    wanted = 0.7 * (1 + np.floor(run.t[:-1] * 10 + 1e-9) / 10)[:, None] * np.array([2.0, -0.3, 0.2])
    assert np.abs(wanted - run.u[:-1] @ B.T - run.unallocated[:-1]).max() < 1e-9
    assert (
        np.abs(run.unallocated).max() < 1e-9
    )  # all of it can be done, which least squares cut at zero could not
    assert np.abs(np.maximum(np.linalg.pinv(B) @ wanted[0], 0.0) @ B.T - wanted[0]).max() > 0.1


def test_what_saturated_thrusters_cannot_give_is_told():
    plant = boat()
    law = um.Allocated(plant, Push(np.array([0.7, 20.0])), regularization=1e-6)
    q0 = np.stack([plant.system.neutral()] * 2)
    run = um.simulate(plant, q0, duration=0.5, step=0.01, control_step=0.1, controller=law)
    assert np.abs(run.unallocated[0]).max() < 1e-9
    assert run.u[1].max() == 5.0
    B = plant.allocation_matrix(q0[0])
    first = 20.0 * np.array([2.0, -0.3, 0.2])
    best = um.allocate(B, first, (0.0, 5.0), regularization=1e-12)
    assert np.allclose(run.u[1, 0], best, atol=1e-9)
    assert np.allclose(run.unallocated[1, 0], first - B @ best, atol=1e-8)
    assert np.linalg.norm(run.unallocated[1, 0]) > 10.0
    without = um.simulate(plant, q0[0], duration=0.1, step=0.01, controller=um.Allocated(plant, Push(0.7)))
    assert without.u.min() >= 0.0
    with pytest.raises(um.ModelError, match="control_step"):
        _ = without.unallocated


def test_samples_may_have_their_own_limits():
    plant = boat(free=["left.limits"])
    q0 = np.stack([plant.system.neutral()] * 3)
    limits = np.tile(np.array([0.0, 5.0]), (3, 4, 1))
    limits[1, 0], limits[2, 0] = (0.0, 0.0), (0.0, 9.0)
    law = um.Allocated(plant, Push(20.0), limits=limits)
    options = {"duration": 0.2, "step": 0.01, "control_step": 0.1}
    run = um.simulate(plant, q0, controller=law, parameters={"left.limits": limits[:, 0]}, **options)
    assert run.u[1, :, 0].max() == 0.0
    assert 5.0 < run.u[2, :, 0].max() <= 9.0
    for k in range(3):
        alone = um.simulate(
            plant,
            q0[k],
            controller=um.Allocated(plant, Push(20.0), limits=limits[k]),
            parameters={"left.limits": limits[k, 0]},
            **options,
        )
        assert np.array_equal(alone.u, run.u[k])
    wide = limits[0].copy()
    wide[1] = (-1.0, 5.0)
    with pytest.raises(um.ModelError, match="right: limits of Allocated: expected within those of the plant"):
        um.Allocated(plant, Push(20.0), limits=wide)
    with pytest.raises(um.ModelError, match="lowest"):
        um.Allocated(plant, Push(20.0), limits=limits[0, :, ::-1])
    with pytest.raises(um.ModelError, match="detected_after"):
        um.Allocated(plant, Push(20.0), detected_after=-1.0)


def test_efforts_of_joints_are_limits_too():
    system = um.load("free_flyer_arm7")
    joint = next(body for body in system.tree.bodies if body.joint.nv == 1)
    builder = um.SystemBuilder("arm")
    base = builder.vehicle("base", um.Fixed(), inertia=joint.inertia)
    builder.link("a", parent=base, joint=um.Revolute(axis=(0, 0, 1), effort=3.0), inertia=joint.inertia)
    plant = um.Plant(builder.build(), actuators=[um.JointMotor("a", gear=2.0)])

    class Strong(um.Law):
        def __call__(self, t, q, v):
            return 100.0 + 0.0 * v

    law = um.Allocated(plant, Strong())
    assert law(0.0, np.zeros(1), np.zeros(1)).tolist() == [1.5]
    run = um.simulate(plant, [0.0], duration=0.1, step=0.01, control_step=0.05, controller=law)
    assert run.unallocated.tolist() == [[97.0]] * 11


def test_kept_with_the_run_and_in_sums(tmp_path):
    plant = boat()
    law = um.Inputs(plant, {"port": 0.1}) + um.Allocated(plant, Push(20.0))
    options = {"duration": 0.2, "step": 0.01, "control_step": 0.1}
    run = um.simulate(plant, plant.system.neutral(), controller=law, checkpoint=tmp_path / "kept", **options)
    assert list(run.memory) == ["1.unallocated", "1.allocation.wanted", "1.allocation.unsolved"]
    run.save(tmp_path / "run.zarr")
    assert np.array_equal(um.load_run(tmp_path / "run.zarr").unallocated, run.unallocated)
    assert np.array_equal(um.resume(tmp_path / "kept", plant, controller=law).unallocated, run.unallocated)
    by_python = um.simulate(plant, plant.system.neutral(), controller=law, controller_in="python", **options)
    assert np.allclose(by_python.unallocated, run.unallocated, atol=1e-9)


def test_memories_with_any_name_are_saved(tmp_path):
    plant = boat()

    class Named(um.Law):
        memory = {"my sum (N s)": 1, "1.unallocated": 2.0}

        def __call__(self, seen, memory):
            return np.ones(4) + 0.0 * seen.t, {name: x + 1.0 for name, x in memory.items()}

    run = um.simulate(
        plant, plant.system.neutral(), controller=Named(), duration=0.2, step=0.01, control_step=0.1
    )
    for name in ("run.zarr", "run.zarr.zip", "run.nc"):
        run.save(tmp_path / name)
        loaded = um.load_run(tmp_path / name)
        assert np.array_equal(loaded.memory["my sum (N s)"], run.memory["my sum (N s)"])

    class Slashed(Named):
        memory = {"a/b": 1}

    with pytest.raises(um.ModelError, match="memory of Slashed"):
        um.simulate(plant, plant.system.neutral(), controller=Slashed(), duration=0.2, control_step=0.1)


def test_others_take_over_when_an_actuator_fails():
    """From the failure on the inputs are the best of the actuators that are left, and what is missing is told."""
    plant = boat()
    thrusters = [replace(a, fails_at=0.25) if a.label == "left" else a for a in plant.actuators]
    failing = um.Plant(plant.system, actuators=thrusters)
    law = um.Allocated(failing, Push(0.7), regularization=1e-6)
    q0 = plant.system.neutral()
    run = um.simulate(failing, q0, duration=0.5, step=0.01, control_step=0.1, controller=law)
    B = plant.allocation_matrix(q0)
    for k in range(5):
        wanted = 0.7 * (1 + 0.1 * k) * np.array([2.0, -0.3, 0.2])
        works = np.array([0.1 * k < 0.25, True, True, True])
        best = um.allocate(B * works, wanted, (0.0, 5.0), regularization=1e-12)
        assert np.allclose(run.u[10 * k], best, atol=1e-9)
        assert np.allclose(run.unallocated[10 * k], wanted - B @ (works * best), atol=1e-8)
    assert np.abs(run.u[:30, 0]).min() > 0.1
    assert np.abs(run.u[30:, 0]).max() < 1e-12
    assert np.abs(run.unallocated[:30]).max() < 1e-9 < 1e-2 < np.abs(run.unallocated[31]).max()
    with pytest.raises(um.ModelError, match=r"left.fails_at.*free parameter"):
        um.Allocated(um.Plant(plant.system, actuators=thrusters, free=["left.fails_at"]), Push(0.7))


def test_inputs_change_no_faster_than_their_rates():
    plant = boat()
    rates = np.array([3.0, 3.0, 1.0, 1.0])
    law = um.Allocated(plant, Push(np.array([0.7, 20.0])), regularization=1e-6, rates=rates)
    q0 = np.stack([plant.system.neutral()] * 2)
    given = {"duration": 2.0, "step": 0.01, "control_step": 0.1}
    run = um.simulate(plant, q0, controller=law, **given)
    steps = np.diff(np.concatenate([np.zeros((2, 1, 4)), run.u[:, ::10]], axis=1), axis=1)
    assert np.all(np.abs(steps) <= 0.1 * rates + 1e-12)
    assert np.abs(steps[1, 0, :2] - 0.3).max() < 1e-12  # it goes as fast as it may
    free = um.simulate(plant, q0, controller=um.Allocated(plant, Push(np.array([0.7, 20.0])), 1e-6), **given)
    assert np.abs(run.u[0, -1] - free.u[0, -1]).max() < 1e-9  # and arrives
    assert np.abs(run.unallocated[0, 0]).max() > 0.1
    with pytest.raises(um.ModelError, match="control_step"):
        um.simulate(plant, q0, controller=law, duration=0.1, step=0.01)
    with pytest.raises(um.ModelError, match="rates"):
        um.Allocated(plant, Push(0.7), rates=-1.0)


def test_without_limits_there_is_always_an_optimum():
    plant, q0 = boat(limits=None), boat().system.neutral()
    law = um.Allocated(plant, Push(0.7), regularization=1e-6)
    assert law.limits is None
    run = um.simulate(plant, q0, duration=0.2, step=0.01, control_step=0.1, controller=law)
    assert run.unsolved.max() == 0.0
    assert np.abs(run.unallocated).max() < 1e-9
    one = um.Plant(plant.system, actuators=[*plant.actuators[:3], boat().actuators[3]])
    limits = um.Allocated(one, Push(0.7)).limits
    assert limits.tolist() == [[-1e30, 1e30]] * 3 + [[0.0, 5.0]]
    with pytest.raises(
        um.ModelError, match=r"left: limits of on_off: expected 0 to full thrust, given -1e\+30"
    ):
        um.Allocated(one, Push(0.7), on_off=["left"])
    half = um.Plant(plant.system, actuators=[replace(a, limits=(0.0, 1e30)) for a in plant.actuators])
    with pytest.raises(um.ModelError, match="0 to full thrust"):
        um.Allocated(half, Push(0.7), on_off=["left"])


def test_periods_without_an_optimum_are_counted(monkeypatch):
    """None is near enough to the optimum for a bound below zero."""
    monkeypatch.setattr(allocated, "_SOLVED", -1.0)
    plant = boat()
    law = um.Allocated(plant, Push(0.7))._when_held()
    memory = {name: np.zeros(size) if isinstance(size, int) else 3.0 for name, size in law.memory.items()}
    kept = law(Seen(0.0, plant.system.neutral(), np.zeros(3), period=0.1), memory)[1]
    assert kept["allocation.unsolved"] == 4.0


def test_forces_are_shared_out_at_time_zero_where_no_time_is_told():
    plant = boat()
    thrusters = [replace(a, fails_at=0.5) if a.label == "left" else a for a in plant.actuators]
    law = um.Allocated(um.Plant(plant.system, actuators=thrusters), Push(0.7))
    q, τ = plant.system.neutral(), np.array([2.0, -0.3, 0.2])
    now, later = (law.shared_out(q, τ, t).thrusts for t in (0.0, 1.0))
    np.testing.assert_array_equal(law.shared_out(q, τ).thrusts, now)
    assert later[0] == 0.0 < now[0]


def test_places_of_inputs_and_columns_go_on_from_actuator_to_actuator():
    b = um.SystemBuilder("tug")
    tug = b.vehicle("tug", um.Free(), inertia=um.Inertia.box(10.0, (2, 1, 1)))
    b.link("ball", parent=tug, joint=um.Spherical(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    actuators = [
        um.Thruster("tug", name="bow"),
        um.JointMotor("ball", name="motor"),
        um.Thruster("tug", azimuth=(0, 0, 1), name="azimuth", fails_at=3.0),
        um.Wrench("tug", name="hand"),
        um.Thruster("tug", name="stern", limits=(-1, 1), curve=np.sinh),
    ]
    plant = um.Plant(b.build(), actuators=actuators)
    found = channels_of(plant)
    assert [(c.label, c.column, c.input) for c in found] == [
        ("bow", 0, 0),
        *(("motor", 1 + k, 1 + k) for k in range(3)),
        ("azimuth", 4, 4),
        *(("hand", 6 + k, 6 + k) for k in range(6)),
        ("stern", 12, 12),
    ]
    assert [c.label for c in found if c.turns] == ["azimuth"]
    assert [c.fails_at for c in found if c.turns] == [3.0]
    assert [c.curve is not None for c in found] == [False] * 11 + [True]
    assert plant.nu == 13
    assert plant.allocation_matrix(plant.system.neutral()).shape == (9, 13)
