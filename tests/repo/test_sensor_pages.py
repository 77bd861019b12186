"""docs/sensors.md names every sensor with every option of its own."""

import dataclasses
import re
from pathlib import Path

import unmoored as um
from unmoored.sensing.sensor import Sensor

PAGE = Path(__file__).parents[2] / "docs" / "sensors.md"
COMMON = {"name", "frame", "rate", "delay", "dropout"}


def test_every_option_is_on_the_page():
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    told = {name: set(re.findall(r"`(\w+)", row)) for name, row in rows}
    public = {name: getattr(um, name) for name in um.__all__}
    kinds = {
        name: kind for name, kind in public.items() if isinstance(kind, type) and issubclass(kind, Sensor)
    }
    kinds.pop("Sensor")
    assert set(kinds) == set(told)
    for name, kind in kinds.items():
        options = {field.name for field in dataclasses.fields(kind)} - COMMON
        assert options <= told[name], (name, options - told[name])
