"""Write down anew what is drawn (see `approved_looks`)."""

import json
import tempfile
from pathlib import Path

from PIL import Image
from tests.views.approved_looks import APPROVED, figure_looks, style
from tests.views.drawn_figures import figures
from tests.views.drawn_pages import pages
from tests.views.drawn_pictures import pictures
from tests.views.drawn_scenes import SCENES, scene_looks


def rounded(value):
    """Numbers with eight digits."""
    if isinstance(value, dict):
        return {key: rounded(x) for key, x in value.items()}
    if isinstance(value, list):
        return [rounded(x) for x in value]
    return float(f"{value:.7e}") if isinstance(value, float) else value


def write(name: str, looks: dict) -> None:
    """One line for each thing that is drawn."""
    lines = [f"{json.dumps(key)}: {_lines(rounded(value))}" for key, value in looks.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (APPROVED / f"{name}.json").write_text(text, encoding="utf-8")


def _lines(value) -> str:
    if isinstance(value, dict) and len(json.dumps(value)) > 1000:
        return "{\n" + ",\n".join(f" {json.dumps(k)}: {_lines(x)}" for k, x in value.items()) + "}"
    if isinstance(value, list) and len(json.dumps(value)) > 1000:
        return "[\n" + ",\n".join(f"  {json.dumps(x, ensure_ascii=False)}" for x in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """All of it."""
    APPROVED.mkdir(exist_ok=True)
    write("figures", {name: figure_looks(figure) for name, figure in figures()})
    write("style", style())
    write("scenes", {name: scene_looks(name) for name in SCENES})
    with tempfile.TemporaryDirectory() as folder:
        write("pages", dict(pages(Path(folder))))
    for name, picture in pictures():
        Image.fromarray(picture).save(APPROVED / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
