"""Dry friction that holds: in joints, brakes and clutches (docs/theory.md §33; elasto-plastic, after Dupont et
al. 2002).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from ...model import ModelError, Tree
from ...model.field_types import ANY, Numbers
from ...model.value import frozen_array, replace_arrays
from ...trace import clip, greater, less_equal, where
from ..scene import Scene
from .actuator import Actuator, Effort, working

#: share of the largest deflection below which it is elastic
_ELASTIC = 0.7
_TINY = 1e-30

Intervals = Annotated[Any, Numbers((ANY, 2))]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DryFriction(Actuator):
    """What rubs along one slip velocity s (rad/s, m/s): it takes no command, and has one state, the deflection z.

    ż = φ(s)(1 − α(z, s) σ₀|z|/g), force −(σ₀z + σ₁ż): below 0.7 of the largest deflection it is a spring,
    which does not
    creep, beyond it slides with the force g.  presliding: that deflection (rad, m), σ₀ = largest force / presliding.
    settling: σ₁/σ₀ (s) at rest, which fades with speed; φ(s) = s/(1 + |s| settling/presliding) follows no faster. Steps
    are at most half of it.
    """

    presliding: float = 1e-3
    settling: float = 0.01

    structure: ClassVar[tuple[str, ...]] = (*Actuator.structure, "engaged")

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("presliding", "settling"):
            self._number(what, positive=True)
        for what in ("limits", "lag"):
            if getattr(self, what) is not None:
                given = repr(getattr(self, what))
                raise ModelError.single(self.label, what, expected="None: it takes no command", given=given)

    def _number(self, what: str, positive: bool = False) -> None:
        number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
        if number < 0 or (positive and number == 0):
            expected = "> 0" if positive else "≥ 0"
            raise ModelError.single(self.label, what, expected=expected, given=repr(number))
        replace_arrays(self, **{what: number})

    @abstractmethod
    def _rows(self, tree: Tree) -> np.ndarray:
        """The slip velocity is this row (nv,) times v."""

    @abstractmethod
    def _largest(self) -> Any:
        """The largest force (...) (N m, N)."""

    def _sliding(self, s: Any) -> Any:
        """The force g(s) (...) at a steady slip."""
        return self._largest() + 0.0 * s

    def _engaged(self, t: Any) -> Any:
        """1 while it rubs, 0 while it is open."""
        return 1.0 if self.fails_at is None else working(t, self.fails_at)

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """None."""
        return ()

    def states(self, tree: Tree) -> tuple[str, ...]:
        """The deflection."""
        return ("deflection",)

    def thrusts(self, tree: Tree) -> tuple[str, ...]:
        """It gives no force on command."""
        return ()

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """None, for the same reason."""
        return []

    def action(self, t: Any, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The deflection."""
        return x

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """−(σ₀z + σ₁ż) along the slip, while it is engaged."""
        row, z = self._rows(scene.tree), y[..., 0]
        s = (row * scene.v).sum(axis=-1)
        speed = np.abs(s) * self.settling / self.presliding
        sprung = where(greater(s * z, 0.0), z, z / (1.0 + speed))  # what comes back is what was stored
        damped = self.settling * np.exp(-speed * speed) * self._creep(s, z)
        force = self._stiffness * (sprung + damped) * self._engaged(scene.t)
        return Effort({}, -np.asarray(force)[..., None] * row)

    def state_rates(self, scene: Scene, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """ż: as it slips, or back to zero while it is open."""
        z, on = x[..., 0], self._engaged(scene.t)
        s = (self._rows(scene.tree) * scene.v).sum(axis=-1)
        return np.asarray(on * self._creep(s, z) - (1.0 - on) * z / self.settling)[..., None]

    def energy(self, x: np.ndarray) -> Any:
        """½σ₀z² (...) [J] of the deflection."""
        return 0.5 * self._stiffness * x[..., 0] * x[..., 0]

    def own_power(self, scene: Scene, x: np.ndarray, y: np.ndarray) -> Any:
        """Its rate (...) [W]."""
        return self._stiffness * x[..., 0] * self.state_rates(scene, x, y)[..., 0]

    @property
    def _stiffness(self) -> Any:
        return self._largest() / self.presliding

    def _creep(self, s: Any, z: Any) -> Any:
        """ż (...) of an engaged one."""
        g = self._sliding(s)
        most = g / (self._stiffness + _TINY)  # deflection at a steady slip
        size = np.abs(z)
        part = clip((size - _ELASTIC * most) / ((1.0 - _ELASTIC) * most + _TINY), 0.0, 1.0)
        plastic = where(greater(s * z, 0.0), part * part * (3.0 - 2.0 * part), 0.0)
        followed = s / (1.0 + np.abs(s) * self.settling / self.presliding)
        return followed * (1.0 - plastic * size / (most + _TINY))


@dataclass(frozen=True, eq=False, repr=False)
class Stiction(DryFriction):
    """Dry friction in a joint of one DoF ("elbow") or along one DoF ("base.x") that holds it still, without creep.

    friction: while it slides (N m, N).  static: what breaks it away; the same if None.  stribeck_speed: over which the
    one becomes the other, g = friction + (static − friction) e^{−(s/stribeck_speed)²}.
    """

    suffix: ClassVar[str] = "stiction"

    joint: str
    friction: float
    static: float | None = None
    stribeck_speed: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        self._number("friction", positive=True)
        self._number("stribeck_speed", positive=True)
        replace_arrays(self, static=self.friction if self.static is None else self.static)
        self._number("static")
        if self.static < self.friction:  # type: ignore[operator]
            expected = "at least the friction while it slides"
            raise ModelError.single(self.label, "static", expected=expected, given=repr(self.static))

    @property
    def label(self) -> str:
        return self.name or f"{self.joint}_{self.suffix}"

    def check(self, tree: Tree) -> None:
        """The joint must have one DoF."""
        one_dof(tree, self.joint, self.label)

    def _rows(self, tree: Tree) -> np.ndarray:
        return np.eye(tree.nv)[one_dof(tree, self.joint, self.label)]

    def _largest(self) -> Any:
        return self.static

    def _sliding(self, s: Any) -> Any:
        return self.friction + (self.static - self.friction) * np.exp(-((s / self.stribeck_speed) ** 2))  # type: ignore[operator]


@dataclass(frozen=True, eq=False, repr=False)
class Brake(DryFriction):
    """A brake on a joint of one DoF ("elbow") or along one DoF: it rubs with `torque` (N m, N), and holds up to it.

    active: 1 engaged, 0 open; events switch it, `um.Close("elbow_brake")` and `um.Open(…)`.
    engaged: [[from, to], …] times (s) at which it is engaged; always if None. Steps should end at these times.
    """

    suffix: ClassVar[str] = "brake"

    joint: str
    torque: float
    active: float = field(default=1.0, kw_only=True)
    engaged: Intervals = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._number("torque", positive=True)
        replace_arrays(self, active=float(frozen_array(self.active, (), where=self.label, what="active")))
        if self.active not in (0.0, 1.0):
            raise ModelError.single(
                self.label, "active", expected="1 (on) or 0 (off)", given=repr(self.active)
            )
        if self.engaged is not None:
            count = len(np.atleast_1d(np.asarray(self.engaged, dtype=object)))
            times = frozen_array(self.engaged, (count, 2), where=self.label, what="engaged")
            if not np.all(np.diff(times.ravel()) > 0):
                expected = "[[from, to], …] in the order of time (s)"
                raise ModelError.single(self.label, "engaged", expected=expected, given=str(times.tolist()))
            replace_arrays(self, engaged=times)

    @property
    def label(self) -> str:
        return self.name or f"{self.joint}_{self.suffix}"

    def check(self, tree: Tree) -> None:
        """The joint must have one DoF."""
        one_dof(tree, self.joint, self.label)

    def _rows(self, tree: Tree) -> np.ndarray:
        return np.eye(tree.nv)[one_dof(tree, self.joint, self.label)]

    def _largest(self) -> Any:
        return self.torque

    def _engaged(self, t: Any) -> Any:
        on = super()._engaged(t) * self.active
        if self.engaged is None:
            return on
        inside = [
            where(less_equal(a, t), 1.0, 0.0) - where(less_equal(b, t), 1.0, 0.0) for a, b in self.engaged
        ]
        return on * sum(inside[1:], inside[0])


@dataclass(frozen=True, eq=False, repr=False)
class Clutch(Brake):
    """A clutch between two joints of one DoF: it rubs with `torque` along the slip u_joint − ratio · u_onto.

    onto: the other joint, which feels ratio times the opposite force.  All else as of a `Brake`.
    """

    suffix: ClassVar[str] = "clutch"
    places: ClassVar[tuple[str, ...]] = ("joint", "onto")

    onto: str
    ratio: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        ratio = float(frozen_array(self.ratio, (), where=self.label, what="ratio"))
        if ratio == 0:
            raise ModelError.single(self.label, "ratio", expected="≠ 0", given="0")
        replace_arrays(self, ratio=ratio)

    def check(self, tree: Tree) -> None:
        """Both joints must have one DoF, and be different."""
        if one_dof(tree, self.joint, self.label) == one_dof(tree, self.onto, self.label):
            raise ModelError.single(self.label, "onto", expected="another joint", given=repr(self.onto))

    def _rows(self, tree: Tree) -> np.ndarray:
        rows = np.eye(tree.nv)
        own, other = (one_dof(tree, name, self.label) for name in (self.joint, self.onto))
        return rows[own] - self.ratio * rows[other]


def one_dof(tree: Tree, joint: str, label: str) -> int:
    """The velocity index of a joint of one DoF, or of one DoF of a joint."""
    dofs = tree.dofs(joint)
    if len(dofs) != 1:
        expected = "a joint of one DoF, or one DoF of a joint"
        raise ModelError.single(label, "joint", expected=expected, given=f"{joint!r}, which has {len(dofs)}")
    return int(dofs[0])
