"""The functions of a run that stay functions of their own inside kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.free_numbers import with_parameters
from ..lie.arrays import join
from ..sensing.instant import Instant
from ..sensing.sensor_suite import Suite
from ..trace import Part
from ..worlds.energy_balance import energy, power
from ..worlds.plants.closed_plant import closed_state
from ..worlds.plants.floating_plant import floating_rates, recovered
from ..worlds.plants.plant_equations import first_rates, right_hand_side
from .controller import by_sample
from .events import Event

if TYPE_CHECKING:
    from .time_step import TimeStep

#: work of all that acts and energy added by switches, behind the states of the actuators (J)
WORK = 2
#: name of the part that is the controller
CONTROLLER = "controller"


class Parts:
    """The functions of a run that stay functions of their own inside kernels."""

    def __init__(self, time_step: TimeStep):
        plant, controller = time_step.plant, time_step.controller
        self.seen = Part(partial(_seen, plant), "seen")
        self.rates = Part(partial(_rates, plant), "rates")
        self.motion = Part(partial(_motion, plant), "motion")
        if time_step.equations == "reduced":
            self.seen = Part(partial(_floating, plant), "seen")
            self.rates = Part(partial(_floating_rates, plant), "rates")
            self.motion = Part(partial(_floating_motion, plant), "motion")
        self.first_rates = Part(partial(_first_rates, plant), "first_rates")
        if time_step.balance:
            full = _given_velocity if time_step.equations == "reduced" else partial(_velocity, plant)
            rates, motion = self.rates.function, self.motion.function
            self.rates = Part(partial(_balanced_rates, plant, rates, full), "rates")
            self.motion = Part(partial(_balanced_motion, plant, motion), "motion")
            self.first_rates = Part(partial(_balanced_first_rates, plant), "first_rates")
            self.energy = Part(partial(_total_energy, plant), "energy")
        self.put_back = Part(partial(_put_back, plant), "put_back")
        if time_step.suite is not None:
            self.sensing = Part(partial(_sense, time_step.suite, plant), "sensing")
        self.events = []
        for i, event in enumerate(time_step.events):
            g = event.function if event.of_tree is None else partial(_event_of_tree, plant, event)
            self.events.append(Part(g, f"event_{i}", exact_zeros=True, on_numbers=partial(by_sample, g, ())))
        if controller is not None:
            traced = controller.place == "kernel"
            law = controller if traced else _placeholder(plant.nu + controller.remembers)
            own = controller.identity is not None and controller.identity.own
            self.law = Part(
                law, CONTROLLER, as_written=traced, exact_zeros=not own, on_numbers=controller.by_sample
            )


def _sense(
    suite: Suite, plant: Any, t: Any, q: Any, w: Any, v: Any, x: Any, u: Any, y: Any, z: Any, *rest: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(signals, what is kept) of the sensors; rest: normals, the sensors' numbers, the plant's parameters."""
    normals, gains, p = rest
    return suite.advance(Instant(plant, t, q, w, v, x, u, p), y, z, normals, gains)


def _seen(plant: Any, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    velocities = plant._velocities(p)
    q = velocities.configuration(t, q)
    return q, velocities.full(t, q, w)


def _floating(
    plant: Any, t: Any, q: np.ndarray, y: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) where momentum is carried in the place of the vehicle's velocity."""
    return q, recovered(plant, q, y, p)


def _floating_rates(
    plant: Any, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return floating_rates(plant, t, q, v, x, u if u.shape[-1] else np.zeros(plant.nu), p)


def _floating_motion(
    plant: Any, t: Any, q: np.ndarray, y: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    v = recovered(plant, q, y, p)
    return v, *_floating_rates(plant, t, q, v, x, u, p)


def _balanced_rates(
    plant: Any,
    own: Callable[..., Any],
    full: Callable[..., Any],
    t: Any,
    q: np.ndarray,
    w: np.ndarray,
    *rest: Any,
) -> tuple[np.ndarray, np.ndarray]:
    """`rates` with the power behind the states' rates."""
    w_dot, x_dot = own(t, q, w, *rest)
    return w_dot, _with_power(plant, x_dot, t, q, full(t, q, w, rest[-1]), *rest)


def _balanced_motion(
    plant: Any, own: Callable[..., Any], t: Any, q: np.ndarray, w: np.ndarray, *rest: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`motion` with the power behind the states' rates."""
    v, w_dot, x_dot = own(t, q, w, *rest)
    return v, w_dot, _with_power(plant, x_dot, t, q, v, *rest)


def _balanced_first_rates(
    plant: Any, t: Any, q: np.ndarray, w: np.ndarray, *rest: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`first_rates` with the power behind the states' rates."""
    w_dot, x_dot, kept = _first_rates(plant, t, q, w, *rest)
    return w_dot, _with_power(plant, x_dot, t, q, _velocity(plant, t, q, w, rest[-1]), *rest), kept


def _with_power(
    plant: Any,
    x_dot: np.ndarray,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    *rest: Any,
) -> np.ndarray:
    """ẋ (..., nx) with the power of all that acts (W) behind it, and 0 for what only switches change."""
    u = u if u.shape[-1] else np.zeros(plant.nu)
    watts = np.asarray(power(plant, t, q, v, x, u, rest[-1]).total)[..., None]
    return join([x_dot, watts, 0.0 * watts]) if plant.nx else join([watts, 0.0 * watts])


def _velocity(plant: Any, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
    return _seen(plant, t, q, w, p)[1]


def _given_velocity(t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    return v


def _total_energy(plant: Any, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, p: np.ndarray) -> Any:
    return energy(plant, t, q, v, x, p).total


def _event_of_tree(plant: Any, event: Event, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> Any:
    """The event's value with the sample's own numbers of bodies and frames."""
    assert event.of_tree is not None
    return event.of_tree(with_parameters(plant.system.tree, plant._declared, p))(t, q, v)


def _rates(
    plant: Any, t: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, *rest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The plant's right-hand side; inputs (..., 0) of a run without controller are zeros that fold away.

    rest: the rows of closures that are kept, if there are closures, and the parameters.
    """
    *kept, p = rest
    return right_hand_side(plant, t, q, w, x, u if u.shape[-1] else np.zeros(plant.nu), p, *kept)


def _motion(
    plant: Any, t: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, *rest: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The full velocity, which prescribed motions are part of, and the right-hand side, in one function."""
    return _seen(plant, t, q, w, rest[-1])[1], *_rates(plant, t, q, w, x, u, *rest)


def _first_rates(
    plant: Any, t: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The right-hand side at the start of a step, and the rows of closures that are kept."""
    return first_rates(plant, t, q, w, x, u if u.shape[-1] else np.zeros(plant.nu), p)


def _put_back(
    plant: Any, t: Any, q: np.ndarray, w: np.ndarray, kept: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, w) on the closures, and the gap that is left."""
    return tuple(closed_state(plant, t, q, w, p, kept))  # type: ignore[return-value]


def _placeholder(count: int) -> Callable[..., np.ndarray]:
    """Stands for a law that cannot be traced, where the graph is cut: it uses all that the law gets."""

    def stand_in(t: Any, *vectors: np.ndarray) -> np.ndarray:
        return (t + sum(x.sum() for x in vectors)) * np.arange(1.0, count + 1.0)

    return stand_in
