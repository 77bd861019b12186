"""A method of a system or plant as one compiled function, with numbers of bodies as run-time data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import kernels
from ..model import ModelError
from ..model.errors import unknown_name
from .argument_kinds import not_a_number
from .bound_method import BoundMethod, names_of


class MethodKernel:
    """`kernel(*arrays, parameters, out=None)`: the method's arrays in their order, then `parameters` (..., n).

    Leading dimensions are a batch and broadcast, those of the parameters too. Without free parameters that
    argument is absent.
    """

    def __init__(self, bound: BoundMethod, name: str, dtype: object, again: Callable[[], MethodKernel]):
        """again: makes it anew, in another process."""
        self.arguments = tuple(argument.name for argument in bound.arguments)
        self.free = bound.free
        shapes = [argument.shape for argument in bound.arguments]
        self._kernel = kernels.compile(
            bound.function(), shapes, name=name, dtype=dtype, key=bound.key, exact_zeros=False, watched=True
        )
        self._structure, self._again = bound.method.returns, again

    def __reduce__(self) -> tuple[Any, ...]:
        return self._again, ()

    @property
    def nominal(self) -> np.ndarray:
        """The parameters (n,) of the system as it was built."""
        return np.concatenate([np.zeros(0), *(parameter.nominal for parameter in self.free)])

    def pack(self, values: Mapping[str, Any]) -> np.ndarray:
        """Parameters (..., n) from values by name, (...) for a single number and (..., size) for several.

        Those left out have their nominal values.
        """
        known = {parameter.name: parameter for parameter in self.free}
        parts = {parameter.name: parameter.nominal for parameter in self.free}
        for name, x in values.items():
            if name not in known:
                raise unknown_name(self._kernel.name, "free parameter", name, known)
            parts[name] = known[name].flat(x)
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in parts.values()))
        full = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in parts.values()]
        return np.concatenate([np.zeros((*batch, 0)), *full], axis=-1)

    @property
    def operations(self) -> int:
        """Arithmetic operations per sample."""
        return self._kernel.operations

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        if len(arrays) != len(self.arguments):
            expected, given = ", ".join(self.arguments), f"{len(arrays)} arrays"
            raise ModelError.single(self._kernel.name, "arguments", expected=expected, given=given)
        try:
            result = self._kernel(*arrays) if out is None else self._kernel(*arrays, out=out)
        except kernels.NotANumber as found:
            raise not_a_number(self._kernel.name, self.arguments[found.argument], found.place) from None
        return result if self._structure is None else self._structure(*result)

    def __repr__(self) -> str:
        return f"<{self._kernel.name}({', '.join(self.arguments)}): {self.operations} operations>"


def compile_method(
    system: Any,
    method: str,
    /,
    *static: Any,
    free: Iterable[str] = (),
    arguments: Iterable[str] = (),
    dtype: object = "float64",
    **options: Any,
) -> MethodKernel:
    """A method of a system or plant as one compiled function of its arrays and of numbers of bodies that are left free.

    `kernel = um.compile_method(system, "forward_dynamics", free=["arm3.mass", "arm3.com"])` is called as
    `kernel(q, v, tau, kernel.pack({"arm3.mass": 7.0}))`. A parameter is "body.field" with the field mass (kg),
    inertia_scale (of mass and tensor), com (m), tensor (xx, yy, zz, xy, xz, yz about the centre of mass, kg m²),
    xyz (position of the joint on its parent, m) or armature (kg, kg m²).

    static: names of frames and the like. options: values by name, fixed in the code. arguments: names of
    optional arrays that become arguments too, such as ["gravity"]. A fixed `passive` of `hybrid_dynamics` leaves out
    what it turns off.
    """
    free, arguments = names_of(free), names_of(arguments)
    bound = BoundMethod(system, method, static, arguments, options, free)
    fixed = {"free": free, "arguments": arguments, "dtype": dtype, **options}
    again = partial(compile_method, system, method, *static, **fixed)
    return MethodKernel(bound, f"{system.name}.{method}", dtype, again)
