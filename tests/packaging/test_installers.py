"""`pipx install` and `uv tool install` of the built wheel with the extra `all`, in an empty folder.

No network is used: what the wheel depends on is packed into wheels again from this environment,
llama.cpp and hnswlib as they were compiled here. The new environments see nothing but these.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

pytest.importorskip("uv")
pytest.importorskip("pipx")

from packaging.requirements import Requirement

# Written by whoever installed it; none of it belongs to a wheel.
OF_THE_INSTALLER = {"INSTALLER", "REQUESTED", "direct_url.json", "RECORD"}
TALK = """
import asyncio, json, os, sys
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def go():
    server = StdioServerParameters(
        command=sys.argv[1], args=["mcp", "--workspace", sys.argv[2]], env=dict(os.environ)
    )
    async with Client(stdio_client(server)) as client:
        print(json.dumps([tool.name for tool in (await client.list_tools()).tools]))

asyncio.run(go())
"""


def needed_by(wheel: Path, extra: str) -> dict[str, Distribution]:
    """The distributions of this environment that a wheel with an extra asks for, and so on."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        asked = archive.read(name).decode().splitlines()
    wanted = [
        (Requirement(line.removeprefix("Requires-Dist: ")), extra)
        for line in asked
        if line.startswith("Requires-Dist: ")
    ]
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    while wanted:
        requirement, of = wanted.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": of}):
            continue
        for inner in ("", *requirement.extras):
            if (requirement.name, inner) in seen:
                continue
            seen.add((requirement.name, inner))
            found[requirement.name] = distribution(requirement.name)
            for line in found[requirement.name].requires or ():
                wanted.append((Requirement(line), inner))
    return found


def pack_again(one: Distribution, folder: Path) -> None:
    """Write a wheel from the files of an installed distribution."""
    files = [
        path
        for path in one.files or ()
        if ".." not in path.parts and path.suffix != ".pyc" and path.name not in OF_THE_INSTALLER
    ]
    [about] = [path.parent for path in files if path.name == "WHEEL"]
    tags = [
        line.removeprefix("Tag: ").split("-")
        for line in (one.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    ]
    # One part may stand for several: py2.py3-none-any.
    tag = "-".join(".".join(dict.fromkeys(part)) for part in zip(*tags, strict=True))
    stem = about.name.removesuffix(".dist-info")
    with zipfile.ZipFile(folder / f"{stem}-{tag}.whl", "w") as archive:
        for path in files:
            archive.write(path.locate(), path.as_posix())
        archive.writestr(f"{about}/RECORD", "".join(f"{path.as_posix()},,\n" for path in files))


@pytest.fixture(scope="module")
def wheels(wheel, tmp_path_factory) -> Path:
    """A folder with all that the wheel needs with the extra `all`."""
    folder = tmp_path_factory.mktemp("wheels")
    try:
        needed = needed_by(wheel, "all")
    except PackageNotFoundError as error:
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            raise
        pytest.skip(f"{error}, which the extra `all` asks for")
    for one in needed.values():
        pack_again(one, folder)
    return folder


def installed_by(tool: str, wheel: Path, wheels: Path, folder: Path) -> Path:
    """Install the wheel with a tool that sees an empty home; the program that came."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "LOCALREC", "PIP_", "PIPX_", "UV_"))
    }
    env |= {
        "HOME": str(folder),
        "UV_CACHE_DIR": str(wheels.parent / "uv-cache"),
        "UV_FIND_LINKS": str(wheels),
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_PYTHON": sys.executable,
    }
    if tool == "uv":
        from uv import find_uv_bin

        env |= {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
        command = [find_uv_bin(), "tool", "install"]
    else:
        env |= {"PIPX_HOME": str(folder / "tools"), "PIPX_BIN_DIR": str(folder / "bin")}
        env |= {"PIPX_MAN_DIR": str(folder / "man")}
        command = [sys.executable, "-m", "pipx", "install", "--backend", "uv"]
    told = subprocess.run(
        [*command, f"{wheel}[all]"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return folder / "bin" / "localrec"


@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_a_tool_installs_the_program_with_all_extras(tool, wheel, wheels, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    program = installed_by(tool, wheel, wheels, folder)
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "LOCALREC_LEARN": "off"}
    python = program.resolve().parent / "python"

    def run(*command: object) -> str:
        told = subprocess.run(
            list(map(str, command)),
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stderr
        return told.stdout

    libraries = "llama_cpp, localrec_tui.app, textual_serve, pyarrow"
    where = run(python, "-c", f"import localrec, {libraries}; print(localrec.__file__)")
    assert where.startswith(str(folder))
    place = ("--workspace", folder / "desk")
    run(program, "datasets", "pull", "cocktails", "--json", *place)
    counted = run(program, "sql", "select count(*) as n from items", "--json", *place)
    assert json.loads(counted)[0]["n"] > 500
    tools = json.loads(run(python, "-c", TALK, program, folder / "desk"))
    assert {"ask", "recommend", "forget"} <= set(tools)
    assert list(folder.rglob("localrec.1"))  # the manual page came too
    shutil.rmtree(folder)
