"""The roots of all errors and warnings of the package, and the error for an extra that is not installed."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

#: where code of the package is; what dataclasses write for it has no file
_INSIDE = (str(Path(__file__).parent) + os.sep, "<string>")


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


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the innermost line outside this package: that of the user who called it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)
