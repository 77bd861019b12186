"""Forward dynamics on an NVIDIA GPU, called as a user calls it, beside the same recursion in JAX.

    python benchmarks/cuda_forward_dynamics.py [--samples 1048576] [--json results.json]

Needs the extra `cuda`; JAX is measured if it is installed. Arrays are C-ordered (samples, n) on the GPU, results
are new arrays there. Figures are evaluations per second, the median of several rounds timed with CUDA events.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unmoored as um

SYSTEM = "free_flyer_arm7"
ROUNDS, CALLS = 9, 20
#: largest relative error against the NumPy reference in double precision
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def main() -> None:
    parser = argparse.ArgumentParser(description="Forward dynamics on an NVIDIA GPU")
    parser.add_argument("--samples", type=int, default=2**20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    system = um.load(SYSTEM)
    rows = []
    for dtype in ("float64", "float32"):
        rows.append(measure_unmoored(system, dtype, options.samples))
        jax_row = measure_jax(system, dtype, options.samples)
        rows += [jax_row] if jax_row else []
    print(f"forward dynamics of {SYSTEM}, {options.samples} samples, {device_name()}")
    for row in rows:
        print(
            f"{row['what']:10} {row['dtype']}: {row['per_second']:.3g} evaluations/s,"
            f" first call {row['first_call']:.2f} s, error {row['error']:.1e}"
        )
    if options.json:
        options.json.write_text(
            json.dumps({"device": device_name(), "rows": rows}, indent=2), encoding="utf-8"
        )


def device_name() -> str:
    import cupy

    return cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()


def sample_inputs(system: um.System, dtype: str, samples: int) -> list[np.ndarray]:
    """q, v and tau of random states."""
    rng = np.random.default_rng(1)
    q = np.tile(system.random_configuration(rng), (samples, 1))
    q[:, 12:] = rng.uniform(-3.0, 3.0, (samples, system.nq - 12))
    v, tau = rng.normal(size=(2, samples, system.nv))
    return [q.astype(dtype), v.astype(dtype), tau.astype(dtype)]


def measure_unmoored(system: um.System, dtype: str, samples: int) -> dict[str, Any]:
    import cupy

    inputs = sample_inputs(system, dtype, samples)
    on_gpu = [cupy.asarray(x) for x in inputs]
    start = time.perf_counter()
    result = system.forward_dynamics(*on_gpu)
    cupy.cuda.Device().synchronize()
    first = time.perf_counter() - start
    seconds = median_seconds(lambda: system.forward_dynamics(*on_gpu))
    return row("unmoored", dtype, samples / seconds, first, error(system, inputs, result.get(), dtype))


def median_seconds(call: Callable[[], Any]) -> float:
    """Time of one call on the GPU, queued many times in a row."""
    import cupy

    times = []
    for _ in range(ROUNDS):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(CALLS):
            call()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3 / CALLS)
    return statistics.median(times)


def row(what: str, dtype: str, per_second: float, first_call: float, error: float) -> dict[str, Any]:
    if not error <= TOLERANCE[dtype]:
        raise SystemExit(f"{what} in {dtype} is wrong: relative error {error:.2e}")
    return {
        "what": what, "dtype": dtype, "per_second": per_second, "first_call": first_call, "error": error,
    }  # fmt: skip


def error(system: um.System, inputs: list[np.ndarray], result: np.ndarray, dtype: str) -> float:
    """Largest difference from the NumPy reference relative to the sample's largest acceleration."""
    few = [x[-1000:].astype(float) for x in inputs]
    exact = system.forward_dynamics(*few, backend="numpy")
    scale = np.abs(exact).max(axis=-1, keepdims=True)
    return float((np.abs(result[-1000:] - exact) / scale).max())


def measure_jax(system: um.System, dtype: str, samples: int) -> dict[str, Any] | None:
    """The articulated-body recursion, vmapped and compiled by JAX."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")  # else float32 products have 10 bits
    inputs = sample_inputs(system, dtype, samples)
    on_gpu = [jax.numpy.asarray(x) for x in inputs]
    compiled = jax.jit(jax.vmap(articulated_bodies(system, dtype)))
    start = time.perf_counter()
    result = compiled(*on_gpu).block_until_ready()
    first = time.perf_counter() - start
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            last = compiled(*on_gpu)
        last.block_until_ready()
        times.append((time.perf_counter() - start) / CALLS)
    found = error(system, inputs, np.asarray(result), dtype)
    return row("jax", dtype, samples / statistics.median(times), first, found)


def articulated_bodies(system: um.System, dtype: str) -> Callable[..., Any]:
    """Forward dynamics of a free base with revolute joints on it, in jax.numpy with 6×6 matrices (theory.md §12)."""
    import jax.numpy as jnp

    links = system.tree.links
    axes = [np.concatenate([np.zeros(3), np.asarray(link.joint.axis)]) for link in links[1:]]  # type: ignore[attr-defined]
    constants = [
        [jnp.asarray(x, dtype) for x in (link.placement, link.inertia, axis)]
        for link, axis in zip(links[1:], axes, strict=True)
    ]

    def hat(x: Any) -> Any:
        zero = jnp.zeros_like(x[0])
        return jnp.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]])

    def ad(V: Any) -> Any:
        return jnp.block([[hat(V[3:]), hat(V[:3])], [jnp.zeros((3, 3), dtype), hat(V[3:])]])

    def to_child(placement: Any, axis: Any, angle: Any) -> Any:
        K = hat(axis[3:])
        R = placement[:3, :3] @ (jnp.eye(3, dtype=dtype) + jnp.sin(angle) * K + (1 - jnp.cos(angle)) * K @ K)
        return jnp.block([[R.T, -R.T @ hat(placement[:3, 3])], [jnp.zeros((3, 3), dtype), R.T]])

    def solve(A: Any, y: Any) -> Any:
        """A⁻¹ y by elimination, written out: faster on the GPU than a call of its library for 6×6."""
        for k in range(6):
            factors = jnp.where(jnp.arange(6) == k, 0.0, A[:, k] / A[k, k]).astype(dtype)
            A, y = A - jnp.outer(factors, A[k]), y - factors * y[k]
        return y / jnp.diagonal(A)

    def forward_dynamics(q: Any, v: Any, tau: Any) -> Any:
        base = jnp.asarray(links[0].inertia, dtype)
        V, M, b, X, c = [v[:6]], [base], [-ad(v[:6]).T @ (base @ v[:6])], [None], [None]
        for i, (placement, inertia, S) in enumerate(constants):
            link = links[i + 1]
            X.append(to_child(placement, S, q[link.q.start]))
            V.append(X[-1] @ V[link.parent] + S * v[link.v.start])
            c.append(ad(V[-1]) @ (S * v[link.v.start]))
            M.append(inertia)
            b.append(-ad(V[-1]).T @ (inertia @ V[-1]))
        U, D, u = {}, {}, {}
        for i in reversed(range(1, len(links))):
            link, S = links[i], constants[i - 1][2]
            U[i] = M[i] @ S
            D[i] = S @ U[i] + jnp.asarray(link.armature, dtype)[0]
            u[i] = tau[link.v.start] - S @ b[i]
            rest = M[i] - jnp.outer(U[i], U[i]) / D[i]
            M[link.parent] = M[link.parent] + X[i].T @ rest @ X[i]
            b[link.parent] = b[link.parent] + X[i].T @ (b[i] + rest @ c[i] + U[i] * (u[i] / D[i]))
        a = [solve(M[0], tau[:6] - b[0])]
        out = [a[0]]
        for i in range(1, len(links)):
            given = X[i] @ a[links[i].parent] + c[i]
            acceleration = (u[i] - U[i] @ given) / D[i]
            a.append(given + constants[i - 1][2] * acceleration)
            out.append(acceleration[None])
        return jnp.concatenate(out)

    return forward_dynamics


if __name__ == "__main__":
    main()
