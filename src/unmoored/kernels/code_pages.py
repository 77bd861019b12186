"""Pages of memory for machine code that do not push each other out of the cache of decoded instructions.

AMD's Zen processors seem to tell what this cache holds by a short hash of where the code lies in physical memory. Two
pages of the same hash cannot both be in it: a loop that runs through both decodes them anew in each turn, and a step
takes up to three times as long, for as long as the process lives. About one pair of pages in 1,000 meets so, and which
ones is told nowhere; but a walk to and fro between the lines of two pages takes six times as long if they do. So each
page of new code is walked against those before it, and given up for another one where they meet. Addresses stay, only
the memory behind them changes.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
from collections.abc import Callable, Sequence

PAGE, _LINE = 4096, 64
_LINES = PAGE // _LINE
#: ticks of a walk from which on two pages meet: 50 to 240 are usual, 1,200 to 2,100 where every line is decoded anew
_MEET = 5 * 2 * _LINES
#: walks of a pair, of which the quickest counts: the first ones learn the way
_WALKS = 6
#: pages of code from which on nothing is done: so much code is never in the cache as a whole
_MOST, _SPARE = 96, 24
_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_WRITTEN, _RUN = mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_EXEC
_MOVED = 3  # MREMAP_MAYMOVE | MREMAP_FIXED

#: the least ticks of `turns` walks through the pages at `one` and `other`
WALK = """
declare i64 @llvm.readcyclecounter()
declare i64 @llvm.umin.i64(i64, i64)
define i64 @walk(ptr %one, ptr %other, i64 %turns) {
start:
  br label %turn
turn:
  %left = phi i64 [ %turns, %start ], [ %fewer, %turn ]
  %least = phi i64 [ -1, %start ], [ %lesser, %turn ]
  %begin = call i64 @llvm.readcyclecounter()
  call void %one(ptr %one, ptr %other)
  %end = call i64 @llvm.readcyclecounter()
  %ticks = sub i64 %end, %begin
  %lesser = call i64 @llvm.umin.i64(i64 %least, i64 %ticks)
  %fewer = sub i64 %left, 1
  %more = icmp ne i64 %fewer, 0
  br i1 %more, label %turn, label %done
done:
  ret i64 %lesser
}
"""


def _walked_page() -> bytes:
    """A page to walk through: from each line of one page to the same line of the other, and back to the next line.

    The first argument is the place in this page, the second that in the other one, as System V's convention has them.
    """
    on = bytes((0x48, 0x83, 0xC7, _LINE, 0x48, 0x87, 0xFE, 0xFF, 0xE7))  # add rdi, 64; xchg rdi, rsi; jmp rdi
    back = bytes((0xC3,))  # ret
    return b"".join((on if k + 1 < _LINES else back).ljust(_LINE, b"\xcc") for k in range(_LINES))


def text_of(code: bytes, name: str) -> tuple[int, int]:
    """Of a function in an object file (ELF, 64 bits): its place in its section, and the size of that section."""
    (sections,) = struct.unpack_from("<Q", code, 0x28)
    each, number = struct.unpack_from("<HH", code, 0x3A)
    heads = [struct.unpack_from("<IIQQQQIIQQ", code, sections + k * each) for k in range(number)]
    for _, kind, _, _, offset, size, link, _, _, entry in heads:
        if kind != 2:  # the table of symbols
            continue
        names = heads[link][4]
        for place in range(offset, offset + size, entry):
            at, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", code, place)
            if code[names + at : code.index(0, names + at)] == name.encode():
                return value, heads[section][5]
    raise KeyError(name)


def settle(start: int, size: int, walk: Callable[[int, int, int], int]) -> int:
    """See that no two pages of the code from `start` on meet; nobody may run it yet. How many pages were given up.

    walk: the function of `WALK`.
    """
    first = start // PAGE * PAGE
    pages = range(first, start + size, PAGE)
    if not 1 < len(pages) <= _MOST:
        return 0
    code, page = ctypes.string_at(first, len(pages) * PAGE), _walked_page()
    spare = _mapped(_SPARE)
    spares = list(range(spare, spare + _SPARE * PAGE, PAGE))
    try:
        _filled(spare, page * _SPARE)
        _filled(first, page * len(pages))
        return sum(_apart(pages[k], pages[:k], spares, walk) for k in range(1, len(pages)))
    finally:
        _filled(first, code)
        if spares:  # they go from the last one
            _libc().munmap(spare, len(spares) * PAGE)


def _apart(page: int, others: Sequence[int], spares: list[int], walk: Callable[[int, int, int], int]) -> int:
    """Give a page up until it meets none of the others; how often."""
    given_up = 0
    while any(walk(page, other, _WALKS) > _MEET for other in others) and spares:
        _done(_libc().mremap(spares.pop(), PAGE, PAGE, _MOVED, page), "mremap")
        given_up += 1
    return given_up


def _filled(start: int, code: bytes) -> None:
    """Write code into whole pages."""
    _done(_libc().mprotect(start, len(code), _WRITTEN), "mprotect")
    ctypes.memmove(start, code, len(code))
    _done(_libc().mprotect(start, len(code), _RUN), "mprotect")


def _mapped(pages: int) -> int:
    """Where so many new pages begin."""
    return _done(_libc().mmap(None, pages * PAGE, _WRITTEN, _PRIVATE, -1, 0), "mmap")


def _done(result: int | None, what: str) -> int:
    if result is None or result in (-1, 2**64 - 1):
        error = ctypes.get_errno()
        raise OSError(error, f"{what} of pages for machine code: {os.strerror(error)}")
    return result


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    libc.mremap.argtypes = (ctypes.c_void_p, *[ctypes.c_size_t] * 2, ctypes.c_int, ctypes.c_void_p)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    return libc
