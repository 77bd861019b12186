"""`view`: opens the viewer on a system, a plant or a run."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

from ...model import ModelError
from ...system import System
from .server import LOCAL, PORT, close_server, open_server


class Viewer:
    """A viewer that is open; `close` it, or use it as a context."""

    def __init__(self, server: Any, content: Any, host: str):
        self._server = server
        self._closed = threading.Event()
        self.content = content
        name = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        self.url: str = f"http://{name}:{server.get_port()}/"

    def wait(self) -> None:
        """Serve until the viewer is closed or Ctrl-C is pressed, then close it."""
        try:
            print("press Ctrl-C to close it", flush=True)
            while not self._closed.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop the viewer; the port is free afterwards."""
        if not self._closed.is_set():
            self._closed.set()
            self.content.close()
            close_server(self._server)

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer {self.url}{' (closed)' if self._closed.is_set() else ''}>"


def view(
    what: Any,
    *,
    compare: Any = None,
    names: tuple[str, str] | None = None,
    q: Any = None,
    stepper: Any = None,
    host: str = LOCAL,
    port: int = PORT,
    wait: bool | None = None,
) -> Viewer:
    """Open the web viewer on a system, a plant or a run, and return it.

    compare: a second run, shown beside the first, with `names` for the two.
    q (nq,): first configuration of a system.  stepper: object with `step_size` (s) and step(state, u), for live mode.
    host, port: address to serve on. Another host than this machine's own makes the viewer reachable, and drivable,
    from the network, and warns. Port 0 takes any free one.
    wait: serve until Ctrl-C before returning; if not given, so in scripts but not in interactive sessions.
    """
    is_run = hasattr(what, "t") and hasattr(what, "q")
    if compare is not None and not is_run:
        raise ModelError.single(
            "view", "compare", expected="a run to compare with another run", given=repr(what)
        )
    if not is_run and not isinstance(getattr(what, "system", what), System):
        raise ModelError.single("view", "argument", expected="a System, a Plant or a Run", given=repr(what))
    server = open_server(host, port, label=getattr(getattr(what, "system", what), "name", None))
    try:
        content = (
            _run_view(server, what, compare, names) if is_run else _system_view(server, what, q, stepper)
        )
    except BaseException:
        close_server(server)
        raise
    viewer = Viewer(server, content, host)
    print(f"viewer: {viewer.url}", flush=True)
    if not _interactive() if wait is None else wait:
        viewer.wait()
    return viewer


def _run_view(server: Any, run: Any, compare: Any, names: tuple[str, str] | None) -> Any:
    from .run_view import RunView

    if compare is None:
        return RunView(server, [run], [run.system.name])
    first, second = names or ("first run", "second run")
    if first == second:
        given = f"{first!r} twice"
        raise ModelError.single("view", "names", expected="two different names", given=given)
    return RunView(server, [run, compare], [first, second])


def _system_view(server: Any, what: Any, q: Any, stepper: Any) -> Any:
    from .system_view import SystemView

    plant = None if isinstance(what, System) else what
    system = what if plant is None else plant.system
    if q is not None and np.shape(q) != (system.nq,):
        raise ModelError.single("view", "q", expected=f"shape ({system.nq},)", given=f"shape {np.shape(q)}")
    return SystemView(server, system, plant, q, stepper)


def _interactive() -> bool:
    """Whether a person types at a prompt, so that waiting would be in the way."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or "ipykernel" in sys.modules
