"""Compilers of the machine that the tests run on, and what they make of generated source."""

import hashlib
import shutil
import subprocess
from ctypes import CDLL
from pathlib import Path


def run_compiler(*command: object) -> str:
    """Run a compiler; its messages are the failure."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    messages = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{messages}"
    return messages


def found(*names: str) -> str:
    """The first of these programs that is there."""
    for name in names:
        if shutil.which(name):
            return name
    raise AssertionError(f"the tests of generated source need one of {', '.join(names)}")


def shared_library(
    source: str, suffix: str, folder: Path, *options: str, inputs: tuple[Path, ...] = ()
) -> CDLL:
    """Compile source text (.c or .cpp) into a library and load it."""
    compiler = found("gcc", "cc") if suffix == ".c" else found("g++", "c++")
    stem = folder / hashlib.sha256(source.encode()).hexdigest()[:16]
    path = stem.with_suffix(suffix)
    path.write_text(source)
    library = stem.with_suffix(".so")
    run_compiler(compiler, *options, "-shared", "-fPIC", "-o", library, path, *inputs, "-lm")
    return CDLL(str(library))
