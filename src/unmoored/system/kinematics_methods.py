"""Kinematics as methods of `System`."""

from __future__ import annotations

from ..dynamics import jacobians, kinematics
from ..dynamics.analytic_jacobian import analytic_jacobian
from .argument_kinds import FRAME, VEHICLE, one_of
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out
from .system_data import SystemData


class KinematicsMethods(SystemData):
    """Poses, velocities, accelerations and Jacobians of bodies and frames. Leading dimensions of arrays are a batch."""

    @method(kinematics.pose, q="nq", frame=FRAME)
    def pose(self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None) -> Array:
        """World pose (..., 4, 4) of a frame or body at q (..., nq), metres."""
        ...

    @method(kinematics.velocity, q="nq", v="nv", frame=FRAME)
    def velocity(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Body twist (..., 6) of a frame, (v, ω) at its origin in its own axes (m/s, rad/s)."""
        ...

    @method(kinematics.acceleration, q="nq", v="nv", a="nv", frame=FRAME)
    def acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Time derivative (..., 6) of the body twist of a frame, in its own axes (m/s², rad/s²)."""
        ...

    @method(kinematics.centre_of_mass, q="nq")
    def centre_of_mass(self, q: ArrayLike, *, backend: Backend | None = None, out: Out = None) -> Array:
        """Centre of mass (..., 3) of the whole system in world axes (m)."""
        ...

    @method(jacobians.centre_of_mass_jacobian, q="nq")
    def centre_of_mass_jacobian(
        self, q: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Jacobian (..., 3, nv) of the centre of mass, world axes."""
        ...

    @method(jacobians.jacobian, q="nq", frame=FRAME)
    def jacobian(self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None) -> Array:
        """Body Jacobian (..., 6, nv): twist of the frame at its own origin, in its own axes."""
        ...

    @method(jacobians.jacobian_derivative, q="nq", v="nv", frame=FRAME)
    def jacobian_derivative(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Time derivative (..., 6, nv) of the body Jacobian."""
        ...

    @method(jacobians.spatial_jacobian, q="nq", frame=FRAME)
    def spatial_jacobian(
        self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Spatial Jacobian (..., 6, nv): twist at the world origin, in world axes."""
        ...

    @method(jacobians.spatial_jacobian_derivative, q="nq", v="nv", frame=FRAME)
    def spatial_jacobian_derivative(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Time derivative (..., 6, nv) of the spatial Jacobian."""
        ...

    @method(jacobians.mixed_jacobian, q="nq", frame=FRAME)
    def mixed_jacobian(
        self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Mixed Jacobian (..., 6, nv): velocity of the frame's origin and angular velocity, in world axes."""
        ...

    @method(jacobians.mixed_jacobian_derivative, q="nq", v="nv", frame=FRAME)
    def mixed_jacobian_derivative(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Time derivative (..., 6, nv) of the mixed Jacobian."""
        ...

    @method(jacobians.base_jacobian, q="nq", frame=FRAME, vehicle=VEHICLE)
    def base_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Jacobian (..., 6, nv) of the frame's absolute twist, at the vehicle's origin in the vehicle's axes."""
        ...

    @method(jacobians.base_jacobian_derivative, q="nq", v="nv", frame=FRAME, vehicle=VEHICLE)
    def base_jacobian_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Time derivative (..., 6, nv) of the base Jacobian."""
        ...

    @method(
        analytic_jacobian,
        q="nq",
        frame=FRAME,
        coordinates=one_of("coordinates", "euler_zyx", "quaternion_wxyz", "rotation_vector"),
    )
    def analytic_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        coordinates: str = "euler_zyx",
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Jacobian (..., 3 + k, nv) of world position and orientation coordinates of a frame.

        coordinates: "euler_zyx" (yaw, pitch, roll; singular at pitch = ±π/2), "quaternion_wxyz", "rotation_vector".
        """
        ...
