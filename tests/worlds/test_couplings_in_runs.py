"""Joints that follow others in runs, files, laws and the viewer: closed forms, balances, refusals."""

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.worlds.coupled_systems import (
    FOLLOWERS,
    coupled_tree,
    geared_pair,
    random_kept_state,
)

import unmoored as um
from unmoored.model import Mimic, ModelError
from unmoored.model.files import format_yaml
from unmoored.simulation.scenario import parse_scenario
from unmoored.views.viewer.joint_sliders import JointSliders
from unmoored.views.viewer.live_dynamics import LiveState, dry_stepper


@pytest.mark.parametrize("method", ["euler", "heun", "rkmk4", "lie_midpoint", "variational", "dopri5"])
def test_a_geared_pair_swings_as_the_closed_form_says(method):
    """(J₁ + 16 J₂ + 16 b) q̈ + (k₁ + 16 k₂) q = τ₁ − 4 τ₂: drives and springs reflect with the ratio squared."""
    system = geared_pair(slow={"stiffness": 5.0}, fast={"stiffness": 0.7, "armature": 0.02, "damping": 0.0})
    plant = um.Plant(system, actuators=[um.JointMotor("fast"), um.JointMotor("slow")])
    J, k = 0.3 + 16 * (0.05 + 0.02), 5.0 + 16 * 0.7
    u = np.array([0.4, -0.3])
    τ = u[1] - 4 * u[0]
    ω = np.sqrt(k / J)
    q0 = np.array([0.2, -0.8])
    law = um.Inputs(plant, {"fast_motor": 0.4, "slow_motor": -0.3})
    step = 1e-3 if method not in ("euler", "heun") else 1e-4
    run = um.simulate(plant, q0, duration=1.0, step=step, method=method, controller=law, record_every=100)
    expected = τ / k + (0.2 - τ / k) * np.cos(ω * run.t)
    bound = {"euler": 2e-3, "heun": 1e-7, "rkmk4": 1e-11, "dopri5": 1e-8}.get(method, 3e-6)
    assert np.abs(run.q[:, 0] - expected).max() < bound
    assert np.abs(run.q[:, 1] + 4 * run.q[:, 0]).max() == 0.0
    assert np.abs(run.v[:, 1] + 4 * run.v[:, 0]).max() < 1e-15
    sprung = plant.linearize(0.0, q0, np.zeros(2), u)
    assert np.abs(sprung.poles()).max() == pytest.approx(ω, rel=1e-12)
    level = plant.trim(q0, free=["q.slow"], zero=["slow"])
    assert level.solved
    assert np.abs(level.q).max() < 1e-10


def test_damping_friction_and_stops_act_through_the_ratio():
    system = geared_pair(slow={"damping": 0.5}, fast={"damping": 0.03, "friction": 0.2})
    plant = um.Plant(system)
    a = plant.forward_dynamics(0.0, np.zeros(2), np.array([1.5, -6.0]))
    expected = (-0.5 * 1.5 - 4 * 0.03 * 6.0 - 4 * 0.2 * np.tanh(6.0 / 1e-2)) / (0.3 + 16 * 0.05)
    assert np.allclose(a, [expected, -4 * expected], rtol=1e-13)
    stopped = um.Plant(geared_pair(fast={"limits": (-1.0, 1.0)}))
    pushed = stopped.forward_dynamics(0.0, np.array([-0.5, 2.0]), np.zeros(2))
    assert pushed[0] > 0.0 > pushed[1]


def test_a_run_keeps_energy_momentum_and_couplings():
    tree = coupled_tree(3)
    tree = replace(
        tree,
        bodies=tuple(
            replace(b, joint=replace(b.joint, damping=0.0, friction=0.0))
            if b.joint.nv == 1 and b.joint.kind != "CustomJoint"
            else b
            for b in tree.bodies
        ),
    )
    plant = um.Plant(um.System(tree))
    q, v, _ = random_kept_state(plant, 3)
    run = um.simulate(plant, q, v, duration=0.5, step=5e-4, record_every=20)
    found = run.invariants()
    assert found["energy_balance"] < 1e-9
    assert found["linear_momentum_drift"] < 1e-10
    assert found["angular_momentum_drift"] < 1e-10
    for name, (leader, k, o) in FOLLOWERS.items():
        follower, first = tree.link(name), tree.link(leader)
        assert np.abs(run.q[:, follower.q] - k * run.q[:, first.q] - o).max() < 1e-15 * 20
        assert np.abs(run.v[:, follower.v] - k * run.v[:, first.v]).max() < 1e-14


def test_the_variational_method_keeps_the_momentum_of_coupled_joints():
    tree = replace(
        random_tree(3, ("Planar", "Revolute", "Prismatic")), couplings=(Mimic("b2", "b1", -0.7, 0.3),)
    )
    plant = um.Plant(um.System(tree))
    rng = np.random.default_rng(3)
    q = np.asarray(plant.configuration(0.0, plant.system.random_configuration(rng)), dtype=float)
    v = plant.velocities.joints.velocity(rng.normal(size=plant.nv))
    options = {"duration": 0.2, "step": 1e-3, "record_every": 20}
    run, exact = (um.simulate(plant, q, v, method=m, **options) for m in ("variational", "rkmk4"))
    normal = tree.links[0].placement[:3, :3] @ np.linalg.svd(tree.links[0].joint.basis(q[:12])[:3].T)[2][2]
    μ = run.momentum()
    turning = μ[:, 3:] @ normal  # about the world's origin, along the plane's normal
    assert np.ptp(turning) < 1e-12 * np.abs(turning).max()
    assert np.abs(run.q - exact.q).max() < 1e-5
    assert np.abs(run.q[:, -1] + 0.7 * run.q[:, -2] - 0.3).max() < 1e-15


def test_a_start_that_breaks_a_coupling_is_refused_and_told_how_to_mend():
    plant = um.Plant(geared_pair())
    with pytest.raises(ModelError, match=r"fast: q0: expected -0.8, where slow puts it; plant.configuration"):
        um.simulate(plant, [0.2, 0.0], duration=0.01)
    with pytest.raises(ModelError, match="v0"):
        um.simulate(plant, [0.0, 0.0], [1.0, 1.0], duration=0.01)
    q0 = plant.configuration(0.0, np.array([0.2, 0.0]))
    assert um.simulate(plant, q0, duration=0.01).status[0].kind == "completed"


def test_a_prescribed_leader_moves_its_followers_and_constraints_stay():
    plant = um.Plant(geared_pair(), prescribed={"slow": lambda t: np.sin(3 * t)})
    assert plant.nw == 0
    run = um.simulate(plant, [0.0, 0.0], duration=0.2, step=1e-2)
    assert np.abs(run.q[:, 1] + 4 * np.sin(3 * run.t)).max() < 1e-12
    # what moves it turns both wheels: J₁ q̈ − 4·J₂·(−4 q̈) at the leader
    needed = plant.reactions(0.1, [0.0, 0.0], [0.0, 0.0])
    a = -9 * np.sin(0.3)
    assert needed[0] - 4 * needed[1] == pytest.approx((0.3 + 16 * 0.05) * a, rel=1e-12)


def test_plants_with_couplings_pickle_export_save_and_resume(tmp_path):
    plant = um.Plant(geared_pair(slow={"stiffness": 5.0}), free=["fast.mimic.multiplier"])
    again = pickle.loads(pickle.dumps(plant))
    assert again.system.couplings == plant.system.couplings
    q0 = np.array([0.2, -0.8])
    run = um.simulate(plant, q0, duration=0.1, step=1e-2, checkpoint=tmp_path / "kept")
    run.save(tmp_path / "run.zarr")
    loaded = um.load_run(tmp_path / "run.zarr")
    assert loaded.system.couplings == plant.system.couplings
    assert np.array_equal(loaded.q, run.q)
    assert np.array_equal(um.resume(tmp_path / "kept", plant).q, run.q)
    um.export_c(plant, ["forward_dynamics"], tmp_path / "gears.c")
    assert (tmp_path / "gears.c").read_text(encoding="utf-8").count("gears") > 0
    ends = um.simulate(plant, q0, duration=1.0, step=1e-2, events=[lambda t, q, v: q[1]])
    assert ends.status[0].kind == "event"
    assert abs(ends.q[-1, 1]) < 1e-6


def test_joined_plants_keep_their_couplings():
    system = um.System(coupled_tree(2))
    plant = um.Plant(system)
    b = um.SystemBuilder("target")
    b.vehicle("target", um.Free(), inertia=um.Inertia.box(mass=3.0, size=(0.3, 0.4, 0.5)))
    guest = um.Plant(b.build())
    q, v, _ = random_kept_state(plant, 2)
    rng = np.random.default_rng(2)
    q_guest, v_guest = guest.system.random_configuration(rng), rng.normal(size=6)
    before = plant.momentum(0.0, q, v) + guest.momentum(0.0, q_guest, v_guest)
    assert np.abs(before).max() > 0.1
    joined = plant.join(q, v, guest, q_guest, v_guest, frame="tool")
    after = joined.plant.momentum(0.0, joined.q, joined.v)
    assert np.abs(after - before).max() < 1e-11 * np.abs(before).max()
    assert np.abs(joined.v[plant.tree.link("b6").v] - 2.5 * joined.v[plant.tree.link("b2").v]).max() < 1e-13
    assert joined.energy_lost > 0
    assert joined.plant.system.couplings == system.couplings


def test_thrusts_of_motors_on_followers_are_allocated_at_the_leader():
    plant = um.Plant(geared_pair(), actuators=[um.JointMotor("fast")])
    B = plant.allocation_matrix(np.zeros(2))
    assert np.array_equal(B, [[-4.0], [0.0]])


SCENARIO = """unmoored_scenario: 1
name: gears
system: gears.yaml
initial:
  joints: {slow: 0.1}
  velocities: {slow: 0.5}
integrator: {step: 0.01}
duration: 0.1
outputs: {channels: [fast]}
"""


def test_a_scenario_places_followers_that_it_does_not_name(tmp_path):
    (tmp_path / "gears.yaml").write_text(format_yaml(geared_pair().tree), encoding="utf-8")
    scenario = parse_scenario(SCENARIO, "gears_run.yaml", folder=tmp_path)
    assert scenario.q0.tolist() == [0.1, -0.4]
    assert scenario.v0.tolist() == [0.5, -2.0]
    run = scenario.run()
    assert np.abs(run.q[:, 1] + 4 * run.q[:, 0]).max() == 0.0
    assert np.allclose(um.channel_values(run, ["fast"])["fast"], run.q[:, 1])
    wrong = parse_scenario(SCENARIO.replace("slow: 0.1", "slow: 0.1, fast: 0.2"), "x.yaml", folder=tmp_path)
    with pytest.raises(ModelError, match="where slow puts it"):
        wrong.run()


def test_sliders_of_the_viewer_take_followers_along():
    class Slider:
        def __init__(self, name, low, high, step, value, disabled):
            self.name, self.min, self.max, self.value, self.disabled = name, low, high, value, disabled

        def on_update(self, call):
            self.call = call

    class Gui:
        def __init__(self):
            self.sliders = {}

        def add_slider(self, name, *numbers, disabled):
            self.sliders[name] = Slider(name, *numbers, disabled)
            return self.sliders[name]

    gui, seen = Gui(), []
    sliders = JointSliders(gui, geared_pair(), np.zeros(2), 1.0, seen.append)
    assert (gui.sliders["slow"].disabled, gui.sliders["fast"].disabled) == (False, True)
    gui.sliders["slow"].value = 0.2
    gui.sliders["slow"].call(SimpleNamespace(client=object(), client_id=1))
    assert seen[-1].tolist() == [0.2, -0.8]
    assert gui.sliders["fast"].value == -0.8
    assert sliders.q.tolist() == [0.2, -0.8]
    live = dry_stepper(geared_pair(), (0.0, 0.0, 0.0))
    after = live.step(LiveState(0.0, np.array([0.2, -0.8]), np.zeros(2)), np.array([1.1, 0.0]))
    assert after.v[0] == pytest.approx(live.step_size * 1.1 / 1.1)
    assert after.v[1] == pytest.approx(-4 * after.v[0])


def test_laws_know_followers():
    """At rest a law holds its target exactly where weight of leader and follower is compensated at the leader."""
    b = um.SystemBuilder("crane")
    base = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    beam = um.Inertia.box(mass=2.0, size=(0.5, 0.1, 0.1), com=(0.25, 0, 0))
    upper = b.link("upper", parent=base, joint=um.Revolute(axis=(0, 1, 0)), inertia=beam)
    lower = b.link(
        "lower", parent=upper, joint=um.Revolute(axis=(0, 1, 0)), at=um.Pose(xyz=(0.5, 0, 0)), inertia=beam
    )
    turn = b.link(
        "turn", parent=lower, joint=um.Revolute(axis=(0, 0, 1)), at=um.Pose(xyz=(0.5, 0, 0)), inertia=beam
    )
    b.frame("tip", parent=turn, at=um.Pose(xyz=(0.5, 0, 0)))
    b.mimic("lower", "upper", -1.5, 0.3)
    system = b.build()
    plant = um.Plant(system, um.Earth())
    goal = np.asarray(plant.configuration(0.0, np.array([-0.4, 0.0, 0.2])), dtype=float)
    still = np.zeros(3)
    hold = um.JointPD(plant, {"upper": goal[0], "turn": goal[2]}, stiffness=30.0, damping=9.0)
    assert np.abs(plant.forward_dynamics(0.0, goal, still, hold(0.0, goal, still))).max() < 1e-12
    with pytest.raises(ModelError, match="'upper' too, which leads it"):
        um.JointPD(plant, {"lower": 0.3}, stiffness=30.0, damping=9.0)
    keep = um.LinkKeeping(plant, "turn", system.pose(goal, "turn"), 40.0, 9.0)
    assert np.abs(plant.forward_dynamics(0.0, goal, still, keep(0.0, goal, still))).max() < 1e-12
    floating = um.Plant(system)
    away = np.asarray(floating.configuration(0.0, goal + np.array([0.3, 0.0, -0.2])), dtype=float)
    reach = um.ResolvedMotion(floating, "tip", system.pose(goal, "tip"), passive=[], rate=1.0, bandwidth=8.0)
    run = um.simulate(floating, away, duration=6.0, step=0.01, controller=reach, record_every=100)
    assert np.abs(run.q[-1] - goal).max() < 2e-2 < np.abs(away - goal).max()
    with pytest.raises(ModelError, match="follows the other"):
        um.ResolvedMotion(floating, "tip", system.pose(goal, "tip"), passive=["lower"])
