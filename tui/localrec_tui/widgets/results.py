"""The items of an answer: cards where the window is narrow, a table that sorts where it is wide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import DataTable, Static

from localrec.data.recommendations import RecommendedItem
from localrec.data.rows import Event
from localrec_tui.item_text import FEEDBACK_LABELS, verdict_label
from localrec_tui.messages import FeedbackGiven, UndoRequested
from localrec_tui.services.records import ItemMatch, Verdict
from localrec_tui.widgets.cells import FittedTable
from localrec_tui.widgets.item_pane import ItemPane
from localrec_tui.widgets.kept_items import around
from localrec_tui.widgets.shown_items import (
    COLUMNS,
    FEEDBACK_KEYS,
    NOTHING_MATCHED,
    ShownItem,
    card_text,
)
from localrec_tui.widgets.side_pane import SidePane

_HEADS = tuple(head for head, _, _ in COLUMNS)
_SPARE = tuple(range(len(_HEADS) - 1, _HEADS.index("Name"), -1))  # the rightmost leaves first


class Results(Horizontal):
    """Shows items and tells which one is meant."""

    @dataclass
    class ItemOpened(Message):
        """All about an item is wanted."""

        shown: ShownItem

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="open"),
        *FEEDBACK_KEYS,
        Binding("o", "sort", "Sort", show=False, id="sort"),
        Binding("m", "screen.more", "More items", show=False, id="more"),
        Binding("c", "screen.copy_answer", "Copy the answer", show=False, id="copy_answer"),
        Binding("w", "screen.save_answer", "Write it to a file", show=False, id="save_answer"),
    ]
    DEFAULT_CSS = """
    Results { height: 1fr; width: 100%; }
    Results #cards { height: 1fr; width: 1fr; }
    Results #table { height: 1fr; width: 5fr; }
    Results #detail { height: 1fr; width: 5fr; }
    Results #side { height: 1fr; width: 4fr; }
    Results.-table #cards { display: none; }
    Results.-cards #table { display: none; }
    Results.-table #detail { display: block; }
    ItemCard { height: auto; padding: 0 1 0 2; margin-bottom: 1; border-left: blank; }
    ItemCard:focus { border-left: thick $accent; background: $boost; }
    """

    def __init__(self) -> None:
        super().__init__(id="results", classes="-cards")
        self._shown: list[ShownItem] = []
        self._domain = ""
        self._sorted_by = 0

    def compose(self) -> ComposeResult:
        """Both forms; the width of the window says which is seen."""
        yield ItemCards(id="cards")
        yield FittedTable(_HEADS, _HEADS.index("Name"), id="table", classes="pane", spare=_SPARE)
        yield ItemPane()
        yield SidePane(id="side")

    def on_mount(self) -> None:
        """Say that nothing is here yet."""
        self.query_one(FittedTable).border_title = "No answer yet"

    @property
    def shown(self) -> tuple[ShownItem, ...]:
        """Return the lines in the order of the screen."""
        return tuple(self._shown)

    @property
    def is_table(self) -> bool:
        """Whether the wide form is seen."""
        return self.has_class("-table")

    @property
    def current(self) -> ShownItem | None:
        """The item that keys mean."""
        if not self._shown:
            return None
        if self.is_table:
            row = self.query_one(FittedTable).cursor_row
            return self._shown[row] if 0 <= row < len(self._shown) else None
        focused = self.screen.focused
        return focused.shown if isinstance(focused, ItemCard) else None

    async def show(
        self,
        domain: str,
        items: tuple[RecommendedItem, ...],
        near_misses: tuple[RecommendedItem, ...] = (),
        item_matches_by_key: Mapping[str, ItemMatch] | None = None,
    ) -> None:
        """Show a list; the user's feedback stays with its item."""
        told = {one.item.key: one.verdict for one in self._shown}
        known = item_matches_by_key or {}
        self._domain = domain
        self._sorted_by = 0
        await self._set(
            [
                ShownItem(
                    item=item,
                    match=known.get(item.key, NOTHING_MATCHED),
                    is_near_miss=place >= len(items),
                    verdict=told.get(item.key, ""),
                )
                for place, item in enumerate((*items, *near_misses))
            ]
        )

    async def restore(self, shown: tuple[ShownItem, ...]) -> None:
        """Show the lines again that stood there before a failed question."""
        await self._set(list(shown))

    async def hear(self, items: tuple[RecommendedItem, ...]) -> None:
        """Show items as they arrive: new ones begin a list, known ones get their reason."""
        news = {item.key: item for item in items}
        if not all(key in {one.item.key for one in self._shown} for key in news):
            await self.show(self._domain, items)
            return
        for place, one in enumerate(self._shown):
            if one.item.key in news:
                self._shown[place] = msgspec.structs.replace(one, item=news[one.item.key])
        self._refresh()

    def mark(self, domain: str, key: str, event: Event | None) -> None:
        """Show the user's feedback on an item; None removes it."""
        if domain != self._domain:  # another domain may call an item so too
            return
        said = "" if event is None else FEEDBACK_LABELS[event]
        self._shown = [
            msgspec.structs.replace(one, verdict=said) if one.item.key == key else one
            for one in self._shown
        ]
        self._refresh()

    def mark_all(self, domain: str, verdicts: Mapping[str, Verdict]) -> None:
        """Show what the user said of the items before, here or in an export."""
        if domain != self._domain:
            return
        self._shown = [
            msgspec.structs.replace(one, verdict=verdict_label(verdicts.get(one.item.key)))
            for one in self._shown
        ]
        self._refresh()

    def unmark(self) -> None:
        """Remove all feedback marks: another user is chosen."""
        self._shown = [msgspec.structs.replace(one, verdict="") for one in self._shown]
        self._refresh()

    def set_wide(self, wide: bool) -> None:
        """Change between cards and table; the same item stays meant, with or without the focus."""
        if wide == self.is_table:
            return
        had_focus = self.has_focus_within
        current = self.current
        self.set_class(wide, "-table")
        self.set_class(not wide, "-cards")
        if wide:
            self.query_one(ItemPane).wake()
        if had_focus and self._shown:
            self._point_at(self._shown.index(current) if current in self._shown else 0)

    def take_focus(self) -> None:
        """Give the first item the focus, where there is one."""
        if self._shown:
            self._point_at(0)

    # --- keys ---

    def action_open(self) -> None:
        """Show all about the item."""
        if (current := self.current) is not None:
            self.post_message(self.ItemOpened(current))

    def action_say(self, event: str, reason: bool = False) -> None:
        """Give feedback on the item."""
        if (current := self.current) is None:
            self.notify("No item is chosen yet. Down leads to the answer.")
            return
        self.post_message(FeedbackGiven(current.item, self._domain, Event(event), reason=reason))

    def action_take_back(self) -> None:
        """Take back the last feedback."""
        self.post_message(UndoRequested())

    async def action_sort(self) -> None:
        """Sort by the next column."""
        await self.sort_by((self._sorted_by + 1) % len(COLUMNS))

    async def sort_by(self, column: int) -> None:
        """Sort by a column, numbers with the best first; close calls stay behind."""
        self._sorted_by = column
        head, sorts_by, _ = COLUMNS[column]
        await self._set(sorted(self._shown, key=lambda one: (one.is_near_miss, sorts_by(one))))
        self.notify(f"Sorted by {head.lower() or 'rank'}.", timeout=2)

    @on(DataTable.HeaderSelected)
    async def _head_pressed(self, event: DataTable.HeaderSelected) -> None:
        await self.sort_by(int(event.column_key.value or 0))

    @on(DataTable.RowSelected)
    def _row_pressed(self) -> None:
        self.action_open()

    @on(DataTable.RowHighlighted)
    def _row_reached(self) -> None:
        self._preview()

    # --- drawing ---

    async def _set(self, shown: list[ShownItem]) -> None:
        """Show other lines; the same ones in the same order stay where they are."""
        had_focus = self.has_focus_within
        before = [one.item.key for one in self._shown]
        self._shown = shown
        if before == [one.item.key for one in shown]:
            self._refresh()
            return
        cards = self.query_one(ItemCards)
        with self.app.batch_update():
            await cards.remove_children()
            await cards.mount_all(ItemCard(one) for one in shown)
            table = self.query_one(FittedTable)
            table.fill(map(_cells, shown))
            table.move_cursor(row=0)
        self._preview()
        # A table keeps the focus by itself; whoever left it meanwhile is not called back.
        if had_focus and not self.is_table:
            self.take_focus()

    def _refresh(self) -> None:
        """Show the same lines, some of which know more."""
        for card, one in zip(self.query(ItemCard), self._shown, strict=True):
            card.show(one)
        self.query_one(FittedTable).fill(map(_cells, self._shown))
        self._preview()

    def _preview(self) -> None:
        table = self.query_one(FittedTable)
        row = table.cursor_row
        has_row = 0 <= row < len(self._shown)
        near = [one.item.key for one in around(self._shown, row)]
        self.query_one(ItemPane).show(self._shown[row] if has_row else None, self._domain, near)
        close = sum(one.is_near_miss for one in self._shown)
        counted = f"{len(self._shown) - close} in the answer"
        table.border_title = f"{counted}, {close} close" if close else counted
        if not self._shown:
            table.border_title = "No answer yet"

    def _point_at(self, place: int) -> None:
        if self.is_table:
            table = self.query_one(FittedTable)
            table.focus()
            table.move_cursor(row=place)
        else:
            self.query(ItemCard)[place].focus()


class ItemCards(VerticalScroll, can_focus=False):
    """All cards, one below the other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next item", show=False, id="next_item"),
        Binding("up,k", "move(-1)", "Previous item", show=False, id="previous_item"),
    ]

    def action_move(self, step: int) -> None:
        """Go to the next or previous card; above the first one back to where the question is."""
        cards = list(self.query(ItemCard))
        place = next((n for n, card in enumerate(cards) if card.has_focus), -step)
        if 0 <= place + step < len(cards):
            cards[place + step].focus()
        elif step < 0:
            self.screen.focus_previous()


class ItemCard(Static, can_focus=True):
    """One item as a card."""

    def __init__(self, shown: ShownItem) -> None:
        super().__init__(card_text(shown), markup=False)
        self.shown = shown
        self._width = 0

    def show(self, shown: ShownItem) -> None:
        """Show the same item, of which more is known."""
        self.shown = shown
        self.update(card_text(shown, self._width))

    def on_resize(self) -> None:
        """Break the lines anew where the width is another."""
        if (width := self.content_size.width) != self._width:
            self._width = width
            self.update(card_text(self.shown, width))


def _cells(one: ShownItem) -> list[str]:
    return [tells(one) for _, _, tells in COLUMNS]
