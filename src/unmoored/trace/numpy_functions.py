"""NumPy's own functions on symbols: mapped to those that can be traced, or refused with the line and a spelling.

Arrays of symbols that users' functions are given are `SymbolArray`s, and single symbols know the same functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import array_functions as f
from . import elementary_functions as e
from . import linear, lookup
from .symbol import Condition, Symbol, boxed
from .tracing_error import TracingError, misuse


class SymbolArray(np.ndarray):
    """An array of symbols (and numbers), on which more of NumPy's functions work than on plain arrays of objects."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return run_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return run_function(func, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        _check_index(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _check_index(key)
        super().__setitem__(key, value)


def _check_index(key: Any) -> None:
    """Refuse places that depend on symbols."""
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, Symbol | Condition) or (isinstance(part, np.ndarray) and part.dtype == object):
            raise misuse(
                "an index that is a symbol or a condition",
                "use unmoored.trace.table(values, index) to look up, unmoored.trace.where(condition, a, b) to choose",
            )


def run_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc with symbols among its inputs."""
    given = [plain(x) for x in inputs]
    kwargs = {name: plain(value) for name, value in kwargs.items()}
    if ufunc.__name__ == "clip":  # of the method; it has no public name
        _refuse_options("clip", kwargs)
        return wrapped(_clip(*given))
    if ufunc in _UFUNCS and method == "__call__" and set(kwargs) <= {"dtype"}:
        return wrapped(_UFUNCS[ufunc](*given))
    if ufunc in _REDUCED and method == "reduce":
        _refuse_options(f"{ufunc.__name__}.reduce", kwargs)
        return wrapped(_reduced(_UFUNCS[ufunc], *given, **kwargs))
    if ufunc in _REFUSED:
        raise misuse(f"np.{ufunc.__name__} of symbols", _REFUSED[ufunc])
    given = [boxed(x) for x in given]
    return wrapped(_tried(ufunc.__name__, getattr(ufunc, method), given, kwargs))


def _refuse_options(name: str, options: dict[str, Any]) -> None:
    """Refuse what a mapped function would pass over: a place for the result, a mask, a value to begin with."""
    meant = {"out": None, "where": True, "initial": np._NoValue}
    for option, value in options.items():
        if option in meant and value is not meant[option]:
            raise misuse(f"np.{name} of symbols with {option}=", "assign the result, and choose by np.where")


def run_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's with symbols among its arguments."""
    if func in _REFUSED:
        raise misuse(f"np.{func.__name__} of symbols", _REFUSED[func])
    mapped = func in _FUNCTIONS
    own: Any = _FUNCTIONS[func] if mapped else func
    box = (lambda x: x) if mapped else boxed
    args = tuple(_mapped(box, plain(x)) for x in args)
    options = {name: _mapped(box, plain(x)) for name, x in kwargs.items()}
    return wrapped(_tried(func.__name__, own, args, options))


def _tried(name: str, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a function of NumPy's that may or may not get along with symbols."""
    try:
        return function(*args, **kwargs)
    except TracingError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        if isinstance(error, ValueError) and function in _FUNCTIONS.values():
            raise  # shapes that do not fit
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        if function in _FUNCTIONS.values() and "unexpected keyword argument" in text:
            text = f"option {text.rsplit(' ', 1)[-1]}"
        raise misuse(
            f"np.{name} of symbols",
            f"NumPy has no way to do it with symbols ({text}): write it with arithmetic, with the functions that "
            "docs/programs.md lists, or outside the traced function",
        ) from error


def plain(x: Any) -> Any:
    """Nested arguments with plain arrays in the place of arrays of symbols."""
    return _mapped(lambda y: y.view(np.ndarray) if isinstance(y, SymbolArray) else y, x)


def _mapped(change: Callable[[Any], Any], x: Any) -> Any:
    if isinstance(x, tuple | list):
        return type(x)(_mapped(change, part) for part in x)
    return change(x)


def wrapped(x: Any) -> Any:
    """Results with arrays of symbols in the place of plain ones."""
    if isinstance(x, tuple | list):
        parts = [wrapped(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, np.ndarray) and x.dtype == object:
        return x.view(SymbolArray) if x.ndim else x.item()
    return x


def _reduced(
    pair: Callable[[Any, Any], Any], x: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
    keepdims: bool = False, initial: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    """A pairwise function over one axis, several, or all of them."""
    array = np.asarray(x, dtype=object)
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for own in sorted((k % array.ndim for k in axes), reverse=True):
        parts = list(np.moveaxis(array, own, 0))
        array = np.asarray(functools.reduce(pair, parts), dtype=object)
        array = np.expand_dims(array, own) if keepdims else array
    return array


def _over_axes(pair: Callable[[Any, Any], Any], x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _reduced(pair, x, axis, keepdims=keepdims)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Euclidean (Frobenius) norm; of all entries, or over the axes."""
    of_vectors = np.ndim(x) == 1 if axis is None else not isinstance(axis, tuple)
    if ord not in ((None, 2) if of_vectors else (None, "fro")):
        raise misuse(f"np.linalg.norm of symbols with ord={ord!r}", "only Euclidean norms can be traced")
    x = np.asarray(x)
    return np.frompyfunc(_root, 1, 1)(np.sum(x * x, axis=axis, keepdims=keepdims))


def _root(x: Any) -> Any:
    return np.sqrt(x) if isinstance(x, Symbol) else float(np.sqrt(x))


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if left is not None or right is not None or period is not None:
        raise misuse(
            "np.interp of symbols with left, right or period", "use unmoored.trace.interp and trace.where"
        )
    return lookup.interp(x, xp, fp)


def _clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    x = x if low is None else f.maximum(x, low)
    return x if high is None else f.minimum(x, high)


def _where(condition: Any, *values: Any) -> Any:
    if len(values) != 2:
        raise misuse(
            "np.where with a condition only",
            "places cannot depend on symbols: use unmoored.trace.where(c, a, b)",
        )
    return f.where(condition, *values)


def _select(conditions: Any, choices: Any, default: Any = 0.0) -> Any:
    result = default
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = f.where(condition, choice, result)
    return result


def _isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    return f.less_equal(abs(a - b), atol + rtol * abs(b))


def _allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    return _over_axes(_UFUNCS[np.logical_and], _isclose(a, b, rtol, atol))


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    steps = np.arange(num) / max(num - 1 if endpoint else num, 1)
    first, last = np.asarray(start), np.asarray(stop)
    return first + np.multiply.outer(steps, last - first)


def _spread(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    high, low = (_over_axes(_UFUNCS[pair], x, axis, keepdims) for pair in (np.maximum, np.minimum))
    return high - low


def _float_power(x: Any, exponent: Any) -> Any:
    return np.asarray(x) ** exponent


def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    y = np.moveaxis(np.asarray(y), axis, -1)
    steps: Any = dx if x is None else np.diff(np.moveaxis(np.asarray(x), axis if np.ndim(x) > 1 else -1, -1))
    return np.sum(0.5 * steps * (y[..., 1:] + y[..., :-1]), axis=-1)


def _not(x: Any) -> Any:
    return np.frompyfunc(lambda c: ~c if isinstance(c, Condition) else not c, 1, 1)(x)


def _logic(join: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda a, b: np.frompyfunc(join, 2, 1)(a, b)


def _different(a: Any, b: Any) -> Any:
    return _not(f.equal(a, b))


_MATRICES = "matrices of symbols know unmoored.trace.matmul, solve, inverse, cholesky, qr"
_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.maximum: f.maximum, np.minimum: f.minimum, np.less: f.less, np.less_equal: f.less_equal,
    np.greater: f.greater, np.greater_equal: f.greater_equal, np.equal: f.equal, np.not_equal: _different,
    np.sign: f.sign, np.arctan2: f.arctan2, np.copysign: f.copysign, np.matmul: linear.matmul,
    np.sinh: e.sinh, np.cosh: e.cosh, np.expm1: e.expm1, np.log1p: e.log1p, np.log10: e.log10, np.log2: e.log2,
    np.exp2: e.exp2, np.remainder: e.remainder, np.hypot: lambda a, b: np.frompyfunc(_root, 1, 1)(a * a + b * b),
    np.arcsinh: e.arcsinh, np.arccosh: e.arccosh, np.arctanh: e.arctanh, np.cbrt: e.cbrt, np.ceil: e.ceil,
    np.trunc: e.trunc, np.fmod: e.fmod, np.heaviside: e.heaviside, np.logaddexp: e.logaddexp,
    np.isinf: lambda x: f.equal(abs(x), np.inf), np.signbit: lambda x: f.less(f.copysign(1.0, x), 0.0),
    np.float_power: _float_power, np.fabs: np.abs, np.isnan: lambda x: _different(x, x),
    np.isfinite: lambda x: f.less(abs(x), np.inf),
    np.logical_and: _logic(lambda a, b: a & b), np.logical_or: _logic(lambda a, b: a | b), np.logical_not: _not,
    np.deg2rad: lambda x: x * (np.pi / 180.0), np.radians: lambda x: x * (np.pi / 180.0),
    np.rad2deg: lambda x: x * (180.0 / np.pi), np.degrees: lambda x: x * (180.0 / np.pi),
}  # fmt: skip
_REDUCED = (np.maximum, np.minimum, np.logical_and, np.logical_or)
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where, np.clip: _clip, np.interp: _interp, np.linalg.solve: linear.solve, np.linalg.inv: linear.inverse,
    np.linalg.det: linear.determinant, np.linalg.norm: _norm, np.linalg.cholesky: linear.cholesky,
    np.linalg.qr: linear.qr, np.select: _select, np.isclose: _isclose, np.allclose: _allclose, np.fix: e.trunc,
    np.linspace: _linspace, np.ptp: _spread, getattr(np, "trapezoid", getattr(np, "trapz", None)): _trapezoid,
}  # fmt: skip
for _name, _ufunc in (
    ("max", np.maximum),
    ("min", np.minimum),
    ("any", np.logical_or),
    ("all", np.logical_and),
):
    _FUNCTIONS[getattr(np, _name)] = functools.partial(_over_axes, _UFUNCS[_ufunc])
_REFUSED: dict[Any, str] = {
    **dict.fromkeys(
        (np.sort, np.argsort, np.searchsorted), "the order of symbols is not known: use minimum, maximum"
    ),
    **dict.fromkeys(
        (np.argmax, np.argmin, np.nonzero), "places cannot depend on symbols: use unmoored.trace.where"
    ),
    **dict.fromkeys(
        (np.linalg.eig, np.linalg.eigh, np.linalg.svd, np.linalg.pinv, np.linalg.lstsq), _MATRICES
    ),
    **dict.fromkeys(
        (np.median, np.percentile, np.quantile), "the order of symbols is not known: use minimum, maximum"
    ),
    **dict.fromkeys((np.fmax, np.fmin), "they pass over NaN: use np.maximum, np.minimum, or trace.where"),
    **dict.fromkeys(
        (np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.matrix_rank, np.linalg.cond), _MATRICES
    ),
    np.linalg.slogdet: "determinants are known up to 3×3: np.linalg.det",
    np.unique: "how many there are depends on the symbols",
    np.nan_to_num: "use unmoored.trace.where(x == x, x, 0.0)",
}
