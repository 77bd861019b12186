"""What a package index shows: README.md without its links and pictures, which lead into the repository."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_NOTE = """
The pages named here are in the folder `docs` of the source archive; `make docs` there builds them as a site.
"""


class Description(MetadataHookInterface):
    """Sets the readme of a wheel and of a source archive."""

    def update(self, metadata: dict) -> None:
        """The description, as Markdown."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(readme)}


def description(readme: str) -> str:
    """A README (Markdown) with its pictures left out, and of links without a scheme their words alone."""
    without_pictures = re.sub(r"(?m)^\|(?: *\|)*\n\|[-| ]+\n(?:\|.*!\[.*\n)+\n?", "", readme)
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?!\w+:)[^)]*\)", r"\1", without_pictures) + _NOTE
