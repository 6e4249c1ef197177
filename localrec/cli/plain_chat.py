"""`localrec ask --plain`: a conversation line by line, as a screen reader reads it.

No colour, no table, no line is ever drawn over. What was read, and the models, stay from question
to question; the store is let go a second after each, so that a conversation that waits for its next
line keeps nobody out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.data.answers import Answer
from localrec.data.recommendations import RecommendedItem
from localrec.data.rows import Event
from localrec.foundation.errors import LocalrecError, UsageError
from localrec.understanding.follow_up import follow_up_words
from localrec.workspace.warm_workspace import WarmWorkspace

if TYPE_CHECKING:
    from localrec.data.query import Query
    from localrec.data.questions import Question
    from localrec.graph.interactions import FeedbackRecord

_HELP = """\
Type a question, or one of these words. What begins with but, and, without, no or only goes on
from the question before; new: and a question asks it for itself.
more NUMBER: all that speaks for an item.
like NUMBER, dislike NUMBER, seen NUMBER, not now NUMBER: what you think of it; a reason may follow.
undo: take back what you said last.
I am NAME: who is speaking; I am new, NAME: somebody new, whoever has a name like it.
picture FILE: what the next questions are about; no picture puts it away.
again: read the answer again.
help: this list.
quit: the end."""
_VERDICTS = {
    "like": Event.LIKED,
    "dislike": Event.DISLIKED,
    "seen": Event.SEEN,
    "not now": Event.LATER,
}
_FEEDBACK_TEXT = {
    Event.LIKED: "likes",
    Event.DISLIKED: "dislikes",
    Event.SEEN: "knows",
    Event.LATER: "puts off",
}


class ChatOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a whole conversation; the options of `ask` say what each means."""

    workspace: Path
    user: str | None = None
    have: str | None = None
    image: Path | None = None
    k: int = 3
    system: str = "marc"
    no_model: bool = False
    domain: str | None = None


def converse(options: ChatOptions, first: str | None = None) -> None:
    """Talk with whoever types on stdin, until "quit" or the end of it.

    Args:
        options: The options.
        first: A question that was given with the command; None for none.
    """
    if first is None:
        _say("Type a question, or help.")
    conversation = PlainChat(options)
    _say(conversation.told_if_new())
    try:
        for line in chain(() if first is None else (first,), sys.stdin):
            if line.strip().casefold() in ("quit", "exit"):
                return
            try:
                _say(*conversation.reply(line))
            except LocalrecError as error:
                _say(error.message, error.hint)
    finally:
        conversation.close()


class PlainChat:
    """Answers lines; knows the last answer and who speaks."""

    def __init__(self, options: ChatOptions) -> None:
        self._talk = options
        self._user = options.user
        self._is_new = False  # whether they said so
        self._image = options.image
        self._answer: Answer | None = None
        self._last_question: tuple[Question, Query] | None = (
            None  # the last question, as it was read
        )
        self._domain = ""
        self._warm = WarmWorkspace(options.workspace)

    def close(self) -> None:
        """Let the store go and end the models."""
        self._warm.close()

    def reply(self, line: str) -> Iterator[str]:
        """The lines that answer one line.

        Raises:
            LocalrecError: it cannot be answered; the conversation goes on.
        """
        text = " ".join(line.split())
        folded = text.casefold()
        if not text:
            return iter(())
        if folded == "help":
            return iter(_HELP.splitlines())
        if folded == "again":
            return self._read_out()
        if folded == "undo":
            return self._undo()
        if folded.startswith("i am "):
            return self._introduce(text[len("i am ") :])
        if folded == "no picture" or folded.startswith("picture "):
            return self._show(line.strip()[len("picture ") :] if folded[0] == "p" else "")
        word, _, rest = text.partition(" ")
        if word.casefold() == "more" and rest.isdecimal():
            return self._explain(self._item(rest))
        for said, event in _VERDICTS.items():
            number, _, reason = text[len(said) :].strip().partition(" ")
            if folded.startswith(f"{said} ") and number.isdecimal():
                return self._store_feedback(self._item(number), event, reason)
        added = follow_up_words(text)
        if added is not None and self._last_question is not None:
            self._answer = self._refine(*self._last_question, added)
        else:
            self._answer = self._ask(text[len("new:") :] if folded.startswith("new:") else text)
        return self._read_out()

    def _ask(self, text: str) -> Answer:
        from localrec.data.questions import Question
        from localrec.foundation.text import clean_text
        from localrec.systems.marc import Marc
        from localrec.systems.registry import SYSTEM_REGISTRY
        from localrec.understanding.query_parser import LONGEST_QUESTION
        from localrec.workspace.domain_choice import domain_of_question

        options = self._talk
        image = None if self._image is None else str(self._image)
        text = clean_text(text, LONGEST_QUESTION + 1)  # 1 more tells that it is cut
        question = Question(query=text, user=self._user, have=options.have, image=image)
        self._last_question = None
        with self._warm.lease() as opened:
            words = text if options.have is None else f"{text} with {options.have}"
            self._domain = domain_of_question(
                opened, words, options.domain, user=self._user, with_image=image is not None
            )
            context = opened.context(self._domain, self._user)
            system = SYSTEM_REGISTRY.answerer(
                context, options.system, without_model=options.no_model
            )
            assert isinstance(system, Marc), options.system
            query = system.understand(question)
            answer = system.answer_query(question, query, options.k)
        self._last_question = question, query
        return answer

    def _refine(self, question: Question, query: Query, added: str) -> Answer:
        """Answer the last question again with one more wish, read without a model."""
        from localrec.systems.marc import Marc
        from localrec.systems.registry import SYSTEM_REGISTRY
        from localrec.understanding.refinement import add_constraints

        options = self._talk
        question = msgspec.structs.replace(question, user=self._user)
        with self._warm.lease() as opened:
            context = opened.context(self._domain, self._user)
            system = SYSTEM_REGISTRY.answerer(context, options.system, without_model=True)
            assert isinstance(system, Marc), options.system
            query = add_constraints(query, added, context.vocabulary)
            answer = system.answer_query(question, query, options.k)
        self._last_question = question, query
        return answer

    def _read_out(self) -> Iterator[str]:
        answer = self._answer
        if answer is None:
            raise UsageError("There is no answer yet.", "Type a question first.")
        if answer.message:
            yield answer.message
        for typed, meant in answer.intent.corrected.items():
            yield f"I read {typed} as {meant}."
        for item in answer.items:
            yield from _item_lines(item)
        if answer.near_misses:
            yield "Close, but missing something:"
        for number, item in enumerate(answer.near_misses, len(answer.items) + 1):
            yield from _item_lines(msgspec.structs.replace(item, rank=number))

    def _explain(self, item: RecommendedItem) -> Iterator[str]:
        yield f"{item.name}. Score {item.score:.2f}."
        for edge in item.evidence:
            value = f", {edge.value}" if edge.value else ""
            yield f"{edge.source}, {edge.relation.replace('_', ' ').lower()}, {edge.target}{value}."

    def _item(self, number: str) -> RecommendedItem:
        answer = self._answer
        items = () if answer is None else (*answer.items, *answer.near_misses)
        if not 1 <= int(number) <= len(items):
            raise UsageError(f"There is no item {number}.", "Type again to hear the answer again.")
        return items[int(number) - 1]

    def _introduce(self, name: str) -> Iterator[str]:
        from localrec.cli.context import user_key

        new, comma, called = name.partition(",")
        self._is_new = new.casefold() == "new" and bool(comma)
        self._user = user_key(called if self._is_new else name)
        yield f"Hello, {self._user}."
        yield self.told_if_new()

    def told_if_new(self) -> str:
        """Say that nobody of this name is known yet; "" where somebody is, or there is no store."""
        from localrec.graph.item_lookup import told_if_new
        from localrec.graph.journal import STORE, open_settled

        if self._user is None or not (self._talk.workspace / STORE).is_file():
            return ""
        with open_settled(self._talk.workspace, read_only=True) as store:
            return told_if_new(store, self._user)

    def _show(self, path: str) -> Iterator[str]:
        """Take a picture that the next questions are about; "" puts it away."""
        from localrec.images.opening import open_image

        if path:
            open_image(path)
        self._image = Path(path) if path else None
        yield f"The questions are about {path} now." if path else "The picture is put away."

    def _store_feedback(self, item: RecommendedItem, event: Event, reason: str) -> Iterator[str]:
        from localrec.graph.item_lookup import meant_or_new
        from localrec.memory.feedback import record_feedback
        from localrec.workspace import OpenWorkspace
        from localrec.workspace.domain_choice import find_item

        user = self._speaker()
        insist = f"type: I am new, {user}"
        with self._warm.released(), OpenWorkspace(self._talk.workspace, writable=True) as opened:
            meant_or_new(opened.store, user, is_new=self._is_new, insist=insist)
            domain, item_id, _ = find_item(opened, item.key, self._domain, user)
            said = record_feedback(
                opened.store, domain, user, item_id, event, reason=reason or None
            )
        yield f"Noted: {_feedback_sentence(said)}"

    def _undo(self) -> Iterator[str]:
        from localrec.memory.feedback import retract_feedback
        from localrec.workspace import OpenWorkspace
        from localrec.workspace.domain_choice import domain_of_last_feedback

        user = self._speaker()
        with self._warm.released(), OpenWorkspace(self._talk.workspace, writable=True) as opened:
            said = retract_feedback(opened.store, domain_of_last_feedback(opened, user), user)
        yield (
            "There is nothing to take back."
            if said is None
            else f"Taken back: {_feedback_sentence(said)}"
        )

    def _speaker(self) -> str:
        if self._user is None:
            raise UsageError("I do not know who is speaking.", "Type: I am, and your name.")
        return self._user


def _item_lines(item: RecommendedItem) -> Iterator[str]:
    mark = "" if item.satisfies else " Not all you asked for."
    yield f"{item.rank}: {item.name}.{mark}"
    if item.reason:
        yield item.reason
    if item.missing:
        yield f"Missing: {', '.join(item.missing)}."


def _feedback_sentence(feedback: FeedbackRecord) -> str:
    verb = _FEEDBACK_TEXT.get(feedback.event, feedback.event.value)
    sentence = f"{feedback.user} {verb} {feedback.name}"
    return f"{sentence}, because: {feedback.reason}" if feedback.reason else f"{sentence}."


def _say(*lines: str) -> None:
    """Lines on stdout, cleaned of what could move a cursor, at once."""
    from localrec.foundation.text import clean_text

    for line in lines:
        if line:
            sys.stdout.write(f"{clean_text(line)}\n")
    sys.stdout.flush()
