"""Which tests run the changed line, so that they are asked first: seen once for each test file without a mutant."""

import ast
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

#: how pytest ends where tests ran, a module could not be imported, or all tests are long; anything else says nothing
PASSED, FAILED, INTERRUPTED, NONE = 0, 1, 2, 5
#: tests that are asked first, alone: the quickest that run the changed line
QUICKEST = 12


@dataclass(frozen=True)
class Seen:
    """What a test did without a mutant: lines by file; of its own file, what importing it ran, and whether any of its
    tests started a process, in which anything may have run.
    """

    seconds: float
    failed: bool
    lines: dict[str, list[int]]
    imported: dict[str, list[int]]
    starts: bool


def pytest_in(tree: Path, files: list[str], code: Path | None, seconds: float, **settings: str) -> int:
    """How the tests of these files end in a copy of the tree; TimeoutExpired if they take too long.

    They find no kernel in the cache. Nothing that they started is left.
    """
    with tempfile.TemporaryDirectory(prefix="mutation") as cache:
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(
                filter(None, [str(tree), str(tree / "src"), os.environ.get("PYTHONPATH")])
            ),
            "UNMOORED_CACHE_DIR": cache,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "MUTATION_CODE": str(code or ""),
            **{f"MUTATION_{name.upper()}": value for name, value in settings.items()},
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "tests.long.mutation.plugin",
        ]
        command += [] if "record" in settings else ["-x"]
        with (
            tempfile.TemporaryFile("w+") as said,
            subprocess.Popen(
                [*command, *files],
                cwd=tree, env=environment, stdout=said, stderr=said, start_new_session=True,
            ) as process,
        ):  # fmt: skip
            try:
                ended = process.wait(seconds)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, SIGKILL)
            if (
                ended < 0 and "record" not in settings
            ):  # a mutant that writes where it may not ends the interpreter
                return FAILED
            if ended not in (PASSED, FAILED, INTERRUPTED, NONE):
                said.seek(0)
                raise RuntimeError(f"pytest ran no test (exit {ended}):\n{said.read()[-3000:]}")
            return ended


def seen(
    tree: Path, room: str, files: list[str], code: Path | None, seconds: float, jobs: int
) -> dict[str, Seen]:
    """What each test of these files runs of a room, every file in a process of its own, which has no kernel yet;
    some files at a time.
    """
    folder = str(tree / "src" / "unmoored" / room) + os.sep
    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(lambda file: _seen_in(tree, file, code, seconds, folder), files)
        return {test: what for part in parts for test, what in part.items()}


def _seen_in(tree: Path, file: str, code: Path | None, seconds: float, folder: str) -> dict[str, Seen]:
    with tempfile.TemporaryDirectory(prefix="mutation") as place:
        record = Path(place, "lines.json")
        pytest_in(tree, [file], code, seconds, record=str(record), folder=folder)
        told = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    starts = any(what["starts"] for what in told.values())
    imported = told.pop("", {"lines": {}})["lines"]
    return {
        test: Seen(what["seconds"], what["failed"], what["lines"], imported, starts)
        for test, what in told.items()
    }


def statement_lines(source: str, first: int, last: int) -> range:
    """Lines of the smallest statement around these, without the body of a compound one."""
    ranges = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            if node.lineno <= first and last <= end:
                ranges.append(range(node.lineno, end + 1))
    return min(ranges, key=len, default=range(first, last + 1))


def waves(tests: dict[str, Seen], name: str, lines: range) -> Iterator[list[str]]:
    """Tests that did not fail without a mutant and may notice it, in three parts: the quickest that run the lines of a
    file; the rest of their files, whose tests share what one of them made; and files that run the lines on import only
    or start processes. No other test can notice a change of these lines.
    """
    sound = {test: what for test, what in tests.items() if not what.failed}

    def runs(ran: dict[str, list[int]]) -> bool:
        return any(line in lines for line in ran.get(name, ()))

    def near(test: str) -> int:
        return len(sound[test].lines.get(name, ()))

    hits = {test for test, what in sound.items() if runs(what.lines)}
    # of a line that only importing runs those tests know more that run more of its file
    likely = hits or {test for test in sound if near(test)}
    by_time = sorted(likely, key=lambda test: sound[test].seconds / (1 if hits else near(test)))
    first = sorted(by_time[:QUICKEST], key=_file)
    yield first
    files = {_file(test) for test in hits}
    second = [test for test in sound if _file(test) in files and test not in set(first)]
    yield sorted(second, key=lambda test: (test not in likely, _file(test)))
    done = {*first, *second}
    yield [t for t, what in sound.items() if t not in done and (what.starts or runs(what.imported))]


def _file(test: str) -> str:
    return test.split("::")[0]
