"""One line of an answer: what is shown of it, as a card and as cells, and the keys for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from textual.binding import Binding, BindingType
from textual.content import Content

from localrec.data.recommendations import RecommendedItem
from localrec_tui.services.records import ItemMatch
from localrec_tui.widgets.badges import in_line, match_badges

NOTHING_MATCHED = ItemMatch(checks=())
FEEDBACK_KEYS: list[BindingType] = [
    Binding("l", "say('liked')", "Like", id="like"),
    Binding("d", "say('disliked')", "Dislike", id="dislike"),
    Binding("s", "say('seen')", "Seen", id="seen"),
    Binding("n", "say('later')", "Later", id="not_now"),
    Binding("L", "say('liked', True)", "Like, with a reason", show=False, id="like_because"),
    Binding("D", "say('disliked', True)", "Dislike, with a reason", False, id="dislike_because"),
    Binding("S", "say('seen', True)", "Seen, with a reason", False, id="seen_because"),
    Binding("N", "say('later', True)", "Later, with a reason", False, id="not_now_because"),
    # For the mouse, which has no Shift: the foot shows it.
    Binding("y", "app.say_why", "Why", id="say_why"),
    Binding("u", "take_back", "Undo", id="undo"),
]


class ShownItem(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list: the item, the constraints it meets, and the user's feedback.

    `is_near_miss` marks a close call, that misses something.
    """

    item: RecommendedItem
    match: ItemMatch = NOTHING_MATCHED
    is_near_miss: bool = False
    verdict: str = ""


_INDENT = " " * 4  # of what stands below the name in a card

Column = tuple[str, Callable[[ShownItem], Any], Callable[[ShownItem], str]]  # head, sorts by, tells


def card_text(one: ShownItem, width: int = 0) -> Content:
    """An item as a card tells it; every mark is also a word or a sign, not a colour alone.

    Args:
        one: The item.
        width: Cells of a line; what is longer goes on below its own beginning. 0: not known yet.
    """
    item = one.item
    mark = "close, but misses something" if one.is_near_miss else _fits(one)
    head = Content.assemble(
        (f"{item.rank:>2}  ", "dim"),
        (item.name, "bold"),
        (f"  {mark}", "$text-warning") if mark else "",
        (f"  [{one.verdict}]", "bold $text-accent") if one.verdict else "",
    )
    parts = [Content(item.reason or "…")]
    if recipe := _recipe(item):
        parts.append(Content.styled(recipe, "dim"))
    if badges := match_badges(one.match, item.missing):
        parts.append(in_line(badges))
    room = width - len(_INDENT)
    below = [line for part in parts for line in (part.wrap(room) if room > 0 else [part])]
    return Content("\n").join([head, *(Content.assemble(_INDENT, line) for line in below)])


def _fits(one: ShownItem) -> str:
    return "" if one.item.satisfies else "not all you asked for"


def _recipe(item: RecommendedItem) -> str:
    """The components with their amounts, of an answer that has walked over them."""
    parts = (f"{e.target} {e.value}" for e in item.evidence if e.source == item.name and e.value)
    return " · ".join(dict.fromkeys(parts))


def _met(one: ShownItem) -> int:
    return sum(wish.holds for wish in one.match.checks)


def _meets(one: ShownItem) -> str:
    checks = one.match.checks
    return f"{_met(one)} of {len(checks)}" if checks else ""


COLUMNS: tuple[Column, ...] = (
    (
        "#",
        lambda one: one.item.rank,
        lambda one: "close" if one.is_near_miss else str(one.item.rank),
    ),
    ("Name", lambda one: one.item.name.casefold(), lambda one: one.item.name),
    ("Meets", lambda one: -_met(one), _meets),
    ("You", lambda one: one.verdict, lambda one: one.verdict.removeprefix("you ")),
    ("Fits", lambda one: -one.item.score, lambda one: _bar(one.item.score)),
    ("Missing", lambda one: len(one.item.missing), lambda one: ", ".join(one.item.missing)),
)
_BARS = 5


def _bar(score: float) -> str:
    """A score from 0 to 1 in five blocks; lists of other scales fill or leave them all."""
    full = round(_BARS * min(1.0, max(0.0, score)))
    return "▰" * full + "▱" * (_BARS - full)
