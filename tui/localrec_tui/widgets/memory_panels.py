"""The pages of the Memory room: the memory of now, its versions, neighbours and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, OptionList, Static
from textual.widgets.option_list import Option

from localrec_tui.plots import bar
from localrec_tui.services.memory import (
    FacetSummary,
    MemoryVersion,
    NeighbourScore,
    RulesText,
    UserMemory,
)
from localrec_tui.widgets.cells import Cell, fill_table
from localrec_tui.widgets.columns import Columns
from localrec_tui.widgets.detail_pane import pane_head

_NOBODY = "Nobody is chosen. F2 chooses whose memory is shown."
_UNKNOWN = "{} did nothing here yet. What they say of items in Ask (L, D, S) is where it begins."
_NOTHING = (
    "Nothing is remembered of {} yet. What was said becomes memories by jobs: W works them off. "
    "B counts what an import brought. E writes the memory yourself."
)
_NO_POINT = "Nothing is chosen yet.\n\nThe arrows choose a point of the memory."
_TITLES = {
    "remembered": "Remembered",
    "support": "What supports the point",
    "sources": "Made from, and changed last",
}
_BAR = 10  # cells
_NAMED = 30  # of what a memory was made from
# wdiff's signs, so that a change can be told without colour too.
_SIGNS: dict[ChangeKind, tuple[str, str, str]] = {
    "same": ("", "", ""),
    "out": ("[-", "-]", "$text-error strike"),
    "in": ("{+", "+}", "$text-success bold"),
}


class MemoryPanel(Columns):
    """The memory that holds now; where there is room, beside what supports the chosen point."""

    SCOPED_CSS = False
    DEFAULT_CSS = """
    MemoryPanel > VerticalScroll { padding: 0 1; }
    MemoryPanel Static { height: auto; }
    MemoryPanel #words { margin-bottom: 1; }
    MemoryPanel #facets { display: none; }
    MemoryPanel #points {
        height: auto; max-height: 100%; padding: 0; border: none; background: transparent;
    }
    .-narrow MemoryPanel > VerticalScroll { padding: 0; }
    .-narrow MemoryPanel #facets { display: block; }
    .-narrow MemoryPanel #points { display: none; }
    .-huge MemoryPanel #made-from { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._versions: tuple[MemoryVersion, ...] = ()

    def compose(self) -> ComposeResult:
        """Compose the writer, the text, the facets and their sources."""
        with VerticalScroll(id="remembered", classes="pane list"):
            yield Static(_NOBODY, id="words", markup=False)
            yield Static(id="facets", markup=False)
            yield OptionList(id="points")
            yield Static(id="made-from", markup=False)
        with VerticalScroll(id="support", classes="pane detail"):
            yield Static(_NO_POINT, markup=False)
        with VerticalScroll(id="sources", classes="pane side"):
            yield Static(markup=False)

    def on_mount(self) -> None:
        """Name the panes."""
        for place, title in _TITLES.items():
            self.query_one(f"#{place}").border_title = title

    def show(self, found: UserMemory | None) -> None:
        """Show the memory of a user; None where no user is chosen."""
        before = self._versions
        self._versions = found.versions if found is not None else ()
        now = self._versions[0] if self._versions else None
        self.query_one("#words", Static).update(_words(found, now))
        facets = Content("\n").join(map(_facet, now.facets)) if now is not None else Content("")
        self.query_one("#facets", Static).update(facets)
        made = "\n".join(_made_from(now)) if now is not None else ""
        self.query_one("#made-from", Static).update(made)
        changed = Content("") if now is None else _difference(self._versions, 0)
        sources = Content.assemble(made.lstrip("\n"), "\n\n" if made else "", changed)
        self.query_one("#sources Static", Static).update(sources)
        if self._versions != before:
            points = self.query_one("#points", OptionList)
            points.clear_options()
            points.add_options(Option(_point(one)) for one in (now.facets if now else ()))
            points.highlighted = 0 if points.option_count else None
        self._show_support()

    @on(OptionList.OptionHighlighted, "#points")
    def _show_support(self) -> None:
        """Show what supports the chosen point, and how sure it was in each version."""
        place = self.query_one("#points", OptionList).highlighted
        facets = self._versions[0].facets if self._versions else ()
        told = Content(_NO_POINT)
        if place is not None and place < len(facets):
            told = Content("\n").join(_support(facets[place], self._versions))
        self.query_one("#support Static", Static).update(told)


class VersionsPanel(Vertical):
    """Shows all versions, and the changes of the selected one."""

    DEFAULT_CSS = """
    VersionsPanel OptionList { height: auto; max-height: 40%; }
    VersionsPanel VerticalScroll { height: 1fr; margin: 1 1 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._versions: tuple[MemoryVersion, ...] = ()

    def compose(self) -> ComposeResult:
        """The versions above, the difference below."""
        yield OptionList()
        with VerticalScroll(can_focus=False):
            yield Static("There are no versions yet.", id="change", markup=False)

    def show(self, versions: tuple[MemoryVersion, ...]) -> None:
        """Show versions, the newest first; the same ones stay where they are."""
        if versions == self._versions:
            return
        self._versions = versions
        choices = self.query_one(OptionList)
        choices.clear_options()
        choices.add_options(Option(Content(_head(one))) for one in versions)
        choices.display = bool(versions)
        if versions:
            choices.highlighted = 0
        else:
            self.query_one("#change", Static).update("There are no versions yet.")

    @on(OptionList.OptionHighlighted)
    def _reached(self, event: OptionList.OptionHighlighted) -> None:
        place = event.option_index
        if place < len(self._versions):
            self.query_one("#change", Static).update(_difference(self._versions, place))


class NeighboursPanel(Vertical):
    """Shows the users and items near a user's taste."""

    DEFAULT_CSS = """
    NeighboursPanel Static { height: auto; margin-bottom: 1; }
    NeighboursPanel DataTable { height: 1fr; }
    """

    def compose(self) -> ComposeResult:
        """Compose an explanation, and the neighbours."""
        yield Static(_NOBODY, markup=False)
        yield DataTable[Cell](cursor_type="row", zebra_stripes=True)

    def on_mount(self) -> None:
        """Set the heads of the columns."""
        heads = ("Who or what", "", "Score", "Near", "Shared", "Alike", "Texts", "Days ago")
        self.query_one(DataTable).add_columns(*heads)

    def clear(self) -> None:
        """Clear the neighbours."""
        self._show(_NOBODY, ())

    def wait(self) -> None:
        """Say that the neighbours are being counted."""
        self._show("Counting who is near …", ())

    def show(self, found: tuple[NeighbourScore, ...]) -> None:
        """Show the neighbours."""
        message = (
            "Chosen by the rules: people who like the same, and what those like. From these a "
            "memory learns beyond the person's own words."
            if found
            else "There are no neighbours: the person likes nothing yet that somebody else likes."
        )
        self._show(message, found)

    def _show(self, message: str, found: tuple[NeighbourScore, ...]) -> None:
        self.query_one(Static).update(message)
        top = max((one.score for one in found), default=1.0)
        fill_table(self.query_one(DataTable), (_neighbour_cells(one, top) for one in found))


class RulesPanel(VerticalScroll):
    """The rules of a domain as they are written."""

    DEFAULT_CSS = "RulesPanel { height: 1fr; }"

    def compose(self) -> ComposeResult:
        """Their text."""
        yield Static(_NOBODY, markup=False)

    def show(self, rules: RulesText) -> None:
        """Show rules."""
        since = "as shipped" if not rules.version else f"version {rules.version}, {rules.source}"
        head = f"The rules that choose neighbours among {rules.domain}, {since}. "
        change = "Change them: localrec memory rules edit --file my.rules"
        text = Content.assemble((head + change, "dim"), "\n\n", rules.text)
        self.query_one(Static).update(text)


def _head(version: MemoryVersion) -> str:
    pinned = ", pinned" if version.pinned else ""
    by = f" ({version.by})" if version.by not in ("", "counts") else ""
    return f"Version {version.number}, {version.source}{by}{pinned}, {version.at:%Y-%m-%d %H:%M}"


def _words(found: UserMemory | None, now: MemoryVersion | None) -> Content:
    if found is None:
        return Content(_NOBODY)
    if now is None:
        return Content((_NOTHING if found.domain else _UNKNOWN).format(found.user))
    return Content.assemble((_head(now), "dim"), "\n\n", (now.text or "(nothing)", "bold"))


def _facet(facet: FacetSummary) -> Content:
    support = f"\n{' ' * (_BAR + 8)}from {', '.join(facet.supporters)}" if facet.supporters else ""
    return Content.assemble(_point(facet), (support, "dim"))


def _point(facet: FacetSummary) -> Content:
    return Content(f"▕{bar(facet.confidence, _BAR)}▏ {facet.confidence:.2f}  {facet.text}")


def _support(facet: FacetSummary, versions: tuple[MemoryVersion, ...]) -> Iterator[Content]:
    yield Content.styled(facet.text, "bold")
    yield Content("")
    yield pane_head("From")
    for name in facet.supporters or ("nothing that has a name here",):
        yield Content(f"  {name}")
    yield Content("")
    yield pane_head("How sure, version by version")
    for version in versions:
        sure = next((one.confidence for one in version.facets if one.text == facet.text), None)
        drawn = "it was not there" if sure is None else f"▕{bar(sure, _BAR)}▏ {sure:.2f}"
        yield Content.assemble((f"  {version.number:>3}  {version.at:%Y-%m-%d}  ", "dim"), drawn)


def _made_from(version: MemoryVersion) -> Iterator[str]:
    """Whose data is in it."""
    if version.items or version.users or version.unnamed:
        yield ""
        yield "Made from"
    users = len(version.users) + version.unnamed
    for one, many, number, names in (
        ("item", "items", len(version.items), _listed(version.items)),
        ("person", "people", users, _listed(version.users, version.unnamed)),
    ):
        if number:
            yield f"  {number} {one if number == 1 else many}: {names}"


def _listed(names: tuple[str, ...], unnamed: int = 0) -> str:
    """Names, as far as they fit, and how many more there are."""
    message = [", ".join(names[:_NAMED])] if names else []
    if len(names) > _NAMED:
        message.append(f"{len(names) - _NAMED} more")
    if unnamed:
        message.append(f"{unnamed:,} with similar taste")
    return " and ".join(message)


def _difference(versions: tuple[MemoryVersion, ...], place: int) -> Content:
    """Show the changes of a version in text and facets."""
    now = versions[place]
    before = versions[place + 1] if place + 1 < len(versions) else None
    if before is None:
        return Content.assemble(("The first version.\n", "dim"), _version_text(now))
    head = (f"Against version {before.number}:\n", "dim")
    return Content.assemble(head, *_marked(_version_text(before), _version_text(now)))


def _version_text(version: MemoryVersion) -> str:
    points = (f"· {one.text} ({one.confidence:.2f})" for one in version.facets)
    return "\n".join((version.text, *points))


def _marked(before: str, after: str) -> Iterator[Content]:
    """Both texts as one; equal lines stay lines."""
    old, new = before.splitlines(), after.splitlines()
    for place in range(max(len(old), len(new))):
        first = old[place] if place < len(old) else ""
        second = new[place] if place < len(new) else ""
        parts = []
        for change, words in word_changes(first, second):
            opening, closing, style = _SIGNS[change]
            parts.append(Content.styled(f"{opening}{words}{closing}", style))
        yield Content(" ").join(parts)
        yield Content("\n")


def _neighbour_cells(one: NeighbourScore, top: float) -> tuple[str, ...]:
    return (
        one.name,
        "person" if one.is_user else "item",
        f"{bar(one.score, 6, top)} {one.score:.2f}",
        f"{one.edge_weight:.2f}",
        f"{one.shared:,}",
        f"{one.overlap:.2f}",
        f"{one.similarity:.2f}",
        f"{one.days:,.0f}",
    )


ChangeKind = Literal["same", "out", "in"]


_WORD = re.compile(r"\S+\s*")


def word_changes(before: str, after: str) -> Iterator[tuple[ChangeKind, str]]:
    """The stretches of both texts in reading order: kept, taken out, put in.

    What was taken out stands before what was put in its place. The stretches "same" and "in" make
    `after` again, and "same" and "out" make `before`, but for the spaces between words.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(
        None, [one.strip() for one in old], [one.strip() for one in new], False
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            yield "same", _joined(new[c:d])
            continue
        if a < b:
            yield "out", _joined(old[a:b])
        if c < d:
            yield "in", _joined(new[c:d])


def _joined(words: list[str]) -> str:
    return "".join(words).strip()
