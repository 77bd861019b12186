"""Methods that split DoFs into given forces and given motions, on plants whose motion is partly given or tied."""

import numpy as np
import pytest
from tests.support.rolling_vehicles import WHEELS, rover

import unmoored as um


def servicer():
    """A bus with two joints and a tool."""
    b = um.SystemBuilder("servicer")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=9.0, size=(0.5, 0.4, 0.3)))
    arm = b.link(
        "arm",
        parent=bus,
        joint=um.Revolute(axis=(0, 1, 0), damping=0.3),
        at=um.Pose(xyz=(0.1, 0.2, 0.3)),
        inertia=um.Inertia.box(mass=2.0, size=(0.1, 0.2, 0.6), com=(0, 0, 0.3)),
    )
    b.link(
        "hand",
        parent=arm,
        joint=um.Revolute(axis=(1, 0, 0)),
        at=um.Pose(xyz=(0, 0, 0.6)),
        inertia=um.Inertia.box(mass=1.0, size=(0.1, 0.1, 0.3), com=(0, 0.05, 0.1)),
    )
    return b.build()


DRIVE = um.DifferentialDrive("rover", "axle", **WHEELS)
ROVER = um.Plant(um.System(rover(um.Planar(), kinds=("Revolute",))), um.Ground(), constraints=[DRIVE])
MOVED = um.Plant(servicer(), um.Earth(), prescribed={"arm": um.Sine(0.4, 2.0)})


def test_hybrid_dynamics_with_all_forces_given_is_forward_dynamics_where_a_joint_is_prescribed():
    rng = np.random.default_rng(4)
    q, t = MOVED.system.random_configuration(rng), 0.7
    v, tau, wrong = rng.normal(size=(3, MOVED.nv))
    every = list(MOVED.system.names)
    given = {"tau": tau, "acceleration": wrong, "backend": "numpy"}
    a, forces = MOVED.hybrid_dynamics(t, q, v, passive=every, **given)
    expected = MOVED.forward_dynamics(t, q, v, tau, backend="numpy")
    assert np.abs(a - expected).max() <= 1e-12 * np.abs(expected).max()
    held = MOVED.reactions(t, q, v, tau, backend="numpy")
    arm = MOVED.system.tree.dofs(["arm"])
    assert np.allclose(forces[arm] - tau[arm], held[arm], rtol=1e-11)
    assert a[arm] == pytest.approx(-0.4 * np.pi**2 * np.sin(np.pi * t), rel=1e-12)
    a, forces = MOVED.hybrid_dynamics(t, q, v, passive=["bus"], **given)
    assert np.array_equal(a[MOVED.system.tree.dofs(["hand"])], wrong[MOVED.system.tree.dofs(["hand"])])


@pytest.mark.parametrize("plant", [ROVER, MOVED], ids=["tied", "prescribed"])
def test_what_has_no_form_for_ties_is_refused(plant):
    q, v, own = plant.system.neutral(), np.zeros(plant.nv), plant.system.names[0 if plant is ROVER else 1]
    frame = plant.system.names[-1]
    with pytest.raises(
        um.ModelError, match=r"operational_space: expected no (constraints|prescribed joints)"
    ):
        plant.operational_space(0.0, q, v, frame, backend="numpy")
    with pytest.raises(um.ModelError, match="passive: expected active DoFs where motion is"):
        plant.generalized_jacobian(q, frame, passive=[own], backend="numpy")
    with pytest.raises(um.ModelError, match="passive: expected active DoFs where motion is"):
        plant.disturbance_jacobian(q, passive=[own], backend="numpy")
    plant.generalized_jacobian(q, frame, passive=[], backend="numpy")
    with pytest.raises(um.ModelError, match="passive: expected active DoFs where motion is"):
        um.ResolvedMotion(plant, frame, np.eye(4), passive=[own])


def test_hybrid_dynamics_of_a_rolling_rover_is_refused():
    q, v = ROVER.system.neutral(), np.zeros(ROVER.nv)
    with pytest.raises(um.ModelError, match="hybrid_dynamics: expected no constraints"):
        ROVER.hybrid_dynamics(0.0, q, v, tau=v, acceleration=v, passive=["rover"], backend="numpy")
