"""Presence is structure, not value: whether a model's number is left out is asked of `trace.is_zero` only.

A free number is a symbol while a kernel is traced; `x.any()` would drop it if the value as built is zero, or fail.
"""

import ast
from pathlib import Path

import numpy as np
import pytest

from unmoored.trace import is_zero, trace

PACKAGE = Path(__file__).parents[2] / "src" / "unmoored"
ROOMS = ("lie", "dynamics", "integrators", "worlds")
FILES = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py"))
#: Calls whose results are truth values.
PREDICATES = ("isfinite", "isnan", "isin", "contains")


def is_truth_value(node: ast.expr) -> bool:
    """Whether an expression compares numbers, instead of being some."""
    if isinstance(node, ast.Compare | ast.BoolOp):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not | ast.Invert) and is_truth_value(node.operand)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr | ast.BitAnd) and is_truth_value(node.left)
    return isinstance(node, ast.Call) and _name(node.func) in PREDICATES


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def questions(source: str):
    """Line of every `x.any()` and `np.any(x)` of numbers."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr != "any":
            continue
        on_module = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
        asked = node.args[0] if on_module else node.func.value
        if not is_truth_value(asked):
            yield node.lineno


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_numbers_are_asked_by_is_zero_only(path):
    assert not list(questions(path.read_text(encoding="utf-8")))


def test_the_check_sees_questions():
    asked = (
        "a.any()\nnp.any(b)\nlink.joint.armature.any()\nnp.any(c > 0)\n(d == 0).all()\nnp.all(np.isfinite(e))"
    )
    assert list(questions(asked)) == [1, 2, 3]


def test_is_zero_is_false_for_a_symbol():
    seen = []

    def function(x):
        seen.extend([is_zero(x), is_zero(0.0 * np.ones(3)), is_zero(np.array([0.0, x[0]], dtype=object))])
        return x

    trace(function, (2,))
    assert seen == [False, True, False]
    assert is_zero(0)
    assert is_zero(np.zeros((2, 0)))
    assert not is_zero(np.array([0.0, 1e-300]))
    assert is_zero(np.array([0.0, 0], dtype=object))
    assert not is_zero(np.nan)
