"""Joints: their pose maps, bases and group operations are consistent with each other."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, CAM, MAKERS, cam_pose, cam_twist

import unmoored as um
import unmoored.model as m
from unmoored.lie import se3, so3
from unmoored.model import ModelError
from unmoored.model.value import in_full

KINDS = [kind for kind in ALL_KINDS if kind != "Fixed"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.whole
def test_basis_is_the_body_velocity_of_the_pose(kind, seed):
    """h⁻¹ ḣ = hat(S u) along retract; central differences of order 6."""
    rng = np.random.default_rng(seed)
    joint = MAKERS[kind](rng)
    q, u, ε = joint.random(rng), rng.normal(size=joint.nv), 1e-2
    h = [joint.transform(joint.retract(q, k * ε * u)) for k in (-3, -2, -1, 1, 2, 3)]
    rate = (-h[0] + 9 * h[1] - 45 * h[2] + 45 * h[3] - 9 * h[4] + h[5]) / (60 * ε)
    twist = se3.inverse(joint.transform(q)) @ rate
    assert np.allclose(twist, se3.hat(joint.basis(q) @ u), atol=1e-9, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.whole
def test_retract_and_local_are_inverse(kind):
    rng = np.random.default_rng(5)
    joint = MAKERS[kind](rng)
    q0, q1 = (np.stack([joint.random(rng) for _ in range(4)]) for _ in range(2))
    dq = joint.local(q0, q1)
    assert dq.shape == (4, joint.nv)
    assert np.allclose(joint.retract(q0, dq), q1, atol=1e-13, rtol=0)
    small = 0.3 * rng.normal(size=(4, joint.nv))
    assert np.allclose(joint.local(q0, joint.retract(q0, small)), small, atol=1e-13, rtol=0)
    x = joint.coordinates(q0)
    assert np.allclose(joint.from_coordinates(x), q0, atol=1e-13, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.whole
def test_momentum_brackets_are_skew_and_come_in_batches(kind):
    """uᵀ K(p) u = 0: what momentum gains by the turning of its frame does no work."""
    rng = np.random.default_rng(6)
    joint = MAKERS[kind](rng)
    p = rng.normal(size=(2, 3, joint.nv))
    K = joint.momentum_bracket(p)
    assert K.shape == (2, 3, joint.nv, joint.nv)
    assert np.array_equal(K[1, 2], joint.momentum_bracket(p[1, 2]))
    assert np.allclose(K, -np.swapaxes(K, -1, -2), atol=1e-15, rtol=0)


@pytest.mark.parametrize("kind", ["Universal", "Custom"])
def test_basis_derivatives(kind):
    rng = np.random.default_rng(6)
    joint = MAKERS[kind](rng)
    q, ε = joint.random(rng), 1e-2
    exact = joint.basis_derivatives(q)
    for a in range(joint.nv):
        e = np.eye(joint.nv)[a] * ε
        S = [joint.basis(q + k * e) for k in (-3, -2, -1, 1, 2, 3)]
        rate = (-S[0] + 9 * S[1] - 45 * S[2] + 45 * S[3] - 9 * S[4] + S[5]) / (60 * ε)
        assert np.allclose(exact[a], rate, atol=1e-9, rtol=0)


def test_sizes_and_storage():
    sizes = {"Fixed": (0, 0), "Revolute": (1, 1), "Helical": (1, 1), "Translation1": (1, 1), "Cylindrical": (12, 2),
             "Translation2": (12, 2), "Planar": (12, 3), "Translation3": (12, 3), "Spherical": (12, 3),
             "PlanarHelical": (12, 3), "Schoenflies": (12, 4), "Free": (12, 6), "Universal": (2, 2),
             "Custom": (1, 1)}  # fmt: skip
    rng = np.random.default_rng(0)
    for kind, (nq, nv) in sizes.items():
        joint = MAKERS[kind](rng)
        assert (joint.nq, joint.nv, len(joint.dof_names)) == (nq, nv, nv), kind
        assert np.array_equal(joint.transform(joint.neutral()), np.eye(4))


def test_free_stores_rotation_by_rows_then_position():
    q = m.Free().from_coordinates(np.array([0, 0, 0, 0, 0, np.pi / 2]))
    assert np.allclose(q, [0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0], atol=1e-15)


def test_universal_is_rx_then_ry():
    q = np.array([0.4, -0.9])
    R = so3.exp(np.array([0.4, 0, 0])) @ so3.exp(np.array([0, -0.9, 0]))
    assert np.allclose(m.Universal().transform(q)[:3, :3], R, atol=1e-15)


def test_random_configurations_keep_the_limits():
    rng = np.random.default_rng(3)
    revolute = m.Revolute((0, 0, 1), limits=(0.2, 0.3))
    found = np.array([revolute.random(rng)[0] for _ in range(50)])
    assert np.all((found >= 0.2) & (found <= 0.3))
    assert (found.min(), found.max()) == pytest.approx((0.2, 0.3), abs=0.02)
    ball = m.Spherical(limits=((-0.1, -0.2, 0.0), (0.1, 0.2, 0.0)))
    x = np.stack([ball.coordinates(ball.random(rng)) for _ in range(50)])
    assert np.all(np.abs(x) <= np.array([0.1, 0.2, 1e-15]) + 1e-15)


def test_axes_are_normalised_and_given_in_the_joint_frame():
    joint = m.Revolute((0, 0, 5))
    assert np.array_equal(joint.axis, (0, 0, 1))
    assert np.array_equal(joint.basis(np.zeros(1))[:, 0], (0, 0, 0, 0, 0, 1))
    tilted = m.Helical((0, 3, 4), pitch=0.5)
    assert np.allclose(tilted.basis(np.zeros(1))[:, 0], (0, 0.3, 0.4, 0, 0.6, 0.8), atol=1e-15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: m.Revolute((0, 0, 0)), "non-zero"),
        (lambda: m.Revolute((0, 0, np.inf)), "axis"),
        (lambda: m.Helical((0, 0, 1), 0.0), "use Revolute"),
        (lambda: m.PlanarHelical((0, 0, 1), 0), "use Planar"),
        (lambda: m.Translation(4), "1, 2 or 3"),
        (lambda: m.Revolute((0, 0, 1), limits=(1, -1)), "lower ≤ upper"),
        (lambda: m.Revolute((0, 0, 1), limits=3), "lower, upper"),
        (lambda: m.Revolute((0, 0, 1), damping=-1), "damping"),
        (lambda: m.Free(armature=(1, 2)), "armature"),
        (lambda: m.CustomJoint(7, cam_pose, cam_twist), "dofs"),
        (lambda: m.CustomJoint(1, cam_pose, None), "a function"),
        (lambda: m.CustomJoint(1, cam_pose, lambda q: 2 * cam_twist(q)), "hat"),
        (lambda: m.CustomJoint(1, cam_pose, lambda q: (2 - q[0]) * cam_twist(q)), "hat"),  # true at 1
        (lambda: m.CustomJoint(1, cam_pose, lambda q: (1 + 1e-3 * q[0]) * cam_twist(q)), "hat"),  # true at 0
        (lambda: m.CustomJoint(1, lambda q: cam_pose(q)[:3], cam_twist), "shapes"),
    ],
)
@pytest.mark.whole
def test_bad_joints_are_refused(make, words):
    with pytest.raises(ModelError, match=words):
        make()


def test_a_twist_is_checked_beside_its_size():
    """Of 10 km for a radian, ten digits of it are enough."""

    def far(q):
        return se3.pose(np.eye(3) + 0 * q[0], np.stack([0 * q[0], 0 * q[0], 1e4 * np.sin(q[0])]))

    def along(q, off):
        o = 0 * q[0]
        return np.stack([o, o, (1 + off) * 1e4 * np.cos(q[0]), o, o, o])[:, None]

    assert m.CustomJoint(1, far, lambda q: along(q, 3e-10)).nv == 1
    with pytest.raises(m.ModelError, match="twist: expected hat"):
        m.CustomJoint(1, far, lambda q: along(q, 3e-9))


def test_options_are_per_dof():
    joint = m.Free(damping=2.0, armature=(1, 1, 1, 2, 2, 2))
    assert joint.damping.tolist() == [2.0] * 6
    assert joint.armature.tolist() == [1, 1, 1, 2, 2, 2]
    assert m.Free() == m.Free()
    assert m.Free() != joint
    assert CAM.nv == 1


def test_values_show_what_differs_from_their_defaults():
    assert repr(um.Free()) == "Free()"
    assert repr(um.Revolute(axis=(0, 1, 0), damping=0.1)) == "Revolute(damping=[0.1], axis=[0.0, 1.0, 0.0])"
    assert repr(um.Ocean()) == "Ocean()"
    assert "density=1026.0" in in_full(um.Ocean())
    assert "current=UniformCurrent(value=[1.0, 0.0, 0.0]" in in_full(
        um.Ocean(current=um.UniformCurrent((1, 0, 0)))
    )
