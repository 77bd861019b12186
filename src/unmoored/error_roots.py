"""The roots of all errors and warnings of the package, and the error for an extra that is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class UnmooredError(Exception):
    """Root of the errors that this package raises on purpose; each is also one of Python's own kinds."""


class UnmooredWarning(UserWarning):
    """Root of the warnings of this package."""


class ArrayError(UnmooredError, ValueError):
    """Arrays or options that a function of `unmoored.trace`, `kernels` or `lie` cannot work with."""


class MissingExtraError(UnmooredError, ImportError):
    """A package that an optional part needs is not installed; the message has the line that installs it."""


def optional(module: str, extra: str, what: str) -> Any:
    """The module; a `MissingExtraError` says that `what` needs it, and how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs the package {module} ({error}): pip install 'unmoored[{extra}]'", name=module
        ) from None
