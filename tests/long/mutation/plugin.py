"""A plugin of pytest for mutants: which lines each test runs, which tests are run and in which order, and machine code
that is known already.

`MUTATION_RECORD` names the file for the lines of the folder `MUTATION_FOLDER` that each test runs; `MUTATION_ORDER` a
file with the names of tests, the others are left out; `MUTATION_CODE` a folder of machine code by the LLVM source that
it was made from. A changed source has other keys in the cache of kernels, so that every kernel is traced anew;
only the assembler, a pure function of that text, is asked once.
"""

import hashlib
import json
import os
import sys
import threading
from collections import defaultdict
from pathlib import Path

import pytest

_record, _order, _code = (os.environ.get(f"MUTATION_{name}") for name in ("RECORD", "ORDER", "CODE"))


#: what Python says of itself when it starts another process
_STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"}


class Recorder:
    """Lines by test, and whether it starts processes; what importing and collecting run is under the empty name."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.lines = defaultdict(set)
        self.now = self.lines[""]
        self.seconds = defaultdict(float)
        self.failed = set()
        self.test, self.starting = "", set()
        sys.addaudithook(self.heard)
        sys.settrace(self.called)
        threading.settrace(self.called)

    def heard(self, event, _):
        if event in _STARTS:
            self.starting.add(self.test)

    def called(self, frame, event, _):
        """The line tracer for functions of the folder, none for others."""
        return self.line if frame.f_code.co_filename.startswith(self.folder) else None

    def line(self, frame, event, _):
        if event == "line":
            self.now.add((frame.f_code.co_filename, frame.f_lineno))
        return self.line

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid):
        self.test, self.now = nodeid, self.lines[nodeid]
        sys.settrace(self.called)  # a test may have taken it away

    def pytest_runtest_logfinish(self, nodeid):
        self.test, self.now = "", self.lines[""]

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self):
        sys.settrace(None)
        found = {}
        for test, lines in self.lines.items():
            by_file = defaultdict(list)
            for file, line in sorted(lines):
                by_file[file[len(self.folder) :]].append(line)
            found[test] = {
                "seconds": self.seconds[test],
                "failed": test in self.failed,
                "starts": test in self.starting,
                "lines": by_file,
            }  # fmt: skip
        Path(_record).write_text(json.dumps(found), encoding="utf-8")


#: from now on, before the folders' conftests are read
_recorder = Recorder(os.environ["MUTATION_FOLDER"]) if _record else None


def known_code(folder: Path) -> None:
    """Let the assembler keep what it makes, and look there first."""
    from unmoored.kernels import machine_code  # not before lines are recorded

    assemble = machine_code.assemble

    def kept(source: str) -> bytes:
        what = source, machine_code.llvm_version(), machine_code.host(), machine_code.optimisation()
        file = folder / hashlib.sha256(repr(what).encode()).hexdigest()
        if file.exists():
            return file.read_bytes()
        code = assemble(source)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(code)
        part.replace(file)
        return code

    machine_code.assemble = kept


def pytest_configure(config: pytest.Config) -> None:
    if _recorder:
        config.pluginmanager.register(_recorder)
    if _code:
        known_code(Path(_code))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Those that are asked for, in their order."""
    if _order:
        place = {name: k for k, name in enumerate(json.loads(Path(_order).read_text(encoding="utf-8")))}
        items[:] = sorted(
            (item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid]
        )
