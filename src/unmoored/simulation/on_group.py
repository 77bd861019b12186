"""Whether configurations lie in their joints' groups, seen where they are: on this computer or on a GPU."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .. import kernels
from ..kernels import cuda
from ..model import ModelError
from ..model.joints import pose_from_numbers
from ..trace import maximum
from ..worlds import Plant

#: poses of a batch from which on a kernel is quicker than NumPy, its compilation left out
_MANY = 1024


def check_on_group(plant: Plant, q: Any, tolerance: float, what: str = "q0", backend: str = "cpu") -> None:
    """Refuse a configuration (..., nq) whose poses are not in their joints' groups; backend: where q is."""
    for link in plant.pose_links:
        numbers = q[..., link.q]
        joint = link.joint
        if joint.nv == 6:
            fine = is_rotation(numbers[..., :9], tolerance, backend)
        else:
            numbers = numbers.get() if cuda.on_device(numbers) else numbers
            fine = bool(np.all(joint.group.contains(pose_from_numbers(numbers), tolerance)))
        if not fine:
            numbers = np.asarray(numbers.get() if cuda.on_device(numbers) else numbers)
            given = repr(pose_from_numbers(numbers).tolist())
            raise ModelError.single(link.name, what, expected=f"a pose in {joint.group.name}", given=given)


def is_rotation(R: Any, tolerance: float, backend: str = "cpu") -> bool:
    """Whether all of R (..., 9), finite numbers row by row, are rotations: RᵀR = 1 within the tolerance, det R > 0."""
    if backend == "cuda":
        return float(_compiled(backend)(R).max()) <= tolerance
    if R.ndim == 1:
        return defect(*R.tolist()) <= tolerance
    rows = R.reshape(-1, 9)
    off = _compiled("cpu")(rows) if len(rows) >= _MANY else defect(*rows.T)
    return bool(np.max(off) <= tolerance)


def defect(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> Any:
    """The largest entry of |RᵀR − 1|, about 1 for a reflection; of numbers, arrays or symbols alike."""
    found = 0.0
    for x in (
        a * a + d * d + g * g - 1.0, b * b + e * e + h * h - 1.0, c * c + f * f + i * i - 1.0,
        a * b + d * e + g * h, b * c + e * f + h * i, c * a + f * d + i * g,
    ):  # fmt: skip
        found = _larger(found, abs(x))
    det = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    return _larger(found, -det)


def _larger(x: Any, y: Any) -> Any:
    return max(x, y) if isinstance(x, float) and isinstance(y, float) else maximum(x, y)


@cache
def _compiled(backend: str) -> Any:
    """`defect` of rows (S, 9), as a kernel; R may be columns of a longer row."""

    def of_row(R: np.ndarray) -> Any:
        return defect(*(R[k] for k in range(9)))

    if backend == "cuda":
        return cuda.compile(of_row, [(9,)], name="rotation_defect")
    return kernels.compile(of_row, [(9,)], name="rotation_defect", key="rotation_defect")
