from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.errors import ModelError
from localrec.llm import structured_output

NUMBERS = st.integers(0, 12_000)
BOUNDS = st.tuples(NUMBERS, NUMBERS).map(lambda pair: (min(pair), max(pair)))


def as_regex(grammar: str) -> re.Pattern[str]:
    """The few GBNF features in use, as a regular expression."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.strip().splitlines())

    def translate(body: str) -> str:
        parts = re.findall(r'"(?:\\.|[^"\\])*"|\[[^\]]*\]|\{[0-9,]+\}|[a-z]+|[|()]', body)
        assert "".join(parts).replace(" ", "") == body.replace(" ", "")
        return "".join(
            re.escape(part[1:-1].replace('\\"', '"'))
            if part[0] == '"'
            else f"(?:{translate(rules[part])})"
            if part.isalpha()
            else part
            for part in parts
        )

    return re.compile(translate(rules["root"]))


@given(BOUNDS, NUMBERS)
def test_a_number_is_accepted_exactly_when_it_is_in_range(bounds, number):
    low, high = bounds
    accepted = (
        as_regex(structured_output.number_grammar(low, high)).fullmatch(str(number)) is not None
    )
    assert accepted == (low <= number <= high)


@given(BOUNDS)
def test_the_ends_of_a_range_are_in_it_and_their_neighbours_are_not(bounds):
    low, high = bounds
    pattern = as_regex(structured_output.number_grammar(low, high))
    assert pattern.fullmatch(str(low))
    assert pattern.fullmatch(str(high))
    assert not pattern.fullmatch(str(high + 1))
    assert not pattern.fullmatch(str(low - 1))
    assert not pattern.fullmatch(f"0{low}")
    assert not pattern.fullmatch("")


def test_every_small_range_is_exact():
    for low in range(0, 130, 7):
        for high in range(low, 130):
            pattern = as_regex(structured_output.number_grammar(low, high))
            accepted = [n for n in range(200) if pattern.fullmatch(str(n))]
            assert accepted == list(range(low, high + 1))


@given(BOUNDS, st.data())
def test_numbers_written_under_the_grammar_parse(bounds, data):
    low, high = bounds
    number = data.draw(st.integers(low, high))
    assert structured_output.parse_number(str(number), low, high) == number


@pytest.mark.parametrize("text", ["", "x", "007", "21", "-1", "1.0", "1\n", "٣", "1" * 400])
def test_a_text_that_is_no_number_in_range_is_a_model_error(text):
    with pytest.raises(ModelError, match="from 0 to 20"):
        structured_output.parse_number(text, 0, 20)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_a_list_parses_exactly_when_its_numbers_differ(numbers):
    text = "[" + ", ".join(map(str, numbers)) + "]"
    assert as_regex(structured_output.numbers_grammar(1, 30, 1, 6)).fullmatch(text)
    if len(set(numbers)) == len(numbers):
        assert structured_output.parse_numbers(text, 1, 30, 1, 6) == tuple(numbers)
    else:
        with pytest.raises(ModelError, match="different"):
            structured_output.parse_numbers(text, 1, 30, 1, 6)


@pytest.mark.parametrize("text", ["[]", "[1]", "[1, 2, 3, 4]", "[1,2]", "[1, 31]", "1, 2", "[1, 2"])
def test_a_list_of_another_shape_is_a_model_error(text):
    assert not as_regex(structured_output.numbers_grammar(1, 30, 2, 3)).fullmatch(text)
    with pytest.raises(ModelError):
        structured_output.parse_numbers(text, 1, 30, 2, 3)


FIELDS = {"relevance": (0, 10), "fit": (1, 5)}


@given(st.integers(-2, 12), st.integers(-2, 12))
def test_an_object_parses_exactly_when_its_fields_are_in_range(relevance, fit):
    text = f'{{"relevance": {relevance}, "fit": {fit}}}'
    fits = 0 <= relevance <= 10 and 1 <= fit <= 5
    assert bool(as_regex(structured_output.object_grammar(FIELDS)).fullmatch(text)) == fits
    if fits:
        assert structured_output.parse_object(text, FIELDS) == {"relevance": relevance, "fit": fit}
    else:
        with pytest.raises(ModelError):
            structured_output.parse_object(text, FIELDS)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"relevance": 1}', '{"relevance": true, "fit": 1}', "[" * 100_000,
     '{"relevance": 1.0, "fit": 1}', '{"relevance": 1, "fit": 1, "more": 1}'],
)  # fmt: skip
def test_another_object_is_a_model_error(text):
    with pytest.raises(ModelError):
        structured_output.parse_object(text, FIELDS)


def test_a_choice_is_one_of_its_words():
    words = ["C1", "not sure", "non-alcoholic"]
    pattern = as_regex(structured_output.choice_grammar(words))
    for word in words:
        assert pattern.fullmatch(word)
        assert structured_output.parse_choice(word, words) == word
    assert not pattern.fullmatch("C2")
    with pytest.raises(ModelError):
        structured_output.parse_choice("C2", words)


@pytest.mark.parametrize("word", ['"', 'x" | "y', "a\nroot ::= b", "", "\\"])
def test_text_that_could_change_a_grammar_is_refused(word):
    with pytest.raises(ValueError, match="plain"):
        structured_output.choice_grammar([word])
    with pytest.raises(ValueError, match="plain"):
        structured_output.object_grammar({word: (0, 1)})


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("It's a sour with lime, mint and 50 ml of rum.", True),
        ("Piña colada needs crème de coco!", True),
        ("Two sentences. Are two.", False),
        ('A "quoted" one.', False),
        ("“Curly” quotes.", False),
        ("A line\nbreak.", False),
        ("a small start.", False),
        ("No end", False),
        ("A\x1b[31m colour.", False),
        ("A" + "b" * 80 + ".", False),
        (".", False),
    ],
)
def test_a_sentence_is_one_plain_sentence(text, fits):
    assert bool(as_regex(structured_output.sentence_grammar(60)).fullmatch(text)) == fits
    if fits:
        assert structured_output.parse_sentence(text, 60) == text
    else:
        with pytest.raises(ModelError):
            structured_output.parse_sentence(text, 60)


@pytest.mark.parametrize(("low", "high"), [(-1, 4), (5, 4)])
def test_a_range_without_numbers_is_refused(low, high):
    with pytest.raises(ValueError, match="no numbers"):
        structured_output.number_grammar(low, high)
