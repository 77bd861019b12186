"""Functions of the user's in a time step: which there are, and whether what they depend on is as it was."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from ..model import ModelError
from ..model.identity_of_code import Identity, identity
from ..trace import fingerprint, trace
from .law_tracing import name_of
from .time_step import TimeStep


def users_functions(time_step: TimeStep) -> dict[str, Any]:
    """What may hold functions of the user's, by names for messages."""
    e, law = time_step, time_step.controller
    named: dict[str, Any] = {f"event {event.name}": event.function for event in e.events}
    if law is not None and law.place == "kernel":
        named[f"controller {name_of(law.law)}"] = law.fingerprinted
    if e.suite is not None:
        named["sensors"] = (e.suite.all, e.suite.timings)
    return {f"plant {e.plant.system.name}": e.plant, **named}


def check_unchanged(time_step: TimeStep, of: Mapping[str, Identity], where: str) -> None:
    """Refuse to go on if functions depend on other data by now; of: what they depended on, by their names."""
    now = users_functions(time_step)
    for what, known in of.items():
        seen = fingerprint(now[what])
        if not seen.unseen and seen.digest.hex() != known.digest:
            expected = (
                "what it was when its kernels were made; a new object for other data, or gains of an um.Law"
            )
            raise ModelError.single(where, what, expected=expected, given="code or data that have changed")


def identity_of_plant(time_step: TimeStep) -> Identity:
    """What tells the plant of a time step apart from others, the user's functions in it included."""
    if time_step.form is not None:
        return Identity(time_step.form, own=True)
    plant = time_step.plant
    # as a method among symbols: traced twice, refused if the two differ, or if the plant is not as it was built
    trace(plant.forward_dynamics, (), (plant.nq,), (plant.nv,), name="verified")
    # a plant that cannot be seen into is never the same as another: its kernels are found by their graphs
    return identity(f"the plant of {plant.system.name}", plant, lambda: uuid.uuid4().hex)
