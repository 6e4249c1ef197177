"""`localrec help`: the pages of the documentation, which ship with the program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from localrec.cli.context import command_context, console, print_json
from localrec.foundation.errors import UsageError

EXAMPLES = """
Examples:\n\n
  localrec help\n\n
  localrec help sources\n\n
  localrec help own-catalogues | less
"""
_README = "readme"


def _topics() -> list[str]:
    return list(_pages())


def help_(
    topic: Annotated[
        str | None,
        typer.Argument(
            help="A page, such as sources; all are named without.",
            metavar="TOPIC",
            autocompletion=_topics,
        ),
    ] = None,
) -> None:
    """Print a page of the documentation; without a topic, name all."""
    pages = _pages()
    context = command_context()
    if topic is None:
        told = {name: _title(path) for name, path in pages.items()}
        if context.print_json(told):
            return
        for name, title in told.items():
            console().print(f"{name:24} {title}")
        return
    text = _text_of(_find(topic, pages))
    if context.as_json:
        print_json({"topic": topic, "text": text})
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        sys.stdout.write(text)


def _pages() -> dict[str, Path]:
    """Name of a page -> its file: in a checkout, or where the installed program keeps them."""
    from localrec.foundation.paths import checkout_path

    docs = checkout_path("docs")
    if not (docs / "own-catalogues.md").is_file():
        docs = Path(__file__).resolve().parents[1] / "_data" / "docs"
    found = {
        str(path.relative_to(docs).with_suffix("")).replace("\\", "/"): path
        for path in sorted(docs.rglob("*.md"))
    }
    return {_README: docs.parent / "README.md", **found}


def _find(topic: str, pages: dict[str, Path]) -> Path:
    """The page of a topic, which may be written as a message names its file.

    Raises:
        UsageError: there is none; names those that are near.
    """
    from rapidfuzz import process

    name = topic.casefold().removeprefix("docs/").removesuffix(".md")
    for known in (name, f"results/{name}"):
        if known in pages:
            return pages[known]
    near = [one for one, score, _ in process.extract(name, pages.keys(), limit=3) if score > 60]
    raise UsageError(
        f"There is no page {topic!r}.",
        f"Near: {', '.join(near)}." if near else "localrec help names all.",
    )


def _text_of(page: Path) -> str:
    """What a page says; an installed program has the README as its package's description alone."""
    if page.name == "README.md" and not page.is_file():
        from importlib.metadata import metadata

        return metadata("localrec")["Description"]
    return page.read_text(encoding="utf-8")


def _title(path: Path) -> str:
    for line in _text_of(path).splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return path.stem
