"""`localrec doctor`: is everything here that asking needs, and what to do where it is not."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from localrec.cli.context import JsonOption, WorkspaceOption, console, context_of, print_json

_LIBRARIES = {
    "duckdb": "",
    "numpy": "",
    "networkx": "",
    "onnxruntime": "",
    "tokenizers": "",
    "hnswlib": "pip install hnswlib (exact search serves without it)",
    "llama-cpp-python": "pip install 'localrec[llm]' (every step has a counterpart without it)",
}


class Finding(msgspec.Struct, frozen=True):
    """One thing looked at: `state` is ok, missing or broken."""

    what: str
    state: str
    detail: str
    remedy: str = ""


def doctor(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> int:
    """Check libraries, models and the workspace; exits with 1 when something is broken."""
    context = context_of(workspace, as_json)
    findings = [*_python(), *_libraries(), *_models(), *_workspace(context.workspace)]
    code = int(any(finding.state == "broken" for finding in findings))
    if context.as_json:
        print_json(findings)
        return code
    from rich.text import Text

    out = console()
    for finding in findings:
        mark = {"ok": "ok     ", "missing": "missing", "broken": "broken "}[finding.state]
        style = {"ok": "green", "missing": "yellow", "broken": "red"}[finding.state]
        line = Text(mark, style=style).append(f"  {finding.what}: {finding.detail}", style="")
        out.print(line)
        if finding.remedy and finding.state != "ok":
            out.print(Text(f"         {finding.remedy}", style="dim"))
    return code


def _python() -> Iterator[Finding]:
    good = sys.version_info >= (3, 11)
    yield Finding(
        "Python", "ok" if good else "broken", platform.python_version(), "Use Python 3.11 or newer."
    )


def _libraries() -> Iterator[Finding]:
    for name, remedy in _LIBRARIES.items():
        try:
            yield Finding(name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, "missing", "not installed", remedy or f"pip install {name}")


def _models() -> Iterator[Finding]:
    from localrec.llm.catalog import load_catalog, status

    for name, model in load_catalog().items():
        state = status(name)
        yield Finding(
            f"model {name}",
            {"ok": "ok", "missing": "missing", "damaged": "broken"}[state],
            model.title if state == "ok" else state,
            f"localrec models pull {name}",
        )


def _workspace(folder: Path) -> Iterator[Finding]:
    from localrec.errors import LocalrecError
    from localrec.workspace import Workspace

    if not (folder / "store.duckdb").is_file():
        yield Finding("workspace", "missing", "empty", "localrec datasets pull cocktails")
        return
    try:
        with Workspace(folder) as opened:
            domains = opened.domains()
            counts = {name: len(opened.stages(name).catalogue) for name in domains}
    except LocalrecError as error:
        yield Finding("workspace", "broken", error.message, error.hint)
        return
    if not counts:
        yield Finding("workspace", "missing", "empty", "localrec datasets pull cocktails")
    for name, count in counts.items():
        yield Finding(f"catalogue {name}", "ok", f"{count:,} items, searchable")
