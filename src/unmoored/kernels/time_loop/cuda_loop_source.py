"""CUDA source of a time loop: one thread per sample, its state in registers from the first step to the last."""

from __future__ import annotations

from ...trace import Traced, scheduled
from ..c_source import Body, Dialect, Names, function_text, helper_functions, sub_functions
from ..cuda.cuda_source import THREADS, cuda_dialect
from ..number_formats import Format
from .loop_functions import Functions

#: sums in which numbers are looked at, side by side: one alone would wait for every addition
_SUMS = 4

_HEAD = f"""extern "C" __global__ void __launch_bounds__({THREADS}) time_loop(
    const real *given, const real *__restrict__ parameters, long long parameters_stride,
    const real *__restrict__ inputs0, long long inputs0_stride, const real *__restrict__ inputs1,
    long long inputs1_stride, const real *__restrict__ inputs2, long long inputs2_stride, long long input_rows,
    long long hold, long long down, real *__restrict__ records, long long records_stride, long long row_stride,
    long long column, real *final_state,
    long long *__restrict__ status, long long *__restrict__ stopped, long long samples, long long first,
    long long steps, long long record_every, long long update_every, long long last, double t0, double step_size)"""


def loop_source(functions: Functions, form: Format) -> str:
    """Source of the kernel `time_loop` for lowered functions; strides count entries."""
    dialect, names = cuda_dialect(form), Names()
    texts: list[str] = []
    for function in functions.all:
        texts += sub_functions(function, dialect, names)
    size = functions.sizes
    printer = _Printer(dialect, names, "kept" if functions.update is None else "y", texts, size.input_parts)
    lines = [
        "const long long sample = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        "if (sample >= samples) return;",
        f"real kept[{size.state}];",
        *(f"kept[{k}] = given[sample * {size.state} + {k}];" for k in range(size.state)),
        "const real *const p = parameters + sample * parameters_stride;",
        "const real h = (real)step_size;",
        "long long code = status[sample], end = stopped[sample];",
        "long long next_record = (first + record_every - 1) / record_every * record_every;",
        "real *record = records + sample * records_stride;",
        *(_input_start(size.input_parts) if size.inputs else []),
        *(["long long next_update = (first + update_every - 1) / update_every * update_every;"]
          if functions.update else []),
        "#pragma unroll 1",
        "for (long long j = 0; j <= last; ++j) {",
        *(f"    {line}" for line in _one_step(functions, printer)),
        "}",
        *(f"final_state[sample * {size.state} + {k}] = kept[{k}];" for k in range(size.state)),
        "status[sample] = code;",
        "stopped[sample] = end;",
    ]  # fmt: skip
    head = [f"typedef {dialect.real} real;\n", *helper_functions(dialect, names)]
    return "\n".join([*head, *texts, function_text(_HEAD, lines)])


class _Printer:
    """Statements of the loop's functions, which read the variables of the kernel."""

    def __init__(
        self, dialect: Dialect, names: Names, state: str, texts: list[str], parts: tuple[int, ...]
    ) -> None:
        self._dialect, self._names, self._texts, self._parts = dialect, names, texts, parts
        self._arrays = ("t", "h", state, "p")
        self.fma = dialect.fma

    def of_state(self, state: str) -> _Printer:
        """The same with the state in another variable."""
        return _Printer(self._dialect, self._names, state, self._texts, self._parts)

    def values(self, function: Traced) -> tuple[list[str], list[str]]:
        """Statements, and the expressions of the outputs after them."""
        order = scheduled(function.graph, function.flat_outputs)
        body = Body(function, self._dialect, self._names, self._read, order, function.name)
        values = [body.value(index) for index in function.flat_outputs]
        self._texts += body.texts
        return body.lines, values

    def _read(self, array: int, column: object) -> str:
        if array < 2:
            return self._arrays[array]
        if array < len(self._arrays):
            return f"{self._arrays[array]}[{column}]"
        if len(self._parts) == 1:
            return f"u0[{column}]"
        place, part = int(str(column)), 0
        while place >= self._parts[part]:
            place, part = place - self._parts[part], part + 1
        return f"u{part}[{place}]"


def _input_start(parts: tuple[int, ...]) -> list[str]:
    """Pointers to the rows of the first step, one for each array, and the number of rows left."""
    first = "(down ? input_rows - 1 : 0)"
    return [
        *(
            f"const real *u{k} = inputs{k} + sample * inputs{k}_stride + {first} * {n};"
            for k, n in enumerate(parts)
        ),
        "long long rows_left = input_rows - 1;",
        "long long next_input = (first / hold + 1) * hold;",
    ]


def _next_row(parts: tuple[int, ...]) -> str:
    moves = " ".join(f"u{k} += down ? -{n} : {n};" for k, n in enumerate(parts))
    return f"if (k == next_input) {{ next_input += hold; if (rows_left > 0) {{ --rows_left; {moves} }} }}"


def _one_step(functions: Functions, printer: _Printer) -> list[str]:
    size = functions.sizes
    lines = [
        "const long long k = first + j;",
        "const real t = (real)(t0 + (double)k * step_size);",
    ]
    if size.inputs:
        lines.append(_next_row(size.input_parts))
    if functions.update is not None:
        lines.append(f"real y[{size.state}];")
        lines += [f"y[{i}] = kept[{i}];" for i in range(size.state)]
        body, values = printer.values(functions.update)
        stores = [f"y[{i}] = {value};" for i, value in enumerate(values)]
        lines += _block("if (k == next_update)", ["next_update += update_every;", *body, *stores])
    body, values = printer.values(functions.record)
    stores = [f"record[{i} * column] = {value};" for i, value in enumerate(values)]
    after = ["next_record += record_every;", "record += row_stride;"]
    lines += _block("if (k == next_record)", [*body, *stores, *after])
    lines.append("if (j == steps || code != 0) break;")
    body, values = printer.values(functions.step)
    lines += _block("", [*body, *_judged(values, printer.fma)])
    if functions.after is not None:
        body, values = printer.of_state("kept").values(functions.after)
        new = [f"const real after{i} = {value};" for i, value in enumerate(values)]
        stores = [f"kept[{i}] = after{i};" for i in range(size.state)]
        lines += _block("if (code == 0 && (k + 1) % update_every == 0)", [*body, *new, *stores])
    return lines


def _block(head: str, lines: list[str]) -> list[str]:
    return [f"{head} {{".lstrip(), *(f"    {line}" for line in lines), "}"]


def _judged(values: list[str], fma: str) -> list[str]:
    """Take the new state, or note why the sample stops; 0 times a number is NaN unless the number is finite."""
    *state, verdict = values
    lines = [f"const real verdict = {verdict};", "real zero0 = (real)0 * verdict;"]
    lines += [f"real zero{k} = (real)0;" for k in range(1, _SUMS)]
    for k, value in enumerate(state):
        zero = f"zero{k % _SUMS}"
        lines.append(f"{zero} = {fma}((real)0, {value}, {zero});")
    zeros = " + ".join(f"zero{k}" for k in range(_SUMS))
    lines += [
        f"const bool finite = {zeros} == (real)0, taken = finite && verdict > (real)-1;",
        "if (taken) {",
    ]
    lines += [f"    kept[{k}] = {value};" for k, value in enumerate(state)]
    return [
        *lines,
        "}",
        "if (!taken || verdict >= (real)1) {",
        "    code = finite ? (long long)verdict : -1;",
        "    end = taken ? k + 1 : k;",
        "}",
    ]
