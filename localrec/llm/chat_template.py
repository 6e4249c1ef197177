"""Render messages into the pieces of a prompt by the GGUF's own Jinja chat template.

The template is rendered with a placeholder for each content, and then cut at the placeholders. So
the tokeniser reads control tokens only in the template's own text: text of a user or a catalogue
stays letters.

Two habits of templates are met halfway. One that knows no system role, or puts it before the last
turn, gets the instructions at the head of the first user's turn. One that ends the prompt within a
thought has that thought closed, because a role asks for the answer alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelError

if TYPE_CHECKING:
    from jinja2 import Template

_USE_ANOTHER = "Use an instruct or chat model with an ordinary template."
_OPEN_THOUGHT = "<think>"
_CLOSED_THOUGHT = "\n\n</think>\n\n"
# Marks of what a training learns from; for a prompt they stand for nothing.
_MASK_TAGS = re.compile(r"{%-?\s*(?:end)?generation\s*-?%}")
_FIXED_DAY = datetime(2026, 1, 1)  # for templates that ask for today: see `ChatTemplate`


class Piece(msgspec.Struct, frozen=True):
    """A segment of the prompt; control tokens are parsed in it only where `trusted`."""

    text: str
    trusted: bool


class ChatTemplate:
    """A compiled chat template.

    Args:
        source: Jinja text from the GGUF. It runs in an immutable sandbox: it comes with a
            downloaded file.
        bos: Text of the token that begins a sequence, as the template may write it.
        eos: Text of the token that ends one.

    Raises:
        ModelError: the template does not compile.
    """

    def __init__(self, source: str, bos: str = "", eos: str = "") -> None:
        # jinja2 is needed in the model's process only; here it would slow down every start.
        from jinja2 import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        self._failure = TemplateError
        # The two switches and loop controls are what chat templates are written for. Its clock
        # stands still: a date in a system prompt would spoil the prefix cache every midnight.
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
        )
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = _FIXED_DAY.strftime
        self._specials = {"bos_token": bos, "eos_token": eos}
        try:
            self._template: Template = environment.from_string(_MASK_TAGS.sub("", source))
        except TemplateError as error:
            raise ModelError(
                f"The model's chat template does not compile: {error}.", _USE_ANOTHER
            ) from error

    def render(self, messages: Sequence[Message]) -> tuple[Piece, ...]:
        """Render the prompt up to the assistant's turn, contents apart from the template.

        Pieces alternate: template, content of message 0, template, content of message 1, and so
        on to a last template piece; so content `i` is piece `2 * i + 1`.

        Raises:
            ModelError: the template refuses these messages, drops one or puts them in another
                order.
        """
        if not messages:
            raise ModelError("A prompt needs at least one message.")
        between = _without_open_thought(self._render_between(messages, add_generation_prompt=True))
        pieces = [Piece(between[0], trusted=True)]
        for message, template_text in zip(messages, between[1:], strict=True):
            pieces.append(Piece(message.content, trusted=False))
            pieces.append(Piece(template_text, trusted=True))
        return tuple(pieces)

    def answer_lead(self) -> str:
        """Return the white space that the template puts before an answer: `" "` or nothing.

        Some templates end the prompt at the assistant's mark and write history as mark, space,
        answer; there the first token of an answer is the one with the space in it.
        """
        question = Message("user", "?")
        try:
            asked = _without_open_thought(
                self._render_between([question], add_generation_prompt=True)
            )[1]
            history = self._render_between(
                [question, Message("assistant", "!")], add_generation_prompt=False
            )[1]
        except ModelError:  # a template that takes no answer as history implies nothing
            return ""
        return " " if history == asked + " " else ""

    def _render_between(
        self, messages: Sequence[Message], *, add_generation_prompt: bool
    ) -> list[str]:
        """Template text before, between and behind the contents: one more than messages."""
        marks = [f"\ue000{number}\ue001" for number in range(len(messages))]
        roles = [message.role for message in messages]
        plain = [{"role": role, "content": mark} for role, mark in zip(roles, marks, strict=True)]
        try:
            return _cut(self._render_text(plain, add_generation_prompt), marks)
        except ModelError:
            if roles[:2] == ["system", "user"]:
                first = {"role": "user", "content": f"{marks[0]}\n\n{marks[1]}"}
                with suppress(ModelError):
                    return _cut(
                        self._render_text([first, *plain[2:]], add_generation_prompt), marks
                    )
            # Templates of some models that see know contents as lists of typed parts only.
            parts = [
                {"role": role, "content": [{"type": "text", "text": mark}]}
                for role, mark in zip(roles, marks, strict=True)
            ]
            with suppress(ModelError):
                return _cut(self._render_text(parts, add_generation_prompt), marks)
            raise

    def _render_text(self, turns: Sequence[Mapping[str, Any]], add_generation_prompt: bool) -> str:
        # Templates of models that think aloud know `enable_thinking`; the others ignore it.
        context: dict[str, Any] = {
            **self._specials,
            "messages": turns,
            "add_generation_prompt": add_generation_prompt,
            "enable_thinking": False,
            "tools": None,
        }
        try:
            return self._template.render(context)
        # A template is a program out of a file: it may add text to a list or index past its end.
        except (self._failure, TypeError, ValueError, LookupError, ArithmeticError) as error:
            raise ModelError(
                f"The model's chat template refuses this conversation: {error}.",
                "Use another model, or put the instructions into the user's turn.",
            ) from error


def _cut(text: str, marks: Sequence[str]) -> list[str]:
    between = []
    for mark in marks:
        before, found, text = text.partition(mark)
        if not found:
            raise ModelError(
                "The model's chat template leaves out or reorders messages.", _USE_ANOTHER
            )
        between.append(before)
    if "\ue000" in text or any("\ue000" in part for part in between):
        raise ModelError("The model's chat template repeats a message.", _USE_ANOTHER)
    return [*between, text]


def _without_open_thought(between: list[str]) -> list[str]:
    """Close a thought that the template opened for the model."""
    if not between[-1].rstrip().endswith(_OPEN_THOUGHT):
        return between
    return [*between[:-1], between[-1].rstrip() + _CLOSED_THOUGHT]


def _refuse(message: str) -> NoReturn:
    """Raise the error of a template that does not support a role or an order of turns."""
    raise ValueError(message)
