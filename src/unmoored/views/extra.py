"""What the extra `views` brings, asked for only when it is used."""

from __future__ import annotations

from importlib.util import find_spec

from ..error_roots import MissingExtraError


def required(*modules: str) -> None:
    """Raise `MissingExtraError` (an ImportError) that says what to install if one of these modules is missing."""
    for module in modules:
        if find_spec(module) is None:
            message = f"views need the package {module}: pip install 'unmoored[views]'"
            raise MissingExtraError(message, name=module)
