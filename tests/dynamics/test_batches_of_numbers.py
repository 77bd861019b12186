"""Trees whose numbers differ from sample to sample: every function on the batch against one sample at a time."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree
from tests.support.rolling_vehicles import R_WHEEL, rover
from tests.support.thinning import one_in

from unmoored.dynamics import (
    energy,
    gravity,
    jacobians,
    kinematics,
    lagrange_poincare,
    local_coordinates,
    momentum,
    operational_space,
    regressors,
    spacecraft,
    underactuated,
    wrenches,
)
from unmoored.dynamics.closed_form import coriolis, mass_matrix_from_jacobians, vehicle_arm_blocks
from unmoored.dynamics.closed_form.closed_form_dynamics import closed_form_forward_dynamics
from unmoored.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from unmoored.dynamics.forced_base import forced_base, forced_base_by_blocks
from unmoored.dynamics.free_numbers import declared, tree_numbers, with_parameters
from unmoored.dynamics.mass_matrix import inverse_mass_matrix, mass_matrix
from unmoored.dynamics.nonholonomic import (
    DifferentialDrive,
    constrained_forward_dynamics,
    constrained_velocity,
    speed_names,
)
from unmoored.dynamics.recursive import (
    forward_dynamics,
    forward_dynamics_composite,
    hybrid_dynamics,
    inverse_dynamics,
)
from unmoored.dynamics.vehicle_frame import mass_matrix_in_vehicle_frame
from unmoored.model import ModelError, Planar
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
SAMPLES = (4, 3)
TREE = random_tree(2, ["Free", *ALL_KINDS], armature=True, added_mass=True)
RIGID = random_tree(3, ["Free", *ALL_KINDS], armature=True)
SPACECRAFT = random_tree(4, ["Free", "Revolute", "Spherical", "Prismatic", "Fixed", "Revolute"])
PASSIVE = tuple(range(6))
ROWS = (0, 1, 2)


def varied(tree, seed=5, without=()):
    """(parameters, values (4, 3, n)): masses, centres, tensors, joint positions and armatures of all bodies."""
    known = tree_numbers(tree)
    fields = ("mass", "com", "tensor", "xyz", "armature")
    frames = {frame.name for frame in tree.frames}
    names = [name for name in known if name.rpartition(".")[2] in fields and name.split(".")[0] not in frames]
    parameters = declared("test", [name for name in names if name not in without], known)
    nominal = np.concatenate([p.nominal for p in parameters])
    spread = np.random.default_rng(seed).uniform(0.9, 1.1, (*SAMPLES, len(nominal)))
    return parameters, nominal * spread


def wet(q, v):
    """{frame: wrench}, from the state, for some load."""
    return {"tool": np.concatenate([q[..., :3], v[..., :3]], axis=-1)}


#: Functions of (tree, q, v, a) for which any tree will do.
ANY = {
    "pose": lambda t, q, v, a: kinematics.pose(t, q, "tool"),
    "velocity": lambda t, q, v, a: kinematics.velocity(t, q, v, "tool"),
    "acceleration": lambda t, q, v, a: kinematics.acceleration(t, q, v, a, "tool"),
    "centre of mass": lambda t, q, v, a: kinematics.centre_of_mass(t, q),
    "jacobian": lambda t, q, v, a: jacobians.jacobian(t, q, "tool"),
    "jacobian derivative": lambda t, q, v, a: jacobians.jacobian_derivative(t, q, v, "tool"),
    "mixed jacobian derivative": lambda t, q, v, a: jacobians.mixed_jacobian_derivative(t, q, v, "tool"),
    "base jacobian derivative": lambda t, q, v, a: jacobians.base_jacobian_derivative(t, q, v, "tool", "b0"),
    "centre of mass jacobian": lambda t, q, v, a: jacobians.centre_of_mass_jacobian(t, q),
    "gravity forces": lambda t, q, v, a: gravity.gravity_forces(t, q, GRAVITY),
    "wrench forces": lambda t, q, v, a: wrenches.wrench_forces(t, q, wet(q, v)),
    "energy": lambda t, q, v, a: energy.energy(t, q, v, GRAVITY),
    "momentum": lambda t, q, v, a: momentum.momentum(t, q, v, "com"),
    "momentum matrix": lambda t, q, v, a: momentum.momentum_matrix(t, q, "com"),
    "generalized momentum": lambda t, q, v, a: momentum.generalized_momentum(t, q, v),
    "mass matrix": lambda t, q, v, a: mass_matrix(t, q),
    "inverse mass matrix": lambda t, q, v, a: inverse_mass_matrix(t, q),
    "mass matrix in the vehicle's frame": lambda t, q, v, a: mass_matrix_in_vehicle_frame.mass_matrix(t, q),
    "mass matrix from jacobians": lambda t, q, v, a: mass_matrix_from_jacobians.mass_matrix(t, q),
    "mass matrix derivatives": lambda t, q, v, a: mass_matrix_from_jacobians.mass_matrix_derivatives(t, q),
    "coriolis": lambda t, q, v, a: tuple(coriolis.coriolis_matrix(t, q, v, form) for form in coriolis.FORMS),
    "mass matrix rate": lambda t, q, v, a: coriolis.mass_matrix_rate(t, q, v),
    "blocks": lambda t, q, v, a: vehicle_arm_blocks.block_form(t, q, v, GRAVITY, "b0"),
    "closed form": lambda t, q, v, a: closed_form_forward_dynamics(t, q, v, a, GRAVITY, wet(q, v)),
    "local coordinates": lambda t, q, v, a: local_coordinates.local_coriolis_matrix(t, q, 0.1 * a, v),
    "inverse dynamics": lambda t, q, v, a: inverse_dynamics(t, q, v, a, GRAVITY, wet(q, v)),
    "forward dynamics": lambda t, q, v, a: forward_dynamics(t, q, v, a, GRAVITY, wet(q, v)),
    "composite": lambda t, q, v, a: forward_dynamics_composite(t, q, v, a, GRAVITY, wet(q, v)),
    "hybrid": lambda t, q, v, a: hybrid_dynamics(
        t, q, v, a, v, underactuated.passive_mask(t, PASSIVE), GRAVITY
    ),
    "inverse derivatives": lambda t, q, v, a: inverse_dynamics_derivatives(t, q, v, a, GRAVITY, wet(q, v)),
    "forward derivatives": lambda t, q, v, a: forward_dynamics_derivatives(t, q, v, a, GRAVITY, wet(q, v)),
    "lagrange-poincare": lambda t, q, v, a: lagrange_poincare.lagrange_poincare(t, q, v, "b0"),
    "reduced": lambda t, q, v, a: lagrange_poincare.reduced_forward_dynamics(
        t, q, lagrange_poincare.reduced_state(t, q, v, "b0"), a, GRAVITY, wet(q, v), "b0"
    ),
    "curvature": lambda t, q, v, a: lagrange_poincare.curvature(t, q, "b0"),
    "spatial connection": lambda t, q, v, a: lagrange_poincare.spatial_connection(t, q, "b0"),
    "horizontal": lambda t, q, v, a: lagrange_poincare.horizontal_velocity(t, q, v, "b0"),
    "generalized jacobian": lambda t, q, v, a: underactuated.mixed_generalized_jacobian(
        t, q, "tool", PASSIVE
    ),
    "disturbance jacobian": lambda t, q, v, a: underactuated.disturbance_jacobian(t, q, PASSIVE),
    "dense jacobians": lambda t, q, v, a: underactuated.generalized_jacobian_dense(t, q, "tool", PASSIVE),
    "schur": lambda t, q, v, a: (
        underactuated.active_inertia(t, q, PASSIVE),
        underactuated.passive_mobility(t, q, PASSIVE),
    ),
    "operational space": lambda t, q, v, a: operational_space.operational_space(
        t, q, v, GRAVITY, np.zeros(()), "tool", PASSIVE, ROWS
    ),
    "plan": lambda t, q, v, a: underactuated.plan_task(
        t, q, v, a, v[..., :6], v, np.asarray(0.1), GRAVITY, None, "tool", PASSIVE, ROWS
    ),
    "forced base": lambda t, q, v, a: forced_base(t, q, v, a, v, GRAVITY, None, "b0"),
    "forced base by blocks": lambda t, q, v, a: forced_base_by_blocks(t, q, v, a, v, GRAVITY, None, "b0"),
}
#: Functions that need rigid bodies.
OF_RIGID = {
    "inertial parameters": lambda t, q, v, a: regressors.inertial_parameters(t),
    "regressor": lambda t, q, v, a: regressors.regressor(t, q, v, a, GRAVITY),
    "momentum rate regressor": lambda t, q, v, a: regressors.momentum_rate_regressor(t, q, v, GRAVITY),
    "energy regressor": lambda t, q, v, a: regressors.energy_regressor(t, q, v, GRAVITY),
}
#: Functions that need a free vehicle without armature.
OF_SPACECRAFT = {
    "free-floating": lambda t, q, v, a: spacecraft.free_floating(t, q, v, a, "b0"),
    "attitude controlled": lambda t, q, v, a: spacecraft.attitude_controlled(t, q, v, a, v, "b0"),
    "centre of mass form": lambda t, q, v, a: spacecraft.centre_of_mass_form(t, q, v),
    "attitude dynamics": lambda t, q, v, a: spacecraft.attitude_dynamics(t, q, v, a),
}
CASES = [
    # traced derivatives of a large tree take long
    *((SPACECRAFT if name == "local coordinates" else TREE, name, f) for name, f in ANY.items()),
    *((RIGID, name, f) for name, f in OF_RIGID.items()),
    *((SPACECRAFT, name, f) for name, f in OF_SPACECRAFT.items()),
]


def arrays(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize(
    ("tree", "function"), one_in(2, [case[::2] for case in CASES]), ids=[case[1] for case in CASES]
)
def test_a_batch_of_numbers_is_one_sample_after_the_other(tree, function):
    parameters, values = varied(tree, without=("b0.armature",) if tree is SPACECRAFT else ())
    q, v, a = random_state(tree, 6, SAMPLES)
    batch = arrays(function(with_parameters(tree, parameters, values), q, v, a))
    for at in ((0, 0), (3, 2)):
        alone = arrays(function(with_parameters(tree, parameters, values[at]), q[at], v[at], a[at]))
        as_built = arrays(function(tree, q[at], v[at], a[at]))
        for many, one, nominal in zip(batch, alone, as_built, strict=True):
            assert many.shape == (*SAMPLES, *one.shape)
            size = np.abs(one).max(initial=0.0)
            assert np.abs(many[at] - one).max(initial=0.0) <= 1e-10 * size
            assert np.shape(nominal) == np.shape(one)
    assert any(np.abs(x - y).max(initial=0.0) > 1e-4 for x, y in zip(alone, as_built, strict=True))


def test_one_state_with_many_numbers():
    """q and v need not have the batch of the numbers."""
    parameters, values = varied(TREE)
    q, v, a = random_state(TREE, 7)
    many = inverse_dynamics(with_parameters(TREE, parameters, values), q, v, a, GRAVITY)
    one = inverse_dynamics(with_parameters(TREE, parameters, values[1, 2]), q, v, a, GRAVITY)
    assert many.shape == (*SAMPLES, TREE.nv)
    assert np.abs(many[1, 2] - one).max() <= 1e-12 * np.abs(one).max()


@pytest.mark.parametrize("name", ["local coordinates", "mass matrix", "forward derivatives"])
def test_symbols_in_the_place_of_numbers(name):
    """Traced with p as an input: the values of p count, not those of the tree as built."""
    tree = SPACECRAFT
    parameters, values = varied(tree)
    q, v, a = random_state(tree, 8)
    function = ANY[name]
    traced = trace(
        lambda q, v, a, p: function(with_parameters(tree, parameters, p), q, v, a),
        (tree.nq,), (tree.nv,), (tree.nv,), values.shape[-1:], name="with parameters",
    )  # fmt: skip
    at = (2, 1)
    ours = arrays(evaluate(traced, q, v, a, values[at]))
    theirs = arrays(function(with_parameters(tree, parameters, values[at]), q, v, a))
    for x, y in zip(ours, theirs, strict=True):
        assert np.abs(x - y).max() <= 1e-11 * np.abs(y).max()


def test_rolling_vehicles_with_other_masses():
    """The inertias of all bodies and the joints of the arm vary; the places of the wheels are the constraint's own."""
    tree = rover(Planar(), seed=9)
    constraints = (DifferentialDrive("rover", "axle", ("left", "right"), R_WHEEL),)
    parameters, values = varied(tree, without=("left.xyz", "right.xyz"))
    q, _, _ = random_state(tree, 10, SAMPLES)
    s = np.random.default_rng(11).normal(size=(*SAMPLES, len(speed_names(tree, constraints))))
    v = constrained_velocity(tree, q, s, constraints)
    tau = np.random.default_rng(12).normal(size=v.shape)

    def motion(at, parameters=parameters, values=values):
        moved = with_parameters(tree, parameters, values[at])
        return constrained_forward_dynamics(moved, q[at], v[at], tau[at], GRAVITY, None, constraints)

    many, one = motion(...), motion((2, 1))
    for x, y in zip(many, one, strict=True):
        assert np.abs(x[2, 1] - y).max() <= 1e-11 * np.abs(y).max()
    with pytest.raises(ModelError, match="place as built"):
        motion(..., *varied(tree))
