"""A cluster's processes that begin at once: forked from a server that has imported everything and run the study once.

Each is a process of its own, to be killed at any time: a client that runs the campaign, a scheduler, a worker.
"""

import asyncio
import multiprocessing
import os
import tempfile
from pathlib import Path

from .killed import SHARD, campaign


def begun(function, log, *arguments):
    """A process that runs a function of this module; what it prints goes to the file `log`."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.warmed"])
    process = context.Process(target=_quietly, args=(function, str(log), *arguments), daemon=True)
    process.start()
    return process


def warm():
    """Run the study, so that forks of this process have its machine code."""
    import distributed.scheduler
    import distributed.worker  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:
        campaign().run(Path(folder) / "study", shard=SHARD, progress=False)


def client(folder, address):
    """Run the campaign, or go on with it."""
    campaign().run(folder, address, shard=SHARD, progress=False)


def scheduler(file):
    """A scheduler that writes its address to a file."""
    asyncio.run(_scheduler(Path(file)))


def worker(address):
    """A worker with one thread."""
    asyncio.run(_worker(address))


async def _scheduler(file):
    from distributed import Scheduler

    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as made:
        new = file.with_suffix(".new")
        new.write_text(made.address)
        new.replace(file)
        await made.finished()


async def _worker(address):
    from distributed import Worker

    with tempfile.TemporaryDirectory() as folder:
        async with Worker(address, nthreads=1, dashboard=False, local_directory=folder) as made:
            await made.finished()


def _quietly(function, log, *arguments):
    with open(log, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    function(*arguments)
