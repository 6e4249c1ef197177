"""Measure the MCP server: latency of calls against the API, its memory, and a fuzzed client.

Run:
    python scripts/studies/run.py mcp_calls [--calls 1000] [--messages 5000] [--workspace PATH]

A real client starts `localrec mcp` and makes all calls in one session: questions and searches of
the bundled drinks in turn (localrec datasets pull cocktails). After each call the same one is made
through `localrec.Workspace` in the client's process, so that both see the same machine. Memory is
what the server alone holds (its unique set), taken fifty times between two calls. There is no pause
in which the server would let the store go, as it does a second after a call: so it is the memory
that a client meets who never rests. A line through what follows the first third tells the growth a
call, with a 95% interval that counts neighbouring samples as one where they resemble each other.

Then a second server gets malformed messages down its pipe: valid ones with bytes changed, cut off,
of wrong types or far too large, drawn with a seed; after every fiftieth a valid call, which must be
answered. Both servers must end with exit code 0 once their input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import psutil
from findings import Findings, Timing, add_workspace, origin_of
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from scipy.stats import linregress, t

from localrec import Workspace
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

CALLS, MESSAGES = 1_000, 5_000
SAMPLES = 50  # of memory in a session
VALID_EVERY = 50
SEED = 31
MIB = 1 << 20
PROGRAM = "from localrec.cli.app import main; import sys; sys.argv[0] = 'localrec'; main()"
QUESTIONS = ("a smoky drink without whiskey", "something with gin", "a long drink, no egg")
NAMES = ("negroni", "sour", "gin", "colada")


class ServerFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Args:
        calls: Calls made in one session.
        served: Milliseconds of a call through the server.
        direct: Of the same call through the API.
        ratio: Of the medians.
        memory_mib: What the server alone holds, after each tenth of the calls.
        growth_kib: KiB that it grows a call, after the first third of the calls.
        growth_low_kib: Lower end of its 95% interval.
        growth_high_kib: Upper end.
        malformed: Malformed messages sent to a second server.
        answered: Valid calls among them that were answered.
        asked: Valid calls among them.
        fuzzed_early_mib: That server's memory after a tenth of the messages.
        fuzzed_late_mib: After all.
        exit_codes: Of both servers.
    """

    origin: Origin
    calls: int
    served: Timing
    direct: Timing
    ratio: float
    memory_mib: list[float]
    growth_kib: float
    growth_low_kib: float
    growth_high_kib: float
    malformed: int
    answered: int
    asked: int
    fuzzed_early_mib: float
    fuzzed_late_mib: float
    exit_codes: tuple[int, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--calls", type=int, default=CALLS, help="calls of the session")
    parser.add_argument("--messages", type=int, default=MESSAGES, help="malformed messages")
    add_workspace(parser)


def measure(asked: argparse.Namespace) -> Findings:
    """Hold a session, then fuzz."""
    served, direct, memory = asyncio.run(session(asked.workspace, asked.calls))
    answered, valid, fuzz_early, fuzz_late, code = fuzz(asked.workspace, asked.messages)
    one, other = Timing.of(served), Timing.of(direct)
    growth = growth_per_call(memory, asked.calls / len(memory))
    measured = ServerFigures(
        origin=origin_of("mcp_calls", f"--calls {asked.calls} --messages {asked.messages}"),
        calls=asked.calls,
        served=one.rounded(),
        direct=other.rounded(),
        ratio=round(one.median / other.median, 3),
        memory_mib=memory[4::5],
        growth_kib=round(growth[0], 3),
        growth_low_kib=round(growth[1], 3),
        growth_high_kib=round(growth[2], 3),
        malformed=asked.messages,
        answered=answered,
        asked=valid,
        fuzzed_early_mib=fuzz_early,
        fuzzed_late_mib=fuzz_late,
        exit_codes=(code,),
    )
    bad = answered < valid or code != 0
    return Findings(
        text=as_markdown(measured),
        page="open",
        block="bench-mcp",
        figures=measured,
        exit_code=int(bad),
    )


async def session(folder: Path, calls: int) -> tuple[list[float], list[float], list[float]]:
    """Seconds of each call through the server and the API; the server's memory, fifty times."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", PROGRAM, "mcp", "--workspace", str(folder)],
        env=dict(os.environ),
    )
    served: list[float] = []
    direct: list[float] = []
    memory: list[float] = []
    with Workspace(folder) as desk:
        async with Client(stdio_client(parameters)) as client:
            [child] = psutil.Process().children()
            for number in range(calls + 10):
                tool, given, call = nth_call(desk, number)
                begun = time.perf_counter()
                answer = await client.call_tool(tool, given)
                turned = time.perf_counter()
                call()
                ended = time.perf_counter()
                assert not answer.is_error, answer
                if number < 10:  # both open the workspace and read the catalogue
                    continue
                served.append(turned - begun)
                direct.append(ended - turned)
                if len(served) % (calls // SAMPLES) == 0:
                    memory.append(own_memory_of(child))
    return served, direct, memory


def nth_call(desk: Workspace, number: int) -> tuple[str, dict[str, Any], Callable[[], object]]:
    """A call of the session by its number: tool, arguments, and the same through the API."""
    turn, kind = divmod(number, 2)
    if kind == 0:
        question = QUESTIONS[turn % len(QUESTIONS)]
        return "ask", {"question": question}, lambda: desk.ask(question).to_dict()
    name = NAMES[turn % len(NAMES)]
    return "search", {"text": name}, lambda: [one.to_dict() for one in desk.search(name, k=10)]


def growth_per_call(memory: list[float], apart: float) -> tuple[float, float, float]:
    """KiB of growth a call after the first third, and the ends of its 95% interval.

    Args:
        memory: MiB, taken the same number of calls apart.
        apart: That number.
    """
    kept = np.asarray(memory[len(memory) // 3 :]) * 1024
    calls = np.arange(len(kept)) * apart
    fitted = linregress(calls, kept)
    left = kept - fitted.intercept - fitted.slope * calls
    alike = max(0.0, float(np.corrcoef(left[:-1], left[1:])[0, 1])) if left.any() else 0.0
    count = max(3.0, len(kept) * (1 - alike) / (1 + alike))  # samples that count as independent
    error = fitted.stderr * np.sqrt((len(kept) - 2) / (count - 2))
    half = float(t.ppf(0.975, count - 2)) * float(error)
    return float(fitted.slope), float(fitted.slope) - half, float(fitted.slope) + half


def own_memory_of(process: psutil.Process) -> float:
    """Memory in MiB that a process shares with no other one."""
    return round(process.memory_full_info().uss / MIB, 2)


def memory_of(process: psutil.Process) -> float:
    """Resident memory in MiB."""
    return round(process.memory_info().rss / MIB, 1)


def fuzz(folder: Path, messages: int) -> tuple[int, int, float, float, int]:
    """Send malformed messages; valid calls answered, asked, memory early and late, exit code."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp", "--workspace", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert running.stdin is not None and running.stdout is not None
    answers: dict[object, dict[str, Any]] = {}
    arrived = threading.Condition()

    def drain() -> None:
        for line in running.stdout or ():
            message = json.loads(line)  # whatever the server says is JSON
            with arrived:
                answers[message.get("id")] = message
                arrived.notify_all()

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    child, draw, asked, early = psutil.Process(running.pid), random.Random(SEED), 0, 0.0

    def send(line: bytes) -> None:
        assert running.stdin is not None
        running.stdin.write(line.replace(b"\n", b" ") + b"\n")
        running.stdin.flush()

    def call(identity: str) -> None:
        send(json.dumps({**request("tools/call", SEARCH), "id": identity}).encode())
        with arrived:
            arrived.wait_for(lambda: identity in answers, timeout=60)

    send(json.dumps(request("initialize", HELLO)).encode())
    send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    for number in range(messages):
        send(malformed(draw))
        if number % VALID_EVERY == VALID_EVERY - 1:
            asked += 1
            call(f"valid {asked}")
        if number == messages // 10:
            early = memory_of(child)
    late = memory_of(child)
    running.stdin.close()
    code = running.wait(60)
    reader.join(60)
    found = [answers.get(f"valid {one}", {}) for one in range(1, asked + 1)]
    return sum("Negroni" in json.dumps(one) for one in found), asked, early, late, code


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
SEARCH = {"name": "search", "arguments": {"text": "negroni"}}


def request(method: str, params: object) -> dict[str, Any]:
    """A request as a client writes it."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def malformed(draw: random.Random) -> bytes:
    """A message that is wrong somewhere."""
    method = draw.choice(["tools/call", "tools/list", "resources/read", "prompts/get", "x" * 9])
    whole = json.dumps({**request(method, SEARCH), "id": draw.randrange(10**6)}).encode()
    kind = draw.randrange(8)
    if kind == 0:
        return draw.randbytes(draw.randrange(1, 400))
    if kind == 1:
        return whole[: draw.randrange(1, len(whole))]
    if kind == 2:
        place = draw.randrange(len(whole))
        return whole[:place] + draw.randbytes(3) + whole[place:]
    if kind == 3:
        odd = draw.choice([None, 7, [], "text", {"name": 3}, {"name": "search", "arguments": 9}])
        return json.dumps({**request(method, odd), "id": draw.randrange(10**6)}).encode()
    if kind == 4:
        return b"[" * draw.randrange(1, 5_000)
    if kind == 5:
        long = {"name": "ask", "arguments": {"question": "x" * draw.randrange(2_001, 50_000)}}
        return json.dumps(request("tools/call", long)).encode()
    if kind == 6:
        strange = {"name": draw.choice(["rm", "forget", ""]), "arguments": {"user": "a" * 600}}
        return json.dumps(request("tools/call", strange)).encode()
    return json.dumps({"jsonrpc": draw.choice(["1.0", 2, None]), "id": {}, "method": 7}).encode()


def as_markdown(one: ServerFigures) -> str:
    """Both parts in one table."""
    rows = [
        ["through the server, ms: median, 95th percentile", ", ".join(one.served.cells())],
        ["through the API in the same process, ms", ", ".join(one.direct.cells())],
        ["ratio of the medians", f"{one.ratio:.2f}"],
        [
            "server's own memory, after each tenth of the calls, MiB",
            ", ".join(f"{mib:.0f}" for mib in one.memory_mib),
        ],
        [
            "its growth after the first third, KiB a call (95% interval)",
            f"{one.growth_kib:.2f} [{one.growth_low_kib:.2f}, {one.growth_high_kib:.2f}]",
        ],
        [
            f"valid calls answered among {one.malformed:,} malformed messages",
            f"{one.answered} of {one.asked}",
        ],
        [
            "that server's memory after a tenth and after all, MiB",
            f"{one.fuzzed_early_mib:.0f}, {one.fuzzed_late_mib:.0f}",
        ],
    ]
    table = markdown_table([f"{one.calls:,} calls in one session", ""], rows)
    return f"{table}\n\nMade by {one.origin.as_text()}"
