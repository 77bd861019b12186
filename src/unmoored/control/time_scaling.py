"""How fast a motion can be made within limits on velocity, acceleration and effort (docs/laws/references.md).

Along a path with ν' and ν'' at its own time σ: ν = σ̇ ν', ν̇ = σ̈ ν' + σ̇² ν'', so that forces are τ = a σ̈ + b σ̇² + n,
with a = M ν' and b = M ν'' + C(ν')ν' (Hollerbach 1984; Bobrow, Dubowsky & Gibson 1985). Drag that is linear in speed,
and friction, come on top: as if they grew with σ̇², from the σ̇ of the last round; everything is checked in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ..model import ModelError
from ..model.short_text import short_repr
from ..trace import plain_numbers
from ..worlds import Plant, Trajectory
from .law_parts import check_plant
from .path_speeds import Limit, fastest_speeds
from .retimed import Retimed, Timing

#: rounds in which forces that are not linear in σ̈ and σ̇² are put in; points between two nodes that are checked
_ROUNDS, _FINE = 8, 4
_RESTING = 1e-6


@dataclass(frozen=True)
class FastestTiming:
    """targets: {joint: retimed trajectory}.  duration: (s), from time 0 on.  timing: σ(t).

    velocity, acceleration, effort: the largest share of its limit that each DoF uses (nv,), on a grid of times that is
    several times finer than the one they were found on; zero where there is no limit. None is above 1.
    """

    __repr__ = short_repr

    targets: dict[str, Trajectory]
    duration: float
    timing: Timing
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray


def fastest_timing(
    plant: Plant,
    targets: Mapping[str, Trajectory],
    interval: tuple[float, float],
    *,
    velocity: Any = None,
    acceleration: Any = None,
    effort: Any = None,
    scaling: Literal["path", "uniform"] = "path",
    nodes: int = 200,
    q: Any = None,
) -> FastestTiming:
    """The fastest motion of some joints from rest to rest along a path, within limits.

    targets: {joint: trajectory}; the other joints rest at q (nq,), neutral if None.
    interval: (first, last) time of the trajectories that counts.
    velocity, acceleration, effort: {joint or DoF: limit > 0}, or one per DoF (nv,), infinite where there is none.
    Forces are those along the DoFs, in the world at time 0.
    scaling: "path": σ̇ varies along the path, as much as the limits allow; the trajectories must not stop inside of the
    interval (`PoseSpline(..., rest=False)`).  "uniform": the motion as it is, slower or faster as a whole: it must rest
    at both ends.
    nodes: spans of the path between which σ̈ is constant.
    """
    check_plant("fastest_timing", plant)
    path = _Path(plant, targets, interval, q, nodes)
    limits = [
        _limits(plant, name, x)
        for name, x in (("velocity", velocity), ("acceleration", acceleration), ("effort", effort))
    ]
    if not any(np.isfinite(x).any() for x in limits):
        raise ModelError.single("fastest_timing", "limits", expected="at least one", given="none")
    rest = path.forces(0.0, 0.0, path.nodes)
    over = np.abs(rest).max(axis=0) - limits[2]
    if over.max() >= 0:
        name = plant.dof_names[int(over.argmax())]
        given = f"{np.abs(rest).max(axis=0)[over.argmax()]:g} to hold still on the path"
        raise ModelError.single(name, "effort", expected=f"{limits[2][over.argmax()]:g} or less", given=given)
    if scaling == "uniform":
        timing = _uniform(path, limits)
    elif scaling == "path":
        timing = _along_path(path, limits)
    else:
        raise ModelError.single(
            "fastest_timing", "scaling", expected='"path" or "uniform"', given=repr(scaling)
        )
    used = _used(path, timing, limits)
    slower = (
        _smallest(lambda k: _worst(path, _slowed(timing, k), limits) <= 1.0, 1.0)
        if max(map(np.max, used)) > 1.0
        else 1.0
    )
    timing = _slowed(timing, slower)
    moved: dict[str, Trajectory] = {name: Retimed(x, timing) for name, x in targets.items()}
    return FastestTiming(moved, float(timing.times[-1]), timing, *_used(path, timing, limits))


class _Along(NamedTuple):
    """The path at some σ (K,): q (K, nq), ν' and ν'' (K, nv)."""

    q: np.ndarray
    first: np.ndarray
    second: np.ndarray


class _Path:
    """The trajectories as one path of the whole plant."""

    def __init__(self, plant: Plant, targets: Any, interval: Any, q: Any, nodes: int):
        if (
            not isinstance(targets, Mapping)
            or not targets
            or not all(isinstance(x, Trajectory) for x in targets.values())
        ):
            given = repr(targets)
            raise ModelError.single("fastest_timing", "targets", expected="{joint: trajectory}", given=given)
        begin, end = (float(x) for x in interval)
        if not begin < end or nodes < 2:
            expected = "begin < end, and two nodes or more"
            raise ModelError.single(
                "fastest_timing", "interval", expected=expected, given=f"{interval}, {nodes}"
            )
        for name, x in targets.items():
            x.check(name, plant.tree.link(name).joint)
        self._plant, self._targets = plant, targets
        self._q = (
            plant.system.neutral() if q is None else _numbers("q", q, f"{plant.nq} numbers", (plant.nq,))
        )
        self.nodes = np.linspace(begin, end, nodes + 1)

    def at(self, σ: np.ndarray) -> _Along:
        plant, σ = (
            self._plant,
            np.clip(σ, self.nodes[0], np.nextafter(self.nodes[-1], self.nodes[0])),
        )  # it rests at the end
        q = np.tile(self._q, (len(σ), 1))
        first, second = np.zeros((2, len(σ), plant.nv))
        for name, x in self._targets.items():
            link = plant.tree.link(name)
            q[:, link.q], first[:, link.v], second[:, link.v] = x.motion(σ, link.joint)
        return _Along(q, first, second)

    def forces(self, speed: Any, speed_rate: Any, σ: np.ndarray) -> np.ndarray:
        """τ (K, nv) at σ (K,), σ̇ and σ̈ (K,)."""
        q, first, second = self.at(σ)
        speed, rate = np.asarray(speed)[..., None], np.asarray(speed_rate)[..., None]
        v, a = speed * first, rate * first + speed**2 * second
        return self._plant.inverse_dynamics(0.0, q, v, a)


def _numbers(what: str, x: Any, expected: str, *shapes: tuple[int, ...]) -> np.ndarray:
    """Numbers of one of the shapes."""
    try:
        found = plain_numbers(x)
    except (TypeError, ValueError):
        found = None
    if found is None or found.shape not in shapes:
        raise ModelError.single("fastest_timing", what, expected=expected, given=repr(x))
    return found


def _limits(plant: Plant, what: str, given: Any) -> np.ndarray:
    """Limits (nv,), infinite where there are none."""
    if given is None:
        return np.full(plant.nv, np.inf)
    expected = f"{{DoF: > 0}}, or {plant.nv} numbers > 0"
    if isinstance(given, Mapping):
        limits = np.full(plant.nv, np.inf)
        for name, x in given.items():
            dofs = plant.tree.dofs(name)
            limits[dofs] = _numbers(
                f"{what} of {name}", x, "> 0, one for all DoFs or one each", (), (len(dofs),)
            )
    else:
        limits = _numbers(what, given, expected, (plant.nv,))
    if not np.all(limits > 0):
        raise ModelError.single("fastest_timing", what, expected=expected, given=repr(given))
    return limits


def _along_path(path: _Path, limits: list[np.ndarray]) -> Timing:
    σ = path.nodes
    _, first, second = path.at(σ)
    fastest = np.abs(first).max(axis=1)
    if fastest.min() <= _RESTING * fastest.max():
        expected = 'a path that does not stop inside (rest=False), or scaling="uniform"'
        given = f"a stop at {σ[fastest.argmin()]:g}"
        raise ModelError.single("fastest_timing", "targets", expected=expected, given=given)
    with np.errstate(divide="ignore"):
        top = ((limits[0] / np.abs(first)) ** 2).min(axis=1)
    n = path.forces(0.0, 0.0, σ)
    a = path.forces(0.0, 1.0, σ) - n
    b = path.forces(1.0, 0.0, σ) - n
    x, per_x = np.zeros(len(σ)), np.zeros_like(b)
    for _ in range(_ROUNDS):
        parts = [Limit(first, second, 0.0 * first, limits[1]), Limit(a, b + per_x, n, limits[2])]
        x = fastest_speeds(σ, top, parts)
        seen = np.maximum(x, 1e-9 * x.max())
        per_x = (path.forces(np.sqrt(seen), 0.0, σ) - n) / seen[:, None] - b
    speed = np.sqrt(x)
    times = np.append(0.0, np.cumsum(2 * np.diff(σ) / (speed[1:] + speed[:-1])))
    return Timing(times, σ, speed)


def _uniform(path: _Path, limits: list[np.ndarray]) -> Timing:
    begin, end = path.nodes[0], path.nodes[-1]
    first = path.at(path.nodes).first
    if np.abs(first[[0, -1]]).max() > _RESTING * np.abs(first).max():
        expected = "trajectories at rest at both ends of the interval"
        given = f"a speed of {np.abs(first[[0, -1]]).max():g} there"
        raise ModelError.single("fastest_timing", "targets", expected=expected, given=given)
    whole = Timing([0.0, end - begin], [begin, end], [1.0, 1.0])
    k = _smallest(lambda k: _worst(path, _slowed(whole, k), limits) <= 1.0, 1e-3)
    return _slowed(whole, k)


def _slowed(timing: Timing, k: float) -> Timing:
    return Timing(k * timing.times, timing.values[:, 0], timing.speeds / k)


def _used(path: _Path, timing: Timing, limits: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares (nv,) of the limits that the motion uses: at the ends of every span of σ̈, and between them."""
    count = max(1, (len(path.nodes) - 1) // (len(timing.times) - 1))
    inside = np.linspace(0.0, 1.0, _FINE * count + 1)
    inside[0], inside[-1] = 1e-9, 1.0 - 1e-9  # σ̈ jumps there
    t = (timing.times[:-1, None] + np.diff(timing.times)[:, None] * inside).ravel()
    σ, speed, rate = (part[:, 0] for part in timing.at(t))
    _, first, second = path.at(σ)
    a = rate[:, None] * first + speed[:, None] ** 2 * second
    found = (speed[:, None] * first, a, path.forces(speed, rate, σ))
    return tuple(np.abs(x).max(axis=0) / limit for x, limit in zip(found, limits, strict=True))  # type: ignore[return-value]


def _worst(path: _Path, timing: Timing, limits: list[np.ndarray]) -> float:
    return max(float(x.max()) for x in _used(path, timing, limits))


def _smallest(fits: Callable[[float], bool], low: float) -> float:
    """The smallest k ≥ low for which fits(k), to 1e-6 of it; what holds for one k holds for larger ones."""
    if fits(low):
        return low
    high = low
    while not fits(high := 2.0 * high):
        if high > 1e9:
            raise ModelError.single(
                "fastest_timing", "limits", expected="some speed that keeps them", given="none"
            )
    low = 0.5 * high
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
