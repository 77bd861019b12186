"""LLVM source of a time loop: one sample at a time, and as many as the vector has lanes.

A group of lanes runs from the first step to the last before the next group begins. All functions of the loop
read one array of lane vectors: t, h, the state, the parameters, the inputs of the step.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..formats import Format
from ..ir.block import Block, Parts, declarations
from ..ir.lanes import chunk_starts, chunk_width, load_columns, store_columns
from ..ir.module import all_parts, declared, part_functions
from ..ir.samples import function_text
from ..ir.words import Words
from .functions import Functions

#: what a call hands over: 64-bit words, in this order
INTEGERS = (
    "state", "parameters", "parameters_stride", "inputs", "inputs_stride", "input_rows", "hold", "records",
    "records_stride", "final", "status", "stopped", "first", "steps", "record_every", "update_every", "last",
)  # fmt: skip
REALS = ("t0", "h")
_POINTERS = ("state", "parameters", "inputs", "records", "final", "status", "stopped")


def module_text(functions: Functions, form: Format, width: int) -> str:
    """LLVM source of `void loop(ptr words, i64 begin, i64 end)` for the samples begin ... end - 1."""
    inner = all_parts(*functions.all)
    names: Parts = {id(part): f"part{k}" for k, part in enumerate(inner)}
    names |= {id(part): part.name for part in functions.all}
    texts = declared(*functions.all, *inner)
    for words in (Words(form, 1), Words(form, width)):
        texts += declarations(words)
        texts += part_functions([*inner, *functions.all], words, names)
        texts.append(_Group(functions, words).text())
    return "\n".join([*texts, _all_groups(width)])


def _all_groups(width: int) -> str:
    return f"""define void @loop(ptr %words, i64 %begin, i64 %end) {{
entry:
  %any = icmp slt i64 %begin, %end
  br i1 %any, label %group, label %done
group:
  %sample = phi i64 [%begin, %entry], [%next, %after]
  %left = sub i64 %end, %sample
  %one = icmp eq i64 %left, 1
  br i1 %one, label %alone, label %together
alone:
  call void @group_1(ptr %words, i64 %sample, i64 1)
  br label %after
together:
  call void @group_{width}(ptr %words, i64 %sample, i64 %left)
  br label %after
after:
  %next = add i64 %sample, {width}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %group, label %done
done:
  ret void
}}
"""


class _Group:
    """`void group_W(ptr words, i64 sample, i64 count)`: the whole loop for up to W samples.

    Lanes beyond the last sample repeat it, load and store included.
    """

    def __init__(self, functions: Functions, words: Words) -> None:
        self.functions, self.words = functions, words
        self.block = Block(functions.step, words, lambda block, k: "", {})
        self.counts = f"<{words.width} x i64>" if words.width > 1 else "i64"
        block, size = self.block, functions.sizes
        self.arguments = block.memory(2 + size.state + size.parameters + size.inputs)
        self.results = block.memory(size.state + 1)
        self.recorded = block.memory(size.record)
        self.kept = block.memory(size.state)
        block.reserved += [f"%{name} = alloca {self.counts}, align 64" for name in ("codes", "ends")]

    def text(self) -> str:
        """The function, from loading the samples to storing what became of them."""
        self._fields()
        rows = self._load_samples()
        self._choose(self.block.new("icmp sge i64 %last, 0"), "head", "finish")
        self._label("head")
        self._time()
        if self.functions.sizes.inputs:
            self._inputs(rows["inputs"])
        self._update()
        self._record(rows["records"])
        self._step()
        self._go_on()
        self._store_samples(rows["final"])
        head = f"define internal void @group_{self.words.width}(ptr %words, i64 %sample, i64 %count)"
        return function_text(self.block, head)

    def _line(self, text: str) -> None:
        self.block.lines.append(text)

    def _label(self, name: str) -> None:
        self._line(f"{name}:")

    def _branch(self, target: str) -> None:
        self._line(f"br label %{target}")

    def _choose(self, condition: str, true: str, false: str) -> None:
        self._line(f"br i1 {condition}, label %{true}, label %{false}")

    def _fields(self) -> None:
        for k, name in enumerate((*INTEGERS, *REALS)):
            kind = "ptr" if name in _POINTERS else "double" if name in REALS else "i64"
            self._line(f"%{name}_place = getelementptr i64, ptr %words, i64 {k}")
            self._line(f"%{name} = load {kind}, ptr %{name}_place, align 8")
        # the row of the first record: the first multiple of record_every from the first step on
        self._line("%rounded = add i64 %first, %record_every")
        self._line("%rounded_down = sub i64 %rounded, 1")
        self._line("%first_record = udiv i64 %rounded_down, %record_every")
        self._line("%first_input = udiv i64 %first, %hold")
        self._line("%last_input = sub i64 %input_rows, 1")

    def _load_samples(self) -> dict[str, list[str]]:
        """The group's rows of every array; state, parameters and codes are loaded, the step size is spread."""
        block, size, width = self.block, self.functions.sizes, self.words.width
        item = self.words.form.bytes
        last = block.new("sub i64 %count, 1")
        lanes = [
            block.new(f"call i64 @llvm.umin.i64(i64 {lane}, i64 {last})") if lane else "0"
            for lane in range(width)
        ]
        self.samples = [block.new(f"add i64 %sample, {lane}") for lane in lanes]
        strides = {
            "state": str(size.state * item), "parameters": "%parameters_stride", "inputs": "%inputs_stride",
            "records": "%records_stride", "final": str(size.state * item),
        }  # fmt: skip
        rows = {name: self._rows(f"%{name}", stride) for name, stride in strides.items()}
        self._load(rows["state"], size.state, self.kept, 0)
        self._load(rows["parameters"], size.parameters, self.arguments, 2 + size.state)
        block.store(self._spread(self._narrowed("%h")), self.arguments, 1)
        for source, target in (("%status", "%codes"), ("%stopped", "%ends")):
            self._line(f"store {self.counts} {self._gathered(source)}, ptr {target}, align 64")
        return rows

    def _rows(self, base: str, stride: str) -> list[str]:
        offsets = [self.block.new(f"mul i64 {sample}, {stride}") for sample in self.samples]
        return [self.block.new(f"getelementptr i8, ptr {base}, i64 {offset}") for offset in offsets]

    def _load(self, rows: list[str], columns: int, target: str, first: int) -> None:
        p = chunk_width(columns, self.words.width)
        for start in chunk_starts(columns, range(columns), self.words.width):
            for k, vector in enumerate(load_columns(self.block, rows, start, p)):
                self.block.store(vector, target, first + start + k)

    def _store(self, source: str, columns: int, rows: list[str]) -> None:
        p = chunk_width(columns, self.words.width)
        for start in chunk_starts(columns, range(columns), self.words.width):
            vectors = [self.block.load(source, start + k) for k in range(p)]
            store_columns(self.block, vectors, rows, start)

    def _narrowed(self, value: str) -> str:
        """A double in the format of the loop."""
        return value if self.words.form.bytes == 8 else self.block.new(f"fptrunc double {value} to float")

    def _spread(self, value: str, kind: str | None = None) -> str:
        """A number in every lane."""
        scalar = kind or self.words.form.llvm
        if self.words.width == 1:
            return value
        vector = f"<{self.words.width} x {scalar}>"
        first = self.block.new(f"insertelement {vector} poison, {scalar} {value}, i32 0")
        mask = f"<{self.words.width} x i32> zeroinitializer"
        return self.block.new(f"shufflevector {vector} {first}, {vector} poison, {mask}")

    def _gathered(self, base: str) -> str:
        """The group's entries of an array of integers."""
        vector = "poison"
        for lane, sample in enumerate(self.samples):
            place = self.block.new(f"getelementptr i64, ptr {base}, i64 {sample}")
            value = self.block.new(f"load i64, ptr {place}, align 8")
            if self.words.width == 1:
                return value
            vector = self.block.new(f"insertelement {self.counts} {vector}, i64 {value}, i32 {lane}")
        return vector

    def _time(self) -> None:
        """t = t0 + k h in double precision: k is exact, so rounding does not pile up."""
        self._line("%j = phi i64 [0, %0], [%j_next, %next]")
        self._line("%k = add i64 %first, %j")
        self._line("%k_real = sitofp i64 %k to double")
        self._line("%since = fmul double %k_real, %h")
        self._line("%t = fadd double %t0, %since")
        self.block.store(self._spread(self._narrowed("%t")), self.arguments, 0)

    def _inputs(self, rows: list[str]) -> None:
        """The row of this step; after the last step the last row once more."""
        block, size = self.block, self.functions.sizes
        held = block.new("udiv i64 %k, %hold")
        row = block.new(f"sub i64 {held}, %first_input")
        row = block.new(f"call i64 @llvm.umin.i64(i64 {row}, i64 %last_input)")
        offset = block.new(f"mul i64 {row}, {size.inputs * self.words.form.bytes}")
        places = [block.new(f"getelementptr i8, ptr {base}, i64 {offset}") for base in rows]
        self._load(places, size.inputs, self.arguments, 2 + size.state + size.parameters)

    def _copy(self, source: str) -> None:
        """A state into the arguments."""
        for k in range(self.functions.sizes.state):
            self.block.store(self.block.load(source, k), self.arguments, 2 + k)

    def _call(self, name: str, results: str) -> None:
        self._line(f"call void @{name}_{self.words.width}(ptr {self.arguments}, ptr {results})")

    def _due(self, every: str) -> str:
        rest = self.block.new(f"urem i64 %k, {every}")
        return self.block.new(f"icmp eq i64 {rest}, 0")

    def _update(self) -> None:
        self._copy(self.kept)
        if self.functions.update is None:
            return
        self._choose(self._due("%update_every"), "update", "updated")
        self._label("update")
        self._call("update", self.results)
        self._copy(self.results)
        self._branch("updated")
        self._label("updated")

    def _record(self, rows: list[str]) -> None:
        block, size = self.block, self.functions.sizes
        self._choose(self._due("%record_every"), "record", "recorded")
        self._label("record")
        self._call("record", self.recorded)
        number = block.new("udiv i64 %k, %record_every")
        number = block.new(f"sub i64 {number}, %first_record")
        offset = block.new(f"mul i64 {number}, {size.record * self.words.form.bytes}")
        self._store(
            self.recorded,
            size.record,
            [block.new(f"getelementptr i8, ptr {row}, i64 {offset}") for row in rows],
        )
        self._branch("recorded")
        self._label("recorded")

    def _any(self, truth: str) -> str:
        width = self.words.width
        if width == 1:
            return truth
        bits = self.block.new(f"bitcast {self.words.truth} {truth} to i{width}")
        return self.block.new(f"icmp ne i{width} {bits}, 0")

    def _step(self) -> None:
        """One step; lanes that have stopped keep their state, and nothing is done once all have."""
        block, words, size = self.block, self.words, self.functions.sizes
        zeros = "0" if words.width == 1 else "zeroinitializer"
        codes = block.new(f"load {self.counts}, ptr %codes, align 64")
        running = block.new(f"icmp eq {self.counts} {codes}, {zeros}")
        before_end = block.new("icmp slt i64 %j, %steps")
        self._choose(block.new(f"and i1 {before_end}, {self._any(running)}"), "step", "finish")
        self._label("step")
        self._call("step", self.results)
        values = [block.load(self.results, k) for k in range(size.state + 1)]
        verdict, truth, real = values[-1], words.truth, words.real
        finite = block.new(f"fcmp oeq {real} {self._zero_if_finite(values)}, {words.constant(0.0)}")
        not_failed = block.new(f"fcmp ogt {real} {verdict}, {words.constant(-1.0)}")
        taken = block.new(f"and {truth} {running}, {block.new(f'and {truth} {finite}, {not_failed}')}")
        for k, value in enumerate(values[:-1]):
            old = block.load(self.kept, k)
            block.store(block.new(f"select {truth} {taken}, {real} {value}, {real} {old}"), self.kept, k)
        quiet = block.new(f"fcmp olt {real} {verdict}, {words.constant(1.0)}")
        stays = block.new(f"and {truth} {taken}, {quiet}")
        stops = block.new(f"xor {truth} {running}, {stays}")  # what stays is running
        self._choose(self._any(stops), "stop", "next")
        self._stop(codes, finite, verdict, taken, stops)

    def _zero_if_finite(self, values: Iterable[str]) -> str:
        """The sum of 0 times each: NaN as soon as one is infinite or NaN."""
        zero, sums = self.words.constant(0.0), [self.words.constant(0.0)] * 4
        for k, value in enumerate(values):
            sums[k % 4] = self.block.intrinsic("fma", value, zero, sums[k % 4])
        while len(sums) > 1:
            sums = [
                self.block.new(f"fadd {self.words.real} {a}, {b}")
                for a, b in zip(sums[::2], sums[1::2], strict=True)
            ]
        return sums[0]

    def _stop(self, codes: str, finite: str, verdict: str, taken: str, stops: str) -> None:
        """Note why lanes stop (their verdict, -1 for numbers that are not finite), and the step of their state."""
        block, counts, truth = self.block, self.counts, self.words.truth
        self._label("stop")
        known = block.new(
            f"select {truth} {finite}, {self.words.real} {verdict}, {self.words.real} {self.words.constant(-1.0)}"
        )
        code = block.new(f"fptosi {self.words.real} {known} to {counts}")
        now = self._spread("%k", "i64")
        after = block.new(f"add {counts} {now}, {self._spread('1', 'i64')}")
        end = block.new(f"select {truth} {taken}, {counts} {after}, {counts} {now}")
        ends = block.new(f"load {counts}, ptr %ends, align 64")
        for new, old, place in ((code, codes, "%codes"), (end, ends, "%ends")):
            chosen = block.new(f"select {truth} {stops}, {counts} {new}, {counts} {old}")
            self._line(f"store {counts} {chosen}, ptr {place}, align 64")
        self._branch("next")

    def _go_on(self) -> None:
        self._label("next")
        self._line("%j_next = add i64 %j, 1")
        self._choose(self.block.new("icmp sle i64 %j_next, %last"), "head", "finish")

    def _store_samples(self, rows: list[str]) -> None:
        block = self.block
        self._label("finish")
        self._store(self.kept, self.functions.sizes.state, rows)
        for source, base in (("%codes", "%status"), ("%ends", "%stopped")):
            vector = block.new(f"load {self.counts}, ptr {source}, align 64")
            for lane, sample in enumerate(self.samples):
                place = block.new(f"getelementptr i64, ptr {base}, i64 {sample}")
                value = vector
                if self.words.width > 1:
                    value = block.new(f"extractelement {self.counts} {vector}, i32 {lane}")
                self._line(f"store i64 {value}, ptr {place}, align 8")
