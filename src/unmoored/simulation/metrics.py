"""What a run comes to: errors of channels, work of actuators, losses of tasks, each in a few numbers (docs/jobs.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..model import ModelError
from ..model.errors import unknown_name
from ..model.short_text import short_repr
from .measured import duties, losses, measured

if TYPE_CHECKING:
    from .run import Run

#: part of the largest error within which a channel has settled, unless a band is given
SETTLED = 0.02
#: share of the largest command above which an actuator counts as saturated
_SATURATED = 0.999


class ChannelMetrics(NamedTuple):
    """Errors e of a channel over a window, ([S]) each, in the channel's unit.

    rms: √(∫e² dt / T).  peak: largest |e|.  last: e at the end.
    settling_time: from the start of the window until |e| stays within the band (s), infinite if it never does.
    overshoot: how far e goes beyond zero, away from where it began; NaN where it began at zero.
    """

    rms: Any
    peak: Any
    last: Any
    settling_time: Any
    overshoot: Any


class ActuatorMetrics(NamedTuple):
    """Commands u of an actuator over a window, ([S]) each.

    duty: mean share of its largest command, that of its sign; NaN without limits.  saturated: share of the time at the
    largest.  rms, peak: of u, in its unit.  impulse: ∫|u| dt, in its unit times s.
    """

    duty: Any
    saturated: Any
    rms: Any
    peak: Any
    impulse: Any


class LevelMetrics(NamedTuple):
    """What a level of `TaskPriority` was missing, |b − J x|, over a window, ([S]) each."""

    rms: Any
    peak: Any
    last: Any


class GoalMetrics(NamedTuple):
    """How far a goal of the law was missed while it was in force, ([S]) each: sizes of its errors of one unit.

    rms, peak, last: in that unit.  settling_time: until it stays within the band (s): 2 % of the peak, unless told.
    """

    rms: Any
    peak: Any
    last: Any
    settling_time: Any


@dataclass(frozen=True)
class Metrics:
    """Numbers of a run by name; `metrics["tool.x"].rms`, `metrics["thruster_1"].duty`, `metrics["level_0"].peak`."""

    __repr__ = short_repr

    channels: Mapping[str, ChannelMetrics]
    actuators: Mapping[str, ActuatorMetrics]
    levels: Mapping[str, LevelMetrics]
    _of_goals: Callable[[], dict[str, GoalMetrics]] = field(repr=False, compare=False)

    @cached_property
    def goals(self) -> dict[str, GoalMetrics]:
        """Of every goal that the law tells (`run.goals`), by its name and unit: "tool (m)", "tool (rad)"."""
        return self._of_goals()

    def __getitem__(self, name: str) -> Any:
        every = {**self.levels, **self.actuators, **self.channels}
        if name not in every:
            every = {**self.goals, **every}
        if name not in every:
            raise unknown_name("metrics", "channel, actuator, level or goal", name, every)
        return every[name]


def metrics(
    run: Run,
    channels: Iterable[str] | None = None,
    *,
    targets: Mapping[str, Any] | None = None,
    band: float | Mapping[str, float] | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Metrics:
    """The numbers of `Run.metrics`."""
    outputs = (run.scenario or {}).get("outputs") or {}
    own = asked_channels(run.system, outputs.get("channels", ()), outputs.get("frames", ()))
    names = own if channels is None else _names(channels)
    targets = dict(targets or {})
    for name in targets:
        if name not in names:
            raise unknown_name("metrics", "channel with a target", name, names)
    found = {}
    for name in names:
        e = Windowed(run, measured(run, name, targets.get(name)), start, end)
        if name not in targets:
            e = e.less_last()
        within = band.get(name) if isinstance(band, Mapping) else band
        words = ("rms", "peak", "last", "settling_time", "overshoot")
        found[name] = ChannelMetrics(*(e.statistic(word, within) for word in words))
    actuators, levels = _actuators(run, start, end), _levels(run, start, end)
    return Metrics(found, actuators, levels, lambda: _goals(run, start, end, band))


def asked_channels(system: Any, channels: Iterable[str], frames: Iterable[str]) -> tuple[str, ...]:
    """Channels and the places of frames; if there are none, joints with one DoF and the places of all vehicles."""
    asked = [*channels, *(f"{frame}.{axis}" for frame in frames for axis in "xyz")]
    if not asked:
        asked = [link.name for link in system.tree.links if link.joint.nv == 1]
        asked += [f"{name}.{axis}" for name in system.vehicles for axis in "xyz"]
    return tuple(dict.fromkeys(asked))


class Windowed:
    """Values of each sample at its own rows, within a window; none of a run that ended before it."""

    def __init__(self, run: Run, values: np.ndarray, start: float | None, end: float | None):
        first, last = (run.t[0] if start is None else start), (run.t[-1] if end is None else end)
        slack = 1e-9 * max(1.0, abs(float(run.t[-1])))
        kept = (run.t >= first - slack) & (run.t <= last + slack)
        if not kept.any() and run.completed:
            expected = f"rows between start and end, within {run.t[0]:g} … {run.t[-1]:g} s"
            raise ModelError.single("metrics", "window", expected=expected, given=f"{first!r} … {last!r}")
        rows = values if run.batched else values[None]
        counts = run.lengths if run.batched else [len(run.t)]
        self._batched = run.batched
        self.parts: list[tuple[np.ndarray, np.ndarray]] = []
        for row, count in zip(rows, counts, strict=True):
            own = kept & (np.arange(len(run.t)) < count)
            self.parts.append((run.t[own], row[own]))

    def less_last(self) -> Windowed:
        """The same as errors from each sample's last value."""
        new = object.__new__(Windowed)
        new._batched = self._batched
        new.parts = [(t, x - x[-1:]) for t, x in self.parts]
        return new

    def in_force(self) -> Windowed:
        """The same without rows that have no number."""
        new = object.__new__(Windowed)
        new._batched = self._batched
        new.parts = [(t[np.isfinite(x)], x[np.isfinite(x)]) for t, x in self.parts]
        return new

    def statistic(self, name: str, band: float | None = None) -> Any:
        """One of `STATISTICS` ([S]); NaN for a sample that has no row in the window."""
        function = STATISTICS[name]
        found = np.array([function(t, x, band) if len(t) else np.nan for t, x in self.parts], dtype=float)
        return found if self._batched else float(found[0])


def _rms(t: np.ndarray, e: np.ndarray, band: Any) -> float:
    return float(np.sqrt(_mean(t, e * e, band)))


def _mean(t: np.ndarray, e: np.ndarray, band: Any) -> float:
    return float(np.trapezoid(e, t) / (t[-1] - t[0])) if len(t) > 1 else float(e[0])


def _settling_time(t: np.ndarray, e: np.ndarray, band: float | None) -> float:
    """When |e| goes into the band for the last time, between rows on a straight line, after the first row (s)."""
    size = np.abs(e)
    within = SETTLED * size.max() if band is None else float(band)
    outside = np.flatnonzero(~(size <= within))
    if not len(outside):
        return 0.0
    k = int(outside[-1])
    if k + 1 == len(t):
        return float("inf")
    part = (size[k] - within) / (size[k] - size[k + 1])
    return float(t[k] + part * (t[k + 1] - t[k]) - t[0])


def _overshoot(t: np.ndarray, e: np.ndarray, band: Any) -> float:
    return float(max(0.0, (-np.sign(e[0]) * e).max())) if e[0] != 0 else float("nan")


#: numbers of errors e (T,) at times t (T,), by name; band: within which e has settled
STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray, float | None], float]] = {
    "rms": _rms,
    "peak": lambda t, e, band: float(np.abs(e).max()),
    "mean": _mean,
    "last": lambda t, e, band: float(e[-1]),
    "highest": lambda t, e, band: float(e.max()),
    "lowest": lambda t, e, band: float(e.min()),
    "range": lambda t, e, band: float(e.max() - e.min()),
    "settling_time": _settling_time,
    "overshoot": _overshoot,
}


def _actuators(run: Run, start: float | None, end: float | None) -> dict[str, ActuatorMetrics]:
    if run.u is None:
        return {}
    shares, found = duties(run), {}
    for k, name in enumerate(run.input_names):
        share, u = (Windowed(run, x[..., k], start, end) for x in (shares, run.u))
        full = Windowed(
            run, np.where(np.isnan(shares[..., k]), np.nan, shares[..., k] > _SATURATED), start, end
        )
        size = Windowed(run, np.abs(run.u[..., k]), start, end)
        found[name] = ActuatorMetrics(
            duty=_held(share),
            saturated=_held(full),
            rms=u.statistic("rms"),
            peak=u.statistic("peak"),
            impulse=_held(size, total=True),
        )
    return found


def _held(values: Windowed, total: bool = False) -> Any:
    """Mean (or integral) of what is held from row to row ([S])."""
    found = []
    for t, x in values.parts:
        if len(t) < 2:
            found.append(np.nan if not len(t) else (0.0 if total else float(x[0])))
            continue
        area = float((x[:-1] * np.diff(t)).sum())
        found.append(area if total else area / (t[-1] - t[0]))
    return np.array(found) if values._batched else float(found[0])


def _levels(run: Run, start: float | None, end: float | None) -> dict[str, LevelMetrics]:
    lost = losses(run)
    found = {}
    for k in range(lost.shape[-1]):
        own = Windowed(run, lost[..., k], start, end)
        found[f"level_{k}"] = LevelMetrics(*(own.statistic(word) for word in ("rms", "peak", "last")))
    return found


def _goals(run: Run, start: float | None, end: float | None, band: Any) -> dict[str, GoalMetrics]:
    """Of each sample by itself: laws may have gains of their own, and goals come and go."""
    parts = [_goals_of_one(run.sample(i), start, end, band) for i in range(run.samples)]
    if not run.batched:
        return parts[0]
    return {
        name: GoalMetrics(*map(np.array, zip(*(p[name] for p in parts), strict=True))) for name in parts[0]
    }


def _goals_of_one(run: Run, start: float | None, end: float | None, band: Any) -> dict[str, GoalMetrics]:
    found = {}
    for name, goal in run.goals.items():
        for unit in dict.fromkeys(goal.units):
            rows = [k for k, own in enumerate(goal.units) if own == unit]
            size = np.linalg.norm(goal.error[:, rows], axis=-1)
            label = f"{name} ({unit})"
            own = Windowed(run, size, start, end).in_force()
            within = band.get(label) if isinstance(band, Mapping) else band
            words = ("rms", "peak", "last", "settling_time")
            found[label] = GoalMetrics(*(own.statistic(word, within) for word in words))
    return found


def _names(channels: Any) -> tuple[str, ...]:
    if isinstance(channels, str) or not isinstance(channels, Iterable):
        raise ModelError.single("metrics", "channels", expected="a list of names", given=repr(channels))
    return tuple(channels)
