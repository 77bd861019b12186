"""docs/formulations.md: its code runs, and its numbers are what the code prints. UPDATE_DOCS=1 rewrites them."""

import contextlib
import io
import os
import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "formulations.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
LAST_DIGIT = 2e-4  # the page prints four decimals


def printed_by_page():
    """(code, text on the page, text that the code prints now) of every block."""
    scope: dict = {}
    options = np.get_printoptions()
    try:
        for code, shown in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(code, scope)
            yield code, shown, "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    finally:
        np.set_printoptions(**options)


def words(text):
    """The text without its numbers, line breaks and the places for first signs: zeros that are rounding have either."""
    return NUMBER.sub("#", " ".join(text.split())).replace("[ ", "[")


def test_numbers_are_regenerated():
    blocks = list(printed_by_page())
    if os.environ.get("UPDATE_DOCS"):
        results = iter(blocks)

        def fresh(match):
            code, _, now = next(results)
            return f"```python\n{code}```\n" + (f"\n```text\n{now}\n```\n" if now else "")

        PAGE.write_text(BLOCK.sub(fresh, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return
    assert len(blocks) > 12
    for code, shown, now in blocks:
        assert words(shown) == words(now), code
        old, new = ([float(x) for x in NUMBER.findall(text)] for text in (shown, now))
        assert np.allclose(old, new, atol=LAST_DIGIT, rtol=0), code
