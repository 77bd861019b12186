"""The record of a system that was mounted on another one."""

from __future__ import annotations

from dataclasses import dataclass

from .names import check_name, check_text
from .value import Value, replace_arrays


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Part(Value):
    """A system that was mounted on another one: whence its bodies and frames came.

    prefix: of its names.  system: its name.  body: the body that it is held by, by its name in the whole.
    source: the file or the built-in system it was read from, "" if it was made in Python.  digest: of the part
    as it was
    mounted (`system.digest`), "" if it has none. description, sources, assumptions: its own.
    """

    prefix: str
    system: str
    body: str
    source: str = ""
    digest: str = ""
    description: str = ""
    sources: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name("part", self.body)
        replace_arrays(self, sources=tuple(self.sources), assumptions=tuple(self.assumptions))
        texts = {
            name: (getattr(self, name),) for name in ("prefix", "system", "source", "digest", "description")
        }
        for what, found in (texts | {"sources": self.sources, "assumptions": self.assumptions}).items():
            for text in found:
                check_text(self.body, what, text)
