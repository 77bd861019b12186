"""One step of a plant and its derivatives on the manifold, against differences, chains and closed forms."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_tree
from tests.support.rolling_vehicles import R_WHEEL, rover
from tests.support.thinning import one_in, without
from tests.worlds.coupled_systems import coupled_tree
from tests.worlds.support import random_state, wet_system

import unmoored as um
from unmoored.integrators import METHODS

STEP = 0.05
NUMPY = {"backend": "numpy"}
EXPLICIT = ("euler", "heun", "rkmk4", "dopri5")


def swing(t):
    return np.stack([0.5 * np.sin(2 * t)])


def wet_with_lag(kinds=("Free", "Revolute", "Spherical")):
    """A wet free body with an arm, thrusters with lag, a motor with lag, and free numbers of all kinds."""
    system = wet_system(3, kinds)
    body = system.names[0]
    actuators = [
        um.Thruster(body, at=(0.2, 0.1, -0.1), direction=(1, 0.2, 0.1), lag=0.2, name="main"),
        um.Thruster(body, at=(-0.2, 0.1, 0.1), direction=(0, 0, 1), name="lift"),
        um.JointMotor(system.names[1], lag=0.1),
    ]
    free = ["ocean.current", "main.lag", f"{system.names[1]}.mass", "gravity"]
    return um.Plant(system, um.Ocean(current=(0.3, -0.2, 0.1)), actuators=actuators, free=free)


def rolling():
    """A rover that must not slip, with an arm."""
    tree = rover(um.Planar())
    drive = um.DifferentialDrive("rover", "axle", ("left", "right"), R_WHEEL)
    return um.Plant(um.System(tree), um.Earth(), constraints=[drive])


def prescribed():
    system = um.System(random_tree(2, ("Free", "Revolute", "Spherical", "Prismatic")))
    return um.Plant(system, um.Earth(), prescribed={"b1": swing})


def all_joints(kinds):
    return um.Plant(um.System(random_tree(1, ("Free", *kinds))), um.Earth())


PLANTS = {
    "wet, lag, free numbers": wet_with_lag,
    "rolling": rolling,
    "prescribed": prescribed,
    **{", ".join(kinds): lambda kinds=kinds: all_joints(kinds) for kinds in (ALL_KINDS[1:8], ALL_KINDS[8:])},
}


def state_of(plant, seed=0):
    rng = np.random.default_rng(seed)
    q, v = random_state(plant.system, seed)
    q = plant.configuration(0.3, q)
    v = plant.full_velocity(0.3, q, plant.independent_velocity(q, v))
    x = 0.3 * rng.normal(size=plant.nx)
    return 0.3, q, v, rng.normal(size=plant.nu), x, plant.nominal_parameters


def differences(plant, t, q, v, u, x, p, method="rkmk4", step=STEP, ε=2e-3):
    """Derivatives (n, n + nu + np) of a step on the manifold by differences of sixth order."""
    sizes = np.cumsum([plant.nv, plant.nw, plant.nx, plant.nu, len(p)])
    moves = np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
    z = (ε * moves[:, None, None] * np.eye(sizes[-1])).reshape(-1, sizes[-1])
    z = np.concatenate([np.zeros((1, sizes[-1])), z])
    dq, dw, dx, du, dp = np.split(z, sizes[:-1], axis=-1)
    there = plant.system.retract(q, dq, **NUMPY)
    w = plant.independent_velocity(q, v) + dw
    full = plant.full_velocity(np.full(len(z), t), plant.configuration(np.full(len(z), t), there), w)
    backend = {} if len(p) else NUMPY
    after = plant.step(t, there, full, u + du, step, x=x + dx, p=p + dp, method=method, **backend)
    moved = plant.system.local(after.q[0], after.q, **NUMPY)
    r = np.concatenate([moved, plant.independent_velocity(after.q, after.v), after.x], axis=-1)
    plus, minus = (r[1:].reshape(6, sizes[-1], -1)[part] for part in (slice(0, 3), slice(3, 6)))
    weights = np.array([45.0, -9.0, 1.0])[:, None, None] / (60 * ε)
    return (weights * (plus - minus)).sum(axis=0).T


def close(A, B, bound):
    assert np.abs(A - B).max() <= bound * (1.0 + np.abs(B).max())


@pytest.mark.parametrize("name", one_in(2, PLANTS))
def test_derivatives_of_a_step_are_differences_of_steps(name):
    """Without ∂Π/∂θ this is off by 7e-4, without Ad by 5e-2, with exact dexp⁻¹ by 3e-9."""
    plant = PLANTS[name]()
    t, q, v, u, x, p = state_of(plant)
    d = plant.step_derivatives(t, q, v, u, STEP, x=x, p=p, **NUMPY)
    assert d.names == plant.tangent_names
    J = np.concatenate([d.state, d.input, d.parameter], axis=-1)
    close(J, differences(plant, t, q, v, u, x, p), 2e-10)


@pytest.mark.parametrize(
    "method", without("dopri5".__eq__, [m for m in METHODS if m not in ("rkmk4", "variational")])
)
def test_every_method(method):
    plant = prescribed()
    t, q, v, u, x, p = state_of(plant, 1)
    step = STEP if method in EXPLICIT else 0.005
    J = plant.step_jacobian(t, q, v, u, step, x=x, p=p, method=method, **NUMPY)
    close(J, differences(plant, t, q, v, u, x, p, method, step=step), 2e-10)


def still():
    """No constraints, no prescribed joints, no armature; a motor with lag."""
    system = um.System(random_tree(6, ("Free", "Revolute", "Spherical", "Universal")))
    return um.Plant(system, um.Earth(), actuators=[um.JointMotor("b1", lag=0.1)], free=["gravity"])


@pytest.mark.long
def test_variational_by_the_implicit_function_theorem():
    plant = still()
    t, q, v, u, x, p = state_of(plant, 2)
    J = plant.step_jacobian(t, q, v, u, 0.005, x=x, p=p, method="variational", **NUMPY)
    close(J, differences(plant, t, q, v, u, x, p, "variational", step=0.005), 1e-9)


def test_a_variational_step_of_a_conservative_plant_is_symplectic():
    """With momenta P = M w the two-form dθ_L, dδqᵀ ∧ dP on the group, is that of the start (P by right tangents)."""
    system = um.System(random_tree(6, ("Revolute", "Revolute", "Prismatic")))
    plant = um.Plant(system, um.Earth())
    rng = np.random.default_rng(1)
    q, v = system.random_configuration(rng), rng.normal(size=plant.nv)
    n = plant.nv

    def to_momenta(q, w):
        """(δq, δw) → (δq, δP)."""
        dM = system.mass_matrix_derivatives(q)
        by_q = np.einsum("kij,j->ik", dM, w)
        return np.block([[np.eye(n), np.zeros((n, n))], [by_q, system.mass_matrix(q)]])

    A = plant.step_derivatives(0.0, q, v, None, 0.01, method="variational", **NUMPY).state
    end = plant.step(0.0, q, v, None, 0.01, method="variational", **NUMPY)
    A = to_momenta(end.q, end.v) @ A @ np.linalg.inv(to_momenta(q, v))
    J = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    assert np.abs(A.T @ J @ A - J).max() < 1e-9
    euler = plant.step_derivatives(0.0, q, v, None, 0.01, method="euler", **NUMPY).state
    assert np.abs(euler.T @ J @ euler - J).max() > 1e-4


@pytest.mark.long
def test_followers_go_with_their_leaders():
    plant = um.Plant(um.System(coupled_tree(3)), um.Earth())
    t, q, v, u, x, p = state_of(plant, 1)
    J = plant.step_jacobian(t, q, v, u, STEP, x=x, p=p, **NUMPY)
    close(J, differences(plant, t, q, v, u, x, p), 2e-10)


@pytest.mark.parametrize("method", one_in(2, ["heun", "lie_midpoint"]))
def test_kernels_give_what_numpy_gives_in_batches_and_alone(method):
    plant = wet_with_lag(("Free", "Revolute"))
    cases = [state_of(plant, seed) for seed in range(5)]
    t, q, v, u, x, p = (np.stack(part) for part in zip(*cases, strict=True))
    p = p + 0.01 * np.arange(5)[:, None]
    step = STEP if method in EXPLICIT else 0.005
    reference = plant.step(t, q, v, u, step, x=x, p=p, method=method, backend="numpy")
    found = plant.step(t, q, v, u, step, x=x, p=p, method=method)
    for a, b in zip(found, reference, strict=True):
        close(a, b, 1e-13)
    J = plant.step_jacobian(t, q, v, u, step, x=x, p=p, method=method)
    close(J, plant.step_jacobian(t, q, v, u, step, x=x, p=p, method=method, backend="numpy"), 1e-11)
    alone = plant.step_jacobian(t[2], q[2], v[2], u[2], step, x=x[2], p=p[2], method=method)
    assert np.array_equal(alone, J[2])
    out = tuple(np.empty_like(part) for part in found)
    plant.step(t, q, v, u, step, x=x, p=p, method=method, out=out)
    assert all(np.array_equal(a, b) for a, b in zip(out, found, strict=True))


@pytest.mark.long
def test_inputs_held_over_several_steps_are_a_chain_of_steps():
    plant = wet_with_lag(("Free", "Revolute"))
    t, q, v, u, x, p = state_of(plant)
    whole = plant.step_derivatives(t, q, v, u, 0.01, x=x, p=p, steps=3, method="heun")
    A, B, P = np.eye(len(d := plant.tangent_names)), np.zeros((len(d), plant.nu)), np.zeros((len(d), len(p)))
    for k in range(3):
        one = plant.step_derivatives(t + k * 0.01, q, v, u, 0.01, x=x, p=p, method="heun")
        A, B, P = one.state @ A, one.state @ B + one.input, one.state @ P + one.parameter
        q, v, x = plant.step(t + k * 0.01, q, v, u, 0.01, x=x, p=p, method="heun")
    close(whole.state, A, 1e-12)
    close(whole.input, B, 1e-12)
    close(whole.parameter, P, 1e-12)
    t, q0, v0, u, x0, p = state_of(plant)
    end = plant.step(t, q0, v0, u, 0.01, x=x0, p=p, steps=3, method="heun")
    for a, b in zip(end, (q, v, x), strict=True):
        close(a, b, 1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_a_step_has_the_bits_of_a_run_with_the_input_held(method):
    plant = um.Plant(um.load("spart_sc_3dof"), um.Space())
    rng = np.random.default_rng(1)
    q, v, u = plant.system.random_configuration(rng), rng.normal(size=plant.nv), rng.normal(size=plant.nu)
    law = um.Inputs(plant, u)
    run = um.simulate(plant, q, v, duration=1e-3, step=1e-3, method=method, controller=law, control_step=1e-3,
                      **({"tolerance": None} if method == "dopri5" else {}))  # fmt: skip
    q1, v1, x1 = plant.step(0.0, q, v, u, 1e-3, method=method)
    assert np.array_equal(run.q[-1], q1)
    assert np.array_equal(run.v[-1], v1)
    assert x1.shape == (0,)


@pytest.mark.parametrize("method", ["lie_midpoint", "variational"])
@pytest.mark.parametrize("backend", ["numpy", "cpu"])
def test_an_implicit_step_that_is_not_solved_is_no_number(method, backend):
    """A pendulum at a step far beyond what its iteration can do, beside one that rests; derivatives too."""
    builder = um.SystemBuilder("pendulum")
    rod = um.Inertia.rod(mass=1.0, length=1.0, axis=(1, 0, 0), com=(0.5, 0, 0))
    builder.vehicle("rod", um.Revolute(axis=(0, 1, 0), stiffness=1e5), inertia=rod)
    plant = um.Plant(builder.build(), um.Space())
    q, v = np.array([[1.0], [0.0]]), np.zeros((2, 1))
    far, rest = (x.ravel() for x in plant.step(0.0, q, v, None, 0.1, method=method, backend=backend)[:2])
    assert np.isnan([far[0], rest[0]]).all()
    assert far[1] == rest[1] == 0.0
    J = plant.step_jacobian(0.0, q, v, None, 0.1, method=method, backend=backend)
    assert np.isnan(J[0]).all()
    assert np.isfinite(J[1]).all()
    small = plant.step(0.0, q, v, None, 1e-4, method=method, backend=backend)
    assert np.isfinite(small.q).all()


def test_what_does_not_fit_is_refused():
    plant = rolling()
    t, q, v, u, _, _ = state_of(plant)
    with pytest.raises(um.ModelError, match="variational"):
        plant.step(t, q, v, u, STEP, method="variational")
    with pytest.raises(um.ModelError, match="method"):
        plant.step(t, q, v, u, STEP, method="rk4")
    with pytest.raises(um.ModelError, match="steps"):
        plant.step(t, q, v, u, STEP, steps=0)
