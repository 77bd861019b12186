"""What events switch in a sample's own state: masks of elements and closures, failures of actuators, modes of laws.

Masks and failures are free parameters of the plant ("grasp.active", "grasp.offset", "thruster_3.fails_at"), of which
every sample carries its own values in its state vector; modes are numbers that laws see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics.free_numbers import Parameter
from ..dynamics.joint_crossing import crossings
from ..lie.arrays import join, vector
from ..model import ModelError
from ..model.errors import unknown_name
from ..trace import greater, where
from ..worlds.closures import Closure
from ..worlds.closures.closed_loops import offset_as_it_is
from ..worlds.loads import setting
from ..worlds.plants.closed_plant import jump, kept_rows
from .switches import Close, Fail, Mode, Open, Switch


@dataclass(frozen=True, eq=False)
class Switchboard:
    """The parameters of a plant that events switch, in their order in the state vector, then the modes."""

    plant: Any
    parameters: tuple[Parameter, ...] = ()
    modes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers of the state vector are switched."""
        return sum(len(x.nominal) for x in self.parameters) + len(self.modes)

    def initial(self, p: np.ndarray) -> np.ndarray:
        """Values (S, size) at the start, from parameters p (S, n); modes are zero."""
        own = [p[:, x.place] for x in self.parameters]
        return np.concatenate([*own, np.zeros((len(p), len(self.modes)))], axis=1)

    def put_in(self, params: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Parameters (..., n) of a run with the values s (..., size) in the place of those that are switched."""
        placed, first = {}, 0
        for x in self.parameters:
            for k in range(x.place.start, x.place.stop):
                placed[k] = s[..., first]
                first += 1
        return vector([placed.get(k, params[..., k]) for k in range(params.shape[-1])]) if placed else params

    def modes_in(self, s: np.ndarray) -> np.ndarray:
        """The modes (..., m) among the values s (..., size)."""
        return s[..., s.shape[-1] - len(self.modes) :]

    def named(self, s: np.ndarray) -> dict[str, np.ndarray]:
        """The values s (..., size) by name."""
        found, first = {}, 0
        for x in self.parameters:
            found[x.name] = s[..., first : first + len(x.nominal)].reshape((*s.shape[:-1], *x.value.shape))
            first += len(x.nominal)
        return found | {name: s[..., first + k] for k, name in enumerate(self.modes)}

    def thrown(
        self,
        switches: Sequence[Switch],
        t: Any,
        q: np.ndarray,
        w: np.ndarray,
        s: np.ndarray,
        params: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(w (..., nw), s (..., size)) after the switches at time t (...), with the impulse of closures that close."""
        values = self.named(s)
        for switch in switches:
            values |= self._changed(switch, t, q, values, self._own(params, s))
        s = join([np.asarray(values[x.name]).reshape((*s.shape[:-1], -1)) for x in self.parameters] + [
            np.asarray(values[name])[..., None] for name in self.modes
        ])  # fmt: skip
        closing = {closure.label for closure in self.plant.closures}
        if any(isinstance(switch, Close) and switch.name in closing for switch in switches):
            p = self._own(params, s)
            w = jump(self.plant, t, q, w, p, kept_rows(self.plant, t, q, p))[0]
        return w, s

    def _own(self, params: np.ndarray, s: np.ndarray) -> np.ndarray:
        return self.put_in(params, s)[..., : len(self.plant.nominal_parameters)]

    def _changed(
        self, switch: Switch, t: Any, q: np.ndarray, values: dict[str, np.ndarray], p: np.ndarray
    ) -> dict[str, Any]:
        """What a switch changes, by name."""
        like = 0.0 * q[..., 0]
        if isinstance(switch, Mode):
            return {switch.name: like + float(switch.value)}
        if isinstance(switch, Fail):
            at, name = values[f"{switch.name}.fails_at"], f"{switch.name}.fails_at"
            return {name: where(greater(at, t), t + like, at)}
        name = f"{switch.name}.active"
        if isinstance(switch, Open):
            return {name: like}
        changed: dict[str, Any] = {name: like + 1.0}
        for k, closure in enumerate(self.plant.closures):
            if closure.label == switch.name:
                now = setting(self.plant, p)
                placed = now.velocities.configuration(t, q)
                own = now.closures[k]
                assert isinstance(own, Closure)  # wheels are not switched
                new = offset_as_it_is(now.dry, own, crossings(now.tree, placed))
                on, old = greater(values[name], 0.5), values[f"{switch.name}.offset"]
                changed[f"{switch.name}.offset"] = vector(
                    [where(on, old[..., i], new[..., i]) for i in range(6)]
                )
        return changed


def switchboard(plant: Any, events: Sequence[Any]) -> Switchboard | None:
    """The switchboard of a run's events, and the plant with these numbers free; None if nothing is switched."""
    switches = [switch for event in events for switch in event.then]
    if not switches:
        return None
    names: dict[str, None] = {}
    modes: dict[str, None] = {}
    for switch in switches:
        if isinstance(switch, Mode):
            modes[switch.name] = None
        else:
            names |= dict.fromkeys(_parameters_of(plant, switch))
    free = [
        *(x.name for x in plant._declared),
        *(n for n in names if all(x.name != n for x in plant._declared)),
    ]
    made = plant.__dict__.setdefault("_switched", {})
    key = tuple(free)
    if key not in made:
        made[key] = plant if len(free) == len(plant._declared) else plant._with_free(free)
    own = {x.name: x for x in made[key]._declared}
    return Switchboard(made[key], tuple(own[name] for name in names), tuple(modes))


def _parameters_of(plant: Any, switch: Switch) -> list[str]:
    """Names of the plant's numbers that a switch changes."""
    if isinstance(switch, Fail):
        known = [actuator.label for actuator in plant.actuators or ()]
        if switch.name not in known:
            raise unknown_name("event", "actuator to fail", switch.name, known)
        return [f"{switch.name}.fails_at"]
    closures = [closure.label for closure in plant.closures if isinstance(closure, Closure)]
    brakes = [actuator.label for actuator in plant.actuators or () if hasattr(actuator, "active")]
    known = [*(element.label for element in plant.elements), *closures, *brakes]
    if switch.name not in known:
        raise unknown_name("event", "element, closure, brake or clutch to switch", switch.name, known)
    return [f"{switch.name}.active", *([f"{switch.name}.offset"] if switch.name in closures else [])]


def checked_switches(where: str, then: Any) -> tuple[Switch, ...]:
    """What an event does, as a tuple."""
    given = then if isinstance(then, list | tuple) else (then,)
    for switch in given:
        if type(switch) not in (Close, Open, Fail, Mode):
            expected = "a list of um.Close, um.Open, um.Fail, um.Mode"
            raise ModelError.single(where, "then", expected=expected, given=repr(switch))
    return tuple(given)
