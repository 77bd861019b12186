"""Reads hostile files by the thousand and says what went wrong.

    python -m tests.long.hostile_reading KIND FIRST COUNT [REPORT]

Every file must be read, or refused by a `ModelError`, within a second of processor time (children included; 2.5 s for
files near the size limits). It is processor time because other work may run beside; a file that takes longer is read up
to three times, and the shortest counts, since a busy neighbour slows caches too. Nothing outside the files' folder is
opened by this process (an audit hook); the test beside looks at children too, with strace.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

from tests.long.hostile_structures import made, prepare, reader

import unmoored as um
from unmoored.model import limits

SECONDS, AT_LIMITS = 1.0, 2.5
#: a file that reads for this long by the clock hangs
HANGS = 120.0


def busy() -> float:
    """Processor time of this process and of its children (s)."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


class OpenedFiles:
    """Paths under a folder that the process opens while watching."""

    def __init__(self, forbidden: Path):
        self.forbidden, self.found = (os.path.realpath(forbidden), "/etc/passwd"), []
        self.watching = False
        sys.addaudithook(self._hook)

    def _hook(self, event, arguments):
        if self.watching and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if path.startswith(self.forbidden):
                self.found.append(path)


def judged(path: Path, read, opened: OpenedFiles) -> tuple[str, float]:
    """(what went wrong or "", processor time): the reading of one file."""
    opened.found.clear()
    opened.watching = True
    started, wrong = busy(), ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(path)
        except um.ModelError as error:
            if not error.problems or not str(error).replace("\n", "").isprintable():
                wrong = f"an error that is not fit to be printed: {str(error)!r:.300}"
        except Exception as error:
            wrong = f"{type(error).__name__}: {error!s:.300}"
    opened.watching = False
    if opened.found:
        wrong = wrong or f"opened {opened.found[0]}"
    return wrong, busy() - started


def near_limits(path: Path) -> bool:
    """Whether a file has a quarter of what is allowed, in characters or in items."""
    if not path.is_file() or path.stat().st_size > limits.file_bytes:
        return False
    content = path.read_bytes()
    items = content.count(b",") + content.count(b":") + content.count(b"<")
    return len(content) > 0.25 * limits.yaml_characters or items > 0.25 * min(
        limits.yaml_items, limits.xml_elements
    )


def read_many(kind: str, first: int, count: int, top: Path) -> list[dict]:
    """What went wrong with the files of these numbers."""
    folder, read, found = prepare(top), reader(kind), []
    opened = OpenedFiles(top / "outside")
    alarm = _Alarm()
    for number in range(first, first + min(count, 3)):  # modules are loaded
        _removed(path := made(kind, number, folder), lambda p=path: judged(p, read, opened))
    for number in range(first, first + count):
        path = made(kind, number, folder)
        alarm.begin(f"{kind} {number}")
        size = path.stat().st_size if path.is_file() else 0
        allowed = AT_LIMITS if near_limits(path) else SECONDS
        wrong, seconds = judged(path, read, opened)
        for _ in range(2):
            if seconds > allowed:
                seconds = min(seconds, judged(path, read, opened)[1])
        if not wrong and seconds > allowed:
            wrong = f"took {seconds:.2f} s for {size} bytes"
        if wrong:
            found.append({"kind": kind, "number": number, "wrong": wrong})
        _removed(path)
    alarm.end()
    return found


def _removed(path: Path, act=lambda: None) -> None:
    act()
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


class _Alarm:
    """Ends the process, with the file's number, if one hangs."""

    def __init__(self):
        self._what, self._since, self._on = "", time.monotonic(), True
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, what):
        self._what, self._since = what, time.monotonic()

    def end(self):
        self._on = False

    def _watch(self):
        while self._on:
            time.sleep(1.0)
            if self._on and time.monotonic() - self._since > HANGS:
                print(f"hangs: {self._what}", flush=True)
                os._exit(3)


def main() -> None:
    """Read the files that the command line asks for and write what was found."""
    kind, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="hostile") as top:
        found = read_many(kind, first, count, Path(top))
    record = json.dumps({"kind": kind, "first": first, "count": count, "found": found})
    print(record if len(found) < 20 else f"{len(found)} found")
    if len(sys.argv) > 4:
        with open(sys.argv[4], "a", encoding="utf-8") as report:
            report.write(record + "\n")


if __name__ == "__main__":
    main()
