"""Pages behind machine code are given up where they meet others; what the code does stays."""

import ctypes
import sys
from collections.abc import Callable

import pytest

from unmoored.kernels import code_pages, machine_code

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages are exchanged under Linux only")

#: rounds of x -> 3 x + 1, each of which is left as it stands: code of several pages
_ROUNDS = 3000


def _source() -> str:
    rounds = "\n".join(
        f"  %p{k} = mul i64 %x{k}, 3\n  store volatile i64 %p{k}, ptr %place\n  %x{k + 1} = add i64 %p{k}, 1"
        for k in range(_ROUNDS)
    )
    short = "define i64 @short(i64 %x) {\n  ret i64 %x\n}"
    head = "define i64 @long(i64 %x0) {\n  %place = alloca i64"
    return f"{short}\n{head}\n{rounds}\n  ret i64 %x{_ROUNDS}\n}}"


@pytest.fixture(scope="module")
def code() -> bytes:
    return machine_code.assemble(_source())


def _loaded(code: bytes) -> tuple[machine_code.LoadedCode, int, int]:
    """The code in memory, the place of its section and its size."""
    loaded = machine_code.LoadedCode(code, ("short", "long"))
    place, size = code_pages.text_of(code, "short")
    return loaded, loaded.addresses[0] - place, size


def _end(loaded: machine_code.LoadedCode) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.addresses[1])(5)


def _expected() -> int:
    x = 5
    for _ in range(_ROUNDS):
        x = (3 * x + 1) % 2**64
    return x - 2**64 if x >= 2**63 else x


def _meeting(
    pairs: Callable[[int, int], bool],
) -> tuple[list[tuple[int, int]], Callable[[int, int, int], int]]:
    """A walk that says of which pages that they meet, and what it was asked."""
    asked: list[tuple[int, int]] = []

    def walk(one: int, other: int, _turns: int) -> int:
        asked.append((one, other))
        return 2000 if pairs(one, other) else 200

    return asked, walk


def test_functions_are_found_in_an_object_file(code: bytes) -> None:
    loaded, start, size = _loaded(code)
    place, same = code_pages.text_of(code, "long")
    assert loaded.addresses[1] == start + place
    assert same == size > 8 * code_pages.PAGE
    with pytest.raises(KeyError, match="none of these"):
        code_pages.text_of(code, "none of these")


def test_a_page_that_meets_another_is_given_up_and_the_code_stays(code: bytes) -> None:
    loaded, start, size = _loaded(code)
    before, first = ctypes.string_at(start, size), start // code_pages.PAGE * code_pages.PAGE
    third, again = first + 2 * code_pages.PAGE, 0

    def meet(one: int, other: int) -> bool:
        nonlocal again
        again += (one, other) == (third, first)
        return (one, other) == (third, first) and again < 3

    asked, walk = _meeting(meet)
    assert code_pages.settle(start, size, walk) == 2
    number = -(-(start + size - first) // code_pages.PAGE)
    assert len(set(asked)) == number * (number - 1) // 2  # every pair
    assert ctypes.string_at(start, size) == before
    assert _end(loaded) == _expected()


def test_pages_that_meet_whatever_is_behind_them_are_left(code: bytes) -> None:
    loaded, start, size = _loaded(code)
    before = ctypes.string_at(start, size)
    _, walk = _meeting(lambda *_: True)
    assert 0 < code_pages.settle(start, size, walk) < 100
    assert ctypes.string_at(start, size) == before
    assert _end(loaded) == _expected()


def test_a_walk_that_fails_leaves_the_code(code: bytes) -> None:
    loaded, start, size = _loaded(code)

    def walk(*_: int) -> int:
        raise RuntimeError("stumbled")

    with pytest.raises(RuntimeError, match="stumbled"):
        code_pages.settle(start, size, walk)
    assert _end(loaded) == _expected()


def test_code_of_one_page_is_not_walked(code: bytes) -> None:
    asked, walk = _meeting(lambda *_: True)
    _, start, _ = _loaded(code)
    assert code_pages.settle(start, 64, walk) == 0
    assert not asked


@pytest.mark.skipif(machine_code.host().architecture != "x86_64", reason="the walk is in code of x86-64")
def test_a_walk_goes_through_every_line(code: bytes) -> None:
    """Through pages that it may meet or not: it comes back, and takes a tick for some of its 126 jumps."""
    engine = machine_code._engine(machine_code.assemble(code_pages.WALK))
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int64)
    walk = kind(engine.get_function_address("walk"))
    loaded, start, size = _loaded(code)
    ticks: list[int] = []

    def kept(one: int, other: int, turns: int) -> int:
        ticks.append(walk(one, other, turns))
        return ticks[-1]

    code_pages.settle(start, size, kept)
    assert min(ticks) > 20
    assert _end(loaded) == _expected()
