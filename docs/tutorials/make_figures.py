"""Make the figures of the tutorials from the pages themselves: python docs/tutorials/make_figures.py [page …]"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parent / "images" / "tutorials"


def main(names: list[str]) -> None:
    """Run the blocks of the pages named, or of all, and keep their pictures."""
    os.environ["MPLBACKEND"] = "Agg"
    for page in sorted(HERE.glob("*.md")):
        if page.stem == "index" or (names and page.stem not in names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            scope: dict = {}
            for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
                exec(code, scope)
            shutil.copy(f"{page.stem}.png", IMAGES)
            os.chdir(HERE)
        print(page.stem)


if __name__ == "__main__":
    main(sys.argv[1:])
