"""Control laws do what they are for, at any attitude."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.lie import se3, so3

SYSTEM = small_arm()
EARTH = um.Plant(SYSTEM, world=um.Earth())


def hovering(compensation=True, **gains):
    pose = se3.pose(so3.exp(np.array([0.0, np.pi / 2, 0.0])), np.array([1.0, 2.0, 3.0]))  # nose straight down
    options = {"stiffness": 200.0, "damping": 120.0} | gains
    keep = um.StationKeeping(EARTH, "bus", pose, compensation=compensation, **options)
    arm = um.JointPD(EARTH, {"arm1": 0.4, "arm2": -0.7}, 20.0, 8.0, compensation=compensation)
    return pose, keep + arm


def test_station_keeping_and_joint_pd_settle_on_their_targets_through_the_singular_attitude():
    pose, law = hovering()
    q, v = states(SYSTEM, 4, seed=1)
    run = um.simulate(EARTH, q, v, duration=15.0, step=2e-3, controller=law, record_every=500)
    assert run.completed
    for i in range(4):
        assert np.abs(SYSTEM.pose(run.q[i, -1], "bus") - pose).max() < 1e-5
        assert np.abs(run.q[i, -1, 12:] - (0.4, -0.7)).max() < 1e-5


def test_without_compensation_everything_hangs_lower():
    _, law = hovering(compensation=False)
    q, v = states(SYSTEM, 1, seed=1)
    run = um.simulate(EARTH, q[0], v[0], duration=15.0, step=2e-3, controller=law, record_every=500)
    sag = 3.0 - SYSTEM.pose(run.q[-1], "bus")[2, 3]
    assert sag == pytest.approx(SYSTEM.mass * 9.81 / 200.0, rel=0.05)


def test_compensation_holds_the_drag_of_a_current():
    system = um.load("bluerov2_heavy")
    plant = um.Plant(system, world=um.Ocean(current=(0.3, 0.0, 0.0)))
    vehicle = system.vehicles[0]
    ends = []
    for compensation in (True, False):
        law = um.StationKeeping(plant, vehicle, np.eye(4), 100.0, 80.0, compensation=compensation)
        run = um.simulate(
            plant, system.neutral(), None, duration=20.0, step=5e-3, controller=law, record_every=400
        )
        ends.append(np.abs(run.q[-1, 9:12]).max())
    assert ends[0] < 1e-6 < 1e-3 < ends[1]


def test_gains_vary_over_a_batch():
    q, v = states(SYSTEM, 1)
    soft, hard = (um.JointPD(EARTH, {"arm1": 0.4, "arm2": um.Sine(0.2, 2.0)}, K, 5.0) for K in (5.0, 50.0))
    both = um.JointPD(EARTH, {"arm1": 0.4, "arm2": um.Sine(0.2, 2.0)}, np.array([[5.0] * 2, [50.0] * 2]), 5.0)
    runs = [um.simulate(EARTH, q[0], v[0], duration=0.2, step=0.01, controller=law) for law in (soft, hard)]
    batch = um.simulate(EARTH, q[0], v[0], duration=0.2, step=0.01, controller=both)
    assert batch.samples == 2
    for i in range(2):
        assert np.array_equal(batch.q[i], runs[i].q)
    assert not np.array_equal(runs[0].q, runs[1].q)


def test_laws_on_numbers_take_batches_and_agree_with_the_kernel():
    _, law = hovering()
    q, v = states(SYSTEM, 5)
    all_at_once = law(0.3, q, v)
    for i in range(5):
        assert np.abs(all_at_once[i] - law(0.3, q[i], v[i])).max() < 1e-11
    run = um.simulate(EARTH, q, v, duration=0.02, step=0.01, controller=law)
    assert np.abs(run.u[:, 0] - law(0.0, q, v)).max() < 1e-10


def test_bounds_and_delays_of_nothing_are_allowed():
    law = um.ReactionMode(EARTH, "bus", np.eye(4), 50.0, 100.0, position_bound=0.0, angle_bound=0.0)
    assert (law.position_bound, law.angle_bound) == (0.0, 0.0)
    jets = [um.Thruster("bus", direction=d, name=f"jet{k}", fails_at=1.0) for k, d in enumerate(np.eye(3))]
    plant = um.Plant(SYSTEM, actuators=jets)
    push = um.StationKeeping(plant, "bus", np.eye(4), 5.0, 2.0)
    assert um.Allocated(plant, push, detected_after=0.0).detected_after == 0.0
    with pytest.raises(um.ModelError, match="detected_after: expected ≥ 0"):
        um.Allocated(plant, push, detected_after=-0.1)


def test_reaction_mode_fires_beyond_its_bound_only():
    plant = um.Plant(SYSTEM)
    law = um.ReactionMode(plant, "bus", np.eye(4), 50.0, 100.0, position_bound=0.1, angle_bound=0.2)
    v = SYSTEM.pack_velocity({"bus.vx": 0.02})
    run = um.simulate(plant, SYSTEM.neutral(), v, duration=20.0, step=0.01, controller=law, control_step=0.05)
    distance = np.linalg.norm(run.q[:, 9:12], axis=-1)
    firing = np.abs(run.u).max(axis=-1) > 0
    held = np.arange(len(run.t)) % 5 == 0
    assert np.array_equal(firing[held], distance[held] > 0.1)
    assert firing.any()
    assert not firing.all()
    assert distance.max() < 0.13
    free = um.simulate(plant, SYSTEM.neutral(), v, duration=4.0, step=0.01)
    assert np.abs(run.q[:401] - free.q).max() < 1e-12


def test_resolved_motion_brings_the_tool_there_while_the_bus_floats():
    system = um.load("free_flyer_arm7")
    plant = um.Plant(system)
    joints = {name: 0.6 * (-1) ** k for k, name in enumerate(system.names) if name != "bus"}
    q = system.pack(joints)
    frame = system.frames[0]
    target = system.pose(q, frame) @ se3.exp(np.array([0.05, -0.04, 0.03, 0.05, 0.0, -0.1]))
    law = um.ResolvedMotion(
        plant, frame, target, passive="bus", rate=1.0, bandwidth=10.0, regularization=1e-3
    )
    run = um.simulate(plant, q, None, duration=10.0, step=1e-3, controller=law, record_every=500)
    assert run.completed
    errors = np.linalg.norm(se3.log(se3.inverse(system.pose(run.q, frame)) @ target), axis=-1)
    assert errors[-1] < 1e-3 * errors[0]
    P = run.momentum()
    assert np.abs(P).max() < 1e-10  # no thruster fired
    assert np.abs(system.pose(run.q[-1], "bus") - np.eye(4)).max() > 1e-4


def test_forces_are_shared_out_among_thrusters():
    builder = um.SystemBuilder("boat")
    builder.vehicle("boat", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(2, 1, 0.4)))
    system = builder.build()
    thrusters = [
        um.Thruster("boat", direction=d, at=r, name=name)
        for name, d, r in (
            ("left", (1, 0, 0), (-1, 0.4, 0)),
            ("right", (1, 0, 0), (-1, -0.4, 0)),
            ("bow", (0, 1, 0), (0.9, 0, 0)),
        )
    ]
    plant = um.Plant(system, actuators=thrusters)
    direct = um.StationKeeping(plant, "boat", np.eye(4), 20.0, 20.0)
    law = um.Allocated(plant, direct, regularization=1e-6)
    q = system.retract(system.neutral(), np.array([0.3, -0.2, 0.4]))
    v = np.array([0.1, 0.0, -0.1])
    τ = plant.allocation_matrix(q) @ law(0.0, q, v)
    assert np.abs(τ - direct(0.0, q, v)).max() < 1e-9
    run = um.simulate(plant, q, v, duration=20.0, step=0.01, controller=law, record_every=100)
    assert np.abs(system.pose(run.q[-1], "boat") - np.eye(4)).max() < 1e-4


def test_link_keeping_holds_a_body_of_the_arm_in_the_world():
    builder = um.SystemBuilder("ship")
    deck = builder.vehicle("deck", um.Free(), inertia=um.Inertia(1e4, (0, 0, 0), (1e4, 1e4, 1e4)))
    stage = um.Inertia(50.0, (0, 0, 0), (20.0, 20.0, 20.0))
    builder.link("stage", parent=deck, joint=um.Free(), at=um.Pose(xyz=(0, 0, 2)), inertia=stage)
    system = builder.build()
    plant = um.Plant(
        system,
        um.Earth(),
        prescribed={"deck": lambda t: se3.exp(np.array([0, 0, 0, 0.2, 0.1, 0]) * np.sin(t))},
    )
    law = um.LinkKeeping(plant, "stage", um.Pose(xyz=(0, 0, 2)), 4e4, 8e3)
    run = um.simulate(plant, system.neutral(), None, duration=5.0, step=5e-3, controller=law, record_every=50)
    held = np.array([system.pose(q, "stage") for q in run.q])
    assert np.abs(held[-10:] - um.Pose(xyz=(0, 0, 2)).matrix).max() < 0.02
    for body, pose, message in (
        ("stage", 2 * np.eye(4), "pose"),
        ("deck", np.eye(4), "StationKeeping"),
        ("x", np.eye(4), "body"),
    ):
        with pytest.raises(um.ModelError, match=message):
            um.LinkKeeping(plant, body, pose, 1.0, 1.0)


def test_constant_inputs_by_name():
    law = um.Inputs(EARTH, {"arm1": 2.0, "bus.vz": [1.0, 3.0]})
    q, v = states(SYSTEM, 1)
    run = um.simulate(EARTH, q[0], v[0], duration=0.05, step=0.01, controller=law)
    assert np.all(run.u[:, :, 6] == 2.0)
    assert np.array_equal(run.u[:, 0, 2], [1.0, 3.0])
    assert np.count_nonzero(run.u[0, 0]) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: um.StationKeeping(SYSTEM, "bus", np.eye(4), 1.0, 1.0), "plant: expected a Plant"),
        (
            lambda: um.StationKeeping(EARTH, "arm1", np.eye(4), 1.0, 1.0),
            "unknown vehicle: expected one of bus",
        ),
        (lambda: um.StationKeeping(EARTH, "bus", np.ones((4, 4)), 1.0, 1.0), r"expected a pose \(4, 4\)"),
        (
            lambda: um.StationKeeping(EARTH, "bus", np.eye(4), [1.0] * 5, 1.0),
            "stiffness: expected one number",
        ),
        (
            lambda: um.StationKeeping(EARTH, "bus", np.eye(4), "stiff", 1.0),
            "stiffness: expected numbers of shape",
        ),
        (lambda: um.JointPD(EARTH, {"elbow": 0.0}, 1.0, 1.0), "unknown body or joint"),
        (lambda: um.JointPD(EARTH, {}, 1.0, 1.0), "targets: expected {joint: reference}"),
        (lambda: um.Inputs(EARTH, {"thruster": 1.0}), "unknown input"),
        (lambda: um.Inputs(EARTH, {"arm1": "much"}), "Inputs: values: expected numbers of shape"),
        (lambda: um.Allocated(EARTH, um.Inputs(EARTH, {})), "inputs that are thrusts or forces"),
        (lambda: um.ReactionMode(EARTH, "bus", np.eye(4), 1.0, 1.0, position_bound=-1.0), "position_bound"),
        (lambda: um.Allocated(EARTH, None, regularisation=1.0), "expected regularization"),
        (lambda: um.ResolvedMotion(EARTH, "arm1", np.eye(4), ["bus"], damping=1.0), "expected bandwidth"),
        (
            lambda: SYSTEM.plan_least_disturbance(
                SYSTEM.neutral(), np.zeros(8), np.zeros(6), "arm1", passive=["bus"], regularisation=1.0
            ),
            "expected regularization",
        ),
    ],
)
@pytest.mark.whole
def test_refusals(make, message):
    with pytest.raises(um.ModelError, match=message):
        make()


@pytest.mark.long
def test_forces_shared_out_among_geared_motors_arrive_whole():
    """A motor with gear 5 needs a fifth of the command: the joint moves as if driven directly."""
    system = um.load("free_flyer_arm7")
    joints = [name for name in system.names if name != "bus"]
    goal = dict.fromkeys(joints, 0.3)
    moved = []
    for gear in (1.0, 5.0):
        plant = um.Plant(system, actuators=[um.JointMotor(name, gear=gear) for name in joints])
        law = um.Allocated(plant, um.JointPD(um.Plant(system), goal, stiffness=20.0, damping=5.0), 1e-9)
        moved.append(
            um.simulate(plant, system.neutral(), np.zeros(13), duration=0.2, step=1e-3, controller=law).q[-1]
        )
    assert np.abs(moved[0] - system.neutral()).max() > 1e-2
    assert np.allclose(moved[0], moved[1], rtol=0, atol=1e-12)


def test_laws_of_a_plant_with_free_numbers_stay_in_the_kernel():
    plant = um.Plant(SYSTEM, world=um.Earth(), free=["gravity", "arm1.mass"])
    law = um.StationKeeping(plant, "bus", np.eye(4), 200.0, 120.0) + um.JointPD(
        plant, {"arm1": 0.1}, 20.0, 8.0
    )
    q, v = states(SYSTEM, 1)
    run = um.simulate(plant, q[0], v[0], duration=0.02, step=0.01, controller=law, controller_in="kernel")
    assert run.provenance["controller_in"] == "kernel"
    assert np.abs(run.u[0] - law(0.0, q[0], v[0])).max() < 1e-10


@pytest.mark.long
def test_the_identity_of_a_law_of_ours_is_its_structure_in_every_process(tmp_path):
    import subprocess
    import sys

    program = """
import unmoored as um
from unmoored.trace import fingerprint
plant = um.Plant(um.load("free_flyer_arm7"), world=um.Earth())
law = um.JointPD(plant, {name: 0.2 for name in plant.system.names[1:]}, %s, 5.0)
seen = fingerprint(law + um.Inputs(plant, {}))
assert seen.own and not seen.kept and not seen.unseen
print(seen.digest.hex())
"""
    told = {
        subprocess.check_output([sys.executable, "-c", program % gain], text=True)
        for gain in ("20.0", "[7.0] * 7")
    }
    assert len(told) == 1
