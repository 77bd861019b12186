"""Changes of a sign, a slice, a factor or an argument that a file can be given, and a draw of them at random."""

import ast
import copy
import random
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
KINDS = ("sign", "slice", "factor", "argument")
_SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node can be changed into, and what kind of change that is."""
    texts = isinstance(node, ast.BinOp) and isinstance(getattr(node.left, "value", None), str)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS and not texts:
        yield "sign", _with(node, op=_SIGNS[type(node.op)]())
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        yield "factor", _with(node, op=ast.Div() if isinstance(node.op, ast.Mult) else ast.Mult())
        yield "factor", node.left
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.operand
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "factor", ast.Constant(2 * node.value if node.value else 1)
    if isinstance(node, ast.Slice):
        for side in ("lower", "upper"):
            if getattr(node, side) is not None:
                moved = ast.BinOp(getattr(node, side), ast.Add(), ast.Constant(1))
                yield "slice", _with(node, **{side: moved})
    if (
        isinstance(node, ast.Call)
        and len(node.args) > 1
        and not any(isinstance(x, ast.Starred) for x in node.args)
    ):
        yield "argument", _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    if isinstance(node, ast.Call) and node.keywords:
        yield "argument", _with(node, keywords=node.keywords[:-1])
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        yield "sign", _with(node, ops=[_COMPARISONS[type(node.ops[0])]()])


def _with(node: ast.AST, **fields) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def places(source: str) -> list[tuple[ast.AST, str, ast.AST]]:
    """All changes of a file, without those of annotations, of texts, and of code that never runs."""
    tree, found = ast.parse(source), []

    def visit(node: ast.AST) -> None:
        if isinstance(
            node, ast.AnnAssign | ast.arg | ast.Raise | ast.ImportFrom | ast.JoinedStr | ast.Assert
        ):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        found.extend((node, kind, new) for kind, new in changes(node))
        for name, child in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for item in child if isinstance(child, list) else [child]:
                if isinstance(item, ast.AST):
                    visit(item)

    visit(tree)
    return found


def mutated(source: str, node: ast.AST, new: ast.AST) -> str:
    """The source with one node written anew, everything else as it is."""
    lines = source.encode().split(b"\n")
    first, last = node.lineno - 1, node.end_lineno - 1
    text = ast.unparse(ast.fix_missing_locations(new))
    text = f"({text})" if isinstance(new, ast.BinOp | ast.Compare | ast.UnaryOp | ast.IfExp) else text
    lines[first : last + 1] = [
        lines[first][: node.col_offset] + text.encode() + lines[last][node.end_col_offset :]
    ]
    return b"\n".join(lines).decode()


def drawn(
    room: str, count: int, seed: str, kinds: tuple[str, ...] = KINDS, only: tuple[str, ...] = ("*",)
) -> list[dict]:
    """The mutants of a room, as many of each kind; all that there are if there are fewer: file, line, kind, and the
    texts before and after.  only: patterns of which a file's path ends in one.
    """
    rng, found = random.Random(f"{seed} {room}"), []
    files = sorted((ROOT / "src" / "unmoored" / room).rglob("*.py"))
    files = [file for file in files if any(map(file.match, only))]
    everything = [(file, *place) for file in files for place in places(file.read_text(encoding="utf-8"))]
    while len(found) < count and kinds:
        kind = rng.choice(kinds)
        some = [entry for entry in everything if entry[2] == kind]
        if not some:
            kinds = tuple(k for k in kinds if k != kind)
            continue
        entry = rng.choice(some)
        everything.remove(entry)
        file, node, _, new = entry
        source = file.read_text(encoding="utf-8")
        text = mutated(source, node, new)
        try:
            if ast.dump(ast.parse(text)) == ast.dump(ast.parse(source)):
                continue
        except SyntaxError:
            continue
        found.append(_mutant(file, source, node, kind, new))
    return found


def found_again(wanted: dict) -> dict | None:
    """A mutant of an earlier draw in the file as it is now, nearest to where it was; None if it is gone."""
    file = ROOT / wanted["file"]
    if not file.exists():
        return None
    source = file.read_text(encoding="utf-8")
    every = [_mutant(file, source, *place) for place in places(source)]
    same = [m for m in every if all(m[key] == wanted[key] for key in ("kind", "before", "after"))]
    return min(same, key=lambda m: abs(m["line"] - wanted["line"]), default=None)


def _mutant(file: Path, source: str, node: ast.AST, kind: str, new: ast.AST) -> dict:
    return {
        "file": str(file.relative_to(ROOT)), "line": node.lineno, "last_line": node.end_lineno, "kind": kind,
        "before": ast.unparse(node)[:120], "after": ast.unparse(new)[:120],
        "text": mutated(source, node, new),
    }  # fmt: skip
