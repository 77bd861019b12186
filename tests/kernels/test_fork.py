"""A process that forks while its threads compile: the child compiles and computes."""

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent(
    """
    import multiprocessing, threading, time
    import numpy as np
    from unmoored import kernels

    def compiled(number, size=40):
        def function(x):
            for k in range(size):
                x = x * (1.0 + number * 1e-6) + np.sin(x) * k
            return x
        return kernels.compile(function, [(3,)], name=f"f{number}")

    going = True

    def busy(first):
        number = first
        while going:
            compiled(number)
            number += 1

    def child(number, same):
        kernel = compiled(same, 12)  # what a thread of the parent may have under way
        assert kernel(np.ones(3)).shape == (3,)
        assert compiled(10**6 + number, 5)(np.ones((4, 3))).shape == (4, 3)

    def same(numbers):
        while going:
            compiled(next(numbers), 12)

    import itertools
    threads = [threading.Thread(target=busy, args=(1000 * k,), daemon=True) for k in range(2)]
    shared = itertools.count(500_000)
    threads.append(threading.Thread(target=same, args=(shared,), daemon=True))
    for thread in threads:
        thread.start()
    context = multiprocessing.get_context("fork")
    for number in range(3):
        time.sleep(0.02 * number)
        process = context.Process(target=child, args=(number, 500_000 + number))
        process.start()
        process.join(60)
        if process.exitcode != 0:
            print("child", number, "exit code", process.exitcode, flush=True)
            process.kill()
            import os
            os._exit(1)
    going = False
    print("all well", flush=True)
    import os
    os._exit(0)
    """
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_child_of_a_fork_compiles(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        env=os.environ | {"UNMOORED_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.stdout.strip().endswith("all well"), ran.stdout + ran.stderr
