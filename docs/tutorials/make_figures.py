"""Make the figures of tutorials and papers from the pages themselves: python docs/tutorials/make_figures.py [page …]"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]


def main(names: list[str]) -> None:
    """Run the blocks of the pages named, or of all, and keep the pictures that they show."""
    os.environ["MPLBACKEND"] = "Agg"
    for page in sorted([*DOCS.glob("tutorials/*.md"), *DOCS.glob("papers/*.md")]):
        if names and page.stem not in names:
            continue
        text = page.read_text(encoding="utf-8")
        pictures = re.findall(rf"\(\.\./images/{page.parent.name}/([\w-]+\.png)\)", text)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            scope: dict = {}
            for code in re.findall(r"```python\n(.*?)```", text, re.S):
                exec(code, scope)
            for picture in pictures:
                shutil.copy(picture, DOCS / "images" / page.parent.name)
            os.chdir(DOCS)
        print(page.stem, *pictures)


if __name__ == "__main__":
    main(sys.argv[1:])
