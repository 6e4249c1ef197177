"""Turn a function into a tool: its signature becomes the schema, its docstring the description.

A tool is a pure function of a tool context and typed arguments that returns an observation:

    @tool
    def item_info_search(tool_context: ToolContext, title: Title) -> Observation:
        \"\"\"Look up an item by its title.\"\"\"

Arguments are candidate numbers, words of a closed set, or a short text. An observation is a text of
limited length and, where the tool compares candidates, a score for each. A model reads the text;
the fusion without a model uses the scores.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from localrec.agent.tool_context import ToolContext
from localrec.data.arrays import Scores
from localrec.data.trajectory import Argument, ToolCall
from localrec.foundation.errors import ModelError
from localrec.foundation.text import clean_text

LONGEST_OBSERVATION = 700  # characters
LONGEST_TITLE = 80  # that a model may write


class _Number:
    """Mark an argument as the number of a candidate."""


class _Text:
    """Mark an argument as a short text."""


Candidate = Annotated[int, _Number]
Title = Annotated[str, _Text]

ParameterKind = Literal["candidate", "text", "word"]


class Observation(msgspec.Struct, frozen=True):
    """The output of a tool.

    Args:
        lines: The lines of the answer; each is cleaned and cut when shown.
        scores: Scores of the candidates, higher is better, (c,); None where none are compared.
    """

    lines: Sequence[str]
    scores: Scores | None = None

    @property
    def text(self) -> str:
        """Join the lines; none of them can end the observation or imitate another one.

        Whatever stands in a line was cleaned of control characters and line breaks, and begins
        with a mark of its own, so that no title can stand where a turn begins.
        """
        shown: list[str] = []
        room = LONGEST_OBSERVATION
        for line in self.lines:
            said = "- " + clean_text(line, 200)
            if len(said) + 1 > room:
                shown.append("- and more")
                break
            shown.append(said)
            room -= len(said) + 1
        return "\n".join(shown) or "- nothing is known"


class ToolParameter(msgspec.Struct, frozen=True):
    """One argument of a tool: its name, its type, and the words of a closed set."""

    name: str
    kind: ParameterKind
    words: tuple[str, ...] = ()


class Tool(msgspec.Struct, frozen=True):
    """A tool that an agent may call.

    Args:
        name: Name of the function.
        description: The first paragraph of its docstring.
        parameters: The function's parameters, in order.
        run: The function; it is called with the tool context and the arguments by name.
    """

    name: str
    description: str
    parameters: tuple[ToolParameter, ...]
    run: Callable[..., Observation]

    def checked(self, arguments: Mapping[str, Any], candidates: int) -> ToolCall:
        """Check the arguments and return the call.

        Raises:
            ModelError: one is missing, unknown or out of its bounds.
        """
        names = [one.name for one in self.parameters]
        if sorted(arguments) != sorted(names):
            wanted = ", ".join(names) or "no arguments"
            raise ModelError(f"The tool {self.name} takes {wanted}.")
        return ToolCall(
            tool=self.name,
            arguments={
                one.name: _checked(one, arguments[one.name], candidates) for one in self.parameters
            },
        )

    def observe(self, tool_context: ToolContext, call: ToolCall) -> Observation:
        """Return the observation of a checked call."""
        return self.run(tool_context, **call.arguments)

    def schema(self, candidates: int) -> dict[str, Any]:
        """Return the JSON schema of the signature, as models with native tools read it."""
        properties = {one.name: _schema(one, candidates) for one in self.parameters}
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": properties,
                    "required": list(properties),
                },
            },
        }


def tool(run: Callable[..., Observation]) -> Tool:
    """Make a tool of a function, whose first parameter is the tool context."""
    hints = typing.get_type_hints(run, include_extras=True)
    names = list(inspect.signature(run).parameters)[1:]
    paragraph = (inspect.getdoc(run) or "").split("\n\n")[0]
    return Tool(
        name=run.__name__,
        description=" ".join(paragraph.split()),
        parameters=tuple(_parameter(name, hints[name]) for name in names),
        run=run,
    )


def _parameter(name: str, hint: Any) -> ToolParameter:
    if typing.get_origin(hint) is Literal:
        return ToolParameter(name, "word", typing.get_args(hint))
    marks = getattr(hint, "__metadata__", ())
    if _Number in marks:
        return ToolParameter(name, "candidate")
    if _Text in marks:
        return ToolParameter(name, "text")
    raise TypeError(f"a tool cannot take {name}: {hint}")


def _checked(one: ToolParameter, value: Any, candidates: int) -> Argument:
    # bool is an int in Python, and `true` is no number.
    if one.kind == "candidate" and type(value) is int and 1 <= value <= candidates:
        return value
    if one.kind == "word" and value in one.words:
        return str(value)
    if one.kind == "text" and isinstance(value, str) and (text := clean_text(value, LONGEST_TITLE)):
        return text
    raise ModelError(f"The argument {one.name} cannot be {value!r:.60}.")


def _schema(one: ToolParameter, candidates: int) -> dict[str, Any]:
    if one.kind == "candidate":
        return {"type": "integer", "minimum": 1, "maximum": candidates}
    if one.kind == "word":
        return {"type": "string", "enum": list(one.words)}
    return {"type": "string", "maxLength": LONGEST_TITLE}
