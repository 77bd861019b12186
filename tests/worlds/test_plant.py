"""The plant: prescribed and failed joints, constraints, run-time parameters, names, errors."""

from dataclasses import FrozenInstanceError, replace
from functools import partial

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.worlds.support import central_rate, random_state, relative_error, wet_system

import unmoored as um
from unmoored.dynamics.nonholonomic import constrained_forward_dynamics
from unmoored.lie import se3
from unmoored.trace import evaluate, trace
from unmoored.worlds.plants.plant_equations import right_hand_side

NUMPY = {"backend": "numpy"}
QUIET = um.JointEffects(springs=False, damping=False, friction=False, stops=False)
GRAVITY = np.array([0.0, 0.0, -9.81])


def swing(t):
    return np.stack([0.5 * np.sin(2 * t)])


def test_a_prescribed_joint_is_the_hybrid_recursion():
    system = um.load("free_flyer_arm7")
    name = system.names[3]
    plant = um.Plant(system, um.Earth(), prescribed={name: swing}, joints=QUIET)
    dof = int(system.tree.dofs(name)[0])
    assert plant.nw == system.nv - 1
    assert name not in plant.speed_names
    q, v = random_state(system, 1)
    u = np.random.default_rng(1).normal(size=system.nv)
    t = 0.3
    a = plant.forward_dynamics(t, q, v, u, **NUMPY)
    q[system.tree.link(name).q], v[dof] = 0.5 * np.sin(2 * t), np.cos(2 * t)
    given = np.zeros(system.nv)
    given[dof] = -2 * np.sin(2 * t)
    passive = np.ones(system.nv)
    passive[dof] = 0
    expected, tau = system.hybrid_dynamics(
        q, v, tau=u, acceleration=given, passive=passive, gravity=GRAVITY, **NUMPY
    )
    assert relative_error(a, expected) < 1e-12
    assert plant.reactions(t, q, v, u, **NUMPY)[dof] + u[dof] == pytest.approx(tau[dof], rel=1e-11)
    w = plant.independent_velocity(q, v)
    assert plant.full_velocity(t, q, w) == pytest.approx(v, abs=1e-15)
    assert plant.configuration(t, 0 * q)[system.tree.link(name).q] == pytest.approx(0.5 * np.sin(2 * t))


@pytest.mark.parametrize("kind", ["Spherical", "Planar", "Universal", "Schoenflies", "Helical"])
def test_any_joint_can_be_prescribed(kind):
    """Velocity and acceleration are the derivatives of the given motion, on every kind of joint."""
    system = um.System(random_tree(2, ("Free", "Revolute", kind, "Prismatic")))
    joint = system.tree.link("b2").joint
    x0, x1 = (np.random.default_rng(k).uniform(-0.5, 0.5, joint.nv) for k in (1, 2))

    def path(t):
        x = x0 * np.sin(t) + x1 * t
        return joint.transform(joint.from_coordinates(x)) if joint.nq == 12 else x

    plant = um.Plant(system, prescribed={"b2": path})
    q, _ = random_state(system, 1)
    w = np.zeros(plant.nw)
    t = 0.4
    u = plant.full_velocity(t, q, w)[system.tree.link("b2").v]
    here = plant.configuration(t, q)[system.tree.link("b2").q]
    along = central_rate(lambda s: joint.local(here, plant.configuration(t + s, q)[system.tree.link("b2").q]))
    assert relative_error(u, along) < 1e-9
    a = plant.forward_dynamics(t, q, np.zeros(plant.nv), **NUMPY)[system.tree.link("b2").v]
    rate = central_rate(lambda s: plant.full_velocity(t + s, q, w)[system.tree.link("b2").v])
    assert relative_error(a, rate) < 1e-9


def test_a_prescribed_joint_that_fails_becomes_passive():
    system = um.load("free_flyer_arm7")
    name = system.names[3]
    path = um.UntilFailure(um.Motion(swing), 1.0)
    plant = um.Plant(system, prescribed={name: path}, joints=QUIET)
    held = um.Plant(system, prescribed={name: swing}, joints=QUIET)
    free = um.Plant(system, joints=QUIET)
    dof = int(system.tree.dofs(name)[0])
    assert plant.nw == plant.nv  # its velocity goes on freely, so it is a state all along
    q, v = random_state(system, 2)
    u = np.random.default_rng(1).normal(size=system.nv)
    after = plant.forward_dynamics(1.0, q, v, u, **NUMPY)
    assert relative_error(after, free.forward_dynamics(0.0, q, v, u, **NUMPY)) < 1e-12
    t = 0.9
    q[system.tree.link(name).q], v[dof] = 0.5 * np.sin(2 * t), np.cos(2 * t)
    before = plant.forward_dynamics(t, q, v, u, **NUMPY)
    assert relative_error(before, held.forward_dynamics(t, q, v, u, **NUMPY)) < 1e-12
    assert before[dof] == pytest.approx(-2 * np.sin(2 * t), rel=1e-14)
    kernel = plant.forward_dynamics(np.array([t, 1.0]), q, v, u)
    assert relative_error(kernel[0], before) < 1e-12
    assert relative_error(kernel[1], free.forward_dynamics(0.0, q, v, u, **NUMPY)) < 1e-12


def test_constraints_are_the_reduction_s():
    system = um.load("rover_arm6")
    drive = um.DifferentialDrive("rover")
    plant = um.Plant(system, um.Ground(), constraints=[drive], joints=QUIET)
    q, v = random_state(system, 1)
    u = np.random.default_rng(1).normal(size=system.nv)
    expected = constrained_forward_dynamics(system.tree, q, v, u, GRAVITY, None, [drive])
    a = plant.forward_dynamics(0.0, q, v, u, **NUMPY)
    assert relative_error(a, expected.acceleration) < 1e-12
    assert relative_error(plant.reactions(0.0, q, v, u, **NUMPY), expected.reaction) < 1e-10
    w = plant.independent_velocity(q, v)
    w_dot, _ = right_hand_side(plant, 0.0, q, w, np.zeros(0), u, np.zeros(0))
    assert relative_error(w_dot, expected.speed_rates) < 1e-12
    assert plant.speed_names[:2] == ("rover.vx", "rover.wz")
    assert relative_error(plant.forward_dynamics(0.0, q, v, u), a) < 1e-11


def test_constraints_and_prescribed_joints_together():
    """Against multipliers: [[M, −Aᵀ], [A, 0]] with a row for each forbidden and each prescribed direction."""
    system = um.load("rover_arm6")
    name = "elbow"
    drive = um.DifferentialDrive("rover")
    plant = um.Plant(system, um.Ground(), constraints=[drive], prescribed={name: swing}, joints=QUIET)
    assert plant.nw == system.nv - 2
    t = 0.7
    q, v = random_state(system, 3)
    u = np.random.default_rng(2).normal(size=system.nv)
    v = plant.full_velocity(t, q, plant.independent_velocity(q, v))
    q = plant.configuration(t, q)
    dof = int(system.tree.dofs(name)[0])
    A = np.eye(system.nv)[[1, dof]]  # no sideways motion of the axle, which is the rover's own frame
    wanted = np.array([0.0, -2 * np.sin(2 * t)])
    M = system.mass_matrix(q, **NUMPY)
    bias = system.inverse_dynamics(q, v, np.zeros(system.nv), gravity=GRAVITY, **NUMPY)
    K = np.block([[M, -A.T], [A, np.zeros((2, 2))]])
    expected = np.linalg.solve(K, np.concatenate([u - bias, wanted]))[: system.nv]
    assert relative_error(plant.forward_dynamics(t, q, v, u, **NUMPY), expected) < 1e-10


PARAMETERS = ["ocean.current", "ocean.density", "gravity", "b1.mass", "b2.inertia_scale"]


def changed(system, mass, scale):
    """The system with another mass of b1, and b2 `scale` times as heavy."""
    bodies = list(system.tree.bodies)
    one, two = bodies[1].inertia, bodies[2].inertia
    bodies[1] = replace(bodies[1], inertia=um.Inertia(mass, one.com, one.tensor))
    bodies[2] = replace(bodies[2], inertia=um.Inertia(scale * two.mass, two.com, scale * two.tensor))
    return um.System(replace(system.tree, bodies=tuple(bodies)))


def test_parameters_are_what_a_plant_built_with_them_has():
    system = wet_system(3, ("Free", "Revolute", "Spherical", "Prismatic"))
    plant = um.Plant(system, um.Ocean((0.1, 0, 0)), free=PARAMETERS)
    assert plant.parameter_names[:4] == (
        "ocean.current[0]",
        "ocean.current[1]",
        "ocean.current[2]",
        "ocean.density",
    )
    nominal = plant.nominal_parameters
    assert nominal[:4].tolist() == [0.1, 0, 0, 1026.0]
    q, v = random_state(system, 1)
    samples = []
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        current, density, gravity = rng.normal(size=3), rng.uniform(900, 1100), rng.normal(size=3)
        mass, scale = rng.uniform(1, 5, 2)
        p = np.concatenate([current, [density], gravity, [mass, scale]])
        built = um.Plant(changed(system, mass, scale), um.Ocean(current, density, gravity))
        expected = built.forward_dynamics(0.0, q, v, **NUMPY)
        assert relative_error(plant.forward_dynamics(0.0, q, v, p=p, **NUMPY), expected) < 1e-11
        assert relative_error(plant.mass_matrix(q, p=p, **NUMPY), built.mass_matrix(q, **NUMPY)) < 1e-13
        energy = plant.energy(0.0, q, v, p=p, **NUMPY)
        assert np.allclose(energy, built.energy(0.0, q, v, **NUMPY), rtol=1e-12)
        samples.append((p, expected))
    ps, expected = np.stack([p for p, _ in samples]), np.stack([a for _, a in samples])
    assert relative_error(plant.forward_dynamics(0.0, q, v, p=ps), expected) < 1e-11
    assert relative_error(plant.forward_dynamics(0.0, q, v, p=ps, **NUMPY), expected) < 1e-11
    same = plant.forward_dynamics(0.0, q, v, **NUMPY)
    assert (
        relative_error(same, um.Plant(system, um.Ocean((0.1, 0, 0))).forward_dynamics(0.0, q, v, **NUMPY))
        < 1e-12
    )


def test_the_right_hand_side_traces_with_parameters():
    system = wet_system(3, ("Free", "Revolute", "Spherical", "Prismatic"))
    plant = um.Plant(system, um.Ocean((0.1, 0, 0)), free=PARAMETERS)
    q, v = random_state(system, 1)
    p = plant.nominal_parameters * 1.1
    u = np.ones(plant.nu)
    traced = trace(
        partial(right_hand_side, plant), (), (plant.nq,), (plant.nv,), (0,), (plant.nu,), (len(p),)
    )
    found = evaluate(traced, np.asarray(0.0), q, v, np.zeros(0), u, p)[0]
    assert relative_error(found, right_hand_side(plant, 0.0, q, v, np.zeros(0), u, p)[0]) < 1e-12


@pytest.mark.long
def test_many_links_in_water_run_as_kernels():
    """More links than are unrolled: the recursions become loops."""
    system = wet_system(1, ("Free", *["Revolute"] * 19), branching=False)
    plant = um.Plant(system, um.Ocean((0.3, 0, 0.1)))
    q, v = random_state(system, 1)
    reference = plant.forward_dynamics(0.0, q, v, **NUMPY)
    assert relative_error(plant.forward_dynamics(0.0, q, v), reference) < 1e-10


def test_single_precision_stays_single():
    plant = um.Plant(um.load("bluerov2_heavy"), um.Ocean((0.3, 0, 0)))
    q, v = (x.astype(np.float32) for x in random_state(plant.system, 1))
    single = plant.forward_dynamics(0.0, q, v)
    assert single.dtype == np.float32
    assert (
        relative_error(single, plant.forward_dynamics(0.0, q.astype(float), v.astype(float), **NUMPY)) < 1e-5
    )


def test_a_plant_never_changes_and_is_told_apart_by_content():
    system = um.load("spart_sc_3dof")
    plant = um.Plant(system, um.Earth())
    with pytest.raises(FrozenInstanceError):
        plant.world = um.Space()
    assert plant.digest == um.Plant(system, um.Earth()).digest
    others = [
        um.Plant(system),
        um.Plant(system, um.Earth((0, 0, -1))),
        um.Plant(system, um.Earth(), joints=QUIET),
    ]
    assert len({p.digest for p in [plant, *others]}) == 4
    with_code = um.Plant(system, actuators=[um.Thruster(system.names[0], curve=lambda n: n)])
    assert with_code.digest is None


def test_a_system_on_the_ground_must_not_fall():
    with pytest.raises(um.ModelError, match="cannot move along gravity"):
        um.Plant(um.load("free_flyer_arm7"), um.Ground())
    um.Plant(um.load("gantry_crane"), um.Ground())


SYSTEM = um.load("spart_sc_3dof")
ARM = SYSTEM.names[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"world": "space"}, "Plant: world: expected a World"),
        ({"world": (um.Earth(), um.Earth())}, "each kind of world once"),
        ({"actuators": [um.Earth()]}, "Plant: actuators: expected a Actuator"),
        ({"actuators": um.Thruster("x")}, "a list of Actuator"),
        ({"actuators": [um.Thruster("nowhere")]}, "unknown frame or body: expected one of"),
        ({"actuators": [um.JointMotor("nowhere")]}, "unknown joint or degree of freedom"),
        ({"actuators": [um.JointMotor(ARM), um.JointMotor(ARM)]}, "different names of"),
        ({"actuators": [um.Wrench(ARM, name=ARM)]}, "a name that no body or joint has"),
        ({"prescribed": [1]}, "{joint: trajectory}"),
        ({"prescribed": {"nowhere": swing}}, "unknown body or joint"),
        ({"prescribed": {ARM: 3.0}}, "a Trajectory, or a function of time"),
        ({"prescribed": {SYSTEM.names[0]: swing}}, "poses \\(4, 4\\)"),
        ({"parameters": ["gravity"]}, "free="),
        ({"free": ["ocean.current"]}, "unknown free number"),
        ({"free": [3]}, "names of numbers, given 3"),
        ({"free": "gravity"}, "a list of names"),
        ({"free": ["gravity", "gravity"]}, "different names"),
        ({"free": [f"{ARM}.mass", f"{ARM}.inertia_scale"]}, "inertia_scale of a body"),
        ({"constraints": [um.DifferentialDrive("nowhere")]}, "unknown vehicle"),
    ],
)
def test_bad_plants_are_refused(options, message):
    with pytest.raises(um.ModelError, match=message):
        um.Plant(SYSTEM, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: um.Ocean(density=-1), "density: expected ≥ 0"),
        (lambda: um.Ocean(current=(1, 2)), "current"),
        (lambda: um.Ocean(current=lambda t: np.stack([t, t])), "a velocity \\(3,\\)"),
        (lambda: um.ShearedCurrent([1.0, 0.0], np.zeros((2, 3))), "increasing depths"),
        (lambda: um.Jonswap(-1.0, 8.0), "significant_height"),
        (lambda: um.Jonswap(1.0, 8.0, 0.5), "peakedness"),
        (lambda: um.Sea(heading=12.0), "heading_rad, in radians"),
        (lambda: um.Sea(heading_rad=140.0), "radians, from"),
        (lambda: um.Sea(heading_rad=1.0, response="s175"), "heading_rad"),
        (lambda: um.Sea(seed=-1), "seed"),
        (lambda: um.ShipResponse(headings=[180], frequencies=[1, 2], operators=0), "headings_rad"),
        (lambda: um.UniformCurrent(velocity=(1, 0, 0)), "value"),
        (lambda: um.UniformCurrent((1, 0)), "UniformCurrent: value"),
        (lambda: um.OscillatingCurrent((1, 0, 0), 0.0), "period: expected > 0"),
        (lambda: um.UntilFailure(3.0, 1.0), "a Trajectory, or a function of time"),
        (lambda: um.allocate(np.eye(2), [1, 1], regularisation=1.0), "regularization"),
        (lambda: um.Sea(count=0), "count"),
        (lambda: um.Thruster("a", lag=0.0), "lag: expected > 0"),
        (lambda: um.Thruster("a", limits=(1, -1)), "lowest ≤ highest"),
        (lambda: um.Thruster("a", azimuth=(1, 0, 0)), "right angles"),
        (lambda: um.Rotor("a", spin=2), "spin"),
        (lambda: um.ReactionWheel("a", 0.0), "inertia: expected > 0"),
        (lambda: um.Fin("a", -1.0), "area: expected ≥ 0"),
        (lambda: um.JointMotor("a", gear=0), "gear"),
        (lambda: um.JointEffects(friction_speed=0.0), "friction_speed"),
    ],
)
def test_bad_parts_are_refused(make, message):
    with pytest.raises(um.ModelError, match=message):
        make()


def test_arrays_that_do_not_fit_are_refused():
    plant = um.Plant(SYSTEM)
    q, v = random_state(SYSTEM, 1)
    with pytest.raises(um.ModelError, match="u: expected shape"):
        plant.forward_dynamics(0.0, q, v, np.zeros(2))
    with pytest.raises(um.ModelError, match="q: expected numbers of shape"):
        plant.forward_dynamics(0.0, "q", v)
    with pytest.raises(um.ModelError, match="backend"):
        plant.forward_dynamics(0.0, q, v, backend="quantum")


def test_a_trajectory_outside_the_joint_s_group_is_refused():
    system = um.load("rover_arm6")
    with pytest.raises(um.ModelError, match="poses in"):
        um.Plant(
            system, prescribed={"rover": lambda t: se3.exp(np.stack([0 * t, 0 * t, t, t, 0 * t, 0 * t]))}
        )


def test_what_cannot_move_is_no_plant():
    b = um.SystemBuilder("mast")
    b.link("pole", parent="world", joint=um.Fixed(), inertia=um.Inertia.sphere(1.0, 0.1))
    told = "Plant: system: expected one with a degree of freedom, given 'mast', whose joints are all fixed"
    for made in (um.Plant, lambda system: um.simulate(system, np.zeros(0), duration=1.0, step=0.1)):
        with pytest.raises(um.ModelError, match=told):
            made(b.build())
