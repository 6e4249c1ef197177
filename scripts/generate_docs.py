"""Writes the pages that are made from the code; with --check only says whether they are current.

docs/cli.md from the commands' own help, the table of docs/api.md by api_coverage.py,
docs/sources.md by sources_page.py from what the readers
declare, the tables of docs/privacy.md from localrec/privacy/network.py, and in docs/evaluation.md
how runs are declared. docs/configuration.md, docs/json.md with its schema, and the manual page from
the code; docs/howto/own-recommender.md from its notebook; docs/licences.md and the list of parts
from sbom.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import typer
from api_coverage import coverage_table
from configuration_page import configuration_page
from json_schemas import FILE, json_page, schema_text
from man_page import man_page
from notebook import as_page
from record_tables import fields_table, one_line
from sbom import FILE as BILL
from sbom import bill_text, licences_page
from sources_page import sources_page

from localrec import __version__
from localrec.cli.commands import whole_program
from localrec.evaluation.configs import (
    DataConfig,
    QuestionRunConfig,
    QuestionsConfig,
    QuestionSystemConfig,
    QuestionSystemSettings,
    RunConfig,
    SystemConfig,
)
from localrec.evaluation.ranking.cases import EvaluationProtocol
from localrec.privacy.network import libraries_table, switches_table

DOCS = Path(__file__).resolve().parent.parent / "docs"
MADE = "<!-- made by scripts/generate_docs.py; do not edit -->\n\n"
# What `localrec.cli.app` and the errors of `localrec.foundation.errors` make of how a command ends.
EXIT_CODES = {
    0: "it went well",
    1: "it failed, or a check found something: a file not to be read, a model not to be found",
    2: "the command line makes no sense: an unknown option, a name that nobody has",
    3: "another process has the store: the same command may work in a moment",
    70: "a fault of localrec; a report about it, which names nobody, lies in the workspace",
    130: "interrupted with Ctrl+C; what was stored stays whole",
}
CONFIGURED: dict[str, type[msgspec.Struct]] = {
    "A ranking run, at the top": RunConfig,
    "`[data]`": DataConfig,
    "`[protocol]`": EvaluationProtocol,
    "`[[systems]]`": SystemConfig,
    "A question run, at the top": QuestionRunConfig,
    "`[questions]`": QuestionsConfig,
    "`[[systems]]` of a question run": QuestionSystemConfig,
    "`settings` there": QuestionSystemSettings,
}


def main() -> int:
    """Write or check every page; 1 when a checked page is out of date."""
    pages = {
        "cli.md": cli_page(),
        "api.md": _with_parts(
            "api.md", {"coverage": coverage_table(typer.main.get_command(whole_program()))}
        ),
        "sources.md": MADE + sources_page(),
        "privacy.md": privacy_page(),
        "evaluation.md": evaluation_page(),
        "configuration.md": MADE + configuration_page(),
        "json.md": MADE + json_page(),
        f"schemas/{FILE}": schema_text(),
        "man/localrec.1": man_page(
            typer.main.get_command(whole_program()), __version__, EXIT_CODES
        ),
        "licences.md": MADE + licences_page(),
        f"sbom/{BILL}": bill_text(),
        "howto/own-recommender.md": notebook_page("own-recommender"),
    }
    if "--check" not in sys.argv:
        DOCS.mkdir(exist_ok=True)
        for name, text in pages.items():
            (DOCS / name).parent.mkdir(exist_ok=True)
            (DOCS / name).write_text(text, encoding="utf-8")
        return 0
    stale = [name for name, text in pages.items() if _current(name) != text]
    for name in stale:
        print(f"docs/{name} is out of date: python scripts/generate_docs.py")
    return 1 if stale else 0


def cli_page() -> str:
    """One section per command: usage, arguments and options with their help."""
    group = typer.main.get_command(whole_program())
    sections = "\n".join(_sections(group, "localrec"))
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())
    ends = f"## Exit codes\n\n| code | meaning |\n| ---: | --- |\n{codes}\n"
    pipes = (
        "Every error is one sentence on stderr with its remedy; data goes to stdout. `-` stands "
        "for stdin\nand stdout wherever a file goes, and nothing is wrapped in a pipe.\n"
    )
    return f"{MADE}# Commands\n\n{pipes}\n{sections}\n{ends}"


def notebook_page(name: str) -> str:
    """A notebook as a page, with a way to the notebook itself."""
    notebook = json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text("utf-8"))
    title, _, rest = as_page(notebook).partition("\n")
    link = f"This page is [a notebook](../notebooks/{name}.ipynb); a test runs it."
    return f"{MADE}{title}\n\n{link}\n{rest}"


def privacy_page() -> str:
    """The written page with its tables made anew between their markers."""
    return _with_parts("privacy.md", {"libraries": libraries_table(), "switches": switches_table()})


def evaluation_page() -> str:
    """The written page; what a configuration may hold is made anew."""
    parts = []
    for section, record in CONFIGURED.items():
        about = (record.__doc__ or "").partition("\n\n    Args:")[0]
        parts.append(f"{section}: {one_line(about)}\n\n{fields_table(record)}")
    return _with_parts("evaluation.md", {"fields": "\n".join(parts).rstrip()})


def _with_parts(name: str, parts: Mapping[str, str]) -> str:
    """A page as it is, but for what stands between the markers of each part."""
    page = _current(name)
    for part, text in parts.items():
        begin, end = f"<!-- {part}:begin -->", f"<!-- {part}:end -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def _sections(command: object, path: str) -> Iterator[str]:
    subcommands = getattr(command, "commands", {})
    if not subcommands:
        yield _section(command, path)
    for name, sub in subcommands.items():
        if not getattr(sub, "hidden", False):  # an old name of another command
            yield from _sections(sub, f"{path} {name}")


def _section(command: object, path: str) -> str:
    lines = [f"## {path}", "", (command.help or "").strip(), ""]
    for parameter in command.params:
        if parameter.name == "help":
            continue
        flags = ", ".join(parameter.opts) if parameter.opts[0].startswith("-") else parameter.name
        value = f" {parameter.metavar}" if parameter.metavar else ""
        help_text = getattr(parameter, "help", "") or ""
        lines.append(f"- `{flags}{value}` {help_text}".rstrip())
    examples = (getattr(command, "epilog", "") or "").split("\n")
    shown = [line.strip() for line in examples if line.strip().startswith("localrec")]
    if shown:
        lines += ["", "```text", *shown, "```"]
    return "\n".join(lines) + "\n"


def _current(name: str) -> str:
    path = DOCS / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    raise SystemExit(main())
