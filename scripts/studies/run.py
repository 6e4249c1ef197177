"""Runs a study or a bench by its name.

python scripts/studies/run.py                          the names, each with its first line
python scripts/studies/run.py NAME --help              what it measures, and its options
python scripts/studies/run.py NAME [options]           measure and print
python scripts/studies/run.py NAME --report [options]  also write docs/results and docs/figures
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE, HERE.parent / "bench")
sys.path[:0] = [str(folder) for folder in FOLDERS]

from findings import ROOT, Findings, as_json  # noqa: E402 - found on the path above

from localrec.foundation.errors import LocalrecError  # noqa: E402


def main(arguments: Sequence[str]) -> int:
    """Run what the first argument names; the exit code."""
    known = dict(studies())
    if not arguments or arguments[0] not in known:
        for name, about in known.items():
            print(f"{name:18} {about}")
        return 0 if not arguments else 2
    # An installed program has its modules compiled, and so should the commands that are timed here.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    name, *options = arguments
    module = importlib.import_module(name)
    asked = parser_of(name, module).parse_args(options)
    try:
        return tell(module.measure(asked), asked)
    except LocalrecError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def studies() -> Iterator[tuple[str, str]]:
    """Names of the modules that can be run, with the first lines of their docstrings."""
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            if "measure" in functions and "main" not in functions:
                yield path.stem, (ast.get_docstring(tree) or "").partition("\n")[0]


def parser_of(name: str, module: ModuleType) -> argparse.ArgumentParser:
    """The options of a study and those that all of them have."""
    parser = argparse.ArgumentParser(
        prog=f"run.py {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if hasattr(module, "add_options"):
        module.add_options(parser)
    parser.add_argument("--report", action="store_true", help="write the docs")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="their folder")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


def tell(found: object, asked: argparse.Namespace) -> int:
    """Print and write what was found, each part as soon as it is there; the exit code."""
    code = 0
    for one in found if isinstance(found, Iterator) else [found]:
        if not isinstance(one, Findings):
            print(as_json(one))
            continue
        if asked.report:
            one.write(asked.docs)
        print(as_json(one.figures) if asked.json else one.text)
        code = max(code, one.exit_code)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
