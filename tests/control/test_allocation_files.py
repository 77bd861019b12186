"""Everything that allocation does, said in scenario files: the runs are those of Python."""

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.scenario import parse_scenario

HEAD = """unmoored_scenario: 1
name: shared
system: {system}
duration: {duration}
integrator: {{step: 0.01, control_step: 0.05}}
"""
THRUSTERS = """
actuators:
  - {type: Thruster, frame: rov, name: a, at: [0, 0.2, 0], limits: [-1, 1],
     curve: {commands: [-1, -0.1, 0.1, 1], thrusts: [-6, -0.2, 0.2, 8]}}
  - {type: Thruster, frame: rov, name: b, at: [0, -0.2, 0], limits: [0, 5]}
  - {type: Thruster, frame: rov, name: c, at: [0, 0, 0.1], direction: [0, 1, 0], limits: [-5, 5], fails_at: 0.2}
  - {type: Thruster, frame: rov, name: d, at: [0.1, 0, 0], direction: [0, 1, 0], limits: [-5, 5], azimuth: [0, 0, 1]}
  - {type: Thruster, frame: rov, name: e, at: [0, 0, 0], direction: [0, 0, 1], limits: [0, 4]}
"""
LAW = """
controllers:
  - {type: StationKeeping, body: rov, pose: {xyz: [0.4, 0.2, 0.1], rpy: [0, 0, 0.3]}, stiffness: 40, damping: 20}
"""
TABLE = um.ThrustCurve([-1, -0.1, 0.1, 1], [-6, -0.2, 0.2, 8])


def actuators():
    return [
        um.Thruster("rov", at=(0, 0.2, 0), name="a", limits=(-1, 1), curve=TABLE),
        um.Thruster("rov", at=(0, -0.2, 0), name="b", limits=(0, 5)),
        um.Thruster("rov", at=(0, 0, 0.1), direction=(0, 1, 0), name="c", limits=(-5, 5), fails_at=0.2),
        um.Thruster("rov", at=(0.1, 0, 0), direction=(0, 1, 0), name="d", limits=(-5, 5), azimuth=(0, 0, 1)),
        um.Thruster("rov", at=(0, 0, 0), direction=(0, 0, 1), name="e", limits=(0, 4)),
    ]


OPTIONS = (
    "{weights: [1, 1, 1, 5, 5, 5], input_weights: [1, 1, 2, 1, 1], rates: 30.0, priority: [[rov.wz], [rov.vx, rov.vy]],"
    " turn_rate: 2.0, on_off: [e], pulse_periods: 4, least_pulse: 0.05, detected_after: 0.1, keep_direction: true}"
)


def test_all_options_in_one_file():
    text = HEAD.format(system="bluerov2_heavy", duration=1.0) + THRUSTERS + LAW + f"allocation: {OPTIONS}\n"
    run = parse_scenario(text, "shared.yaml").run()
    plant = um.Plant(um.load("bluerov2_heavy"), actuators=actuators())
    hold = um.StationKeeping(
        plant, "rov", um.Pose(xyz=(0.4, 0.2, 0.1), rpy=(0, 0, 0.3)), stiffness=40, damping=20
    )
    law = um.Allocated(
        plant, hold, weights=[1, 1, 1, 5, 5, 5], input_weights=[1, 1, 2, 1, 1], rates=30.0, keep_direction=True,
        priority=[["rov.wz"], ["rov.vx", "rov.vy"]], turn_rate=2.0, on_off=["e"], pulse_periods=4, least_pulse=0.05,
        detected_after=0.1,
    )  # fmt: skip
    same = um.simulate(
        plant, plant.system.neutral(), duration=1.0, step=0.01, control_step=0.05, controller=law
    )
    assert np.array_equal(run.u, same.u)
    assert np.array_equal(run.unallocated, same.unallocated)
    u = run.u[:-1:5]
    assert np.abs(u[:, 5] * (u[:, 5] - 4.0)).max() == 0.0  # on or off
    assert u[:, 1].min() >= 0.0  # one-sided
    assert np.abs(u[run.t[:-1:5] > 0.3, 2]).max() == 0.0  # failed, and known to have
    assert np.abs(np.diff(u[:, 4])).max() <= 2.0 * 0.05 + 1e-12  # the angle
    assert np.abs(np.diff(TABLE(u[:, 0]))).max() <= 30.0 * 0.05 + 1e-9


def test_a_table_of_thrusts():
    assert np.allclose(TABLE(np.array([-2.0, -1.0, 0.0, 0.55, 1.0, 3.0])), [-6.0, -6.0, 0.0, 4.1, 8.0, 8.0])
    for commands, thrusts in (([0, 0], [1, 2]), ([0, 1], [1, 2, 3]), ([0], [1]), ([0, np.nan], [0, 1])):
        with pytest.raises(um.ModelError, match=r"commands|thrusts"):
            um.ThrustCurve(commands, thrusts)
    text = HEAD.format(system="bluerov2_heavy", duration=1.0) + THRUSTERS.replace(
        "[-1, -0.1, 0.1, 1]", "[-1, 0.1, -0.1, 1]"
    )
    with pytest.raises(um.ModelError, match=r"increasing"):
        parse_scenario(text + LAW, "shared.yaml")


WHEELS = """
actuators:
  - {type: ReactionWheel, frame: bus, inertia: 0.02, axis: [1, 0, 0], name: wx}
  - {type: ReactionWheel, frame: bus, inertia: 0.02, axis: [0, 1, 0], name: wy}
  - {type: ReactionWheel, frame: bus, inertia: 0.02, axis: [0, 0, 1], name: wz}
  - {type: Thruster, frame: bus, name: j0, at: [0, 0.5, 0], direction: [0, 0, 1], limits: [-2, 2]}
  - {type: Thruster, frame: bus, name: j1, at: [0, -0.5, 0], direction: [0, 0, 1], limits: [-2, 2]}
  - {type: Thruster, frame: bus, name: j2, at: [0.5, 0, 0], direction: [0, 0, 1], limits: [-2, 2]}
  - {type: Thruster, frame: bus, name: j3, at: [-0.5, 0, 0], direction: [0, 0, 1], limits: [-2, 2]}
  - {type: Thruster, frame: bus, name: j4, at: [0.5, 0, 0], direction: [0, 1, 0], limits: [-2, 2]}
  - {type: Thruster, frame: bus, name: j5, at: [-0.5, 0, 0], direction: [0, 1, 0], limits: [-2, 2]}
initial: {actuators: {wx.momentum: 1.5, wy.momentum: -2.0, wz.momentum: 1.0}}
controllers:
  - {type: StationKeeping, body: bus, pose: {xyz: [0, 0, 0]}, stiffness: 5, damping: 20}
"""


def test_wheels_are_unloaded_from_a_file():
    head = HEAD.format(system="free_flyer_arm7", duration=5.0)
    joints = "".join(
        f"  - {{type: JointMotor, joint: {name}}}\n" for name in um.load("free_flyer_arm7").joints[1:]
    )
    text = head + WHEELS.replace("initial:", f"{joints}initial:") + "unloading: {vehicle: bus, rate: 0.05}\n"
    scenario = parse_scenario(text, "unloading.yaml")
    run = scenario.run()
    np.testing.assert_allclose(
        run.x[-1, :3], np.array([1.5, -2.0, 1.0]) * (1 - 0.05 * 0.05) ** 100, atol=1e-5
    )
    with pytest.raises(um.ModelError, match="either allocation or unloading"):
        parse_scenario(text + "allocation: {rates: 4.0}\n", "unloading.yaml")
    with pytest.raises(um.ModelError, match="vehicle"):
        parse_scenario(text.replace("vehicle: bus, rate", "vehicle: bos, rate"), "unloading.yaml")
