"""Inverse kinematics by the ten thousand: 99.9 % of reachable poses of four arms are met at least, within limits."""

import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored.cli.bench.inverse_kinematics_cases import seven_revolute_arm

POSES = 10_000


def arms():
    """(system, frame, passive)."""
    yield "7R", seven_revolute_arm(), "flange", None
    yield "arm7", um.load("free_flyer_arm7"), "tool", {"bus": "held"}
    yield "rover", um.load("rover_arm6"), "tool", {"rover": "held"}
    yield "ssrms", um.load("ssrms_station"), "tool", {"station": "held"}


@pytest.mark.parametrize(
    ("name", "system", "frame", "passive"), list(arms()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_reachable_poses_are_met(name, system, frame, passive):
    rng = np.random.default_rng(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wished = np.stack([system.random_configuration(rng) for _ in range(POSES)])
    if passive:
        vehicle = system.tree.link(next(iter(passive)))
        wished[:, vehicle.q] = system.neutral()[vehicle.q]
    found = um.solve_ik(system, {frame: system.pose(wished, frame)}, passive=passive)
    assert found.solved.mean() >= (0.9995 if name == "7R" else 0.999)
    for link in system.tree.links:
        if link.joint.limits is not None and link.joint.nq == 1:
            low, high = link.joint.limits[:, 0]
            assert np.all((found.q[:, link.q] >= low) & (found.q[:, link.q] <= high))
