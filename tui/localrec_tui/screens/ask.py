"""Ask: a question, how it was read, and the answer; each of them to be mended by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import msgspec
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Footer, Input, Static

from localrec.data.recommendations import RecommendedItem
from localrec.foundation.errors import WorkspaceError
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
from localrec_tui.screens.answer_view import AnswerScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.text import TextDialog
from localrec_tui.services.records import (
    AGENTIC,
    AGENTIC_FUSED,
    MARC,
    MARC_MODEL,
    DomainSummary,
    IntentCorrection,
    OnItems,
    QuestionRequest,
    RequestHandle,
)
from localrec_tui.widgets.chips import ChipButton
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.nav_bar import NavBar
from localrec_tui.widgets.prompt import Prompt
from localrec_tui.widgets.results import ItemCards, Results
from localrec_tui.widgets.side_pane import SidePane
from localrec_tui.workers import run_in_thread

_WIDE = 100  # columns from which the chosen item stands beside a table of all
_HUGE = 160  # columns from which the person has a column too
_TICK_S = 0.2
_BY_RULES = "rules"
_SYSTEMS = (
    ChoiceItem(MARC, "as measured best", "each role by whoever was measured to be better"),
    ChoiceItem(MARC_MODEL, "a local model", "every role by the model: slower"),
    ChoiceItem(_BY_RULES, "no model", "every role by rules and measures"),
    ChoiceItem(
        AGENTIC_FUSED, "tools", "what all tools know of the person, weighed without a model"
    ),
    ChoiceItem(AGENTIC, "an agent", "a local model asks the tools: slowest"),
)
_NAMES = {one.value: one.name for one in _SYSTEMS}
_ANY = "*"  # the choice of no domain in particular
_CORRECTION = "corrected question"


class AskScreen(AnswerScreen):
    """Where questions are asked."""

    TITLE = "Ask"
    HELP = (
        "Type what you would like and press Enter; Up brings back what you asked before. With a "
        "person chosen, Enter on an empty line lists what they may like.\n\n"
        "Below the line stand the wishes that were read in your question. Go there with Tab, and "
        "take one out with Enter; F4 adds one. The answer follows at once, without the model. F3 "
        "corrects what kind of question it is: how it looks, what holds it, what is in it, or "
        "what it is like.\n\n"
        "Down leads to the answer. Enter shows all about an item; L, D, S and N say what you think "
        "of it, with Shift they ask for a reason, U takes the last word back. Esc stops a question "
        "that takes long."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_WIDE, "-wide"), (_HUGE, "-huge")]  # noqa: RUF012 - as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", show=False, id="stop"),
        Binding("f2", "pick_user", "Person", show=False, id="person"),
        Binding("f3", "pick_task", "Kind of question", show=False, id="task"),
        Binding("f4", "pick_wish", "Add a wish", show=False, id="add_wish"),
        Binding("f5", "pick_domain", "Domain", show=False, id="domain"),
        Binding("f6", "pick_system", "Who answers", show=False, id="system"),
        Binding("f8", "pick_image", "Picture", show=False, id="image"),
    ]
    DEFAULT_CSS = """
    AskScreen.-narrow #top { layout: grid; grid-size: 2 2; height: 2; }
    AskScreen.-huge #side { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._domains: tuple[DomainSummary, ...] = ()
        self._domain: str | None = None
        self._image: Path | None = None
        self._system = MARC
        self._request: RequestHandle | None = None
        self._started = 0.0
        self._insert_example = False

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
        yield Prompt(QuestionHistory(self.app.folder))
        yield from self.compose_answer()
        yield Static(id="status", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin in the line; what the workspace has is asked once the screen is painted."""
        self.watch(self.app, "user", self._show_user)
        self.app.feedback_stored.subscribe(self, self._mark)
        self.app.user_forgotten.subscribe(self, self._forget)
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

    def load_domains(self, *, example: bool = False) -> None:
        """Find out what the workspace has.

        Args:
            example: Put an example of a question into the line.
        """
        services = self.app.services
        self._insert_example = example
        run_in_thread(self, "domains", lambda: DomainsLoaded(services.domains()))

    # --- keys ---

    async def action_stop(self) -> None:
        """Stop what runs; where nothing does, go back to the line."""
        if self._request is not None:
            self._stop(self._request)
            self.show_status("Stopping …")
        else:
            self.query_one(Prompt).focus()

    def action_pick_domain(self) -> None:
        """Say what questions are about."""
        found = [ChoiceItem(one.name, one.plural, f"{one.items:,}") for one in self._domains]
        choices = [ChoiceItem(_ANY, "anything", "whatever the words fit best"), *found]
        screen = ChoiceDialog("What is it about?", choices, self._domain or _ANY)
        self.app.push_screen(screen, self._domain_picked)

    def action_pick_image(self) -> None:
        """Say which picture questions are about."""
        title = "Which picture are your questions about?"
        screen = TextDialog(title, "its path; Enter without one for none")
        self.app.push_screen(screen, self._image_picked)

    def action_pick_system(self) -> None:
        """Say who answers."""
        screen = ChoiceDialog("Who answers?", _SYSTEMS, self._system)
        self.app.push_screen(screen, self._system_picked)

    # --- what was picked ---

    def _domain_picked(self, domain: str | None) -> None:
        if domain is not None:
            self._domain = None if domain == _ANY else domain
            self._show_choices()

    def _image_picked(self, path: str | None) -> None:
        if path is not None:
            self._image = Path(path).expanduser() if path else None
            self._show_choices()

    def _system_picked(self, system: str | None) -> None:
        if system is not None:
            self._system = system
            self._show_choices()

    # --- asking ---

    @on(Input.Submitted, "#prompt")
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        user = self.app.user
        self.query_one(Prompt).select_all()  # what is typed next is another question
        if text:
            self._remember(text)
            self._corrected_task = None
            self._ask(text)
        elif user is not None:
            self._list_for(user)
        else:
            self.show_status("Type what you would like, or choose a person with F2 for a list.")

    @on(Prompt.Left)
    def _below_the_line(self) -> None:
        self.query_one(Results).take_focus()

    def _ask(self, text: str) -> None:
        services = self.app.services
        asked = QuestionRequest(
            text=text,
            user=self.app.user,
            domain=self._domain,
            system=MARC if self._system == _BY_RULES else self._system,
            without_model=self._system == _BY_RULES,
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
        asked = msgspec.structs.replace(before.asked, user=self.app.user, domain=before.domain)
        self._begin(
            _CORRECTION,
            lambda request, on_items: AnswerReady(
                request, services.ask_intent(asked, corrected, request, on_items)
            ),
        )

    def _list_for(self, user: str) -> None:
        services, domain, k = self.app.services, self._domain, QuestionRequest(text="").k
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
            self.show_status(answer_provenance(message.answered.answer, self._spent()))

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
        self._domains = message.domains
        self._show_choices()
        prompt = self.query_one(Prompt)
        examples = [one for domain in self._domains for one in domain.examples]
        if self._insert_example and examples and not prompt.value:
            prompt.value = examples[0]
            prompt.cursor_position = len(examples[0])

    async def _forget(self, _: str) -> None:
        """Let go of all that was said here: questions are read again, an answer may name them."""
        self.query_one(Prompt).questions = QuestionHistory(self.app.folder)
        await self.clear_answer()
        self.say([])
        self.show_status("")

    # --- drawing ---

    def _show_choices(self) -> None:
        plurals = {one.name: one.plural for one in self._domains}
        about = "anything" if self._domain is None else plurals.get(self._domain, self._domain)
        if self._domain is None and len(plurals) == 1:
            about = next(iter(plurals.values()))
        self.query_one("#domain", ChoiceField).show(about)
        self.query_one("#system", ChoiceField).show(_NAMES[self._system])
        self.query_one("#image", ChoiceField).show(
            "none" if self._image is None else self._image.name
        )

    def _tick(self) -> None:
        if self._request is not None and not self._request.stopped.is_set():
            self.show_status(f"Thinking, {self._spent():.1f} s. Esc stops.")

    def _spent(self) -> float:
        return time.monotonic() - self._started
