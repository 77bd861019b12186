"""Following references by passivity, and adapting to numbers that are not known (docs/laws/computed-torque.md)."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, ClassVar

import numpy as np

from ..lie.arrays import apply, transpose
from ..model import ModelError
from ..model.errors import unknown_name
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..worlds.law import Seen
from ..worlds.plants import plant_regressor
from ..worlds.plants.reference_regressor import reference_regressor
from .law_parts import gain
from .tree_law import TreeLaw


class PassivityTracking(TreeLaw):
    """Follows references on the sliding variable s = ν_R − ν, ν_R = ν_r + rate·e (Slotine & Li 1987).

    τ = M ν̇_R + C(q, ν) ν_R + (rest) + K_D s, so that d/dt ½sᵀMs = −sᵀK_D s, and where s = 0, ė = −rate·e.
    rate: (1/s) one number, or one per joint.  damping: K_D, one number, or one per DoF in velocity order.
    Errors e = log(g⁻¹g_d) of each joint, below half a turn. No inertia is cancelled: it needs less exact numbers than
    `ComputedTorque`. The law gives forces (..., nv) along all DoFs, zero along prescribed ones.
    """

    damping: NumberOrSeries
    rate: NumberOrSeries = 1.0
    per_dof: ClassVar[tuple[str, ...]] = ("damping",)

    def __post_init__(self) -> None:
        super().__post_init__()
        rate = gain(type(self).__name__, "rate", self.rate, (len(self.links),))
        if np.any(rate <= 0):
            raise ModelError.single(type(self).__name__, "rate", expected="> 0 (1/s)", given=repr(self.rate))
        replace_arrays(self, rate=rate)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"rate": (len(self.links),)}

    def sliding(self, t: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(ν̇_R, s), each (..., nv)."""
        off = self.errors("log", t, q, v, np.ones(self.dofs))
        each = [self.rate[..., [i]] for i, link in enumerate(self.links) for _ in range(link.joint.nv)]
        k = self.along(np.concatenate(each, axis=-1))
        return off.acceleration + k * off.pull_rate, off.velocity + k * off.pull - v

    def __call__(self, *seen: Any) -> Any:
        t, q, v = seen
        a, s = self.sliding(t, q, v)
        return self.driven(self.forces_for(t, q, v, a, s) + self.along(self.damping) * s)


class AdaptiveTracking(PassivityTracking):
    """`PassivityTracking` that adapts numbers of the plant: τ = Y ϑ̂ + K_D s, ϑ̂' = Γ Yᵀ s (Slotine & Li 1987).

    adapted: names, or patterns such as "tool.*", of numbers as in `plant.regressor(...).names`: inertial parameters,
    added mass, displaced volume, drag, damping, friction, armature. The others are those of the plant.
    adaptation: Γ, one number, or one per adapted number in the regressor's order; such as its square over the energy
    that a wrong value may cost.
    Then d/dt(½sᵀMs + ½|ϑ̂ − ϑ|²_{Γ⁻¹}) = −sᵀK_D s, in continuous time: errors vanish, the numbers need not become the
    true ones. It needs `control_step`; `run.memory["parameters"]` are ϑ̂.
    """

    adapted: Annotated[Any, list[str]] = ()
    adaptation: NumberOrSeries = 1.0
    static: ClassVar[tuple[str, ...]] = ("adapted",)

    def __post_init__(self) -> None:
        super().__post_init__()
        names = plant_regressor.parameter_names(self.plant)
        given = (self.adapted,) if isinstance(self.adapted, str) else self.adapted
        if not isinstance(given, Sequence) or not given:
            raise ModelError.single("AdaptiveTracking", "adapted", expected="names", given=repr(self.adapted))
        for pattern in given:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise unknown_name("AdaptiveTracking", "adapted number", pattern, names)
        chosen = tuple(name for name in names if any(fnmatchcase(name, pattern) for pattern in given))
        Γ = gain("AdaptiveTracking", "adaptation", self.adaptation, (len(chosen),))
        if np.any(Γ < 0):
            raise ModelError.single(
                "AdaptiveTracking", "adaptation", expected="≥ 0", given=repr(self.adaptation)
            )
        replace_arrays(self, adapted=chosen, adaptation=Γ)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"adaptation": (len(self.adapted),)}

    @property
    def _columns(self) -> list[int]:
        names = plant_regressor.parameter_names(self.plant)
        return [names.index(name) for name in self.adapted]

    @property
    def known(self) -> np.ndarray:
        """The adapted numbers (n,) of the plant as it was built: where adaptation starts."""
        return plant_regressor.parameters(self.plant)[self._columns]

    @property
    def memory(self) -> dict[str, Any]:
        """parameters: ϑ̂."""
        return {"parameters": self.known}

    def regressor(self, t: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Y (..., nv, n): forces of ν̇_R = a and ν_R = v + s per unit of each adapted number."""
        return reference_regressor(self.plant, t, q, v, s, a, self.plant.nominal_parameters)[
            ..., self._columns
        ]

    def __call__(self, *seen: Any) -> Any:
        now, memory = seen
        assert isinstance(now, Seen)
        t, q, v = now.t, now.q, now.v
        a, s = self.sliding(t, q, v)
        Y, ϑ = self.regressor(t, q, v, a, s), memory["parameters"]
        forces = self.forces_for(t, q, v, a, s) + apply(Y, ϑ - self.known) + self.along(self.damping) * s
        new = ϑ + now.period * self.adaptation * apply(transpose(Y), self.driven(s))
        return self.driven(forces), {"parameters": new}
