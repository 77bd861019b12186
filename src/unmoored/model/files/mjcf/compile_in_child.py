"""A program of its own: compiles an MJCF model with MuJoCo under limits of time and memory.

Run by `compiling.py` in an empty folder. Standard input: a line of JSON (limits, sizes), then the model's text and its
assets. Standard output: "ok" and the compiled model, or "no" and the reason. Nothing of unmoored is imported here.
"""

import json
import sys


def main() -> None:
    """Read the model from standard input, compile it and write the answer."""
    from importlib import import_module

    import numpy as np

    mujoco = import_module("mujoco")

    head = json.loads(sys.stdin.buffer.readline())
    _limit(head["seconds"], head["bytes"])
    text = sys.stdin.buffer.read(head["text"]).decode()
    assets = {name: sys.stdin.buffer.read(size) for name, size in head["assets"]}
    try:
        m = mujoco.MjModel.from_xml_string(text, assets)
        size = mujoco.mj_sizeModel(m)
        compiled = np.empty(size, dtype=np.uint8)
        mujoco.mj_saveModel(m, None, compiled)
        answer = b"ok" + compiled.tobytes()
    except (ValueError, mujoco.FatalError, MemoryError) as error:
        answer = b"no" + (str(error) or type(error).__name__).encode("utf-8", "replace")
    sys.stdout.buffer.write(answer)


def _limit(seconds: int, memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on every system; the time is bounded from outside too
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
