"""Headers that number the parts of a series: volumes, issues, seasons, episodes, editions."""

from __future__ import annotations

import re
from functools import lru_cache

from localrec.foundation.text import fold_accents

_OF_SHOWS = frozenset("season episode ep folge staffel saison capitulo temporada".split())
_PARTS = _OF_SHOWS | frozenset(
    "volume vol issue part edition chapter book disc disk tome tomo band teil ausgabe heft version "
    "variant variation installment instalment".split()
)
_BESIDE = frozenset("number numero no nr num the in series tv manga comic story".split())
_NUMBERED = re.compile(r"\D{0,12}\d{1,5}", re.ASCII)


@lru_cache(maxsize=1024)
def numbers_parts(header: str) -> bool:
    """Whether a header numbers the parts of a series: "Vol.", "issue_number", "Staffel".

    How many parts there are ("seasons", "number of issues") and what one is called ("episode
    title") numbers none; neither does "alcohol by volume".
    """
    words = _words(header)
    return len(words) == 1 and words[0] in _PARTS


def numbers_episodes(header: str) -> bool:
    """Whether a header numbers the seasons or episodes of a show."""
    return not _OF_SHOWS.isdisjoint(_words(header))


def is_part_number(cell: str) -> bool:
    """Whether a cell bears the number of a part: "3", "Vol. 3", "S01"."""
    return _NUMBERED.fullmatch(cell.strip()) is not None


def _words(header: str) -> list[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", fold_accents(header))
    return [word for word in re.findall(r"[a-z]+", apart.casefold()) if word not in _BESIDE]
