"""Spacecraft with arms, as methods of `System`."""

from __future__ import annotations

from typing import Any, Self

from ..dynamics import spacecraft
from ..dynamics.lagrange_poincare.vehicle_split import split
from ..dynamics.spacecraft import CentreOfMassForm, ControlledMotion, FreeFloating, VirtualManipulator
from ..model import Tree
from .argument_kinds import FRAME, VEHICLE, ArrayOf, optional
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out
from .system_data import SystemData


def _free_floating(tree: Tree, q: Any, v: Any, tau: Any, momentum: Any, vehicle: str) -> FreeFloating:
    if momentum is None:
        return spacecraft.free_floating(tree, q, v, tau, vehicle)
    at = split(tree, vehicle)
    return spacecraft.free_floating_at_momentum(tree, q, at.joined(momentum, at.others(v)), tau, vehicle)


_MOMENTUM = ArrayOf(
    lambda owner, names: owner.tree.link(names["vehicle"]).joint.nv, optional=True, absent_as_none=True
)


class SpacecraftMethods(SystemData):
    """Systems in space: no gravity, nothing to push against. Leading dimensions of arrays are a batch."""

    @method(
        _free_floating,
        returns=FreeFloating,
        q="nq",
        v=optional("nv"),
        tau=optional("nv"),
        momentum=_MOMENTUM,
        vehicle=VEHICLE,
    )
    def free_floating(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        momentum: ArrayLike | None = None,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> FreeFloating:
        """The reduced system of the n joints beside a vehicle that nothing acts on, and the vehicle's motion.

        q (..., nq); v and tau (..., nv), zero if None, the vehicle's entries of tau are ignored. The
        momentum is that of v. Or give it: momentum μ (..., m), along the vehicle's DoFs in world axes about
        the world origin (in the frame `at` of the vehicle's joint); then the vehicle's entries of v are
        ignored too.
        """
        ...

    @method(spacecraft.free_flying, returns=ControlledMotion, q="nq", v="nv", tau="nv")
    def free_flying(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ControlledMotion:
        """Thrusters give the vehicle's entries of tau (..., nv), in its axes; the accelerations follow."""
        ...

    @method(
        spacecraft.attitude_controlled,
        returns=ControlledMotion,
        q="nq",
        v="nv",
        tau="nv",
        acceleration=optional("nv"),
        vehicle=VEHICLE,
    )
    def attitude_controlled(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        acceleration: ArrayLike | None = None,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ControlledMotion:
        """Torques give the vehicle the angular entries of acceleration (..., nv), zero if None.

        tau (..., nv) are the forces on everything else. Both results (..., nv) are complete: in tau, the
        torques.
        """
        ...

    @method(spacecraft.held_fixed, returns=ControlledMotion, q="nq", v="nv", tau="nv", vehicle=VEHICLE)
    def held_fixed(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ControlledMotion:
        """The vehicle stands still; its entries of the resulting tau (..., nv) are the wrench that holds it.

        v, tau (..., nv): only the other joints' entries are used.
        """
        ...

    @method(spacecraft.centre_of_mass_form, returns=CentreOfMassForm, q="nq", v="nv")
    def centre_of_mass_form(
        self, q: ArrayLike, v: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> CentreOfMassForm:
        """Inertia blockdiag(m_t 1, M_red), Coriolis matrix and momentum of (ṙ_cm, ω, w) at v (..., nv)."""
        ...

    @method(spacecraft.attitude_dynamics, q="nq", v="nv", tau="nv")
    def attitude_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """(ω̇, ẇ) (..., nv−3) and r̈_cm (..., 3) in world axes under tau (..., nv), in centre-of-mass form."""
        ...

    def dynamically_equivalent_manipulator(self) -> Self:
        """A new `System` on a passive spherical joint that moves like this one, at any constant momentum.

        Same names, same joint coordinates and joint forces; use it without gravity. It exists for one free
        vehicle with a serial arm of joints with at most one DoF and rigid bodies; anything else is refused.
        """
        return type(self)(spacecraft.equivalent_manipulator(self.tree))

    def equivalent_manipulator_state(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """(q, v) of the dynamically equivalent manipulator at this system's q (..., nq), v (..., nv)."""
        spacecraft.equivalent_manipulator(self.tree)
        state = self._array("q", q, self.nq), self._array("v", v, self.nv)
        return spacecraft.equivalent_state(self.tree, *state)

    @method(spacecraft.pose_from_centre_of_mass, q="nq", frame=FRAME)
    def equivalent_manipulator_pose(
        self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Pose (..., 4, 4) of any frame or body of this system where the equivalent manipulator stands.

        World axes, the origin is the centre of mass of all bodies. q (..., nq): of this system, or of the manipulator.
        On its last body the manipulator has the frames at just these places. Those of inner bodies depend on all
        bodies beyond them and have no fixed place on it.
        """
        ...

    @method(spacecraft.barycentric_vectors, q="nq", frame=FRAME)
    def barycentric_vectors(
        self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """One vector (..., bodies, 3) in the axes of every body: turned to the world's, they add up to the place of
        the frame seen from the centre of mass (m).

        Constant where joints only turn. Any tree with one vehicle and rigid bodies.
        """
        ...

    @method(spacecraft.virtual_manipulator, returns=VirtualManipulator, q="nq", frame=FRAME)
    def virtual_manipulator(
        self, q: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> VirtualManipulator:
        """The chain from the centre of mass (`.ground`) to a frame: `.vectors` as `barycentric_vectors`, `.joints`.

        Its links turn like the bodies. While nothing pushes, the ground stays or moves uniformly: what the frame can
        reach is what this chain can.
        """
        ...
