"""LLVM source of a time loop: one sample at a time, and as many as the vector has lanes.

A group of lanes runs from the first step to the last before the next group begins. All functions of the loop
read one array of lane vectors: t, h, the state, the parameters, the inputs of the step.
"""

from __future__ import annotations

from ..llvm_source.block import Parts, declarations
from ..llvm_source.llvm_types import LlvmTypes
from ..llvm_source.module import all_parts, alone, declared, memory_functions, part_functions
from ..llvm_source.samples import function_text
from ..number_formats import Format
from .group_block import MANY, GroupBlock
from .loop_functions import MOST_INPUTS, Functions

#: what a call hands over: 64-bit words, in this order
INTEGERS = (
    "state", "parameters", "parameters_stride", "inputs0", "inputs0_stride", "inputs1", "inputs1_stride", "inputs2",
    "inputs2_stride", "input_rows", "hold", "down", "records", "records_stride", "final", "status", "stopped", "first",
    "steps", "record_every", "update_every", "last",
)  # fmt: skip
REALS = ("t0", "h")
_INPUTS = tuple(f"inputs{k}" for k in range(MOST_INPUTS))
_POINTERS = ("state", "parameters", *_INPUTS, "records", "final", "status", "stopped")


def module_text(functions: Functions, form: Format, width: int, samples: str = "any") -> str:
    """LLVM source of `void loop(ptr words, i64 begin, i64 end)` for the samples begin ... end - 1.

    samples: "one" leaves out the code for several lanes, and "many" that for one sample.
    """
    inner = all_parts(*functions.all)
    names: Parts = {id(part): f"part{k}" for k, part in enumerate(inner)}
    names |= {id(part): part.name for part in functions.all}
    texts = declared(*functions.all, *inner)
    texts.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    texts.append("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
    ways = {"one": alone(form, width, inner), "many": LlvmTypes(form, width)}
    for words in ways.values() if samples == "any" else [ways[samples]]:
        texts += declarations(words)
        texts += part_functions([*inner, *functions.all], words, names)
        texts += memory_functions(words, *inner, *functions.all)
        texts.append(_Group(functions, words).text())
    return "\n".join(
        [*texts, _all_groups(width) if samples == "any" else _groups_of(1 if samples == "one" else width)]
    )


def _groups_of(width: int) -> str:
    return f"""define void @loop(ptr %words, i64 %begin, i64 %end) {{
entry:
  %any = icmp slt i64 %begin, %end
  br i1 %any, label %group, label %done
group:
  %sample = phi i64 [%begin, %entry], [%next, %group]
  %left = sub i64 %end, %sample
  call void @group_{width}(ptr %words, i64 %sample, i64 %left)
  %next = add i64 %sample, {width}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %group, label %done
done:
  ret void
}}
"""


def _all_groups(width: int) -> str:
    """Groups of lanes, and a last sample that is left over alone."""
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
    """`void group_W(ptr words, i64 sample, i64 count)`: the whole loop for up to W samples."""

    def __init__(self, functions: Functions, words: LlvmTypes) -> None:
        self.functions, self.words = functions, words
        self.block = GroupBlock(functions.step, words)
        block, size = self.block, functions.sizes
        self.arguments = block.memory(2 + size.state + size.parameters + size.inputs)
        self.results = block.memory(size.state + 1)
        self.recorded = block.memory(size.record)
        #: the state before the step; among the arguments, unless an update changes it there
        self.kept = block.at(self.arguments, 2) if functions.update is None else block.memory(size.state)
        block.reserved += [f"%{name} = alloca {block.counts}, align 64" for name in ("codes", "ends")]

    def text(self) -> str:
        """The function, from loading the samples to storing what became of them."""
        block = self.block
        self._fields()
        rows = self._load_samples()
        block.branch("begin")
        block.label("begin")
        block.choose(block.new("icmp sge i64 %last, 0"), "head", "finish")
        block.label("head")
        self._time()
        if self.functions.sizes.inputs:
            self._inputs([rows[name] for name in _INPUTS])
        self._update()
        self._record(rows["records"])
        self._step()
        self._go_on()
        self._store_samples(rows["final"])
        head = f"define internal void @group_{self.words.width}(ptr %words, i64 %sample, i64 %count)"
        return function_text(self.block, head)

    def _fields(self) -> None:
        block = self.block
        for k, name in enumerate((*INTEGERS, *REALS)):
            kind = "ptr" if name in _POINTERS else "double" if name in REALS else "i64"
            block.line(f"%{name}_place = getelementptr i64, ptr %words, i64 {k}")
            block.line(f"%{name} = load {kind}, ptr %{name}_place, align 8")
        # the row of the first record: the first multiple of record_every from the first step on
        block.line("%rounded = add i64 %first, %record_every")
        block.line("%rounded_down = sub i64 %rounded, 1")
        block.line("%first_record = udiv i64 %rounded_down, %record_every")
        block.line("%first_input = udiv i64 %first, %hold")
        block.line("%last_input = sub i64 %input_rows, 1")
        block.line("%from_last = icmp ne i64 %down, 0")

    def _load_samples(self) -> dict[str, list[str]]:
        """The group's rows of every array; state, parameters and codes are loaded, the step size is spread."""
        block, size = self.block, self.functions.sizes
        item = self.words.form.bytes
        strides = {
            "state": str(size.state * item), "parameters": "%parameters_stride",
            **{name: f"%{name}_stride" for name in _INPUTS},
            "records": "%records_stride", "final": str(size.state * item),
        }  # fmt: skip
        rows = {name: block.rows(f"%{name}", stride) for name, stride in strides.items()}
        block.load_rows(rows["state"], size.state, self.kept, 0)
        block.load_rows(rows["parameters"], size.parameters, self.arguments, 2 + size.state)
        block.store(block.spread(block.narrowed("%h")), self.arguments, 1)
        for source, target in (("%status", "%codes"), ("%stopped", "%ends")):
            block.line(f"store {block.counts} {block.gathered(source)}, ptr {target}, align 64")
        return rows

    def _time(self) -> None:
        """t = t0 + k h in double precision: k is exact, so rounding does not pile up."""
        block = self.block
        block.line(
            f"%j = phi i64 [0, %begin], [%j_next, %{'next' if self.functions.after is None else 'done'}]"
        )
        block.line("%k = add i64 %first, %j")
        block.line("%k_real = sitofp i64 %k to double")
        block.line("%since = fmul double %k_real, %h")
        block.line("%t = fadd double %t0, %since")
        block.store(block.spread(block.narrowed("%t")), self.arguments, 0)

    def _inputs(self, arrays: list[list[str]]) -> None:
        """The row of this step; after the last step the last row once more."""
        block, size = self.block, self.functions.sizes
        held = block.new("udiv i64 %k, %hold")
        row = block.new(f"sub i64 {held}, %first_input")
        row = block.new(f"call i64 @llvm.umin.i64(i64 {row}, i64 %last_input)")
        back = block.new(f"sub i64 %last_input, {row}")
        row = block.new(f"select i1 %from_last, i64 {back}, i64 {row}")
        first = 2 + size.state + size.parameters
        for k, (count, rows) in enumerate(zip(size.input_parts, arrays, strict=False)):
            if count:
                offset = block.new(f"mul i64 {row}, {count * self.words.form.bytes}")
                places = [block.new(f"getelementptr i8, ptr {base}, i64 {offset}") for base in rows]
                self._load_inputs(places, count, first, f"%inputs{k}_stride")
            first += count

    def _load_inputs(self, places: list[str], count: int, first: int, stride: str) -> None:
        """The inputs of a step from an array; a row that all samples share is read once, if it is long."""
        block = self.block
        if self.words.width == 1 or count <= MANY:
            return block.load_rows(places, count, self.arguments, first)
        own, shared, after = (f"inputs{first}_{word}" for word in ("own", "shared", "loaded"))
        block.choose(block.new(f"icmp eq i64 {stride}, 0"), shared, own)
        block.label(shared)
        block.spread_row(places[0], count, self.arguments, first)
        block.branch(after)
        block.label(own)
        block.load_rows(places, count, self.arguments, first)
        block.branch(after)
        block.label(after)
        return None

    def _copy(self, source: str) -> None:
        """A state into the arguments, if it is not there."""
        if source != self.kept or self.functions.update is not None:
            self.block.copy(source, self.arguments, 2, self.functions.sizes.state)

    def _call(self, name: str, results: str) -> None:
        self.block.line(f"call void @{name}_{self.words.width}(ptr {self.arguments}, ptr {results})")

    def _due(self, every: str) -> str:
        rest = self.block.new(f"urem i64 %k, {every}")
        return self.block.new(f"icmp eq i64 {rest}, 0")

    def _update(self) -> None:
        block = self.block
        self._copy(self.kept)
        if self.functions.update is None:
            return
        block.choose(self._due("%update_every"), "update", "updated")
        block.label("update")
        self._call("update", self.results)
        self._copy(self.results)
        block.branch("updated")
        block.label("updated")

    def _record(self, rows: list[str]) -> None:
        block, size = self.block, self.functions.sizes
        block.choose(self._due("%record_every"), "record", "recorded")
        block.label("record")
        self._call("record", self.recorded)
        number = block.new("udiv i64 %k, %record_every")
        number = block.new(f"sub i64 {number}, %first_record")
        offset = block.new(f"mul i64 {number}, {size.record * self.words.form.bytes}")
        block.store_rows(
            self.recorded,
            size.record,
            [block.new(f"getelementptr i8, ptr {row}, i64 {offset}") for row in rows],
        )
        block.branch("recorded")
        block.label("recorded")

    def _step(self) -> None:
        """One step; lanes that have stopped keep their state, and nothing is done once all have."""
        block, words, size = self.block, self.words, self.functions.sizes
        zeros = "0" if words.width == 1 else "zeroinitializer"
        codes = block.new(f"load {block.counts}, ptr %codes, align 64")
        running = block.new(f"icmp eq {block.counts} {codes}, {zeros}")
        before_end = block.new("icmp slt i64 %j, %steps")
        block.choose(block.new(f"and i1 {before_end}, {block.any(running)}"), "step", "finish")
        block.label("step")
        self._call("step", self.results)
        verdict, truth, real = block.load(self.results, size.state), words.truth, words.real
        finite = block.new(f"fcmp oeq {real} {self._zero_if_finite(size.state + 1)}, {words.constant(0.0)}")
        not_failed = block.new(f"fcmp ogt {real} {verdict}, {words.constant(-1.0)}")
        taken = block.new(f"and {truth} {running}, {block.new(f'and {truth} {finite}, {not_failed}')}")
        self._keep(taken)
        quiet = block.new(f"fcmp olt {real} {verdict}, {words.constant(1.0)}")
        stays = block.new(f"and {truth} {taken}, {quiet}")
        stops = block.new(f"xor {truth} {running}, {stays}")  # what stays is running
        block.choose(block.any(stops), "stop", "next")
        self._stop(codes, finite, verdict, taken, stops)

    def _keep(self, taken: str) -> None:
        """The results of a step as the state of the lanes that have taken it."""
        block, count = self.block, self.functions.sizes.state
        if self.words.width == 1 and count > MANY:
            source = block.new(f"select i1 {taken}, ptr {self.results}, ptr {self.kept}")
            size = count * self.words.bytes
            block.line(
                f"call void @llvm.memmove.p0.p0.i64(ptr {self.kept}, ptr {source}, i64 {size}, i1 false)"
            )
            return

        def select(new: str, old: str, k: int) -> None:
            a, b = block.load(new, k), block.load(old, k)
            kind = self.words.real
            block.store(block.new(f"select {self.words.truth} {taken}, {kind} {a}, {kind} {b}"), old, k)

        many = count // 8 if count > MANY else 0

        def eight(i: str) -> None:
            start = block.new(f"mul i64 {i}, 8")
            for k in range(8):
                select(block.beyond(self.results, start), block.beyond(self.kept, start), k)

        if many:
            block.each(many, eight)
        for k in range(8 * many, count):
            select(self.results, self.kept, k)

    def _zero_if_finite(self, count: int) -> str:
        """The sum of 0 times each result: NaN as soon as one is infinite or NaN."""
        block, zero = self.block, self.words.constant(0.0)
        if self.words.lanes > 1 and count > MANY:
            return self._zero_by_rows(count)
        sums = [zero] * (8 if count > MANY else 4)
        first = 0
        if count > MANY:
            places = block.memory(len(sums))
            for k in range(len(sums)):
                block.store(zero, places, k)

            def some(i: str) -> None:
                start = block.beyond(self.results, block.new(f"mul i64 {i}, {len(sums)}"))
                for k in range(len(sums)):
                    block.store(
                        block.intrinsic("fma", block.load(start, k), zero, block.load(places, k)), places, k
                    )

            first = count // len(sums) * len(sums)
            block.each(count // len(sums), some)
            sums = [block.load(places, k) for k in range(len(sums))]
        for k in range(first, count):
            sums[k % len(sums)] = block.intrinsic(
                "fma", block.load(self.results, k), zero, sums[k % len(sums)]
            )
        while len(sums) > 1:
            sums = [
                self.block.new(f"fadd {self.words.real} {a}, {b}")
                for a, b in zip(sums[::2], sums[1::2], strict=True)
            ]
        return sums[0]

    def _zero_by_rows(self, count: int) -> str:
        """The same of a sample alone, whose results lie side by side: a vector of them at a time."""
        block, row = self.block, LlvmTypes(self.words.form, self.words.lanes)
        zero, sums = row.constant(0.0), range(4)
        size = len(sums) * row.width
        number = count // size
        block.branch("look")
        block.label("look")
        block.branch("look_next")
        block.label("look_next")
        block.line("%looked = phi i64 [0, %look], [%looked_next, %look_next]")
        for k in sums:
            block.line(f"%zeros{k} = phi {row.real} [{zero}, %look], [%zeros{k}_next, %look_next]")
        start = block.new(f"mul i64 %looked, {size}")
        for k in sums:
            at = block.beyond(self.results, block.new(f"add i64 {start}, {k * row.width}"))
            x = block.new(f"load {row.real}, ptr {at}, align {self.words.form.bytes}")
            given = ", ".join(f"{row.real} {value}" for value in (x, zero, f"%zeros{k}"))
            block.line(f"%zeros{k}_next = call {row.real} @llvm.fma.{row.suffix}({given})")
        block.line("%looked_next = add i64 %looked, 1")
        block.choose(block.new(f"icmp slt i64 %looked_next, {number}"), "look_next", "looked_at")
        block.label("looked_at")
        total, one = f"%zeros{sums[0]}_next", self.words.constant(0.0)
        for k in sums[1:]:
            total = block.new(f"fadd {row.real} {total}, %zeros{k}_next")
        parts = [block.new(f"extractelement {row.real} {total}, i32 {k}") for k in range(row.width)]
        parts += [
            block.intrinsic("fma", block.load(self.results, k), one, one) for k in range(number * size, count)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = block.new(f"fadd {self.words.real} {total}, {part}")
        return total

    def _stop(self, codes: str, finite: str, verdict: str, taken: str, stops: str) -> None:
        """Note why lanes stop (their verdict, -1 for numbers that are not finite), and the step of their state."""
        block, counts, truth = self.block, self.block.counts, self.words.truth
        block.label("stop")
        known = block.new(
            f"select {truth} {finite}, {self.words.real} {verdict}, {self.words.real} {self.words.constant(-1.0)}"
        )
        code = block.new(f"fptosi {self.words.real} {known} to {counts}")
        now = block.spread("%k", "i64")
        after = block.new(f"add {counts} {now}, {block.spread('1', 'i64')}")
        end = block.new(f"select {truth} {taken}, {counts} {after}, {counts} {now}")
        ends = block.new(f"load {counts}, ptr %ends, align 64")
        for new, old, place in ((code, codes, "%codes"), (end, ends, "%ends")):
            chosen = block.new(f"select {truth} {stops}, {counts} {new}, {counts} {old}")
            block.line(f"store {counts} {chosen}, ptr {place}, align 64")
        block.branch("next")

    def _go_on(self) -> None:
        block = self.block
        block.label("next")
        if self.functions.after is not None:
            number = block.new("add i64 %k, 1")
            rest = block.new(f"urem i64 {number}, %update_every")
            block.choose(block.new(f"icmp eq i64 {rest}, 0"), "after", "done")
            block.label("after")
            self._copy(self.kept)
            self._call("after", self.results)
            block.copy(self.results, self.kept, 0, self.functions.sizes.state)
            block.branch("done")
            block.label("done")
        block.line("%j_next = add i64 %j, 1")
        block.choose(block.new("icmp sle i64 %j_next, %last"), "head", "finish")

    def _store_samples(self, rows: list[str]) -> None:
        block = self.block
        block.label("finish")
        block.store_rows(self.kept, self.functions.sizes.state, rows)
        for source, base in (("%codes", "%status"), ("%ends", "%stopped")):
            vector = block.new(f"load {block.counts}, ptr {source}, align 64")
            block.scattered(vector, base)
