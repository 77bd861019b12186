"""Saves over a run again and again in a child, kills it at a random moment, and looks at what is left.

Usage: kills.py PATH KILLS SEED [journal]. With `journal`, folders are replaced as on systems without an exchange of
names. Prints one line for each kill: "old", "new", or what was wrong.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import unmoored as um
from unmoored.simulation import Run
from unmoored.simulation.disk import placing


def runs() -> tuple[Run, Run]:
    """Two runs of one system that differ in every number, large enough that writing takes a while."""
    system = um.load("free_flyer_arm7")
    rng = np.random.default_rng(0)
    q = np.stack([system.random_configuration(rng) for _ in range(300)])
    v = rng.normal(size=(300, system.nv))
    t = np.arange(300.0)
    first = Run(system, t, q, v, lengths=np.array([300]), provenance={"number": 1})
    return first, Run(system, t, q + 1.0, v + 1.0, lengths=np.array([300]), provenance={"number": 2})


def save_for_ever(path: Path, first: Run, second: Run) -> None:
    while True:
        second.save(path, overwrite=True)
        first.save(path, overwrite=True)


def state(path: Path, first: Run, second: Run) -> str:
    """Which of the two runs is there, whole."""
    try:
        found = um.load_run(path)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for name, run in (("old", first), ("new", second)):
        if found.provenance == run.provenance:
            whole = np.array_equal(found.q, run.q) and np.array_equal(found.v, run.v)
            return name if whole else "mixed"
    return "neither"


def main() -> None:
    path, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    if "journal" in sys.argv:
        placing._exchange = lambda a, b: False
    rng = random.Random(seed)
    first, second = runs()
    first.save(path)
    started = time.monotonic()
    second.save(path, overwrite=True)
    takes = time.monotonic() - started
    for _ in range(kills):
        pair = (first, second) if rng.random() < 0.5 else (second, first)
        child = os.fork()
        if child == 0:
            save_for_ever(path, *pair)
        time.sleep(rng.uniform(0.0, 4.0 * takes))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(state(path, first, second), flush=True)
    first.save(path, overwrite=True)
    print("left", sorted(p.name for p in path.parent.iterdir()))


if __name__ == "__main__":
    main()
