"""Closed loops: accelerations and loads against Pinocchio, MuJoCo and closed forms, order, drift, rank, errors."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from tests.support.thinning import one_in
from tests.worlds.closed_systems import (
    BARS,
    EARTH,
    MASSES,
    closed_four_bar,
    four_bar,
    four_bar_angles,
    holding,
    rod,
    two_arms,
)

import unmoored as um
from unmoored import kernels
from unmoored.lie import se3
from unmoored.worlds.closures.independent_rows import independent_rows
from unmoored.worlds.loads import setting
from unmoored.worlds.plants.assembly import gaps_at
from unmoored.worlds.plants.closed_plant import closed_state, kept_rows

JOINTS = {
    "fixed": um.Fixed(),
    "revolute": um.Revolute((1, 2, -1)),
    "prismatic": um.Prismatic((0, 1, 1)),
    "helical": um.Helical((1, 0, 1), 0.3),
    "cylindrical": um.Cylindrical((0, 1, 0)),
    "planar": um.Planar(normal=(1, 1, 0)),
    "spherical": um.Spherical(),
    "translation": um.Translation(),
    "schoenflies": um.Schoenflies(axis=(1, 0, 0)),
    "planar helical": um.PlanarHelical((0, 0, 1), 0.2),
}


@cache
def plant_with(joint: str, free: bool = True) -> um.Plant:
    closure = um.Closure("left_hand", "right_hand", joint=JOINTS[joint], name="grip")
    return um.Plant(two_arms(free), um.Earth(), closures=[closure])


@pytest.mark.parametrize("joint", one_in(2, JOINTS))
def test_motion_stays_on_the_closure(joint: str) -> None:
    """Along q̇ = v, v̇ = a of the plant the relative pose stays in the joint's group to second order, at speed."""
    plant = plant_with(joint)
    system, (q, v) = plant.system, holding(plant)
    group = JOINTS[joint].group

    def relative(q):
        return np.linalg.inv(system.pose(q, "left_hand")) @ system.pose(q, "right_hand")

    assert group.contains(relative(q), 1e-12)
    a, ε = plant.forward_dynamics(0.0, q, v, backend="numpy"), 1e-4
    N = np.linalg.svd(group.basis.T)[2][group.dim :].T if group.dim else np.eye(6)

    def rate(s):
        at, speed = system.retract(q, s * ε * v + 0.5 * (s * ε) ** 2 * a), v + s * ε * a
        g = relative(at)
        V = system.jacobian(at, "right_hand") - se3.Ad(se3.inverse(g)) @ system.jacobian(at, "left_hand")
        return N.T @ (V @ speed)

    assert np.abs(rate(0)).max() < 1e-12
    assert np.abs(rate(1) - rate(-1)).max() / (2 * ε) < 5e-6 * max(1.0, np.abs(a).max())


@pytest.mark.parametrize("joint", JOINTS)
def test_gaps_come_back_by_their_cube(joint: str) -> None:
    """What the way back on the closure leaves of a gap ε is of the order of ε³, of any joint; measured by the log."""
    plant = plant_with(joint)
    system, (q, v), p = plant.system, holding(plant), np.zeros(0)
    off, left = np.random.default_rng(5).normal(size=system.nv), []
    kept = kept_rows(plant, np.array(0.0), q, p)
    for ε in (8e-3, 2e-3):
        found = closed_state(plant, np.array(0.0), system.retract(q, ε * off), v, p, kept)
        left.append(np.abs(gaps_at(setting(plant, p), found.q)).max())
        assert np.abs(np.abs(found.gap).max() - left[-1]) < 1e-3 * left[-1]
    assert abs(np.log(left[0] / left[1]) / np.log(4.0) - 3.0) < 0.1
    assert left[1] < 1e-7


def test_against_pinocchio() -> None:
    """Accelerations and reactions of a welded and of a ball closure, on a free bus, frames turned, both moving."""
    pin = pytest.importorskip("pinocchio")
    from tests.support.pinocchio_oracle import PinocchioOracle

    kinds = {"fixed": pin.ContactType.CONTACT_6D, "spherical": pin.ContactType.CONTACT_3D}
    for joint, kind in kinds.items():
        plant = plant_with(joint)
        system, (q, v) = plant.system, holding(plant, 1)
        oracle = PinocchioOracle(system.tree, np.array([0, 0, -9.81]))
        model, places = oracle.model, []
        for name in ("right_hand", "left_hand"):
            index, at = system.tree.locate(name)
            A = system.tree.links[index].joint.group.frame
            places += [model.getJointId(system.tree.names[index]), pin.SE3(se3.inverse(A) @ at)]
        contact = pin.RigidConstraintModel(kind, model, *places, pin.ReferenceFrame.LOCAL)
        data, contacts, datas = (
            model.createData(),
            pin.StdVec_RigidConstraintModel(),
            pin.StdVec_RigidConstraintData(),
        )
        contacts.append(contact)
        datas.append(contact.createData())
        pin.initConstraintDynamics(model, data, contacts, datas)
        settings = pin.ProximalSettings(1e-14, 0.0, 1)
        tau = np.random.default_rng(2).normal(size=system.nv)
        pin.constraintDynamics(
            model,
            data,
            oracle.configuration(q),
            oracle.velocity(v),
            oracle.velocity(tau),
            contacts,
            datas,
            settings,
        )
        wanted = oracle.back(data.ddq)
        found = plant.forward_dynamics(0.0, q, v, tau)
        assert np.abs(found - wanted).max() < 1e-9 * np.abs(wanted).max()
        loads = plant.closure_loads(0.0, q, v, tau)
        assert loads.unique[0] == 1.0
        force = datas[0].contact_force.vector
        size = 6 if joint == "fixed" else 3
        assert np.abs(loads.wrench[0, :size] - force[:size]).max() < 1e-8 * np.abs(force).max()


def test_loads_are_those_on_frame_b() -> None:
    """With them on b and their opposite on a the open tree moves as the closed one does: signs, frames and order."""
    for joint in ("revolute", "planar"):
        plant = plant_with(joint)
        system, (q, v) = plant.system, holding(plant, 1)
        tau = np.random.default_rng(2).normal(size=system.nv)
        on_b = plant.closure_loads(0.0, q, v, tau).wrench[0]
        g = np.linalg.inv(system.pose(q, "left_hand")) @ system.pose(q, "right_hand")
        pushed = {"right_hand": on_b, "left_hand": -se3.Ad(se3.inverse(g)).T @ on_b}
        found = system.forward_dynamics(q, v, tau, gravity=[0, 0, -9.81], wrenches=pushed)
        wanted = plant.forward_dynamics(0.0, q, v, tau)
        assert np.abs(found - wanted).max() < 1e-11 * np.abs(wanted).max()


def test_a_held_weight_is_pushed_up() -> None:
    """A body welded to the world, its frame turned: b is held by its weight upwards, and by the moment of its lever."""
    mass, com = 3.0, np.array([0.2, -0.1, 0.05])
    b = um.SystemBuilder("held")
    b.vehicle("load", um.Free(), inertia=um.Inertia(mass, com, np.diag([0.1, 0.1, 0.1])))
    turned = um.Pose(xyz=(0.3, 0.1, -0.2), rpy=(0.4, -0.7, 1.1))
    b.frame("eye", parent="load", at=turned)
    b.frame("hook", parent="world", at=um.Pose(xyz=(1, 2, 3), rpy=(0.2, 0.1, -0.5)))
    plants = [
        um.Plant(b.build(), um.Earth(), closures=[um.Closure(*way, name="weld")])
        for way in (("hook", "eye"), ("eye", "hook"))
    ]
    q = plants[0].assemble(plants[0].system.pack({"load": um.Pose(xyz=(1, 2, 3)).matrix})).q
    R, at = plants[0].system.pose(q, "eye")[:3, :3], plants[0].system.pose(q, "load")
    lever = at[:3, :3] @ com + at[:3, 3] - plants[0].system.pose(q, "eye")[:3, 3]
    up = mass * 9.81 * np.array([0.0, 0.0, 1.0])
    found = [plant.closure_loads(0.0, q, np.zeros(6)).wrench[0] for plant in plants]
    wanted = np.concatenate([R.T @ up, R.T @ np.cross(lever, up)])
    assert np.abs(found[0] - wanted).max() < 1e-11
    assert (
        np.abs(found[1] + wanted).max() < 1e-11
    )  # the other way round it is what the load does to the world


def test_against_mujoco() -> None:
    """The four-bar with the rows of MuJoCo's equality constraint, its mass matrix and its bias, solved exactly."""
    mujoco = pytest.importorskip("mujoco")
    ground, a, b, c = BARS
    inertia = [(m, m * length**2 / 12) for m, length in zip(MASSES, (a, b, c), strict=True)]

    def body(name, x, i, length, inner=""):
        m, about = inertia[i]
        return (
            f'<body name="{name}" pos="{x} 0 0"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{length / 2} 0 0" mass="{m}" diaginertia="1e-4 {about} {about}"/>'
            f'<site name="{name}_end" pos="{length} 0 0"/>{inner}</body>'
        )

    chain = body("crank", 0, 0, a, body("coupler", a, 1, b)) + body("rocker", ground, 2, c)
    xml = f"""<mujoco><compiler inertiafromgeom="false"/><option gravity="0 -9.81 0" iterations="200" tolerance="0"/>
      <worldbody>{chain}</worldbody>
      <equality><connect site1="coupler_end" site2="rocker_end"/></equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data, plant = mujoco.MjData(model), closed_four_bar()
    q, v = plant.assemble([0.7, *four_bar_angles(0.7)], [2.0, 0, 0])
    found = plant.forward_dynamics(0.0, q, v)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    M = np.zeros((3, 3))
    mujoco.mj_fullM(model, data, M) if mujoco.__version__ >= "3.3.3" else mujoco.mj_fullM(model, M, data.qM)
    J = np.reshape(data.efc_J[: 3 * 3], (3, 3))[:2]
    ε = 1e-6
    rows = []
    for s in (1, -1):
        data.qpos[:] = q + s * ε * v
        mujoco.mj_forward(model, data)
        rows.append(np.reshape(data.efc_J[: 3 * 3], (3, 3))[:2] @ v)
    drift = (rows[0] - rows[1]) / (2 * ε)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    K = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
    wanted = np.linalg.solve(K, np.concatenate([-data.qfrc_bias, -drift]))[:3]
    assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max()


def test_four_bar_in_closed_form() -> None:
    """θ̈ of the one-DoF Lagrangian of the crank angle; positions by the law of cosines over a whole run."""
    plant = closed_four_bar()
    ground, a, b, c = BARS

    def inertia_and_potential(θ):
        """(I(θ), U(θ)) with T = ½ I θ̇², by complex steps of the closed form."""
        h = 1e-30
        angles = [np.array([θ + 1j * h, *(x for x in _complex_angles(θ + 1j * h))])]
        φ, ψ = angles[0][1], angles[0][2]
        rates = np.array([1.0, φ.imag / h, ψ.imag / h])
        q = np.array([θ, φ.real, ψ.real])
        M = plant.wet_system.mass_matrix(q)
        U = plant.energy(0.0, q, np.zeros(3)).potential
        return rates @ M @ rates, float(U), q, rates

    def _complex_angles(θ):
        x, y = ground - a * np.cos(θ), -a * np.sin(θ)
        d2 = x * x + y * y
        lean = np.arctan(y / x)
        coupler = lean + np.arccos((d2 + b * b - c * c) / (2 * b * np.sqrt(d2)))
        X, Y = a * np.cos(θ) + b * np.cos(coupler) - ground, a * np.sin(θ) + b * np.sin(coupler)
        return coupler - θ, np.arctan(Y / X) + (np.pi if X.real < 0 else 0.0)

    θ, θ̇, ε = 0.9, 3.0, 1e-4
    I, _, q, rates = inertia_and_potential(θ)
    sides = [inertia_and_potential(θ + s * ε) for s in (-2, -1, 1, 2)]
    dI, dU = ((sides[0][k] - 8 * sides[1][k] + 8 * sides[2][k] - sides[3][k]) / (12 * ε) for k in (0, 1))
    wanted = (5.0 - 0.5 * dI * θ̇**2 - dU) / I
    assert abs(plant.forward_dynamics(0.0, q, rates * θ̇, [5.0, 0, 0])[0] - wanted) < 1e-9 * abs(wanted)
    run = um.simulate(plant, q, rates * θ̇, duration=1.0, step=5e-3)
    φ, ψ = four_bar_angles(run.q[:, 0])
    assert np.abs(np.angle(np.exp(1j * (run.q[:, 1:] - np.stack([φ, ψ], axis=-1))))).max() < 1e-13
    assert run.invariants()["energy_balance"] < 1e-6


def test_slider_crank_in_closed_form() -> None:
    """x = r cos θ + √(l² − r² sin²θ): a slider that a rod pushes along a line through the crank's centre."""
    r, l = 0.3, 0.8
    b = um.SystemBuilder("slider-crank")
    crank = b.link("crank", parent="world", joint=um.Revolute((0, 0, 1)), inertia=rod(1.0, r))
    link = b.link(
        "rod", parent=crank, joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(r, 0, 0)), inertia=rod(0.7, l)
    )
    b.frame("wrist", parent=link, at=um.Pose(xyz=(l, 0, 0)))
    b.link(
        "slider",
        parent="world",
        joint=um.Prismatic((1, 0, 0)),
        inertia=um.Inertia.sphere(mass=2.0, radius=0.05),
    )
    pin = um.Closure("wrist", "slider", joint=um.Revolute((0, 0, 1)), name="pin")
    plant = um.Plant(b.build(), EARTH, closures=[pin])
    start = plant.assemble([0.5, -0.6, 1.0], [30.0, 0, 0])
    run = um.simulate(plant, *start, duration=1.0, step=5e-4)
    θ = run.q[:, 0]
    assert np.ptp(θ) > 2 * np.pi  # through both dead centres
    assert np.abs(run.q[:, 2] - r * np.cos(θ) - np.sqrt(l**2 - (r * np.sin(θ)) ** 2)).max() < 1e-13
    E = run.energy().total
    assert np.abs(E - E[0]).max() < 1e-7 * np.abs(E).max()


def test_order_of_the_integrators_and_no_drift() -> None:
    """Errors fall with the method's order with the projection in, and the gap stays at rounding in many steps."""
    plant = closed_four_bar()
    q, v = plant.assemble([0.7, *four_bar_angles(0.7)], [3.0, 0, 0])
    fine = um.simulate(
        plant, q, v, duration=0.4, step=2.5e-4, method="dopri5", tolerance=None, record_every=1600
    )
    for method, order, steps in (
        ("rkmk4", 4, (20, 40)),
        ("heun", 2, (160, 320)),
        ("lie_midpoint", 2, (160, 320)),
    ):
        errors = []
        for n in steps:
            run = um.simulate(plant, q, v, duration=0.4, step=0.4 / n, method=method, record_every=n)
            errors.append(np.abs(run.q[-1] - fine.q[-1]).max())
        assert abs(np.log2(errors[0] / errors[1]) - order) < 0.35, (method, errors)
    run = um.simulate(plant, q, v, duration=1000.0, step=1e-2, record_every=20_000)  # 1e5 steps
    g = np.linalg.inv(four_bar().pose(run.q, "tip")) @ four_bar().pose(run.q, "end")
    assert np.abs(g[:, :3, 3]).max() < 1e-12
    assert np.abs(g[:, 2, :2]).max() < 1e-12
    E = run.energy().total
    assert np.abs(E - E[0]).max() < 0.05 * np.abs(E).max()  # that of rkmk4 with this step, not of the closure


def overconstrained(twist: float = 0.0) -> um.Plant:
    """A parallelogram with two parallel rockers beside each other: the second is redundant."""
    b = um.SystemBuilder("parallelogram")
    z = um.Revolute((0, 0, 1))
    crank = b.link("crank", parent="world", joint=z, inertia=rod(1.0, 0.5))
    coupler = b.link("coupler", parent=crank, joint=z, at=um.Pose(xyz=(0.5, 0, 0)), inertia=rod(2.0, 1.2))
    closures = []
    for name, x in (("near", 0.6), ("far", 1.2)):
        rocker = b.link(name, parent="world", joint=z, at=um.Pose(xyz=(x, 0, 0)), inertia=rod(0.8, 0.5))
        b.frame(f"{name}_end", parent=rocker, at=um.Pose(xyz=(0.5, 0, 0)))
        b.frame(f"{name}_eye", parent=coupler, at=um.Pose(xyz=(x, 0, 0)))
        closures.append(um.Closure(f"{name}_eye", f"{name}_end", joint=z, name=f"pin_{name}"))
    return um.Plant(b.build(), EARTH, closures=closures)


def test_redundant_loops_keep_their_order_and_share_loads_by_least_norm() -> None:
    """Ten rows of rank three: energy error of order four at speed, loads flagged, their sum right, least in norm."""
    plant = overconstrained()
    q, v = plant.assemble([0.6, -0.6, 0.6, 0.6], [6.0, 0, 0, 0])
    drifts = []
    for n in (15, 30):
        run = um.simulate(plant, q, v, duration=0.3, step=0.3 / n, record_every=n)
        E = run.energy().total
        drifts.append(abs(E[-1] - E[0]) / abs(E[0]))
    assert drifts[1] < 1e-6
    assert drifts[0] / drifts[1] > 12
    loads = plant.closure_loads(0.0, q, v)
    assert np.all(loads.unique == 0.0)
    assert np.abs(loads.wrench[:, 2:]).max() < 1e-9  # nothing out of the plane
    # any other multipliers with the same motion are longer: add a self-stress of the two pins
    system, a = plant.system, plant.forward_dynamics(0.0, q, v)
    J = []
    for name in ("near", "far"):
        g = np.linalg.inv(system.pose(q, f"{name}_eye")) @ system.pose(q, f"{name}_end")
        J.append(
            system.jacobian(q, f"{name}_end") - se3.Ad(se3.inverse(g)) @ system.jacobian(q, f"{name}_eye")
        )
    rows = np.concatenate([part[:5] for part in J])  # all but the turn about z
    λ = loads.wrench[:, :5].ravel()
    needed = plant.inverse_dynamics(0.0, q, v, a)
    assert np.abs(rows.T @ λ - needed).max() < 1e-10 * np.abs(needed).max()
    assert np.abs(λ - np.linalg.pinv(rows.T) @ needed).max() < 1e-9 * np.abs(λ).max()


def test_independent_rows_are_as_many_as_the_rank() -> None:
    """Of rows with copies, sums, zeros and tiny ones: as many as the rank, and independent; unrolled and as a loop."""
    rng = np.random.default_rng(0)
    for c, rank in ((5, 3), (12, 7)):
        J = rng.normal(size=(20, c, rank)) @ rng.normal(size=(20, rank, 9))
        J[:, 0] *= 1e-3
        J[:, 1] = 0.0
        kept = independent_rows(J)
        compiled = kernels.compile(independent_rows, [(c, 9)], name="rows")(J)
        assert np.array_equal(kept, compiled)
        for one, mask in zip(J, kept > 0.5, strict=True):
            assert mask.sum() == np.linalg.matrix_rank(one, 1e-6) == np.linalg.matrix_rank(one[mask], 1e-6)


def test_prescribed_bases_couplings_and_water() -> None:
    """A loop on a heaving base, with a coupled joint, and one in water: gap at rounding, energy balance closed."""
    z = um.Revolute((0, 0, 1))
    b = um.SystemBuilder("on a ship")
    deck = b.vehicle("deck", um.Prismatic((0, 1, 0)), inertia=um.Inertia.box(mass=50.0, size=(1, 1, 1)))
    crank = b.link("crank", parent=deck, joint=z, inertia=rod(1.0, 0.4))
    coupler = b.link("coupler", parent=crank, joint=z, at=um.Pose(xyz=(0.4, 0, 0)), inertia=rod(1.5, 1.1))
    rocker = b.link("rocker", parent=deck, joint=z, at=um.Pose(xyz=(1.0, 0, 0)), inertia=rod(1.2, 0.9))
    b.link("flag", parent=rocker, joint=z, at=um.Pose(xyz=(0.9, 0, 0)), inertia=rod(0.3, 0.2))
    b.frame("tip", parent=coupler, at=um.Pose(xyz=(1.1, 0, 0)))
    b.frame("end", parent=rocker, at=um.Pose(xyz=(0.9, 0, 0)))
    b.mimic("flag", "crank", 0.5)
    pin = um.Closure("tip", "end", joint=z, name="pin")
    plant = um.Plant(b.build(), EARTH, closures=[pin], prescribed={"deck": lambda t: 0.2 * np.sin(3.0 * t)})
    q, v = plant.assemble([0, 0.7, *four_bar_angles(0.7), 0.35], [0, 2.0, 0, 0, 0])
    run = um.simulate(plant, q, v, duration=0.5, step=1e-3)
    g = np.linalg.inv(plant.system.pose(run.q, "tip")) @ plant.system.pose(run.q, "end")
    assert np.abs(g[:, :3, 3]).max() < 1e-13
    assert np.abs(run.q[:, 4] - 0.5 * run.q[:, 1]).max() < 1e-14
    assert run.invariants()["energy_balance"] < 1e-8
    assert np.abs(run.q[:, 0] - 0.2 * np.sin(3.0 * run.t)).max() < 1e-14
    rov = um.load("bluerov2_heavy_alpha5")
    tied = um.Plant(
        rov, um.Ocean(), closures=[um.Closure("world", rov.names[-1], joint=um.Spherical(), name="hook")]
    )
    with pytest.raises(um.ModelError, match="hook"):
        um.simulate(tied, rov.neutral(), duration=0.1, step=0.01)
    b = um.SystemBuilder("buoy")
    hull = b.vehicle(
        "hull", um.Free(), inertia=um.Inertia.box(mass=8.0, size=(0.4, 0.3, 0.2)),
        fluid=um.Fluid(added_mass=[5, 6, 7, 0.1, 0.2, 0.3], volume=0.004, linear_drag=[3, 3, 3, 1, 1, 1]),
    )  # fmt: skip
    b.frame("eye", parent=hull, at=um.Pose(xyz=(0.2, 0.1, -0.1)))
    held = um.Plant(
        b.build(), um.Ocean(), closures=[um.Closure("world", "eye", joint=um.Spherical(), name="ball")]
    )
    q, v = held.assemble(held.system.neutral(), [0, 0, 0, 1.0, 2.0, -1.0])
    run = um.simulate(held, q, v, duration=0.5, step=1e-3)
    assert np.abs(held.system.pose(run.q, "eye")[:, :3, 3]).max() < 1e-13
    assert run.invariants()["energy_balance"] < 1e-9


def test_kernels_batches_steppers_and_pickles() -> None:
    """The same bits alone, in a batch, by the stepper and after pickling; NumPy to rounding; float32 closed too."""
    plant = closed_four_bar()
    starts = [plant.assemble([crank, *four_bar_angles(crank)], [1.0, 0, 0]) for crank in (0.6, 0.7, 0.9)]
    q, v = (np.stack(parts) for parts in zip(*starts, strict=True))
    run = um.simulate(plant, q, v, duration=0.02, step=1e-3)
    assert run.completed
    one = um.simulate(plant, q[1], v[1], duration=0.02, step=1e-3)
    assert np.array_equal(one.q, run.q[1])
    numpy = um.simulate(plant, q[1], v[1], duration=0.003, step=1e-3, backend="numpy")
    assert np.abs(numpy.q - one.q[:4]).max() < 1e-12
    step = plant.step(0.0, q[1], v[1], None, 1e-3)
    assert np.abs(step.q - one.q[1]).max() < 1e-14
    stepper = um.Stepper(plant, samples=3, step=1e-3, control_step=0.02, q=q, v=v)
    assert np.array_equal(stepper.step().q, run.q[:, -1])
    again = pickle.loads(pickle.dumps(plant))
    assert again.digest == plant.digest != um.Plant(four_bar(), EARTH).digest
    single = um.simulate(plant, q[1], 0 * v[1], duration=0.1, step=1e-3, dtype="float32")
    assert single.completed


def test_free_numbers_of_closures() -> None:
    """active=0 is the open tree; frames that are free move the loop."""
    pin = um.Closure("tip", "end", joint=um.Revolute((0, 0, 1)), name="pin")
    plant = um.Plant(four_bar(), EARTH, closures=[pin], free=["pin.active", "tip.xyz"])
    q, v = closed_four_bar().assemble([0.7, *four_bar_angles(0.7)], [1.0, 0, 0])
    nominal = plant.nominal_parameters
    off = nominal.copy()
    off[0] = 0.0
    found = plant.forward_dynamics(0.0, q, v, p=np.stack([nominal, off]))
    wanted = [p.forward_dynamics(0.0, q, v) for p in (closed_four_bar(), um.Plant(four_bar(), EARTH))]
    assert np.abs(found - wanted).max() < 1e-12
    assert np.all(plant.closure_loads(0.0, q, v, p=off).wrench == 0.0)
    longer = nominal.copy()
    longer[1] = 1.15
    assert abs(four_bar().pose(plant.assemble(q, v, p=longer).q, "tip")[0, 3]) > 0


def test_what_is_wrong_is_told() -> None:
    plant, system = closed_four_bar(), four_bar()
    pin = plant.closures[0]
    q, v = plant.assemble([0.7, *four_bar_angles(0.7)])
    b = um.SystemBuilder("square")
    z = um.Revolute((0, 0, 1))
    one = b.link("one", parent="world", joint=z, inertia=rod(1.0, 1.0))
    two = b.link("two", parent=one, joint=z, at=um.Pose(xyz=(1, 0, 0)), inertia=rod(1.0, 1.0))
    three = b.link("three", parent="world", joint=z, at=um.Pose(xyz=(1, 0, 0)), inertia=rod(1.0, 1.0))
    b.frame("tip", parent=two, at=um.Pose(xyz=(1, 0, 0)))
    b.frame("end", parent=three, at=um.Pose(xyz=(1, 0, 0)))
    flat = um.Plant(b.build(), closures=[um.Closure("tip", "end", joint=z, name="pin")])
    wrong = [
        (lambda: um.simulate(plant, system.neutral(), duration=0.1), "pin: q0"),
        (lambda: um.simulate(plant, q, [1.0, 0, 0], duration=0.1), "pin: v0"),
        (lambda: um.simulate(flat, np.zeros(3), duration=0.1), "singular"),
        (lambda: um.Plant(system, closures=[um.Closure("tip", "world", joint=um.Universal())]), "subgroup"),
        (lambda: um.Closure("tip", "end", joint=um.Free()), "ties something"),
        (lambda: um.Closure("tip", "end", joint=um.Revolute((0, 0, 1), damping=1.0)), "damping"),
        (lambda: plant.step_derivatives(0.0, q, v, None, 1e-3, method="variational"), "another one"),
        (lambda: plant.hybrid_dynamics(0.0, q, v, tau=v, acceleration=v, passive=["crank"]), "no closures"),
        (lambda: plant.generalized_jacobian(q, "tip", passive=["crank"]), "no closures"),
        (lambda: um.simulate(plant, q, v, duration=0.1, method="variational"), "variational"),
        (lambda: plant.join(q, v, um.load("tumbling_brick"), um.load("tumbling_brick").neutral(), np.zeros(6),
                            frame="tip"), "no closures"),
        (lambda: um.Plant(system, closures=[um.Closure("tip", "end", joint=z, name="pin"), pin]), "twice"),
    ]  # fmt: skip
    for make, words in wrong:
        with pytest.raises(um.ModelError, match=words):
            make()
    out_of_reach = um.Closure("tip", "world", name="far", offset=[9, 0, 0, 0, 0, 0])
    far = um.Plant(system, closures=[out_of_reach])
    with pytest.raises(um.ModelError, match="far: q"):
        far.assemble(q)
    fast = um.simulate(plant, *plant.assemble(q, [40.0, 0, 0]), duration=2.0, step=0.5)
    assert fast.status[0].kind == "blew_up"
    assert "closure" in fast.status[0].reason


def test_in_a_file(tmp_path) -> None:
    system = tmp_path / "fourbar.yaml"
    four_bar().save(system) if hasattr(um.System, "save") else None
    if not system.exists():
        from unmoored.model.files import yaml

        system.write_text(yaml.format_yaml(four_bar().tree))
    q, _ = closed_four_bar().assemble([0.7, *four_bar_angles(0.7)])
    text = f"""
unmoored_scenario: 1
name: fourbar
system: fourbar.yaml
world: {{type: Earth, gravity: [0, -9.81, 0]}}
duration: 0.05
integrator: {{step: 0.001}}
initial: {{joints: {{crank: {q[0]!r}, coupler: {q[1]!r}, rocker: {q[2]!r}}}}}
closures:
  - {{frame_a: tip, frame_b: end, joint: {{type: Revolute, axis: [0, 0, 1]}}, name: pin}}
""".replace("np.float64(", "").replace(")", "")
    path = tmp_path / "run.yaml"
    path.write_text(text)
    run = um.load_scenario(path).run()
    wanted = um.simulate(closed_four_bar(), q, duration=0.05, step=1e-3)
    assert np.abs(run.q - wanted.q).max() < 1e-12
    assert run.closure_loads["pin"].shape == (51, 6)
    assert not run.closure_loads_unique["pin"].any()
