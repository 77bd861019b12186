"""`unmoored demo`: the main demonstration."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ..model import ModelError
from ..system import load
from . import show

_SYSTEM = "free_flyer_arm7"


def run_demonstration(out: Console, folder: Path) -> None:
    """Show the reference system and write a picture of it into `folder`."""
    system = load(_SYSTEM)
    out.print(show.system_tree(system))
    try:
        from ..views import save_picture

        folder.mkdir(parents=True, exist_ok=True)
        path = save_picture(system, system.random_configuration(7), folder / f"{_SYSTEM}.png")
    except ImportError as error:
        raise ModelError.single(
            "demo", "picture", expected="the extra `views` (pip install 'unmoored[views]')", given=str(error)
        ) from None
    out.print(f"\npicture: {path}")
