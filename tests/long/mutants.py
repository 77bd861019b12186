"""Random mutants of a room, and the tests that should notice them.

    python -m tests.long.mutants ROOM [COUNT] [--report FILE] [--jobs N]

A mutant is one change of a sign, a slice, a factor or an argument in one file of the room, drawn at random with the
commit's hash as seed, so that every commit is tried in other places and each run can be made again. It is written into
a copy of the tree; the tests of the room and of its neighbours run there until one fails: those first that run the
changed line, as was seen once without a mutant, then the rest of their files, then all others. Tests that fail without
any mutant, where a package is missing, are left out and named; tests that take three times as long as without one have
noticed. Survivors are listed with their lines: each one is a test that is missing, or a change that changes nothing.
`--again REPORT` tries those that survived there once more, with the code and the tests as they are now. Where one part
of a room is worked on, `--files` draws in its files and `--tests` asks some tests only.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import count
from pathlib import Path
from queue import Queue

from tests.long.mutation.draws import KINDS, ROOT, drawn, found_again
from tests.long.mutation.order import FAILED, INTERRUPTED, Seen, pytest_in, seen, statement_lines, waves

#: folders of tests that belong to a room, its own first
TESTS = {
    "simulation": (
        "simulation",
        "scenarios",
        "campaigns/test_random_values.py",
        "control/test_own_laws.py",
        "sensing/test_sampling.py",
        "worlds/test_contact.py",
    ),
    "model": (
        "model",
        "scenarios/test_registry.py",
        "system/test_builder.py",
        "system/test_library.py",
        "system/test_made_parts.py",
        "dynamics/test_kinematics.py",
        "worlds/test_water_shapes.py",
        "repo/test_public_surface.py",
    ),
    "system": (
        "system",
        "dynamics/test_recursive.py",
        "dynamics/test_energy_momentum.py",
        "dynamics/test_nonholonomic.py",
        "kernels/test_c_export.py",
        "model/test_mimic.py",
        "worlds/test_massless_prescribed.py",
        "repo/test_public_surface.py",
    ),
    "control": ("control", "simulation/test_controllers.py", "simulation/test_goals.py"),
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
        "views/test_just_at_edges.py",
        "views/test_as_many_of_each.py",
        "views/test_backdrops_and_letters.py",
        "views/test_said_to_libraries.py",
        "views/test_told_views.py",
        "views/test_viewer_runs.py",
        "views/test_viewer_live.py",
        "views/test_report.py",
        "views/test_meshes_hostile.py",
        "views/test_run_methods.py",
        "views/test_notebook.py",
        "views/test_viewer_server.py",
        "repo/test_public_surface.py",
    ),
    "worlds": ("worlds",),
    "integrators": ("integrators",),
    "kernels": ("kernels",),
}
#: longest that the tests of a file may take (s) without a mutant
SECONDS = 1800
#: times of writing, each another: byte code is kept by them
_written = count(1_000_000_000)


def files_of(parts: Sequence[str], tree: Path) -> list[str]:
    """Files with tests in these parts of the tests."""
    return [
        str(file.relative_to(tree))
        for part in parts
        for file in (
            [tree / "tests" / part]
            if part.endswith(".py")
            else sorted((tree / "tests" / part).rglob("test_*.py"))
        )
    ]


def write(file: Path, text: str) -> None:
    """Write a source file so that Python sees that it is another."""
    file.write_text(text, encoding="utf-8")
    time = next(_written)
    os.utime(file, (time, time))


def killed(mutant: dict, tree: Path, tests: dict[str, Seen], code: Path | None, most: float) -> str:
    """How the tests ended with the mutant in a copy of the tree: "killed", "survived" or "slow" (noticed too)."""
    target = tree / mutant["file"]
    room = Path("src", "unmoored", Path(mutant["file"]).parts[2])
    sound = target.read_text(encoding="utf-8")
    lines = statement_lines(sound, mutant["line"], mutant["last_line"])
    write(target, mutant["text"])
    try:
        for wave in filter(None, waves(tests, str(Path(mutant["file"]).relative_to(room)), lines)):
            order = tree / "order.json"
            order.write_text(json.dumps(wave), encoding="utf-8")
            files = list(dict.fromkeys(test.split("::")[0] for test in wave))
            seconds = 60 + most * sum(tests[test].seconds for test in wave)
            if pytest_in(tree, files, code, seconds, order=str(order)) in (FAILED, INTERRUPTED):
                return "killed"
    except subprocess.TimeoutExpired:
        return "slow"
    finally:
        write(target, sound)
    return "survived"


def copies(folder: Path, number: int) -> list[Path]:
    """Copies of the tree to put mutants into."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "out", "shared")
    return [Path(shutil.copytree(ROOT, folder / str(k), ignore=ignored)) for k in range(number)]


def tried(mutants: list[dict], room: str, parts: Sequence[str], jobs: int) -> Iterator[tuple[int, str]]:
    """Number and end of each mutant, as they end.  parts: of the tests."""
    with tempfile.TemporaryDirectory(prefix="mutants") as folder, ThreadPoolExecutor(jobs) as pool:
        trees: Queue[Path] = Queue()
        for tree in copies(Path(folder), jobs):
            trees.put(tree)
        code = (
            None if room == "kernels" else Path(folder, "code")
        )  # there the assembler itself may be changed
        if code:
            code.mkdir()
        tests = seen(tree, room, files_of(parts, tree), code, SECONDS, jobs)
        seconds = sum(what.seconds for what in tests.values())
        left_out = [test for test, what in tests.items() if what.failed]
        print(
            f"{len(tests)} tests, {seconds:.0f} s; left out, for they fail without a mutant: {left_out}",
            flush=True,
        )

        def end(number: int) -> tuple[int, str]:
            tree = trees.get()
            try:
                return number, killed(mutants[number], tree, tests, code, 3.0 * jobs)
            finally:
                trees.put(tree)

        yield from (
            done.result() for done in as_completed([pool.submit(end, k) for k in range(len(mutants))])
        )


def survivors_of(report: Path, room: str) -> list[dict]:
    """Mutants that survived as a report tells, in the code as it is now."""
    told = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    wanted = [entry for entry in told if entry["room"] == room and entry["ended"] == "survived"]
    for entry in wanted:
        if found_again(entry) is None:
            print(f"not there any more: {entry}", flush=True)
    return [mutant for entry in wanted if (mutant := found_again(entry)) is not None]


def main() -> None:
    """Try the mutants and print what survived."""
    parser = argparse.ArgumentParser()
    parser.add_argument("room", choices=sorted(TESTS))
    parser.add_argument("count", type=int, nargs="?", default=60)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried at a time")
    parser.add_argument("--seed", help="instead of the commit's hash")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, default=KINDS, help="kinds of changes, all if not given"
    )
    parser.add_argument("--files", nargs="+", default=("*",), help="patterns of the files that are changed")
    parser.add_argument("--tests", nargs="+", help="files and folders below tests/, instead of the room's")
    parser.add_argument("--list", action="store_true", help="show the mutants and run nothing")
    parser.add_argument("--again", type=Path, help="a report: those that survived there instead of a draw")
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
    mutants = (
        survivors_of(given.again, given.room)
        if given.again
        else drawn(given.room, given.count, seed, tuple(given.kinds), tuple(given.files))
    )
    print(f"{len(mutants)} mutants of {given.room}, seed {seed}", flush=True)
    numbers = list(range(len(mutants))) if given.only is None else given.only
    mutants = [mutants[k] for k in numbers]
    ends = (
        ((k, "listed") for k in range(len(mutants)))
        if given.list
        else tried(mutants, given.room, given.tests or TESTS[given.room], given.jobs)
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
