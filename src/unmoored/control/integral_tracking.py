"""Following references under a load that is not known, learnt by integral action (docs/laws/tracking.md)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from ..lie import se3
from ..lie.arrays import apply, blocks, transpose
from ..model import Link, ModelError
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..worlds.law import Seen
from .law_parts import gain
from .tracking import Tracking

LOADS = ("world", "body")


class IntegralTracking(Tracking):
    """`Tracking` that learns a constant load: + Y ϱ with ϱ̇ = Γ Yᵀs, s = ν_r + rate·η − ν.

    rate: how fast errors shrink along s = 0 (1/s).
    integral: Γ, gain of the integral action: one number, or one per unknown: first those of vehicles, then the others.
    load: "world": force and moment on each vehicle are constant in world axes (a current, a tether), on other joints
    along their DoFs; "body": on vehicles, too, along the DoFs.
    unwinding: how fast (1/s) ϱ gives way to the difference between the forces that were delivered and those that were
    asked for: what actuators cut off, delay or lack is not learnt as a load. Inside `Allocated` the delivered forces
    are those of the actuators' states and inputs; else all that is asked for counts as delivered.

    With E = ½sᵀMs + potential + ½|ϱ − ϱ*|²_{Γ⁻¹}: Ė = −sᵀK_D s − rate·fᵀη, in continuous time. It needs `control_step`.
    """

    rate: float = 1.0
    integral: NumberOrSeries = 1.0
    load: Literal["world", "body"] = "world"
    unwinding: float = 1.0
    static: ClassVar[tuple[str, ...]] = ("potential", "load")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.load not in LOADS:
            expected = " or ".join(map(repr, LOADS))
            raise ModelError.single("IntegralTracking", "load", expected=expected, given=repr(self.load))
        replace_arrays(self, integral=gain("IntegralTracking", "integral", self.integral, (self.unknowns,)))

    @property
    def unknowns(self) -> int:
        """Number of entries of ϱ."""
        return sum(6 if self._in_world(link) else link.joint.nv for link in self.links)

    def _in_world(self, link: Link) -> bool:
        return self.load == "world" and link.parent < 0

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"integral": (self.unknowns,)}

    @property
    def memory(self) -> dict[str, Any]:
        """load: ϱ.  asked: the forces of the period before."""
        return {"load": self.unknowns, "asked": self.plant.nv}

    @property
    def wants_delivered(self) -> bool:
        """The law compares what it asked for with what came of it."""
        return True

    def regressor(self, q: np.ndarray) -> np.ndarray:
        """Y (..., nv, n): forces along the DoFs per unit of each unknown."""
        n, columns = self.plant.nv, []
        order = sorted(self.links, key=lambda link: (not self._in_world(link), link.index))
        for link in order:
            picked = np.eye(n)[:, link.v]
            if not self._in_world(link):
                columns.append(picked)
                continue
            R = se3.rotation(link.placement @ link.joint.transform(q[..., link.q]))
            turn = blocks([[transpose(R), np.zeros((3, 3))], [np.zeros((3, 3)), transpose(R)]])
            columns.append(picked @ (transpose(link.joint.basis(q[..., link.q])) @ turn))
        return blocks([columns])

    def __call__(self, seen: Seen, memory: Any) -> Any:
        t, q, v = seen.t, seen.q, seen.v
        off, Y = self.errors(self.potential, t, q, v, self.stiffness), self.regressor(q)
        s = off.velocity + self.rate * off.pull - v
        a = off.acceleration + self.rate * off.pull_rate
        ϱ = memory["load"]
        forces = self.forces_for(t, q, v, a, s) + self.along(self.damping) * s + off.force
        asked = self.driven(forces + apply(Y, ϱ))
        missing = np.zeros(self.plant.nv) if seen.delivered is None else seen.delivered - memory["asked"]
        ϱ_dot = self.integral * apply(transpose(Y), s) + self.unwinding * apply(transpose(Y), missing)
        return asked, {"load": ϱ + seen.period * ϱ_dot, "asked": asked}
