"""One declaration for each method of `System` and `Plant`.

    @method(recursive.forward_dynamics, q="nq", v="nv", tau="nv", gravity=GRAVITY, wrenches=WRENCHES)
    def forward_dynamics(self, q, v, tau, *, gravity=NO_GRAVITY, wrenches=None, backend=None, out=None): ...

says which function of the tree (or plant) stands behind the method, and what its arguments are, in the function's
order: arrays by their size, names by what they name. The definition below it is what users see: its signature and its
docstring. All else reads the declaration: the checks, the kernels and their keys, the call in a control loop, `out=`
and `backend=`, `compile_method`, `export_c`, and the use on symbols.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..kernels.cuda import device
from ..model import ModelError
from .argument_kinds import ArrayOf, Kind, Named, WrenchesOn, as_kind
from .method_calls import checked_call

Definition = TypeVar("Definition", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Method:
    """A method: function(subject, *arrays, *names) with the kinds of its arguments by name.

    returns: the named tuple that the function returns, None for an array or a plain tuple.  numpy_only: it judges
    numbers (eigenvalues and the like) and is no kernel.  check: check(owner, values) for rules between arguments.
    sizes: lengths of the results, vectors all, where some may be empty: kernels leave those out.
    """

    name: str
    function: Callable[..., Any]
    kinds: dict[str, Kind]
    signature: inspect.Signature
    returns: Callable[..., Any] | None = None
    numpy_only: bool = False
    check: Callable[..., None] | None = None
    sizes: tuple[str, ...] | None = None

    @cached_property
    def key(self) -> Callable[..., Any]:
        """The place of the compiled entry as a function of the values of all arguments."""
        return eval(
            f"lambda {', '.join(self.kinds)}: {key_source(self, self.kinds)}", {"ndarray": np.ndarray}
        )

    @cached_property
    def plain_key(self) -> Callable[..., Any]:
        """The place of the entry for calls that leave all defaults, as a function of the values of the others."""
        required = self.required
        return eval(f"lambda {', '.join(required)}: {key_source(self, required)}", {"ndarray": np.ndarray})

    @cached_property
    def lead(self) -> int:
        """The place of the first vector among the arguments: it tells where the arrays of a call are."""
        vectors = [
            name for name, kind in self.arrays.items() if isinstance(kind, ArrayOf) and kind.size is not None
        ]
        return list(self.kinds).index(vectors[0]) if vectors else 0

    @cached_property
    def required(self) -> list[str]:
        """The arguments without a default."""
        return [name for name in self.kinds if name not in self.defaults]

    @cached_property
    def arrays(self) -> dict[str, ArrayOf | WrenchesOn]:
        """The arguments that are run-time data, in the function's order."""
        return {name: kind for name, kind in self.kinds.items() if not isinstance(kind, Named)}

    @cached_property
    def names(self) -> dict[str, Named]:
        """The arguments that are part of the code, in the function's order."""
        return {name: kind for name, kind in self.kinds.items() if isinstance(kind, Named)}

    @cached_property
    def takes_code(self) -> bool:
        """Whether one of the names may be, or hold, a function of the user's."""
        return any(kind.has_code for kind in self.names.values())

    @property
    def defaults(self) -> dict[str, Any]:
        """Default values of the arguments that have one."""
        parameters = self.signature.parameters
        return {
            name: parameters[name].default
            for name in self.kinds
            if parameters[name].default is not inspect.Parameter.empty
        }


def method(
    function: Callable[..., Any],
    /,
    *,
    returns: Callable[..., Any] | None = None,
    numpy_only: bool = False,
    check: Callable[..., None] | None = None,
    sizes: tuple[str, ...] | None = None,
    **kinds: int | str | Kind,
) -> Callable[[Definition], Definition]:
    """Declare a method of `System` or `Plant`; the definition gives its signature and docstring, nothing else."""

    def declared(definition: Definition) -> Definition:
        declaration = Method(
            definition.__name__,
            function,
            {name: as_kind(kind) for name, kind in kinds.items()},
            inspect.signature(definition),
            returns,
            numpy_only,
            check,
            sizes,
        )
        return _written(declaration, definition)  # type: ignore[return-value]

    return declared


def methods_of(kind: type) -> dict[str, Method]:
    """The declarations of a class, by name."""
    found = inspect.getmembers(kind, lambda member: hasattr(member, "declaration"))
    return {name: member.declaration for name, member in found}


def method_named(owner: Any, name: Any) -> Method:
    """The declaration of a method of an owner that is a kernel."""
    known = {word: found for word, found in methods_of(type(owner)).items() if not found.numpy_only}
    if not isinstance(name, str) or name not in known:
        matrix = str(name).replace("derivatives", "jacobian")
        hint = f"{matrix} (all of them as one matrix), or " if matrix in known else ""
        expected = f"{hint}a method that is one kernel: one of {', '.join(known)}"
        raise ModelError.single(owner.name, "unknown method", expected=expected, given=repr(name))
    return known[name]


def _written(method: Method, definition: Callable[..., Any]) -> Callable[..., Any]:
    """The definition with its body: straight to the compiled entry if that has been made, else by the checked way.

    It is written out with the definition's own parameters, because a control loop calls it a thousand times a second
    and more: passing arguments on by * and ** would take longer than the dynamics.
    """
    parameters = list(method.signature.parameters.values())
    values = ", ".join(method.kinds)
    backend = (
        "backend" if "backend" in method.signature.parameters else '"numpy"' if method.numpy_only else "None"
    )
    out = "out" if "out" in method.signature.parameters else "None"
    lines = [f"def {method.name}({_parameters(parameters)}):"]
    if not method.numpy_only:
        lines += _short_way(method)
    lines += [f"    return checked_call(declaration, self, ({values},), {backend}, {out})"]
    namespace: dict[str, Any] = {
        "ndarray": np.ndarray,
        "float64": np.dtype(float),
        "float32": np.dtype(np.float32),
        "checked_call": checked_call,
        "device": device,
        "declaration": method,
        **{f"default_{p.name}": p.default for p in parameters},
    }
    exec(compile("\n".join(lines), f"<unmoored method {method.name}>", "exec"), namespace)
    made = namespace[method.name]
    made.__doc__, made.__module__ = definition.__doc__, definition.__module__
    made.__annotations__, made.__wrapped__ = definition.__annotations__, definition
    made.declaration = method
    return made


def _parameters(parameters: list[inspect.Parameter]) -> str:
    """The parameter list as source, defaults by name."""
    texts, keywords = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not keywords:
            texts.append("*")
            keywords = True
        texts.append(p.name if p.default is p.empty else f"{p.name}=default_{p.name}")
    return ", ".join(texts)


def _short_way(method: Method) -> list[str]:
    """Lines that call the compiled entry, with the arrays alone: names have chosen it. Whatever does not fit it goes on
    to the checked way, for its errors too."""
    first = list(method.kinds)[method.lead]
    usual = ["backend is None"] if "backend" in method.signature.parameters else []
    usual += [f"{first}.__class__ is ndarray", f"{first}.dtype is float64"]
    required = method.required
    calls = _entry_calls(method, key_source(method, method.kinds), method.arrays)
    if first in required and len(required) < len(method.kinds):
        defaults = " and ".join(f"{name} is default_{name}" for name in method.kinds if name not in required)
        plain = _entry_calls(method, key_source(method, required), required)
        calls = [f"if {defaults}:", *(f"    {call}" for call in plain), *calls]
    others = [*_short_way_of_singles(method), *_short_way_on_gpu(method, first)]
    return [*_tried(usual, calls), *others]


def _short_way_of_singles(method: Method) -> list[str]:
    """The same for arrays that are float32, all of them, where all defaults are left."""
    required = method.required
    arrays = [name for name in required if name in method.arrays]
    sized = (
        isinstance(method.kinds[name], ArrayOf) and method.arrays[name].size is not None  # type: ignore[union-attr]
        for name in arrays
    )
    if not arrays or not all(sized):
        return []
    usual = ["backend is None"] if "backend" in method.signature.parameters else []
    usual += [f"{name}.__class__ is ndarray and {name}.dtype is float32" for name in arrays]
    usual += [f"{name} is default_{name}" for name in method.kinds if name not in required]
    key = f'("float32", {key_source(method, required)})'
    return _tried(usual, _entry_calls(method, key, required))


def _tried(conditions: list[str], calls: list[str]) -> list[str]:
    """Lines that make the calls under these conditions, and go on where one does not fit."""
    return [
        f"    if {' and '.join(conditions)}:",
        "        try:",
        *(f"            {call}" for call in calls),
        "        except (KeyError, TypeError, ValueError):",
        "            pass",
    ]


def _short_way_on_gpu(method: Method, first: str) -> list[str]:
    """The same for batches on the GPU, where the entry also depends on the precision."""
    usual = [f"{first}.__class__ is device.array_type", f"{first}.ndim > 1"]
    usual += ['backend in (None, "cuda")'] if "backend" in method.signature.parameters else []
    place, values = f"{key_source(method, method.kinds)}, {first}.dtype.char", ", ".join(method.arrays)
    calls = [f"return self._calls[{place}, False]({values})"]
    if "out" in method.signature.parameters:
        calls = [f"if out is None: {calls[0]}", f"return self._calls[{place}, True]({values}, out)"]
    return _tried(usual, calls)


def _entry_calls(method: Method, key: str, given: Iterable[str]) -> list[str]:
    """Lines that call the entry at a place with the arrays among what is given, with `out` if the method takes it."""
    values = ", ".join(name for name in given if name in method.arrays)
    plain = f"return self._calls[{key}]({values})"
    if "out" not in method.signature.parameters:
        return [plain]
    return [f"if out is None: {plain}", f"return self._calls[{key}, True]({values}, out)"]


def key_source(method: Method, names: Iterable[str]) -> str:
    """The expression for the place of the compiled entry: the name with every value that chooses between kernels.

    names: the arguments that are given; the place for some of them is another than that for all.
    """
    parts = []
    for name in names:
        kind = method.kinds[name]
        if isinstance(kind, WrenchesOn):
            parts.append(f"None if {name} is None else (*{name},)")
        elif isinstance(kind, ArrayOf) and kind.optional:
            parts.append(f"{name} is None")
        elif kind.keyed:
            array = f"ndarray if {name}.__class__ is ndarray else " if isinstance(kind, ArrayOf) else ""
            parts.append(f"{array}(*{name},) if {name}.__class__ is list else {name}")
    return f'"{method.name}"' if not parts else f'("{method.name}", {", ".join(parts)})'
