"""What the extra `views` brings, asked for only when it is used."""

from __future__ import annotations

from importlib.util import find_spec

from ..model import ModelError


def required(*modules: str) -> None:
    """Raise `ModelError` that says what to install if one of these modules is missing."""
    for module in modules:
        if find_spec(module) is None:
            expected = "the extra `views` (pip install 'unmoored[views]')"
            raise ModelError.single("views", module, expected=expected, given="not installed")
