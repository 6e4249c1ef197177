"""What a shelf makes, as a list: now, with which bottle more, and what lacks one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from localrec.data.recommendations import RecommendedItem
from localrec_tui.services.records import Verdict
from localrec_tui.widgets.badges import verdict_badge
from localrec_tui.widgets.detail_pane import pane_head
from localrec_tui.widgets.feedback_actions import FeedbackActions
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS, ShownItem

if TYPE_CHECKING:
    from localrec.retrieval.shelf import ShelfItem, ShelfReport


class ShelfMakes(FeedbackActions, OptionList):
    """The items of a shelf's report; Enter opens one, letters say what one thinks of it."""

    BINDINGS: ClassVar[list[BindingType]] = [*FEEDBACK_KEYS]

    def __init__(self) -> None:
        super().__init__(id="makes", classes="pane")
        self._report: ShelfReport | None = None
        self._verdicts: dict[str, Verdict] = {}

    @property
    def current(self) -> ShownItem | None:
        """The item that keys mean; None where the cursor is at none."""
        if self.highlighted is None or self._report is None:
            return None
        key = self.get_option_at_index(self.highlighted).id
        found = next((one for one in _items(self._report) if one.key == key), None)
        return None if found is None else ShownItem(item=_recommended(found))

    def show(self, report: ShelfReport, verdicts: Mapping[str, Verdict]) -> None:
        """Show what a shelf makes; the cursor stays at its item.

        Args:
            report: What it makes.
            verdicts: What the user said of its items before, by their keys.
        """
        self._report, self._verdicts = report, dict(verdicts)
        self._draw()

    def mark(self, key: str, verdict: Verdict | None) -> None:
        """Show the user's newest word on an item; None: there is none any more."""
        self._verdicts.pop(key, None)
        if verdict is not None:
            self._verdicts[key] = verdict
        if self._report is not None:
            self._draw()

    def _draw(self) -> None:
        assert self._report is not None
        chosen = None if (current := self.current) is None else current.item.key
        self.clear_options()
        self.add_options(self._listed(self._report))
        ids = [one.id for one in self.options]
        self.highlighted = ids.index(chosen) if chosen in ids else None

    def _listed(self, report: ShelfReport) -> Iterator[Option]:
        yield _text(pane_head(f"You can make {report.makeable_count:,} now"))
        for item in report.makeable:
            yield self._line(item, ", ".join(item.components))
        if report.unlocks:
            yield from _title("What to get next")
        for one in report.unlocks:
            told = f"  makes {one.makes:,} more: {', '.join(one.items)}"
            yield _text(Content.assemble((f"  {one.name}", "bold"), (told, "$text-quiet")))
        if report.with_substitutes:
            yield from _title(f"{report.with_substitutes_count:,} with something else in its place")
        for item in report.with_substitutes:
            yield self._line(item, "; ".join(one.sentence for one in item.substitutions))
        if report.one_away:
            yield from _title(f"{report.one_away_count:,} lack one thing")
        for item in report.one_away:
            yield self._line(item, ", ".join(item.missing))

    def _line(self, item: ShelfItem, told: str) -> Option:
        parts = [Content(f"  {item.name}"), *verdict_badge(self._verdicts.get(item.key))]
        parts.append(Content.styled(told, "$text-quiet"))
        return Option(Content("  ").join(parts), id=item.key)


def _items(report: ShelfReport) -> tuple[ShelfItem, ...]:
    return (*report.makeable, *report.with_substitutes, *report.one_away)


def report_keys(report: ShelfReport) -> list[str]:
    """Return the keys of all items that a report lists."""
    return [one.key for one in _items(report)]


def _recommended(item: ShelfItem) -> RecommendedItem:
    """Make an item of a shelf, which has neither rank nor reason."""
    return RecommendedItem(
        rank=0, key=item.key, name=item.name, score=0.0, satisfies=True, evidence=(), reason=""
    )


def _title(text: str) -> Iterator[Option]:
    yield _text(Content(""))
    yield _text(pane_head(text))


def _text(line: Content) -> Option:
    """A line that the cursor passes by."""
    return Option(line, disabled=True)
