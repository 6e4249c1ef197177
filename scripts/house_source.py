"""The modules of localrec and its app, parsed once: sizes, names and imports."""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"localrec": "localrec", "localrec_tui": "tui/localrec_tui"}
MODULE_LINES, CLASS_LINES, FUNCTION_LINES, SYSTEM_LINES = 450, 300, 60, 150


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """What the limits are about.

    Args:
        repeated_classes: Public class names that occur more than once.
        longest_module: Lines.
        longest_class: Lines.
        longest_function: Lines.
        longest_script: Lines of the longest file below scripts/.
        circles: Sets of modules that import each other.
    """

    repeated_classes: int
    longest_module: int
    longest_class: int
    longest_function: int
    longest_script: int
    circles: int


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

    def script_sizes(self) -> dict[str, int]:
        """Lines of each file below scripts/."""
        found = sorted((self.root / "scripts").rglob("*.py"))
        return {
            path.relative_to(self.root).as_posix(): path.read_text("utf-8").count("\n")
            for path in found
        }

    def long_scripts(self) -> dict[str, int]:
        """Files of scripts/ over the limit of a module, with their lines."""
        return _over(self.script_sizes(), MODULE_LINES)

    def sizes(self) -> Sizes:
        """The largest of each kind, and what there should be none of."""
        functions = dict(self._sizes(ast.FunctionDef, ast.AsyncFunctionDef))
        return Sizes(
            repeated_classes=len(self.repeated_classes()),
            longest_module=max(self.module_sizes().values(), default=0),
            longest_class=max(dict(self._sizes(ast.ClassDef)).values(), default=0),
            longest_function=max(functions.values(), default=0),
            longest_script=max(self.script_sizes().values(), default=0),
            circles=len(self.circles()),
        )

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
