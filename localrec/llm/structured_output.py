"""Grammars for a model's answers, and the parsers of these answers.

Each shape is a pair: a GBNF grammar for `ChatModel.generate`, written by hand, and a parser from
the written text to a typed value. Grammars contain only numbers and words of our own code, never
text of a user or a catalogue; items are offered by number. llama.cpp's own converter from JSON
schema ignores integer bounds, and an alternation of titles costs seconds per token.

An answer that does not parse raises `ModelError`: it is an outcome to be counted, not a default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from localrec.foundation.errors import ModelError

Bounds = tuple[int, int]

_FIELD = re.compile(r"[a-z][a-z0-9_]*\Z")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]*\Z")
# Letters with the accents of European names; no quotation marks, no marks that end a sentence.
_LETTERS = "A-Za-zÀ-ÖØ-öø-ž"
_OPENING = "A-Z0-9À-ÖØ-Þ"
_PLAIN = f"{_LETTERS}0-9 ,;:'()&%/-"
_SHOWN_CHARACTERS = 60


def number_grammar(low: int, high: int) -> str:
    """Write the grammar of one integer `low <= n <= high`, without leading zeros (0 <= low)."""
    return f"root ::= {_integer(low, high)}\n"


def parse_number(text: str, low: int, high: int) -> int:
    """Parse an answer under `number_grammar(low, high)`.

    Raises:
        ModelError: the text is no such number.
    """
    if not re.fullmatch(r"0|[1-9][0-9]{0,17}", text) or not low <= int(text) <= high:
        raise _mismatch(text, f"a number from {low} to {high}")
    return int(text)


def numbers_grammar(low: int, high: int, least: int, most: int) -> str:
    """Write the grammar of `least` to `most` integers in a range, such as `[3, 1, 2]`.

    A grammar cannot know what was written before, so that none comes twice is for the parser.
    """
    if not 1 <= least <= most:
        raise ValueError(f"no list has {least} to {most} numbers")
    more = f'(", " number){{{least - 1},{most - 1}}}'
    return f'root ::= "[" number {more} "]"\nnumber ::= {_integer(low, high)}\n'


def parse_numbers(text: str, low: int, high: int, least: int, most: int) -> tuple[int, ...]:
    """Parse an answer under `numbers_grammar`: the numbers in their order, all different.

    Raises:
        ModelError: the text is no such list, or a number is in it twice.
    """
    wanted = f"{least} to {most} different numbers from {low} to {high}"
    if not re.fullmatch(r"\[[0-9]+(, [0-9]+)*\]", text):
        raise _mismatch(text, wanted)
    numbers = tuple(parse_number(part, low, high) for part in text[1:-1].split(", "))
    if not least <= len(numbers) <= most or len(set(numbers)) < len(numbers):
        raise _mismatch(text, wanted)
    return numbers


def object_grammar(fields: Mapping[str, Bounds]) -> str:
    """Write the grammar of a JSON object with these integer fields, each within its bounds."""
    if not fields or not all(map(_FIELD.match, fields)):
        raise ValueError(f"field names must be plain lower-case words: {list(fields)}")
    members = ' ", " '.join(
        f'"\\"{name}\\": " ({_integer(low, high)})' for name, (low, high) in fields.items()
    )
    return f'root ::= "{{" {members} "}}"\n'


def parse_object(text: str, fields: Mapping[str, Bounds]) -> dict[str, int]:
    """Parse an answer under `object_grammar(fields)`.

    Raises:
        ModelError: the text is not JSON, or has other fields or values than asked.
    """
    wanted = f"an object with {', '.join(fields)}"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _mismatch(text, wanted) from error
    if not isinstance(value, dict) or set(value) != set(fields):
        raise _mismatch(text, wanted)
    for name, (low, high) in fields.items():
        # bool is an int in Python, and `true` is no score.
        if type(value[name]) is not int or not low <= value[name] <= high:
            raise _mismatch(text, f"{name} from {low} to {high}")
    return {name: value[name] for name in fields}


def choice_grammar(words: Sequence[str]) -> str:
    """Write the grammar of one of a few words: letters, digits, space, hyphen, underscore."""
    if not words or not all(map(_WORD.match, words)):
        raise ValueError(f"choices must be plain words: {list(words)}")
    return "root ::= " + " | ".join(f'"{word}"' for word in words) + "\n"


def parse_choice(text: str, words: Sequence[str]) -> str:
    """Parse an answer under `choice_grammar(words)`.

    Raises:
        ModelError: the text is none of them.
    """
    if text not in words:
        raise _mismatch(text, f"one of {', '.join(words)}")
    return text


def sentence_grammar(longest: int) -> str:
    """Write the grammar of one plain sentence of at most `longest` characters (3 to 1,000).

    It begins with a capital letter or digit and holds no quotation marks, line breaks or control
    characters; an apostrophe may be in it, a second sentence may not.
    """
    if not 3 <= longest <= 1000:
        raise ValueError(f"a sentence of at most {longest} characters cannot be asked for")
    return f"root ::= [{_OPENING}] [{_PLAIN}]{{1,{longest - 2}}} [.!?]\n"


def parse_sentence(text: str, longest: int) -> str:
    """Parse an answer under `sentence_grammar(longest)`.

    Raises:
        ModelError: the text is cut off, longer, or not one plain sentence.
    """
    if not re.fullmatch(f"[{_OPENING}][{_PLAIN}]{{1,{longest - 2}}}[.!?]", text):
        raise _mismatch(text, f"one plain sentence of at most {longest} characters")
    return text


def parse_sentences(text: str, longest: int, most: int) -> str:
    """Parse plain sentences with a space between them.

    Raises:
        ModelError: there are more than `most`, or one is longer, cut off or not plain.
    """
    sentences = re.split(r"(?<=[.!?]) ", text)
    if len(sentences) > most:
        raise _mismatch(text, f"at most {most} sentences")
    return " ".join(parse_sentence(one, longest) for one in sentences)


def _integer(low: int, high: int) -> str:
    """List GBNF alternatives for exactly the integers from `low` to `high`."""
    if not 0 <= low <= high:
        raise ValueError(f"no numbers lie from {low} to {high}")
    parts = []
    for digits in range(len(str(low)), len(str(high)) + 1):
        first = max(low, 10 ** (digits - 1) if digits > 1 else 0)
        last = min(high, 10**digits - 1)
        parts += _same_length(str(first), str(last))
    return " | ".join(parts)


def _same_length(low: str, high: str) -> list[str]:
    """List alternatives between two numbers of equal length, digit by digit from the left.

    The numbers that begin like `low` run up to its last 9, those that begin like `high` start at
    its last 0, and any digits may follow a first digit that lies between.
    """
    rest = len(low) - 1
    if rest == 0 or (low[1:] == "0" * rest and high[1:] == "9" * rest):
        return [_digit(low[0], high[0]) + " [0-9]" * rest]
    if low[0] == high[0]:
        return _behind(low[0], _same_length(low[1:], high[1:]))
    parts = _behind(low[0], _same_length(low[1:], "9" * rest))
    if int(high[0]) - int(low[0]) > 1:
        parts.append(_digit(str(int(low[0]) + 1), str(int(high[0]) - 1)) + " [0-9]" * rest)
    return parts + _behind(high[0], _same_length("0" * rest, high[1:]))


def _behind(digit: str, alternatives: list[str]) -> list[str]:
    return [f'"{digit}" {alternative}' for alternative in alternatives]


def _digit(low: str, high: str) -> str:
    return f'"{low}"' if low == high else f"[{low}-{high}]"


def _mismatch(text: str, wanted: str) -> ModelError:
    shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
    return ModelError(f"The model wrote {shown!r} where {wanted} was asked for.")
