"""Thousands of files with hostile structures, and what the processes that read them open (`make long`).

UNMOORED_HOSTILE: how many hundreds of each kind. One of them again: `python -m tests.long.hostile_reading KIND N 1`.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.long.hostile_reading import read_many
from tests.long.hostile_structures import KINDS

HUNDREDS = int(os.environ.get("UNMOORED_HOSTILE", "10"))
SHARE = {"system": 3, "scenario": 2, "urdf": 3, "mjcf": 1, "mesh": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_read_or_refused_soon(tmp_path, kind):
    assert not read_many(kind, 0, 100 * HUNDREDS * SHARE[kind], tmp_path)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_outside_is_opened_children_included(tmp_path, kind):
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", trace, sys.executable]
    command += ["-m", "tests.long.hostile_reading", kind, "0", "60"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TMPDIR": str(tmp_path),
    }
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    assert '"found": []' in ran.stdout, ran.stdout + ran.stderr
    opened = set(re.findall(r'"([^"]*)"', trace.read_text(errors="replace")))
    forbidden = [
        path
        for path in opened
        if "/outside/" in path or "/etc/passwd" in path or path.startswith("/proc/self/mem")
    ]
    written = [path for path in forbidden if path.endswith(("outside/x.obj", "outside/secret.xml"))]
    counts = {path: trace.read_text(errors="replace").count(f'"{path}"') for path in written}
    assert set(forbidden) == set(written)
    assert all(count == 1 for count in counts.values()), counts  # once, when the test itself wrote them
