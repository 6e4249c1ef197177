"""Elements of HTML and SVG as text that is escaped where it is made.

`Markup` is text that may go into a page as it stands; everything else passes through `escaped`.
A name in a report may come from a foreign file, so what could move a cursor or reorder letters is
taken out as well (`clean_text`).
"""

from __future__ import annotations

from html import escape
from typing import NewType

from localrec.foundation.text import clean_text

Markup = NewType("Markup", str)
_EMPTY = frozenset({"meta", "link"})


def escaped(text: object) -> Markup:
    """Foreign text made harmless, on one line."""
    return Markup(escape(clean_text(text)))


def tag(name: str, /, *children: Markup, **attributes: object) -> Markup:
    """One element.

    Args:
        name: Of the element.
        children: What stands inside, as markup.
        attributes: `class_` and `text_anchor` become `class` and `text-anchor`; numbers are cut to
            two decimals; None leaves an attribute out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{''.join(children)}</{name}>")


def joined(*parts: Markup) -> Markup:
    """Elements one after the other."""
    return Markup("".join(parts))


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    text = str(value)
    # Paths of drawings are long and harmless; what is foreign is cleaned as in `escaped`.
    return escape(text if text.isascii() and text.isprintable() else clean_text(text))
