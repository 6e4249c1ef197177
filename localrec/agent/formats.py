"""Write, constrain and parse the turns of an agent, in plain text or in native tool calls.

    plain    Think: What do they like?        native   What do they like?
             Act: similar_items(3)                     <tool_call>
                                                       {"name": ..., "arguments": {...}}
                                                       </tool_call>

    plain    Think: The third fits best.      native   The third fits best.
             Rank: [3, 17, 8]                          <answer>\boxed{[3, 17, 8]}</answer>

Any model can write the plain format; Hermes and Qwen were trained on the native one (AgenticRec,
appendix A). A grammar restricts a turn to a known tool with valid arguments, or to the beginning of
a ranking. A grammar cannot know which numbers were written, so the model writes a ranking number
by number, each under a grammar of the remaining ones.

The parsers need no grammar: a model in training writes freely, and its malformed turns count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Protocol

from localrec.agent.prompts import goal_text, request_text, tool_signature
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import LONGEST_TITLE, Tool, ToolParameter
from localrec.data.chat_message import Message
from localrec.data.trajectory import ToolCall
from localrec.foundation.errors import ModelError
from localrec.foundation.text import clean_text
from localrec.llm.chat_model import ChatModel
from localrec.llm.structured_output import parse_numbers

_LONGEST_THOUGHT = 400  # characters of one that is kept as the thought of a step
_SHOWN_CHARACTERS = 60

# What a thought and a text may be made of: letters with the accents of European names, digits, the
# marks of prose. No quotation marks, brackets or backslashes, so nothing needs to be escaped.
_START = "A-Za-zÀ-ÖØ-öø-ž0-9"
_PLAIN = f"{_START} ,;:.!?'()&%/+-"


class TurnFormat(Protocol):
    """One way to write turns."""

    @property
    def name(self) -> str:
        """The name of the format in a trajectory."""
        ...

    @property
    def begun(self) -> str:
        """The end of a turn where the ranking begins."""
        ...

    @property
    def done(self) -> str:
        """The text behind the last number of a ranking."""
        ...

    def initial_prompt(
        self, tool_context: ToolContext, tools: Sequence[Tool], *, budget: int, k: int, history: int
    ) -> tuple[Message, ...]:
        """Return the first messages: the system's, shared by many requests, and the user's.

        Args:
            tool_context: The request.
            tools: The tools that may be asked; without any the model ranks at once.
            budget: Most calls of tools.
            k: Numbers in the ranking.
            history: Only so many of the newest items are shown.
        """
        ...

    def turn_grammar(self, tools: Sequence[Tool], candidates: int, thought: int) -> str:
        """Write the GBNF of a thought of limited length, then a call or a ranking's beginning."""
        ...

    def written(self, call: ToolCall) -> str:
        """Write a call as a turn without a thought."""
        ...

    def observed(self, call: ToolCall, text: str) -> str:
        """Write an observation as the user's message behind its call."""
        ...

    def thought(self, text: str) -> str:
        """Read the thought of a turn, even a malformed one, on one line; "" where there is none."""
        ...

    def parse(
        self, text: str, tools: Sequence[Tool], candidates: int, k: int
    ) -> ToolCall | tuple[int, ...]:
        """Parse a turn into a tool call or a ranking of `k` different candidate numbers.

        Raises:
            ModelError: it does neither, or wrongly.
        """
        ...


def format_for(model: ChatModel) -> TurnFormat:
    """Return the turn format that a model was trained for."""
    return NATIVE if model.supports_tools else PLAIN


def number_grammar(remaining: Iterable[int], *, first: bool, end: str) -> str:
    """Write the GBNF of one of some numbers and its end; all but the first follow a space.

    A ranking is parted behind its commas: there every tokeniser starts anew, and a number that
    others begin with (1 and 17) is told from them by what ends it.
    """
    gap = "" if first else '" " '
    return f"root ::= {gap}({_one_of(map(str, remaining))}) {_literal(end)}\n"


class _Plain:
    """Turns of two lines: a thought, then a call or a ranking."""

    name = "plain"
    begun = "Rank: ["
    done = "]"

    _turn = re.compile(
        r"(?:Think:(?P<thought>[^\r\n]*)\n)?"
        r"(?:Act: (?P<tool>[a-z_][a-z0-9_]*)\((?P<arguments>[^\r\n]*)\)|Rank: (?P<ranking>\[.*\]))"
    )
    _argument = re.compile(r'"([^"]*)"|([^\s",()]+)')
    _arguments = re.compile(rf"(?:(?:{_argument.pattern})(?:, ?(?!$)|$))*")

    def initial_prompt(
        self, tool_context: ToolContext, tools: Sequence[Tool], *, budget: int, k: int, history: int
    ) -> tuple[Message, ...]:
        ranking = (
            f"the numbers of the {k} likeliest candidates, each once, the likeliest first:\n"
            "Think: why these come first\nRank: [number, number, ...]"
        )
        if tools:
            asked = "\n".join(f"- {tool_signature(tool)}: {tool.description}" for tool in tools)
            how = (
                f"These tools tell you more. You may ask {budget} times at most:\n{asked}\n\n"
                "Write two lines at a time. Either a thought and one question to a tool:\n"
                "Think: what you want to know\nAct: tool(arguments)\n"
                "You are then told what the tool says, and go on. Or, to end, a thought and "
            )
        else:
            how = "Write two lines, a thought and "
        return _initial_prompt(tool_context, f"{how}{ranking}", k, history)

    def turn_grammar(self, tools: Sequence[Tool], candidates: int, thought: int) -> str:
        calls = [_sequence(f"{tool.name}(", tool.parameters, _bare, ")") for tool in tools]
        acts = [f'"Act: " ({" | ".join(calls)})'] if calls else []
        acts.append(_literal(self.begun))
        return _grammar(f'"Think: " thought "\\n" ({" | ".join(acts)})', candidates, thought)

    def written(self, call: ToolCall) -> str:
        return f"Act: {_called(call)}"

    def observed(self, call: ToolCall, text: str) -> str:
        return f"Observation of {_called(call)}:\n{text}"

    def thought(self, text: str) -> str:
        first = text.lstrip().partition("\n")[0]
        return _kept(first.removeprefix("Think:")) if first.startswith("Think:") else ""

    def parse(
        self, text: str, tools: Sequence[Tool], candidates: int, k: int
    ) -> ToolCall | tuple[int, ...]:
        turn = self._turn.fullmatch(text.strip())
        if turn is None:
            raise _malformed(text)
        if turn["ranking"] is not None:
            return parse_numbers(turn["ranking"], 1, candidates, k, k)
        tool = _known(turn["tool"], tools)
        if not self._arguments.fullmatch(turn["arguments"]):
            raise _malformed(turn["arguments"])
        found = self._argument.findall(turn["arguments"])
        values = [_value(word) if word else text for text, word in found]
        if len(values) != len(tool.parameters):
            raise ModelError(f"The tool {tool.name} takes {len(tool.parameters)} arguments.")
        names = [one.name for one in tool.parameters]
        return tool.checked(dict(zip(names, values, strict=True)), candidates)


class _Native:
    """Turns of a thought and JSON, within the tags of the model's own tool calls."""

    name = "native"
    begun = "<answer>\\boxed{["
    done = "]}</answer>"

    # A turn that holds a tag elsewhere did more than one thing, or wrote its own observation.
    _turn = re.compile(
        r"(?P<thought>(?:(?!</?(?:tool_call|tool_response|answer)>).)*)"
        r"(?:<tool_call>\s*(?P<call>\{.*\})\s*</tool_call>"
        r"|<answer>\s*\\boxed\{\s*(?P<ranking>\[[^\]]*\])\s*\}\s*</answer>)",
        re.DOTALL,
    )

    def initial_prompt(
        self, tool_context: ToolContext, tools: Sequence[Tool], *, budget: int, k: int, history: int
    ) -> tuple[Message, ...]:
        ranking = (
            f"the numbers of the {k} likeliest candidates, each once, the likeliest first, in "
            "this form:\n<answer>\\boxed{[number, number, ...]}</answer>"
        )
        if not tools:
            return _initial_prompt(
                tool_context, f"Write one sentence of reasons, then {ranking}", k, history
            )
        schemas = "\n".join(
            json.dumps(tool.schema(len(tool_context.candidates)), ensure_ascii=False)
            for tool in tools
        )
        how = (
            "# Tools\n\nYou may call functions that tell you more, one at a time and "
            f"{budget} times at most. Their signatures stand within <tools></tools>:\n"
            f"<tools>\n{schemas}\n</tools>\n\n"
            "To call one, write one sentence on what you want to know, then its name and "
            "arguments as JSON within <tool_call></tool_call>:\n"
            '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
            "</tool_call>\n\nTo end, write one sentence of reasons, then "
        )
        return _initial_prompt(tool_context, f"{how}{ranking}", k, history)

    def turn_grammar(self, tools: Sequence[Tool], candidates: int, thought: int) -> str:
        acts = [
            _sequence(
                f'<tool_call>\n{{"name": "{tool.name}", "arguments": {{',
                tool.parameters,
                _keyed,
                "}}\n</tool_call>",
            )
            for tool in tools
        ]
        acts.append(_literal(self.begun))
        return _grammar(f'thought "\\n" ({" | ".join(acts)})', candidates, thought)

    def written(self, call: ToolCall) -> str:
        body = json.dumps({"name": call.tool, "arguments": call.arguments}, ensure_ascii=False)
        return f"<tool_call>\n{body}\n</tool_call>"

    def observed(self, call: ToolCall, text: str) -> str:
        return f"<tool_response>\n{text}\n</tool_response>"

    def thought(self, text: str) -> str:
        return _kept(re.split(r"<(?:tool_call|answer)>", text, maxsplit=1)[0])

    def parse(
        self, text: str, tools: Sequence[Tool], candidates: int, k: int
    ) -> ToolCall | tuple[int, ...]:
        turn = self._turn.fullmatch(text.strip())
        if turn is None:
            raise _malformed(text)
        if turn["ranking"] is not None:
            return parse_numbers(turn["ranking"], 1, candidates, k, k)
        try:
            call = json.loads(turn["call"])
        except (ValueError, RecursionError) as error:
            raise _malformed(turn["call"]) from error
        if set(call) != {"name", "arguments"} or not isinstance(call["arguments"], dict):
            raise _malformed(turn["call"])
        return _known(call["name"], tools).checked(call["arguments"], candidates)


PLAIN: TurnFormat = _Plain()
NATIVE: TurnFormat = _Native()


def _initial_prompt(
    tool_context: ToolContext, how: str, k: int, history: int
) -> tuple[Message, ...]:
    return (
        Message("system", f"{goal_text(tool_context, k)}\n\n{how}"),
        Message("user", request_text(tool_context, k, history)),
    )


def _called(call: ToolCall) -> str:
    """Write a call in plain text: bare numbers, and words and cleaned texts in quotes."""
    shown = [
        str(value) if isinstance(value, int) else '"' + value.replace('"', "'") + '"'
        for value in call.arguments.values()
    ]
    return f"{call.tool}({', '.join(shown)})"


def _value(word: str) -> int | str:
    """Read a bare argument; the length limit stops a number of a million digits."""
    return int(word) if re.fullmatch(r"[0-9]{1,9}", word) else word


def _known(name: object, tools: Sequence[Tool]) -> Tool:
    for tool in tools:
        if tool.name == name:
            return tool
    raise ModelError(f"There is no tool {name!r:.{_SHOWN_CHARACTERS}}.")


def _kept(thought: str) -> str:
    return clean_text(thought, _LONGEST_THOUGHT)


def _malformed(text: str) -> ModelError:
    return ModelError(f"{text!r:.{_SHOWN_CHARACTERS}} is neither a call of a tool nor a ranking.")


# --- grammars: made of numbers and of names in our own code, never of foreign text ---


def _grammar(root: str, candidates: int, thought: int) -> str:
    """Join a root rule and the rules that it refers to."""
    return (
        f"root ::= {root}\n"
        f"thought ::= [{_START}] [{_PLAIN}]{{0,{thought - 1}}}\n"
        f'text ::= "\\"" [{_START}] [{_PLAIN}]{{0,{LONGEST_TITLE - 1}}} "\\""\n'
        f"number ::= {_one_of(map(str, range(1, candidates + 1)))}\n"
    )


def _sequence(
    before: str,
    parameters: Sequence[ToolParameter],
    one: Callable[[ToolParameter], str],
    after: str,
) -> str:
    """Write arguments in order, separated by commas, between two literals."""
    middle = ' ", " '.join(map(one, parameters))
    return " ".join(filter(None, [_literal(before), middle, _literal(after)]))


def _bare(one: ToolParameter) -> str:
    """Write the rule of the values that an argument may have."""
    if one.kind == "word":
        return "(" + " | ".join(_literal(f'"{word}"') for word in one.words) + ")"
    return "number" if one.kind == "candidate" else "text"


def _keyed(one: ToolParameter) -> str:
    return _literal(f'"{one.name}": ') + " " + _bare(one)


def _one_of(words: Iterable[str]) -> str:
    """Write a choice of words as a prefix tree; a flat list of hundreds would be slow."""
    parts = []
    for letter, group in groupby(sorted(words), key=lambda word: word[0]):
        rests = [word[1:] for word in group]
        longer = _one_of(filter(None, rests))
        often = "?" if "" in rests else ""
        parts.append(f"{_literal(letter)} ({longer}){often}" if longer else _literal(letter))
    return " | ".join(parts)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
