"""The groups that every theorem is tested on, and how to draw their coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unmoored import lie
from unmoored.lie import se3, so3

BATCHES = ((), (3,), (2, 3))

_rng = np.random.default_rng(20)
PLACE = se3.pose(so3.exp(_rng.normal(size=3)), _rng.normal(size=3))
SKEW_AXIS = _rng.normal(size=3)


def _of_every_class() -> dict[str, lie.Subgroup]:
    groups = {group.name: group for group in lie.CATALOGUE}
    for label, axis in {"-z": (0, 0, -1), "skew": SKEW_AXIS}.items():
        groups |= {
            f"T(1) {label}": lie.translation_1(axis),
            f"SO(2) {label}": lie.rotation(axis),
            f"H_h {label}": lie.screw(axis, -0.7),
            f"T(2) {label}": lie.translation_2(axis),
            f"C(1) {label}": lie.cylindrical(axis),
            f"SE(2) {label}": lie.planar(axis),
            f"Y_h {label}": lie.planar_screw(axis, -1.3),
            f"X(z) {label}": lie.schoenflies(axis),
        }
    groups |= {f"{group.name} placed": group.conjugated(PLACE) for group in lie.CATALOGUE}
    return groups


GROUPS = _of_every_class()

every_group = pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS.keys())


def coordinates(group: lie.Subgroup, batch: tuple[int, ...]) -> st.SearchStrategy[np.ndarray]:
    """x (*batch, m): up to 3 m along each direction; rotations short of half a turn, where log is unique."""
    angles = sum(name.startswith("w") for name in group.dof_names)
    reach = np.array([3.0 if name.startswith("v") else 3.1 / np.sqrt(angles) for name in group.dof_names])
    unit = arrays(float, (*batch, group.dim), elements=st.floats(-1.0, 1.0))
    return unit.map(lambda x: x * reach)


@st.composite
def several(draw, group: lie.Subgroup, count: int) -> list[np.ndarray]:
    """`count` coordinate arrays of the same drawn batch shape."""
    batch = draw(st.sampled_from(BATCHES))
    return [draw(coordinates(group, batch)) for _ in range(count)]


def assert_close(computed, expected, tolerance: float = 1e-13, scale: float = 1.0) -> None:
    """|computed − expected| ≤ tolerance · max(scale, |expected|), entry by entry, and equal shapes."""
    computed, expected = np.asarray(computed), np.asarray(expected)
    assert computed.shape == expected.shape
    if computed.size:
        bound = tolerance * max(scale, np.abs(expected).max())
        assert np.abs(computed - expected).max() <= bound, np.abs(computed - expected).max()
