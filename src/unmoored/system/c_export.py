"""Methods of a system or plant as C source, for people who put it on a controller: `um.export_c`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..kernels.c_source import CEntry, c_file
from ..model import ModelError
from ..trace import Traced
from ..version import __version__
from .bound_method import BoundMethod


class CFunction:
    """A method of a system to be exported, with what is fixed when the source is written.

    Values for the method's parameters are folded into the code: names of frames, `passive=["bus"]`,
    `gravity=(0, 0, -9.81)`. Arrays that the method requires (q, v, tau …) are arguments of the C function, and
    so are those listed in `arguments`, for example ["gravity"]. `wrenches=["tool"]` makes the wrench on that
    frame an argument. `free=["arm3.mass"]` makes numbers of bodies an argument `parameters`, in that order (see
    `compile_method`). `name`: of the C function, after the system's prefix.
    """

    method: str
    static: tuple[Any, ...]
    options: dict[str, Any]
    free: tuple[str, ...]
    arguments: tuple[str, ...]
    name: str

    def __init__(
        self,
        method: str,
        /,
        *static: Any,
        name: str | None = None,
        arguments: Iterable[str] = (),
        free: Iterable[str] = (),
        **options: Any,
    ) -> None:
        self.method, self.static, self.options = method, static, options
        self.free = (free,) if isinstance(free, str) else tuple(free)
        self.arguments = (arguments,) if isinstance(arguments, str) else tuple(arguments)
        self.name = name or "_".join([method, *(x for x in static if isinstance(x, str))])


def export_c(
    system: Any,
    functions: Iterable[str | tuple[Any, ...] | CFunction],
    path: str | Path,
    *,
    dtype: object = "float64",
    prefix: str | None = None,
) -> tuple[Path, Path]:
    """Write methods of a system as one dependency-free C99 file `path` and a header beside it; returns both.

    functions: names of methods, tuples with the names of frames and the like, or `CFunction` for more:
    `["forward_dynamics", ("jacobian", "tool"), um.CFunction("inverse_dynamics", gravity=(0, 0, -9.81))]`.
    Functions are called `prefix_method_frame`; prefix: the system's name if not given. dtype: "float64" or
    "float32". Results have the bits of the system's own kernels (see the header's comment).
    """
    path = Path(path)
    if path.suffix != ".c":
        raise ModelError.single(system.name, "path", expected="the name of a .c file", given=repr(str(path)))
    prefix = _identifier(system.name if prefix is None else prefix)
    entries = [_entry(system, _as_function(system, item), prefix) for item in functions]
    names = [entry.name for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        expected = "at least one function, each with a name of its own (um.CFunction(…, name=…))"
        raise ModelError.single(system.name, "functions", expected=expected, given=", ".join(twice) or "none")
    macros = {f"{prefix.upper()}_NQ": system.nq, f"{prefix.upper()}_NV": system.nv}
    made = c_file(path.stem, entries, comment=_conventions(system, dtype), macros=macros, dtype=dtype)
    header = path.with_suffix(".h")
    path.write_text(made.source, encoding="utf-8")
    header.write_text(made.header, encoding="utf-8")
    return path, header


def _as_function(system: Any, item: Any) -> CFunction:
    if isinstance(item, CFunction):
        return item
    parts = (item,) if isinstance(item, str) else tuple(item) if isinstance(item, tuple | list) else ()
    if not parts or not isinstance(parts[0], str):
        expected = 'a method\'s name, a tuple such as ("jacobian", "tool"), or a CFunction'
        raise ModelError.single(system.name, "functions", expected=expected, given=repr(item))
    return CFunction(*parts)


def _entry(system: Any, item: CFunction, prefix: str) -> CEntry:
    """The C function of a method."""
    bound = BoundMethod(system, item.method, item.static, item.arguments, item.options, item.free)
    traced = bound.traced(item.method)
    inputs = tuple(_identifier(argument.name) for argument in bound.arguments)
    traced, outputs = _with_entries(traced, _output_names(bound, traced, inputs))
    comment = inspect.getdoc(getattr(type(system), item.method)) or item.method
    shapes = [*traced.input_shapes, *traced.output_shapes]
    sizes = [_sized(name, shape) for name, shape in zip((*inputs, *outputs), shapes, strict=True)]
    listed = [comment, "", f"{', '.join(sizes[: len(inputs)])} -> {', '.join(sizes[len(inputs) :])}"]
    listed += [f"Fixed: {name} = {value}" for name, value in bound.fixed.items()]
    return CEntry(traced, f"{prefix}_{_identifier(item.name)}", inputs, outputs, "\n".join(listed))


def _with_entries(traced: Traced, names: tuple[str, ...]) -> tuple[Traced, tuple[str, ...]]:
    """The function and the names of its outputs without those that have no entries."""
    kept = [k for k, shape in enumerate(traced.output_shapes) if 0 not in shape]
    if len(kept) == len(names):
        return traced, names
    outputs, shapes = ([given[k] for k in kept] for given in (traced.outputs, traced.output_shapes))
    found = replace(traced, outputs=tuple(outputs), output_shapes=tuple(shapes), single=len(kept) == 1)
    return found, tuple(names[k] for k in kept)


def _output_names(bound: BoundMethod, traced: Traced, inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the result's fields, `out`, or `out0`, `out1` … of a plain tuple."""
    if bound.method.returns is not None:
        fields: tuple[str, ...] = bound.method.returns._fields  # type: ignore[attr-defined]
        return tuple(f"{field}_out" if field in inputs else field for field in fields)
    count = len(traced.outputs)
    return ("out",) if count == 1 else tuple(f"out{k}" for k in range(count))


def _sized(name: str, shape: tuple[int, ...]) -> str:
    return name + "".join(f"[{n}]" for n in shape or (1,))


def _identifier(text: str) -> str:
    """A C identifier as near to the text as possible."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return name if name and not name[0].isdigit() else f"_{name}"


def _conventions(system: Any, dtype: object) -> str:
    """What the numbers mean, for the head of the header."""
    joints = [(link.name, link.q, link.joint.nq) for link in system.tree.links if link.joint.nq]
    configuration = [_coordinates(*joint) for joint in joints]
    velocity = [f"  [{k}] {name}" for k, name in enumerate(system.dof_names)]
    return "\n".join([
        f"{system.name}: written by unmoored {__version__}, not to be edited.",
        f"Digest of the system: {system.tree.digest or 'none, it has joints defined by code'}",
        f"Numbers: {np.dtype(dtype).name}, in SI units; matrices row by row.",  # type: ignore[arg-type]
        "",
        "Twists are (v, w) and wrenches (f, n), linear part first; velocities of bodies are in the body's own",
        "axes, at its origin. World z is up. Leading dimensions (...) in the comments below are absent: one",
        "sample a call.",
        "",
        f"Configuration q, {system.nq} numbers:", *configuration,
        f"Velocity v, and likewise accelerations and forces, {system.nv} numbers:", *velocity,
        "",
    ])  # fmt: skip


def _coordinates(name: str, place: slice, count: int) -> str:
    if count == 1:
        return f"  [{place.start}] {name}"
    meaning = "rotation matrix (9, row by row), position (3)" if count == 12 else "coordinates"
    return f"  [{place.start}..{place.stop - 1}] {name}: {meaning}"
