"""The package of docs/plugins.md as a stranger ships it: a wheel that CLI, API, MCP and app use."""

from __future__ import annotations

import json
import re

import pytest

from tests.plugins.conftest import FILE, PAGE

from .conftest import build

CUPS = "drinker,tea,leaf,stars,day\n" + "".join(
    f"{who},{tea},{leaf},{stars},2024-05-{day:02}\n"
    for day, (who, tea, leaf, stars) in enumerate(
        [
            *(("ann", "Sencha", "green", 5), ("ann", "Assam", "black", 3)),
            *(("bob", "Sencha", "green", 4), ("bob", "Gyokuro", "green", 5)),
            *(("cem", "Assam", "black", 5), ("cem", "Keemun", "black", 4)),
            *(("ann", "Gunpowder", "green", 4), ("bob", "Keemun", "black", 2)),
            ("cem", "Gunpowder", "green", 3),
        ],
        1,
    )
)
API = """
import sys
from localrec import Workspace
desk = Workspace(sys.argv[1])
print(desk.domains(), [one.name for one in desk.recommend("ann", system="rare").items])
print(desk.ask("a green tea", system="rare").items[0].name)
desk.evaluate("small.toml")
print(sorted({row["system"] for row in desk.evaluation("small").to_rows()}))
"""
MCP = """
import asyncio, os, sys
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

program = "from localrec.cli.app import main; main()"
arguments = ["-S", "-c", program, "mcp", "--workspace", sys.argv[1]]

async def go():
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        found = await client.call_tool("ask", {"question": "a green tea", "domain": "tea"})
        print([one["name"] for one in found.structured_content["items"]])
        found = await client.call_tool("ask", {"question": "a green tea", "system": "rare"})
        print("least rare:", found.structured_content["items"][-1]["name"])

asyncio.run(go())
"""
APP = """
import sys
from pathlib import Path
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.records import QuestionRequest, RequestHandle

services = AppServices(Path(sys.argv[1]))
request = QuestionRequest(text="a green tea")
found = services.ask(request, RequestHandle(), lambda items: None)
print([one.name for one in services.domains()], [one.name for one in found.answer.items])
request = QuestionRequest(text="a green tea", system="rare")
found = services.ask(request, RequestHandle(), lambda items: None)
print(services.plugin_systems(), "least rare:", found.answer.items[-1].name)
services.close()
"""
CONFIG = """
name = "small"
data = {domain = "tea"}
protocol = {split = "leave-one-out"}
probe = 0
systems = [{name = "latest"}, {name = "popularity"}]
"""


@pytest.fixture
def tea_desk(environment, tmp_path):
    """An environment with the built wheel of the example, and a workspace of its teas."""
    source = tmp_path / "localrec-tea"
    for path, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        (source / path).parent.mkdir(exist_ok=True, parents=True)
        (source / path).write_text(text, encoding="utf-8")
    build(source, tmp_path / "dist", "--wheel")
    [wheel] = (tmp_path / "dist").glob("*.whl")
    environment.install(wheel)
    (environment.home / "cups.csv").write_text(CUPS, encoding="utf-8")
    (environment.home / "small.toml").write_text(CONFIG, encoding="utf-8")
    desk = environment.home / "desk"
    told = environment.localrec("import", "tea-diary", "cups.csv", "--workspace", desk)
    assert told.returncode == 0, told.stderr
    return environment, desk


def test_each_file_of_the_package_is_under_a_hundred_lines():
    lengths = {path: len(text.splitlines()) for path, text in FILE.findall(PAGE.read_text("utf-8"))}
    assert {"localrec_tea/diary.py", "localrec_tea/latest.py"} <= lengths.keys()
    assert max(lengths.values()) < 100


def test_the_command_line_uses_the_wheel(tea_desk):
    environment, desk = tea_desk
    place = ("--json", "--workspace", desk)
    asked = environment.localrec("ask", "a green tea", "--system", "rare", *place)
    assert [one["name"] for one in json.loads(asked.stdout)["items"]][-1] == "Sencha"
    listed = environment.localrec("recommend", "--user", "ann", "--system", "rare", *place)
    assert {one["name"] for one in json.loads(listed.stdout)["items"]} == {"Gyokuro", "Keemun"}


def test_the_api_uses_the_wheel(tea_desk):
    environment, desk = tea_desk
    told = environment.python("-c", API, str(desk))
    assert told.returncode == 0, told.stderr
    assert "['tea']" in told.stdout and "'Gyokuro'" in told.stdout
    assert "['latest', 'popularity']" in told.stdout


def test_the_server_uses_the_wheel(tea_desk):
    pytest.importorskip("mcp")
    environment, desk = tea_desk
    told = environment.python("-c", MCP, str(desk))
    assert told.returncode == 0, told.stderr
    assert set(re.findall(r"'(\w+)'", told.stdout)) == {"Gyokuro", "Gunpowder", "Sencha"}
    assert "least rare: Sencha" in told.stdout


def test_the_app_uses_the_wheel(tea_desk):
    pytest.importorskip("textual")
    environment, desk = tea_desk
    told = environment.python("-c", APP, str(desk))
    assert told.returncode == 0, told.stderr
    assert "['tea']" in told.stdout and "'Gyokuro'" in told.stdout
    assert "('rare',) least rare: Sencha" in told.stdout
