"""Sensors as a filter believes them, beside those of a run: their kind and times must be the same, or it is misled.

Numbers of noise and biases may differ: what a filter believes of them is not the truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..error_roots import warn
from ..model import ModelError, ModelWarning
from ..worlds.law import Law
from .sensor import Sensor
from .sensor_suite import Suite

#: words in which sensors may differ
_OWN = ("name", "grade")


def compare_with_belief(law: Any, suite: Suite, period: float) -> None:
    """Refuse a filter's sensor that is of another kind in the run; warn if its frame, rate, delay or such differ."""
    run = {sensor.name: sensor for sensor in suite.sensors}
    for belief in _sensors_in(law):
        true = run.get(belief.name)
        if true is None or true is belief:
            continue
        if type(true) is not type(belief):
            expected = f"a {type(belief).__name__}, as the filter believes"
            raise ModelError.single(
                f"sensor {belief.name}", "kind", expected=expected, given=type(true).__name__
            )
        for what, believed, is_so in _differences(belief, true, period):
            text = f"sensor {belief.name}: {what}: the filter believes {believed}, in the run it is {is_so}"
            warn(text, ModelWarning)


def _sensors_in(x: Any) -> Iterator[Sensor]:
    """The sensors in the fields of a law, of the laws in it, and so on."""
    if isinstance(x, Sensor):
        yield x
    elif isinstance(x, tuple | list):
        for one in x:
            yield from _sensors_in(one)
    elif isinstance(x, Law):
        yield from _sensors_in([value for name, value in vars(x).items() if name != "plant"])


def _differences(belief: Sensor, true: Sensor, period: float) -> Iterator[tuple[str, str, str]]:
    """(what, in the filter, in the run) of the times and of all words."""
    periods = [period if x.rate is None else 1.0 / x.rate for x in (belief, true)]
    if abs(periods[0] - periods[1]) > 1e-9 * period:
        yield "period", *(f"{x:.6g} s" for x in periods)  # type: ignore[misc]
    if abs(belief.delay - true.delay) > 1e-9 * period:  # type: ignore[operator]
        yield "delay", f"{belief.delay:g} s", f"{true.delay:g} s"
    for name, value in vars(belief).items():
        words = isinstance(value, str) or (
            isinstance(value, tuple | list) and value and all(isinstance(entry, str) for entry in value)
        )
        other = getattr(true, name, None)
        if words and name not in _OWN and value != other:
            yield name, repr(value), repr(other)
