"""Energy, power and momentum of a plant as methods."""

from __future__ import annotations

from ...system.argument_kinds import NUMBER, one_of
from ...system.method import method
from ...system.signature_types import Array, ArrayLike, Backend, Out
from .. import energy_balance
from ..energy_balance import Energy, Power
from . import plant_equations, plant_momentum
from .plant_data import INPUTS, PARAMETERS, STATES, PlantData
from .plant_equations import ClosureLoads


class PlantBalanceMethods(PlantData):
    """What is conserved, and what changes it."""

    @method(energy_balance.energy, returns=Energy, t=NUMBER, q="nq", v="nv", x=STATES, p=PARAMETERS)
    def energy(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Energy:
        """`.kinetic` with added mass, `.potential` of weight, buoyancy, springs and tide, `.total`, each (...) [J]."""
        ...

    @method(
        energy_balance.power,
        returns=Power,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        u=INPUTS,
        p=PARAMETERS,
    )
    def power(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Power:
        """Where the energy comes from and goes, each (...) [W]; `.total` is the rate of `energy(...).total`."""
        ...

    @method(
        plant_momentum.momentum,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        p=PARAMETERS,
        about=one_of("point (about=…)", "world", "com"),
    )
    def momentum(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        x: ArrayLike | None = None,
        *,
        p: ArrayLike | None = None,
        about: str = "world",
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Momentum (..., 6) in world axes, (linear, angular), with added mass (in water: the impulse) and wheels.

        about: the point of the angular part, "world" (its origin) or "com" (the centre of the bodies' own mass).
        """
        ...

    @method(plant_equations.element_loads, t=NUMBER, q="nq", v="nv", p=PARAMETERS)
    def element_loads(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Wrenches (..., n, 6) of the n elements on their frames b, at their origins in their axes (N, N m).

        Frames a feel the opposite at the same place. Zero while an element is off.
        """
        ...

    @method(
        plant_equations.closure_loads,
        returns=ClosureLoads,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        u=INPUTS,
        p=PARAMETERS,
    )
    def closure_loads(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ClosureLoads:
        """`.wrench` (..., n, 6) of the n closures on their frames b, in their axes, and `.unique` (..., n): 1 or 0.

        Of redundant loops (`.unique` 0) the loads of least norm: how rigid bodies share them nothing tells.
        """
        ...
