"""Water: added mass, current, drag and buoyancy on the vehicle and on every link (docs/theory.md §7, §17)."""

import numpy as np
import pytest
from tests.worlds.support import central_rate, random_fluid, random_state, relative_error, wet_system

import unmoored as um
from unmoored.lie import se3
from unmoored.model.joints import pose_from_numbers
from unmoored.worlds.water.hydrodynamics import current_wrench

QUIET = um.JointEffects(springs=False, damping=False, friction=False, stops=False)
CURRENT = np.array([0.4, -0.3, 0.2])
BODY_KINDS = ("Free", "Revolute", "Spherical", "Prismatic")


def body_in_water(seed=3, **fluid):
    rng = np.random.default_rng(seed)
    b = um.SystemBuilder("body")
    inertia = um.Inertia(3.0, rng.uniform(-0.2, 0.2, 3), np.diag([0.3, 0.4, 0.5]))
    data = random_fluid(rng) if not fluid else um.Fluid(**fluid)
    b.vehicle("body", um.Free(), inertia=inertia, fluid=data)
    return b.build()


def drifting(system, seed, current):
    """A state in which all bodies move with the water: no rotation, velocity R0bᵀ v_c."""
    q, _ = random_state(system, seed)
    v = np.zeros(system.nv)
    v[:3] = rotation(system, q).T @ current
    return q, v


def rotation(system, q):
    """R_0b of the vehicle."""
    return system.pose(q, system.names[0])[:3, :3]


@pytest.mark.parametrize("kinds", [("Free",), BODY_KINDS])
def test_a_system_that_drifts_with_the_current_feels_no_fluid_force(kinds):
    system = wet_system(2, kinds)
    q, v = drifting(system, 5, CURRENT)
    at_rest = um.Plant(system, um.Ocean())
    moving = um.Plant(system, um.Ocean(current=CURRENT))
    expected = at_rest.forward_dynamics(0.0, q, np.zeros(system.nv), backend="numpy")
    assert relative_error(moving.forward_dynamics(0.0, q, v, backend="numpy"), expected) < 1e-12


def test_the_current_enters_through_the_relative_acceleration_too():
    """A turning body in a current (From et al. 2010, text after (43)): (I+A)V̇_r + K6((I+A)V_r)V_r + D V_r = F."""
    system = body_in_water()
    q, v = random_state(system, 1)
    body = system.tree.bodies[0]
    I, A = body.inertia.matrix, body.fluid.added_mass
    R = pose_from_numbers(q)[:3, :3]
    c = R.T @ CURRENT
    V_r = v - np.concatenate([c, np.zeros(3)])
    F = np.random.default_rng(0).normal(size=6)
    drag = body.fluid.linear_drag @ V_r + body.fluid.quadratic_drag @ (np.abs(V_r) * V_r)
    V_r_dot = np.linalg.solve(I + A, F - drag - se3.momentum_bracket((I + A) @ V_r) @ V_r)
    expected = V_r_dot - np.concatenate([np.cross(v[3:], c), np.zeros(3)])
    plant = um.Plant(system, um.Ocean(current=CURRENT, gravity=(0, 0, 0)))
    assert relative_error(plant.forward_dynamics(0.0, q, v, F, backend="numpy"), expected) < 1e-13
    without = V_r_dot
    assert relative_error(without, expected) > 1e-2


def test_the_short_form_of_the_current_is_the_theory_s():
    rng = np.random.default_rng(4)
    B = rng.normal(size=(6, 6))
    A, V, c = B @ B.T, rng.normal(size=6), rng.normal(size=3)
    V_r = V - np.concatenate([c, np.zeros(3)])
    K = se3.momentum_bracket
    turning = np.concatenate([np.cross(V[3:], c), np.zeros(3)])
    expected = K(A @ V) @ V - K(A @ V_r) @ V_r - A @ turning
    assert relative_error(current_wrench(A, V, c), expected) < 1e-13


@pytest.mark.parametrize("seed", range(3))
def test_galilean_invariance_of_vehicle_and_arm(seed):
    """Seen from a frame that moves with the water, the water is at rest; body accelerations differ by −ω×Rᵀv_c."""
    system = wet_system(seed)
    q, v = random_state(system, seed + 10)
    u = np.random.default_rng(seed).normal(size=system.nv)
    c = rotation(system, q).T @ CURRENT
    v_r = v.copy()
    v_r[:3] -= c
    a_r = um.Plant(system, um.Ocean()).forward_dynamics(0.0, q, v_r, u, backend="numpy")
    a = um.Plant(system, um.Ocean(current=CURRENT)).forward_dynamics(0.0, q, v, u, backend="numpy")
    a_r[:3] -= np.cross(v[3:6], c)
    assert relative_error(a, a_r) < 1e-11


@pytest.mark.parametrize("joint", [um.Planar(), um.Spherical(), um.Schoenflies(), um.Translation(3)])
def test_a_restricted_vehicle_is_the_free_one_projected(joint):
    """The current need not lie in the vehicle's group (docs/theory.md §7)."""
    fluid, inertia = random_fluid(np.random.default_rng(1)), um.Inertia(2.0, (0.1, 0.2, 0), (1.0, 2.0, 2.5))
    systems = {}
    for kind in (joint, um.Free()):
        b = um.SystemBuilder("body")
        b.vehicle("body", kind, inertia=inertia, fluid=fluid)
        systems[kind.kind] = b.build()
    held, free = systems[joint.kind], systems["Free"]
    q, v = random_state(held, 2)
    ocean = um.Ocean(current=CURRENT)
    H = joint.group.basis
    a = um.Plant(held, ocean).forward_dynamics(0.0, q, v, backend="numpy")
    plant = um.Plant(free, ocean)
    wrench = plant.inverse_dynamics(0.0, q, H @ v, H @ a, backend="numpy")
    assert np.abs(H.T @ wrench).max() < 1e-12


def test_kirchhoff_s_equations_of_a_spheroid():
    """ṗ = p×ω, π̇ = π×ω + p×v for the impulse p, π of a neutrally buoyant body in an ideal fluid (Lamb, art. 124)."""
    system = body_in_water(added_mass=[0.5, 2.0, 2.0, 0.0, 0.3, 0.3])
    q, v = random_state(system, 7)
    plant = um.Plant(system, um.Ocean(gravity=(0, 0, 0)))
    M = plant.mass_matrix(q)
    p, ω = M @ v, v[3:]
    rate = np.concatenate([np.cross(p[:3], ω), np.cross(p[3:], ω) + np.cross(p[:3], v[:3])])
    assert relative_error(M @ plant.forward_dynamics(0.0, q, v, backend="numpy"), rate) < 1e-12


def test_a_moving_body_in_water_feels_munk_s_moment():
    """Broadside drift turns a slender hull: moment (A₂₂ − A₁₁) u v about z."""
    system = body_in_water(added_mass=[1.0, 4.0, 4.0, 0, 0, 0])
    plant = um.Plant(system, um.Ocean(gravity=(0, 0, 0)))
    v = np.array([1.5, 0.5, 0, 0, 0, 0])
    needed = plant.inverse_dynamics(0.0, system.neutral(), v, np.zeros(6), backend="numpy")
    assert needed[5] == pytest.approx(3.0 * 1.5 * 0.5, rel=1e-14)


@pytest.mark.parametrize("seed", range(2))
def test_weight_and_buoyancy_are_the_slope_of_the_potential_in_every_direction(seed):
    system = wet_system(seed)
    γ, ρ = np.array([1.0, -2.0, -9.0]), 1010.0
    plant = um.Plant(system, um.Ocean(density=ρ, gravity=γ))
    q, _ = random_state(system, seed)
    rest = np.zeros(system.nv)

    def potential(q):
        """−Σ γᵀ(m p_cm − ρ∇ p_cb), coded apart from the plant."""
        total = 0.0
        for body in system.tree.bodies:
            g = system.pose(q, body.name, backend="numpy")
            weight = body.inertia.mass * (g @ np.append(body.inertia.com, 1.0))[:3]
            lift = ρ * body.fluid.volume * (g @ np.append(body.fluid.centre_of_buoyancy, 1.0))[:3]
            total -= γ @ (weight - lift)
        return total

    def along(k, s):
        return potential(system.retract(q, s * np.eye(system.nv)[k]))

    slopes = [central_rate(lambda s, k=k: along(k, s)) for k in range(system.nv)]
    assert (
        relative_error(plant.inverse_dynamics(0.0, q, rest, rest, backend="numpy"), np.array(slopes)) < 1e-10
    )
    assert plant.energy(0.0, q, rest, backend="numpy").potential == pytest.approx(potential(q), rel=1e-12)


def test_a_neutrally_buoyant_body_turns_about_its_two_centres():
    system = body_in_water(volume=3.0 / 1000.0, centre_of_buoyancy=(0.05, -0.02, 0.1))
    plant = um.Plant(system, um.Ocean(density=1000.0))
    forces = -plant.inverse_dynamics(0.0, system.neutral(), np.zeros(6), np.zeros(6), backend="numpy")
    com = system.tree.bodies[0].inertia.com
    weight = 3.0 * 9.81
    expected = np.cross((0.05, -0.02, 0.1), (0, 0, weight)) + np.cross(com, (0, 0, -weight))
    assert np.abs(forces[:3]).max() < 1e-13
    assert forces[3:] == pytest.approx(expected, abs=1e-13)


def test_a_sinking_sphere_accelerates_with_its_added_mass():
    """(m + ½ρV) a = (ρV − m) g."""
    radius, ρ, m = 0.2, 1000.0, 50.0
    volume = 4 / 3 * np.pi * radius**3
    b = um.SystemBuilder("sphere")
    fluid = um.Fluid(added_mass=[ρ * volume / 2] * 3 + [0] * 3, volume=volume)
    b.vehicle("ball", um.Free(), inertia=um.Inertia.sphere(m, radius), fluid=fluid)
    system = b.build()
    a = um.Plant(system, um.Ocean(density=ρ)).forward_dynamics(
        0.0, system.neutral(), np.zeros(6), backend="numpy"
    )
    expected = -(m - ρ * volume) * 9.81 / (m + ρ * volume / 2)
    assert a == pytest.approx([0, 0, expected, 0, 0, 0], rel=1e-14)


@pytest.mark.parametrize("r", [(0.0, 0.0, 0.0), (0.2, -0.1, 0.3)])
def test_water_that_accelerates_carries_a_body_made_of_water_along(r):
    """A fluid particle: m = ρ∇, com = cob = r; it must move with Dv/Dt there, whatever its added mass."""
    rng = np.random.default_rng(3)
    B = rng.normal(size=(3, 3))
    A = np.zeros((6, 6))
    A[:3, :3] = B @ B.T
    b = um.SystemBuilder("particle")
    moved = se3.Ad(se3.pose(np.eye(3), -np.array(r)))
    fluid = um.Fluid(added_mass=moved.T @ A @ moved, volume=2e-3, centre_of_buoyancy=r)
    b.vehicle("particle", um.Free(), inertia=um.Inertia(2.0, r, (0.1, 0.1, 0.1)), fluid=fluid)
    system = b.build()

    def flow(t, x):
        return np.stack([0.3 * np.cos(2 * t) + 0.2 * x[1], 0.1 * t + 0.2 * x[0], 0.5 * np.sin(t)])

    q, _ = random_state(system, 3)
    g = pose_from_numbers(q)
    t, x, R = 0.7, (g @ [*r, 1.0])[:3], g[:3, :3]
    v = np.concatenate([R.T @ flow(t, x), np.zeros(3)])
    a = um.Plant(system, um.Ocean(flow, density=1000.0, gravity=(0, 0, 0))).forward_dynamics(
        t, q, v, backend="numpy"
    )
    u = flow(t, x)
    slope = np.array([[0, 0.2, 0], [0.2, 0, 0], [0, 0, 0]])
    expected = np.array([-0.6 * np.sin(2 * t), 0.1, 0.5 * np.cos(t)]) + slope @ u
    assert relative_error(R @ a[:3], expected) < 1e-13
    assert np.abs(a[3:]).max() < 1e-13


def test_sheared_current_is_what_its_table_says():
    sheared = um.ShearedCurrent([0.0, 10.0, 30.0], [[1.0, 0, 0.2], [0.5, 0.1, 0.1], [0, 0, 0]], surface=2.0)
    depths = np.array([-1.0, 0.0, 4.0, 10.0, 20.0, 50.0])
    x = np.stack([np.zeros(6), np.zeros(6), 2.0 - depths], axis=-1)
    expected = np.stack(
        [np.interp(depths, sheared.depths, column) for column in sheared.velocities.T], axis=-1
    )
    assert sheared.velocity(np.zeros(6), x) == pytest.approx(expected, abs=1e-15)
    inside = np.array([0.0, 0.0, 2.0 - 4.0])
    slope = central_rate(lambda s: sheared.velocity(0.0, inside + np.array([0, 0, s])))
    assert sheared.acceleration(0.0, inside) == pytest.approx(
        slope * sheared.velocity(0.0, inside)[2], abs=1e-13
    )
    assert um.ShearedCurrent([0, 1], [[1, 0, 0], [0, 1, 0]]).steady


def test_oscillating_current_is_the_function_that_it_says():
    mean, amplitude = np.array([0.1, 0.0, -0.3]), np.array([0.5, 0.1, -0.2])
    tide = um.OscillatingCurrent(amplitude, 3.0, mean=mean, phase=0.4)
    same = um.VaryingCurrent(lambda t: mean + amplitude * np.sin(2 * np.pi / 3.0 * t + 0.4))
    t, x = np.linspace(0, 5, 7), np.zeros((7, 3))
    assert tide.velocity(t, x) == pytest.approx(same.velocity(t, x), abs=1e-14)
    assert tide.acceleration(t, x) == pytest.approx(same.acceleration(t, x), abs=1e-14)
    assert tide.uniform
    assert not tide.steady


@pytest.mark.parametrize(
    "current",
    [
        None,
        CURRENT,
        um.ShearedCurrent([0.0, 2.0], [[0.5, 0, 0], [0, 0.3, 0]]),
        um.OscillatingCurrent((0.5, 0.1, -0.2), 3.0, mean=(0.1, 0, 0), phase=0.4),
        lambda t: np.stack([np.cos(t), 0.1 * t, 0 * t]),
        lambda t, x: np.stack([np.cos(t + x[2]), 0.1 * x[0], 0.3 * np.sin(x[1])]),
    ],
)
def test_kernels_batches_and_numpy_agree(current):
    system = wet_system(4, ("Free", "Revolute"))
    plant = um.Plant(system, um.Ocean(current))
    states = [random_state(system, seed) for seed in range(3)]
    q, v = np.stack([s[0] for s in states]), np.stack([s[1] for s in states])
    t = np.array([0.0, 0.5, 1.0])
    reference = plant.forward_dynamics(t, q, v, backend="numpy")
    assert relative_error(plant.forward_dynamics(t, q, v), reference) < 1e-12
    assert relative_error(plant.forward_dynamics(t[1], q[1], v[1], backend="numpy"), reference[1]) < 1e-13


def test_drag_never_drives_in_water_at_rest():
    system = wet_system(6)
    plant = um.Plant(system, um.Ocean(), joints=QUIET)
    for seed in range(5):
        q, v = random_state(system, seed)
        assert plant.power(0.0, q, v, backend="numpy").drag < 0


def test_bodies_without_fluid_data_stay_dry():
    b = um.SystemBuilder("dry")
    b.vehicle("dry", um.Free(), inertia=um.Inertia(1.0, (0, 0, 0), (1, 1, 1)))
    system = b.build()
    q, v = random_state(system, 1)
    wet, dry = um.Plant(system, um.Ocean(current=CURRENT)), um.Plant(system, um.Earth())
    assert wet.tree is dry.tree is system.tree
    assert (
        wet.forward_dynamics(0.0, q, v, backend="numpy").tolist()
        == dry.forward_dynamics(0.0, q, v, backend="numpy").tolist()
    )


def test_several_worlds_combine():
    system = wet_system(7)
    q, v = random_state(system, 1)
    both = um.Plant(system, (um.Earth(), um.Ocean(CURRENT)))
    assert (
        both.forward_dynamics(0.0, q, v, backend="numpy").tolist()
        == um.Plant(system, um.Ocean(CURRENT)).forward_dynamics(0.0, q, v, backend="numpy").tolist()
    )
    with pytest.raises(um.ModelError, match="disagree on gravity"):
        um.Plant(system, (um.Earth(gravity=(0, 0, -1.6)), um.Ocean()))
