"""Imported text: nothing in it may steer a terminal, hide, or speak to a model's template."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.text import (
    _DROPPED_CATEGORIES,
    _INVISIBLE,
    _LETTERS,
    MAX_KEY,
    MAX_TEXT,
    _strip_invisible,
    clean_key,
    clean_name,
    clean_text,
    fold_accents,
    identity_of,
)

hostile = st.one_of(
    st.text(),
    st.text(alphabet="\x1b[]0;31m\x07\\\x9b\x9d<|>/aA \u200b\u202e\ud800"),
    st.lists(
        st.sampled_from(
            [
                "<|im_end|>",
                "<s>",
                "[INST]",
                "[/INST]",
                "\x1b[2J",
                "\u200d",
                "é",
                "e\u0301",
                " ",
                "\n",
            ]
        )
    ).map("".join),
)


@given(hostile)
def test_cleaned_text_holds_no_control_format_or_unassigned_character(text: str) -> None:
    cleaned = clean_text(text)
    forbidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [letter for letter in cleaned if unicodedata.category(letter) in forbidden]


@given(hostile)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)
    assert clean_name(clean_name(text)) == clean_name(text)


@given(hostile)
def test_no_chat_token_survives(text: str) -> None:
    assert not re.search(r"<\||</?[a-z_]+>|\[/?[A-Z_]+\]", clean_text(text))


@given(hostile)
def test_cleaned_text_is_one_line_in_nfc_without_double_spaces(text: str) -> None:
    cleaned = clean_text(text)
    assert cleaned == " ".join(cleaned.split())
    assert unicodedata.is_normalized("NFC", cleaned)


@given(st.text(min_size=1), st.integers(min_value=1, max_value=20))
def test_cleaned_text_keeps_its_bound(text: str, limit: int) -> None:
    assert len(clean_text(text * 3, limit=limit)) <= limit


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("\x1b[31mred\x1b[0m drink", "red drink"),
        ("\x9b31mred", "red"),
        ("a\x1b]0;new title\x07b", "ab"),
        ("a\x1b]8;;file:///etc\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1b]0;never closed", "a"),
        ("a\x1bPq#0;2\x1b\\b", "ab"),
        ("gin\u202egnp.exe", "gingnp.exe"),
        ("ze\u200bro\ufeff\u2060", "zero"),
        ("hid\U000e0041\U000e0042den\ufe0f", "hidden"),
        ("\ue000private\U0010ffff", "private"),
        ("lone\ud800surrogate", "lonesurrogate"),
        ("Cre\u0300me", "Crème"),
        ("two\r\nlines\tand\u2028more", "two lines and more"),
        ("<|im_end|>", "< |im_end|>"),
        ("<|im\u200b_end|>", "< |im_end|>"),
        ("x</s>y [/INST] <<SYS>>", "x< /s>y [ /INST] < < SYS>>"),
        ("<start_of_turn>", "< start_of_turn>"),
        ("I <3 gin, a < b [sic]", "I <3 gin, a < b [sic]"),
        (None, ""),
        (12, "12"),
    ],
)
def test_hostile_text_is_made_harmless(written: object, cleaned: str) -> None:
    assert clean_text(written) == cleaned


def test_a_zero_width_character_cannot_keep_letter_and_accent_apart() -> None:
    assert clean_text("e\u200b\u0301") == "é"


def test_long_text_is_cut() -> None:
    assert len(clean_text("a" * 100_000)) == MAX_TEXT


@given(hostile)
def test_a_key_is_a_never_empty_slug_and_its_own_key(name: str) -> None:
    key = clean_key(name)
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", key)
    assert len(key) <= MAX_KEY
    assert clean_key(key) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Negroni", "negroni"),
        ("  Piña   Colada ", "pina-colada"),
        ("Planter's Punch", "planters-punch"),
        ("Planter’s Punch", "planters-punch"),
        ("Gin & Tonic", "gin-and-tonic"),
        ("Æblekage Øl", "aeblekage-ol"),
        ("50/50", "50-50"),
    ],
)
def test_keys_of_usual_names(name: str, key: str) -> None:
    assert clean_key(name) == key


def test_names_that_lose_letters_never_share_a_key() -> None:
    names = ["마티니", "모히토", "진 1", "럼 1", "1", "???", "!!!", ""]
    assert len({clean_key(name) for name in names}) == len(names)


def test_long_names_with_one_beginning_have_different_keys() -> None:
    assert clean_key("a" * 150 + "x") != clean_key("a" * 150 + "y")


@pytest.mark.parametrize(
    "other",
    ["maraschino cherry", "MARASCHINO  Cherries", "Maraschino cherries.", "maraschinocherry"],
)
def test_spellings_of_one_ingredient_have_one_identity(other: str) -> None:
    assert identity_of(other) == identity_of("Maraschino Cherry")


@pytest.mark.parametrize(
    ("one", "other"), [("mint leaves", "mint leaf"), ("limes", "lime"), ("cloves", "clove")]
)
def test_plural_and_singular_are_one(one: str, other: str) -> None:
    assert identity_of(one) == identity_of(other)


@pytest.mark.parametrize(("one", "other"), [("gin", "rum"), ("sloe gin", "gin"), ("진", "럼")])
def test_different_things_stay_apart(one: str, other: str) -> None:
    assert identity_of(one) != identity_of(other)


def test_folding_takes_accents_off_and_keeps_case() -> None:
    assert fold_accents("Crème Brûlée Øl") == "Creme Brulee Ol"


def stripped_letter_by_letter(text: str) -> str:
    """The plain way to strip, against which the quick one is held."""
    kept = []
    for letter in text:
        if letter in "\t\n\v\f\r\x85":
            kept.append(" ")
        elif (
            unicodedata.category(letter) not in _DROPPED_CATEGORIES
            and ord(letter) not in _INVISIBLE
        ):
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


@given(hostile)
def test_stripping_by_a_table_gives_what_asking_letter_by_letter_gives(text: str) -> None:
    assert _strip_invisible(text) == stripped_letter_by_letter(text)


@given(hostile)
def test_plain_text_needs_no_folding(text: str) -> None:
    apart = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    assert fold_accents(text) == "".join(one for one in apart if not unicodedata.combining(one))


def test_every_character_is_stripped_or_kept_as_its_category_says() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert _strip_invisible(every) == stripped_letter_by_letter(every)
