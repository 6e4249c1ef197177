"""Ask: a question, how it was read, and the answer; each of them to be mended by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

import msgspec
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from localrec.data.recommendations import RecommendedItem
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.text_matching import fold
from localrec.systems.shipped_systems import MARC
from localrec.understanding.follow_up import follow_up_words
from localrec_tui.answer_text import answer_provenance
from localrec_tui.base_app import bindings_of
from localrec_tui.messages import (
    AnswerReady,
    DomainsLoaded,
    ItemsArrived,
    ListReady,
    WorkFailed,
    WorkStopped,
)
from localrec_tui.question_history import QuestionHistory
from localrec_tui.screens.answer_view import NOTHING_HERE
from localrec_tui.screens.ask_choices import BY_RULES, AskChoices
from localrec_tui.services.records import (
    IntentCorrection,
    OnItems,
    QuestionRequest,
    RequestHandle,
)
from localrec_tui.widgets.chips import ChipButton
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.key_footer import KeyFooter
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.prompt import Prompt, names_meant
from localrec_tui.widgets.results import ItemCards, Results
from localrec_tui.widgets.side_pane import SidePane
from localrec_tui.workers import run_in_thread

_WIDE = 100  # columns from which the chosen item stands beside a table of all
_HUGE = 160  # columns from which the person has a column too
_TICK_S = 0.2
_MORE = 10  # items at first, and items more
_MORE_WORDS = frozenset(  # typed beneath an answer they ask for more of it
    {"more", "more please", "more of these", "more like these", "show more", "show me more", "next"}
)
_CORRECTION = "corrected question"


class AskScreen(AskChoices):
    """Where questions are asked."""

    TITLE = "Ask"
    LINE = "#prompt"
    HELP = (
        "Type what you would like and press Enter; Up brings back what you asked before. A name "
        "that you begin is completed in grey: → takes it. With a "
        "person chosen, Enter on an empty line lists what they may like.\n\n"
        "Below the line stand the wishes that were read in your question. Go there with Tab, and "
        "take one out with Enter; F4 adds one. The answer follows at once, without the model. F3 "
        "corrects what kind of question it is: how it looks, what holds it, what is in it, or "
        "what it is like.\n\n"
        "Down leads to the answer. Enter shows all about an item; L, D, S and N say what you think "
        "of it, with Shift they ask for a reason, Y asks for both, U takes the last word back. Esc "
        "stops a question that takes long.\n\n"
        "“Without gin”, “but in a coupe” go on from the answer; Ctrl+N asks such words as a new "
        "question. In the answer M asks for more, C copies it, W writes it to a Markdown file."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_WIDE, "-wide"), (_HUGE, "-huge")]  # noqa: RUF012 - as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", show=False, id="stop"),
        Binding("f2", "pick_user", "Person", show=False, id="person"),
        Binding("f3", "pick_task", "Kind of question", show=False, id="task"),
        Binding("f4", "pick_wish", "Add a wish", show=False, id="add_wish"),
        Binding("f5", "pick_domain", "Domain", show=False, id="domain"),
        Binding("f6", "pick_system", "Who answers", show=False, id="system"),
        Binding("ctrl+n", "ask_alone", "Ask as a new question", show=False, id="ask_alone"),
        Binding("f8", "pick_image", "Picture", show=False, id="image"),
    ]
    DEFAULT_CSS = """
    AskScreen.-narrow #top { layout: grid; grid-size: 2 2; height: 2; }
    AskScreen.-huge #side { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._request: RequestHandle | None = None
        self._started, self._insert_example = 0.0, False
        self._k = _MORE  # items that are asked for
        self._again: Callable[[], None] | None = None  # asks the last question, for `_k` items
        self._refined = ""  # what says that a question went on from the one before

    @classmethod
    def all_bindings(cls) -> tuple[Binding, ...]:
        """Every key of the screen and of its parts."""
        return bindings_of(cls, Prompt, ChipButton, ItemCards, Results)

    def compose(self) -> ComposeResult:
        """Choices, the line, the reading of the question, the answer."""
        yield NavBar()
        with Horizontal(id="top"):
            yield ChoiceField("Person", "F2", id="user")
            yield ChoiceField("About", "F5", id="domain")
            yield ChoiceField("Picture", "F8", id="image")
            yield ChoiceField("Answers", "F6", id="system")
        yield Prompt(
            QuestionHistory(self.app.folder), lambda: names_meant(self._domain, self._domains)
        )
        yield from self.compose_answer()
        yield Static(id="status", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin in the line; what the workspace has is asked once the screen is painted."""
        self.watch(self.app, "user", self._show_user)
        self.app.feedback_stored.subscribe(self, self._mark)
        self.app.user_forgotten.subscribe(self, self._forget)
        self.app.data_changed.subscribe(self, self._drop_domains)
        self._show_choices()
        self.query_one(Prompt).focus()
        self.set_interval(_TICK_S, self._tick)

    def on_resize(self, event: events.Resize) -> None:
        """Cards or table, as the width asks for."""
        self.query_one(Results).set_wide(event.size.width >= _WIDE)
        if event.size.width >= _HUGE:
            self.call_after_refresh(self.query_one(SidePane).look, self._shown_domain)

    def on_unmount(self) -> None:
        """Nobody waits for an answer any more."""
        if self._request is not None:
            self._request.stopped.set()

    def on_screen_resume(self) -> None:
        """Ask what another room wants to know; find out what there is, where that is not known."""
        self.call_after_refresh(self._resume)

    def _resume(self) -> None:
        prompt, services = self.query_one(Prompt), self.app.services
        if prompt.disabled and not services.is_empty:
            prompt.disabled = False
            prompt.focus()
            self.say([])
        elif services.is_empty:
            prompt.disabled = True  # else it would take the 1 that leads to the drinks
            self.say([NOTHING_HERE])
        if self.app.wants_example:
            self.app.wants_example, self._insert_example = False, True
        if not self._domains and not services.is_empty:
            run_in_thread(self, "domains", lambda: DomainsLoaded(services.domains()))
        text, self.app.pending_question = self.app.pending_question, None
        if text:
            prompt.value = text
            prompt.focus()
            self._submit(text)

    def _drop_domains(self, _: str) -> None:
        """Something came in: what there is must be read again."""
        self._domains = ()
        if self.is_active:
            self._resume()

    # --- keys ---

    async def action_stop(self) -> None:
        """Stop what runs; where nothing does, go back to the line."""
        if self._request is not None:
            self._stop(self._request)
            self.show_status("Stopping …")
        else:
            self.query_one(Prompt).focus()

    # --- asking ---

    @on(Input.Submitted, "#prompt")
    def _submitted(self, event: Input.Submitted) -> None:
        self._submit(event.value.strip())

    def action_ask_alone(self) -> None:
        """Ask what stands in the line as a question of its own."""
        if text := self.query_one(Prompt).value.strip():
            self._submit(text, alone=True)

    def action_more(self) -> None:
        """Ask for ten items more."""
        if self._again is None:
            self.notify("Ask something first.")
        else:
            self._k += _MORE
            self._again()

    def _submit(self, text: str, *, alone: bool = False) -> None:
        self.query_one(Prompt).select_all()  # what is typed next is another question
        if self._again is not None and fold(text).strip(" .!?") in _MORE_WORDS:
            self.action_more()
            return
        self._k, self._refined = _MORE, ""
        if text:
            self._remember(text)
            answered = None if alone else self._answered
            if answered is not None and (added := follow_up_words(text)):
                self._refined = f"“{text}” goes on from “{answered.question.text}”. "
                self._wish_added(added)
                return
            self._corrected_task = None
            self._ask(text)
        elif self.app.user is not None:
            self._list_for(self.app.user)
        else:
            self.show_status("Type what you would like, or choose a person with F2 for a list.")

    @on(Prompt.Left)
    def _below_the_line(self) -> None:
        self.query_one(Results).take_focus()

    def _ask(self, text: str) -> None:
        services = self.app.services
        self._again = partial(self._ask, text)
        asked = QuestionRequest(
            text=text,
            k=self._k,
            user=self.app.user,
            domain=self._domain,
            system=MARC if self._system == BY_RULES else self._system,
            without_model=self._system == BY_RULES,
            image=None if self._image is None else str(self._image),
        )
        self._begin(
            "question",
            lambda request, on_items: AnswerReady(request, services.ask(asked, request, on_items)),
        )

    def ask_again(self, corrected: IntentCorrection) -> None:
        """Ask the question again, read as the user corrected it."""
        if (before := self._answered) is None:
            return
        services = self.app.services
        self._again = partial(self.ask_again, corrected)
        asked = msgspec.structs.replace(
            before.question, user=self.app.user, domain=before.domain, k=self._k
        )
        self._begin(
            _CORRECTION,
            lambda request, on_items: AnswerReady(
                request, services.ask_intent(asked, corrected, request, on_items)
            ),
        )

    def _list_for(self, user: str) -> None:
        services, domain, k = self.app.services, self._domain, self._k
        self._again = partial(self._list_for, user)
        self._begin(
            "list",
            lambda request, _: ListReady(request, services.recommend(user, domain, k, request)),
        )

    def _begin(self, what: str, make: Callable[[RequestHandle, OnItems], Message]) -> None:
        """Start a request in a thread; one that runs is stopped, nobody waits for it any more."""
        if self._request is not None:
            self._stop(self._request)
        else:
            self._before = self.query_one(Results).shown
        request = RequestHandle()
        self._request, self._started = request, time.monotonic()

        def on_items(items: tuple[RecommendedItem, ...]) -> None:
            self.post_message(ItemsArrived(request, items))

        run_in_thread(self, what, lambda: make(request, on_items), request)
        self._tick()

    def _stop(self, request: RequestHandle) -> None:
        services = self.app.services
        run_in_thread(self, "stopping", lambda: services.stop(request))

    def _remember(self, text: str) -> None:
        try:
            self.query_one(Prompt).questions.add(text)
        except (OSError, WorkspaceError) as error:
            told = f"The question is not remembered: {error}"
            self.notify(told, severity="warning", markup=False)

    # --- what comes back ---

    async def on_items_arrived(self, message: ItemsArrived) -> None:
        """Show items as they come."""
        if message.request is self._request:
            await self.query_one(Results).hear(message.items)

    async def on_answer_ready(self, message: AnswerReady) -> None:
        """Show the answer."""
        if message.request is self._request:
            self._request = None
            await self.show_answer(message.answered)
            told = answer_provenance(message.answered.answer, self._spent())
            self.show_status(f"{self._refined}{told}")

    async def on_list_ready(self, message: ListReady) -> None:
        """Show a list that answers no question."""
        if message.request is self._request:
            self._request = None
            await self.show_list(message.found)

    async def on_work_stopped(self, message: WorkStopped) -> None:
        """Say so; what was there before stays."""
        if message.request is self._request:
            self._request = None
            await self.query_one(Results).restore(self._before)
            self.show_status(f"Stopped after {self._spent():.1f} s.")

    async def show_failure(self, failure: WorkFailed) -> None:
        """Show the failure above the items, unless another request began meanwhile."""
        if failure.request is not None:
            if failure.request is not self._request:
                return
            self._request = None
            if failure.what == _CORRECTION:  # the question stands, and so does its answer
                await self.query_one(Results).restore(self._before)
            else:
                await self.clear_answer()
        self.show_status("")
        self.say([failure.error, failure.remedy])

    def on_domains_loaded(self, message: DomainsLoaded) -> None:
        """Know what there is to ask about."""
        self._insert_example, shows = False, self._insert_example
        self._domains = message.domains
        self._show_choices()
        prompt = self.query_one(Prompt)
        examples = [one for domain in self._domains for one in domain.examples]
        if shows and examples and not prompt.value:
            prompt.value = examples[0]
            prompt.cursor_position = len(examples[0])

    async def _forget(self, _: str) -> None:
        """Let go of all that was said here: questions are read again, an answer may name them."""
        self.query_one(Prompt).questions = QuestionHistory(self.app.folder)
        await self.clear_answer()
        self.say([])
        self.show_status("")

    # --- drawing ---

    def _tick(self) -> None:
        if self._request is not None and not self._request.stopped.is_set():
            self.show_status(f"Thinking, {self._spent():.1f} s. Esc stops.")

    def _spent(self) -> float:
        return time.monotonic() - self._started
