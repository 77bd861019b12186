"""Write anew what is generated from the code and checked by tests: `python -m tests.repo.regenerate`."""

import json
from pathlib import Path

from tests.repo.public_surface import lines, page, public_names

import unmoored as um
from unmoored.campaigns.campaign_file import json_schema as campaign_schema
from unmoored.model.files.yaml import json_schema as system_schema
from unmoored.simulation.scenario import json_schema as scenario_schema

ROOT = Path(__file__).parents[2]


def _order(name: str) -> tuple[bool, str]:
    """Classes before functions and modules, letters alike: as ruff has it."""
    return name[:1].islower(), name.lower()


def stub() -> str:
    """`__init__.pyi` for type checkers and editors: the names that `__init__.py` brings when they are used."""
    rooms: dict[str, list[str]] = {"version": ["__version__"]}
    for name, room in um._PLACES.items():
        rooms.setdefault(room, []).append(name)
    for name, path in um._MODULES.items():
        rooms.setdefault(path.rpartition(".")[0], []).append(name)
    imports = "".join(
        f"from .{room} import (\n" + "".join(f"    {name},\n" for name in sorted(names, key=_order)) + ")\n"
        for room, names in sorted(rooms.items())
    )
    names = "".join(f'    "{name}",\n' for name in um.__all__)
    says = (
        '"""The names of the package for type checkers and editors; generated from those of `__init__.py`."""'
    )
    return f"{says}\n\n{imports}\n__all__ = [\n{names}]\n"


def generated() -> dict[Path, str]:
    """The files and what they must hold: names and signatures, the stub, the reference page, the schemas."""
    schemas = {
        "system-v1.json": system_schema(),
        "scenario-v1.json": scenario_schema(),
        "campaign-v1.json": campaign_schema(),
    }
    found = {
        ROOT / "docs" / "schema" / name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }
    found[ROOT / "src" / "unmoored" / "__init__.pyi"] = stub()
    found[ROOT / "docs" / "reference.md"] = page()
    names = [line for name in public_names() for line in lines(name)]
    found[ROOT / "tests" / "repo" / "public-names.txt"] = "\n".join(names) + "\n"
    return found


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
