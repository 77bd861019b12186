"""The controls of live mode, and the thread that steps the system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...model import ModelError
from ..letters import markdown
from .actor import Actor
from .live_dynamics import Hand, LiveState, Pull, Stepper, dry_stepper, plant_stepper
from .shown_instant import Snapshot
from .steady_calls import SteadyCalls

_EARTH = (0.0, 0.0, -9.81)
_SPACE = (0.0, 0.0, 0.0)
_LONGEST = 0.1  # s: a page that was asleep does not make up for it


class LivePanel:
    """Start and stop, gravity, stiffness of the servos; bodies can be dragged with the mouse while it runs."""

    def __init__(
        self,
        server: Any,
        actor: Actor,
        plant: Any,
        stepper: Stepper | None,
        read: Callable[[], tuple[Snapshot, np.ndarray]],
        moved: Callable[[Snapshot], None],
        changed: Callable[[], None],
    ):
        """read: gives the snapshot shown and the target (nq,). moved: takes each new snapshot.

        changed: called when it starts, stops, or takes or leaves hold of the vehicle.
        """
        self._actor, self._plant = actor, plant
        self._stepper = plant_stepper(plant) if stepper is None and plant is not None else stepper
        self._read, self._moved, self._changed = read, moved, changed
        self._pull: Pull | None = None
        self._calls = SteadyCalls(self._tick)
        gui = server.gui
        gui.add_markdown("The joints follow their sliders; drag a body with the mouse to pull it.")
        self._button = gui.add_button("start")
        self._gravity = gui.add_checkbox("gravity", False, visible=plant is None and stepper is None)
        self._bandwidth = gui.add_slider("servo [rad/s]", 0.5, 15.0, 0.5, 6.0)
        self._hold = gui.add_checkbox("hold the vehicle", False)
        self._hold.on_update(lambda _: self._changed())
        self._message = gui.add_markdown("")
        self._button.on_click(lambda _: (self.stop if self.running else self.start)())

    @property
    def running(self) -> bool:
        """Whether the system moves by itself."""
        return self._calls.running

    @property
    def holds_vehicle(self) -> bool:
        """Whether the vehicle is driven to its target too."""
        return self._hold.value

    def start(self) -> None:
        """Let the system move, from what is shown."""
        snapshot, _ = self._read()
        self._state = LiveState(snapshot.t, snapshot.q.copy(), snapshot.v.copy())
        self._owed = 0.0
        self._grab(True)
        self._button.label, self._message.content = "stop", "Preparing the equations of motion …"
        self._calls.start()
        self._changed()

    def stop(self) -> None:
        """Hold still."""
        if not self.running:
            return
        self._calls.stop()
        self._grab(False)
        self._button.label = "start"
        self._changed()

    def pull(self, pull: Pull | None) -> None:
        """Pull on a body, or let go."""
        self._pull = pull

    def _tick(self, elapsed: float) -> None:
        snapshot, target = self._read()
        gravity = self._uniform_gravity()
        stepper = self._stepper or dry_stepper(snapshot.system, gravity)
        hand = Hand(snapshot.system, gravity, self._bandwidth.value, self._hold.value)
        self._owed = min(self._owed + elapsed, _LONGEST)
        state = self._state
        while self._owed >= stepper.step_size and np.isfinite(state.v).all():
            try:
                state = stepper.step(state, hand.forces(state, target, self._pull))
            except (
                ModelError
            ) as error:  # numbers that overflowed inside the step are refused by the next method
                if "given nan" not in str(error):
                    self.stop()
                    self._message.content = markdown(str(error))
                    return
                state = state._replace(v=np.full_like(state.v, np.nan))
            self._owed -= stepper.step_size
        if not np.isfinite(state.v).all():
            self.stop()
            self._message.content = f"The motion blew up at t = {state.t:.2f} s; a softer servo may help."
            return
        self._state, self._message.content = state, ""
        self._moved(Snapshot(snapshot.system, state.t, state.q, state.v))

    def _uniform_gravity(self) -> tuple[float, float, float]:
        if self._plant is not None:
            x, y, z = self._plant.gravity
            return (float(x), float(y), float(z))
        return _EARTH if self._gravity.value else _SPACE

    def _grab(self, on: bool) -> None:
        """Let bodies be dragged, or not."""
        for k, name in enumerate(self._actor.system.names):
            for mesh in self._actor.meshes[k]:
                if on:
                    mesh.on_drag("left")(self._dragged(name))
                else:
                    mesh.remove_drag_callback("all")
        self._pull = None

    def _dragged(self, body: str) -> Callable[[Any], Any]:
        async def on_drag(event: Any) -> None:
            if event.phase == "end":
                return self.pull(None)
            if event.phase == "start" or self._pull is None:
                g = self._actor.system.pose(self._state.q, body)
                grip = g[:3, :3].T @ (np.array(event.start_position) - g[:3, 3])
            else:
                grip = self._pull.grip
            self.pull(Pull(body, grip, np.array(event.end_position)))

        return on_drag
