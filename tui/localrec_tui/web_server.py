"""`localrec tui --serve`: the app in a browser on this machine, and nowhere else.

textual-serve runs one app per visitor and shows it in a page. Left to itself it would serve whoever
knows the port, any website that a browser has open included, and its page asks a foreign server for
a font. So it listens on the loopback address, answers only pages of its own, and tells the browser
to load nothing from elsewhere. Other people who work on the same machine can still open it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"


def serve(folder: Path, port: int) -> None:
    """Serve the app over a workspace until Ctrl+C.

    Args:
        folder: The workspace.
        port: The port on the loopback address.

    Raises:
        ImportError: textual-serve is not installed.
        OSError: the port is taken.
    """
    from aiohttp import web
    from textual_serve.server import Server

    class LoopbackServer(Server):
        async def _make_app(self) -> Any:
            app = await super()._make_app()
            app.middlewares.append(web.middleware(guard(port, web.HTTPForbidden)))
            return app

    command = [sys.executable, "-P", "-m", "localrec", "--workspace", str(folder), "tui"]
    LoopbackServer(shlex.join(command), host=LOOPBACK, port=port, title="localrec").serve()


def guard(port: int, refusal: type[Exception]) -> Callable[..., Awaitable[Any]]:
    """Checks each request: refuses foreign ones, and closes the page.

    Args:
        port: That is served.
        refusal: Raised for a request from elsewhere.
    """
    policy = f"default-src 'self' 'unsafe-inline' data:; connect-src 'self' ws://{LOOPBACK}:{port}"

    async def guarded(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        if not is_ours(request.headers.get("Host"), request.headers.get("Origin"), port):
            raise refusal
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = policy
        return response

    return guarded


def is_ours(host: str | None, origin: str | None, port: int) -> bool:
    """Whether a request names this server, and comes from a page of it or from no page at all.

    A name that leads here, but is not this machine's, is how a foreign site would come in.
    """
    names = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}
    return host in names and (origin is None or origin.removeprefix("http://") in names)
