"""Membership and projection: nearest members, and strangers turned away."""

import numpy as np
import pytest

from unmoored import lie
from unmoored.lie import se3, so3

from .cases import GROUPS, assert_close, every_group


@every_group
def test_members_are_their_own_projection(group):
    x = np.random.default_rng(0).uniform(-3.0, 3.0, (4, group.dim)) / np.sqrt(3.0)
    g = group.exp(x)
    assert_close(group.project(g), g, 1e-14, scale=3.0)
    assert group.contains(g, 1e-13).shape == (4,)
    assert group.contains(g, 1e-13).all()


@every_group
def test_strangers_are_rejected(group):
    """A step off the group, in every direction that the algebra lacks, is seen to first order."""
    outside = np.linalg.svd(group.basis, full_matrices=True)[0][:, group.dim :]
    g = group.exp(np.full(group.dim, 0.4))
    for direction in outside.T:
        stranger = g @ se3.exp(1e-6 * direction)
        assert not group.contains(stranger, 1e-8)
        assert group.contains(stranger, 1e-5)


@every_group
def test_matrices_that_are_no_poses_are_rejected(group):
    g = group.exp(np.full(group.dim, 0.4))
    assert not group.contains(1.1 * g)
    bad = g.copy()
    bad[3, 0] = 1.0
    assert not group.contains(bad)
    mirrored = g.copy()
    mirrored[:3, :3] = -mirrored[:3, :3]
    assert not group.contains(mirrored)
    with pytest.raises(ValueError, match="finite"):
        group.contains(np.full((4, 4), np.nan))
    with pytest.raises(ValueError, match="shape"):
        group.project(np.eye(3))


@pytest.mark.parametrize("name", [name for name in GROUPS if "placed" not in name])
def test_projection_is_nearest_and_stays_in_the_group(name):
    group, rng = GROUPS[name], np.random.default_rng(7)
    for _ in range(5):
        stray = group.exp(rng.uniform(-1, 1, group.dim)) @ se3.exp(0.3 * rng.normal(size=6))
        nearest = group.project(stray)
        assert_close(group.project(nearest), nearest, 1e-14, scale=3.0)
        distance = np.linalg.norm(stray - nearest)
        for step in (1e-5, 1e-2, 0.5):
            for direction in (*np.eye(group.dim), *rng.normal(size=(5, group.dim))):
                for sign in (1.0, -1.0):
                    other = nearest @ group.exp(sign * step * direction)
                    assert np.linalg.norm(stray - other) >= distance - 1e-15


@pytest.mark.parametrize("pitch", [1e-3, 0.3, 1.5, -4.0])
def test_nearest_screw_motion_against_a_search(pitch):
    group, rng = lie.screw((0, 0, 1), pitch), np.random.default_rng(9)
    θ = np.linspace(-12.0, 12.0, 200_001)
    candidates = group.exp(θ[:, None])
    for _ in range(5):
        stray = group.exp(rng.uniform(-9, 9, 1)) @ se3.exp(0.2 * rng.normal(size=6))
        searched = np.linalg.norm(stray - candidates, axis=(-2, -1)).min()
        assert np.linalg.norm(stray - group.project(stray)) <= searched


@pytest.mark.parametrize("group", [lie.screw((0, 0, 1), 0.2), lie.planar_screw((1, 2, 3), -0.2)])
@pytest.mark.parametrize("angle", [3.5, -3.5, 10.0, 100.0, -1000.5])
def test_screws_know_angles_beyond_half_a_turn(group, angle):
    x = np.full(group.dim, angle)
    assert_close(group.log(group.exp(x)), x, 1e-12)
    assert_close(group.project(group.exp(x)), group.exp(x), 1e-13)


def test_angles_of_joints_without_travel_wrap():
    assert_close(lie.rotation().log(lie.rotation().exp(np.array([4.0]))), np.array([4.0 - 2 * np.pi]), 1e-15)
    assert_close(np.abs(lie.rotation().log(lie.rotation().exp(np.array([np.pi])))), np.array([np.pi]), 1e-15)


def test_a_mirror_image_does_not_fool_the_rotation_group():
    assert not lie.spherical().contains(se3.pose(np.diag([1.0, 1.0, -1.0]), np.zeros(3)))
    assert so3.project(np.diag([1.0, 1.0, -1.0])).shape == (3, 3)
