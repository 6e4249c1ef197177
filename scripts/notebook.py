"""Runs a notebook's code cells without Jupyter, keeps what they print, and renders it as a page.

    python scripts/notebook.py docs/notebooks/own-recommender.ipynb     run it and keep the output

A line that begins with `!` is a command, as in Jupyter; `!localrec` runs with this interpreter. The
cells run in the current folder, one after the other, as one program.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LOCALREC = [sys.executable, "-m", "localrec"]
Cell = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Run the notebook in a new folder and write its output into it."""
    from tempfile import TemporaryDirectory

    [path] = map(Path, arguments)
    notebook = json.loads(path.read_text("utf-8"))
    with TemporaryDirectory() as folder:
        here = Path.cwd()
        os.chdir(folder)
        try:
            run_cells(notebook)
        finally:
            os.chdir(here)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def run_cells(notebook: Cell) -> dict[str, Any]:
    """Run all code cells, put what each prints into it; return the names they defined."""
    names: dict[str, Any] = {"__name__": "__main__", "_command": _command}
    for cell in code_cells(notebook):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            _run("".join(cell["source"]), names)
        text = printed.getvalue()
        lines = text.splitlines(keepends=True)
        cell["outputs"] = (
            [{"name": "stdout", "output_type": "stream", "text": lines}] if text else []
        )
    return names


def code_cells(notebook: Cell) -> Iterator[Cell]:
    """The cells that run."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def as_page(notebook: Cell) -> str:
    """The notebook as a page of Markdown: its texts, code and output."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).strip()
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        told = "".join(line for one in cell["outputs"] for line in one["text"]).strip()
        parts += [f"```text\n{told}\n```"] * bool(told)
    return "\n\n".join(parts) + "\n"


def _run(source: str, names: dict[str, Any]) -> None:
    """Run one cell; as in Jupyter, its last line is shown where it is an expression."""
    tree = ast.parse(re.sub(r"^!(.*)$", r"_command(\1)", _quoted(source), flags=re.MULTILINE))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is not None:
        shown = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
        if shown is not None:
            print(repr(shown))


def _quoted(source: str) -> str:
    return re.sub(r"^!(.*)$", lambda line: f"!{line[1]!r}", source, flags=re.MULTILINE)


def _command(line: str) -> None:
    """Run a command line, and print what it prints."""
    words = shlex.split(line)
    command = [*LOCALREC, *words[1:]] if words[0] == "localrec" else words
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode:
        raise RuntimeError(f"{line} ended with {done.returncode}: {done.stderr}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
