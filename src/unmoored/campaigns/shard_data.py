"""What is kept of the samples of a shard, from their run: arrays by name, causes, and the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..error_roots import UnmooredError
from ..kernels import cuda
from ..kernels.cuda import device
from ..simulation import Run
from ..simulation.status import COMPLETED, Status
from .plan import Plan
from .summaries import Summary, with_extremes

#: what becomes of a sample whose numbers went wrong
WRONG = ("blew_up", "not_converged")


@dataclass(frozen=True, eq=False)
class ShardData:
    """A shard: number, the numbers of its samples (S,), arrays by name with their dimensions, causes, summary.

    causes: what became of samples, without times; the array "cause" (S,) is an index into them.
    """

    number: int
    samples: np.ndarray
    arrays: dict[str, tuple[tuple[str, ...], np.ndarray]]
    causes: tuple[Status, ...]
    summary: Summary
    event_names: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many samples ended in each way."""
        found = Counter(self.arrays["cause"][1].tolist())
        return {self.causes[i].title: found[i] for i in sorted(found)}


class Interrupted(UnmooredError):
    """Ctrl-C was noticed while samples ran: none of them counts."""


def computed(plan: Plan, shards: list[tuple[int, np.ndarray]], backend: str) -> Iterator[ShardData]:
    """The data of shards (number, samples (S,)), which run as one batch; their samples have the bits of alone."""
    numbers = np.concatenate([samples for _, samples in shards])
    values = plan.variables.values(numbers)
    on_device = backend == "cuda" and not plan.options.get("events")
    options = {"keep": "device"} if on_device else {}
    run = plan.run(numbers, values, backend, record_every=plan.record_every, **options)
    if any(status.kind == "interrupted" for status in run.status):
        raise Interrupted
    x, last = _channel_values(plan, run, backend)
    flat, first = plan.variables.flat(values, len(numbers)), 0
    for number, samples in shards:
        part = slice(first, first + len(samples))
        first = part.stop
        yield _shard(plan, number, samples, run, part, flat[part], x[part], last[part], backend)


def _channel_values(plan: Plan, run: Run, backend: str) -> tuple[Any, Any]:
    """(values (S, T, C) at the kept times, NaN beyond a sample's end; values (S, C) at the end)."""
    kernel, end = plan.channel_kernel(backend), run.end
    x = kernel(run.t, run.q, run.v, run.u, run.memory, run.parameters)
    T, xp = len(plan.times), _module(x)
    if x.shape[1] < T:  # all samples ended early
        x = xp.concatenate([x, xp.full((len(x), T - x.shape[1], x.shape[2]), np.nan, x.dtype)], axis=1)
    t, q, v, u = (None if a is None else a[:, None] for a in (end["t"], end["q"], end["v"], end.get("u")))
    memory = {name: a[:, None] for name, a in (end.get("memory") or {}).items()}
    return x, kernel(t, q, v, u, memory, run.parameters)[:, 0]


def _shard(
    plan: Plan,
    number: int,
    samples: np.ndarray,
    run: Run,
    part: slice,
    values: np.ndarray,
    x: Any,
    last: Any,
    backend: str,
) -> ShardData:
    rows = with_extremes(x.astype(float), last.astype(float), _module(x))
    T, statuses = len(plan.times), run.status[part]
    summary = Summary.of(_right(rows, statuses), samples, xp=_module(x))
    causes, cause = _causes(statuses)
    times = np.array([np.nan if s.time is None else s.time for s in statuses])
    over = to_host(rows[:, T:])
    arrays: dict[str, tuple[tuple[str, ...], np.ndarray]] = {
        "values": (("sample", "value"), values),
        "cause": (("sample",), cause),
        "stopped": (("sample",), times),
        **{name: (("sample", "channel"), over[:, k]) for k, name in enumerate(("lowest", "highest", "last"))},
    }
    if plan.keep.series:
        arrays["series"] = (("sample", "time", "channel"), to_host(x))
    if plan.keep.end:
        arrays |= _ends(run, part)
    names: tuple[str, ...] = ()
    if plan.keep.events:
        names, more = _events(run, part)
        arrays |= more
    if plan.keep.failures:
        failed = [i for i, s in enumerate(statuses) if s.kind in WRONG][: plan.keep.failures]
        arrays |= _all_rows(plan, samples[failed], values[failed], backend)
    return ShardData(number, samples, arrays, causes, summary, names)


def _right(rows: Any, statuses: tuple[Status, ...]) -> Any:
    """Rows (S, R, C), NaN throughout of samples whose numbers went wrong: what they were on the way there means
    nothing, and one of them would be the mean and the extremes of all."""
    wrong = np.array([s.kind in WRONG for s in statuses])
    if not wrong.any():
        return rows
    xp = _module(rows)
    return xp.where(xp.asarray(wrong)[:, None, None], np.nan, rows)


def _causes(statuses: tuple[Status, ...]) -> tuple[tuple[Status, ...], np.ndarray]:
    """Ways to end, completed first, and which of them each sample ended in (S,)."""
    if all(status is COMPLETED for status in statuses):
        return (COMPLETED,), np.zeros(len(statuses), np.int32)
    known: dict[Status, int] = {COMPLETED: 0}
    found = [known.setdefault(Status(s.kind, None, s.where, s.reason), len(known)) for s in statuses]
    return tuple(known), np.array(found, np.int32)


def _ends(run: Run, part: slice) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    inner = {"t": (), "q": ("coordinate",), "v": ("velocity",), "x": ("actuator_state",)}
    return {
        f"end_{name}": (("sample", *dims), to_host(run.end[name][part]))
        for name, dims in inner.items()
        if run.end.get(name) is not None
    }


def _events(run: Run, part: slice) -> tuple[tuple[str, ...], dict[str, tuple[tuple[str, ...], np.ndarray]]]:
    """Names of events, and all that happened, by samples of the shard."""
    own = [event for event in run.events if part.start <= event.sample < part.stop]
    names = tuple(dict.fromkeys(event.name for event in own))
    return names, {
        "event_sample": (("event",), np.array([event.sample - part.start for event in own], np.int64)),
        "event_time": (("event",), np.array([event.time for event in own], float)),
        "event_name": (("event",), np.array([names.index(event.name) for event in own], np.int64)),
    }


def _all_rows(
    plan: Plan, samples: np.ndarray, values: np.ndarray, backend: str
) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """All rows of some samples, which run once more with every row that the plan's options record."""
    if not len(samples):
        return {"failed": (("failure",), samples)}
    run = plan.run(samples, plan.variables.shaped(values), backend)
    dims = ("failure", "row")
    found = {
        "failed": (("failure",), samples),
        "failed_t": (("row",), run.t),
        "failed_length": (("failure",), np.asarray(run.lengths)),
        "failed_q": ((*dims, "coordinate"), np.asarray(run.q)),
        "failed_v": ((*dims, "velocity"), np.asarray(run.v)),
    }
    more = {"failed_u": (run.u, "input"), "failed_x": (run.x, "actuator_state")}
    found |= {name: ((*dims, dim), np.asarray(a)) for name, (a, dim) in more.items() if a is not None}
    for name, kept in run.memory.items():
        inner = tuple(f"memory_{name}_{k}" for k in range(kept.ndim - 2))
        found[f"failed_memory_{name}"] = ((*dims, *inner), np.asarray(kept))
    return found


def to_host(x: Any) -> np.ndarray:
    """An array in the memory of this computer, contiguous."""
    return np.ascontiguousarray(x.get() if cuda.on_device(x) else x)


def _module(x: Any) -> Any:
    return device.cupy() if cuda.on_device(x) else np
