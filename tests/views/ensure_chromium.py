"""Finds a Chromium for the browser tests, and installs Debian's if there is none and this runs as root.

`python tests/views/ensure_chromium.py` prints its path, or says what to do and fails.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ADVICE = (
    "The browser tests need Chromium and found none. Install it (Debian, Ubuntu: apt-get install chromium) "
    "or put a `chromium` or `google-chrome` on the PATH."
)


def find_chromium() -> str | None:
    """Path of a Chromium or Chrome on this machine."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def ensure_chromium() -> str:
    """Path of a Chromium, installed now if it has to be and may be; RuntimeError with advice if there is none."""
    if path := find_chromium():
        return path
    reason = "apt-get is not here or this is not root"
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        reason = _install()
    if path := find_chromium():
        return path
    raise RuntimeError(f"{ADVICE} ({reason})")


def _install() -> str:
    """Try apt-get; what went wrong, if anything did."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        done = subprocess.run(["apt-get", *command], env=environment, capture_output=True, text=True)
        if done.returncode:
            return f"apt-get {command[0]} failed: {done.stderr.strip()[-300:]}"
    return "apt-get installed it, but it is not on the PATH"


if __name__ == "__main__":
    try:
        print(ensure_chromium())
    except RuntimeError as error:
        sys.exit(str(error))
