"""docs/sources.md: what is read from each format, made from the readers' own declarations.

Kinds, fields, limits and the mapping's fields come from the code; the paragraphs around them are
written here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec
from record_tables import documented, markdown_table, one_line

from localrec.foundation.bounded_files import FileLimits
from localrec.sources import open_source, source_kinds, table_mapping

_OPENING = """# What is read from each format

`localrec import KIND PATH` reads one export, catalogue or data set; `localrec import auto PATH`
finds out the kind by itself. `--dry-run` reads everything, prints the receipt and stores nothing.
An import is stored whole or not at all, and the same file may be imported again: nothing doubles.
"""
_KINDS = """## How kinds are told apart

Only names in a folder or zip archive and the first 64 KiB of a file are looked at, also inside
gzip; the name of a file counts only where the format has nothing else to go by. One kind must fit.
Where none or several do, the import stops and asks for the kind. Reading is what proves it: a file
of another kind is refused, with a word on what was found in it.
"""
_USER = """## Whose export it is: `--user`

A personal export does not say whose it is, so it needs `--user KEY`. The key is any name you like
("anna"); control characters are taken out of it and that is how the person is called from then on,
by `recommend --user`, `feedback --user` and `forget --user`. Exports of several services may go to
one key: what they say adds up. A data set of many people names them itself and refuses `--user`;
a `table` needs it exactly where its mapping names no column of users. A catalogue is nobody's.

Shelves and tags of a personal export tell what an item is, also to others who use the same
workspace, though not whose they were: what nobody else should see wants a workspace of its own.
Reviews stay the person's. None of it becomes a text of the item, and all of it leaves with
`forget --user`.
"""
_DUMPS = """## Knowledge for a library that stands alone

An export of Letterboxd or Goodreads has no genres, so "science fiction from the 60s" finds nothing
in it. Open dumps that a person can download once have them:

```sh
localrec import letterboxd letterboxd-anna.zip --user anna
localrec import imdbtitles title.basics.tsv.gz
localrec ask "science fiction from the 60s"
```

A dump (`imdbtitles`, `openlibrary`, `musicbrainz`) is streamed and read for the items of the
workspace alone, or whole with `--all`. Items are found by their identifier (IMDb's number, ISBN),
else by title with year or maker, tracks by album and artist; the receipt says how many. A title is
one item's at most: two that may be it get nothing, and the receipt names them. Only what an item
lacks is added. It says nothing of who has an item, and goes with the item.
"""
_ROWS = """## What happens to bad rows

Every import ends in a receipt: rows read, kept, merged and dropped, where read is the sum of the
other three, and the row numbers with column and reason. Rows are numbered as a spreadsheet shows
them (the header is row 1); lines of JSON begin at 1.

| the row | what happens |
| --- | --- |
| has no title, no item or nobody in it | dropped |
| has another number of cells than the header | dropped; empty cells too many (trailing commas) \
are cut off, and the receipt says of how many rows |
| says the same as another row | merged; the latest wins |
| is of another sort than what is read (a podcast among songs, a game among films) | left apart |
| has a rating off its scale, an impossible date, or one in the future | a data set's row is \
dropped; a personal export's is repaired: kept without that cell, unless it says nothing else |
| has control characters, terminal escapes, hidden or reordering characters, chat tokens | kept, \
with them taken out or broken up (`< \\|im_end\\|>`); of tables the receipt tells which lost \
control characters |
| has a text of more than 8,000 letters, or in a catalogue a name of more than 200 | cut, and told |
| has a day as a spreadsheet or a country writes it (26/01/2023, 1/26/23, 26.01.2023) | kept; \
which number is the month is told by the whole column, and where nothing tells it, that is said |
| has a decimal comma, or a year such as 1979.0 | kept |
| has a cell that a spreadsheet would run as a formula | kept; it is text here |
| of a table that somebody kept: holds units below the header, totals at the end, notes below, \
the header once more | dropped and told; a title above is told, a file with two tables refused |

A recognised encoding other than UTF-8 and columns that a format or domain does not know are told
in a line each. In print, dropped rows come first, then repaired, then merged ones; the JSON has
them by their numbers.

A file is refused where more than a tenth of its rows would go, with the commonest causes, and with
`--strict` at the first row that would be mended or left out. It is refused as a whole, with nothing
stored, where its rows cannot be trusted: it is empty, truncated, binary, of another kind, in no
encoding that is known, lacks a needed column, has a broken quote, is no JSON, or breaks a limit
below. So is an archive with a path that leads elsewhere (`../x`), a link, a password, or members
that share their bytes, and a pickle that would make anything but plain containers, numbers and
text. The message names file, row and remedy.
"""
_TRIPS = """## How it was checked: exports made with planted faults

Personal exports cannot be handed out, so the layouts below were built as their services or
exporters document them; no real file of them was at hand. Of each, {rows:,} rows were made up,
every fourth with a fault (no title, too many cells, a rating in words, the 30th of February, the
same row again, an escape sequence ...), recognised by `import auto`, and read. "Kept" compares
title, event, rating, moment and count of everything that was kept with what should be, "told" the
lines of the receipt with the planted faults; precision / recall.

Catalogues of drinks and data sets of many people were made up the same way. Book-Crossing, the
ratings of goodbooks-10k, RecBole's books, the wide table of Mr. Boston and Bar Assistant's export
of one drink were built as documented as well; its data pack, the drinks of the IBA, the long table
and MovieLens follow real files. Of drinks the names, the ingredients with their measures, glass
and category are compared. A data set has {rows:,} ratings, every twelfth with a fault, since a bad
cell there costs the row and a file that loses a tenth is refused, and mostly a list of {rows:,}
things, every eighth with a fault; it is stored, and every interaction and thing in
the store is compared.
What should be kept is known from what was planted, without a line of localrec's code.
That each file holds what was planted is checked by a reader on the standard library alone
(`scripts/studies/plain_reader.py`): it finds every planted name in all 43 layouts.
`python scripts/studies/run.py export_round_trips --report` makes the figures. How the same files
came in before, and what mutated files, ugly tables, real catalogues and large data sets come to,
stands in [results/files.md](results/files.md#made-up-exports-with-planted-faults).
"""
_LIMITS = """## Limits

Text in UTF-8 (with or without its mark), UTF-16, cp1252, Latin-1 or cp949 is read. Beyond these
limits a file is refused; the large data sets (amazon, yelp) are streamed and have none for their
size.
"""
_LIMIT_WORDS = {
    "file_bytes": "size of a file",
    "unpacked_bytes": "size of what a gzip file or zip archive unpacks to",
    "unpacked_ratio": "times its packed size, counted beyond 16 MiB (a zip bomb)",
    "json_bytes": "size of a JSON file that is one value",
    "row_chars": "length of a row",
    "cell_chars": "length of a cell",
    "columns": "columns",
    "rows": "rows",
}
_MAPPING = """## The mapping file of `table`

Any other table (CSV, TSV, JSON lines, each also as .gz, or Parquet) is read by a mapping: a TOML
file beside it that says which column is what. For `reading.csv` it is called
`reading.mapping.toml`, and either of the two may be named:
`localrec import table reading.csv --domain books`. A file that was written for an earlier version
may call `ignored_events` by its older names, `no_event` and `no_deed`.
"""
_TYPES = {
    "float | None": "number",
    "str": "text",
    "str | None": "text",
    "tuple[str, ...]": "list of texts",
    "tuple[float, float]": "two numbers",
    "dict[str, Event]": "table of texts",
    "Literal['since 1970', 'iso']": '"since 1970" or "iso"',
    "ColumnMapping": "section",
    "RatingScale": "section",
    "TimestampFormat": "section",
    "tuple[AttributeColumn, ...]": "sections",
}
_SECTIONS = {
    "": table_mapping.TableMapping,
    "[columns]": table_mapping.ColumnMapping,
    "[rating]": table_mapping.RatingScale,
    "[timestamp]": table_mapping.TimestampFormat,
    "[[attributes]]": table_mapping.AttributeColumn,
}


# Kinds whose files tell what they are about.
_DOMAINS = {
    "recbole": "by its fields, else products",
    "table": "by its columns, else movies",
    "catalogue": "by its columns, else a new one",
}


def sources_page() -> str:
    """The whole page without the line that says who made it."""
    parts = [_OPENING, _kinds(), _USER, _DUMPS, _ROWS, _round_trips(), _limits(), _mapping()]
    return "\n".join([*parts, *map(_fields_of, source_kinds())])


def _kinds() -> str:
    rows = []
    for kind in source_kinds():
        source = open_source(kind)
        seen = _first_line(source.recognises).removeprefix("Whether ").rstrip(".")
        whose = {True: "one person's", False: "many people's", None: "a catalogue"}
        rows.append(
            (
                f"`{kind}`",
                seen[0].upper() + seen[1:],
                _DOMAINS.get(kind, source.domain),
                whose[getattr(source, "personal", None)],
            )
        )
    return f"{_KINDS}\n{markdown_table(('kind', 'recognised by', 'domain', 'whose'), rows)}"


def _limits() -> str:
    rows = [
        (_LIMIT_WORDS[field.name], _in_words(field.name, field.default))
        for field in msgspec.structs.fields(FileLimits)
    ]
    return f"{_LIMITS}\n{markdown_table(('what', 'at most'), rows)}"


def _round_trips() -> str:
    path = Path(__file__).resolve().parents[1] / "docs" / "figures" / "export-round-trips.json"
    trips = msgspec.json.decode(path.read_bytes())["trips"]
    rows = [
        (
            one["layout"],
            f"`{one['kind']}`",
            str(one["faults"]),
            str(one["faulty"]),
            *(
                f"{one[what]['precision']:.3f} / {one[what]['recall']:.3f}"
                for what in ("kept", "told")
            ),
        )
        for one in trips
    ]
    header = ("layout", "kind", "kinds of faults", "faulty rows", "kept", "told")
    told = _TRIPS.format(rows=1_000)
    return f"{told}\n{markdown_table(header, rows)}"


def _mapping() -> str:
    example = (table_mapping.__doc__ or "").partition("\n\n    ")[2]
    parts = [_MAPPING, f"```toml\n{dedent('    ' + example).strip()}\n```\n"]
    for section, record in _SECTIONS.items():
        about = (record.__doc__ or "").partition("\n\n    Args:")[0]
        title = f"`{section}`" if section else "At the top"
        parts.append(f"{title}: {one_line(about)}\n\n{_record_table(record)}")
    return "\n".join(parts)


def _record_table(record: type[msgspec.Struct]) -> str:
    told = dict(documented(record.__doc__ or ""))
    rows = [
        (
            f"`{field.name}`",
            _TYPES[record.__annotations__[field.name].replace('"', "'")],
            _default(field),
            told.get(field.name, ""),
        )
        for field in msgspec.structs.fields(record)
    ]
    if not told:
        return markdown_table(("field", "type", "if left out"), [row[:3] for row in rows])
    return markdown_table(("field", "type", "if left out", "meaning"), rows)


def _default(field: Any) -> str:
    if field.required:
        return "it must be there"
    if isinstance(field.default, msgspec.Struct):
        return "see there"
    if isinstance(field.default, tuple) and field.default:
        return str(list(field.default))
    return f'"{field.default}"' if isinstance(field.default, str) else "nothing"


def _fields_of(kind: str) -> str:
    source = open_source(kind)
    about = one_line((sys.modules[type(source).__module__].__doc__ or "").split("\n\n")[0])
    rows = [(f"`{field.name}`", field.becomes) for field in source.fields]
    return f"## {kind}\n\n{about}\n\n{markdown_table(('field', 'becomes'), rows)}"


def _in_words(name: str, number: int) -> str:
    return f"{number / (1 << 20):,.0f} MiB" if name.endswith("_bytes") else f"{number:,}"


def _first_line(documented: Any) -> str:
    return (documented.__doc__ or "").strip().split("\n")[0]
