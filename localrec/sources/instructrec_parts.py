"""Which part of InstructRec's data is which, told by shape and, where shapes agree, by name.

A part is a file of a folder or a named entry of one file. The names of fields that are accepted
stand here, in order of preference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from localrec.foundation.bounded_files import FileLimits, read_json
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.safe_unpickle import read_pickle

USERS = ("user", "user_id", "uid", "reviewerID")
ITEM_IDS = ("item", "item_id", "iid", "asin", "parent_asin", "business_id", "book_id", "id")
TITLES = ("title", "item_title", "book_title", "name")
DESCRIPTIONS = ("description", "desc", "summary", "plot", "text")
CREATORS = ("author", "authors", "brand", "store", "director")
CATEGORIES = ("categories", "category", "genres", "genre")
HISTORIES = ("history", "sequence", "seq", "item_ids", "items", "interactions")
INSTRUCTIONS = ("instruction", "user_instruction", "instructions", "query")
RATINGS = ("rating", "stars", "overall")
TIMES = ("timestamp", "time", "unixReviewTime")

EXPECTED = (
    "Expected are items {id: title} or {id: {title, ...}}, histories {user: [item, ...]} or "
    "[{user, history, ...}], and instructions {user: text}."
)
_ENDINGS = (".pkl", ".pickle", ".json")
# Keys by which one file names its parts; any other keys are ids.
_PART_NAMES = frozenset(
    "items item_table meta metadata titles histories history sequences train valid validation test "
    "instructions candidates negatives".split()
)
_LOOKED_AT = 50  # entries of a part by which its shape is told

Kind = Literal["items", "histories", "instructions", "left out"]
Record = Mapping[Any, Any]


class InstructRecParts(msgspec.Struct, frozen=True):
    """The parts of a data set, each as pairs.

    Args:
        items: (id, title or fields).
        histories: (user, list of items or fields).
        instructions: (user, text).
    """

    items: list[tuple[Any, Any]]
    histories: list[tuple[Any, Any]]
    instructions: list[tuple[Any, Any]]


def load_parts(path: Path) -> InstructRecParts:
    """Read every part that is in a folder or a file.

    Raises:
        InputError: nothing to read, a refused pickle, a part of another shape, or no histories.
    """
    named = [part for file in _find_files(path) for part in _split(file)]
    held_out = _held_out(named)
    parts = InstructRecParts([], [], [])
    for name, place, value in named:
        kind = _kind_of(name, value)
        if kind is None:
            raise InputError(f"{place} holds {_shape(value)}, which is no part of it.", EXPECTED)
        if kind != "left out" and name not in held_out:
            getattr(parts, kind).extend(_pairs(kind, value))
    if not parts.histories:
        raise InputError(f"{path} holds no histories.", EXPECTED)
    return parts


def field_of(fields: Record, names: Iterable[str]) -> Any:
    """The first of `names` that is told, or None."""
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _find_files(path: Path) -> list[Path]:
    if not path.is_dir():
        if path.exists() and path.suffix.lower() not in _ENDINGS:
            raise InputError(
                f"{path} ends in none of {', '.join(_ENDINGS)}.",
                "InstructRec comes as pickles or JSON: name one of these, or their folder.",
            )
        return [path]
    found = sorted(file for file in path.iterdir() if file.suffix.lower() in _ENDINGS)
    if not found:
        inner = ", ".join(sorted(clean_name(one.name) for one in path.iterdir() if one.is_dir()))
        raise InputError(
            f"{path} holds no pickle and no JSON.",
            f"Name the folder of one domain: {inner}." if inner else EXPECTED,
        )
    return found


def _split(file: Path) -> Iterator[tuple[str, str, Any]]:
    """(lower-case name, where it lies, value) of each part of a file."""
    value = (
        read_json(file, FileLimits(), Any) if file.suffix.lower() == ".json" else read_pickle(file)
    )
    if isinstance(value, dict) and value and all(_names_a_part(key) for key in value):
        for name, part in value.items():
            yield f"{file.stem} {name}".lower(), f"{file}, entry {name!r},", part
    else:
        yield file.stem.lower(), str(file), value


def _names_a_part(key: object) -> bool:
    return isinstance(key, str) and key.lower() in _PART_NAMES


def _held_out(named: list[tuple[str, str, Any]]) -> set[str]:
    """Parts of histories to leave out because another part holds what came before them."""
    histories = [name for name, _, value in named if _kind_of(name, value) == "histories"]
    late = {name for name in histories if any(word in name for word in ("test", "val"))}
    return late if len(late) < len(histories) else set()


def _kind_of(name: str, value: Any) -> Kind | None:
    if any(word in name for word in ("candidate", "negative", "_neg")):
        return "left out"
    if isinstance(value, dict):
        entries = list(islice(value.values(), _LOOKED_AT))
    elif isinstance(value, list):
        entries = value[:_LOOKED_AT]
    else:
        return None
    if not entries:
        return None
    if isinstance(value, list):
        entries = [one if isinstance(one, dict) else None for one in entries]
    if all(isinstance(one, str) for one in entries):
        return "instructions" if "instruct" in name else "items"
    if all(isinstance(one, list | tuple) for one in entries):
        return "histories"
    if not all(isinstance(one, dict) for one in entries):
        return None
    return _kind_of_records(entries, is_list=isinstance(value, list))


def _kind_of_records(records: list[Record], *, is_list: bool) -> Kind | None:
    def all_have(names: tuple[str, ...]) -> bool:
        return all(field_of(record, names) is not None for record in records)

    if all(isinstance(field_of(record, HISTORIES), list | tuple) for record in records):
        return "histories" if not is_list or all_have(USERS) else None
    if all_have(TITLES) and (not is_list or all_have(ITEM_IDS)):
        return "items"
    return None


def _pairs(kind: Kind, value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
        return
    names = ITEM_IDS if kind == "items" else USERS
    for record in value:
        yield (field_of(record, names), record) if isinstance(record, dict) else (None, record)


def _shape(value: Any) -> str:
    """Describe the type of a value in words: "a dict of str to float"."""
    if isinstance(value, dict) and value:
        key, inside = next(iter(value.items()))
        return f"a dict of {type(key).__name__} to {_shape(inside).removeprefix('a ')}"
    if isinstance(value, list | tuple | set | frozenset) and value:
        inside = next(iter(value))
        return f"a {type(value).__name__} of {type(inside).__name__}"
    is_container = isinstance(value, dict | list | tuple | set | frozenset)
    return f"an empty {type(value).__name__}" if is_container else f"a {type(value).__name__}"
