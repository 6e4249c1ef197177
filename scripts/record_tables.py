"""Tables for the docs out of records and their docstrings, so that neither can drift."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import inspect


def fields_table(record: type[msgspec.Struct]) -> str:
    """One line for each field of a record that is read from TOML: type, default, meaning."""
    told = dict(documented(record.__doc__ or ""))
    shape = inspect.type_info(record)
    assert isinstance(shape, inspect.StructType)
    rows = [
        (f"`{one.encode_name}`", _takes(one.type), _left_out(one), told[one.name])
        for one in shape.fields
    ]
    return markdown_table(("field", "takes", "if left out", "meaning"), rows)


def documented(docstring: str) -> Iterator[tuple[str, str]]:
    """(name, text) of each entry below Args."""
    arguments = docstring.partition("Args:\n")[2]
    for found in re.finditer(r"^ {8}(\w+): ((?:.|\n {10,})+)", arguments, re.MULTILINE):
        yield found[1], one_line(found[2])


def one_line(text: str) -> str:
    """The words of a text, one space between them."""
    return " ".join(text.split())


def markdown_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Lines of a Markdown table; bars in cells stay text."""
    lines = [head, ("---",) * len(head), *(tuple(map(_escaped, row)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _takes(one: inspect.Type) -> str:
    """What a field takes, in words."""
    if isinstance(one, inspect.LiteralType):
        return ", ".join(f'"{value}"' for value in one.values)
    if isinstance(one, inspect.UnionType):
        return " or ".join(
            _takes(each) for each in one.types if not isinstance(each, inspect.NoneType)
        )
    if isinstance(one, inspect.IntType):
        return "a whole number" if one.ge is None else f"a whole number from {one.ge}"
    if isinstance(one, inspect.VarTupleType):
        of_records = isinstance(one.item_type, inspect.StructType)
        return "tables" if of_records else f"a list, of {_takes(one.item_type)} each"
    words = {inspect.StrType: "text", inspect.BoolType: "true or false"}
    return words.get(type(one), "a table")


def _left_out(one: inspect.Field) -> str:
    if one.required:
        return "it must be there"
    default = one.default_factory() if one.default is msgspec.NODEFAULT else one.default
    if default in (None, "", {}):
        return "nothing"
    if isinstance(default, msgspec.Struct):
        return "see there"
    return msgspec.json.encode(default).decode()
