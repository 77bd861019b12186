"""A viser server that only its own page can drive, on a port of one's choice, that stops when it should."""

from __future__ import annotations

import contextlib
import http
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ...error_roots import UnmooredWarning, optional
from ...model import ModelError
from .guard import allowed_names, is_local, objection

LOCAL = "127.0.0.1"
PORT = 8080
_ARGUMENT = "view"
_opening = threading.Lock()


class PublicViewerWarning(UnmooredWarning):
    """Given when the viewer can be reached, and driven, from other machines."""


def open_server(host: str = LOCAL, port: int = PORT, *, label: str | None = None) -> Any:
    """A running `viser.ViserServer` bound to host and port (0: any free one) that refuses strangers (see `guard`).

    Any host but this machine's own addresses gives a `PublicViewerWarning`. Raises `MissingExtraError` (an
    ImportError) if the extra is not installed, `ModelError` if the port is taken.
    """
    viser = optional("viser", "views", "the viewer")
    listening = _bound(host, port)
    if not is_local(host):
        warnings.warn(
            f"the viewer listens on {host}: everybody who can reach this machine over the network can see and "
            "drive it, without a password",
            PublicViewerWarning,
            stacklevel=3,
        )
    bound_port = listening.getsockname()[1]
    try:
        with _quiet(), _guarded_serving(listening, host) as installed:
            server = viser.ViserServer(host=host, port=bound_port, label=label, verbose=False)
        if not installed:
            close_server(server)
            raise RuntimeError(
                f"viser {viser.__version__} does not let its connections be checked; not opened"
            )
    except BaseException:
        listening.close()
        raise
    _no_sharing(server)
    return server


def close_server(server: Any) -> None:
    """Stop the server; connected pages are told and the port is free afterwards."""
    with _quiet():
        server.stop()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without viser's own messages, which it prints through rich's shared console."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _bound(host: str, port: int) -> socket.socket:
    """A socket that is bound already, so that a port in use is known at once and nobody can take it meanwhile."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelError.single(
            _ARGUMENT,
            "address",
            expected="a free port (another one: port=…, or --port; 0 for any free one)",
            given=f"{host}:{port}: {reason}",
        ) from None
    return listening


@contextlib.contextmanager
def _guarded_serving(listening: socket.socket, host: str) -> Iterator[list[bool]]:
    """While open, the server that viser starts listens on that socket and checks every request.

    viser has no setting for either, so the function that it calls to serve is wrapped for that moment. The list that
    is given out is filled when that happened.
    """
    import websockets.asyncio.server as serving

    installed: list[bool] = []
    original = serving.serve

    def serve(handler: Any, *addresses: Any, **options: Any) -> Any:
        inner = options.get("process_request")
        if not handler.__module__.startswith("viser.") or inner is None:
            return original(handler, *addresses, **options)
        installed.append(True)
        del options["process_request"]
        return original(
            handler, sock=listening, process_request=_checked(inner, allowed_names(host)), **options
        )

    with _opening:
        serving.serve = serve
        try:
            yield installed
        finally:
            serving.serve = original


def _checked(inner: Callable[[Any, Any], Any], names: frozenset[str]) -> Callable[[Any, Any], Any]:
    """`inner`, which answers requests for files and leaves websockets (None) alone, behind the guard."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    def process_request(connection: Any, request: Any) -> Any:
        headers = request.headers
        answer = inner(connection, request)
        reason = objection(
            headers.get_all("Host"), headers.get_all("Origin"), names, websocket=answer is None
        )
        if reason is not None:
            body = f"refused: {reason}\n".encode()
            fields = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
            return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", Headers(fields), body)
        if answer is not None:
            # another page must not put the viewer under its own buttons
            answer.headers["Content-Security-Policy"] = "frame-ancestors 'self'"
            answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer

    return process_request


def _no_sharing(server: Any) -> None:
    """Take away viser's tunnel to a public server, which any client could ask for."""
    from viser import _messages

    for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        with contextlib.suppress(AssertionError):
            server._websock_server.unregister_handler(message)
    server.gui.configure_theme(show_share_button=False, show_logo=False)
