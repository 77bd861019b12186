"""PyTorch: methods of systems and plants, and rollouts, as functions of tensors with gradients.

    accelerations = bridges.torch.function(plant, "forward_dynamics")
    accelerations(0.0, q, v, u).square().sum().backward()

Tensors on the CPU are read and written in place, those on an NVIDIA GPU are computed there; nothing is copied. First
derivatives only: a second one raises. docs/bridges.md says what a gradient by a configuration is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..error_roots import optional
from ..kernels.cuda.device import cupy
from ..model import ModelError
from ..simulation import Rollout
from .differentiable import Differentiable, DifferentiableMethod, FunctionOfArrays, checked_batch, is_number
from .differentiable_rollout import RolloutOfArrays

torch = optional("torch", "torch", "unmoored.bridges.torch")

__all__ = ["function", "rollout"]

#: number formats by torch's names for them
NAMES = {torch.float64: "float64", torch.float32: "float32"}


def function(
    owner: Any,
    method: str,
    /,
    *static: Any,
    free: Iterable[str] = (),
    arguments: Iterable[str] = (),
    **options: Any,
) -> FunctionOfArrays:
    """A method of a `System` or `Plant` as a function of tensors that can be differentiated, batches included.

    Its tensors are those that the method requires, a plant's u, x and p (free parameters) as far as it has any, and
    the optional ones in `arguments` (`["gravity"]`), in the order of the method's signature. static: frames and
    the like.  options: values by name, fixed.  free: numbers of a system's bodies ("elbow.mass") that become one more,
    as for `um.compile_method`.
    """
    work = DifferentiableMethod(owner, method, static, arguments, options, free)
    return FunctionOfArrays(work, _evaluation, "tensors")


def rollout(of: Rollout, /) -> RolloutOfArrays:
    """A rollout as a function of tensors that can be differentiated."""
    return RolloutOfArrays(of, _evaluation, "tensors")


def _evaluation(work: Differentiable) -> Callable[..., tuple[Any, ...]]:
    """The function of tensors to the tuple of results, with its gradients."""

    def evaluated(*given: Any) -> tuple[Any, ...]:
        tensors = _checked(work, given)
        checked_batch(work, [tuple(x.shape) for x in tensors])
        work.check(tensors[0].is_cuda, NAMES[tensors[0].dtype])
        return _Evaluated.apply(work, *tensors)

    return evaluated


def _checked(work: Differentiable, given: Sequence[Any]) -> list[Any]:
    """Tensors of one number format on one device; numbers become such."""
    known = {name: x for name, x in zip(work.arguments, given, strict=True) if isinstance(x, torch.Tensor)}
    if not known:
        raise ModelError.single(work.where, "arguments", expected="tensors", given="none")
    first, lead = next(iter(known.items()))
    tensors = []
    for name, x in zip(work.arguments, given, strict=True):
        if is_number(x):
            x = torch.tensor(float(x), dtype=lead.dtype, device=lead.device)
        if not isinstance(x, torch.Tensor):
            raise ModelError.single(
                work.where, name, expected="a tensor, or a number", given=type(x).__name__
            )
        if x.dtype not in NAMES:
            raise ModelError.single(work.where, name, expected="float64 or float32", given=str(x.dtype))
        if x.device.type not in ("cpu", "cuda"):
            raise ModelError.single(work.where, name, expected="a device cpu or cuda", given=str(x.device))
        if (x.dtype, x.device) != (lead.dtype, lead.device):
            expected = f"{lead.dtype} on {lead.device}, as {first} is"
            raise ModelError.single(work.where, name, expected=expected, given=f"{x.dtype} on {x.device}")
        tensors.append(x)
    return tensors


class _Evaluated(torch.autograd.Function):
    """The results; the gradients are `_Pulled`."""

    @staticmethod
    def forward(ctx: Any, work: Differentiable, *tensors: Any) -> tuple[Any, ...]:
        lead = tensors[0]
        with on_stream_of(lead.device):
            arrays = [_array(x) for x in tensors]
            results = tuple(map(tensor_of, work.forward(arrays, lead.is_cuda, NAMES[lead.dtype])))
        ctx.work, ctx.count = work, len(tensors)
        ctx.save_for_backward(*tensors, *(results if work.keeps_results else ()))
        return results

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> tuple[Any, ...]:
        wanted = tuple(k for k, needed in enumerate(ctx.needs_input_grad[1:]) if needed)
        found = _Pulled.apply(ctx.work, wanted, ctx.count, *ctx.saved_tensors, *weights)
        gradients = [None] * ctx.count
        for k, gradient in zip(wanted, found, strict=True):
            gradients[k] = gradient
        return (None, *gradients)


class _Pulled(torch.autograd.Function):
    """Gradients by the wanted tensors, summed over what was broadcast; they are not differentiated again."""

    @staticmethod
    def forward(
        ctx: Any, work: Differentiable, wanted: tuple[int, ...], count: int, *tensors: Any
    ) -> tuple[Any, ...]:
        lead = tensors[0]
        kept = 2 if work.keeps_results else 0
        ctx.where = work.where
        with on_stream_of(lead.device):
            arrays = [_array(x) for x in tensors]
            parts = arrays[:count], arrays[count : count + kept], arrays[count + kept :]
            found = work.backward(wanted, *parts, lead.is_cuda, NAMES[lead.dtype])
            return tuple(
                tensor_of(g).sum_to_size(tensors[k].shape) for k, g in zip(wanted, found, strict=True)
            )

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> tuple[Any, ...]:
        expected = "first derivatives only: no backward through gradients (create_graph=True)"
        raise ModelError.single(ctx.where, "second derivative", expected=expected, given="a double backward")


def _array(tensor: Any) -> Any:
    """The tensor's memory as an array of NumPy, or of CuPy on the GPU."""
    tensor = tensor.detach()
    return cupy().asarray(tensor) if tensor.is_cuda else tensor.numpy()


def tensor_of(array: Any) -> Any:
    """The array's memory as a tensor."""
    if isinstance(array, np.ndarray | np.generic):
        return torch.from_numpy(np.asarray(array))
    return torch.as_tensor(array, device=f"cuda:{array.device.id}")


def on_stream_of(device: Any) -> AbstractContextManager[Any]:
    """CuPy works on the stream that torch uses now on a device, so that neither waits for the other."""
    if device.type != "cuda":
        return nullcontext()
    number = torch.cuda.current_stream(device).cuda_stream
    return cupy().cuda.ExternalStream(number) if number else cupy().cuda.Stream.null
