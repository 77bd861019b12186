"""Water: weight and buoyancy, added mass, drag and current on the vehicle and on every link (theory.md §7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ...error_roots import warn
from ...lie import se3, so3
from ...lie.arrays import apply, join, scale, scale_vector, transpose
from ...model import Body, Fluid, ModelError, ModelWarning, Tree
from ...model.field_types import Number, Vector
from ...model.value import frozen_array, replace_arrays
from ...trace import is_zero
from ..regressor_columns import (
    Columns,
    added_mass_columns,
    beside,
    displaced_columns,
    drag_columns,
    flow_columns,
)
from ..scene import BodyWrenches, Scene, combined
from ..world import STANDARD_GRAVITY, World, checked_gravity
from .current import Current, UniformCurrent, as_current
from .floating import Floating, floating_bodies, share_gradient
from .hydrodynamics import (
    acceleration_wrench,
    current_wrench,
    drag,
    drag_matrix,
    dragging,
    immersion_wrench,
    lift,
    relative_twist,
)

SEA_WATER = 1026.0
_SAME_WATER = 0.01  # 1025 and 1026 kg/m³ are figures of the same sea; fresh water is 2.5 % lighter


@dataclass(frozen=True, eq=False, repr=False)
class Ocean(World):
    """Water around all bodies that have `fluid` data; one water for the vehicle and every link.

    current: water velocity (3,) in world axes (m/s), a function t ↦ (3,) or (t, x) ↦ (3,), or a `Current`.
    density: of the water (kg/m³); buoyancy follows it, added mass and drag are the bodies' own data. Bodies whose data
    are for water that differs by more than a hundredth (`Fluid.density`) are warned of.
    gravity: (3,) in world axes (m/s²).
    surface: height z of the still surface (m); None: deep water, without a surface. Buoyancy, drag, lift and added mass
    then act by the share of a body's hull that is under water (see `Hull`).
    added_mass: "immersed", or "whole": at a surface it then stays what it is in deep water (faster, and constant).
    """

    current: Annotated[Any, Current | Vector] = None
    density: Number = SEA_WATER
    gravity: Vector = STANDARD_GRAVITY
    surface: Number = None
    added_mass: Literal["immersed", "whole"] = "immersed"

    zero_if_absent: ClassVar[Mapping[str, tuple[int, ...]]] = {"current": (3,)}

    def __post_init__(self) -> None:
        density = float(frozen_array(self.density, (), where="Ocean", what="density"))
        if density < 0:
            raise ModelError.single("Ocean", "density", expected="≥ 0 (kg/m³)", given=repr(self.density))
        gravity = checked_gravity(self.gravity, "Ocean")
        replace_arrays(self, current=as_current(self.current), density=density, gravity=gravity)
        if self.added_mass not in ("immersed", "whole"):
            raise ModelError.single(
                "Ocean", "added_mass", expected="'immersed' or 'whole'", given=repr(self.added_mass)
            )
        if self.surface is not None:
            surface = float(frozen_array(self.surface, (), where="Ocean", what="surface"))
            if gravity[0] or gravity[1] or gravity[2] > 0:
                expected = "gravity along −z, with a surface"
                raise ModelError.single("Ocean", "gravity", expected=expected, given=str(gravity.tolist()))
            replace_arrays(self, surface=surface)

    def check(self, tree: Tree, constraints: tuple[Any, ...]) -> None:
        """Warn of bodies whose added mass and drag are for other water."""
        others = [
            f"{body.name} ({body.fluid.density:g})"
            for body in tree.bodies
            if body.fluid is not None
            and body.fluid.density is not None
            and abs(body.fluid.density - self.density) > _SAME_WATER * self.density
        ]
        if others:
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            text = (
                f"Ocean, density {self.density:g} kg/m³: added mass and drag of {', '.join(others[:4])}{more} are for "
                "water of another density, and only buoyancy follows the ocean's; give the same density to both"
            )
            warn(text, ModelWarning)

    @property
    def uniform_gravity(self) -> np.ndarray:
        return self.gravity

    @property
    def flow(self) -> Current | None:
        """The current, None for water at rest."""
        if self.current is None or isinstance(self.current, Current):
            return self.current
        return None if is_zero(self.current) else UniformCurrent(self.current)

    def added_inertia(self, body: Body) -> np.ndarray | None:
        """Added mass (6, 6) of a body in water."""
        return None if body.fluid is None else body.fluid.added_mass

    @property
    def inertia_by_place(self) -> bool:
        """Whether the added mass follows the share of each body that is under water."""
        return self.surface is not None and self.added_mass == "immersed"

    def inertia_changes(self, scene: Scene) -> Mapping[int, np.ndarray]:
        """(κ − 1) A (..., 6, 6) of every body at the surface, κ the share of it under water."""
        if not self.inertia_by_place:
            return {}
        fluids = _fluids(scene)
        return {
            i: scale(part.share - 1.0, fluids[i].added_mass)
            for i, part in self._floating(scene).items()
            if not is_zero(fluids[i].added_mass)
        }

    def displaced(self, body: Body) -> tuple[Any, Any] | None:
        """Mass and first moment of the water that a body displaces; at a surface it is no constant."""
        if body.fluid is None or is_zero(body.fluid.volume) or self.surface is not None:
            return None
        mass = np.asarray(self.density * body.fluid.volume)
        return mass, mass[..., None] * body.fluid.centre_of_buoyancy

    def wrenches(self, scene: Scene) -> Mapping[str, BodyWrenches]:
        """Drag, and what the current adds to the added mass."""
        fluids, flow, floating = _fluids(scene), self.flow, self._floating(scene)
        wet = {i: part.share for i, part in floating.items()}
        lifted = {"potential": {i: part.wrench for i, part in floating.items()}} if floating else {}
        gradients = self._gradients(scene, floating)
        if gradients:
            lifted["immersion"] = {
                i: immersion_wrench(fluids[i].added_mass, scene.twists[i], scene.twists[i], g)
                for i, g in gradients.items()
            }
        if flow is None:
            twists = {i: scene.twists[i] for i in fluids}
            return {"drag": _drag(fluids, twists, wet), "lift": _lift(fluids, twists, wet), **lifted}
        c = _in_body_axes(scene, flow, fluids, flow.velocity)
        γ = {} if flow.steady else _in_body_axes(scene, flow, fluids, flow.acceleration)
        relative = {i: relative_twist(scene.twists[i], c[i]) for i in fluids}
        steady = {i: current_wrench(fluids[i].added_mass, scene.twists[i], c[i]) for i in fluids}
        felt = wet if self.inertia_by_place else {}
        unsteady = {i: acceleration_wrench(fluids[i], self.density, γ[i], wet.get(i), felt.get(i)) for i in γ}
        # of a current what the changing added mass does beyond the water at rest
        changing = {
            i: immersion_wrench(fluids[i].added_mass, scene.twists[i], relative[i], g)
            - lifted["immersion"][i]
            for i, g in gradients.items()
        }
        return {
            "drag": _drag(fluids, relative, wet),
            "lift": _lift(fluids, relative, wet),
            "current": combined(_by_share(steady, felt), unsteady, changing),
            **lifted,
        }

    def potential(self, scene: Scene) -> Any:
        """Energy (...) of buoyancy at a surface: zero out of the water."""
        return sum((part.energy for part in self._floating(scene).values()), 0.0)

    def _gradients(self, scene: Scene, floating: Mapping[int, Floating]) -> dict[int, np.ndarray]:
        """Slopes (..., 6) of the shares under water of the bodies whose added mass follows them."""
        if not self.inertia_by_place:
            return {}
        fluids = _fluids(scene)
        return {
            i: share_gradient(scene, i, fluids[i], self.surface)
            for i in floating
            if not is_zero(fluids[i].added_mass)
        }

    def _floating(self, scene: Scene) -> dict[int, Floating]:
        """How the bodies that displace water lie in it; none in deep water."""
        return (
            {} if self.surface is None else floating_bodies(scene, _fluids(scene), self.density, self.surface)
        )

    def drag_matrices(self, scene: Scene) -> Mapping[int, np.ndarray]:
        """D₁ + D₂ diag|V_r| (..., 6, 6), and that of the parts of hulls, at the twist relative to the water."""
        wet = {i: part.share for i, part in self._floating(scene).items()}
        fluids, flow, twists = _fluids(scene), self.flow, scene.twists
        relative = {i: twists[i] for i in fluids}
        if flow is not None:
            c = _in_body_axes(scene, flow, fluids, flow.velocity)
            relative = {i: relative_twist(twists[i], c[i]) for i in fluids}
        matrices = {i: drag_matrix(fluids[i], relative[i]) for i in _felt(fluids)}
        return {i: scale(wet[i], D) if i in wet else D for i, D in matrices.items()}

    def fluid_columns(
        self, scene: Scene, accelerations: Sequence[np.ndarray], full_drag: bool
    ) -> Mapping[int, Columns]:
        """Added mass, displaced water and drag of every body in water, linear in its numbers."""
        if self.surface is not None:
            expected = "deep water: forces at a surface are not linear in the fluids' numbers"
            raise ModelError.single("Ocean", "regressor", expected=expected, given="a surface")
        fluids, flow = _fluids(scene), self.flow
        weight = scene.turned(scene.gravity)
        still = {i: np.zeros(3) for i in fluids}
        c = still if flow is None else _in_body_axes(scene, flow, fluids, flow.velocity)
        γ_c = still if flow is None or flow.steady else _in_body_axes(scene, flow, fluids, flow.acceleration)
        found = {}
        for i, fluid in fluids.items():
            V_r = relative_twist(scene.twists[i], c[i])
            felt = so3.cross(scene.twists[i][..., 3:], c[i]) - γ_c[i]
            V_r_dot = accelerations[i] + join([felt, np.zeros(3)])
            found[i] = beside(
                [
                    added_mass_columns(fluid, V_r, V_r_dot),
                    displaced_columns(fluid, self.density, weight[i] - γ_c[i]),
                    drag_columns(fluid, V_r, full_drag),
                    *([flow_columns(fluid, V_r)] if fluid.flow_parts else []),
                ]
            )
        return found

    def water_velocity(self, scene: Scene, index: int, r: np.ndarray) -> np.ndarray:
        """R_0iᵀ v_c (..., 3) at the point r (3,) of a body, in the body's axes."""
        if self.flow is None:
            return np.zeros(3)
        x = np.zeros(3) if self.flow.uniform else scene.point(index, r)
        return apply(transpose(se3.rotation(scene.poses[index])), self.flow.velocity(scene.t, x))


def _fluids(scene: Scene) -> dict[int, Fluid]:
    """What the water needs to know of the bodies that are in it."""
    return {i: body.fluid for i, body in enumerate(scene.dry.bodies) if body.fluid is not None}


def _felt(fluids: Mapping[int, Fluid]) -> list[int]:
    """The bodies that feel drag."""
    return [
        i
        for i, fluid in fluids.items()
        if dragging(fluid) or not (is_zero(fluid.linear_drag) and is_zero(fluid.quadratic_drag))
    ]


def _drag(
    fluids: Mapping[int, Fluid], twists: Mapping[int, np.ndarray], wet: Mapping[int, np.ndarray]
) -> BodyWrenches:
    return _by_share({i: drag(fluids[i], twists[i]) for i in _felt(fluids)}, wet)


def _lift(
    fluids: Mapping[int, Fluid], twists: Mapping[int, np.ndarray], wet: Mapping[int, np.ndarray]
) -> BodyWrenches:
    found = {i: lift(fluid, twists[i]) for i, fluid in fluids.items()}
    return _by_share({i: F for i, F in found.items() if F is not None}, wet)


def _by_share(wrenches: BodyWrenches, wet: Mapping[int, np.ndarray]) -> BodyWrenches:
    """The wrenches by the share of the hull that is under water."""
    return {i: scale_vector(wet[i], F) if i in wet else F for i, F in wrenches.items()}


def _in_body_axes(
    scene: Scene, flow: Current, fluids: Mapping[int, Fluid], field: Callable[..., np.ndarray]
) -> dict[int, np.ndarray]:
    """A field of the current, (t, x) ↦ (..., 3), at the centres of buoyancy, in body axes."""
    if flow.uniform:
        turned = scene.turned(field(scene.t, np.zeros(3)))
        return {i: turned[i] for i in fluids}
    points = {i: scene.point(i, fluid.centre_of_buoyancy) for i, fluid in fluids.items()}
    return {i: apply(transpose(se3.rotation(scene.poses[i])), field(scene.t, x)) for i, x in points.items()}
