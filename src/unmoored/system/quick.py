"""The short way for plain calls: a control loop calls a method a thousand times a second and more.

A call with float64 arrays and no options goes straight to the compiled function. Whatever does not fit it (a list, a
wrong shape, float32, a name that does not exist) takes the method's own, checked way, and gets its errors there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from ..model import Tree
from .kernel_book import KernelBook, Layout

_FLOAT64 = np.dtype(float)
Method = TypeVar("Method", bound=Callable[..., Any])


class QuickCalls(dict):
    """Compiled functions by (function, number of arrays, *names), made when first asked for."""

    def __init__(self, tree: Tree, book: KernelBook):
        self._tree, self._book = tree, book

    def __missing__(self, place: tuple) -> Callable[..., Any]:
        function, arrays, *static = place
        layout = self._layout(function, arrays, len(static))
        kernel = self._book.kernel(function, tuple(static), layout, _FLOAT64)
        self[place] = getattr(kernel, "direct", kernel)
        return self[place]

    def _layout(self, function: Callable[..., Any], arrays: int, static: int) -> Layout:
        names = list(signature(function).parameters)[1:]
        layout: list[tuple[str, Any]] = [
            (name, self._tree.nq if name in ("q", "q0", "q1") else self._tree.nv) for name in names[:arrays]
        ]
        absent = {"gravity": 0, "wrenches": ()}
        layout += [(name, absent[name]) for name in names[arrays:] if name in absent]
        return tuple(layout)


def quick(function: Callable[..., Any], arrays: int) -> Callable[[Method], Method]:
    """Let plain calls of a method go straight to the kernel of `function`; its first `arrays` arguments are arrays."""

    def decorated(method: Method) -> Method:
        @wraps(method)
        def call(self, *arguments: Any, **options: Any) -> Any:
            try:
                if not options and type(arguments[0]) is np.ndarray and arguments[0].dtype is _FLOAT64:
                    return self._quick[function, arrays, *arguments[arrays:]](*arguments[:arrays])
            except (ValueError, TypeError, AttributeError, IndexError):
                pass  # the checked way below says what is wrong
            return method(self, *arguments, **options)

        return call  # type: ignore[return-value]

    return decorated
