"""Random mutants of a room, and the tests that should notice them.

    python -m tests.long.mutants ROOM [COUNT] [--report FILE] [--jobs N]

A mutant is one change of a sign, a slice, a factor or an argument in one file of the room, drawn at random with the
commit's hash as seed, so that every commit is tried in other places and each run can be made again. It is written into
a copy of the tree; the tests of the room and of its neighbours run there until one fails, those first that name what
was changed. Tests that fail without any mutant, where a package is missing, are left out and named; tests that take
three times as long as without one have noticed. Survivors are listed with their lines: each one is a test that is
missing, or a change that changes nothing.
"""

import argparse
import ast
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parents[2]
#: folders of tests that belong to a room, its own first
TESTS = {
    "simulation": ("simulation", "scenarios", "campaigns/test_random_values.py", "worlds/test_contact.py"),
    "model": ("model", "system/test_builder.py", "system/test_library.py", "dynamics/test_kinematics.py"),
    "system": ("system", "dynamics/test_recursive.py"),
    "control": ("control", "simulation/test_controllers.py"),
    "views": (
        "views/test_approved_looks.py",
        "views/test_films_and_stills.py",
        "views/test_moving_views.py",
        "views/test_controls.py",
        "views/test_bounds_of_views.py",
        "views/test_rules_of_layout.py",
        "views/test_drawn_places.py",
        "views/test_viewer_shapes.py",
        "views/test_viewer_time.py",
        "views/test_viewer_scene.py",
        "views/test_render.py",
        "views/test_plots.py",
        "views/test_told_views.py",
        "views/test_viewer_runs.py",
        "views/test_viewer_live.py",
        "views/test_report.py",
        "views/test_meshes_hostile.py",
        "views/test_run_methods.py",
        "views/test_notebook.py",
        "views/test_viewer_server.py",
    ),
    "worlds": ("worlds",),
    "integrators": ("integrators",),
    "kernels": ("kernels",),
}
#: longest that the tests may take (s) without a mutant, and with one where that is not known
SECONDS = 3600
#: test files that are tried first, alone: those that most name what was changed
FIRST = 3
#: how pytest ends where tests ran, a module could not be imported, or all tests are long; anything else says nothing
_PASSED, _FAILED, _INTERRUPTED, _NONE = 0, 1, 2, 5
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


def drawn(room: str, count: int, seed: str) -> list[dict]:
    """The mutants of a room: file, line, kind, and the texts before and after."""
    rng, found = random.Random(f"{seed} {room}"), []
    files = sorted((ROOT / "src" / "unmoored" / room).rglob("*.py"))
    everything = [(file, *place) for file in files for place in places(file.read_text(encoding="utf-8"))]
    kinds = ("sign", "slice", "factor", "argument")
    while len(found) < count and everything:
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
        found.append({
            "file": str(file.relative_to(ROOT)), "line": node.lineno, "kind": kind,
            "before": ast.unparse(node)[:120], "after": ast.unparse(new)[:120], "text": text,
        })  # fmt: skip
    return found


def files_of(room: str, tree: Path, changed: str = "") -> list[str]:
    """Files with the tests of a room and of its neighbours; those that name what a changed file defines come first.

    Of files that are listed one by one, those that name the module, in the order of the list: quick ones lead there.
    """
    found = [
        file.relative_to(tree)
        for part in TESTS[room]
        for file in (
            [tree / "tests" / part]
            if part.endswith(".py")
            else sorted((tree / "tests" / part).rglob("test_*.py"))
        )
    ]
    if not changed:
        return [str(file) for file in found]
    path = Path(changed)
    tops = ast.parse((ROOT / changed).read_text(encoding="utf-8")).body
    names = [path.parent.name, *(getattr(top, "name", "_") for top in tops)]
    words = {name for name in names if not name.startswith("_")}

    one_by_one = all(part.endswith(".py") for part in TESTS[room])

    def named(file: Path) -> int:
        text = (tree / file).read_text(encoding="utf-8")
        known = re.search(rf"\b{path.stem}\b", text) is not None
        if one_by_one:
            return int(known)
        return len(words) * known + sum(re.search(rf"\b{word}\b", text) is not None for word in words)

    return [str(file) for file in sorted(found, key=named, reverse=True)]


def tests_of(files: list[str], tree: Path, *options: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """The tests of these files in a copy of the tree, for so many seconds at most."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(tree / "src"), os.environ.get("PYTHONPATH")])),
        "PYTHONDONTWRITEBYTECODE": "1",
        "UNMOORED_CACHE_DIR": str(tree / "cache"),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *files]
    return subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )


def failing(room: str, tree: Path) -> tuple[list[str], float]:
    """Tests that fail without a mutant, and how long all take (s)."""
    begun = time.monotonic()
    lines = tests_of(files_of(room, tree), tree, "-rfE", seconds=SECONDS).stdout.splitlines()
    names = [line.split()[1] for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return names, time.monotonic() - begun


def killed(mutant: dict, room: str, tree: Path, without: list[str], seconds: float) -> str:
    """How the tests ended with the mutant in a copy of the tree: "killed", "survived" or "slow" (noticed too)."""
    target = tree / mutant["file"]
    files = [file for file in files_of(room, tree, mutant["file"]) if file not in without]
    sound = target.read_text(encoding="utf-8")
    target.write_text(mutant["text"], encoding="utf-8")
    left_out = [f"--deselect={name}" for name in without if "::" in name]
    try:
        for some in filter(None, (files[:FIRST], files[FIRST:])):
            ran = tests_of(some, tree, "-x", *left_out, seconds=seconds)
            if ran.returncode in (_FAILED, _INTERRUPTED):
                return "killed"
            if ran.returncode not in (_PASSED, _NONE):
                raise RuntimeError(
                    f"pytest ran no test (exit {ran.returncode}):\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
                )
    except subprocess.TimeoutExpired:
        return "slow"
    finally:
        target.write_text(sound, encoding="utf-8")
    return "survived"


def copies(folder: Path, count: int) -> list[Path]:
    """Copies of the tree to put mutants into."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "out", "shared")
    return [Path(shutil.copytree(ROOT, folder / str(k), ignore=ignored)) for k in range(count)]


def tried(mutants: list[dict], room: str, jobs: int, without: list[str] | None) -> Iterator[tuple[int, str]]:
    """Number and end of each mutant, as they end."""
    with tempfile.TemporaryDirectory(prefix="mutants") as folder, ThreadPoolExecutor(jobs) as pool:
        trees: Queue[Path] = Queue()
        for tree in copies(Path(folder), jobs):
            trees.put(tree)
        seconds = float(SECONDS)
        if without is None:
            tree = trees.get()
            without, sound_seconds = failing(room, tree)
            seconds = max(120.0, 3 * jobs * sound_seconds)
            trees.put(tree)
        print(f"left out, for they fail without a mutant: {without}", flush=True)

        def end(number: int) -> tuple[int, str]:
            tree = trees.get()
            try:
                return number, killed(mutants[number], room, tree, without, seconds)
            finally:
                trees.put(tree)

        yield from (
            done.result() for done in as_completed([pool.submit(end, k) for k in range(len(mutants))])
        )


def main() -> None:
    """Try the mutants and print what survived."""
    parser = argparse.ArgumentParser()
    parser.add_argument("room", choices=sorted(TESTS))
    parser.add_argument("count", type=int, nargs="?", default=60)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried at a time")
    parser.add_argument(
        "--without", nargs="*", help="tests that fail anyway; found by running them if not given"
    )
    parser.add_argument("--seed", help="instead of the commit's hash")
    parser.add_argument("--list", action="store_true", help="show the mutants and run nothing")
    parser.add_argument(
        "--only", nargs="*", type=int, help="numbers of those that are tried, as --list shows them"
    )
    given = parser.parse_args()
    seed = (
        given.seed
        or subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    mutants = drawn(given.room, given.count, seed)
    print(f"{len(mutants)} mutants of {given.room}, seed {seed}", flush=True)
    numbers = list(range(len(mutants))) if given.only is None else given.only
    mutants = [mutants[k] for k in numbers]
    ends = (
        ((k, "listed") for k in range(len(mutants)))
        if given.list
        else tried(mutants, given.room, given.jobs, given.without)
    )
    for number, ended in ends:
        mutant = mutants[number]
        shown = {key: mutant[key] for key in ("file", "line", "kind", "before", "after")}
        print(f"{numbers[number]} {ended}: {shown}", flush=True)
        mutant["ended"] = ended
        if given.report:
            with given.report.open("a", encoding="utf-8") as report:
                report.write(json.dumps({"room": given.room, "seed": seed, "ended": ended, **shown}) + "\n")
    survivors = [mutant for mutant in mutants if mutant["ended"] == "survived"]
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} noticed")


if __name__ == "__main__":
    main()
