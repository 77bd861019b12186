"""`unmoored info` lists moving joints apart from fixed bodies, and says what a system was made of."""

from rich.console import Console

import unmoored as um
from unmoored.cli import show


def composed():
    b = um.SystemBuilder("pair")
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1, 1, 1)))
    b.mount("tumbling_brick", "bus", prefix="left/")
    b.mount("tumbling_brick", "bus", joint=um.Revolute((0, 0, 1), limits=(-1, 2)), prefix="right/")
    return b.build()


def test_the_tables():
    system, console = composed(), Console(record=True, width=160)
    console.print(show.system_tree(system))
    text = console.export_text()
    moving, _, rest = text.partition("fixed bodies")
    assert "right/brick" in moving.split("moving joint")[1]
    assert "left/brick" not in moving.split("moving joint")[1]
    assert "0:6" in moving
    assert "[-1.0, 2.0]" in moving
    assert "left/brick" in rest
    assert "tumbling_brick from tumbling_brick, held by left/brick" in rest
    data = show.description(system)
    assert data["joints"] == ["bus", "right/brick"]
    assert data["fixed_bodies"] == ["left/brick"]
    assert [part["body"] for part in data["parts"]] == ["left/brick", "right/brick"]
