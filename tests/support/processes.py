"""Python processes of their own that start at once: forks of a process that has imported what they all import.

`run_python("-m", "unmoored", "info", "ets_vii")` does what `subprocess.run([sys.executable, …])` does: the process has
its own folder, environment, streams and exit code, and nothing that a test did, but it takes no second of imports.
What happens before or during the import of the package is not seen: take `subprocess` for that.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import warnings
from functools import cache
from pathlib import Path
from typing import Any

_IMPORTED = ("unmoored", "typer", "rich.console", "rich.table", "rich.tree", "xarray", "zarr", "matplotlib.figure",
             "matplotlib.pyplot", "unmoored.views")  # fmt: skip


def run_python(*arguments: Any, cwd: Any = None, env: Any = None) -> subprocess.CompletedProcess[str]:
    """Run a file, or a module after "-m", with arguments; `env` replaces the whole environment if given."""
    words = [str(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        out, errors = Path(folder, "out"), Path(folder, "errors")
        place = str(cwd or Path.cwd())
        wish = {
            "words": words,
            "cwd": place,
            "env": dict(env or os.environ),
            "streams": [str(out), str(errors)],
        }
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(wish) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        said = [file.read_text(encoding="utf-8") for file in (out, errors)]
    return subprocess.CompletedProcess([sys.executable, *words], code, *said)


@cache
def _server() -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__))]
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "ignore", "PYTHONIOENCODING": "utf-8"}
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    atexit.register(server.communicate)  # the end of its input ends it
    return server


def _serve() -> dict[str, Any] | None:
    """Fork for every wish that is read; returns the wish in the child, and nothing in the server at the end."""
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # a collection in a child would copy every page
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            return json.loads(line)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


def _become(wish: dict[str, Any]) -> None:
    """Take the streams, folder, environment and warnings that were wished for."""
    out, errors = wish["streams"]
    for number, file in enumerate((os.devnull, out, errors)):
        descriptor = os.open(file, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(wish["env"])
    os.chdir(wish["cwd"])
    warnings.resetwarnings()
    warnings.simplefilter(wish["env"].get("PYTHONWARNINGS", "default"))


def _run(wish: dict[str, Any]) -> None:
    words = wish["words"]
    if words[0] == "-m":
        sys.argv, sys.path[0] = words[1:], wish["cwd"]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = words, str(Path(words[0]).parent)
        runpy.run_path(words[0], run_name="__main__")


def _exit_code(wish: dict[str, Any]) -> int:
    """Run what was wished for, and tell an error as Python does."""
    try:
        _run(wish)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    wished = _serve()
    if wished is not None:
        _become(wished)
        code = _exit_code(wished)
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)  # taking the imported modules apart would take longer than most of these processes run
