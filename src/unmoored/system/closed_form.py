"""Mass matrix, Coriolis matrices and generalised forces as methods of `System`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..dynamics import local_coordinates
from ..dynamics import mass_matrix as composite
from ..dynamics.closed_form import coriolis
from ..dynamics.closed_form import vehicle_arm_blocks as blocks
from ..dynamics.closed_form.mass_matrix_from_jacobians import (
    mass_matrix_derivatives as derivatives_by_adjoint_rule,
)
from ..dynamics.closed_form.potential_forces import potential_forces
from ..dynamics.gravity import gravity_forces
from ..dynamics.wrenches import wrench_forces
from .base import NO_GRAVITY, SystemBase
from .quick import quick

EARTH_GRAVITY = (0.0, 0.0, -9.81)


class ClosedFormMethods(SystemBase):
    """M v̇ + C v + n = τ with its matrices. Leading dimensions of arrays are a batch."""

    @quick(composite.mass_matrix, arrays=1)
    def mass_matrix(self, q: Any, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """Mass matrix M (..., nv, nv) at q (..., nq): ½ vᵀ M v is the kinetic energy; armature is in."""
        return self._run(composite.mass_matrix, backend, q=q, out=out)

    @quick(derivatives_by_adjoint_rule, arrays=1)
    def mass_matrix_derivatives(self, q: Any, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """∂M (..., nv, nv, nv): [..., k, i, j] is the derivative of M_ij along retract(q, ε e_k)."""
        return self._run(derivatives_by_adjoint_rule, backend, q=q, out=out)

    def mass_matrix_rate(self, q: Any, v: Any, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """Time derivative Ṁ (..., nv, nv) at velocity v (..., nv)."""
        return self._run(coriolis.mass_matrix_rate, backend, q=q, v=v, out=out)

    def coriolis_matrix(
        self, q: Any, v: Any, *, form: str = "skew", backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Coriolis and centrifugal matrix C (..., nv, nv); all forms have the same C v.

        form: "skew" (Christoffel symbols, Ṁ − 2C skew), "papers" (From et al., corrected; Ṁ − 2C not skew),
        "simple" and "bodies" (two more with Ṁ − 2C skew).
        """
        return self._run(coriolis.coriolis_matrix, backend, form, q=q, v=v, out=out)

    def gravity_forces(
        self, q: Any, gravity: Any = EARTH_GRAVITY, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """n = +∂U (..., nv) of uniform gravity (..., 3) in world axes (m/s²); it stands on the left side."""
        return self._run(gravity_forces, backend, q=q, gravity=gravity, out=out)

    def potential_forces(
        self, q: Any, potential: Callable[[np.ndarray], Any], *, backend: str | None = None
    ) -> np.ndarray:
        """n = +∂U (..., nv) of any potential q (nq,) ↦ U (J) in traceable NumPy, differentiated exactly."""
        return self._run(potential_forces, backend, potential, q=q)

    def wrench_forces(self, q: Any, wrenches: Mapping[str, Any], *, backend: str | None = None) -> np.ndarray:
        """Generalised forces Σ Jᵀ F (..., nv) of {frame: wrench (..., 6) in that frame's axes} (N, N m)."""
        return self._run(wrench_forces, backend, q=q, wrenches=wrenches)

    def block_form(
        self,
        q: Any,
        v: Any,
        *,
        gravity: Any = NO_GRAVITY,
        vehicle: str | None = None,
        form: str = "skew",
        backend: str | None = None,
    ) -> blocks.BlockForm:
        """The matrices with the vehicle's and the arm's parts apart; `form` as in `coriolis_matrix`."""
        static = self._vehicle(vehicle), form
        return self._run(blocks.block_form, backend, *static, q=q, v=v, gravity=gravity)

    def local_coriolis_matrix(self, q: Any, dq: Any, v: Any, *, backend: str | None = None) -> np.ndarray:
        """C (..., nv, nv) at retract(q, dq), in the papers' local coordinates dq (..., nv) about q.

        Equals `coriolis_matrix(retract(q, dq), v, form="papers")`; the velocity is v = S(dq) d(dq)/dt.
        """
        return self._run(local_coordinates.local_coriolis_matrix, backend, q=q, dq=dq, v=v)

    def local_velocity_map(self, dq: Any, *, backend: str | None = None) -> np.ndarray:
        """S (..., nv, nv) of the papers: v = S(dq) d(dq)/dt for local coordinates dq (..., nv)."""
        return self._run(local_coordinates.local_velocity_map, backend, dq=dq)
