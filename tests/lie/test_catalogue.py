"""The catalogue: the twelve classes of the theory, axes and pitches, and what is refused."""

import numpy as np
import pytest

from unmoored import lie
from unmoored.lie import se3

from .cases import assert_close

E = np.eye(6)
H = 0.3 * E[2]
TABLE = {  # docs/theory.md §2
    "1": ((), ()),
    "T(1)": (("vz",), (E[2],)),
    "SO(2)": (("wz",), (E[5],)),
    "H_h": (("wz",), (E[5] + H,)),
    "T(2)": (("vx", "vy"), (E[0], E[1])),
    "C(1)": (("vz", "wz"), (E[2], E[5])),
    "T(3)": (("vx", "vy", "vz"), (E[0], E[1], E[2])),
    "SE(2)": (("vx", "vy", "wz"), (E[0], E[1], E[5])),
    "Y_h": (("vx", "vy", "wz"), (E[0], E[1], E[5] + H)),
    "SO(3)": (("wx", "wy", "wz"), (E[3], E[4], E[5])),
    "X(z)": (("vx", "vy", "vz", "wz"), (E[0], E[1], E[2], E[5])),
    "SE(3)": (("vx", "vy", "vz", "wx", "wy", "wz"), tuple(E)),
}
WITH_AXIS = {
    "T(1)": lie.translation_1,
    "SO(2)": lie.rotation,
    "H_h": lambda axis: lie.screw(axis, 0.5),
    "T(2)": lie.translation_2,
    "C(1)": lie.cylindrical,
    "SE(2)": lie.planar,
    "Y_h": lambda axis: lie.planar_screw(axis, 0.5),
    "X(z)": lie.schoenflies,
}
with_axis = pytest.mark.parametrize("make", WITH_AXIS.values(), ids=WITH_AXIS.keys())


def test_the_catalogue_is_the_table_of_the_theory():
    assert [group.name for group in lie.CATALOGUE] == list(TABLE)
    for group in lie.CATALOGUE:
        names, columns = TABLE[group.name]
        assert group.dof_names == names
        assert group.dim == len(names)
        assert np.array_equal(group.basis, np.array(columns).reshape(-1, 6).T)


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (1, 2, -3), (1e-9, 0, -1), (1e-200, 1e-200, -1)]
)
def test_axis_rotation_is_the_smallest_one(axis):
    R, a = lie.axis_rotation(axis), np.array(axis) / np.linalg.norm(axis)
    assert_close(R[:, 2], a, 1e-15)
    assert_close(R.T @ R, np.eye(3), 1e-15)
    assert np.linalg.det(R) > 0.0
    assert_close(np.trace(R), 1.0 + 2.0 * a[2], 1e-15)  # the angle is that between e_z and a
    if np.count_nonzero(axis) == 1:
        assert set(np.unique(R)) <= {-1.0, 0.0, 1.0}


def test_axis_opposite_to_z_is_half_a_turn_about_x():
    assert np.array_equal(lie.axis_rotation((0, 0, -2)), np.diag([1.0, -1.0, -1.0]))


@with_axis
def test_axes_are_directions(make):
    for length in (1e-300, 1e-3, 1.0, 1e300):
        assert_close(make(np.array([1.0, 2.0, -2.0]) * length).basis, make((1, 2, -2)).basis, 1e-15)
    A = se3.pose(lie.axis_rotation((1, 2, -2)), np.zeros(3))
    assert_close(make((1, 2, -2)).basis, se3.Ad(A) @ make((0, 0, 1)).basis, 1e-15)


@with_axis
@pytest.mark.parametrize(
    ("axis", "rule"),
    [((0, 0, 0), "zero"), ((0, np.nan, 1), "finite"), ((np.inf, 0, 1), "finite"), ((1, 0), "3 numbers")],
)
def test_bad_axes_are_refused(make, axis, rule):
    with pytest.raises(ValueError, match=f"axis must.*{rule}"):
        make(axis)


@pytest.mark.parametrize(("make", "instead"), [(lie.screw, "revolute"), (lie.planar_screw, "planar joint")])
def test_bad_pitches_are_refused(make, instead):
    with pytest.raises(ValueError, match=f"pitch must not be zero.*{instead}"):
        make((0, 0, 1), 0.0)
    with pytest.raises(ValueError, match="pitch must be finite"):
        make((0, 0, 1), np.nan)


@pytest.mark.parametrize(
    "bad",
    [np.eye(3), np.full((4, 4), np.nan), 2 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0]), np.ones((4, 4))],
)
def test_conjugation_by_anything_but_a_pose_is_refused(bad):
    with pytest.raises(ValueError, match="pose"):
        lie.planar().conjugated(bad)


def test_groups_are_frozen():
    group = lie.screw((0, 0, 1), 0.5)
    with pytest.raises(AttributeError):
        group.pitch = 1.0
    for array in (group.frame, group.basis, group.structure_constants, group.coordinates):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
