"""Any number of a plant can be free: with its values put in, the plant is one that was built with them."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.thinning import one_in

import unmoored as um

LOADED = um.load("bluerov2_heavy_alpha5")
ARM, HULL = LOADED.joints[2], f"{LOADED.joints[2]}_hull"


def with_body(name, system=LOADED, **changes):
    bodies = [replace(b, **changes) if b.name == name else b for b in system.tree.bodies]
    return um.System(replace(system.tree, bodies=tuple(bodies)))


def body(system, name):
    return system.tree.bodies[system.names.index(name)]


#: with a spring in one joint, so that the place where it is relaxed counts
BASE = with_body(ARM, joint=replace(body(LOADED, ARM).joint, stiffness=0.5))
Q = BASE.random_configuration(3)
V = 0.4 * np.random.default_rng(4).normal(size=BASE.nv)


def thruster(**options):
    given = {"at": (0.1, -0.2, 0.05), "direction": (1, 1, 0), "lag": 0.15, "limits": (-40.0, 50.0)} | options
    return um.Thruster(BASE.names[0], name="bow", **given)


def motor(**options):
    return um.JointMotor(BASE.joints[-1], name="wrist", **({"gear": 2.0} | options))


def plant(system=BASE, world=None, first=None, second=None, free=()):
    world = um.Ocean(current=(0.3, -0.1, 0.05)) if world is None else world
    actuators = [first or thruster(), second or motor()]
    return um.Plant(system, world, actuators=actuators, free=free)


BODY = body(BASE, ARM)
FLUID = body(BASE, HULL).fluid
TENSOR = BODY.inertia.tensor * 1.3 + 0.001 * np.eye(3)
#: name of the free number → (value, the plant that was built with it)
CASES = {
    f"{ARM}.mass": (
        0.7,
        lambda x: plant(with_body(ARM, BASE, inertia=um.Inertia(x, BODY.inertia.com, BODY.inertia.tensor))),
    ),
    f"{ARM}.com": (
        np.array([0.01, 0.02, -0.03]),
        lambda x: plant(with_body(ARM, BASE, inertia=um.Inertia(BODY.inertia.mass, x, BODY.inertia.tensor))),
    ),
    f"{ARM}.tensor": (
        TENSOR[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
        lambda x: plant(with_body(ARM, BASE, inertia=um.Inertia(BODY.inertia.mass, BODY.inertia.com, TENSOR))),
    ),
    f"{ARM}.xyz": (
        np.array([0.2, 0.1, -0.1]),
        lambda x: plant(with_body(ARM, BASE, at=um.Pose(xyz=x, rotation=BODY.at.rotation))),
    ),
    f"{ARM}.rpy": (
        np.array([0.3, -0.2, 0.5]),
        lambda x: plant(with_body(ARM, BASE, at=um.Pose(xyz=BODY.at.xyz, rpy=x))),
    ),
    **{
        f"{ARM}.{field}": (
            np.array([0.37]),
            lambda x, field=field: plant(with_body(ARM, BASE, joint=replace(BODY.joint, **{field: x}))),
        )
        for field in ("armature", "damping", "friction", "stiffness", "rest")
    },
    **{
        f"{HULL}.fluid.{field}": (
            value,
            lambda x, field=field: plant(with_body(HULL, BASE, fluid=replace(FLUID, **{field: x}))),
        )
        for field, value in {
            "added_mass": np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]),
            "linear_drag": np.array([0.4, 2.0, 0.3, 0.1, 0.2, 0.3]),
            "quadratic_drag": np.array([4.0, 2.0, 3.0, 0.1, 0.2, 0.3]),
            "volume": 0.002,
            "centre_of_buoyancy": np.array([0.01, 0.03, -0.02]),
        }.items()
    },
    "ocean.current": (np.array([-0.2, 0.4, 0.1]), lambda x: plant(world=um.Ocean(current=x))),
    "ocean.density": (998.0, lambda x: plant(world=um.Ocean(current=(0.3, -0.1, 0.05), density=x))),
    "gravity": (np.array([0.1, 0.2, -3.0]), lambda x: plant(world=um.Ocean((0.3, -0.1, 0.05), gravity=x))),
    "bow.lag": (0.4, lambda x: plant(first=thruster(lag=x))),
    "bow.limits": (np.array([-1.0, 2.0]), lambda x: plant(first=thruster(limits=x))),
    "bow.at": (np.array([0.3, 0.3, -0.1]), lambda x: plant(first=thruster(at=x))),
    "wrist.gear": (5.0, lambda x: plant(second=motor(gear=x))),
}  # fmt: skip


#: all of them at once, in one kernel
ALL = plant(free=list(CASES))
U, X = np.array([30.0, 0.6]), np.array([12.0])


def all_with(name, values):
    """The nominal values of all numbers with others for one of them."""
    p = ALL.nominal_parameters.copy()
    (parameter,) = (parameter for parameter in ALL._declared if parameter.name == name)
    p[parameter.place] = values
    return p


def assert_same(got, expected, bound=1e-13):
    """Relative to the size of the vector (or matrix) that is compared, as a whole."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert np.linalg.norm(got - expected) <= bound * np.linalg.norm(expected)


def seen(one, p=None):
    """Everything that the number may touch: the motion, the energy, the momentum, the actuators' states."""
    from unmoored.worlds.plants.plant_equations import rates

    values = one.nominal_parameters if p is None else p
    found = rates(one, np.asarray(0.7), Q, V, X, U, values)
    given = {"p": p, "backend": "numpy"}
    energy, momentum = one.energy(0.7, Q, V, x=X, **given), one.momentum(0.7, Q, V, X, **given)
    return [found.acceleration, found.x_dot, np.array(energy), momentum]


@pytest.mark.parametrize("name", one_in(2, CASES))
def test_a_free_number_is_the_number_of_a_plant_built_with_it(name):
    value, built_with = CASES[name]
    free = plant(free=[name])
    p = free._declared[0].flat(value)
    built, nominal = built_with(value), seen(plant())
    for got, expected in zip(seen(free, p), seen(built), strict=True):
        assert_same(got, expected, 1e-15)
    for got, expected in zip(seen(free), nominal, strict=True):
        assert_same(got, expected, 1e-15)
    a, expected = ALL.forward_dynamics(0.7, Q, V, U, x=X, p=all_with(name, p)), seen(built)[0]
    assert_same(
        a[:6], expected[:6]
    )  # the vehicle's apart: those of the light wrist are a thousand times as large
    assert_same(a, expected)
    changed = max(np.abs(a - b).max() for a, b in zip(seen(free, p), nominal, strict=True))
    assert changed > 1e-6  # the number counts


def test_every_number_is_available_with_its_value():
    known = plant().available_parameters()
    assert set(CASES) <= known.keys()
    assert known["ocean.density"] == 1026.0
    assert known["bow.limits"].tolist() == [-40.0, 50.0]
    assert um.Plant(BASE, um.Ocean()).available_parameters()["ocean.current"].tolist() == [0, 0, 0]
    assert "bow.direction" not in known  # the direction of a unit vector is structure


def test_globs_stand_for_all_that_they_match():
    masses = plant(free=["*.mass"])
    assert [p.name for p in masses._declared] == [f"{name}.mass" for name in BASE.names]
    with pytest.raises(um.ModelError, match="unknown free number"):
        plant(free=["*.colour"])
    known, body = plant().available_parameters(), BASE.names[0]
    scales = {f"{name}.inertia_scale" for name in BASE.names}
    assert {p.name for p in plant(free=["*"])._declared} == known.keys() - scales
    own = {name for name in known if name.startswith(f"{body}.")}
    assert {p.name for p in plant(free=[f"{body}.*"])._declared} == own - scales
    assert {p.name for p in plant(free=["*.inertia_scale"])._declared} == scales
    with pytest.raises(um.ModelError, match="inertia_scale of a body, or its mass and tensor"):
        plant(free=[f"{body}.inertia_scale", f"{body}.mass"])


def test_a_number_that_is_free_is_present_even_where_it_is_zero():
    dry = um.Plant(BASE, um.Ocean(), free=["ocean.current"])
    moving = um.Plant(BASE, um.Ocean(current=(0.5, 0, 0)))
    got = dry.forward_dynamics(0.0, Q, V, p=np.array([0.5, 0, 0]))
    assert_same(got, moving.forward_dynamics(0.0, Q, V))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (f"{ARM}.mass", -1.0, "expected ≥ 0"),
        (f"{ARM}.mass", [1.0, np.nan], r"value \(sample 1\): expected finite"),
        (f"{ARM}.tensor", [1.0, 1.0, -5.0, 0, 0, 0], "moments of inertia"),
        (f"{HULL}.fluid.added_mass", [-1.0, 1, 1, 1, 1, 1], "positive semidefinite"),
        (f"{ARM}.com", [1.0, 2.0], r"shape \(3,\)"),
        ("bow.lag", 0.0, "expected > 0"),
        ("bow.limits", [3.0, -3.0], "lowest ≤ highest"),
    ],
)
def test_values_at_run_time_are_checked_like_built_ones(name, value, message):
    free = plant(free=[name])
    with pytest.raises(um.ModelError, match=message):
        um.simulate(free, Q, duration=0.01, step=0.01, parameters={name: value})


def test_a_thousand_samples_in_one_kernel():
    names = [
        f"{ARM}.mass",
        f"{ARM}.damping",
        f"{HULL}.fluid.quadratic_drag",
        "bow.lag",
        "bow.at",
        "ocean.current",
    ]
    free = plant(free=names)
    rng = np.random.default_rng(0)
    p = free.nominal_parameters * rng.uniform(0.5, 1.5, (1000, len(free.nominal_parameters)))
    u, x = np.array([30.0, 0.6]), np.array([12.0])
    a = free.forward_dynamics(0.7, Q, V, u, x=x, p=p)
    for i in (0, 999):
        alone = free.forward_dynamics(0.7, Q, V, u, x=x, p=p[i])
        assert np.array_equal(a[i], alone)
        reference = free.forward_dynamics(0.7, Q, V, u, x=x, p=p[i], backend="numpy")
        assert_same(alone, reference)


def test_what_reads_a_run_sees_the_samples_own_numbers():
    """Channels, channel events, poses of `run.sample(i).system`, energy and momentum: of plants built so."""
    b = um.SystemBuilder("arm")
    base = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    rod = um.Inertia.rod(mass=2.0, length=0.8, axis=(1, 0, 0), com=(0.4, 0, 0))
    link = b.link("arm", parent=base, joint=um.Revolute(axis=(0, 1, 0)), inertia=rod)
    b.frame("tool", parent=link, at=um.Pose(xyz=(0.8, 0, 0)))
    free = um.Plant(b.build(), um.Earth(), free=["tool.xyz", "arm.mass"])
    places, masses = np.array([[0.8, 0.0, 0.0], [1.6, 0.0, 0.3]]), np.array([2.0, 3.0])
    event = um.ChannelEvent("tool.z", falls_below=-0.5)
    options = {"duration": 0.6, "step": 1e-2, "events": [event]}
    run = um.simulate(free, np.zeros(1), parameters={"tool.xyz": places, "arm.mass": masses}, **options)
    heights = um.channel_values(run, ("tool.z",))["tool.z"]
    for i in range(2):
        one = run.sample(i)
        built = free.system_at(run.parameters[i])
        assert one.system == built
        plant = um.Plant(built, um.Earth())
        alone = um.simulate(plant, np.zeros(1), **options)
        assert one.status[0].kind == alone.status[0].kind == "event"
        assert abs(one.status[0].time - alone.status[0].time) < 1e-9
        assert abs(built.pose(one.q[-1], "tool")[2, 3] + 0.5) < 1e-6
        rows = int(run.lengths[i])
        assert np.abs(heights[i, :rows] - built.pose(run.q[i, :rows], "tool")[:, 2, 3]).max() < 1e-14
        assert np.abs(one.energy().total - alone.energy().total).max() < 1e-9
        assert np.abs(one.momentum() - alone.momentum()).max() < 1e-9
    assert run.status[0].time > run.status[1].time
