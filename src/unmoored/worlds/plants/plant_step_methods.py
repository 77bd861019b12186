"""One step of a plant, and its derivatives, as methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import ModelError
from ...system.argument_kinds import NUMBER, Named
from ...system.method import method
from ...system.signature_types import Array, ArrayLike, Backend, Out
from . import plant_step, plant_step_derivatives
from .plant_data import INPUTS, PARAMETERS, STATES, PlantData
from .plant_step import Closed, Stepped, suitable_method


def _count(owner: Any, steps: Any) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
        raise ModelError.single(owner.name, "steps", expected="a whole number ≥ 1", given=repr(steps))
    return int(steps)


METHOD = Named(lambda owner, word: suitable_method(owner.name, owner, word))
STEPS = Named(_count)


@dataclass(frozen=True, eq=False)
class StepDerivatives:
    """Derivatives of the tangent (δq, δw, δx) after a step, n = nv + nw + nx.

    state: (..., n, n) by the tangent before it.  input: (..., n, nu) by u.  parameter: (..., n, np) by p.
    names, input_names, parameter_names: of the entries of the tangent, of u and of p.
    """

    state: Array
    input: Array
    parameter: Array
    names: tuple[str, ...]
    input_names: tuple[str, ...]
    parameter_names: tuple[str, ...]


class PlantStepMethods(PlantData):
    """The plant in steps of time."""

    @method(
        plant_step.on_closures,
        returns=Closed,
        sizes=("nq", "nv"),
        t=NUMBER,
        q="nq",
        v="nv",
        p=PARAMETERS,
    )
    def closed_state(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Closed:
        """(q, v) next to q (..., nq), v (..., nv) on the closures, of states that are nearly there: gaps φ become φ⁹.

        NaN where they are not. `assemble` finds states from farther away, and tells why it cannot.
        """
        ...

    @method(
        plant_step.step,
        returns=Stepped,
        sizes=("nq", "nv", "nx"),
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        u=INPUTS,
        step=NUMBER,
        p=PARAMETERS,
        method=METHOD,
        steps=STEPS,
    )
    def step(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None,
        step: ArrayLike,
        *,
        method: str = "rkmk4",
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        steps: int = 1,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Stepped:
        """(q, v, x) after a step of size `step` (...) [s] from time t (...), inputs u (..., nu) held (zero if None).

        method: "rkmk4", "euler", "heun", "dopri5" (fixed steps), "lie_midpoint", "variational". steps: so many of them.
        Of v only the independent part counts; the result's v is complete. NaN where an implicit method has not solved
        its equation.
        """
        ...

    @method(
        plant_step_derivatives.step_jacobian,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        u=INPUTS,
        step=NUMBER,
        p=PARAMETERS,
        method=METHOD,
        steps=STEPS,
    )
    def step_jacobian(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None,
        step: ArrayLike,
        *,
        method: str = "rkmk4",
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        steps: int = 1,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Derivatives (..., n, n + nu + np) of the tangent (δq, δw, δx) after a step by (δq, δw, δx, u, p).

        δq is along retract at both ends; n = nv + nw + nx. Arguments as for `step`.
        """
        ...

    def step_derivatives(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None,
        step: ArrayLike,
        *,
        method: str = "rkmk4",
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        steps: int = 1,
        backend: Backend | None = None,
    ) -> StepDerivatives:
        """Derivatives of `step`: `.state` (..., n, n), `.input` (..., n, nu), `.parameter` (..., n, np), and `.names`.

        Rows and the columns of `.state` are tangents (δq, δw, δx), named by `tangent_names`; n = nv + nw + nx.
        """
        J = self.step_jacobian(t, q, v, u, step, method=method, x=x, p=p, steps=steps, backend=backend)
        n = len(self.tangent_names)
        parts = J[..., :n], J[..., n : n + self.nu], J[..., n + self.nu :]
        return StepDerivatives(*parts, self.tangent_names, self.input_names, self.parameter_names)
