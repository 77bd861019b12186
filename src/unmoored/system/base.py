"""The part of `System` that knows sizes, names and configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..dynamics import configuration
from ..kernels.cuda import device_array, on_device
from ..model import ModelError, Tree
from ..model.errors import unknown_name
from .definiteness import check_definite
from .kernel_book import KernelBook, common_dtype, laid_out, written
from .quick import QuickCalls

BACKENDS = ("cpu", "cuda", "numpy")
NO_GRAVITY = (0.0, 0.0, 0.0)
_SIZES = {"gravity": 3, "tool_acceleration": 6, "damping": 1, "regularisation": 1}


class SystemBase:
    """A validated tree with its sizes, names and operations on configurations. Frozen."""

    def __init__(self, tree: Tree):
        check_definite(tree)
        self._tree = tree
        self._book = KernelBook(tree)
        self._quick = QuickCalls(tree, self._book)

    @property
    def tree(self) -> Tree:
        """The bodies, joints and frames: pure data."""
        return self._tree

    @property
    def name(self) -> str:
        """Name of the system."""
        return self._tree.name

    @property
    def nq(self) -> int:
        """Length of the configuration q: 1 per 1-DoF joint, 12 per joint stored as a pose."""
        return self._tree.nq

    @property
    def nv(self) -> int:
        """Number of degrees of freedom: length of v, a and tau."""
        return self._tree.nv

    @property
    def names(self) -> tuple[str, ...]:
        """Body names in velocity order; a joint carries the name of the body that it moves."""
        return self._tree.names

    @property
    def dof_names(self) -> tuple[str, ...]:
        """A name for every entry of v, such as "bus.vx" and "arm1"."""
        return self._tree.dof_names

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, beside the bodies' own."""
        return tuple(frame.name for frame in self._tree.frames)

    @property
    def vehicles(self) -> tuple[str, ...]:
        """Names of the bodies attached to the world."""
        return self._tree.vehicles

    @property
    def mass(self) -> float:
        """Total mass (kg), without added mass."""
        return self._tree.mass

    def neutral(self) -> np.ndarray:
        """Configuration (nq,) with every joint at identity."""
        return configuration.neutral(self._tree)

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """Random configuration (nq,), inside the joint limits where there are some. `rng`: a Generator or a seed."""
        return configuration.random_configuration(self._tree, np.random.default_rng(rng))

    def retract(self, q: Any, dq: Any) -> np.ndarray:
        """Configuration (..., nq) reached from q along the tangent dq (..., nv), joint by joint h exp(H dq)."""
        return self._run(configuration.retract, None, q=q, dq=dq)

    def local(self, q0: Any, q1: Any) -> np.ndarray:
        """Tangent (..., nv) with retract(q0, tangent) = q1, both (..., nq)."""
        return self._run(configuration.local, None, q0=q0, q1=q1)

    def pack(self, joints: Mapping[str, Any]) -> np.ndarray:
        """Configuration (..., nq) from values by joint name; joints left out are neutral.

        A value is the coordinate of a 1-DoF joint (rad, m), the 4×4 pose of a joint stored as a pose, or the
        coordinates of a universal or custom joint.
        """
        return configuration.pack(self._tree, joints)

    def unpack(self, q: Any) -> dict[str, np.ndarray]:
        """Values by joint name from q (..., nq): the inverse of `pack`. Fixed joints have none."""
        return configuration.unpack(self._tree, self._array("q", q))

    def pack_velocity(self, joints: Mapping[str, Any]) -> np.ndarray:
        """Velocity-like vector (..., nv) from values by joint name or DoF name ("bus.vx"); the rest is zero."""
        return configuration.pack_velocity(self._tree, joints)

    def unpack_velocity(self, v: Any) -> dict[str, np.ndarray]:
        """Values (..., nv_i) by joint name from a velocity-like vector (..., nv)."""
        return configuration.unpack_velocity(self._tree, self._array("v", v))

    def _run(
        self,
        function: Callable[..., Any],
        backend: str | None,
        /,
        *static: Any,
        out: Any = None,
        **arrays: Any,
    ) -> Any:
        """function(tree, *arrays, *static) after checking that each array fits; compiled unless backend is "numpy".

        Arrays are run-time data, static arguments (names, forms) are folded into the kernel. Arrays on the GPU stay
        there, and so does the result. If all arrays are float32 the kernel is; numbers and lists follow them.
        """
        if backend is not None and backend not in BACKENDS:
            raise ModelError.single(
                self.name, "backend", expected=f"one of {', '.join(BACKENDS)}", given=repr(backend)
            )
        arguments = {name: self._argument(name, x) for name, x in arrays.items()}
        layout, flat = laid_out(arguments)
        self._check_batches(arguments, flat)
        backend = self._chosen(backend, flat)
        if backend == "numpy" or not flat:
            return written(out, function(self._tree, *arguments.values(), *static))
        dtype = common_dtype(arrays.values())
        flat = [x if x.dtype == dtype else x.astype(dtype) for x in flat]
        kernel = self._book.kernel(function, static, layout, dtype, backend)
        return kernel(*flat) if out is None else kernel(*flat, out=out)

    def _chosen(self, backend: str | None, flat: list[Any]) -> str:
        """The backend asked for; without one, arrays on the GPU are computed there, and host arrays here."""
        if all(isinstance(x, np.ndarray) for x in flat):
            return backend or "cpu"
        if backend not in (None, "cuda"):
            raise ModelError.single(
                self.name, "backend", expected='"cuda" for arrays on the GPU', given=repr(backend)
            )
        return "cuda"

    def _check_batches(self, arguments: Mapping[str, Any], flat: list[Any]) -> None:
        """Refuse arrays whose leading dimensions do not broadcast."""
        try:
            np.broadcast_shapes(*(x.shape[:-1] for x in flat))
        except ValueError:
            shapes = {
                name: {frame: F.shape for frame, F in x.items()} if isinstance(x, Mapping) else x.shape
                for name, x in arguments.items()
                if x is not None
            }
            given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            expected = "leading dimensions that broadcast"
            raise ModelError.single(self.name, "batch", expected=expected, given=given) from None

    def _argument(self, name: str, x: Any) -> Any:
        """Run-time data of a method: an array, or for `wrenches` one array (..., 6) for each frame."""
        if name != "wrenches":
            return self._array(name, x)
        if x is None:
            return None
        if not isinstance(x, Mapping):
            raise ModelError.single(self.name, name, expected="{frame: wrench (..., 6)}", given=repr(x))
        return {frame: self._array(f"wrench on {frame!r}", F, 6) for frame, F in x.items()}

    def _array(self, name: str, x: Any, size: int | None = None) -> Any:
        """`x` as an array (of CuPy if it is on the GPU) whose last dimension fits."""
        size = size or self._size(name)
        try:
            array = device_array(x) if not isinstance(x, np.ndarray) and on_device(x) else np.asarray(x)
            if array.dtype.kind not in "biuf":  # a text is no number, and a complex one would lose its half
                raise TypeError
            array = array if array.dtype == np.float32 else array.astype(float, copy=False)
        except (TypeError, ValueError):
            raise ModelError.single(
                self.name, name, expected=f"numbers of shape (..., {size})", given=repr(x)
            ) from None
        if array.ndim == 0 or array.shape[-1] != size:
            raise ModelError.single(
                self.name, name, expected=f"shape (..., {size})", given=f"shape {array.shape}"
            )
        return array

    def _size(self, name: str) -> int:
        """Length of the last dimension of an argument."""
        return ({"q": self.nq, "q0": self.nq, "q1": self.nq} | _SIZES).get(name, self.nv)

    def _vehicle(self, vehicle: str | None) -> str:
        """The vehicle asked for, or the only one."""
        if vehicle is None and len(self.vehicles) == 1:
            return self.vehicles[0]
        if vehicle not in self.vehicles:
            raise unknown_name(self.name, "vehicle (say which: vehicle=…)", vehicle, self.vehicles)
        return vehicle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SystemBase) and self._tree == other._tree

    def __hash__(self) -> int:
        return hash(self._tree)

    def __repr__(self) -> str:
        return f"<System {self.name!r}: {len(self.names)} bodies, {self.nv} DoF, {self.mass:g} kg>"
