"""The code on docs/worlds.md runs as printed, and the page names every world and actuator."""

import re
from pathlib import Path

import unmoored as um
from unmoored.worlds.actuators import Actuator
from unmoored.worlds.world import World

PAGE = (Path(__file__).parents[2] / "docs" / "worlds.md").read_text(encoding="utf-8")


def test_code_runs_as_printed():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(blocks) >= 3
    for code in blocks:
        scope: dict = {}
        exec(code, scope)
        assert "a" not in scope or scope["a"].shape == (scope["plant"].nv,)


def test_the_page_names_everything():
    public = [getattr(um, name) for name in um.__all__]
    parts = [x for x in public if isinstance(x, type) and issubclass(x, World | Actuator)]
    missing = [
        part.__name__ for part in parts if part not in (World, Actuator) and f"`{part.__name__}" not in PAGE
    ]
    assert not missing
