"""The list in the room Home, whose letters are keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from localrec.data.recommendations import RecommendedItem
from localrec_tui.widgets.feedback_actions import FeedbackActions
from localrec_tui.widgets.shown_items import FEEDBACK_KEYS


class HomeList(FeedbackActions, OptionList):
    """Items with their reasons; Enter opens one, letters say what one thinks of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *FEEDBACK_KEYS,
        Binding("right", "screen.next_domain(1)", "Next domain", show=False, id="next_domain"),
        Binding("left", "screen.next_domain(-1)", "Domain before", show=False, id="domain_before"),
    ]

    def fill(self, items: Sequence[RecommendedItem], nothing: str) -> None:
        """Show items; the cursor stays at its place as far as there is one.

        Args:
            items: In their order.
            nothing: The sentence where there are none.
        """
        place = self.highlighted
        if not items:
            self.tell(nothing)
            return
        self.clear_options()
        for item in items:
            text = Content.assemble(
                (f"{item.rank:>2}  ", "$text-quiet"),
                (item.name, "bold"),
                (f"\n    {item.reason}", "$text-quiet"),
            )
            self.add_option(Option(text))
        if place is not None:
            self.highlighted = min(place, len(items) - 1)

    def tell(self, sentence: str) -> None:
        """Show a sentence where no items are."""
        self.clear_options()
        self.add_option(Option(Content(sentence), disabled=True))
