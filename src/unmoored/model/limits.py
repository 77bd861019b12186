"""How large files and what they ask for may be. `unmoored.limits` can be changed by who trusts larger ones.

um.limits.mesh_bytes = 2**30
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ModelError


@dataclass
class Limits:
    """Sizes beyond which a file, or what it asks for, is refused."""

    file_bytes: int = 16 * 2**20  #: of a model or scenario file
    yaml_characters: int = 2**20  #: of a YAML text
    yaml_items: int = 80_000  #: keys and items of a YAML text, roughly
    yaml_line: int = 20_000  #: characters of one line; the parser's time grows with its square
    mounted_bodies: int = 20_000  #: of all the systems that a system file mounts
    xml_elements: int = 50_000  #: of an XML file
    mjcf_elements: int = 20_000  #: of an MJCF model with its includes and replicas
    mjcf_files: int = 1_000  #: that an MJCF model may name
    mjcf_seconds: int = 10  #: of computing that MuJoCo may take to compile a model
    mjcf_bytes: int = 4 * 2**30  #: of memory that MuJoCo may take to compile a model
    mesh_bytes: int = 32 * 2**20  #: of a mesh file
    mesh_triangles: int = 2_000_000  #: of a mesh that is drawn
    samples: int = 1_000_000  #: of a scenario
    steps: int = 1_000_000_000  #: of a scenario
    rows: int = 1_000_000_000  #: numbers that a scenario's run keeps, all samples, times and entries
    shards: int = 1_000_000  #: of a campaign: files that it keeps
    waves: int = 10_000  #: components of a sea in a scenario

    def check(self, name: str, size: float, where: str, what: str) -> None:
        """A `ModelError` that says the bound and how to raise it if `size` is beyond the one called `name`."""
        bound = getattr(self, name)
        if not size <= bound:
            given = f"{size:,.0f}" if size < 1e15 else f"{size:g}"
            raise ModelError.single(where, what, expected=self.words(name), given=given)

    def words(self, name: str) -> str:
        """The bound, and how to raise it."""
        return f"at most {getattr(self, name):,} (unmoored.limits.{name} raises it)"


limits: Limits = Limits()
