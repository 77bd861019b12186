"""A small system for the tests of time loops, and the same loop in Python around kernels of its functions."""

import numpy as np

from unmoored import kernels
from unmoored import trace as T

STATE, PARAMETERS, INPUTS = 5, 3, 2


@T.outlined
def rate(t, y, p, u):
    """A driven double oscillator with a held force in y[4]."""
    a = -p[0] * np.sin(y[0]) - 0.1 * y[1] + u[0] + y[4]
    b = -p[1] * y[2] * y[2] * y[2] + 0.5 * y[0] + u[1] * np.cos(3.0 * t)
    return np.array([y[1], a, y[3], b, 0.0 * y[4]])


def next_state(t, h, y, p, u):
    """One step of Heun's method."""
    k1 = rate(t, y, p, u)
    return y + 0.5 * h * (k1 + rate(t + h, y + h * k1, p, u))


def step(t, h, y, p, u):
    """Event 2 where y[0] goes beyond p[2]; a step is refused (-3) if y[2] would jump by more than 1."""
    after = next_state(t, h, y, p, u)
    event = T.where(T.greater(after[0], p[2]), 2.0, 0.0)
    return after, T.where(T.greater(np.abs(after[2] - y[2]), 1.0), -3.0, event)


def record(t, y, p, u):
    """Time, an invariant-like product, an input and the state."""
    return np.concatenate([np.array([t, y[1] * y[1] + p[0] * y[0], u[0]]), y])


def update(t, y, p, u):
    """A proportional controller whose force is held."""
    return np.concatenate([y[:4], np.array([-0.4 * y[1] + 0.1 * np.sin(t) + u[1]])])


def compiled(dtype="float64", with_update=True, **options):
    return kernels.compile_loop(
        step, record, state=STATE, parameters=PARAMETERS, inputs=INPUTS, update=update if with_update else None,
        dtype=dtype, **options,
    )  # fmt: skip


class PythonLoop:
    """The loop that `compile_loop` compiles, in plain Python."""

    def __init__(self, dtype="float64", with_update=True):
        vectors = [(STATE,), (PARAMETERS,), (INPUTS,)]
        self.dtype, self.with_update = np.dtype(dtype), with_update
        self.step = kernels.compile(step, [(), (), *vectors], dtype=dtype)
        self.record = kernels.compile(record, [(), *vectors], dtype=dtype)
        self.update = kernels.compile(update, [(), *vectors], dtype=dtype)

    def __call__(
        self, state, parameters, *, h, steps, inputs, t0=0.0, record_every=1, update_every=1, hold=1
    ):
        samples = [
            self._sample(y, p, u, t0, h, steps, record_every, update_every, hold)
            for y, p, u in zip(state, parameters, inputs, strict=True)
        ]
        return [np.stack(arrays) for arrays in zip(*samples, strict=True)]

    def _sample(self, y, p, u, t0, h, steps, record_every, update_every, hold):
        real = self.dtype.type
        rows = np.full((steps // record_every + 1, STATE + 3), np.nan, self.dtype)
        for k in range(steps + 1):
            t, u_k = real(t0 + k * h), u[min(k // hold, len(u) - 1)]
            z = self.update(t, y, p, u_k) if self.with_update and k % update_every == 0 else y
            if k % record_every == 0:
                rows[k // record_every] = self.record(t, z, p, u_k)
            if k == steps:
                return rows, y, 0, k
            after, verdict = self.step(t, real(h), z, p, u_k)
            if not (np.all(np.isfinite(after)) and np.isfinite(verdict)):
                return rows, y, kernels.NOT_FINITE, k
            if verdict < 0:
                return rows, y, int(verdict), k
            y = after
            if verdict > 0:
                if (k + 1) % record_every == 0:
                    t, u_k = real(t0 + (k + 1) * h), u[min((k + 1) // hold, len(u) - 1)]
                    z = self.update(t, y, p, u_k) if self.with_update and (k + 1) % update_every == 0 else y
                    rows[(k + 1) // record_every] = self.record(t, z, p, u_k)
                return rows, y, int(verdict), k + 1


def samples(count, rows, dtype="float64", seed=0):
    """State, parameters and inputs; sample 3 meets the event, 5 is refused, 6 becomes infinite, 7 is NaN."""
    rng = np.random.default_rng(seed)
    y, p = rng.normal(size=(count, STATE)), rng.uniform(0.5, 2.0, (count, PARAMETERS))
    u = 0.3 * rng.normal(size=(count, rows, INPUTS))
    p[:, 2] = 1e3
    if count > 3:
        p[3, 2] = y[3, 0] + 0.2
        y[3, 1] = 1.0
    if count > 7:
        y[5, 2:4], p[5, 1] = (-8.0, 0.0), 3.0  # swings through 0 at 79 per second
        y[6, 0], y[6, 1] = 0.5, np.finfo(dtype).max
        u[7, rows // 2] = np.nan
    return y.astype(dtype), p.astype(dtype), u.astype(dtype)
