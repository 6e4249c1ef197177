"""The example of docs/plugins.md as a wheel that pip installs, used through every door."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from localrec import Workspace
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.records import QuestionRequest, RequestHandle

from .conftest import FILE, PAGE, forget
from .test_plugins import write_cups

pytest.importorskip("build")
pytest.importorskip("hatchling")


@pytest.fixture
def installed(site: Path, tmp_path: Path) -> Path:
    """The folder that pip installed the wheel into."""
    source = tmp_path / "localrec-tea"
    for path, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text, encoding="utf-8")
    packed = ["build", "--wheel", "--no-isolation", "-o", str(tmp_path), str(source)]
    subprocess.run([sys.executable, "-m", *packed], check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    target = ["--target", str(site), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *target], check=True)
    forget()
    return site


def asked_over_mcp(home: Path, environment: dict[str, str]) -> list[str]:
    """Names that a real MCP client gets from the plug-in's system."""
    pytest.importorskip("mcp")
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def go() -> list[str]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "localrec", "mcp", "--workspace", str(home)],
            env=environment,
        )
        async with Client(stdio_client(server)) as client:
            given = {"question": "a green tea", "k": 1, "system": "rare"}
            told = await client.call_tool("ask", given)
        return [one["name"] for one in told.structured_content["items"]]

    return asyncio.run(go())


def test_one_wheel_serves_the_commands_the_api_mcp_and_the_app(installed, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    cups = write_cups(tmp_path / "cups.csv")
    search_path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": search_path, "LOCALREC_LEARN": "off"}

    def command(*arguments: object) -> dict[str, object]:
        finished = subprocess.run(
            [sys.executable, "-m", "localrec", "--json", "--workspace", home, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        return json.loads(finished.stdout)

    assert command("import", "auto", cups)["source"] == "tea-diary"
    by_command = command("ask", "a green tea", "-k", 1, "--system", "rare")
    assert [one["name"] for one in by_command["items"]] == ["Oolong"]

    with Workspace(home) as desk:
        [by_api] = desk.ask("a green tea", k=1, system="rare").items
    assert by_api.name == "Oolong"

    assert asked_over_mcp(home, environment) == ["Oolong"]

    services = AppServices(home, hold_s=0.05)
    try:
        assert services.plugin_systems() == ("rare",)
        question = QuestionRequest(text="a green tea", k=1, system="rare")
        found = services.ask(question, RequestHandle(), lambda items: None)
    finally:
        services.close()
    assert [one.name for one in found.answer.items] == ["Oolong"]
    assert found.domain == "tea"
