"""LLVM source of a team of threads that share the samples of a job among them.

The samples are cut into slots; every member has a counter of the slots of its own, takes these one after the other,
and then what is left of the others'. So a member meets the same samples in every call, which may still be near its
core, and nobody waits for one that is late.

A counter holds the number of the job in its upper half and that of the next slot in its lower half, and is moved on by
compare-and-swap. A member that is late therefore takes nothing: neither of the job that it came for, which is done, nor
of a later one, of which it does not know. The fields of two jobs have places of their own: what a late member reads may
have been written over by then, but only when its counter has changed long before.

Where the system has futexes (Linux), members also sleep in here, on the number of the job; elsewhere they leave.
"""

from __future__ import annotations

#: bytes between words that different threads write: two cache lines, since processors fetch them in pairs
LINE = 128
#: of a job
FIELDS = ("function", "context", "samples", "chunk", "slots", "members")
# The number of the job, the count of slots that are done, the fields of even and of odd jobs, how many members sleep,
# whether all shall leave; then a counter for every member, and the number of the last job that it saw. A line each.
_DONE, _FIELDS, _ASLEEP, _LEAVE, _COUNTERS = (k * LINE for k in (1, 2, 4, 5, 6))

_REST = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "  call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "  call void @llvm.aarch64.hint(i32 1)"),
}
#: numbers of the system call, by processor, and of what it is to do (for this process only)
_FUTEX = {"x86_64": 202, "aarch64": 98}
_WAIT, _WAKE = 128, 129


def team_bytes(members: int) -> int:
    """Bytes of the memory of a team."""
    return _COUNTERS + 2 * members * LINE


def team_source(architecture: str, futexes: bool) -> str:
    """`begin`, `finish` for the thread that has a job, `serve` for the others, `rest` to measure how long they wait.

    void begin(team, function, context, samples, chunk, slots, members, everyone): publish a job for so many members.
    Slot k of member m has the samples from (m slots + k) chunk on, at most `chunk`, for `void function(context, first,
    last)`.
    i64 finish(team, patience): take part in it as member 0; whether all slots are done.
    void serve(team, member, everyone, patience): take part in jobs; without futexes until there has been none for a
    while, with them until `void leave(team)`, which no job may be under way for.
    void pieces(context, first, last): samples of the inner loop of a ufunc, see `CONTEXT`.
    """
    declared, rest = _REST.get(architecture, ("", ""))
    sleeps = futexes and architecture in _FUTEX
    return f"""{declared}
declare i64 @llvm.smin.i64(i64, i64)
{_waking(_FUTEX[architecture]) if sleeps else _NO_WAKING}
{_fields_code()}
{_take_code()}
{_begin_code()}
{_finish_code(rest)}
{_serve_code(rest)}
{_rest_code(rest)}
{_PIECES}"""


def _fields_code() -> str:
    """Where the fields of a job are: two sets take turns, so that a late member reads one that nobody writes."""
    return f"""define internal ptr @fields(ptr %team, i64 %job) {{
  %odd = and i64 %job, 1
  %away = mul i64 %odd, {LINE}
  %far = add i64 %away, {_FIELDS}
  %place = getelementptr i8, ptr %team, i64 %far
  ret ptr %place
}}"""


def _take_code() -> str:
    """Take slots of a job: first the member's own, then what is left of the others'; tell how many are done."""
    return f"""define internal void @take(ptr %team, i64 %member, i64 %job) {{
entry:
  %fields = call ptr @fields(ptr %team, i64 %job)
{_loaded_fields()}
  fence acquire
  %mark = shl i64 %job, 32
  %inside = icmp slt i64 %member, %members
  %start = select i1 %inside, i64 %member, i64 0
  br label %owner
owner:
  %k = phi i64 [0, %entry], [%k_next, %next_owner]
  %had = phi i64 [0, %entry], [%has, %next_owner]
  %sum = add i64 %start, %k
  %beyond = icmp sge i64 %sum, %members
  %around = sub i64 %sum, %members
  %own = select i1 %beyond, i64 %around, i64 %sum
  %away = mul i64 %own, {LINE}
  %from = add i64 %away, {_COUNTERS}
  %counter = getelementptr i8, ptr %team, i64 %from
  br label %look
look:
  %has = phi i64 [%had, %owner], [%has, %claim], [%has_next, %ready]
  %seen = load atomic i64, ptr %counter acquire, align 8
  %number = and i64 %seen, {-(1 << 32)}
  %current = icmp eq i64 %number, %mark
  br i1 %current, label %open, label %over
open:
  %slot = and i64 %seen, {(1 << 32) - 1}
  %left = icmp slt i64 %slot, %slots
  br i1 %left, label %claim, label %next_owner
claim:
  %seen_next = add i64 %seen, 1
  %pair = cmpxchg ptr %counter, i64 %seen, i64 %seen_next acq_rel acquire
  %mine = extractvalue {{i64, i1}} %pair, 1
  br i1 %mine, label %run, label %look
run:
  %before = mul i64 %own, %slots
  %place = add i64 %before, %slot
  %low = mul i64 %place, %chunk
  %any = icmp slt i64 %low, %samples
  br i1 %any, label %work, label %ready
work:
  %end = add i64 %low, %chunk
  %high = call i64 @llvm.smin.i64(i64 %end, i64 %samples)
  %function_pointer = inttoptr i64 %function to ptr
  %context_pointer = inttoptr i64 %context to ptr
  call void %function_pointer(ptr %context_pointer, i64 %low, i64 %high)
  br label %ready
ready:
  %has_next = add i64 %has, 1
  br label %look
next_owner:
  %k_next = add i64 %k, 1
  %more = icmp slt i64 %k_next, %members
  br i1 %more, label %owner, label %over
over:
  %some = icmp ne i64 %has, 0
  br i1 %some, label %tell, label %gone
tell:
  %done = getelementptr i8, ptr %team, i64 {_DONE}
  %ignored = atomicrmw add ptr %done, i64 %has release
  br label %gone
gone:
  ret void
}}"""


def _begin_code() -> str:
    """Publish a job and wake the others."""
    return f"""define void @begin({_parameters(("team", *FIELDS, "everyone"))}) {{
entry:
  %old = load atomic i64, ptr %team monotonic, align 8
  %next = add i64 %old, 1
  %job = and i64 %next, {(1 << 31) - 1}
  %mark = shl i64 %job, 32
  %fields = call ptr @fields(ptr %team, i64 %job)
{_stored_fields()}
  %done = getelementptr i8, ptr %team, i64 {_DONE}
  store atomic i64 0, ptr %done monotonic, align 8
  fence release
  br label %one
one:
  %m = phi i64 [0, %entry], [%m_next, %one]
  %bytes = mul i64 %m, {LINE}
  %far = add i64 %bytes, {_COUNTERS}
  %counter = getelementptr i8, ptr %team, i64 %far
  store atomic i64 %mark, ptr %counter release, align 8
  %m_next = add i64 %m, 1
  %more = icmp slt i64 %m_next, %everyone
  br i1 %more, label %one, label %publish
publish:
  store atomic i64 %job, ptr %team seq_cst, align 8
  call void @wake(ptr %team)
  ret void
}}"""


def _finish_code(rest: str) -> str:
    """Take part as member 0, then look for a while whether all slots are done."""
    return f"""define i64 @finish(ptr %team, i64 %patience) {{
entry:
  %job = load atomic i64, ptr %team monotonic, align 8
  %fields = call ptr @fields(ptr %team, i64 %job)
{_loaded_fields("slots", "members")}
  call void @take(ptr %team, i64 0, i64 %job)
  %all = mul i64 %slots, %members
  %done = getelementptr i8, ptr %team, i64 {_DONE}
  br label %wait
wait:
  %n = phi i64 [0, %entry], [%n_next, %again]
  %count = load atomic i64, ptr %done acquire, align 8
  %whole = icmp eq i64 %count, %all
  br i1 %whole, label %ready, label %again
again:
{rest}
  %n_next = add i64 %n, 1
  %more = icmp slt i64 %n_next, %patience
  br i1 %more, label %wait, label %tired
ready:
  ret i64 1
tired:
  ret i64 0
}}"""


def _serve_code(rest: str) -> str:
    """Take part in jobs; look for the next one for a while, then sleep."""
    return f"""define void @serve(ptr %team, i64 %member, i64 %everyone, i64 %patience) {{
entry:
  %lines = add i64 %everyone, %member
  %bytes = mul i64 %lines, {LINE}
  %far = add i64 %bytes, {_COUNTERS}
  %last_place = getelementptr i8, ptr %team, i64 %far
  %last = load i64, ptr %last_place, align 8
  br label %wait
wait:
  %n = phi i64 [0, %entry], [%n_next, %again], [0, %go], [0, %slept]
  %known = phi i64 [%last, %entry], [%known, %again], [%job, %go], [%known, %slept]
  %job = load atomic i64, ptr %team acquire, align 8
  %new = icmp ne i64 %job, %known
  br i1 %new, label %go, label %again
go:
  call void @wake(ptr %team)
  call void @take(ptr %team, i64 %member, i64 %job)
  br label %wait
again:
{rest}
  %n_next = add i64 %n, 1
  %more = icmp slt i64 %n_next, %patience
  br i1 %more, label %wait, label %tired
tired:
  %leaves = call i1 @sleep(ptr %team, i64 %known)
  br i1 %leaves, label %leave, label %slept
slept:
  br label %wait
leave:
  store i64 %known, ptr %last_place, align 8
  ret void
}}"""


def _rest_code(rest: str) -> str:
    """So many turns of waiting."""
    return f"""define void @rest(i64 %count) {{
entry:
  br label %again
again:
  %n = phi i64 [0, %entry], [%n_next, %again]
{rest}
  %n_next = add i64 %n, 1
  %more = icmp slt i64 %n_next, %count
  br i1 %more, label %again, label %end
end:
  ret void
}}"""


def _waking(call: int) -> str:
    """`wake` lets two that sleep go on, who wake two others each; `sleep` waits until the job is not `known` any more,
    and tells whether to leave."""
    return f"""declare i64 @syscall(i64, ...)
define internal void @wake(ptr %team) {{
entry:
  %place = getelementptr i8, ptr %team, i64 {_ASLEEP}
  %asleep = load atomic i64, ptr %place seq_cst, align 8
  %some = icmp sgt i64 %asleep, 0
  br i1 %some, label %call, label %end
call:
  %ignored = call i64 (i64, ...) @syscall(i64 {call}, ptr %team, i64 {_WAKE}, i64 2)
  br label %end
end:
  ret void
}}
define internal i1 @sleep(ptr %team, i64 %known) {{
entry:
  %leave_place = getelementptr i8, ptr %team, i64 {_LEAVE}
  %leave = load atomic i64, ptr %leave_place acquire, align 8
  %leaves = icmp ne i64 %leave, 0
  br i1 %leaves, label %end, label %wait
wait:
  %place = getelementptr i8, ptr %team, i64 {_ASLEEP}
  %ignored = atomicrmw add ptr %place, i64 1 seq_cst
  %ignored_too = call i64 (i64, ...) @syscall(i64 {call}, ptr %team, i64 {_WAIT}, i64 %known, ptr null)
  %ignored_as_well = atomicrmw sub ptr %place, i64 1 seq_cst
  br label %end
end:
  ret i1 %leaves
}}
define void @leave(ptr %team) {{
  %place = getelementptr i8, ptr %team, i64 {_LEAVE}
  store atomic i64 1, ptr %place seq_cst, align 8
  %old = atomicrmw add ptr %team, i64 1 seq_cst
  %ignored = call i64 (i64, ...) @syscall(i64 {call}, ptr %team, i64 {_WAKE}, i64 {1 << 30})
  ret void
}}"""


#: where threads sleep in Python
_NO_WAKING = """define internal void @wake(ptr %team) {
  ret void
}
define internal i1 @sleep(ptr %team, i64 %known) {
  ret i1 true
}
define void @leave(ptr %team) {
  ret void
}"""


def _parameters(names: tuple[str, ...]) -> str:
    return ", ".join(f"{'ptr' if name == 'team' else 'i64'} %{name}" for name in names)


def _field(name: str) -> str:
    return f"  %{name}_place = getelementptr i64, ptr %fields, i64 {FIELDS.index(name)}"


def _loaded_fields(*names: str) -> str:
    return "\n".join(
        f"{_field(name)}\n  %{name} = load atomic i64, ptr %{name}_place monotonic, align 8"
        for name in names or FIELDS
    )


def _stored_fields() -> str:
    return "\n".join(
        f"{_field(name)}\n  store atomic i64 %{name}, ptr %{name}_place monotonic, align 8" for name in FIELDS
    )


#: Words of the context of `pieces`. The steps of the loop follow: one of every array, then those inside of samples.
#: From the word with the number `places` on it says where every array begins, for every row of `inner` samples.
CONTEXT = ("loop", "arrays", "inner", "places")
#: NumPy's functions have at most so many arrays
MOST_ARRAYS = 64

_PIECES = f"""
define void @pieces(ptr %context, i64 %first, i64 %last) {{
entry:
  %given = alloca [{MOST_ARRAYS} x ptr], align 16
  %count = alloca i64, align 8
  %loop = load ptr, ptr %context, align 8
  %arrays_place = getelementptr i64, ptr %context, i64 1
  %arrays = load i64, ptr %arrays_place, align 8
  %inner_place = getelementptr i64, ptr %context, i64 2
  %inner = load i64, ptr %inner_place, align 8
  %places_place = getelementptr i64, ptr %context, i64 3
  %places = load i64, ptr %places_place, align 8
  %pointers = getelementptr i64, ptr %context, i64 %places
  %steps = getelementptr i64, ptr %context, i64 {len(CONTEXT)}
  br label %row
row:
  %at = phi i64 [%first, %entry], [%at_next, %moved]
  %outer = udiv i64 %at, %inner
  %inside = urem i64 %at, %inner
  %left = sub i64 %last, %at
  %room = sub i64 %inner, %inside
  %run = call i64 @llvm.smin.i64(i64 %left, i64 %room)
  store i64 %run, ptr %count, align 8
  %entries = mul i64 %outer, %arrays
  %bases = getelementptr ptr, ptr %pointers, i64 %entries
  br label %array
array:
  %k = phi i64 [0, %row], [%k_next, %array]
  %base_place = getelementptr ptr, ptr %bases, i64 %k
  %base = load ptr, ptr %base_place, align 8
  %step_place = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %step_place, align 8
  %offset = mul i64 %inside, %step
  %start = getelementptr i8, ptr %base, i64 %offset
  %given_place = getelementptr ptr, ptr %given, i64 %k
  store ptr %start, ptr %given_place, align 8
  %k_next = add i64 %k, 1
  %more = icmp slt i64 %k_next, %arrays
  br i1 %more, label %array, label %moved
moved:
  call void %loop(ptr %given, ptr %count, ptr %steps, ptr null)
  %at_next = add i64 %at, %run
  %on = icmp slt i64 %at_next, %last
  br i1 %on, label %row, label %end
end:
  ret void
}}
"""
