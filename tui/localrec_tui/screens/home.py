"""Home: a list for whoever sits here, questions to begin with, what came in and what is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from localrec.data.recommendations import Recommendations, RecommendedItem
from localrec.foundation.prose import count_of
from localrec_tui.base_app import bindings_of
from localrec_tui.messages import DomainsLoaded, FeedbackGiven, FeedbackStored, WorkFailed
from localrec_tui.question_history import QuestionHistory
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.user import UserScreen
from localrec_tui.services.records import DomainSummary, RequestHandle
from localrec_tui.services.transfers import Arrival
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.columns import BREAKPOINTS
from localrec_tui.widgets.home_list import HomeList
from localrec_tui.widgets.home_news import HomeNews
from localrec_tui.widgets.item_pane import ItemPane
from localrec_tui.widgets.kept_items import around
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.prompt import Prompt, names_meant
from localrec_tui.widgets.shown_items import ShownItem
from localrec_tui.widgets.side_pane import SidePane
from localrec_tui.workers import run_in_thread

_ITEMS, _EXAMPLES, _ASKED, _ARRIVALS = 10, 3, 5, 4
_TITLES = {"for-you": "For you", "try": "Try", "asked": "Asked before"}
_ANY = "*"
_NOBODY = "F2 says who sits here. Then a list for you stands here, with a reason for each."
_NOTHING_LEFT = (
    "You know all the {} that are here. Data, room 6, brings in more: I imports a file, P pulls."
)


@dataclass
class HomeLoaded(Message):
    """A list for a user, for a visit of the room; None: it could not be made."""

    number: int
    found: Recommendations


@dataclass
class ArrivalsLoaded(Message):
    """What came in last, and how many words wait to be worked into memories."""

    arrivals: tuple[Arrival, ...]
    waiting: int


class HomeScreen(UserScreen):
    """The first room."""

    TITLE = "Home"
    LINE = "#prompt"
    HELP = (
        "Type a question and press Enter: the answer opens in Ask; Up brings back earlier ones. "
        "Down leads to your list, Tab to what you can ask. Enter on an item shows all about it, "
        "L, D, S and N say what you think of it; the list follows at once. Where a workspace has "
        "several domains, Left and Right show each one's list. Below stand the last imports and "
        "what is being learnt (F12 learns now), and with room the item under the cursor beside it."
    )
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "pick_user", "Person", id="person"),
        Binding("f5", "pick_domain", "Domain", show=False, id="domain"),
        Binding("escape", "to_line", "To the line", show=False, id="home_line"),
    ]
    DEFAULT_CSS = """
    HomeScreen #body {
        height: 1fr; width: 100%; layout: grid; grid-size: 2 2; grid-columns: 6fr 5fr;
        grid-rows: 1fr 9;
    }
    HomeScreen #body > * { width: 100%; height: 100%; }
    HomeScreen #lists { row-span: 2; }
    HomeScreen #for-you { height: 1fr; }
    HomeScreen #lists > OptionList { padding: 0 1; }
    HomeScreen #try, HomeScreen #asked { height: auto; max-height: 9; }
    HomeScreen #detail { display: block; }
    HomeScreen.-narrow #body { layout: vertical; }
    HomeScreen.-narrow #detail, HomeScreen.-narrow #news, HomeScreen.-narrow #asked {
        display: none;
    }
    HomeScreen.-huge #body { grid-size: 3 2; grid-columns: 6fr 5fr 4fr; grid-rows: 1fr 14; }
    HomeScreen.-huge #detail { row-span: 2; }
    HomeScreen.-huge #side { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._domains: tuple[DomainSummary, ...] = ()
        self._domain: str | None = None
        self._number = 0  # of the newest list that was asked for
        self._shown_of: tuple[str | None, str | None] | None = None  # whose list is shown
        self._found: Recommendations | None = None
        self._request: RequestHandle | None = None

    @classmethod
    def all_bindings(cls) -> tuple[Binding, ...]:
        """Every key of the screen and of its parts."""
        return bindings_of(cls, Prompt, HomeList)

    def compose(self) -> ComposeResult:
        """The line, the list, and what stands beside it."""
        yield NavBar()
        with Horizontal(id="top"):
            yield ChoiceField("Person", "F2", id="user")
            yield ChoiceField("About", "F5", id="domain")
        asked = QuestionHistory(self.app.folder)
        yield Prompt(asked, lambda: names_meant(self._domain, self._domains))
        with Container(id="body"):
            with Vertical(id="lists"):
                yield HomeList(id="for-you", classes="pane")
                yield OptionList(id="try", classes="pane")
                yield OptionList(id="asked", classes="pane")
            yield ItemPane()
            yield SidePane(id="side")
            yield HomeNews()
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin in the line."""
        for place, title in _TITLES.items():
            self.query_one(f"#{place}").border_title = title
        self.watch(self.app, "user", self._user_changed)
        self.watch(self.app, "running_fits", self.query_one(HomeNews).show_learning)
        self.app.feedback_stored.subscribe(self, self._feedback_stored)
        self.app.data_changed.subscribe(self, self._data_changed)
        self.app.user_forgotten.subscribe(self, self._forgotten)
        self.query_one(Prompt).focus()

    def on_screen_resume(self) -> None:
        """Others may have brought something in, and questions were asked."""
        self.query_one(Prompt).questions = QuestionHistory(self.app.folder)
        self._show_asked()
        services = self.app.services
        if not services.is_empty:
            run_in_thread(self, "domains", lambda: DomainsLoaded(services.domains()))

    def on_resize(self) -> None:
        """Read what there is room for now."""
        self.call_after_refresh(self._show_beside)

    # --- keys ---

    def action_to_line(self) -> None:
        """Go back to the line."""
        self.query_one(Prompt).focus()

    def action_pick_domain(self) -> None:
        """Say what the list is about."""
        found = [ChoiceItem(one.name, one.plural, f"{one.items:,}") for one in self._domains]
        choices = [ChoiceItem(_ANY, "anything", "what you did most with"), *found]
        screen = ChoiceDialog("What is it about?", choices, self._domain or _ANY)
        self.app.push_screen(screen, self._domain_picked)

    def _domain_picked(self, domain: str | None) -> None:
        if domain is not None:
            self._domain = None if domain == _ANY else domain
            self._show_choices()
            self._load_list()
            self.query_one(Prompt).focus()  # the next letters are a question, no verdicts

    def action_next_domain(self, step: int) -> None:
        """Show the list of the next domain, or of the one before."""
        names = [one.name for one in self._domains]
        shown = self._domain or (self._found.domain if self._found is not None else None)
        if len(names) > 1 and shown in names:
            self._domain = names[(names.index(shown) + step) % len(names)]
            self._show_choices()
            self._load_list()

    @on(Input.Submitted, "#prompt")
    def _submitted(self, event: Input.Submitted) -> None:
        if text := event.value.strip():
            event.input.value = ""
            self.app.ask_question(text)
        else:
            self.query_one("#for-you").focus()

    @on(Prompt.Left)
    def _below_the_line(self) -> None:
        self.query_one("#for-you").focus()

    @on(OptionList.OptionSelected, "#try, #asked")
    def _question_picked(self, event: OptionList.OptionSelected) -> None:
        self.app.ask_question(event.option_id or "")

    @on(OptionList.OptionSelected, "#for-you")
    def _item_opened(self, event: OptionList.OptionSelected) -> None:
        if self._found is not None:
            shown = ShownItem(item=self._found.items[event.option_index])
            self.app.push_screen(ItemScreen(shown, self._found.domain, None))

    @on(OptionList.OptionHighlighted, "#for-you")
    def _item_reached(self) -> None:
        self._show_chosen()

    @on(HomeList.Rated)
    def _rated(self, event: HomeList.Rated) -> None:
        if self._found is not None and (item := self._current()) is not None:
            self.post_message(
                FeedbackGiven(item, self._found.domain, event.event, reason=event.reason)
            )

    # --- reading ---

    def _user_changed(self, user: str | None) -> None:
        self._show_user_name(user)
        self._load_list()

    def _feedback_stored(self, message: FeedbackStored) -> None:
        """A word counts at once: the list is made anew, where it is looked at or next time."""
        self._shown_of = None
        self._load_list()

    def _data_changed(self, _: str) -> None:
        """What came in may change the list; it is made anew the next time one is here."""
        self._shown_of = None
        if self._is_in_front:
            self.on_screen_resume()

    def _forgotten(self, _: str) -> None:
        self._shown_of, self._found = None, None
        self.query_one(HomeList).clear_options()
        self._show_beside()
        self.query_one(Prompt).questions = QuestionHistory(self.app.folder)
        self._show_asked()

    def on_domains_loaded(self, message: DomainsLoaded) -> None:
        """Know what there is; an empty store leads to the first run."""
        self._domains = message.domains
        if not message.domains:
            return  # the app shows the first run
        message.stop()
        self._show_choices()
        self._load_list()
        services = self.app.services

        def read() -> ArrivalsLoaded:
            queue = services.memory.jobs(None)
            waiting = 0 if queue is None else queue.counts.get("waiting", 0)
            return ArrivalsLoaded(services.transfers.arrivals(_ARRIVALS), waiting)

        run_in_thread(self, "arrivals", read)

    def on_arrivals_loaded(self, message: ArrivalsLoaded) -> None:
        """Show what came in last."""
        self.query_one(HomeNews).show_arrivals(message.arrivals, message.waiting)

    @property
    def _is_in_front(self) -> bool:
        """Whether one is in this room, be it behind a dialog."""
        return self.app.current_mode == "home"

    def _load_list(self) -> None:
        user, domain, services = self.app.user, self._domain, self.app.services
        if user is None or services.is_empty:
            self._shown_of, self._found = None, None
            self._show_list(_NOBODY)
            return
        if not self._is_in_front or self._shown_of == (user, domain):
            return
        self._shown_of = (user, domain)
        self._number += 1
        number = self._number
        if self._request is not None:
            self._request.stopped.set()
        self._request = request = RequestHandle()
        if self._found is None:
            self._show_list("Looking what you may like …")
        run_in_thread(
            self,
            "list at home",
            lambda: HomeLoaded(number, services.recommend(user, domain, _ITEMS, request)),
            request,
        )

    def on_home_loaded(self, message: HomeLoaded) -> None:
        """Show the list."""
        if message.number == self._number:
            self._found = message.found
            self.set_tone(message.found.domain)
            self._show_list(message.found.message)

    def on_work_stopped(self) -> None:
        """An older list is not wanted any more."""

    async def show_failure(self, failure: WorkFailed) -> None:
        """Say why there is no list; the rest of the room works."""
        if failure.request is not None and failure.request is self._request:
            self._found, self._shown_of = None, None
            self._show_list(failure.sentences)
        elif failure.request is None:
            self.show_status(failure.sentences)

    # --- drawing ---

    def _show_choices(self) -> None:
        plurals = {one.name: one.plural for one in self._domains}
        about = "anything" if self._domain is None else plurals.get(self._domain, self._domain)
        if self._domain is None and len(plurals) == 1:
            about = next(iter(plurals.values()))
        self.query_one("#domain", ChoiceField).show(about)
        chosen = [one for one in self._domains if self._domain in (None, one.name)]
        listed = self.query_one("#try", OptionList)
        listed.clear_options()
        listed.add_options(_questions(_examples(chosen)))

    def _show_asked(self) -> None:
        asked = self.query_one("#asked", OptionList)
        asked.clear_options()
        last = self.query_one(Prompt).questions.last(_ASKED)
        asked.add_options(_questions(last))
        asked.display = bool(last)

    def _show_list(self, message: str) -> None:
        listed, found = self.query_one(HomeList), self._found
        if found is None:
            listed.border_title, listed.border_subtitle = "For you", ""
            listed.tell(message)
            self.query_one(Prompt).tell_way("")
        else:
            about, others = _domain_words(self._domains, found.domain)
            told = f"from {count_of(found.history, 'item')} of your history{others}"
            listed.border_title, listed.border_subtitle = f"For {found.user}{about}", told
            self.query_one(Prompt).tell_way("your list" if found.items or others else "")
            plurals = {one.name: one.plural for one in self._domains}
            left = _NOTHING_LEFT.format(plurals.get(found.domain, found.domain))
            listed.fill(found.items, left)
        self._show_beside()

    def _show_beside(self) -> None:
        """Show what stands beside the list, as far as there is room."""
        self._show_chosen()
        if (pane := self.query_one(ItemPane)).display:
            pane.wake()
        self.query_one(SidePane).look("" if self._found is None else self._found.domain)

    def _show_chosen(self) -> None:
        """Show the item under the cursor beside the list; before one is chosen, the first."""
        item, found = self._current(), self._found
        shown = None if item is None else ShownItem(item=item)
        near = () if found is None else _near(found, self.query_one(HomeList))
        self.query_one(ItemPane).show(shown, "" if found is None else found.domain, near)

    def _current(self) -> RecommendedItem | None:
        items = () if self._found is None else self._found.items
        return next(iter(items[self.query_one(HomeList).highlighted or 0 :]), None)


def _near(found: Recommendations, listed: HomeList) -> list[str]:
    """The keys of the items around the chosen one; before one is chosen, around the first."""
    return [one.key for one in around(found.items, listed.highlighted or 0)]


def _questions(texts: list[str]) -> list[Option]:
    return [Option(Content(text), id=text) for text in dict.fromkeys(texts)]


def _examples(domains: list[DomainSummary]) -> list[str]:
    """A few questions, some of each domain."""
    asked = [one.examples[n] for n in range(_EXAMPLES) for one in domains if one.examples[n:]]
    return asked[:_EXAMPLES]


def _domain_words(domains: Sequence[DomainSummary], shown: str) -> tuple[str, str]:
    """What a list is about, and how one gets to the others; nothing where there is one domain."""
    plurals = {one.name: one.plural for one in domains}
    about = plurals.pop(shown, shown)
    return (f": {about}", f"   ← → {', '.join(plurals.values())}") if plurals else ("", "")
