"""The words that rules listen for lie in the data of a language: another can have its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import localrec.understanding
from localrec.data.domains import AttributeRole
from localrec.understanding.image_leaning import ImageRole
from localrec.understanding.meanings import MeaningRole
from localrec.understanding.negated_bounds import OPPOSITE
from localrec.understanding.question_roles import ROLES

MODULES = sorted(Path(localrec.understanding.__file__).parent.glob("*.py"))
WORD = re.compile(r"[a-z]{2,}(?: [a-z]+)*")
ALTERNATIVES = re.compile(r"[a-z]{2,}\|[a-z]{2,}")  # in a pattern
# What the code itself calls things: roles, bounds, what a domain declares of a number.
OWN_NAMES = {*get_args(AttributeRole), *get_args(MeaningRole), *get_args(ImageRole), *ROLES}
OWN_NAMES |= {*OPPOSITE, *OPPOSITE.values(), "exactly", "near", "between"}
OWN_NAMES |= {"amount", "count", "year", "low", "high", "lower", "higher"}
REASONS = {
    "kinds of attributes and texts that packs name": {
        "series",
        "decade",
        "language",
        "description",
    },
    "bounds of years": {"before", "until", "after", "since"},
    "states of an item": {"met", "unmet", "wanted", "unwanted"},
    "groups and parts of a pattern": {
        "how",
        "mid",
        "inside",
        "behind",
        "it",
        "this",
        "noun",
        "seen",
    },
    "topics": {"wish", "small", "talk", "other"},
    "parts of the network": {"mixed", "gathered", "inner", "outer", "ranks"},
    "senses, slots and who saw a picture": {"item", "without", "model"},
    "letters and endings": {"aeiou", "bdgmnprt", "ed", "ing"},
    "the code of a language": {"en"},
}
ALLOWED = OWN_NAMES.union(*REASONS.values())


def lists_of_words(source: str) -> Iterator[str]:
    """Lists of words in code, patterns of words, and words that something is compared with."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            told = [text(one) for one in node.elts]
            if len(told) > 1 and all(map(WORD.fullmatch, told)):
                yield " ".join(told)
        elif isinstance(node, ast.Compare):
            told = [text(one) for one in (node.left, *node.comparators)]
            yield from filter(WORD.fullmatch, told)
        elif isinstance(node, ast.Attribute) and node.attr == "split":
            yield text(node.value)
        elif ALTERNATIVES.search(text(node)):
            yield text(node)


def text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_no_words_of_a_language_stand_in_the_code(module):
    found = lists_of_words(module.read_text("utf-8"))
    assert [one for one in found if not ALLOWED.issuperset(one.split())] == []


@pytest.mark.parametrize(
    "code",
    [
        'frozenset({"gin", "rum"})',
        '"gin rum".split()',
        'word in ("gin", "rum")',
        'word == "gin"',
        r're.compile(r"\b(?:gin|rum)\b")',
    ],
)
def test_words_are_found_wherever_code_can_hold_them(code):
    assert not ALLOWED.issuperset(" ".join(lists_of_words(code)).split())
