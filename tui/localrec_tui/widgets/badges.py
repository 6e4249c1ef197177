"""Badges: short marks that say by a sign and a word, and only then by a colour, how an item is."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from localrec_tui.item_text import verdict_label
from localrec_tui.services.records import ItemMatch, Verdict

_STYLES = {
    "met": "$text-success on $success-muted",
    "missed": "$text-error on $error-muted",
    "missing": "$text-warning on $warning-muted",
    "said": "$text-accent on $accent-muted",
    "plain": "$foreground on $boost",
}


def badge(kind: str, text: str) -> Content:
    """One badge of a kind: met, missed, missing, said or plain."""
    return Content.styled(f" {text} ", _STYLES[kind])


def verdict_badge(verdict: Verdict | None) -> list[Content]:
    """A badge for what a user said of an item; none where they said nothing."""
    told = verdict_label(verdict)
    return [badge("said", told)] if told else []


def match_badges(match: ItemMatch, missing: Iterable[str]) -> list[Content]:
    """A badge for each wish, met or not, and one for the components that are not at hand."""
    found = [
        badge("met", f"✓ {one.label}") if one.holds else badge("missed", f"✗ {one.label}")
        for one in match.checks
    ]
    found += [badge("met", f"have {name}") for name in match.have]
    if names := ", ".join(missing):
        found.append(badge("missing", f"not on your shelf: {names}"))
    return found


def in_line(badges: Iterable[Content]) -> Content:
    """Badges side by side; they wrap where the line ends."""
    return Content(" ").join(badges)
