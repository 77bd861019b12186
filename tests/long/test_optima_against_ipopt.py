"""Optima of whole vehicles with arms against IPOPT through the CasADi bridge: it stays where it is started."""

import numpy as np
import pytest
from tests.planning.ipopt_problem import solved_by_ipopt

import unmoored as um
from unmoored import planning

pytest.importorskip("casadi")


def underwater():
    """BlueROV2 Heavy with an Alpha 5 arm in a current, thrusters with limits."""
    system = um.load("bluerov2_heavy_alpha5")
    actuators = [um.Thruster(f"thruster_{k}", limits=(-6.0, 6.0)) for k in range(1, 9)]
    actuators += [
        um.JointMotor(name, name=f"{name}_motor", limits=(-4.0, 4.0)) for name in system.dof_names[6:]
    ]
    world = um.Ocean(current=(0.2, 0.1, 0.0))
    plant = um.Plant(system, world, actuators=actuators, joints=um.JointEffects(stops=False))
    start = system.pack({"shoulder_pitch": 0.6, "elbow_pitch": 0.8})
    return plant, start, np.array([0.15, -0.1, 0.05]), 0.02, np.zeros(plant.nu)


def drone():
    """A hexarotor with an arm of two joints."""
    system = um.load("borinot")
    turns = np.pi / 6 + np.pi / 3 * np.arange(6)
    actuators: list = [
        um.Rotor(
            "drone", name=f"rotor_{k}", at=(0.25 * np.cos(a), 0.25 * np.sin(a), 0.0), direction=(0, 0, 1),
            drag_ratio=0.015, spin=1 - 2 * (k % 2), limits=(0.0, 15.0),
        )
        for k, a in enumerate(turns)
    ]  # fmt: skip
    actuators += [
        um.JointMotor(name, name=f"{name}_motor", limits=(-3.0, 3.0)) for name in system.dof_names[6:]
    ]
    plant = um.Plant(system, um.Earth(), actuators=actuators, joints=um.JointEffects(stops=False))
    hover = np.r_[np.full(6, -system.mass * plant.gravity[2] / 6), np.zeros(2)]
    return (
        plant,
        system.pack({"shoulder_pitch": 0.3, "elbow_pitch": -0.4}),
        np.array([0.05, 0.0, 0.02]),
        0.03,
        hover,
    )


@pytest.mark.parametrize("case", [underwater, drone])
def test_ipopt_stays_and_finds_nothing_better(case):
    plant, start, way, period, hover = case()
    target = plant.system.pose(start, "tool")
    target[:3, 3] += way
    running = [planning.Effort(plant, 0.05, around=hover), planning.Speed(plant, 0.2)]
    final = [planning.ToolPose(plant, "tool", target, [300.0] * 3 + [0.0] * 3), planning.Speed(plant, 2.0)]
    N = 10
    found = um.optimize(
        plant,
        start,
        duration=N * period,
        control_step=period,
        running=running,
        final=final,
        u=hover,
        method="heun",
        tolerance=1e-14,
    )
    assert found.converged
    nodes = np.concatenate([found.q, found.v], axis=-1)
    given = (period, running, final)
    there = solved_by_ipopt(plant, nodes, found.u, *given, method="heun", tolerance=1e-5)
    guess, begin = np.repeat(nodes[:1], N + 1, axis=0), np.tile(hover, (N, 1))
    cold = solved_by_ipopt(plant, guess, begin, *given, method="heun", warm=False, tolerance=1e-5)
    print(
        f"optimize {found.cost:.6f} in {found.iterations}, IPOPT from there {there.cost:.6f} in {there.iterations}:"
    )
    print(f"nodes moved by {there.nodes_moved:.1e}, inputs by {there.inputs_moved:.1e}, KKT {there.kkt:.1e}")
    print(f"from the guess: IPOPT {cold.cost:.6f} in {cold.iterations}")
    assert there.kkt < 1e-6
    assert there.iterations <= 2
    assert np.isclose(there.cost, found.cost, rtol=1e-9)
    assert max(there.nodes_moved, there.inputs_moved) < 1e-6
    assert cold.cost > (1 - 1e-4) * found.cost
