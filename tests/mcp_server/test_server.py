"""A real MCP client starts `localrec mcp` in a process of its own and talks over its pipes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest

from localrec import Workspace

mcp = pytest.importorskip("mcp")

from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402

_PROGRAM = "import sys; from localrec.cli.app import main; sys.argv[0] = 'localrec'; main()"


@pytest.fixture
def folder(bundled_workspace, tmp_path):
    shutil.copytree(bundled_workspace, tmp_path / "workspace")
    return tmp_path / "workspace"


def arguments(folder):
    return ["-c", _PROGRAM, "mcp", "--workspace", str(folder)]


@asynccontextmanager
async def connected(folder):
    parameters = StdioServerParameters(
        command=sys.executable, args=arguments(folder), env=dict(os.environ)
    )
    async with Client(stdio_client(parameters)) as client:
        yield client


def talk(folder, *calls):
    """Call tools one after another; what each returned, and whether as an error."""

    async def go():
        async with connected(folder) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(go())


class TestTools:
    def test_a_client_asks_rates_lists_and_forgets(self, folder):
        asked, rated, listed, foreseen, gone, nobody = talk(
            folder,
            ("ask", {"question": "a smoky drink without whiskey"}),
            ("rate", {"user": "anna", "item": "Negroni", "verdict": "like"}),
            ("recommend", {"user": "anna", "k": 3}),
            ("forget", {"user": "anna"}),
            ("forget", {"user": "anna", "confirm": True}),
            ("history", {"user": "anna"}),
        )
        with Workspace(folder) as desk:
            names = [one.name for one in desk.ask("a smoky drink without whiskey").items]
        assert [one["name"] for one in asked.structured_content["items"]] == names
        assert rated.structured_content["item"] == "negroni"
        assert len(listed.structured_content["items"]) == 3
        assert foreseen.structured_content["dry_run"] and "confirm" in foreseen.content[0].text
        assert not gone.structured_content["dry_run"] and not gone.structured_content["found"]
        assert nobody.is_error and "Nobody called 'anna'" in nobody.content[0].text

    def test_a_system_that_is_named_ranks_and_an_unknown_one_is_an_error(self, folder):
        _, counted, unknown, unanswered = talk(
            folder,
            ("rate", {"user": "anna", "item": "Negroni", "verdict": "like"}),
            ("recommend", {"user": "anna", "k": 3, "system": "popularity"}),
            ("recommend", {"user": "anna", "k": 3, "system": "nonsense"}),
            ("ask", {"question": "a sour", "system": "nonsense"}),
        )
        with Workspace(folder) as desk:
            names = [one.key for one in desk.recommend("anna", k=3, system="popularity").items]
        assert [one["key"] for one in counted.structured_content["items"]] == names
        assert unknown.is_error and "nonsense" in unknown.content[0].text
        assert unanswered.is_error and "nonsense" in unanswered.content[0].text

    def test_forgetting_without_a_confirmation_changes_nothing(self, folder):
        _, _, kept = talk(
            folder,
            ("rate", {"user": "anna", "item": "Negroni", "stars": 4}),
            ("forget", {"user": "anna"}),
            ("history", {"user": "anna"}),
        )
        assert kept.structured_content["total"] == 1

    def test_a_user_who_is_nearly_somebody_is_refused_until_the_user_says_new(self, folder):
        _, misspelt, new = talk(
            folder,
            ("rate", {"user": "anna", "item": "Negroni", "stars": 4}),
            ("rate", {"user": "Anna", "item": "Negroni", "stars": 4}),
            ("rate", {"user": "Anna", "item": "Negroni", "stars": 4, "new_user": True}),
        )
        assert misspelt.is_error and "Did you mean anna?" in misspelt.content[0].text
        assert "new_user=True" in misspelt.content[0].text
        assert new.structured_content["user"] == "Anna"

    @pytest.mark.parametrize(
        ("tool", "given"),
        [
            ("ask", {}),
            ("ask", {"question": "x" * 5_000}),
            ("ask", {"question": "a sour", "k": 0}),
            ("recommend", {"user": ""}),
            ("rate", {"user": "anna", "item": "Negroni"}),
            ("rate", {"user": "anna", "item": "Negroni", "stars": 40}),
            ("rate", {"user": "anna", "item": "No such drink", "stars": 4}),
            ("search", {"text": "gin", "domain": "../../etc"}),
        ],
    )
    def test_arguments_that_make_no_sense_are_an_error_and_change_nothing(
        self, folder, tool, given
    ):
        before = (folder / "store.duckdb").read_bytes()
        [refused] = talk(folder, (tool, given))
        assert refused.is_error
        assert "Traceback" not in refused.content[0].text
        assert (folder / "store.duckdb").read_bytes() == before

    def test_every_tool_says_whether_it_reads_writes_or_destroys(self, folder):
        async def go():
            async with connected(folder) as client:
                return (await client.list_tools()).tools

        hints = {tool.name: tool.annotations for tool in asyncio.run(go())}
        assert set(hints) == {
            "ask", "recommend", "explain", "search", "history", "shelf", "rate", "forget"
        }  # fmt: skip
        assert {name for name, hint in hints.items() if not hint.read_only_hint} == {
            "rate",
            "forget",
        }
        assert [name for name, hint in hints.items() if hint.destructive_hint] == ["forget"]


class TestResourcesAndPrompts:
    def test_items_and_memories_can_be_read(self, folder):
        async def go():
            async with connected(folder) as client:
                found = await client.read_resource("localrec://items/cocktails/negroni")
                prompts = [one.name for one in (await client.list_prompts()).prompts]
                said = await client.get_prompt("what_next", {"user": "anna"})
                return found.contents[0].text, prompts, said.messages[0].content.text

        item, prompts, said = asyncio.run(go())
        assert "campari" in json.loads(item)["attributes"]["ingredient"]
        assert prompts == ["what_next", "use_up"] and "'anna'" in said


class TestAHostileClient:
    def test_garbage_on_the_pipe_brings_nothing_down(self, folder):
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
        call = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "search", "arguments": {"text": "negroni"}},
        }
        garbage = [
            b"not json",
            b"{}",
            b"[]",
            b"\xff\xfe\x00",
            b'{"jsonrpc": "2.0", "id": {}, "method": 7}',
            b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": []}',
            b'{"jsonrpc": "2.0", "method": "' + b"x" * 100_000 + b'"}',
            b"[" * 5_000,
        ]
        lines = [
            json.dumps(hello).encode(),
            b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
            *garbage,
            json.dumps(call).encode(),
        ]
        told = subprocess.Popen(
            [sys.executable, *arguments(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert told.stdin is not None and told.stdout is not None
        told.stdin.write(b"\n".join(lines) + b"\n")
        told.stdin.flush()
        answers = {}
        for line in told.stdout:
            message = json.loads(line)
            answers[message.get("id")] = message
            if 2 in answers:
                break
        told.stdin.close()
        assert told.wait(30) == 0
        assert "Negroni" in json.dumps(answers[2])
