"""Names for what a MuJoCo model holds: bodies, joints and sites may share theirs there, but not here."""

from __future__ import annotations

from typing import Any

from ...body import WORLD


class Names:
    """Unique names of bodies, of the massless bodies that joints need, and of sites, by MuJoCo's indices."""

    def __init__(self, m: Any):
        self._taken: set[str] = {WORLD}
        self._changed: list[str] = []
        self._joints = [m.jnt(j).name or None for j in range(m.njnt)]
        self._bodies = [
            WORLD,
            *(self._unique(m.body(b).name, f"body{b}", "_body") for b in range(1, m.nbody)),
        ]
        self._joint_bodies: dict[int, str] = {}
        self._sites = [self._unique(m.site(s).name, f"site{s}", "_site") for s in range(m.nsite)]

    def body(self, index: int) -> str:
        """Name of a body; of the world for index 0."""
        return self._bodies[index]

    def joint(self, index: int) -> str | None:
        """A joint's own name, None if it has none."""
        return self._joints[index]

    def joint_body(self, index: int) -> str:
        """Name of the massless body that a joint moves."""
        if index not in self._joint_bodies:
            self._joint_bodies[index] = self._unique(self._joints[index] or "", f"joint{index}", "_joint")
        return self._joint_bodies[index]

    def site(self, index: int) -> str:
        """Name of a site's frame."""
        return self._sites[index]

    def renamed(self) -> tuple[str, ...]:
        """One line that says which names were changed, if any."""
        return (
            (f"Names used twice in the MJCF were changed: {', '.join(self._changed)}.",)
            if self._changed
            else ()
        )

    def _unique(self, name: str, default: str, suffix: str) -> str:
        unique = name or default
        while unique in self._taken:
            unique += suffix
        if name and unique != name:
            self._changed.append(f"{name} → {unique}")
        self._taken.add(unique)
        return unique
