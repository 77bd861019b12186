"""Forces shared out in a loop: the motion is that of the forces asked for, by the least efforts that give it."""

import numpy as np
import pytest

import unmoored as um

ROD = um.Inertia(mass=1.0, com=(0.25, 0, 0), tensor=np.diag([1e-3, 0.02, 0.02]))
HINGE = um.Revolute((0, 1, 0))


def carriers(closed=True, **motors):
    """Two arms of two joints in the vertical plane with a load in the left hand, which the right one pins."""
    b = um.SystemBuilder("pair")
    for side, x in (("left", -0.3), ("right", 0.3)):
        upper = b.link(f"{side}_upper", parent="world", joint=HINGE, at=um.Pose(xyz=(x, 0, 0)), inertia=ROD)
        lower = b.link(f"{side}_lower", parent=upper, joint=HINGE, at=um.Pose(xyz=(0.5, 0, 0)), inertia=ROD)
        b.frame(f"{side}_hand", parent=lower, at=um.Pose(xyz=(0.5, 0, 0)))
        if side == "left":
            load = b.link(
                "load",
                parent=lower,
                joint=um.Fixed(),
                at=um.Pose(xyz=(0.5, 0, 0)),
                inertia=um.Inertia.box(8.0, (0.2, 0.2, 0.2)),
            )
            b.frame("pin", parent=load)
    system = b.build()
    closures = [um.Closure("pin", "right_hand", joint=um.Spherical(), name="grip", active=float(closed))]
    names = ("left_upper", "left_lower", "right_upper", "right_lower")
    return um.Plant(
        system,
        um.Earth(),
        closures=closures,
        actuators=[um.JointMotor(name, **motors.get(name, {})) for name in names],
    )


class Forces(um.Law):
    value: tuple

    def __call__(self, t, q, v):
        return np.asarray(self.value) + 0.0 * v


def at_rest(plant):
    found = plant.assemble([-2.0, 1.4, -1.2, -1.2])
    return found.q, found.v


τ = np.array([20.0, -5.0, 3.0, 4.0])


def test_the_motion_is_that_of_the_forces_asked_for():
    plant = carriers()
    q, v = at_rest(plant)
    f = um.Allocated(plant, Forces(tuple(τ)), regularization=1e-9).shared_out(q, τ)
    np.testing.assert_allclose(
        plant.forward_dynamics(0.0, q, v, f.thrusts), plant.forward_dynamics(0.0, q, v, τ), atol=1e-9
    )
    assert np.abs(f.thrusts - τ).max() > 1.0
    assert np.linalg.norm(f.thrusts) < np.linalg.norm(τ)
    np.testing.assert_allclose(f.missing, 0.0, atol=1e-9)


def test_no_other_efforts_for_that_motion_are_smaller():
    """f is at right angles to all that only strains the loop: Jᵀλ, which leave the acceleration as it is."""
    plant = carriers()
    q, v = at_rest(plant)
    f = um.Allocated(plant, Forces(tuple(τ)), regularization=1e-9).shared_out(q, τ).thrusts
    effect = np.array([plant.forward_dynamics(0.0, q, v, e) for e in np.eye(4)]) - plant.forward_dynamics(
        0.0, q, v, np.zeros(4)
    )
    _, sizes, directions = np.linalg.svd(effect.T)
    idle = directions[np.flatnonzero(sizes < 1e-9 * sizes[0])]
    assert len(idle) == 2
    np.testing.assert_allclose(idle @ f, 0.0, atol=1e-8)


def test_within_limits_the_other_arm_takes_what_one_cannot():
    free = carriers()
    q, v = at_rest(free)
    wanted = um.Allocated(free, Forces(tuple(τ))).shared_out(q, τ).thrusts
    cut = 0.6 * abs(wanted[0])
    plant = carriers(left_upper={"limits": (-cut, cut)})
    f = um.Allocated(plant, Forces(tuple(τ)), regularization=1e-4).shared_out(q, τ)
    assert abs(f.thrusts[0]) <= cut * (1 + 1e-12)
    np.testing.assert_allclose(
        plant.forward_dynamics(0.0, q, v, f.thrusts), free.forward_dynamics(0.0, q, v, τ), atol=1e-5
    )


def test_many_forces_in_one_loop_are_shared_out_as_each_of_them():
    plant, wanted = carriers(), np.stack([τ, τ[::-1]])
    law, (q, _) = um.Allocated(plant, Forces(tuple(τ)), regularization=1e-6), at_rest(plant)
    for part, one, other in zip(
        law.shared_out(q, wanted), *(law.shared_out(q, x) for x in wanted), strict=True
    ):
        np.testing.assert_allclose(part, [one, other], atol=1e-9)


def test_of_a_closure_that_is_off_nothing_is_shared():
    plant = carriers(closed=False)
    q = np.array([-2.0, 1.4, -1.2, -1.2])
    f = um.Allocated(plant, Forces(tuple(τ)), regularization=1e-9).shared_out(q, τ)
    np.testing.assert_allclose(f.thrusts, τ, atol=1e-9)


def test_in_a_run_both_arms_carry_and_the_law_still_tracks():
    plant = carriers()
    q, _ = at_rest(plant)
    targets = dict(zip(("left_upper", "left_lower", "right_upper", "right_lower"), q, strict=True))
    law = um.Tracking(plant, targets, stiffness=200.0, damping=40.0)
    run = um.simulate(
        plant, q, duration=0.5, step=0.005, control_step=0.01, controller=um.Allocated(plant, law)
    )
    assert np.abs(run.q - q).max() < 1e-6
    alone = um.simulate(plant, q, duration=0.5, step=0.005, control_step=0.01, controller=law)
    assert np.linalg.norm(run.u[-1]) < 0.95 * np.linalg.norm(alone.u[-1])
    assert np.abs(run.unallocated).max() == pytest.approx(0.0, abs=1e-3)
