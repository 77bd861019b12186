"""JAX: methods of systems and plants, and rollouts, as functions of arrays for `jax.grad`, `jax.jit` and `jax.vmap`.

    accelerations = bridges.jax.function(plant, "forward_dynamics")
    jax.grad(lambda u: accelerations(0.0, q, v, u) @ accelerations(0.0, q, v, u))(u)

The kernels run on the CPU, called back from JAX's programs; under `vmap` all samples go into one call. Reverse mode and
first derivatives only. docs/bridges.md says what a gradient by a configuration is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..error_roots import optional
from ..model import ModelError
from ..simulation import Rollout
from .differentiable import Differentiable, DifferentiableMethod, FunctionOfArrays, checked_batch, is_number
from .differentiable_rollout import RolloutOfArrays

jax = optional("jax", "jax", "unmoored.bridges.jax")
jnp = optional("jax.numpy", "jax", "unmoored.bridges.jax")


__all__ = ["function", "rollout"]


def function(
    owner: Any,
    method: str,
    /,
    *static: Any,
    free: Iterable[str] = (),
    arguments: Iterable[str] = (),
    **options: Any,
) -> FunctionOfArrays:
    """A method of a `System` or `Plant` as a function of arrays that can be differentiated, compiled and mapped.

    Its arrays are those that the method requires, a plant's u, x and p (free parameters) as far as it has any, and
    the optional ones in `arguments` (`["gravity"]`), in the order of the method's signature. static: frames and
    the like.  options: values by name, fixed.  free: numbers of a system's bodies ("elbow.mass") that become one more,
    as for `um.compile_method`.
    """
    work = DifferentiableMethod(owner, method, static, arguments, options, free)
    return FunctionOfArrays(work, _differentiable, "JAX arrays")


def rollout(of: Rollout, /) -> RolloutOfArrays:
    """A rollout as a function of arrays that can be differentiated, compiled and mapped."""
    return RolloutOfArrays(of, _differentiable, "JAX arrays")


def _checked(work: Differentiable, given: Sequence[Any]) -> list[Any]:
    """Arrays of one number format; numbers become such."""
    pairs = list(zip(work.arguments, given, strict=True))
    known = {name: jnp.asarray(x) for name, x in pairs if not is_number(x)}
    if not known:
        raise ModelError.single(work.where, "arguments", expected="arrays", given="none")
    first, lead = next(iter(known.items()))
    arrays = []
    for name, x in pairs:
        array = jnp.asarray(x, dtype=lead.dtype) if is_number(x) else known[name]
        if isinstance(x, np.ndarray) and x.dtype != array.dtype:
            expected = f'{array.dtype}, or jax.config.update("jax_enable_x64", True)'
            raise ModelError.single(work.where, name, expected=expected, given=f"NumPy's {x.dtype}")
        if array.dtype not in (np.float32, np.float64):
            raise ModelError.single(work.where, name, expected="float32 or float64", given=str(array.dtype))
        if array.dtype != lead.dtype:
            expected = f"{lead.dtype}, as {first} is"
            raise ModelError.single(work.where, name, expected=expected, given=str(array.dtype))
        arrays.append(array)
    checked_batch(work, [x.shape for x in arrays])
    work.check(False, lead.dtype.name)
    return arrays


def _differentiable(work: Differentiable) -> Any:
    """The function of flat arrays to the tuple of results, with its gradients as JAX's own rule."""
    cores = list(work.arguments.values())
    wanted = tuple(k for k, name in enumerate(work.arguments) if name != "t0")

    def called_back(host: Any, shapes: list[tuple[int, ...]], arrays: Sequence[Any]) -> tuple[Any, ...]:
        dtype = arrays[0].dtype
        wanted_shapes = tuple(jax.ShapeDtypeStruct(shape, dtype) for shape in shapes)
        return jax.pure_callback(host, wanted_shapes, *arrays, vmap_method="broadcast_all")

    def aligned(arrays: Sequence[Any]) -> tuple[tuple[int, ...], list[Any]]:
        """Arrays whose leading dimensions are as many as those of their batch: `vmap` puts its own in front."""
        batch = checked_batch(work, [x.shape for x in arrays])
        missing = [len(batch) + len(core) - x.ndim for x, core in zip(arrays, cores, strict=True)]
        return batch, [x.reshape((1,) * n + x.shape) for x, n in zip(arrays, missing, strict=True)]

    def forward_on_host(*arrays: Any) -> tuple[np.ndarray, ...]:
        given = [np.asarray(x) for x in arrays]
        return tuple(np.asarray(x) for x in work.forward(given, False, given[0].dtype.name))

    def backward_on_host(*arrays: Any) -> tuple[np.ndarray, ...]:
        given = [np.asarray(x) for x in arrays]
        n = len(cores)
        kept = 2 if work.keeps_results else 0
        parts = given[:n], given[n : n + kept], given[n + kept :]
        found = work.backward(wanted, *parts, False, given[0].dtype.name)
        return tuple(np.asarray(x) for x in found)

    def results(arrays: Sequence[Any]) -> tuple[Any, ...]:
        batch, arrays = aligned(arrays)
        shapes = [batch + shape for shape in work.result_shapes(arrays[0].dtype.name)]
        return called_back(forward_on_host, shapes, arrays)

    @jax.custom_jvp
    def gradients(arrays: Any, kept: Any, weights: Any) -> Any:
        batch, full = aligned(arrays)
        found = called_back(backward_on_host, [batch + cores[k] for k in wanted], [*full, *kept, *weights])
        by_place = dict(zip(wanted, found, strict=True))
        return tuple(
            _summed(by_place[k], x.shape) if k in by_place else jnp.full_like(x, jnp.nan)
            for k, x in enumerate(arrays)
        )

    @gradients.defjvp
    def refused(primals: Any, tangents: Any) -> Any:
        expected = "first derivatives only"
        raise ModelError.single(
            work.where, "second derivative", expected=expected, given="a gradient of a gradient"
        )

    @jax.custom_vjp
    def evaluated(*arrays: Any) -> tuple[Any, ...]:
        return results(arrays)

    def forward(*arrays: Any) -> Any:
        found = evaluated(*arrays)
        return found, (arrays, found if work.keeps_results else ())

    def backward(kept: Any, weights: Any) -> Any:
        return gradients(kept[0], kept[1], weights)

    evaluated.defvjp(forward, backward)
    return lambda *given: evaluated(*_checked(work, given))


def _summed(gradient: Any, shape: tuple[int, ...]) -> Any:
    """A gradient summed over the dimensions that were broadcast."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    over = tuple(k for k, n in enumerate(shape) if n == 1 and gradient.shape[k] != 1)
    return gradient.sum(axis=over, keepdims=True) if over else gradient
