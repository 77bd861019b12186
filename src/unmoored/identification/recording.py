"""What was measured of one motion: configurations, velocities, inputs over time, and how well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..error_roots import warn
from ..model import ModelError, ModelWarning, Tree
from ..model.joints import SubgroupJoint
from ..model.names import check_label
from ..simulation import Run
from ..trace import plain_array

Array = npt.NDArray[Any]
_ON_GROUP = 1e-6
#: what a recording holds beside its times: name, and the size of a row in a plant
#: what inputs may do between rows
BETWEEN = ("held", "linear")
_ROWS = {"q": "nq", "v": "nv", "a": "nv", "u": "nu", "x": "nx"}


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """One motion as it was measured, in the units and frames of the system: SI, velocities body-fixed.

    t (T,): increasing times (s).  q (T, nq), v (T, nv): configurations and velocities.
    u (T, nu): inputs, None for none.  a (T, nv): accelerations, if known.  x (T, nx): states of actuators, if known.
    between: what inputs do between rows. "held": each stays until the next row, as a computer's commands do that were
    logged in its own period. "linear": they go straight from row to row: readings of forces, and commands of a computer
    that is quicker than the log. None: not said; fits that depend on it then take "held", and warn.
    q_noise, v_noise, a_noise (nv,), u_noise (nu,): standard deviations of white noise on what was measured, q_noise
    along the tangent; one number or one for each DoF. None: not known, see `identify`.
    seen (T,): False where a row was not measured but filled in, as in a gap; None: all were.
    name: for messages and tables.
    """

    t: Any
    q: Any
    v: Any
    u: Any = None
    a: Any = None
    x: Any = None
    q_noise: Any = None
    v_noise: Any = None
    a_noise: Any = None
    u_noise: Any = None
    seen: Any = None
    name: str = "recording"
    between: str | None = None

    def __post_init__(self) -> None:
        check_label("Recording", "name", self.name)
        if self.between is not None and self.between not in BETWEEN:
            raise wrong(self.name, "between", f"{', '.join(map(repr, BETWEEN))} or None", repr(self.between))
        t = _numbers(self.name, "t", self.t)
        if t.ndim != 1 or len(t) < 2 or np.any(np.diff(t) <= 0):
            given = f"shape {t.shape}" if t.ndim != 1 or len(t) < 2 else "times that do not increase"
            raise wrong(self.name, "t", "two or more increasing times (s)", given)
        object.__setattr__(self, "t", t)
        for what in _ROWS:
            rows = getattr(self, what)
            if rows is None and what not in ("q", "v"):
                continue
            rows = _numbers(self.name, what, rows)
            if rows.ndim != 2 or len(rows) != len(t):
                raise wrong(self.name, what, f"a row for each of {len(t)} times", f"shape {rows.shape}")
            object.__setattr__(self, what, rows)
        for what in ("q_noise", "v_noise", "a_noise", "u_noise"):
            if getattr(self, what) is not None:
                σ = _numbers(self.name, what, getattr(self, what))
                if σ.ndim > 1 or np.any(σ < 0):
                    raise wrong(self.name, what, "one number ≥ 0, or one for each DoF", repr(σ.tolist()))
                object.__setattr__(self, what, σ)
        seen = np.ones(len(t), dtype=bool) if self.seen is None else np.array(self.seen, dtype=bool)
        if seen.shape != t.shape:
            raise wrong(self.name, "seen", f"a truth value for each of {len(t)} times", f"shape {seen.shape}")
        object.__setattr__(self, "seen", seen)

    @classmethod
    def of_run(cls, run: Run, **noise: Any) -> list[Self]:
        """A recording of each sample of a `Run`, which stands for a measured motion; noise: `v_noise=…` and so on.

        Inputs are held where the run held them over control periods and has a row at every change, else linear.
        """
        if not isinstance(run, Run):
            raise wrong("Recording", "run", "a Run", repr(run))
        made, between = [], _between_rows(run)
        for i in range(run.samples):
            own = run.sample(i)
            name = f"sample {i}" if run.batched else "run"
            made.append(cls(own.t, own.q, own.v, u=own.u, x=own.x, name=name, between=between, **noise))
        return made

    def __repr__(self) -> str:
        parts = [what for what in _ROWS if getattr(self, what) is not None]
        return f"Recording({self.name!r}, {len(self.t)} rows, {self.t[0]:g}–{self.t[-1]:g} s, {', '.join(parts)})"

    def part(self, start: float = -np.inf, end: float = np.inf) -> Self:
        """The rows with start ≤ t ≤ end (s)."""
        return self.rows((self.t >= start) & (self.t <= end))

    def every(self, count: int) -> Self:
        """Every so many-th row, the first among them; inputs lose what they did between."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise wrong(self.name, "every", "a whole number ≥ 1", repr(count))
        kept = np.zeros(len(self.t), dtype=bool)
        kept[::count] = True
        return self.rows(kept)

    def rows(self, kept: npt.NDArray[np.bool_]) -> Self:
        """The rows where `kept` (T,) is true."""
        cut = {what: getattr(self, what) for what in ("t", "seen", *_ROWS)}
        noise = {what: getattr(self, what) for what in ("q_noise", "v_noise", "a_noise", "u_noise")}
        return type(self)(
            **{what: None if x is None else x[kept] for what, x in cut.items()},
            **noise,
            name=self.name,
            between=self.between,
        )

    def noise(self, what: str, size: int) -> Array | None:
        """Standard deviations (size,) of "q", "v", "a" or "u"; None where they are not known."""
        σ = getattr(self, f"{what}_noise")
        if σ is None:
            return None
        if np.shape(σ) not in ((), (size,)):
            raise wrong(self.name, f"{what}_noise", f"one number or {size}", f"shape {np.shape(σ)}")
        return np.broadcast_to(σ, (size,)).astype(float)


def _between_rows(run: Run) -> str | None:
    """What the inputs of a run do between its rows."""
    if run.u is None:
        return None
    every, rows = run.provenance.get("control_every"), run.provenance.get("record_every")
    return "held" if every and rows and every % rows == 0 else "linear"


def warn_of_unsaid_rules(recordings: Sequence[Recording], where: str) -> None:
    """A warning that names recordings whose inputs move, and that do not say how between rows."""
    unsaid = [
        r.name for r in recordings if r.between is None and r.u is not None and np.any(np.diff(r.u, axis=0))
    ]
    if unsaid:
        text = (
            f"{where}: inputs of {', '.join(unsaid[:3])}{' …' if len(unsaid) > 3 else ''} move, and nothing says how "
            'between rows: each is held until the next row. Recording(between="held") says that this is right; '
            'readings of inputs that move need between="linear", held they are late by half a row'
        )
        warn(text, ModelWarning)


def as_recordings(given: Any, plant: Any, where: str) -> list[Recording]:
    """Recordings of a plant: one or several, or runs that stand for them; checked against the plant's sizes."""
    found: list[Recording] = []
    listed = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    for one in listed:
        if isinstance(one, Run):
            found += Recording.of_run(one)
        elif isinstance(one, Recording):
            found.append(one)
        else:
            raise wrong(where, "recordings", "Recordings or Runs", repr(one))
    if not found:
        raise wrong(where, "recordings", "one or more", "none")
    for recording in found:
        _check_sizes(recording, plant)
    return found


def _check_sizes(recording: Recording, plant: Any) -> None:
    for what, size in _ROWS.items():
        rows = getattr(recording, what)
        if rows is not None and rows.shape[1] != getattr(plant, size):
            expected = f"{getattr(plant, size)} entries in a row ({size} of {plant.name})"
            raise wrong(recording.name, what, expected, f"{rows.shape[1]}")
    if not recording.seen.any():
        raise wrong(recording.name, "seen", "a row that was measured", "none")
    if recording.u is None and plant.nu and plant.actuators is not None:
        raise wrong(recording.name, "u", f"inputs of {', '.join(plant.input_names)}", "none")
    _check_on_group(recording, plant.tree)


def _check_on_group(recording: Recording, tree: Tree) -> None:
    for link in tree.links:
        if isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1:
            R = recording.q[:, link.q][:, :9].reshape(-1, 3, 3)
            off = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2))
            if off.max() > _ON_GROUP:
                k = int(off.argmax())
                given = f"{off[k]:.2g} off at t = {recording.t[k]:g}"
                raise wrong(recording.name, f"q of {link.name}", "rotation matrices", given)


def wrong(where: str, what: str, expected: str, given: str) -> ModelError:
    """The error for one thing that is not as it should be."""
    return ModelError.single(where, what, expected=expected, given=given)


def is_number(given: Any, above: float) -> bool:
    """Whether this is one finite number above a bound."""
    real = isinstance(given, int | float | np.number) and not isinstance(given, bool | np.complexfloating)
    return real and bool(np.isfinite(given)) and float(given) > above


def _numbers(where: str, what: str, given: Any) -> Array:
    try:
        raw = plain_array(given)
        if raw.dtype.kind not in "biuf":  # a text is no number
            raise TypeError
        x = np.array(raw, dtype=float)
    except (TypeError, ValueError):
        raise wrong(where, what, "numbers", repr(given)) from None
    if not np.all(np.isfinite(x)):
        raise wrong(where, what, "finite numbers", f"{np.argwhere(~np.isfinite(x))[0].tolist()} is none")
    x.setflags(write=False)
    return x
