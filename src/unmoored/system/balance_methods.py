"""Energy and momentum as methods of `System`."""

from __future__ import annotations

from ..dynamics import energy as energies
from ..dynamics import momentum as momenta
from ..dynamics.energy import Energy
from .argument_kinds import FRAME, GRAVITY, NO_GRAVITY, one_of
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out
from .system_data import SystemData

ABOUT = one_of("point (about=…)", "world", "com")


class BalanceMethods(SystemData):
    """Energies and momenta. Leading dimensions of arrays are a batch."""

    @method(energies.energy, returns=Energy, q="nq", v="nv", gravity=GRAVITY)
    def energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Energy:
        """`.kinetic`, `.potential` and `.total` (...) [J] under gravity (..., 3) in world axes (m/s²)."""
        ...

    @method(momenta.momentum, q="nq", v="nv", about=ABOUT)
    def momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        about: str = "world",
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Momentum (..., 6) of the whole system in world axes, (linear, angular) [kg m/s, kg m²/s].

        about: the point of the angular part, "world" (its origin) or "com" (the centre of mass).
        """
        ...

    @method(momenta.momentum_matrix, q="nq", about=ABOUT)
    def momentum_matrix(
        self, q: ArrayLike, *, about: str = "world", backend: Backend | None = None, out: Out = None
    ) -> Array:
        """A (..., 6, nv) with momentum = A v; about="com" gives the centroidal momentum matrix."""
        ...

    @method(momenta.momentum_in_frame, q="nq", v="nv", frame=FRAME)
    def momentum_in_frame(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Momentum (..., 6) of the whole system at a frame's origin, in the frame's axes."""
        ...

    @method(momenta.generalized_momentum, q="nq", v="nv")
    def generalized_momentum(
        self, q: ArrayLike, v: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """p (..., nv), conjugate to v: M v without armature. A vehicle's rows are its momentum P."""
        ...
