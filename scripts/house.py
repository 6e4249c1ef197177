"""How the house stands: sizes, names and imports, and lines by package before and after.

    python scripts/house.py             print the sizes, and what is over a limit
    python scripts/house.py --write     write the drawing and the tables into docs/design.md
    python scripts/house.py --trace WORKSPACE USER    run two commands and count what runs in them

Everything but `--trace` reads the source alone, so that `tests/test_house.py` can hold the code
against the limits. What the code was like before is kept in docs/figures/house-before.json, made by
the same functions: `--keep FOLDER` writes it from a checkout of the tag `before-house`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[1]
DESIGN = ROOT / "docs" / "design.md"
FIGURES = ROOT / "docs" / "figures"
PACKAGES = {"localrec": "localrec", "localrec_tui": "tui/localrec_tui"}
MODULE_LINES, CLASS_LINES, FUNCTION_LINES, SYSTEM_LINES = 450, 300, 60, 150
COMMANDS = {
    "recommend": ("recommend", "--system", "memrec", "--domain", "movies", "-k", "3"),
    "ask": ("ask", "a smoky drink without whiskey", "--domain", "cocktails", "-k", "3"),
}
# What nobody could do before, and the files that were written for it and for nothing else. No file
# named here existed at the tag: git diff --diff-filter=A -M30% --numstat ec7bac0 HEAD -- '*.py'
FEATURES = {
    "default ranking that is learnt": (
        "localrec/ranking/learned localrec/index/gru4rec.py localrec/systems/learned.py "
        "localrec/systems/reranker_learning.py localrec/explanation/deciding_reasons.py "
        "localrec/cli/learn.py tui/localrec_tui/services/learning.py scripts/bench/learning.py "
        "scripts/studies/learned_ranking.py"
    ),
    "catalogues of one's own from any table": (
        "localrec/sources/catalogues localrec/sources/table_guess.py "
        "localrec/data/catalogue_columns.py localrec/workspace/own_domains.py "
        "localrec/workspace/table_domains.py localrec/workspace/domain_check.py "
        "localrec/graph/domain_removal.py localrec/cli/domains.py localrec/cli/import_guesses.py "
        "scripts/studies/catalogue_rows.py scripts/studies/asked_catalogues.py"
    ),
    "formats that could not be imported": (
        "localrec/sources/boardgamegeek.py localrec/sources/imdb.py "
        "localrec/sources/myanimelist.py localrec/sources/netflix.py localrec/sources/spotify.py "
        "localrec/sources/personal_items.py localrec/sources/screen_titles.py "
        "localrec/sources/xml_records.py localrec/sources/export_cells.py "
        "localrec/packs/cocktails/bar_assistant.py localrec/packs/cocktails/iba_recipes.py "
        "localrec/packs/cocktails/mr_boston.py localrec/packs/cocktails/recipe_catalogue.py "
        "scripts/studies/export_faults.py scripts/studies/export_layouts.py "
        "scripts/studies/export_round_trips.py scripts/studies/fuzz_tables.py "
        "localrec/sources/bookcrossing.py localrec/sources/calibre.py "
        "localrec/sources/goodbooks.py localrec/sources/librarything.py "
        "localrec/sources/sqlite_tables.py localrec/sources/trakt.py "
        "scripts/studies/calibre_library.py scripts/studies/library_layouts.py "
        "scripts/studies/drink_layouts.py scripts/studies/dataset_layouts.py "
        "scripts/studies/interaction_faults.py"
    ),
    "words that a question's reader did not know": (
        "localrec/understanding/amounts.py localrec/understanding/foreign_questions.py "
        "localrec/understanding/language_words.py localrec/understanding/nearest_names.py "
        "localrec/understanding/question_reader.py localrec/understanding/topics.py "
        "localrec/understanding/state_phrases.py localrec/understanding/unused_words.py "
        "localrec/understanding/years.py localrec/explanation/answer_message.py "
        "localrec/systems/declined.py scripts/studies/asked_questions.py "
        "localrec/understanding/mended_numbers.py localrec/understanding/partial_names.py "
        "localrec/understanding/text_wishes.py localrec/retrieval/other_readings.py "
        "localrec/graph/item_texts.py"
    ),
    "open dumps that tell more of a library": (
        "localrec/sources/dumps localrec/cli/import_dumps.py localrec/data/knowledge.py "
        "localrec/graph/joined_items.py localrec/graph/knowledge_join.py"
    ),
    "panes of the app beside its lists": (
        "tui/localrec_tui/item_text.py tui/localrec_tui/services/history_queries.py "
        "tui/localrec_tui/services/feedback.py tui/localrec_tui/widgets/badges.py "
        "tui/localrec_tui/widgets/item_facts.py tui/localrec_tui/widgets/item_pane.py "
        "tui/localrec_tui/widgets/shown_items.py tui/localrec_tui/widgets/side_pane.py"
    ),
    "public Python API": "localrec/api",
    "contracts and entry points of plug-ins": "localrec/testing localrec/foundation/plugins.py",
    "server for local assistants": "localrec/mcp_server localrec/cli/mcp.py",
    "SQL over the store": "localrec/graph/views.py localrec/cli/sql.py",
    "lists with variety, for several users": (
        "localrec/ranking/diversity.py localrec/systems/list_choice.py "
        "scripts/studies/list_diversity.py"
    ),
    "vectors made in the background": "localrec/index/pending_vectors.py",
    "faults told in a sentence": (
        "localrec/foundation/crash_report.py localrec/foundation/disk_errors.py "
        "localrec/foundation/delayed_close.py"
    ),
    "evaluation of data that is only imported": (
        "localrec/evaluation/data_folders.py localrec/evaluation/ranking/given_negatives.py"
    ),
    "these figures": (
        "scripts/house.py scripts/bench/before_after.py scripts/bench/libraries.py "
        "scripts/studies/asked_judge.py"
    ),
}


class Traced(msgspec.Struct, frozen=True):
    """How many of our modules and rooms ran during one command."""

    modules: int
    rooms: int


class HouseFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one state of the code.

    Args:
        lines: Lines of Python by package.
        traced: What runs during a command; empty where it was not measured.
    """

    lines: dict[str, int]
    traced: dict[str, Traced] = {}


class Source:
    """The modules of localrec and of its app, parsed once.

    Example: `Source(ROOT).long_functions()` maps the name of each function over 60 lines to its
    length.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.paths = {
            _module_name(path, root / folder, package): path
            for package, folder in PACKAGES.items()
            for path in sorted((root / folder).rglob("*.py"))
        }
        self.texts = {name: path.read_text("utf-8") for name, path in self.paths.items()}
        self.trees = {name: ast.parse(text) for name, text in self.texts.items()}

    def module_sizes(self) -> dict[str, int]:
        """Lines of each module."""
        return {name: text.count("\n") for name, text in self.texts.items()}

    def long_modules(self) -> dict[str, int]:
        """Modules over the limit, with their lines."""
        return _over(self.module_sizes(), MODULE_LINES)

    def long_systems(self) -> dict[str, int]:
        """Files of `systems/` over their own, smaller limit."""
        sizes = self.module_sizes().items()
        systems = {name: size for name, size in sizes if name.startswith("localrec.systems")}
        return _over(systems, SYSTEM_LINES)

    def long_classes(self) -> dict[str, int]:
        """Classes over the limit, with their lines."""
        return _over(dict(self._sizes(ast.ClassDef)), CLASS_LINES)

    def long_functions(self) -> dict[str, int]:
        """Functions and methods over the limit, with their lines."""
        return _over(dict(self._sizes(ast.FunctionDef, ast.AsyncFunctionDef)), FUNCTION_LINES)

    def repeated_classes(self) -> dict[str, int]:
        """Public class names that occur more than once, with how often."""
        found = collections.Counter(
            node.name
            for tree in self.trees.values()
            for node in tree.body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
        return {name: count for name, count in found.items() if count > 1}

    def imports(self) -> dict[str, set[str]]:
        """Module -> modules of ours that it imports, lazily and for type checking too."""
        return {name: set(self._imported(name)) - {name} for name in self.trees}

    def circles(self) -> list[frozenset[str]]:
        """Sets of modules that import each other, directly or by way of others."""
        return import_circles(self.imports())

    def room_imports(self) -> dict[str, set[str]]:
        """Room of localrec -> rooms that it imports."""
        rooms: dict[str, set[str]] = {}
        for name, targets in self.imports().items():
            room = room_of(name)
            if room:
                others = {one for target in targets if (one := room_of(target))}
                rooms.setdefault(room, set()).update(others - {room})
        return rooms

    def room_words(self) -> dict[str, str]:
        """Room of localrec -> first line of its docstring."""
        found = {}
        for room in self.room_imports():
            tree = self.trees[f"localrec.{room}"]
            found[room] = (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".;:")
        return found

    def lines_by_package(self) -> dict[str, int]:
        """Lines of localrec by room, of the app and of scripts/."""
        found: collections.Counter[str] = collections.Counter()
        for name, size in self.module_sizes().items():
            room = room_of(name)
            found["tui" if name.startswith("localrec_tui") else f"localrec/{room or ''}"] += size
        scripts = (self.root / "scripts").rglob("*.py")
        found["scripts"] = sum(path.read_text("utf-8").count("\n") for path in scripts)
        return dict(sorted(found.items()))

    def _sizes(self, *kinds: type[ast.AST]) -> Iterator[tuple[str, int]]:
        for module, tree in self.trees.items():
            for name, node in _definitions(tree, module):
                if isinstance(node, kinds):
                    yield name, (node.end_lineno or node.lineno) - node.lineno + 1

    def _imported(self, module: str) -> Iterator[str]:
        is_package = self.paths[module].name == "__init__.py"
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.paths)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    parts = module.split(".")
                    kept = parts[: len(parts) - node.level + is_package]
                    base = ".".join([*kept, *([node.module] if node.module else [])])
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    target = whole if whole in self.paths else base
                    if target in self.paths:
                        yield target


def room_of(module: str) -> str | None:
    """The room of a module of localrec, such as `ranking`; None for others."""
    parts = module.split(".")
    return parts[1] if parts[0] == "localrec" and len(parts) > 1 else None


def import_circles(imports: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """Strongly connected sets of more than one module, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for target in imports.get(name, ()):
            if target not in order:
                visit(target)
                lowest[name] = min(lowest[name], lowest[target])
            elif target in stack:
                lowest[name] = min(lowest[name], order[target])
        if lowest[name] == order[name]:
            place = stack.index(name)
            members = frozenset(stack[place:])
            del stack[place:]
            if len(members) > 1:
                found.append(members)

    for name in imports:
        if name not in order:
            visit(name)
    return found


def layers(root: Path = ROOT) -> list[tuple[str, ...]]:
    """The rooms from the top to the ground, as pyproject.toml orders them."""
    contracts = msgspec.toml.decode((root / "pyproject.toml").read_bytes())
    listed = contracts["tool"]["importlinter"]["contracts"][0]["layers"]
    return [tuple(room.strip() for room in row.split("|")) for row in listed]


def upward_imports(source: Source) -> list[str]:
    """Imports between rooms that do not point down, as `room -> room`."""
    height = {room: row for row, rooms in enumerate(layers(source.root)) for room in rooms}
    return sorted(
        f"{room} -> {target}"
        for room, targets in source.room_imports().items()
        for target in targets
        if height[target] <= height[room]
    )


def drawing(source: Source) -> str:
    """The rooms from the top to the ground: what each holds, and which rooms it imports."""
    words, imports = source.room_words(), source.room_imports()
    order = [room for row in layers(source.root) for room in row]
    lines = ["```text"]
    for row in layers(source.root):
        for room in row:
            beside = "" if room == row[0] else "| "
            below = [one for one in order if one in imports[room]]
            lines.append(f"{beside}{room}: {words[room]}")
            lines.extend(_wrapped("    -> ", below))
    return "\n".join([*lines, "```"])


def lines_table(before: HouseFigures, after: HouseFigures) -> str:
    """Lines by package, before and after; what moved has one of the two."""
    rows = [
        f"| {name} | {_count(before.lines.get(name))} | {_count(after.lines.get(name))} |"
        for name in sorted(before.lines | after.lines)
    ]
    old, new = sum(before.lines.values()), sum(after.lines.values())
    total = f"| **all** | **{old:,}** | **{new:,}** ({new - old:+,}) |"
    return "\n".join(
        ["| lines of Python | before | after |", "| --- | ---: | ---: |", *rows, total]
    )


def features_table(root: Path, grown: int) -> str:
    """Lines of the files that were written for what is new, and what growth they leave."""
    sizes = {feature: lines_of(root, paths.split()) for feature, paths in FEATURES.items()}
    rows = [f"| {feature} | {lines:,} |" for feature, lines in sizes.items()]
    new = sum(sizes.values())
    return "\n".join(
        [
            "| new since the tag, in files of its own | lines |",
            "| --- | ---: |",
            *rows,
            f"| **all of these** | **{new:,}** |",
            f"| growth of everything else, so of {grown:,} in all | **{grown - new:+,}** |",
        ]
    )


def lines_of(root: Path, paths: Sequence[str]) -> int:
    """Lines of some Python files, and of those in some folders."""
    files: set[Path] = set()
    for path in paths:
        found = sorted((root / path).rglob("*.py")) if (root / path).is_dir() else [root / path]
        files.update(found)
    return sum(file.read_text("utf-8").count("\n") for file in files)


def trace_table(before: HouseFigures, after: HouseFigures) -> str:
    """What runs during a command, before and after."""
    rows = []
    for name in COMMANDS:
        old, new = before.traced.get(name), after.traced.get(name)
        if old and new:
            rows.append(f"| `{name}` | {old.modules} | {new.modules} | {old.rooms} | {new.rooms} |")
    head = "| command | modules before | after | rooms before | after |"
    return "\n".join([head, "| --- | ---: | ---: | ---: | ---: |", *rows])


def traced(root: Path, arguments: Sequence[str]) -> Traced:
    """Run a command of the checkout in `root` in a process of its own and count what runs."""
    command = [sys.executable, str(Path(__file__).resolve()), "--count", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return msgspec.json.decode(done.stderr.strip().rsplit("\n", 1)[-1], type=Traced)


def count_run(root: str, arguments: Sequence[str]) -> None:
    """Run a command here; the last line of stderr tells modules and rooms that ran a function."""
    import threading

    ran: set[str] = set()
    ours = (f"{root}/localrec/", f"{root}/tui/localrec_tui/")  # not .venv, whatever root is called

    def profile(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(ours):
            ran.add(code.co_filename)

    sys.path[:0] = [root, f"{root}/tui"]
    from localrec.cli.app import main

    sys.argv = ["localrec", *arguments]
    threading.setprofile(profile)
    sys.setprofile(profile)
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.setprofile(None)
    inside = [Path(one).relative_to(root).parts for one in ran]
    found = Traced(len(inside), len({parts[1] for parts in inside}))
    print(msgspec.json.encode(found).decode(), file=sys.stderr)
    raise SystemExit(code)


def figures_of(root: Path, workspace: str | None, user: str | None) -> HouseFigures:
    """Lines of a checkout; with a workspace also what runs in its commands."""
    counted = {}
    if workspace:
        for name, arguments in COMMANDS.items():
            who = ["--user", user] if user and name == "recommend" else []
            counted[name] = traced(root, [*arguments, *who, "--workspace", workspace])
    return HouseFigures(lines=Source(root).lines_by_package(), traced=counted)


def read_figures(name: str) -> HouseFigures:
    """Figures that are kept in docs/figures."""
    return msgspec.json.decode((FIGURES / name).read_bytes(), type=HouseFigures)


def keep_figures(name: str, figures: HouseFigures) -> None:
    """Keep figures in docs/figures."""
    encoded = msgspec.json.format(msgspec.json.encode(figures), indent=1)
    (FIGURES / name).write_bytes(encoded + b"\n")


def design_blocks(source: Source) -> dict[str, str]:
    """What this script writes into docs/design.md, by the names of the markers."""
    before, after = read_figures("house-before.json"), read_figures("house-after.json")
    after = msgspec.structs.replace(after, lines=source.lines_by_package())
    grown = sum(after.lines.values()) - sum(before.lines.values())
    return {
        "rooms": drawing(source),
        "house-lines": lines_table(before, after),
        "house-features": features_table(ROOT, grown),
        "house-traced": trace_table(before, after),
    }


def main() -> int:
    """Print, write or measure; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="into docs/design.md")
    parser.add_argument("--trace", nargs=2, metavar=("WORKSPACE", "USER"))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a checkout from before")
    asked = parser.parse_args()
    if asked.trace or asked.keep:
        root, name = (asked.keep or ROOT).resolve(), "before" if asked.keep else "after"
        keep_figures(f"house-{name}.json", figures_of(root, *(asked.trace or (None, None))))
    source = Source()
    if asked.write:
        from localrec.evaluation.reporting.markdown import replace_marked_block

        for name, text in design_blocks(source).items():
            replace_marked_block(DESIGN, name, text)
    checks: dict[str, Callable[[], Mapping[str, int]]] = {
        f"modules over {MODULE_LINES} lines": source.long_modules,
        f"files of systems/ over {SYSTEM_LINES} lines": source.long_systems,
        f"classes over {CLASS_LINES} lines": source.long_classes,
        f"functions over {FUNCTION_LINES} lines": source.long_functions,
        "class names that occur twice": source.repeated_classes,
    }
    for what, check in checks.items():
        found = check()
        print(f"{what}: {len(found)}")
        print(*(f"  {name} {size}\n" for name, size in sorted(found.items())), sep="", end="")
    for circle in source.circles():
        print("imports in a circle:", *sorted(circle), sep="\n  ")
    print("upward imports:", *upward_imports(source))
    print("lines:", f"{sum(source.lines_by_package().values()):,}")
    return 0


def _module_name(path: Path, folder: Path, package: str) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join([package, *(part for part in parts if part != "__init__")])


def _definitions(node: ast.AST, name: str) -> Iterator[tuple[str, Any]]:
    """Every class and function below a node, with the names of what they stand in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            whole = (
                f"{name}:{child.name}" if isinstance(node, ast.Module) else f"{name}.{child.name}"
            )
            yield whole, child
            yield from _definitions(child, whole)
        else:
            yield from _definitions(child, name)


def _over(sizes: Mapping[str, int], limit: int) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if size > limit}


def _wrapped(start: str, names: Sequence[str], width: int = 92) -> Iterator[str]:
    """Names in lines of at most `width` characters; no line where there is no name."""
    line = start
    for place, name in enumerate(names):
        word = name + ("," if place + 1 < len(names) else "")
        if len(line) + len(word) > width:
            yield line.rstrip()
            line = " " * len(start)
        line += word + " "
    if names:
        yield line.rstrip()


def _count(lines: int | None) -> str:
    return "" if lines is None else f"{lines:,}"


if __name__ == "__main__":
    if "--count" in sys.argv[1:2]:
        count_run(sys.argv[2], sys.argv[3:])
    sys.exit(main())
