"""One C99 source file and its header, from traced functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...trace import Traced
from ..lower import lowered
from ..number_formats import format_of
from .c_functions import array_function, head, helper_functions
from .dialect import Dialect
from .stack_use import stack_use
from .statements import Names

_BUILDING = """\
C99 with no dependencies but <math.h> of the C library (fma, sqrt, rint, floor, fabs, copysign). No memory is
allocated, no function calls itself, and nothing is kept between calls, so functions may run side by side. An output
may be one of the inputs.

Stack: at most {stack} bytes a call, in {deepest}; for every function see its comment and its macro ..._STACK. All that
the source declares along the deepest chain of calls is counted, as if the compiler kept no number in a register, and
128 bytes for each call; what the C library's functions need is not.

Compile without fast-math and with -ffp-contract=off (the default of gcc -std=c99): every operation is rounded
once, and results have the bits of the library's own kernels. Let the compiler use the processor's fused
multiply-add (for example -march=native, or -mfma); where there is none, define UNMOORED_NO_FMA: results then
differ in the last digits.
"""
_FUSED = """\
#ifdef UNMOORED_NO_FMA
#define UM_FMA(a, b, c) ((a) * (b) + (c))
#else
#define UM_FMA(a, b, c) fma{suffix}(a, b, c)
#endif
"""


@dataclass(frozen=True)
class CEntry:
    """A function of the file: `name(inputs..., outputs...)`, with a comment for the header."""

    traced: Traced
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    comment: str


@dataclass(frozen=True)
class CFile:
    """Texts of a source file and its header."""

    source: str
    header: str


def c_file(
    stem: str,
    functions: Sequence[CEntry],
    *,
    comment: str,
    macros: dict[str, int],
    dtype: object = "float64",
) -> CFile:
    """Source `stem`.c and header `stem`.h of the functions; `macros` are sizes for the header.

    What the numbers mean is for the caller's comment.
    """
    form = format_of(dtype)
    dialect, names = Dialect(form), Names()
    bodies = [
        array_function(lowered(f.traced, form), dialect, names, f.name, f.inputs, f.outputs)
        for f in functions
    ]
    source = [
        _comment(f"{stem}.c: see {stem}.h"), f'#include "{stem}.h"\n\n#include <math.h>\n',
        _FUSED.format(suffix=dialect.suffix), *helper_functions(dialect, names), *bodies,
    ]  # fmt: skip
    text = "\n".join(source)
    found = stack_use(text)
    stack = {f.name: found[f.name] for f in functions}
    deepest = max(stack, key=lambda name: stack[name])
    building = _BUILDING.format(stack=stack[deepest], deepest=deepest)
    return CFile(text, _header(stem, functions, dialect, f"{comment}\n{building}", macros, stack))


def _header(
    stem: str, functions: Sequence[CEntry], dialect: Dialect, comment: str, macros: dict[str, int],
    stack: dict[str, int],
) -> str:  # fmt: skip
    guard = f"{re.sub(r'[^A-Z0-9]', '_', stem.upper())}_H"
    defined = macros | {f"{name.upper()}_STACK": size for name, size in stack.items()}
    sizes = "".join(f"#define {name} {value}\n" for name, value in defined.items())
    comments = [f"{f.comment}\nStack: at most {stack[f.name]} bytes." for f in functions]
    declared = "\n".join(
        f"{_comment(text)}{head(dialect, f.name, f.inputs, f.outputs)};\n"
        for f, text in zip(functions, comments, strict=True)
    )
    return f"""{_comment(comment)}
#ifndef {guard}
#define {guard}

{sizes}
#ifdef __cplusplus
extern "C" {{
#endif

{declared}
#ifdef __cplusplus
}}
#endif

#endif
"""


def _comment(text: str) -> str:
    lines = text.replace("*/", "* /").strip().splitlines()
    if len(lines) == 1:
        return f"/* {lines[0]} */\n"
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"]) + "\n"
