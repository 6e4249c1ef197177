"""What lies on disk after a session: paths, tables of the store, and the shape of JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

from .masks import masked
from .program import CHECKOUT


def disk_record(home: Path) -> dict[str, Any]:
    """Return what a session left below `home`: its workspace, and what it wrote beside it."""
    files = [path for part in ("w", "out") for path in (home / part).rglob("*") if path.is_file()]
    shapes = {
        name: _shape(_first_record(path))
        for name, path in sorted((_name(path, home), path) for path in files)
        if path.suffix in (".json", ".jsonl")
    }
    return {
        "files": sorted({_name(path, home) for path in files}),
        "shapes": shapes,
        "tables": _tables(home / "w" / "store.duckdb"),
    }


def shipped_adapters() -> dict[str, Any]:
    """Return the adapters that ship with localrec: each file's name, and each card."""
    folder = CHECKOUT / "models" / "adapters"
    return {
        path.name: json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else None
        for path in sorted(folder.iterdir())
    }


def _tables(store: Path) -> dict[str, Any]:
    """Return table -> columns with types, how many rows it has, and the keys of its JSON."""
    with duckdb.connect(str(store), read_only=True) as opened:
        columns = opened.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " ORDER BY table_name, ordinal_position"
        ).fetchall()
        tables: dict[str, Any] = {}
        for table, column, kind in columns:
            tables.setdefault(table, {"columns": {}})["columns"][column] = kind
        for table, about in tables.items():
            counted = opened.execute(f'SELECT count(*) FROM "{table}"').fetchone()
            about["rows"] = counted[0] if counted else None
            about["keys"] = {
                column: _keys(opened, table, column)
                for column, kind in about["columns"].items()
                if kind == "JSON"
            }
    return tables


def _keys(opened: duckdb.DuckDBPyConnection, table: str, column: str) -> list[str]:
    """Return the keys that the JSON objects of a column have."""
    keys = f'SELECT DISTINCT unnest(json_keys("{column}")) AS name FROM "{table}" ORDER BY name'
    return [name for (name,) in opened.execute(keys).fetchall()]


def _name(path: Path, home: Path) -> str:
    return str(masked(str(path.relative_to(home)), home))


def _first_record(path: Path) -> Any:
    """Return the document, of a file of lines the first."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        text = text.partition("\n")[0] or "null"
    return json.loads(text)


def _shape(value: Any) -> Any:
    """Return the keys of a document, and of what its lists hold."""
    if isinstance(value, dict):
        return {key: _shape(one) for key, one in sorted(value.items())}
    if isinstance(value, list):
        return [_shape(value[0])] if value else []
    return type(value).__name__
