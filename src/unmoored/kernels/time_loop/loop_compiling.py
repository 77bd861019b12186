"""From the functions of a time loop to a compiled one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...error_roots import ArrayError
from ...trace import LOOPS_BEYOND, graph_digest
from .. import disk_cache, machine_code
from ..cache_key import place as place_of
from ..compile_once import compiled_once
from ..number_formats import format_of
from .llvm_loop_source import module_text
from .loop_functions import MOST_INPUTS, Function, Functions, Sizes, traced_functions
from .loop_kernel import LoopKernel

SAMPLES = ("any", "one", "many")


def compile_loop(
    step: Function,
    record: Function,
    *,
    state: int,
    parameters: int = 0,
    inputs: int | tuple[int, ...] = 0,
    update: Function | None = None,
    after: Function | None = None,
    name: str = "time_loop",
    dtype: object = "float64",
    key: str | None = None,
    width: int | None = None,
    loops_beyond: int | None = LOOPS_BEYOND,
    backend: str = "cpu",
    samples: str = "any",
) -> Any:
    """Compile the loop over time steps around traceable functions of one sample.

    step(t, h, y, p, u) → (y_next (state,), verdict): verdict 0 goes on; a positive whole number is an event, which
    stops the sample at y_next; a negative one refuses the step and stops the sample at y. Numbers that are not
    finite, in y_next or the verdict, do so as well (status NOT_FINITE).
    record(t, y, p, u) → (m,): what is kept of a state.
    update(t, y, p, u) → y: done before every `update_every`-th step (a controller whose output is held in y).
    after(t, y, p, u) → y: done after every `update_every`-th step, with the t and u of that step.
    t is the time of the step, h its size (both scalars); y (state,), p (parameters,) and u (inputs,) vectors.
    samples: "one" or "many" compiles the code for one sample alone or for lanes of them only, in less time; the loop
    takes any number all the same, with the same bits.
    inputs: their number; or numbers (up to three) of those in several arrays, which u has one after the other.

    The functions are never fused with one another. The code is kept in the disk cache, by a `key` that tells apart
    everything that they depend on, or else by their graphs. Results do not depend on `width`, the number of lanes.
    """
    form = format_of(dtype)
    parts = inputs if isinstance(inputs, tuple) else (inputs,)
    sizes = state, parameters, sum(parts)
    if state < 1 or parameters < 0 or min(parts) < 0 or len(parts) > MOST_INPUTS:
        raise ArrayError(f"a time loop needs a state, and no negative sizes; got {sizes}")

    def traced() -> Functions:
        return traced_functions(step, record, update, sizes, form, loops_beyond, after, parts)

    if backend == "cuda":
        from .cuda_loop_kernel import CudaLoopKernel

        return CudaLoopKernel(name, form, traced())
    if backend != "cpu":
        raise ArrayError(f"the backend of a time loop must be one of cpu, cuda; got {backend!r}")
    if samples not in SAMPLES:
        raise ArrayError(f"the samples of a time loop must be one of {', '.join(SAMPLES)}; got {samples!r}")
    if machine_code.optimisation() == 0:
        samples = "one"
    lanes = width or machine_code.host().width(form)
    functions = None
    if key is None:
        functions = traced()
        key = graph_digest(*functions.all)
    place = place_of("time loop", f"{key}\0{sizes}\0{parts}\0{loops_beyond}\0{samples}", name, form, lanes)
    known = functions

    def compiled() -> disk_cache.Entry:
        functions = known or traced()
        code = machine_code.assemble(module_text(functions, form, lanes, samples))
        return disk_cache.Entry({"sizes": asdict(functions.sizes), "operations": functions.operations}, code)

    entry = compiled_once(place, name, compiled)
    return LoopKernel(name, form, Sizes(**entry.facts["sizes"]), entry.facts["operations"], lanes, entry.code)
