"""Arrays (samples, columns) in memory to lane vectors (one sample per lane) and back.

Rows are loaded `p` columns at a time, p the largest power of two that fits the array and the vector; a
transposition inside groups of p then gives one vector per column. Chunks may overlap at the end of a row.
"""

from __future__ import annotations

from collections.abc import Iterable

from .block import Block


def chunk_width(columns: int, width: int) -> int:
    """The largest power of two that is at most `columns` and `width`; 0 for no columns."""
    return 1 << (min(columns, width).bit_length() - 1) if columns else 0


def chunk_starts(columns: int, needed: Iterable[int], width: int) -> list[int]:
    """First columns of the chunks that cover the needed columns."""
    p = chunk_width(columns, width)
    starts: list[int] = []
    for column in sorted(needed):
        if not starts or column >= starts[-1] + p:
            starts.append(min(column, columns - p))
    return starts


def load_columns(block: Block, rows: list[str], start: int | str, p: int) -> list[str]:
    """Lane vectors of the columns start ... start + p - 1 from the pointers to each lane's row."""
    scalar = block.words.form.llvm
    kind = scalar if p == 1 else f"<{p} x {scalar}>"
    pieces = []
    for row in rows:
        address = block.new(f"getelementptr {scalar}, ptr {row}, i64 {start}")
        pieces.append(block.new(f"load {kind}, ptr {address}, align {block.words.form.bytes}"))
    width = len(rows)
    gathered = [_joined(block, pieces[i::p], p) for i in range(p)]
    return _transposed(block, gathered, p, width)


def store_columns(block: Block, columns: list[str], rows: list[str], start: int | str) -> None:
    """The inverse of `load_columns`: lane vectors of neighbouring columns into each lane's row."""
    store_rows(block, transposed_columns(block, columns, len(rows)), rows, start, len(columns))


def transposed_columns(block: Block, columns: list[str], width: int) -> list[str]:
    """What each lane has of neighbouring columns, from their lane vectors."""
    p = len(columns)
    vectors = _transposed(block, columns, p, width)
    return [_slice(block, vectors[lane % p], lane - lane % p, p, width) for lane in range(width)]


def store_rows(block: Block, pieces: list[str], rows: list[str], start: int | str, p: int) -> None:
    """What each lane has of p neighbouring columns into its row."""
    scalar = block.words.form.llvm
    kind = scalar if p == 1 else f"<{p} x {scalar}>"
    for row, piece in zip(rows, pieces, strict=True):
        address = block.new(f"getelementptr {scalar}, ptr {row}, i64 {start}")
        block.lines.append(f"store {kind} {piece}, ptr {address}, align {block.words.form.bytes}")


def ask_for_columns(block: Block, rows: list[str], column: int) -> None:
    """Bring the places of a column in each lane's row near, to be written."""
    for row in rows:
        address = block.new(f"getelementptr {block.words.form.llvm}, ptr {row}, i64 {column}")
        block.lines.append(f"call void @llvm.prefetch.p0(ptr {address}, i32 1, i32 3, i32 1)")


def _mask(lanes: Iterable[int]) -> str:
    lanes = list(lanes)
    return f"<{len(lanes)} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"


def _joined(block: Block, pieces: list[str], p: int) -> str:
    """Pieces of p entries, one after the other in one vector."""
    scalar = block.words.form.llvm
    if len(pieces) == 1:
        return pieces[0]
    if p == 1:
        width, vector = len(pieces), "poison"
        for lane, piece in enumerate(pieces):
            vector = block.new(f"insertelement <{width} x {scalar}> {vector}, {scalar} {piece}, i32 {lane}")
        return vector
    while len(pieces) > 1:
        kind = f"<{p} x {scalar}>"
        pieces = [
            block.new(f"shufflevector {kind} {a}, {kind} {b}, {_mask(range(2 * p))}")
            for a, b in zip(pieces[::2], pieces[1::2], strict=True)
        ]
        p *= 2
    return pieces[0]


def _slice(block: Block, vector: str, first: int, p: int, width: int) -> str:
    kind = block.words.real
    if p == width:
        return vector
    if p == 1:
        return block.new(f"extractelement {kind} {vector}, i32 {first}")
    return block.new(f"shufflevector {kind} {vector}, {kind} poison, {_mask(range(first, first + p))}")


def _transposed(block: Block, vectors: list[str], p: int, width: int) -> list[str]:
    """Transposition of p vectors inside each group of p lanes, in log2(p) rounds of shuffles."""
    kind, distance, lanes = block.words.real, 1, range(width)
    while distance < p:
        result = list(vectors)
        low = _mask(width + (k ^ distance) if k & distance else k for k in lanes)
        high = _mask(width + k if k & distance else k | distance for k in lanes)
        for i in (i for i in range(p) if not i & distance):
            a, b = vectors[i], vectors[i | distance]
            result[i] = block.new(f"shufflevector {kind} {a}, {kind} {b}, {low}")
            result[i | distance] = block.new(f"shufflevector {kind} {a}, {kind} {b}, {high}")
        vectors, distance = result, 2 * distance
    return vectors
