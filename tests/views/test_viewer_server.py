"""Who may talk to the viewer, which port it takes, and how it ends."""

import http.client
import re
import signal
import socket
import subprocess
import sys

import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import unmoored as um
from unmoored.views import PublicViewerWarning, view
from unmoored.views.viewer.guard import allowed_names, is_local, objection

PROTOCOL = f"viser-v{viser.__version__}"
LOCAL = allowed_names("127.0.0.1")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080", "10.0.0.7"]
)
def test_the_viewers_own_page_may_connect(host):
    assert objection([host], [f"http://{host}"], LOCAL, websocket=True) is None


@pytest.mark.parametrize(
    ("hosts", "origins"),
    [
        (["127.0.0.1:8080"], ["http://evil.example"]),
        (["127.0.0.1:8080"], ["http://127.0.0.1:8081"]),
        (["127.0.0.1:8080"], ["http://localhost:8080"]),
        (["127.0.0.1:8080"], ["http://127.0.0.1:8080.evil.example"]),
        (["127.0.0.1:8080"], ["http://evil.example/127.0.0.1:8080"]),
        (["127.0.0.1:8080"], ["file://127.0.0.1:8080"]),
        (["127.0.0.1:8080"], ["null"]),
        (["127.0.0.1:8080"], ["http://[broken"]),
        (["127.0.0.1:8080"], []),
        (["127.0.0.1:8080"], ["http://127.0.0.1:8080", "http://evil.example"]),
        (["evil.example:8080"], ["http://evil.example:8080"]),  # DNS rebinding
        (["127.0.0.1.evil.example"], ["http://127.0.0.1.evil.example"]),
        (["[broken"], ["http://[broken"]),
        ([], ["http://127.0.0.1:8080"]),
        (["127.0.0.1:8080", "evil.example"], ["http://127.0.0.1:8080"]),
    ],
)
@pytest.mark.whole
def test_strangers_may_not(hosts, origins):
    assert objection(hosts, origins, LOCAL, websocket=True)


def test_files_need_a_right_name_but_no_origin():
    assert objection(["localhost:8080"], [], LOCAL, websocket=False) is None
    assert objection(["evil.example:8080"], [], LOCAL, websocket=False)


def test_this_machines_name_counts_only_when_others_may_ask():
    name = socket.gethostname().lower()
    assert name in allowed_names("0.0.0.0")
    assert name not in LOCAL - {"localhost"}
    assert sorted(LOCAL) == ["127.0.0.1", "localhost"]


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("10.1.2.3", False)],
)
def test_local_addresses(host, local):
    assert is_local(host) is local


@pytest.fixture(scope="module")
def viewer():
    with view(um.load("tumbling_brick"), port=0, wait=False) as opened:
        yield opened


def port_of(viewer):
    return int(re.search(r":(\d+)/", viewer.url)[1])


def test_websockets_of_strangers_are_refused_and_the_own_one_is_served(viewer):
    address, origin = viewer.url.replace("http", "ws"), viewer.url.rstrip("/")
    for stranger in (None, "http://evil.example", "null"):
        with pytest.raises(InvalidStatus, match="403"):
            connect(address, origin=stranger, subprotocols=[PROTOCOL])
    with connect(address, origin=origin, subprotocols=[PROTOCOL]) as own:
        assert own.recv()


@pytest.mark.parametrize(("host", "status"), [("evil.example", 403), ("localhost", 200)])
def test_the_name_asked_for_is_checked(viewer, host, status):
    connection = http.client.HTTPConnection("127.0.0.1", port_of(viewer))
    connection.request("GET", "/", headers={"Host": host})
    answer = connection.getresponse()
    assert answer.status == status
    if status == 200:
        assert answer.getheader("Content-Security-Policy") == "frame-ancestors 'self'"
    answer.read()
    connection.close()


def test_no_client_can_ask_for_a_public_tunnel(viewer):
    handlers = viewer._server._websock_server._incoming_handlers
    assert not {message.__name__ for message in handlers} & {"ShareUrlRequest", "ShareUrlDisconnect"}


def test_a_taken_port_is_said(viewer):
    with pytest.raises(
        um.ModelError, match=rf"free port .*given 127\.0\.0\.1:{port_of(viewer)}: Address already in use"
    ):
        view(um.load("tumbling_brick"), port=port_of(viewer), wait=False)


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(um.ModelError, match=r"192\.0\.2\.1"):
        view(um.load("tumbling_brick"), host="192.0.2.1", port=0, wait=False)


def test_a_port_that_is_none_is_refused():
    with pytest.raises(um.ModelError, match="70000"):
        view(um.load("tumbling_brick"), port=70000, wait=False)


def test_a_missing_extra_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ImportError, match=r"pip install 'unmoored\[views\]'"):
        view(um.load("tumbling_brick"), port=0, wait=False)


def test_serving_to_other_machines_warns():
    with (
        pytest.warns(PublicViewerWarning, match=r"0\.0\.0\.0: everybody who can reach this machine"),
        view(um.load("tumbling_brick"), host="0.0.0.0", port=0, wait=False),
    ):
        pass


def test_closing_frees_the_port_and_may_be_repeated():
    opened = view(um.load("tumbling_brick"), port=0, wait=False)
    port = port_of(opened)
    opened.close()
    opened.close()
    assert "closed" in repr(opened)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_the_command_ends_cleanly_with_ctrl_c():
    command = [
        sys.executable,
        "-c",
        "from unmoored.cli import main; main()",
        "view",
        "tumbling_brick",
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(2)]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert re.match(r"viewer: http://127\.0\.0\.1:\d+/", lines[0])
    assert "Ctrl-C" in lines[1]
    assert (process.returncode, out, err) == (0, "", "")


def test_what_cannot_be_viewed_is_refused():
    with pytest.raises(um.ModelError, match="a System, a Plant or a Run"):
        view("free_flyer_arm7", port=0, wait=False)
    with pytest.raises(um.ModelError, match="a run to compare with"):
        view(um.load("tumbling_brick"), compare=object(), port=0, wait=False)
    with pytest.raises(um.ModelError, match=r"shape \(12,\)"):
        view(um.load("tumbling_brick"), q=[0.0], port=0, wait=False)
