"""Kinematics as methods of `System`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import jacobians, kinematics
from ..dynamics.analytic_jacobian import analytic_jacobian
from .base import SystemBase
from .quick import quick


class KinematicsMethods(SystemBase):
    """Poses, velocities, accelerations and Jacobians of bodies and frames. Leading dimensions of arrays are a batch."""

    @quick(kinematics.pose, arrays=1)
    def pose(self, q: Any, frame: str, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """World pose (..., 4, 4) of a frame or body at q (..., nq), metres."""
        return self._run(kinematics.pose, backend, frame, q=q, out=out)

    @quick(kinematics.velocity, arrays=2)
    def velocity(
        self, q: Any, v: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Body twist (..., 6) of a frame, (v, ω) at its origin in its own axes (m/s, rad/s)."""
        return self._run(kinematics.velocity, backend, frame, q=q, v=v, out=out)

    @quick(kinematics.acceleration, arrays=3)
    def acceleration(
        self, q: Any, v: Any, a: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Time derivative (..., 6) of the body twist of a frame, in its own axes (m/s², rad/s²)."""
        return self._run(kinematics.acceleration, backend, frame, q=q, v=v, a=a, out=out)

    @quick(kinematics.centre_of_mass, arrays=1)
    def centre_of_mass(self, q: Any, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """Centre of mass (..., 3) of the whole system in world axes (m)."""
        return self._run(kinematics.centre_of_mass, backend, q=q, out=out)

    @quick(jacobians.centre_of_mass_jacobian, arrays=1)
    def centre_of_mass_jacobian(self, q: Any, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """Jacobian (..., 3, nv) of the centre of mass, world axes."""
        return self._run(jacobians.centre_of_mass_jacobian, backend, q=q, out=out)

    @quick(jacobians.jacobian, arrays=1)
    def jacobian(self, q: Any, frame: str, *, backend: str | None = None, out: Any = None) -> np.ndarray:
        """Body Jacobian (..., 6, nv): twist of the frame at its own origin, in its own axes."""
        return self._run(jacobians.jacobian, backend, frame, q=q, out=out)

    @quick(jacobians.jacobian_derivative, arrays=2)
    def jacobian_derivative(
        self, q: Any, v: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Time derivative (..., 6, nv) of the body Jacobian."""
        return self._run(jacobians.jacobian_derivative, backend, frame, q=q, v=v, out=out)

    @quick(jacobians.spatial_jacobian, arrays=1)
    def spatial_jacobian(
        self, q: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Spatial Jacobian (..., 6, nv): twist at the world origin, in world axes."""
        return self._run(jacobians.spatial_jacobian, backend, frame, q=q, out=out)

    @quick(jacobians.spatial_jacobian_derivative, arrays=2)
    def spatial_jacobian_derivative(
        self, q: Any, v: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Time derivative (..., 6, nv) of the spatial Jacobian."""
        return self._run(jacobians.spatial_jacobian_derivative, backend, frame, q=q, v=v, out=out)

    @quick(jacobians.mixed_jacobian, arrays=1)
    def mixed_jacobian(
        self, q: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Mixed Jacobian (..., 6, nv): velocity of the frame's origin and angular velocity, in world axes."""
        return self._run(jacobians.mixed_jacobian, backend, frame, q=q, out=out)

    @quick(jacobians.mixed_jacobian_derivative, arrays=2)
    def mixed_jacobian_derivative(
        self, q: Any, v: Any, frame: str, *, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Time derivative (..., 6, nv) of the mixed Jacobian."""
        return self._run(jacobians.mixed_jacobian_derivative, backend, frame, q=q, v=v, out=out)

    def base_jacobian(
        self, q: Any, frame: str, *, vehicle: str | None = None, backend: str | None = None, out: Any = None
    ) -> np.ndarray:
        """Jacobian (..., 6, nv) of the frame's absolute twist, at the vehicle's origin in the vehicle's axes."""
        return self._run(jacobians.base_jacobian, backend, frame, self._vehicle(vehicle), q=q, out=out)

    def base_jacobian_derivative(
        self,
        q: Any,
        v: Any,
        frame: str,
        *,
        vehicle: str | None = None,
        backend: str | None = None,
        out: Any = None,
    ) -> np.ndarray:
        """Time derivative (..., 6, nv) of the base Jacobian."""
        return self._run(
            jacobians.base_jacobian_derivative, backend, frame, self._vehicle(vehicle), q=q, v=v, out=out
        )

    def analytic_jacobian(
        self,
        q: Any,
        frame: str,
        *,
        coordinates: str = "euler_zyx",
        backend: str | None = None,
        out: Any = None,
    ) -> np.ndarray:
        """Jacobian (..., 3 + k, nv) of world position and orientation coordinates of a frame.

        coordinates: "euler_zyx" (yaw, pitch, roll; singular at pitch = ±π/2), "quaternion_wxyz", "rotation_vector".
        """
        return self._run(analytic_jacobian, backend, frame, coordinates, q=q, out=out)
