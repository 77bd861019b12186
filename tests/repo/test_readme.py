"""The README's code runs as printed, and its links lead somewhere."""

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_code_runs_as_printed():
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", README, re.S):
        exec(code, scope)
    assert scope["J"].shape == (6, 2)
    assert np.all(np.linalg.eigvalsh(scope["M"]) > 0)
    assert scope["run"].q.shape == (2001, scope["plant"].nq)


def test_links_lead_to_files():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert not [
        target for target in targets if not target.startswith("http") and not (ROOT / target).exists()
    ]


def test_commands_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.M):
        assert f"\n{target}:" in makefile
