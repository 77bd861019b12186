"""Write anew what is generated from the code and checked by tests: `python -m tests.repo.regenerate`."""

import json
from pathlib import Path

from tests.repo.public_surface import lines, page, public_names

from unmoored.model.files.yaml import json_schema as system_schema
from unmoored.simulation.scenario import json_schema as scenario_schema

ROOT = Path(__file__).parents[2]


def generated() -> dict[Path, str]:
    """The files and what they must hold: names and signatures, the reference page, the schemas."""
    schemas = {"system-v1.json": system_schema(), "scenario-v1.json": scenario_schema()}
    found = {
        ROOT / "docs" / "schema" / name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }
    found[ROOT / "docs" / "reference.md"] = page()
    names = [line for name in public_names() for line in lines(name)]
    found[ROOT / "tests" / "repo" / "public-names.txt"] = "\n".join(names) + "\n"
    return found


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
