"""Render the jinja2 templates of reports; every value is cleaned and escaped where it enters one.

A name in a report may come from a foreign file, so `clean_text` also removes what could move a
cursor or reorder letters.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.foundation.text import clean_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, **values: object) -> str:
    """Render a template of the folder `templates`, named by its file."""
    return _environment().get_template(template).render(**values)


def render_text(source: str, **values: object) -> str:
    """Render a template from its text, which may import those of the folder."""
    return _environment().from_string(source).render(**values)


def render_macro(template: str, macro: str, **values: object) -> Markup:
    """Render one macro of a template; the text goes into a page as it is."""
    made: Markup = getattr(_environment().get_template(template).module, macro)(**values)
    return made


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only reports need it

    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def _cleaned(value: object) -> object:
    """Cut numbers to two decimals and clean text; markup stays as it is."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return value if hasattr(value, "__html__") else clean_text(value)
