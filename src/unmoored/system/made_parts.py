"""Flexible beams and sloshing liquids as systems, to be mounted on others."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.made import Tank, beam_tree, slosh_tree
from .system import System


def flexible_beam(
    length: float,
    mass: float,
    bending: float | Sequence[float],
    *,
    elements: int = 16,
    axes: str = "both",
    torsion: float | None = None,
    polar_inertia: float | None = None,
    damping: float = 0.0,
    radius: float | None = None,
    name: str = "beam",
) -> System:
    """A slender beam of `length` (m) and `mass` (kg) along z, clamped at its origin, as a system to mount.

    bending: stiffness EI (N m²), or a pair about x and y.  elements: hinges, each in the middle of its element; the
    lowest frequency is off by 0.1 % with 16, and errors fall with the square.
    axes: what it bends about, "both", "x" or "y".  torsion: GJ (N m²) if it twists, with `polar_inertia`, the moment of
    inertia of all of it about z (kg m²).
    damping: T (s), Kelvin–Voigt: mode i has the ratio T ω_i/2.  radius: of its picture (m).
    Its bodies are "piece_0" (clamped), …; the frame "tip" is at its end. Springs act in a `Plant`.
    """
    options = {"elements": elements, "axes": axes, "torsion": torsion, "polar_inertia": polar_inertia}
    return System(beam_tree(length, mass, bending, **options, damping=damping, radius=radius, name=name))  # type: ignore[arg-type]


def slosh(
    tank: Tank,
    depth: float,
    density: float,
    *,
    modes: int = 1,
    model: str = "pendulum",
    gravity: float | None = None,
    damping: float = 0.0,
    inertia: Sequence[float] = (0.0, 0.0, 0.0),
    name: str = "slosh",
) -> System:
    """The liquid of a tank, `depth` (m) deep, of `density` (kg/m³), as a system to mount: z up, from the lowest point.

    tank: `CylinderTank`, `BoxTank` or `SphereTank`.  modes: sloshing modes, in each direction.
    model: "pendulum", whose frequency follows the acceleration that is felt, or "spring", for the one of `gravity`
    (m/s²).  damping: ratio of every mode at `gravity`.  inertia: of the part at rest about its centre of mass (kg m²);
    an ideal liquid in a round tank does not turn with it.
    Bodies are "liquid", the part at rest, and "wave_1", …; the frame "surface" is on the still surface. Small waves, no
    swirl, Bond number far above 1.
    """
    made = slosh_tree(
        tank,
        depth,
        density,
        modes=modes,
        model=model,
        gravity=gravity,
        damping=damping,
        inertia=inertia,
        name=name,
    )
    return System(made)
