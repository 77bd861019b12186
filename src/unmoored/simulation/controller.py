"""The controller of a run: traced into the kernel where that is possible, Python in the loop otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.cuda import device
from ..lie.arrays import join
from ..model import ModelError
from ..model.errors import unknown_name
from ..sensing.believed_sensors import compare_with_belief
from ..sensing.sensor_suite import Suite, signals_of, size_of_signals
from ..trace import FallbackWarning, SharedMemoryWarning, announce, fingerprint
from ..trace.span_table import HANDLE, SpanTable, tables_at
from ..worlds.gains import gains_of, with_gains
from ..worlds.law import Law, Seen, check_form, has_memory
from ..worlds.law_memory import MemoryLayout, initial_memory, layout_of, packed, size_of, unpacked
from ..worlds.motion_tables import tables_in, without_content
from .law_tracing import WrongResultError, name_of, traced_law
from .plants_of_laws import check_plants_of_laws

PLACES = ("kernel", "python")


@dataclass(frozen=True, eq=False)
class Controller:
    """A law of either form as one function of flat vectors.

    place: "kernel" if the law is traced, "python" if it is called in the loop.  input_names: of the plant.
    layout: names and shapes of its gains.  gains: their values (..., n), with the control period (s) at the end for a
    law with memory.  memory: names and shapes of its memory.  start: the memory at the beginning (..., m).
    nominal: the plant's parameters as it was built.  identity: what tells its kernels from those of other laws.
    """

    law: Callable[..., Any]
    place: str
    input_names: tuple[str, ...]
    layout: tuple[tuple[str, tuple[int, ...]], ...]
    gains: np.ndarray
    full: bool
    memory: MemoryLayout
    start: np.ndarray
    nominal: np.ndarray
    #: names of the modes that follow the actuators' states in x
    modes: tuple[str, ...] = ()
    identity: Any = None
    #: names and shapes of the sensors' signals that the law sees
    signals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    #: why the law is not in the kernel, if it was meant to be there
    fallback: str = ""
    watched: list[bool] = field(default_factory=list)

    @cached_property
    def tables(self) -> tuple[SpanTable, ...]:
        """Tables in the law, whose addresses follow the gains in the kernel."""
        return tables_in(self.law)

    @property
    def fingerprinted(self) -> Any:
        """What its kernel depends on: the law, without the numbers of its tables."""
        return without_content(self.law) if self.tables else self.law

    def changed(self, **fields: Any) -> Controller:
        """The same law with other fields; its tables are not looked for again."""
        new = replace(self, **fields)
        new.__dict__["tables"] = self.tables
        return new

    @cached_property
    def remembers(self) -> int:
        """Number of entries of the memory."""
        return size_of(self.memory)

    def shapes(self, plant: Any) -> tuple[tuple[int, ...], ...]:
        """Shapes of the arguments of `__call__`."""
        nx, ny = (plant.nx + len(self.modes), size_of_signals(self.signals)) if self.full else (0, 0)
        given = self.gains.shape[-1] + HANDLE * len(self.tables)
        return (), (plant.nq,), (plant.nv,), (nx,), (self.remembers,), (ny,), (given,)

    def __call__(
        self, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, memory: np.ndarray, y: np.ndarray,
        gains: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Inputs u (nu,), then the new memory (m,), of one sample at t, q (nq,), v (nv,), x (nx,), memory (m,).

        y: what it sees of sensors.  gains: their values, and in the kernel of a law with tables the addresses of these.
        """
        own = self.gains.shape[-1]
        with tables_at(self.tables, gains[..., own:]):
            return self._called(t, q, v, x, memory, y, gains[..., :own])

    def _called(
        self, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, memory: np.ndarray, y: np.ndarray,
        gains: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        law = with_gains(self.law, self.unpacked_gains(gains)) if self.layout else self.law
        if not self.full:
            return self._checked(law(t, q, v))
        nx = x.shape[-1] - len(self.modes)
        modes = {name: x[..., nx + k] for k, name in enumerate(self.modes)}
        signals = signals_of(self.signals, y)
        seen = Seen(t, q, v, x[..., :nx], signals, self.nominal, gains[..., -1], modes=modes)
        given = law(seen, unpacked(memory, self.memory))
        if not isinstance(given, tuple) or len(given) != 2:
            raise _wrong(self.law, "result", "(inputs, memory)", type(given).__name__)
        u, new = self._checked(given[0]), packed(self.law, given[1], self.memory)
        return join([u, new]) if new.size else u

    def by_sample(self, t: Any, *vectors: np.ndarray) -> np.ndarray:
        """The same for t (...) and vectors (..., n_i), one sample after the other."""
        before = None if self.watched or self.full else fingerprint(self.law, with_caches=False).digest
        results = by_sample(self, (len(self.input_names) + self.remembers,), t, *vectors)
        if self.fallback:
            announce(self.fallback, FallbackWarning)
        if before is not None:
            self.watched.append(True)
            if (
                math.prod(results.shape[:-1]) > 1
                and fingerprint(self.law, with_caches=False).digest != before
            ):
                text = f"controller {name_of(self.law)} keeps data between calls, which all samples share"
                announce(f"{text}: declare them as `memory` of an um.Law", SharedMemoryWarning)
        return results

    def _checked(self, u: Any) -> np.ndarray:
        u = np.asarray(u)
        if u.dtype.kind not in "fiubO":
            raise _wrong(self.law, "inputs", "real numbers", f"{u.dtype.name} {u}")
        if u.shape != (len(self.input_names),):
            expected = f"shape ({len(self.input_names)},): {', '.join(self.input_names)}"
            raise _wrong(self.law, "inputs", expected, f"shape {u.shape}")
        return u

    def unpacked_gains(self, gains: np.ndarray) -> dict[str, np.ndarray]:
        """{name: (..., *shape)} from vectors (..., n)."""
        values, first = {}, 0
        for name, shape in self.layout:
            size = math.prod(shape)
            values[name] = gains[..., first : first + size].reshape((*gains.shape[:-1], *shape))
            first += size
        return values


def by_sample(
    function: Callable[..., Any], shape: tuple[int, ...], t: Any, *vectors: np.ndarray
) -> np.ndarray:
    """function(t, *vectors) of one sample after the other, for t (...) and vectors (..., n_i), stacked.

    vectors: q and v first; where they are not finite, as in a sample that blew up, the function is not called, and its
    result, of this shape, is NaN.
    """
    batch = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in vectors))
    times = np.broadcast_to(t, batch).ravel().tolist()
    rows = [np.array(as_rows(x, batch)) for x in vectors]  # the function may write into its own
    finite = np.all(np.isfinite(np.concatenate(rows[:2], axis=1)), axis=1)
    results = [
        np.asarray(function(times[k], *(row[k] for row in rows)), float) if good else np.full(shape, np.nan)
        for k, good in enumerate(finite)
    ]
    return np.reshape(results, (*batch, *results[0].shape))


def as_rows(x: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    """Vectors x (..., n), n maybe zero, as rows (S, n) for the samples of a batch."""
    if not batch and x.ndim == 1:
        return x[None]
    xp = device.cupy() if device.on_device(x) else np
    return xp.broadcast_to(x, (*batch, x.shape[-1])).reshape(math.prod(batch), x.shape[-1])


def as_controller(
    law: Any,
    place: str | None,
    plant: Any,
    period: float | None,
    suite: Suite | None = None,
    modes: tuple[str, ...] = (),
) -> Controller | None:
    """The controller for a law; `place` None: in the kernel if it can be traced.  period: of control (s).

    suite: the sensors whose signals it sees.  modes: names of those that events set.
    """
    if modes and (law is None or not has_memory(law)):
        expected = "a law that sees modes: um.Phases, or one with `memory`, which may be {}"
        raise ModelError.single(f"mode {modes[0]}", "controller", expected=expected, given=repr(law))
    if law is None:
        return None
    if not callable(law):
        raise ModelError.single("simulate", "controller", expected="a law u = law(t, q, v)", given=repr(law))
    if place is not None and place not in PLACES:
        raise unknown_name("simulate", "controller_in", place, PLACES)
    if isinstance(law, Law) and period is not None:
        law = law._when_held()
    check_form(law)
    full = has_memory(law)
    if full and period is None:
        expected = "one (s), for a law with memory: it is called once per period"
        raise ModelError.single("simulate", "control_step", expected=expected, given="none")
    check_plants_of_laws(law, plant)
    if suite is not None and period is not None:
        compare_with_belief(law, suite, period)
    gains = gains_of(law) if isinstance(law, Law) else ()
    values = [_flat(gain.values, gain.shape) for gain in gains] + ([np.array([period])] if full else [])
    flat = np.concatenate(_same_batch(values), axis=-1) if values else np.zeros(0)
    start = initial_memory(_of_sample(law, gains, 0) if flat.ndim > 1 else law) if full else {}
    controller = Controller(
        law,
        place or "kernel",
        tuple(plant.input_names),
        tuple((gain.name, gain.shape) for gain in gains),
        flat,
        full,
        layout_of(start),
        _start(law, start, gains, flat),
        np.array(plant.nominal_parameters),
        modes,
        signals=() if suite is None or not full else suite.signals,
    )
    if place == "python":
        return controller
    return traced_law(controller, plant, forced=place == "kernel")


def _start(law: Any, start: dict[str, np.ndarray], gains: Any, flat: np.ndarray) -> np.ndarray:
    """The memory (..., m) at the beginning, of each sample by its own gains."""
    one = join([value.reshape(-1) for value in start.values()]) if start else np.zeros(0)
    if flat.ndim < 2 or not isinstance(getattr(type(law), "memory", None), property):
        return one
    rows = []
    for i in range(len(flat)):
        values = initial_memory(_of_sample(law, gains, i))
        if layout_of(values) != layout_of(start):
            expected = "the same names and shapes for all samples"
            raise _wrong(law, "memory", expected, str(layout_of(values)))
        rows.append(np.concatenate([np.zeros(0), *(value.reshape(-1) for value in values.values())]))
    return np.stack(rows)


def _of_sample(law: Any, gains: Any, i: int) -> Any:
    """The law with the gains of one sample."""
    own = {}
    for g in gains:
        many = g.values.ndim > len(g.shape)
        own[g.name] = g.values[i if len(g.values) > 1 else 0] if many else g.values
    return with_gains(law, own)


def _wrong(law: Any, what: str, expected: str, given: str) -> ModelError:
    return WrongResultError.single(f"controller {name_of(law)}", what, expected=expected, given=given)


def _flat(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return array.reshape(*array.shape[: array.ndim - len(shape)], math.prod(shape))


def _same_batch(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Arrays (..., n_i) with their leading dimensions broadcast together."""
    counts = {array.shape[0] for array in arrays if array.ndim > 1 and array.shape[0] != 1}
    if len(counts) > 1:
        given = " and ".join(map(str, sorted(counts)))
        raise ModelError.single(
            "controller", "gains", expected="the same number of samples in all", given=given
        )
    batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]
