"""A flattened model → MuJoCo's compiled one, by a child process that sees nothing else and has limits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ....error_roots import optional
from ...limits import limits
from ..file_problems import file_error
from .flattening import Flattened

_CHILD = Path(__file__).with_name("compile_in_child.py")


def compiled(model: Flattened, source: str) -> Any:
    """The `mujoco.MjModel`; a `ModelError` if MuJoCo refuses it, takes too long or too much memory, or breaks down."""
    mujoco = optional("mujoco", "mjcf", "reading MJCF")
    answer = _answer(model, source)
    if answer[:2] == b"ok":
        return mujoco.MjModel.from_binary_path("compiled.mjb", {"compiled.mjb": answer[2:]})
    raise _refusal(answer[2:].decode("utf-8", "replace"), model, source)


def _answer(model: Flattened, source: str) -> bytes:
    text = model.text.encode()
    sizes = [[name, len(content)] for name, content in model.assets.items()]
    head = {"seconds": limits.mjcf_seconds, "bytes": limits.mjcf_bytes, "text": len(text), "assets": sizes}
    given = b"".join([json.dumps(head).encode(), b"\n", text, *model.assets.values()])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-P", str(_CHILD)]
    try:
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                command,
                input=given,
                capture_output=True,
                cwd=empty,
                env=environment,
                timeout=4 * limits.mjcf_seconds,
            )
    except subprocess.TimeoutExpired:
        raise _too_much(source, "out of time") from None
    if done.returncode or done.stdout[:2] not in (b"ok", b"no"):
        why = (
            f"ended with {done.returncode}"
            if done.returncode >= 0
            else f"stopped by signal {-done.returncode}"
        )
        raise _too_much(source, why)
    return done.stdout


def _too_much(source: str, why: str) -> Exception:
    expected = (
        f"what MuJoCo compiles in {limits.mjcf_seconds} s and {limits.mjcf_bytes:,} bytes "
        "(unmoored.limits.mjcf_seconds and mjcf_bytes raise it)"
    )
    return file_error(source, "MJCF", expected=expected, given=why)


def _refusal(error: str, model: Flattened, source: str) -> Exception:
    """MuJoCo's words, with the file and line that they are about: the last one, for others are of models in it."""
    lines = [int(line) for line in re.findall(r"line (?:number=)?(\d+)", error, re.IGNORECASE)]
    file, number = source, None
    if lines and 0 < lines[-1] <= len(model.lines):
        file, number = model.lines[lines[-1] - 1]
    words = re.sub(r",? *line (?:number=)?\d+", "", " ".join(error.split()), flags=re.IGNORECASE)
    for name, path in model.paths.items():
        words = words.replace(name, path)
    return file_error(file, "MJCF", expected="what MuJoCo compiles", given=words, line=number)
