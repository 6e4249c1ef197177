"""`localrec tui --serve`: for this machine's browser alone."""

import asyncio
from types import SimpleNamespace

import pytest

from localrec_tui import web_server
from localrec_tui.web_server import guard, is_ours


class RefusedError(Exception):
    """Stands for a 403."""


@pytest.mark.parametrize(
    ("host", "origin", "ours"),
    [
        ("127.0.0.1:8000", None, True),
        ("localhost:8000", "http://localhost:8000", True),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("127.0.0.1:8000", "https://evil.example", False),
        ("127.0.0.1:8000", "null", False),
        ("127.0.0.1:8000", "http://127.0.0.1:9000", False),
        ("evil.example:8000", "http://evil.example:8000", False),
        ("127.0.0.1:8001", None, False),
        (None, None, False),
    ],
)
def test_only_its_own_pages_are_answered(host, origin, ours):
    assert is_ours(host, origin, 8000) is ours


def answer(headers):
    async def handler(request):
        return SimpleNamespace(prepared=False, headers={})

    request = SimpleNamespace(headers=headers)
    return asyncio.run(guard(8000, RefusedError)(request, handler))


def test_a_page_may_load_nothing_from_elsewhere():
    policy = answer({"Host": "127.0.0.1:8000"}).headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self'")
    assert "//" not in policy.replace("ws://127.0.0.1:8000", "")


def test_a_request_from_a_foreign_page_is_refused():
    with pytest.raises(RefusedError):
        answer({"Host": "127.0.0.1:8000", "Origin": "https://evil.example"})


def test_the_command_listens_on_the_loopback_address_only(monkeypatch, cli, tmp_path):
    served = []
    monkeypatch.setattr(web_server, "serve", lambda folder, port: served.append((folder, port)))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert cli("--workspace", tmp_path, "tui", "--serve", "--port", "8123").code == 0
    assert served == [(tmp_path, 8123)]
    assert cli("tui", "--serve", "--host", "0.0.0.0").code == 2


def test_without_the_library_the_command_says_how_to_get_it(monkeypatch, cli):
    found = {"textual": object()}
    monkeypatch.setattr("importlib.util.find_spec", found.get)
    outcome = cli("tui", "--serve")
    assert outcome.code == 2
    assert "pip install 'localrec[serve]'" in outcome.err
