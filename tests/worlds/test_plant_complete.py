"""A plant can do what a system can, wet: every method of `System` is there, or stands below with the reason."""

import warnings

import numpy as np
import pytest
from tests.support.random_trees import random_state

import unmoored as um
from unmoored.system.method import methods_of

KINEMATICS = "kinematics: no force and no inertia is in it; plant.system has it"
INERTIA = "a function of the inertia alone: plant.wet_system has it with added mass"
TIED = "constraints are part of the plant: its mass_matrix, forward_dynamics and reactions have them in"
ELSEWHERE = {
    **dict.fromkeys(
        ["pose", "velocity", "acceleration", "jacobian", "jacobian_derivative", "spatial_jacobian",
         "spatial_jacobian_derivative", "mixed_jacobian", "mixed_jacobian_derivative", "base_jacobian",
         "base_jacobian_derivative", "analytic_jacobian", "centre_of_mass", "centre_of_mass_jacobian", "retract",
         "local", "retract_derivatives", "local_derivatives", "pull_back", "local_velocity_map",
         "wrench_forces"], KINEMATICS),
    **dict.fromkeys(
        ["mass_matrix_derivatives", "mass_matrix_rate", "inverse_mass_matrix", "block_form", "local_coriolis_matrix",
         "generalized_jacobian_product", "disturbance_jacobian_product", "mixed_generalized_jacobian", "active_inertia",
         "force_transmission", "passive_mobility", "reaction_null_space", "reaction_null_space_basis", "connection",
         "connection_derivatives", "connection_curvature", "locked_inertia", "locked_inertia_derivatives",
         "shape_inertia", "shape_inertia_derivatives", "spatial_connection", "vertical_velocity",
         "horizontal_velocity", "reduced_state",
         "recovered_velocity", "momentum_matrix", "momentum_in_frame", "generalized_momentum", "centre_of_mass_form",
         "inertia_bounds", "conditioning", "skew_symmetry_defect", "coupling", "dynamic_singularity",
         "inverse_dynamics_derivatives"], INERTIA),
    **dict.fromkeys(
        ["embedding", "constrained_mass_matrix", "constrained_coriolis_matrix", "constrained_forward_dynamics"], TIED),
    **dict.fromkeys(["gravity_forces", "potential_forces"], "restoring_forces has weight, buoyancy and springs"),
    **dict.fromkeys(["forced_base"], "joints are prescribed on the plant; reactions gives what it takes"),
    **dict.fromkeys(
        ["free_floating", "free_flying", "attitude_controlled", "held_fixed", "attitude_dynamics",
         "reduced_forward_dynamics", "virtual_manipulator", "barycentric_vectors", "equivalent_manipulator_pose"],
        "free space, no world: a function of the system; hybrid_dynamics has the world in"),
    **dict.fromkeys(["plan_task", "plan_least_disturbance"], "hybrid_dynamics and operational_space have the world in"),
    **dict.fromkeys(
        ["momentum_regressor", "momentum_rate_regressor", "energy_regressor"], "of rigid bodies; regressor is wet"),
    **dict.fromkeys(
        ["power_balance", "energy_balance", "momentum_balance"], "power, energy and momentum have the world in; "
        "run.invariants() what is left over"),
    **dict.fromkeys(["inertial_parameters"], "regressor has the values that belong to it"),
    **dict.fromkeys(
        ["dynamically_equivalent_manipulator", "equivalent_manipulator_state"], "free space, no world"),
    **dict.fromkeys(
        ["neutral", "random_configuration", "pack", "pack_velocity", "unpack", "unpack_velocity", "prescribed_motion",
         "save"], "of the tree alone: plant.system has it"),
    **dict.fromkeys(["release"], "letting go changes no velocity: plant.system has it"),
}  # fmt: skip
#: every built-in system that has bodies in water
with warnings.catch_warnings():
    warnings.simplefilter("ignore", um.ModelWarning)
    WET = [name for name in um.systems() if any(body.fluid for body in um.load(name).tree.bodies)]


def test_every_method_of_a_system_is_on_the_plant_or_stands_in_the_table():
    public = {name for name in dir(um.System) if not name.startswith("_")}
    methods = {name for name in public if callable(getattr(um.System, name))}
    assert methods > methods_of(um.System).keys()
    missing = {name for name in methods if not hasattr(um.Plant, name)}
    assert missing - ELSEWHERE.keys() == set()
    assert ELSEWHERE.keys() - missing == set()


@pytest.fixture(scope="module", params=["bluerov2_heavy", "bluerov2_heavy_alpha5"])
def plant(request):
    return um.Plant(um.load(request.param), um.Ocean())


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
@pytest.mark.parametrize("name", WET)
@pytest.mark.parametrize("current", [None, (0.4, -0.2, 0.1)])
def test_the_matrices_make_up_the_inverse_dynamics(name, current):
    """From et al. 2010 (57), (58): M a + C v + D v + n, and what a current adds."""
    plant = um.Plant(um.load(name), um.Ocean(current=current))
    q, v, a = random_state(plant.tree, 5, (3,))
    options = {"backend": "numpy"}
    M, C = plant.mass_matrix(q, **options), plant.coriolis_matrix(q, v, **options)
    D, n = plant.damping_matrix(0.3, q, v, **options), plant.restoring_forces(0.3, q, **options)
    left = plant.current_forces(0.3, q, v, **options)
    total = (M @ a[..., None] + (C + D) @ v[..., None])[..., 0] + n + left
    expected = plant.inverse_dynamics(0.3, q, v, a, **options)
    assert np.abs(total - expected).max() <= 1e-13 * np.abs(expected).max()
    assert (np.abs(left).max() == 0.0) == (current is None)
    M_dot = plant.wet_system.mass_matrix_rate(q, v, **options)
    skew = M_dot - 2 * C
    assert np.abs(skew + np.swapaxes(skew, -1, -2)).max() <= 1e-12 * np.abs(C).max()


def test_drag_matrices_that_are_not_diagonal_act_on_the_right_side():
    """D₂ diag|V| scales columns: with a full D₂ a transpose would show."""
    rng = np.random.default_rng(3)
    linear = rng.normal(size=(6, 6))
    fluid = um.Fluid(
        linear_drag=linear @ linear.T + 1.0, quadratic_drag=np.abs(rng.normal(size=(6, 6))), volume=0.01
    )
    b = um.SystemBuilder("hull")
    b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=9.0, size=(0.5, 0.4, 0.3)), fluid=fluid)
    plant = um.Plant(b.build(), um.Ocean(current=(0.2, -0.5, 0.3)))
    q, v, a = random_state(plant.tree, 6)
    D, options = plant.damping_matrix(0.0, q, v, backend="numpy"), {"backend": "numpy"}
    relative = v.copy()
    relative[:3] -= plant.system.pose(q, "hull")[:3, :3].T @ [0.2, -0.5, 0.3]
    assert np.abs(D - fluid.linear_drag - fluid.quadratic_drag @ np.diag(np.abs(relative))).max() < 1e-13
    total = plant.mass_matrix(q, **options) @ a + (plant.coriolis_matrix(q, v, **options) + D) @ v
    total = total + plant.restoring_forces(0.0, q, **options) + plant.current_forces(0.0, q, v, **options)
    expected = plant.inverse_dynamics(0.0, q, v, a, **options)
    assert np.abs(total - expected).max() <= 1e-13 * np.abs(expected).max()


def test_stops_friction_and_springs_are_in_the_matrices():
    joint = um.Revolute(axis=(0, 0, 1), limits=(-0.1, 0.2), friction=0.3, damping=0.2, stiffness=1.5)
    b = um.SystemBuilder("sprung")
    base = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=3.0, size=(1, 1, 1)))
    b.link(
        "a",
        parent=base,
        joint=joint,
        inertia=um.Inertia.box(mass=1.0, size=(0.3, 0.1, 0.1), com=(0.2, 0, 0)),
    )
    for q, v in ((0.35, -0.02), (0.35, -3.0), (-0.3, 0.7), (0.05, 1e-9), (0.35, 0.0)):
        plant = um.Plant(b.build(), um.Earth())
        state = np.array([q]), np.array([v])
        D, n = plant.damping_matrix(0.0, *state), plant.restoring_forces(0.0, state[0])
        C = plant.coriolis_matrix(*state)
        total = (C + D) @ state[1] + n
        expected = plant.inverse_dynamics(0.0, *state, np.zeros(1))
        assert np.abs(total - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def test_forces_of_still_water_have_the_batch_of_all_arguments():
    plant = um.Plant(um.load("bluerov2_heavy"), um.Ocean())
    q = np.stack([plant.system.neutral()] * 3)
    for backend in (None, "numpy"):
        found = plant.current_forces(0.0, q, np.zeros(plant.nv), backend=backend)
        assert np.array_equal(found, np.zeros((3, plant.nv)))


def test_the_wet_system_has_the_bits_of_the_plant(plant):
    q = plant.system.random_configuration(2)
    assert np.array_equal(plant.wet_system.mass_matrix(q), plant.mass_matrix(q))


def test_momentum_with_added_mass_is_that_of_the_wet_system(plant):
    q, v, _ = random_state(plant.tree, 3)
    for about in ("world", "com"):
        expected = plant.wet_system.momentum(q, v, about=about, backend="numpy")
        got = plant.momentum(0.0, q, v, about=about, backend="numpy")
        assert np.abs(got - expected).max() <= 1e-13 * np.abs(expected).max()


@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
def test_momentum_has_the_wheels_in():
    """A wheel as a body with a revolute joint has the same momentum as a wheel of the plant."""
    inertia, axis = 0.7, np.array([0.0, 0.6, 0.8])
    hull = um.Inertia(80.0, (0.1, 0.2, 0.0), np.diag([9.0, 8.0, 7.0]))
    b = um.SystemBuilder("bus")
    b.vehicle("bus", um.Free(), inertia=hull)
    system = b.build()
    plant = um.Plant(system, actuators=[um.ReactionWheel("bus", inertia, axis, name="wheel")])
    q, v, _ = random_state(system.tree, 4)
    speed = 30.0
    h = inertia * (speed + axis @ v[3:])
    b = um.SystemBuilder("two")
    less = um.Inertia(80.0, (0.1, 0.2, 0.0), np.diag([9.0, 8.0, 7.0]) - inertia * np.outer(axis, axis))
    bus = b.vehicle("bus", um.Free(), inertia=less)
    b.link("wheel", parent=bus, joint=um.Revolute(axis=axis, armature=0.0),
           inertia=um.Inertia(1e-9, (0, 0, 0), inertia * np.outer(axis, axis) + 1e-9 * np.eye(3)))  # fmt: skip
    expected = b.build().momentum(np.append(q, 0.0), np.append(v, speed), backend="numpy")
    got = plant.momentum(0.0, q, v, np.array([h]), backend="numpy")
    assert np.abs(got - expected).max() <= 1e-7 * np.abs(expected).max()


def test_hybrid_dynamics_has_the_world_in(plant):
    q, v, a = random_state(plant.tree, 8)
    tau = np.random.default_rng(1).normal(size=plant.nv)
    passive = [plant.system.names[0]]
    options = {"passive": passive, "backend": "numpy"}
    acceleration, forces = plant.hybrid_dynamics(0.1, q, v, tau=tau, acceleration=a, **options)
    mask = np.isin(np.arange(plant.nv), plant.tree.dofs(passive))
    assert np.array_equal(acceleration[~mask], a[~mask])
    assert np.abs(forces[mask] - tau[mask]).max() < 1e-9
    needed = plant.inverse_dynamics(0.1, q, v, acceleration, backend="numpy")
    assert np.abs(needed - forces).max() <= 1e-9 * np.abs(needed).max()


def test_operational_space_predicts_the_tool(plant):
    """Forces Jᵀ F of the active DoFs accelerate the frame as Λ V̇ + μ + p = F says."""
    q, v, _ = random_state(plant.tree, 9)
    frame, rows = plant.system.names[-1], (0, 1, 2)
    found = plant.operational_space(0.2, q, v, frame, rows=rows, backend="numpy")
    F = np.array([3.0, -2.0, 1.0])
    a = plant.forward_dynamics(0.2, q, v, found.jacobian.T @ F, backend="numpy")
    moved = plant.system.acceleration(q, v, a, frame, backend="numpy")[list(rows)]
    assert np.abs(found.inertia @ moved + found.bias + found.gravity - F).max() <= 1e-9 * (
        1 + np.abs(F).max()
    )


def test_the_regressor_is_what_is_linear(plant):
    q, v, a = random_state(plant.tree, 11)
    found = plant.regressor(0.0, q, v, a)
    expected = plant.inverse_dynamics(0.0, q, v, a)
    assert found.matrix.shape == (plant.nv, len(found.names)) == (plant.nv, len(found.values))
    assert np.abs(found.matrix @ found.values + found.rest - expected).max() <= 1e-12 * np.abs(expected).max()
    assert np.abs(found.rest).max() <= 1e-9 * np.abs(expected).max()  # no springs, no stops reached


def differences(f, count, h=1e-6):
    return np.stack([(f(h * e) - f(-h * e)) / (2 * h) for e in np.eye(count)], axis=-1)


def test_derivatives_of_the_acceleration():
    thruster = um.Thruster("rov", at=(0.1, 0.2, 0.0), direction=(1, 1, 0), lag=0.2, name="bow")
    system = um.load("bluerov2_heavy")
    plant = um.Plant(
        system, um.Ocean(current=(0.3, 0.1, 0)), actuators=[thruster], free=["rov.mass", "ocean.current"]
    )
    q, v, _ = random_state(system.tree, 1)
    x, u, p = np.array([7.0]), np.array([3.0]), plant.nominal_parameters
    options = {"backend": "numpy"}
    found = plant.forward_dynamics_derivatives(0.1, q, v, u, x=x, p=p, **options)

    def a(dq=0.0, dv=0.0, dx=0.0, dp=0.0):
        moved = system.retract(q, dq * np.ones(plant.nv) if np.isscalar(dq) else dq)
        return plant.forward_dynamics(0.1, moved, v + dv, u, x=x + dx, p=p + dp, **options)

    expected = {
        "dq": differences(lambda e: a(dq=e), plant.nv), "dv": differences(lambda e: a(dv=e), plant.nv),
        "dx": differences(lambda e: a(dx=e), plant.nx), "dp": differences(lambda e: a(dp=e), len(p)),
    }  # fmt: skip
    for name, slope in expected.items():
        assert np.abs(getattr(found, name) - slope).max() <= 1e-6 * np.abs(slope).max(), name
    assert np.abs(found.du).max() == 0.0  # the input reaches the motion through the lag only
    compiled = plant.forward_dynamics_derivatives(0.1, q, v, u, x=x, p=p)
    for one, other in zip(compiled, found, strict=True):
        assert np.abs(one - other).max() <= 1e-10 * (1 + np.abs(other).max())


def test_linearization_of_a_pendulum_and_of_a_turning_vehicle():
    b = um.SystemBuilder("pendulum")
    base = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    b.link("bob", parent=base, joint=um.Revolute(axis=(0, 1, 0), damping=0.4),
           inertia=um.Inertia(2.0, (0, 0, -0.5), 1e-9 * np.eye(3)))  # fmt: skip
    found = um.Plant(b.build(), um.Earth()).linearize(0.0, np.zeros(1), np.zeros(1))
    J = 2.0 * 0.25 + 1e-9
    expected = np.roots([J, 0.4, 2.0 * 9.81 * 0.5])
    assert np.abs(np.sort_complex(found.poles()) - np.sort_complex(expected)).max() < 1e-9
    assert found.names == ("d bob", "bob")
    system = um.load("bluerov2_heavy")
    plant = um.Plant(system, um.Ocean())
    q, v, _ = random_state(system.tree, 2)
    A = plant.linearize(0.0, q, v).A
    ad = np.zeros((6, 6))
    ω, u = v[3:], v[:3]
    hat = lambda x: np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])  # noqa: E731
    ad[:3, :3] = ad[3:, 3:] = hat(ω)
    ad[:3, 3:] = hat(u)
    assert np.abs(A[:6, :6] + ad).max() < 1e-14
    assert np.array_equal(A[:6, 6:], np.eye(6))


def test_old_names_say_the_new_ones():
    plant = um.Plant(um.load("bluerov2_heavy"), um.Ocean())
    for owner, name, new in (
        (plant, "velocity", "full_velocity"),
        (plant, "parameters", "available_parameters"),
        (plant.system, "independent_speeds", "independent_velocity"),
    ):
        with pytest.raises(AttributeError, match=rf"{name}.*now .*{new}"):
            getattr(owner, name)
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        plant.colour  # noqa: B018


def test_the_world_is_what_was_given_and_the_worlds_are_a_tuple():
    system = um.load("bluerov2_heavy")
    one, two = um.Plant(system, um.Ocean()), um.Plant(system, (um.Earth(), um.Ocean()))
    assert one.world == um.Ocean()
    assert one.worlds == (um.Ocean(),)
    assert one == um.Plant(system, (um.Ocean(),))
    assert two.world == two.worlds == (um.Earth(), um.Ocean())


def test_one_state_where_one_is_meant():
    system = um.load("bluerov2_heavy")
    plant, q = um.Plant(system, um.Ocean(), free=["rov.mass"]), system.neutral()
    with pytest.raises(um.ModelError, match="one state; linear_system takes batches"):
        plant.linearize(0.0, np.stack([q, q]), np.zeros(6))
    with pytest.raises(um.ModelError, match=r"p: expected shape \(\.\.\., 1\)"):
        plant.system_at([1.0, 2.0])
    with pytest.raises(um.ModelError, match="values of one sample"):
        plant.system_at([[1.0], [2.0]])
    with pytest.raises(um.ModelError, match="free: expected a list of names, given 5"):
        um.Plant(system, um.Ocean(), free=5)
