"""Methods of a system or plant, steps included, as C source, for people who put them on a controller: `um.export_c`."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..kernels.c_source import CEntry, c_file
from ..model import ModelError
from ..model.files.file_text import write_text
from ..trace import Traced
from ..version import __version__
from .bound_method import BoundMethod, names_of


class Exported(ABC):
    """Something that becomes functions of a C file."""

    @abstractmethod
    def entries(self, owner: Any, prefix: str) -> list[CEntry]:
        """The C functions for a system or plant; their names begin with the prefix."""


class CFunction(Exported):
    """A method of a system or plant to be exported, with what is fixed when the source is written.

    Values for the method's parameters are folded into the code: names of frames, `passive=["bus"]`, `method="heun"`,
    `gravity=(0, 0, -9.81)`. Arrays that the method requires (q, v, tau …), a plant's u, x and p, and those listed in
    `arguments`, for example ["gravity"], are arguments of the C function, in the order of the method's signature.
    `wrenches=["tool"]` makes the wrench on that frame an argument. `free=["arm3.mass"]` makes numbers of a system's
    bodies an argument `parameters`, in that order (see `compile_method`). `name`: of the C function, after the
    prefix.
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
        self.free, self.arguments = names_of(free), names_of(arguments)
        self.name = name or "_".join([method, *(x for x in static if isinstance(x, str))])

    def entries(self, owner: Any, prefix: str) -> list[CEntry]:
        """The C function of the method."""
        bound = BoundMethod(
            owner, self.method, self.static, self.arguments, self.options, self.free, run_time=True
        )
        traced = bound.traced(self.method)
        comment = inspect.getdoc(getattr(type(owner), self.method)) or self.method
        fixed = [f"Fixed: {name} = {value}" for name, value in bound.fixed.items()]
        inputs = [argument.name for argument in bound.arguments]
        return [
            c_entry(traced, f"{prefix}_{self.name}", inputs, bound.result_names(traced), comment, fixed),
        ]


def export_c(
    system: Any,
    functions: Iterable[str | tuple[Any, ...] | Exported],
    path: str | Path,
    *,
    dtype: object = "float64",
    prefix: str | None = None,
) -> tuple[Path, Path]:
    """Write methods of a system or plant as one dependency-free C99 file `path` and a header beside it; returns both.

    functions: names of methods, tuples with the names of frames and the like, `CFunction` for more, `CLaw` for a law:
    `["forward_dynamics", ("jacobian", "tool"), um.CFunction("inverse_dynamics", gravity=(0, 0, -9.81))]`.
    Functions are called `prefix_method_frame`; prefix: the system's name if not given. dtype: "float64" or
    "float32". Results have the bits of the system's own kernels (see the header's comment). The header says how much
    stack each function needs.
    """
    path = Path(path)
    if path.suffix != ".c":
        raise ModelError.single(system.name, "path", expected="the name of a .c file", given=repr(str(path)))
    prefix = identifier(system.name if prefix is None else prefix)
    items = [_as_exported(system, item) for item in functions]
    entries = [entry for item in items for entry in item.entries(system, prefix)]
    names = [entry.name for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        expected = "at least one function, each with a name of its own (um.CFunction(…, name=…))"
        raise ModelError.single(system.name, "functions", expected=expected, given=", ".join(twice) or "none")
    made = c_file(
        path.stem, entries, comment=_conventions(system, dtype), macros=_sizes(system, prefix), dtype=dtype
    )
    header = path.with_suffix(".h")
    write_text(path, made.source)
    write_text(header, made.header)
    return path, header


def _as_exported(system: Any, item: Any) -> Exported:
    if isinstance(item, Exported):
        return item
    parts = (item,) if isinstance(item, str) else tuple(item) if isinstance(item, tuple | list) else ()
    if not parts or not isinstance(parts[0], str):
        expected = 'a method\'s name, a tuple such as ("jacobian", "tool"), a CFunction or a CLaw'
        raise ModelError.single(system.name, "functions", expected=expected, given=repr(item))
    return CFunction(*parts)


def _sizes(system: Any, prefix: str) -> dict[str, int]:
    """Lengths of the vectors: of q and v, and those that a plant has."""
    words = {"NQ": "nq", "NV": "nv"}
    if system._subject is system:
        words |= {"NU": "nu", "NX": "nx", "NP": "np"}
    return {f"{prefix.upper()}_{macro}": system._size_of(word) for macro, word in words.items()}


def c_entry(
    traced: Traced,
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    comment: str,
    notes: Sequence[str] = (),
) -> CEntry:
    """A C function of named arrays; what has no entries is left out. The comment tells the arrays' sizes."""
    inputs = tuple(map(identifier, inputs))
    traced, outputs = _with_entries(traced, tuple(map(identifier, outputs)))
    twice = sorted({word for word in (*inputs, *outputs) if (*inputs, *outputs).count(word) > 1})
    if twice:
        expected = "arguments whose names differ as C identifiers (frames of wrenches, …)"
        raise ModelError.single(name, "functions", expected=expected, given=", ".join(twice))
    shapes = [*traced.input_shapes, *traced.output_shapes]
    sizes = [_sized(word, shape) for word, shape in zip((*inputs, *outputs), shapes, strict=True)]
    arrow = f"{', '.join(sizes[: len(inputs)]) or 'nothing'} -> {', '.join(sizes[len(inputs) :])}"
    return CEntry(traced, identifier(name), inputs, outputs, "\n".join([comment, "", arrow, *notes]))


def _with_entries(traced: Traced, names: tuple[str, ...]) -> tuple[Traced, tuple[str, ...]]:
    """The function and the names of its outputs without those that have no entries."""
    kept = [k for k, shape in enumerate(traced.output_shapes) if 0 not in shape]
    if len(kept) == len(names):
        return traced, names
    outputs, shapes = ([given[k] for k in kept] for given in (traced.outputs, traced.output_shapes))
    found = replace(traced, outputs=tuple(outputs), output_shapes=tuple(shapes))
    return found, tuple(names[k] for k in kept)


def _sized(name: str, shape: tuple[int, ...]) -> str:
    return name + "".join(f"[{n}]" for n in shape or (1,))


def identifier(text: str) -> str:
    """A C identifier as near to the text as possible."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return name if name and not name[0].isdigit() else f"_{name}"


def _conventions(system: Any, dtype: object) -> str:
    """What the numbers mean, for the head of the header."""
    joints = [(link.name, link.q, link.joint.nq) for link in system.tree.links if link.joint.nq]
    return "\n".join([
        f"{system.name}: written by unmoored {__version__}, not to be edited.",
        f"Digest of the system: {system.tree.digest or 'none, it has joints defined by code'}",
        f"Numbers: {np.dtype(dtype).name}, in SI units; matrices row by row.",  # type: ignore[arg-type]
        "",
        "Twists are (v, w) and wrenches (force, moment), linear part first; velocities of bodies are in the body's own",
        "axes, at its origin. World z is up. Leading dimensions (...) in the comments below are absent: one",
        "sample a call.",
        "",
        f"Configuration q, {system.nq} numbers:", *(_coordinates(*joint) for joint in joints),
        *_listed("Velocity v, and likewise accelerations and forces", system.dof_names),
        *(_of_plant(system) if system._subject is system else ()),
        "",
    ])  # fmt: skip


def _of_plant(plant: Any) -> Iterable[str]:
    yield f"Digest of the plant: {plant.digest or 'none, code of its own is part of it'}"
    for what, names in (
        ("Inputs u", plant.input_names),
        ("States x of the actuators", plant.state_names),
        ("Parameters p", plant.parameter_names),
    ):
        yield from _listed(what, names) if names else ()


def _listed(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what}, {len(names)} numbers:", *(f"  [{k}] {name}" for k, name in enumerate(names))]


def _coordinates(name: str, place: slice, count: int) -> str:
    if count == 1:
        return f"  [{place.start}] {name}"
    meaning = "rotation matrix (9, row by row), position (3)" if count == 12 else "coordinates"
    return f"  [{place.start}..{place.stop - 1}] {name}: {meaning}"
