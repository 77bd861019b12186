"""Optima against IPOPT: it stays where it is started, and tests/long has it find nothing better from the same guess."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

pytest.importorskip("casadi")


@pytest.mark.long
def test_ipopt_stays_at_the_optimum_of_a_free_floating_reach():
    from .ipopt_problem import solved_by_ipopt

    system = um.load("spart_sc_3dof")
    motors = [um.JointMotor(name, name=f"{name}_motor", limits=(-0.4, 0.4)) for name in system.dof_names[6:]]
    plant = um.Plant(system, actuators=motors)
    q0 = system.retract(system.neutral(), np.r_[np.zeros(6), 0.3, -0.9, 1.6])
    target = system.pose(q0, "tool")
    target[:3, 3] += [0.2, -0.15, 0.1]
    running = [planning.Effort(plant, 1.0), planning.BaseDisturbance(plant, 5.0)]
    final = [planning.ToolPose(plant, "tool", target, [300.0] * 3 + [0.0] * 3), planning.Speed(plant, 10.0)]
    N, period = 6, 0.6
    given = {"duration": N * period, "control_step": period, "running": running, "final": final}
    found = um.optimize(plant, q0, tolerance=1e-14, **given)
    assert found.converged
    assert np.isclose(np.abs(found.u).max(), 0.4, rtol=1e-8)  # the limits count
    nodes = np.concatenate([found.q, found.v], axis=-1)
    there = solved_by_ipopt(plant, nodes, found.u, period, running, final)
    print(f"optimize {found.cost:.9f} in {found.iterations} iterations, IPOPT from there {there}")
    assert there.solved
    assert there.kkt < 1e-7
    assert there.iterations <= 2
    assert np.isclose(there.cost, found.cost, rtol=1e-10)
    assert max(there.nodes_moved, there.inputs_moved) < 1e-7
    # it does not stay anywhere else
    away = found.u - 0.02 * np.sign(found.u)
    other = solved_by_ipopt(plant, nodes, away, period, running, final)
    assert other.kkt > 1e-4
    assert other.iterations > 5
    assert np.abs(other.u - found.u).max() < 1e-3
