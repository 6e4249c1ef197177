"""Writes the layouts that are XML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from export_faults import Row

if TYPE_CHECKING:
    from export_layouts import Layout


def write_anime(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """MyAnimeList's list."""
    entries = []
    for row in rows:
        inside = "".join(f"<{tag}>{_cdata(text)}</{tag}>" for tag, text in row.cells.items())
        entries.append(f"<anime>{inside}</anime>\n")
    told = f"<myinfo><user_id>1</user_id></myinfo>{''.join(entries)}"
    path = folder / layout.file
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8" ?>\n<myanimelist>{told}</myanimelist>',
        encoding="utf-8",
    )
    return path


def write_games(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """BoardGameGeek's collection."""
    items = []
    for row in rows:
        told = {name: escape(str(cell), {'"': "&quot;"}) for name, cell in row.cells.items()}
        items.append(
            f'<item objecttype="thing" objectid="{told["objectid"]}" subtype="boardgame" '
            f'collid="1"><name sortindex="1">{told["name"]}</name>'
            f"<yearpublished>{told['yearpublished']}</yearpublished>"
            f'<stats minplayers="2"><rating value="{told["rating"]}"/></stats>'
            f'<status own="1" lastmodified="{told["lastmodified"]}"/>'
            f"<numplays>{told['numplays']}</numplays></item>"
        )
    path = folder / layout.file
    path.write_text(
        f'<?xml version="1.0" encoding="utf-8"?><items totalitems="{len(items)}">'
        f"{''.join(items)}</items>",
        encoding="utf-8",
    )
    return path


def _cdata(text: Any) -> str:
    return f"<![CDATA[{str(text).replace(']]>', '')}]]>"
