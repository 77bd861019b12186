"""Who may talk to the viewer: only its own page, opened under a name of this machine.

A web page elsewhere can make the browser connect to a server on this machine. Two headers that pages cannot forge
tell it from the viewer's own page: Origin names the page that asks, Host the name it asked for. A page whose domain
was pointed at this machine afterwards (DNS rebinding) has its own domain in both, so the name must be one of ours.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit


def allowed_names(host: str) -> frozenset[str]:
    """Names, beside IP addresses, under which a server bound to `host` may be asked for."""
    names = {"localhost", host.lower()}
    if not is_local(host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def is_local(host: str) -> bool:
    """Whether an address to bind to can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def objection(
    hosts: Sequence[str], origins: Sequence[str], names: Iterable[str], *, websocket: bool
) -> str | None:
    """Why a request is refused, None if it is not.

    hosts, origins: all values of its Host and Origin headers. names: as from `allowed_names`. A websocket can drive
    the viewer, so it must come from the viewer's own page; plain files may be read by who asks under a right name.
    """
    if len(hosts) != 1:
        return f"expected one Host header, given {len(hosts)}"
    name = _host_name(hosts[0])
    if name is None or not (_is_address(name) or name in names):
        return f"the name {hosts[0]!r} is not this machine's"
    if websocket and (len(origins) != 1 or _authority(origins[0]) != hosts[0].lower()):
        return f"the page {', '.join(origins) or '(none given)'} is not the viewer's own"
    return None


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    """An address cannot be pointed elsewhere, so it is safe from rebinding."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _authority(origin: str) -> str | None:
    """host:port of an http(s) origin."""
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return None
    return parts.netloc if parts.scheme in ("http", "https") and not parts.path else None
