"""Tables in files beside a scenario: read where a class takes one, and kept in the scenario's data."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import Any

from ...model.files.yaml.yaml_document import Path
from ...worlds.seas.sea import is_path


class InlinedTables:
    """What files beside a scenario hold, by the path of the key that names them."""

    def __init__(self, folder: FilePath):
        self._folder = folder
        self._found: dict[Path, Any] = {}

    def read(self, cls: type, given: dict[str, Any], path: Path, at: Callable[[Path, Any], Any]) -> None:
        """Put tables in the place of their files' names in the fields of a class; at: notes what is wrong with one."""
        readers: Mapping[str, Callable[[FilePath], Any]] = getattr(cls, "files", {})
        for key, reader in readers.items():
            if isinstance(given.get(key), str) and is_path(given[key]):
                name = self._folder / given[key]
                given[key] = at((*path, key), lambda r=reader, n=name: r(n))
                self._found[(*path, key)] = given[key]

    def put_into(self, data: Any) -> Any:
        """The scenario's data with the tables in it, so that a saved run needs none of the files."""
        if not self._found:
            return data
        data = copy.deepcopy(data)
        for path, table in self._found.items():
            place = data
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = table.to_csv()
        return data
