"""Find the item that a title names: exactly, else by the nearest spelling.

Among several matches the agent's own items come first: candidates, then the history, then the rest.
Only a shortlist is compared letter by letter, so a search in a large catalogue takes no longer than
a model's next word.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from localrec.agent.features import cached_per_context
from localrec.agent.tool_context import DomainKnowledge, ToolContext
from localrec.foundation.text import MAX_NAME, clean_key, clean_text
from localrec.graph.item_lookup import nearest_names
from localrec.graph.item_matching import title_variants

_SHORTLIST = 256


class TitleMatch(msgspec.Struct, frozen=True):
    """A found item, whether its title is equal, and how many other items share the title."""

    item: int
    is_exact: bool
    others: int = 0


class _Index:
    """Index all titles of a domain by spelling and by word."""

    def __init__(self, reference: DomainKnowledge) -> None:
        self.names = [clean_text(title, MAX_NAME) for title in reference.titles]
        self.by_spelling: dict[str, list[int]] = {}
        for item, name in enumerate(self.names):
            for spelling in dict.fromkeys(title_variants(name)):
                self.by_spelling.setdefault(spelling, []).append(item)

    @cached_property
    def by_word(self) -> dict[str, list[int]]:
        """Map each word to the items with this word in their title."""
        found: dict[str, list[int]] = {}
        for spelling, items in self.by_spelling.items():
            for word in set(spelling.split("-")):
                found.setdefault(word, []).extend(items)
        return found

    def shortlist(self, title: str) -> list[int]:
        """List the items that share the rarest word of a title, else those of a near spelling."""
        shared = (self.by_word.get(word, []) for word in set(clean_key(title).split("-")))
        found: dict[int, None] = {}
        for items in sorted(shared, key=len):
            if found and len(found) + len(items) > _SHORTLIST:
                break
            found.update(dict.fromkeys(items[:_SHORTLIST]))
        return list(found) or self._spelt_nearly(title)

    def _spelt_nearly(self, title: str) -> list[int]:
        from rapidfuzz import fuzz, process  # 15 ms to import: only a misspelling pays for it

        spelling = clean_key(title)
        near = process.extract(spelling, list(self.by_spelling), scorer=fuzz.ratio, limit=8)
        return [item for name, _, _ in near for item in self.by_spelling[name]]


def find_title(tool_context: ToolContext, title: str) -> TitleMatch | None:
    """Find the item that a title names; None where no title is near enough."""
    index = _index(tool_context.reference)
    before = {item: place for place, item in enumerate(_before(tool_context))}

    def by_similarity(items: Iterable[int]) -> list[int]:
        return sorted(set(items), key=lambda item: (before.get(item, len(before)), item))

    title = clean_text(title, MAX_NAME)
    if not title:
        return None
    for spelling in title_variants(title):
        if called_so := by_similarity(index.by_spelling.get(spelling, ())):
            return TitleMatch(called_so[0], True, len(called_so) - 1)
    for shortlist in (list(before), index.shortlist(title)):
        items = {index.names[item]: item for item in reversed(by_similarity(shortlist))}
        if near := nearest_names(title, list(items)):
            return TitleMatch(items[near[0]], False)
    return None


def _before(tool_context: ToolContext) -> list[int]:
    """Return the items that the agent sees: candidates, then the history, newest first."""
    return list(
        dict.fromkeys([*tool_context.candidates.tolist(), *tool_context.history[::-1].tolist()])
    )


@cached_per_context
def _index(reference: DomainKnowledge) -> _Index:
    return _Index(reference)
