"""Ctrl-C at random moments from the first step of a run on: what was computed is kept, every time."""

import contextlib
import io
import os
import random
import signal
import threading
import time
import warnings

from rich.console import Console

import unmoored as um
from unmoored.cli.run_command import INTERRUPTED, run_scenario
from unmoored.simulation import fixed_steps
from unmoored.simulation.progress import Interrupts

SETTINGS = ("duration=4", "outputs.record_every=1")


def interrupted_runs(folder, count, seed, monkeypatch) -> list[str]:
    """How each of `count` runs ended: "whole", "part", or what was wrong."""
    stepping, advance = threading.Event(), fixed_steps._advance

    def watched(*arguments):
        stepping.set()
        advance(*arguments)

    monkeypatch.setattr(fixed_steps, "_advance", watched)
    started = time.monotonic()
    _run(folder / "first")
    longest = time.monotonic() - started
    rng, found = random.Random(seed), []
    for number in range(count):
        stepping.clear()
        wait = rng.uniform(0.0, longest)
        sender = threading.Thread(target=_send, args=(stepping, wait))
        with Interrupts():  # one that comes when all is done
            sender.start()
            found.append(_judged(folder / str(number)))
            sender.join()
    return found


def _send(stepping, wait) -> None:
    stepping.wait()
    time.sleep(wait)
    os.kill(os.getpid(), signal.SIGINT)


def _run(folder) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run_scenario(
            Console(file=io.StringIO()), "gantry_crane", folder, settings=SETTINGS, as_json=True
        )


def _judged(folder) -> str:
    try:
        code = _run(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = um.load_run(folder / "run.zarr")
    except (KeyboardInterrupt, Exception) as error:
        return f"{type(error).__name__}: {error}"
    missing = [name for name in ("channels.csv", "summary.json") if not (folder / name).exists()]
    if missing or code not in (0, INTERRUPTED):
        return f"missing {missing}, exit code {code}"
    return "whole" if run.completed else "part"
