"""What an invariant filter holds for true, and how readings of the inertial unit and of other sensors change it.

The error is (p, v, φ, b_a, b_ω), then the current c in world axes if it is estimated, then for every state of the past
that a reading under way was taken in (p or v, φ) of it: blocks of three, see `extended_pose` and filters.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..lie import so3
from ..lie.arrays import Array, diagonal, join, transpose
from ..trace import is_zero
from . import aiding_models, kalman
from .aiding_models import ATTITUDE, CURRENT, GYRO_BIAS, POSITION, VELOCITY
from .extended_pose import ExtendedPose, carried, increment, moved, retract, transition
from .imu import Imu
from .sensor import Sensor

ACCELEROMETER_BIAS = 3


class PastState(NamedTuple):
    """The state that a reading was taken in: its extended pose, and the unit's rate then with its bias (3,)."""

    χ: ExtendedPose
    reading: Array


class Belief(NamedTuple):
    """χ: of the unit's frame.  biases: of accelerometers and gyroscopes (3,) each.  rate: the unit's less bias (3,).

    turning: the rate now (3,), where `rate` is the mean of a period; see `rate_now`.

    current: (3,) in world axes, None if it is not estimated.  past: states of readings under way.  P (n, n).
    """

    χ: ExtendedPose
    biases: tuple[Array, Array]
    rate: Array
    turning: Array
    P: Array
    current: Array | None = None
    past: tuple[PastState, ...] = ()


class PastKind(NamedTuple):
    """first: which of POSITION and VELOCITY is kept beside the attitude.  block: where its error is in P."""

    first: int
    block: int


def predicted(
    belief: Belief, y: Any, imu: Imu, gravity: Array, Δ: Any, current_walk: Any, period: Any, begun: Any
) -> Belief:
    """After what the unit says about the last Δ seconds; without a reading as it was.

    Of readings at instants the rate is the mean of the two at the ends of the period, the force that at its end (what
    inputs do begins anew in every period, and is in no reading at its start); the first ends no period.

    The current wanders in every control period (s).  begun: 1 if the unit has been read before, 0 if not.
    """
    χ, biases, P = belief.χ, belief.biases, belief.P
    averaged = imu.sampling == "average"
    span = (
        y.fresh * Δ if averaged else y.fresh * Δ * begun
    )  # nothing moves in no time, nor before the first instant
    now, s = y.value[:3] - biases[1], y.value[3:] - biases[0]
    ω = now if averaged else 0.5 * (belief.rate + now)
    by = increment(ω, s, span, averaged)
    F, E = transition(by, span), transpose(by.turn)
    rows: dict[int, dict[int, Array]] = {
        POSITION: {k: kalman.block(F, 0, k) for k in range(3)},
        VELOCITY: {VELOCITY: E, ATTITUDE: kalman.block(F, 1, 2)},
        ATTITUDE: {ATTITUDE: E, GYRO_BIAS: -span * so3.dexp(span * ω)},
    }
    S, J = E if averaged else np.eye(3), so3.dexp(span * ω)  # S: the axes of s, seen from those at the end
    rows[POSITION][ACCELEROMETER_BIAS], rows[VELOCITY][ACCELEROMETER_BIAS] = -0.5 * span**2 * S, -span * S
    if not averaged:  # a wrong rate turns the force
        turned = so3.hat(s) @ J
        rows[POSITION][GYRO_BIAS], rows[VELOCITY][GYRO_BIAS] = 0.5 * span**3 * turned, span**2 * turned
    A = S @ diagonal(imu.accelerometer_noise**2) @ transpose(S) * span  # σ²/Δ of a reading, times Δ²
    noise = {
        (POSITION, POSITION): 0.25 * span**2 * A,
        (POSITION, VELOCITY): 0.5 * span * A,
        (VELOCITY, VELOCITY): A,
        (ATTITUDE, ATTITUDE): span * (J @ diagonal(imu.gyro_noise**2) @ transpose(J)),
        (ACCELEROMETER_BIAS, ACCELEROMETER_BIAS): span * diagonal(imu.accelerometer_walk**2),
        (GYRO_BIAS, GYRO_BIAS): span * diagonal(imu.gyro_walk**2),
    }
    if belief.current is not None:
        noise[CURRENT, CURRENT] = period * diagonal(current_walk**2)
    rate = belief.rate + y.fresh * (now - belief.rate)
    turning = belief.turning + y.fresh * (rate_now(imu, now, belief.rate, begun) - belief.turning)
    return belief._replace(
        χ=moved(χ, by, gravity, span), P=kalman.propagated(P, rows, noise), rate=rate, turning=turning
    )


#: how much wider the noise of `rate_now` is than that of a mean: √(1.5² + 0.5²)
EXTRAPOLATED = math.sqrt(2.5)


def rate_now(imu: Imu, ω: Array, before: Array, begun: Any) -> Array:
    """The rate (3,) at the time of a reading: a mean is half a period old, and goes on as it changed since the last."""
    return ω + 0.5 * begun * (ω - before) if imu.sampling == "average" else ω


def updated(
    belief: Belief, sensor: Sensor, value: Array, fresh: Any, about: Any, iterations: int,
    kinds: tuple[PastKind, ...] = (), late: int | None = None,
) -> tuple[Belief, Any]:  # fmt: skip
    """The belief and the NIS after a reading, by Gauss–Newton on the group; fresh: 1, or 0: nothing changes.

    about: see `aiding_models.model`.  kinds: of the past states.  late: the past state that the reading was taken in.
    """

    χ, rate, current = belief.χ, belief.turning, belief.current
    if late is not None:
        χ, rate = belief.past[late].χ, belief.past[late].reading - belief.biases[1]
    model = aiding_models.model(sensor, value, χ, rate, about, current)
    step = kalman.corrected(belief.P, _placed(model.H, kinds, late), model.N, model.ν, fresh)
    for _ in range(
        iterations - 1
    ):  # an error ε at the belief is carried(ξ) ε at the point of the last iteration
        δ = step.δ
        ξ = δ[:9] if late is None else _nine(δ, kinds[late])
        flow = None if current is None else current + _part(δ, CURRENT)
        model = aiding_models.model(sensor, value, retract(χ, ξ), rate - _part(δ, GYRO_BIAS), about, flow)
        H = _placed(_through(model.H, carried(ξ)), kinds, late)
        step = kalman.corrected(belief.P, H, model.N, model.ν + kalman.row_times(H, δ[:, None])[:, 0], fresh)
    return _corrected(belief, step, kinds), step.nis


def _corrected(belief: Belief, step: kalman.Correction, kinds: tuple[PastKind, ...]) -> Belief:
    """The belief at the mean of its error, and the covariance in the axes that the error has there."""
    δ = step.δ
    rows = _rows(carried(δ[:9]), (0, 1, 2), (0, 1, 2))
    past = []
    for kind, state in zip(kinds, belief.past, strict=True):
        ξ = _nine(δ, kind)
        past.append(state._replace(χ=_renormalised(retract(state.χ, ξ))))
        rows |= _rows(carried(ξ), (kind.first, ATTITUDE), (kind.block, kind.block + 1))
    a, ω = belief.biases
    return Belief(
        _renormalised(retract(belief.χ, δ[:9])),
        (a + _part(δ, ACCELEROMETER_BIAS), ω + _part(δ, GYRO_BIAS)),
        belief.rate - _part(δ, GYRO_BIAS),
        belief.turning - _part(δ, GYRO_BIAS),
        kalman.propagated(step.P, rows, {}),
        None if belief.current is None else belief.current + _part(δ, CURRENT),
        tuple(past),
    )


def kept(P: Array, kinds: tuple[PastKind, ...]) -> Array:
    """P (n, n) once the present state is the first of these past states, of one sensor, and each the one before it."""
    rows, source = {}, (kinds[0].first, ATTITUDE)
    for kind in kinds:
        rows |= {kind.block + k: {source[k]: np.eye(3)} for k in range(2)}
        source = (kind.block, kind.block + 1)
    return kalman.propagated(P, rows, {})


def _part(δ: Array, block: int) -> Array:
    return δ[3 * block : 3 * block + 3]


def _nine(δ: Array, kind: PastKind) -> Array:
    """The error (p, v, φ) of a past state."""
    own, none = _part(δ, kind.block), np.zeros(3)
    parts = [own, none] if kind.first == POSITION else [none, own]
    return join([*parts, _part(δ, kind.block + 1)])


def _rows(D: Array, which: tuple[int, ...], places: tuple[int, ...]) -> dict[int, dict[int, Array]]:
    """Blocks `which` of D (9, 9) as rows of blocks at these places; blocks of zeros are left out."""
    pairs = list(zip(which, places, strict=True))
    return {
        row: {
            column: part for c, column in pairs if not is_zero(part := kalman.block(D, r, c))
        }
        for r, row in pairs
    }  # fmt: skip


def _placed(H: Mapping[int, Array], kinds: tuple[PastKind, ...], late: int | None) -> Mapping[int, Array]:
    """Rows by the present pose as rows by a past one, if they are late; biases and current are the present ones."""
    if late is None:
        return H
    places = {kinds[late].first: kinds[late].block, ATTITUDE: kinds[late].block + 1}
    return {places.get(c, c): part for c, part in H.items()}


def _through(H: Mapping[int, Array], D: Array) -> dict[int, Array]:
    """Rows of blocks times D (9, 9) on their first three blocks."""
    found = {c: part for c, part in H.items() if c > 2}
    for c in range(3):
        terms = [H[k] @ kalman.block(D, k, c) for k in range(3) if k in H and (k == c or c == 2)]
        if terms:
            found[c] = sum(terms[1:], terms[0])
    return found


def _renormalised(χ: ExtendedPose) -> ExtendedPose:
    return χ._replace(R=so3.renormalise(χ.R))
