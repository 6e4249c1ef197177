"""A real Chromium without a window, spoken to over a pipe: no port, no driver, no download.

It resolves no name and goes through a proxy that is not there, so a page that asks for something
gets nothing; that it asked is seen all the same.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    *("--disable-extensions", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND"),
    *("--proxy-server=127.0.0.1:9", "--remote-debugging-pipe"),
)
PATIENCE_S = 60


def find_browser() -> str | None:
    """The path of an installed Chromium or Chrome."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One tab of a browser of its own, with an empty profile in `folder`."""

    def __init__(self, path: str, folder: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        options = [*OPTIONS, f"--user-data-dir={folder}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # it refuses to start as root otherwise
        joined = f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]}'  # where it expects the pipes
        self._process = subprocess.Popen(
            ["bash", "-c", joined, "bash", path, *options, "about:blank"],
            pass_fds=(ours[0], theirs[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._to, self._from = ours[1], theirs[0]
        self._rest, self._number, self._session = b"", 0, None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for part in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{part}.enable")

    def call(self, method: str, **arguments: object) -> dict[str, Any]:
        """Ask for something and wait for the answer; events are kept."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": arguments}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while (told := self._receive()).get("id") != self._number:
            self.events.append(told)
        assert "error" not in told, (method, told["error"])
        return told["result"]

    def open(self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load a page from disk and wait until all of it is there."""
        theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=theme)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        while not self.happened("Page.loadEventFired"):
            self.events.append(self._receive())
        self.ask("new Promise(done => setTimeout(done, 100))")  # what is late shows up

    def happened(self, method: str) -> list[dict[str, Any]]:
        """The details of every event of a kind since the page was opened."""
        return [told["params"] for told in self.events if told.get("method") == method]

    def requested(self) -> list[str]:
        """Every address that the page asked for, itself first."""
        return [one["request"]["url"] for one in self.happened("Network.requestWillBeSent")]

    def ask(self, script: str) -> Any:
        """The value of an expression, computed in the page."""
        told = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def screenshot(self) -> bytes:
        """The whole page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def close(self) -> None:
        """End the browser."""
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def _receive(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
            chunk = os.read(self._from, 1 << 16) if ready else b""
            if not chunk:
                raise AssertionError("the browser does not answer, or could not be started")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """Opens a browser; the test is skipped where there is none, and fails where one must be."""
    path = find_browser()
    if path is None:
        reason = "There is no Chromium here: apt-get install chromium"
        if os.environ.get("LOCALREC_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    opened = Browser(path, profile)
    yield opened
    opened.close()
