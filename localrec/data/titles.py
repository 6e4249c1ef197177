"""Split titles into the name, the article and the year."""

from __future__ import annotations

import re

_ARTICLES = "The|An?|L[ae]s?|L['’]|Il|Lo|Gli|Das|Der|Die|Det|Den|El|Los|Une?|O"


_INVERTED = re.compile(rf"(?P<rest>[^()]+), (?P<article>{_ARTICLES})(?=\s*(?:\)|\(|$))")


_YEAR = re.compile(r"\((?P<year>1[89]\d\d|20\d\d)\)\s*$")


def restore_article(title: str) -> str:
    """Move a title's article to the front: "Godfather, The" becomes "The Godfather".

    The other title in parentheses is put right as well.
    """
    return _INVERTED.sub(_put_article_first, title) if ", " in title else title


def split_year(title: str) -> tuple[str, int | None]:
    """Split a title from the year behind it: "Heat (1995)" becomes ("Heat", 1995)."""
    start = title.rfind("(")  # a search of the pattern would try every place
    found = _YEAR.match(title, start) if start >= 0 else None
    return (title[:start].rstrip(), int(found["year"])) if found else (title, None)


def _put_article_first(found: re.Match[str]) -> str:
    article, rest = found["article"], found["rest"]
    before = rest[: len(rest) - len(rest.lstrip())]
    space = "" if article.endswith(("'", "’")) else " "
    return f"{before}{article}{space}{rest.lstrip()}"
