"""Constant poses: the three ways to give a rotation, and what is refused."""

import numpy as np
import pytest

from unmoored.lie import so3
from unmoored.model import ModelError, Pose


def Rx(a):
    return so3.exp(np.array([a, 0, 0]))


def Ry(a):
    return so3.exp(np.array([0, a, 0]))


def Rz(a):
    return so3.exp(np.array([0, 0, a]))


def test_rpy_is_about_fixed_axes_as_in_urdf():
    r, p, y = 0.3, -1.1, 2.2
    assert np.allclose(Pose(rpy=(r, p, y)).rotation, Rz(y) @ Ry(p) @ Rx(r), atol=1e-15, rtol=0)


def test_quaternion_is_w_first():
    angle = 0.7
    pose = Pose(quaternion_wxyz=(np.cos(angle / 2), 0, 0, np.sin(angle / 2)))
    assert np.allclose(pose.rotation, Rz(angle), atol=1e-15, rtol=0)


def test_right_angles_are_exact():
    R = Pose(rpy=(np.pi / 2, 0, -np.pi / 2)).rotation
    assert set(np.unique(R)) <= {-1.0, 0.0, 1.0}
    assert np.allclose(R, Rz(-np.pi / 2) @ Rx(np.pi / 2), atol=1e-15, rtol=0)


def test_composition_and_inverse():
    rng = np.random.default_rng(0)
    a, b = (Pose(xyz=rng.normal(size=3), rotation=so3.exp(rng.normal(size=3))) for _ in range(2))
    assert np.allclose((a @ b).matrix, a.matrix @ b.matrix, atol=1e-15, rtol=0)
    assert np.allclose((a @ a.inverse()).matrix, np.eye(4), atol=1e-15, rtol=0)


def test_poses_are_values():
    a, b = Pose(xyz=(1, 2, 3), rpy=(0.1, 0, 0)), Pose(xyz=(1, 2, 3), rpy=(0.1, 0, 0))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Pose(xyz=(1, 2, 3))
    with pytest.raises(ValueError):
        a.matrix[0, 0] = 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"xyz": (0, 0)}, "xyz"),
        ({"xyz": (0, 0, np.nan)}, "xyz"),
        ({"xyz": (0, 0, 1e300)}, "xyz"),
        ({"xyz": "abc"}, "xyz"),
        ({"rotation": np.diag([1, 1, -1])}, "determinant"),
        ({"rotation": 1.001 * np.eye(3)}, "rotation"),
        ({"quaternion_wxyz": (1, 1, 0, 0)}, "norm"),
        ({"rpy": (0, 0, 0), "rotation": np.eye(3)}, "given twice"),
    ],
)
def test_bad_poses_are_refused(arguments, words):
    with pytest.raises(ModelError, match=words):
        Pose(**arguments)
