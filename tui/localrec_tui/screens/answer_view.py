"""The part of the Ask room that shows an answer, and how its question was read."""

from __future__ import annotations

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from localrec.data.answers import Answer
from localrec.data.query import TaskKind
from localrec.data.recommendations import Recommendations
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec_tui.answer_markdown import answer_markdown, save_markdown
from localrec_tui.answer_text import (
    answer_remarks,
    list_remarks,
    task_label,
    task_meaning,
    task_reason,
)
from localrec_tui.constraint_chips import intent_chips, without_chip
from localrec_tui.messages import AnswerSaved, AnswerUnsaved, FeedbackStored, VerdictsLoaded
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.item import ItemScreen
from localrec_tui.screens.text import TextDialog
from localrec_tui.screens.user import UserScreen
from localrec_tui.services.records import AnsweredQuestion, IntentCorrection
from localrec_tui.widgets.chips import Chips
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.prompt import Prompt
from localrec_tui.widgets.results import Results
from localrec_tui.widgets.shown_items import ShownItem
from localrec_tui.widgets.side_pane import SidePane
from localrec_tui.workers import run_in_thread

NOTHING_HERE = (
    "Nothing is here yet. Press 1 and Enter to begin with the bundled drinks, 6 to import."
)
_BY_ROUTER = "router"


class AnswerScreen(UserScreen):
    """Shows an answer, and lets the user correct how its question was read."""

    DEFAULT_CSS = """
    AnswerScreen #reading { height: 1; margin: 0 1; }
    AnswerScreen #why {
        width: 1fr; height: 1; color: $text-muted; margin-right: 1;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    AnswerScreen #said { height: auto; max-height: 6; margin: 0 2; text-style: italic; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._answered: AnsweredQuestion | None = None
        self._corrected_task: TaskKind | None = None  # as the user corrected it, for one question
        self._shown_domain = ""
        self._before: tuple[ShownItem, ...] = ()  # the items that the next answer replaces

    def compose_answer(self) -> ComposeResult:
        """Compose the reading of the question, the remarks and the items."""
        yield Chips()  # first behind the line, so that Tab leads to the wishes
        with Horizontal(id="reading", classes="-none"):
            yield ChoiceField("", "F3", id="task")
            yield Static(id="why", markup=False)
            yield ChoiceField("", "F4", id="wish")
        yield Static(id="said", markup=False, classes="-none")
        yield Results()

    def action_copy_answer(self) -> None:
        """Copy the answer as Markdown."""
        if text := self._markdown():
            self.app.copy_to_clipboard(text)
            self.notify("The answer is copied, as Markdown.")

    def action_save_answer(self) -> None:
        """Write the answer to a Markdown file."""
        if text := self._markdown():
            self._ask_file(text)

    def _ask_file(self, text: str, typed: str = "", fault: str = "") -> None:
        def named(path: str | None) -> None:
            if path:
                run_in_thread(self, "writing", lambda: _written(path, text))

        title, hint = "To which Markdown file?", "such as ~/drinks-for-friday.md"
        self.app.push_screen(TextDialog(title, hint, typed, fault), named)

    def on_answer_saved(self, message: AnswerSaved) -> None:
        """Say where it is."""
        self.notify(f"The answer is in {message.path}.", markup=False)

    def on_answer_unsaved(self, message: AnswerUnsaved) -> None:
        """Ask again for the file, with what was typed in the line, unless the user has left."""
        if self.is_active:
            self._ask_file(message.text, message.path, message.fault)
        else:
            self.notify(message.fault, severity="warning", markup=False)

    def _markdown(self) -> str:
        """The answer that is shown; "" and a sentence where there is none."""
        shown = self.query_one(Results).shown
        if not shown:
            self.notify("There is no answer yet.")
            return ""
        answered = self._answered
        title = f"For {self.app.user}" if answered is None else answered.question.text
        message = "" if answered is None else answered.answer.message
        items = [one.item for one in shown if not one.is_near_miss]
        near = [one.item for one in shown if one.is_near_miss]
        return answer_markdown(title, items, near, message)

    def action_pick_task(self) -> None:
        """Correct what kind of question it is."""
        if self._answered is None:
            self.notify("Ask something first.")
            return
        domain = load_domain(self._answered.domain)
        kinds = [
            ChoiceItem(kind.value, task_meaning(kind, domain.name), kind.value) for kind in TaskKind
        ]
        router = ChoiceItem(_BY_ROUTER, "as read", "leave it to the router")
        chosen = self._answered.answer.task.kind.value
        title = "What kind of question is it?"
        self.app.push_screen(ChoiceDialog(title, [*kinds, router], chosen), self._task_picked)

    def action_pick_wish(self) -> None:
        """Add a wish to the question."""
        if self._answered is None:
            self.notify("Ask something first.")
            return
        screen = TextDialog("What else?", "such as: no cream")
        self.app.push_screen(screen, self._wish_added)

    def _task_picked(self, kind: str | None) -> None:
        if kind is not None and self._answered is not None:
            self._corrected_task = None if kind == _BY_ROUTER else TaskKind(kind)
            self.ask_again(
                IntentCorrection(intent=self._answered.intent, task=self._corrected_task)
            )

    def _wish_added(self, words: str | None) -> None:
        if words and self._answered is not None:
            intent = self._answered.intent
            self.ask_again(IntentCorrection(intent=intent, more=words, task=self._corrected_task))

    @on(Chips.Removed)
    def _wish_removed(self, event: Chips.Removed) -> None:
        if self._answered is not None:
            intent = without_chip(self._answered.intent, event.chip)
            self.ask_again(IntentCorrection(intent=intent, task=self._corrected_task))

    def ask_again(self, corrected: IntentCorrection) -> None:
        """Ask the question again, read as the user corrected it."""
        raise NotImplementedError

    async def show_answer(self, answered: AnsweredQuestion) -> None:
        """Show the answer to a question."""
        answer, domain = answered.answer, answered.domain
        self._answered, self._shown_domain = answered, domain
        self.set_tone(domain)
        self._show_task(answer)
        chips = intent_chips(answered.intent, load_domain(domain), answered.item_names)
        await self.query_one(Chips).show(chips)
        self.say(answer_remarks(answer))
        results = self.query_one(Results)
        await results.show(domain, answer.items, answer.near_misses, answered.item_matches_by_key)
        self._tell_way()
        self._load_verdicts()

    async def show_list(self, found: Recommendations) -> None:
        """Show a list that answers no question."""
        self._answered, self._shown_domain = None, found.domain
        self.set_tone(found.domain)
        await self._hide_reading()
        self.say(list_remarks(found))
        await self.query_one(Results).show(found.domain, found.items)
        self._tell_way()
        self._load_verdicts()
        self.show_status(f"A list for {found.user}, from {found.history:,} items of their history.")

    async def clear_answer(self) -> None:
        """Remove the answer, and the reading of its question."""
        self._answered, self._before = None, ()
        await self._hide_reading()
        await self.query_one(Results).show(self._shown_domain, ())
        self._tell_way()

    def _tell_way(self) -> None:
        """Say how the answer is reached from the line."""
        self.query_one(Prompt).tell_way("the answer" if self.query_one(Results).shown else "")

    def say(self, sentences: list[str]) -> None:
        """Show sentences above the items; without any, the lines are free for items."""
        told = "\n".join(filter(None, sentences))
        said = self.query_one("#said", Static)
        said.update(told)
        said.set_class(not told, "-none")

    def _show_user(self, user: str | None) -> None:
        self._show_user_name(user)
        self.query_one(Results).unmark()
        self._before = tuple(msgspec.structs.replace(one, verdict="") for one in self._before)
        self._load_verdicts()

    def _load_verdicts(self) -> None:
        """Read what the user said of the shown items before, here or in an export."""
        feedback, user, domain = self.app.services.feedback, self.app.user, self._shown_domain
        keys = [one.item.key for one in self.query_one(Results).shown]
        self.query_one(SidePane).look(domain)
        if user is not None and keys:
            run_in_thread(
                self,
                "what was said",
                lambda: VerdictsLoaded(user, domain, feedback.verdicts(domain, user, keys)),
                is_logged=False,
            )

    def on_verdicts_loaded(self, message: VerdictsLoaded) -> None:
        """Mark the items with it, unless somebody else sits here by now."""
        if message.user == self.app.user:
            self.query_one(Results).mark_all(message.domain, message.verdicts)

    def _show_task(self, answer: Answer) -> None:
        task = answer.task
        self.query_one("#task", ChoiceField).show(task_label(task, self._shown_domain))
        # The reason comes first: what a narrow terminal cuts off is how sure the reading is.
        why = f"{task_reason(task)} ({task.confidence:.0%} sure)"
        self.query_one("#why", Static).update(why)
        self.query_one("#wish", ChoiceField).show("add a wish")
        self.query_one("#reading").set_class(False, "-none")

    async def _hide_reading(self) -> None:
        self.query_one("#reading").set_class(True, "-none")
        await self.query_one(Chips).show(())

    def _mark(self, message: FeedbackStored) -> None:
        """Mark the item that got feedback in any room, as the store has it."""
        if message.feedback is not None and message.user == self.app.user:
            self.query_one(Results).mark(message.domain, message.feedback.item, message.holds)
            self.query_one(SidePane).look(self._shown_domain)

    @on(Results.ItemOpened)
    def _opened(self, event: Results.ItemOpened) -> None:
        answer = None if self._answered is None else self._answered.answer
        self.app.push_screen(ItemScreen(event.shown, self._shown_domain, answer))


def _written(path: str, text: str) -> AnswerSaved | AnswerUnsaved:
    """Write an answer to a new file, and tell where it is or why it is not."""
    try:
        return AnswerSaved(str(save_markdown(path, text)))
    except InputError as error:
        return AnswerUnsaved(path, text, f"{error.message} {error.hint}")
