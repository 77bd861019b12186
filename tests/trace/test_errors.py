"""Misuse of symbols raises at once and names the line and the traceable spelling."""

import numpy as np
import pytest

from unmoored import trace as T


def one(x):
    return np.array([x, 2.0 * x])


MISUSES = {
    "if": (lambda x: 1.0 if x < 0.0 else x, "trace.where"),
    "and": (lambda x: (x < 0.0) and (x > -1.0), "trace.where"),
    "truth": (lambda x: x if x else -x, "trace.where"),
    "float": (lambda x: float(x), "np.stack"),
    "dtype": (lambda x: np.array([x, 1.0], dtype=float), "np.stack"),
    "assignment": (lambda x: np.zeros(2).__setitem__(0, x), "np.stack"),
    "int": (lambda x: [1, 2][int(x)], "must not depend"),
    "index": (lambda x: [1, 2][x], "must not depend"),
    "np.maximum": (lambda x: np.maximum(one(x), 0.0), "maximum"),
    "np.clip": (lambda x: np.clip(one(x), 0.0, 1.0), "clip"),
    "np.sign": (lambda x: np.sign(one(x)), "sign"),
    "np.where": (lambda x: np.where(one(x) < 0.0, 1.0, 2.0), "trace.where"),
    "array <": (lambda x: one(x) < 1.0, "trace.less"),
    "array ==": (lambda x: one(x) == 1.0, "trace.where"),
    "member": (lambda x: x in [1.0, 2.0], "trace.where"),
    "set": (lambda x: {x}, "dictionary key"),
    "modulo": (lambda x: x % 2.0, "np.floor"),
    "power": (lambda x: x**0.3, "np.exp"),
    "round": (lambda x: round(x), "np.rint"),
    "complex": (lambda x: complex(x), "real arithmetic"),
    "condition ==": (lambda x: (x < 1.0) == (x < 2.0), "join conditions"),
    "condition hash": (lambda x: {x < 1.0}, "dictionary key"),
    "returned condition": (lambda x: x < 1.0, "trace.where"),
    "where without condition": (lambda x: T.where(x, 1.0, 2.0), "expected a condition"),
    "text": (lambda x: x + "a", "expected a real number"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_explained(name):
    function, hint = MISUSES[name]
    with pytest.raises(T.TracingError) as error:
        T.trace(function, ())
    assert hint in str(error.value)
    if name != "returned condition":
        assert "test_errors.py:" in str(error.value)
        assert "lambda x:" in str(error.value) or "def " in str(error.value)


def test_symbols_of_another_trace_are_refused():
    kept = []
    T.trace(lambda x: kept.append(x) or x, ())
    with pytest.raises(T.TracingError, match="another trace"):
        T.trace(lambda y: y + kept[0], ())
    with pytest.raises(T.TracingError, match="another trace"):
        T.trace(lambda y: T.where(kept[0] < 1.0, y, 0.0), ())


def test_symbols_print_themselves():
    T.trace(lambda x: [repr(x), repr(x < 1.0), repr(x * 0.0)] and x, ())
    texts = []
    T.trace(lambda x: texts.extend([repr(x), repr(x < 1.0), repr(x * 0.0)]) or x, ())
    assert texts == ["Symbol(#0 input)", "Condition(#2 lt)", "Symbol(0.0)"]
