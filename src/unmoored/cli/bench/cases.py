"""What is measured: each case is our call and the peer's call on the same random states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...system import System, compile_method
from .machine_limits import storing
from .peers import mujoco_model, peer, pinocchio_configuration, pinocchio_model

BATCH = 4096
Call = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """One row: `ours` and `peer` do `ours_count` and `peer_count` evaluations per call.

    limited: the method that `ours` calls, and bytes of all results of a call.
    """

    what: str
    system: str
    ours: Call
    ours_count: int
    peer: Call
    peer_count: int
    peer_name: str
    limited: tuple[System, str, int] | None = None


@dataclass(frozen=True)
class States:
    """Random states of a system, ours (rows are samples) and Pinocchio's (columns are samples)."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    pin_q: np.ndarray

    @classmethod
    def random(cls, system: System, count: int) -> States:
        """States for `count` samples; of many, configurations come again."""
        rng = np.random.default_rng(1)
        drawn = np.stack([system.random_configuration(rng) for _ in range(min(count, BATCH))])
        q = np.resize(drawn, (count, *drawn.shape[1:]))
        v, tau = rng.normal(size=(2, count, system.nv))
        return cls(q, v, tau, pinocchio_configuration(system.tree, q))


def batch_cases(name: str, system: System) -> Iterator[Case]:
    """Batches of 4096 samples on one core, written into `out=`: arrays of a first call."""
    pin = peer("pinocchio")

    s, model, n = States.random(system, BATCH), pinocchio_model(system.tree), system.nv
    data, pool = model.createData(), pin.ModelPool(model, 1)
    columns = [np.asfortranarray(x.T) for x in (s.pin_q, s.v, s.tau)]
    result = np.zeros((n, BATCH), order="F")
    vector, matrix = system.forward_dynamics(s.q, s.v, s.tau), system.mass_matrix(s.q)
    jacobian = system.jacobian(s.q, "tool")
    one = (s.pin_q[0].copy(), s.v[0].copy(), s.tau[0].copy())
    last = model.njoints - 1
    mask, given, other = np.zeros(n), np.zeros((BATCH, n)), np.empty((BATCH, n))
    mask[:6] = 1.0
    folded = compile_method(system, "hybrid_dynamics", passive=mask)

    def peer_batch(function: Any) -> Call:
        return lambda: function(1, pool, *columns, result)

    yield Case(
        "forward dynamics, batch", name, lambda: system.forward_dynamics(s.q, s.v, s.tau, out=vector), BATCH,
        peer_batch(pin.abaInParallel), BATCH, "pin.abaInParallel, 1 thread",
        (system, "forward_dynamics", vector.nbytes),
    )  # fmt: skip
    yield Case(
        "inverse dynamics, batch", name, lambda: system.inverse_dynamics(s.q, s.v, s.tau, out=vector), BATCH,
        peer_batch(pin.rneaInParallel), BATCH, "pin.rneaInParallel, 1 thread",
        (system, "inverse_dynamics", vector.nbytes),
    )  # fmt: skip
    yield Case(
        "hybrid dynamics, batch", name,
        lambda: system.hybrid_dynamics(
            s.q, s.v, tau=s.tau, acceleration=given, passive=mask, out=(vector, other)
        ),
        BATCH, lambda: pin.aba(model, data, *one), 1, "pin.aba, one call (it has no hybrid)",
        (system, "hybrid_dynamics", vector.nbytes),
    )  # fmt: skip
    yield Case(
        "hybrid dynamics, mask fixed, batch", name,
        lambda: folded(s.q, s.v, s.tau, given, out=(vector, other)), BATCH,
        lambda: system.forward_dynamics(s.q, s.v, s.tau, out=vector), BATCH, "ours, forward dynamics",
    )  # fmt: skip
    yield Case(
        "mass matrix, batch", name, lambda: system.mass_matrix(s.q, out=matrix), BATCH,
        lambda: pin.crba(model, data, one[0]), 1, "pin.crba, one call",
        (system, "mass_matrix", matrix.nbytes),
    )  # fmt: skip
    yield Case(
        "Coriolis matrix, batch", name, lambda: system.coriolis_matrix(s.q, s.v, out=matrix), BATCH,
        lambda: pin.computeCoriolisMatrix(model, data, one[0], one[1]), 1, "pin.computeCoriolisMatrix, one call",
        (system, "coriolis_matrix", matrix.nbytes),
    )  # fmt: skip
    yield Case(
        "Jacobian, batch", name, lambda: system.jacobian(s.q, "tool", out=jacobian), BATCH,
        lambda: pin.computeJointJacobian(model, data, one[0], last), 1, "pin.computeJointJacobian, one call",
        (system, "jacobian", jacobian.nbytes),
    )  # fmt: skip


def regressor_cases(name: str, system: System) -> Iterator[Case]:
    """Joint torques over the bodies' inertial parameters, of 256 samples, into `out=`: what a first call gave."""
    pin = peer("pinocchio")
    count = 256
    s, model = States.random(system, count), pinocchio_model(system.tree)
    data, out = model.createData(), system.regressor(s.q, s.v, s.tau)
    one = (s.pin_q[0].copy(), s.v[0].copy(), s.tau[0].copy())
    yield Case(
        "regressor, batch of 256", name, lambda: system.regressor(s.q, s.v, s.tau, out=out), count,
        lambda: pin.computeJointTorqueRegressor(model, data, *one), 1, "pin.computeJointTorqueRegressor, one call",
    )  # fmt: skip


def single_precision_cases(name: str, system: System) -> Iterator[Case]:
    """Batches of float32 against float64."""
    s = States.random(system, BATCH)
    doubles = (s.q, s.v, s.tau)
    singles = [x.astype(np.float32) for x in doubles]
    wide, narrow = np.empty((BATCH, system.nv)), np.empty((BATCH, system.nv), dtype=np.float32)
    yield Case(
        "forward dynamics, batch, float32", name, lambda: system.forward_dynamics(*singles, out=narrow), BATCH,
        lambda: system.forward_dynamics(*doubles, out=wide), BATCH, "ours in float64",
    )  # fmt: skip


def small_batch_cases(name: str, system: System) -> Iterator[Case]:
    """Matrices of 256 samples, in an array of a first call, which stay near the processor; of many, which do not."""
    pin = peer("pinocchio")
    s, model, n, count = States.random(system, 256), pinocchio_model(system.tree), system.nv, 256
    data, matrix = model.createData(), system.mass_matrix(s.q)
    q, v = s.pin_q[0].copy(), s.v[0].copy()
    yield Case(
        "mass matrix, batch of 256", name, lambda: system.mass_matrix(s.q, out=matrix), count,
        lambda: pin.crba(model, data, q), 1, "pin.crba, one call", (system, "mass_matrix", 0),
    )  # fmt: skip
    yield Case(
        "Coriolis matrix, batch of 256", name, lambda: system.coriolis_matrix(s.q, s.v, out=matrix), count,
        lambda: pin.computeCoriolisMatrix(model, data, q, v), 1, "pin.computeCoriolisMatrix, one call",
        (system, "coriolis_matrix", 0),
    )  # fmt: skip
    many, far = States.random(system, BATCH).q, np.empty((BATCH, n, n)).nbytes
    yield Case(
        "mass matrix, batch, no out=", name, lambda: system.mass_matrix(many), BATCH, storing(far), BATCH,
        "storing as many bytes, nothing else",
    )  # fmt: skip


def single_cases(name: str, system: System) -> Iterator[Case]:
    """One call from Python at a time."""
    pin = peer("pinocchio")

    s, model = States.random(system, 1), pinocchio_model(system.tree)
    data = model.createData()
    q, v, tau, pin_q = (np.ascontiguousarray(x[0]) for x in (s.q, s.v, s.tau, s.pin_q))
    rows: list[tuple[str, Call, Call, str]] = [
        (
            "forward dynamics, one call", lambda: system.forward_dynamics(q, v, tau),
            lambda: pin.aba(model, data, pin_q, v, tau), "pin.aba",
        ),
        (
            "forward dynamics on Earth, one call",
            lambda: system.forward_dynamics(q, v, tau, gravity=(0, 0, -9.81)),
            lambda: pin.aba(model, data, pin_q, v, tau), "pin.aba",
        ),
        (
            "inverse dynamics, one call", lambda: system.inverse_dynamics(q, v, tau),
            lambda: pin.rnea(model, data, pin_q, v, tau), "pin.rnea",
        ),
        (
            "mass matrix, one call", lambda: system.mass_matrix(q),
            lambda: pin.crba(model, data, pin_q), "pin.crba",
        ),
    ]  # fmt: skip
    for what, ours, theirs, peer_name in rows:
        yield Case(what, name, ours, 1, theirs, 1, peer_name)


def derivative_cases(name: str, system: System) -> Iterator[Case]:
    """Derivatives of forward dynamics by q, v and tau, in batches that stay near the processor and in large ones."""
    pin = peer("pinocchio")

    s, model = States.random(system, BATCH), pinocchio_model(system.tree)
    data, n = model.createData(), system.nv
    out = tuple(system.forward_dynamics_derivatives(s.q, s.v, s.tau))
    q, v, tau, pin_q = (np.ascontiguousarray(x[0]) for x in (s.q, s.v, s.tau, s.pin_q))
    few = [x[:256] for x in (s.q, s.v, s.tau)]
    near = tuple(np.empty((256, n, n)) for _ in range(3))
    limited = (system, "forward_dynamics_derivatives", sum(array.nbytes for array in out))

    def theirs() -> object:
        return pin.computeABADerivatives(model, data, pin_q, v, tau)

    yield Case(
        "forward dynamics derivatives, batch", name,
        lambda: system.forward_dynamics_derivatives(s.q, s.v, s.tau, out=out), BATCH, theirs, 1,
        "pin.computeABADerivatives", limited,
    )  # fmt: skip
    yield Case(
        "forward dynamics derivatives, batch, no out=", name,
        lambda: system.forward_dynamics_derivatives(s.q, s.v, s.tau), BATCH, theirs, 1,
        "pin.computeABADerivatives", limited,
    )  # fmt: skip
    yield Case(
        "forward dynamics derivatives, batch of 256", name,
        lambda: system.forward_dynamics_derivatives(*few, out=near), 256, theirs, 1, "pin.computeABADerivatives",
        (system, "forward_dynamics_derivatives", 0),
    )  # fmt: skip
    yield Case(
        "forward dynamics derivatives, one call", name,
        lambda: system.forward_dynamics_derivatives(q, v, tau), 1, theirs, 1, "pin.computeABADerivatives",
    )  # fmt: skip


def mujoco_cases(name: str, system: System) -> Iterator[Case]:
    """MuJoCo's forward dynamics, called from Python, beside our batch."""
    mujoco = peer("mujoco")

    s = States.random(system, BATCH)
    model = mujoco_model(system.tree)
    data, out = mujoco.MjData(model), np.empty((BATCH, system.nv))
    data.qvel[:] = s.v[0]
    yield Case(
        "forward dynamics, batch", name, lambda: system.forward_dynamics(s.q, s.v, s.tau, out=out), BATCH,
        lambda: mujoco.mj_forward(model, data), 1, "mj_forward, one call",
    )  # fmt: skip
