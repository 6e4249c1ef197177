"""Rules as text: what is written reads back, what does not fit is told with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.errors import InputError
from localrec.foundation.paths import shipped
from localrec.graph.domain_files import known_domains
from localrec.memory.default_rules import default_rules, shipped_rule_names, shipped_rules
from localrec.memory.rule_text import LONGEST_TEXT, format_rules, parse_rules
from localrec.memory.rules import Boost, Condition, Decay, Filter, Multiply
from tests.memory.rules_of_all_kinds import rule_sets

HEAD = 'rules "Mine" for "books"\n'
RULE = 'rule "A": if edge_weight > 0.5 for people then multiply score by 2.0 because "Why."'
WORDS = (
    *("rules", "rule", "if", "always", "for", "people", "then", "and", "because", '"A"', '"', ":"),
    *("edge_weight", "recency_days", "score", "multiply", "decay", "boost", "filter", "by", "1"),
    *(">", ">=", "+", "*", "0.5", "-1", "1e9", "nan", "\n", "#", "\x00", "\u202e", "import os"),
)


@given(rule_sets())
def test_every_set_reads_back_as_it_was_written(rules):
    text = format_rules(rules)
    assert parse_rules(text) == rules
    assert format_rules(parse_rules(text)) == text


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(max_size=200))
def test_any_other_text_is_refused_with_its_place_or_means_what_it_says(text):
    try:
        rules = parse_rules(HEAD + text)
    except InputError as error:
        assert error.message.startswith("The rules, line ")
        assert error.message.isprintable()
        assert len(error.message) < 400
    else:
        assert parse_rules(format_rules(rules)) == rules


@given(st.integers(0, len(RULE) - 1))
def test_a_rule_that_breaks_off_anywhere_is_refused(length):
    with pytest.raises(InputError, match=r"The rules, line \d+, column \d+: expected"):
        parse_rules(HEAD + RULE[:length])


def test_every_form_means_what_it_says():
    (first, second, third) = parse_rules(
        HEAD
        + """
        # A comment, then a rule in many lines.
        rule "One": if edge_weight >= 0.5
                and co_interaction_count < 3
            for items
            then multiply metadata_overlap_score by 1.8 and decay by 0.004 a day
            because "First reason."  # another
        rule "Two": always then boost by 1 + 1.2 * memory_similarity_score because "Second."
        rule "Three": always for people then filter and filter keeping 0.3 because "Third."
        """
    ).rules
    assert first.conditions == (
        Condition("edge_weight", ">=", 0.5),
        Condition("co_interaction_count", "<", 3),
    )
    assert first.applies_to == "items"
    assert first.effects == (Multiply("metadata_overlap_score", 1.8), Decay(0.004))
    assert first.rationale == "First reason."
    assert second.conditions == ()
    assert second.applies_to == "both"
    assert second.effects == (Boost("memory_similarity_score", 1.2),)
    assert third.effects == (Filter(), Filter(0.3))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1, column 1: expected rules, found the end"),
        (RULE, "line 1, column 1: expected rules, found rule"),
        (HEAD, "line 2, column 1: expected rule, found the end"),
        (
            "rules Mine",
            "column 7: expected a text of 1 to 60 characters in double quotes, found Mi",
        ),
        (HEAD + RULE.replace(" >", " over"), "line 2, column 26: expected > or >= or < or <=, fou"),
        (HEAD + RULE.replace("0.5", "1.5"), "column 28: expected a number from 0 to 1 with at mo"),
        (
            HEAD + RULE.replace("0.5", "-0.5"),
            "column 28: expected a number from 0 to 1 with at mos",
        ),
        (HEAD + RULE.replace("0.5", "nan"), "column 28: expected a number from 0 to 1 with at mos"),
        (HEAD + RULE.replace("0.5", "0.1234567"), "with at most 6 decimals, found 0.1234567."),
        (HEAD + RULE.replace("0.5", "9" * 400), "6 decimals, found " + "9" * 30 + "...."),
        (
            HEAD + RULE.replace("2.0", "11"),
            "expected a number from 0 to 10 with at most 6 decimals",
        ),
        (HEAD + RULE.replace("2.0", "1e1"), "line 2, column 67: expected and or because, found e."),
        (
            HEAD + RULE.replace("edge_weight", "eval"),
            "column 14: expected edge_weight or co_intera",
        ),
        (HEAD + RULE.replace("score", "recency_days"), "or score, found recency_days."),
        (HEAD + RULE.replace("people", "cats"), "expected people or items, found cats."),
        (HEAD + RULE.replace("if", "always"), "expected for or then, found edge_weight."),
        (HEAD + RULE.replace(" then", ""), "expected then, found multiply."),
        (HEAD + RULE.replace('"Why."', '"Why.'), '300 characters in double quotes, found "Why..'),
        (HEAD + RULE.replace("Why.", "\n"), 'in double quotes, found ".'),
        (HEAD + RULE.replace("Why.", "\u200b"), "expected a text of 1 to 300 characters"),
        (HEAD + RULE.replace("Why.", "y" * 301), "expected a text of 1 to 300 characters"),
        (HEAD + RULE.replace("Why.", "<y>" * 101), "expected a text of 1 to 300 characters"),
        (HEAD + RULE + " \x1b[2J\x00", "found an invisible character."),
        (HEAD + RULE + "\n" + RULE, "line 3, column 6: expected a name that no other rule of the"),
        (
            HEAD + "\n".join(RULE.replace("A", str(n)) for n in range(9)),
            "line 10, column 1: expect",
        ),
        (HEAD + RULE.replace("0.5", "0.5" + " and edge_weight > 0.1" * 4), "no more than 4 cond"),
        (HEAD + RULE.replace("2.0", "2.0" + " and filter" * 2), "expected no more than 2 effects"),
        (
            HEAD + RULE.replace("then", "then __import__('os')"),
            "expected multiply or decay or boos",
        ),
        (HEAD + RULE.replace("multiply score by 2.0", "decay by 0.1"), "expected a, found because"),
        (HEAD + RULE.replace("multiply score by 2.0", "boost by 2"), "expected 1, found 2."),
        (HEAD.replace("\n", "\r\n") + "\r\nrul", "line 3, column 1: expected rule, found rul."),
        ("#" * (LONGEST_TEXT + 1), "The rules have 20,001 characters"),
    ],
)
def test_the_first_word_that_does_not_fit_is_told(text, told):
    with pytest.raises(InputError) as refused:
        parse_rules(text)
    assert told in refused.value.message
    assert refused.value.hint


def test_a_model_may_write_fewer_rules_than_a_person():
    text = HEAD + "\n".join(RULE.replace('"A"', f'"{n}"') for n in range(6))
    assert len(parse_rules(text).rules) == 6
    with pytest.raises(InputError, match="a set has at most 5 rules"):
        parse_rules(text, source="model")


def test_hostile_words_come_out_harmless():
    hostile = RULE.replace("Why.", "\x1b[31mRed\x1b[0m <|im_end|> \u202egnp")
    (rule,) = parse_rules(HEAD + hostile).rules
    assert rule.rationale == "Red < |im_end|> gnp"


def test_an_editor_of_another_system_does_no_harm():
    assert parse_rules("\ufeff" + (HEAD + RULE).replace("\n", "\r\n")) == parse_rules(HEAD + RULE)


@pytest.mark.parametrize("name", shipped_rule_names())
def test_a_shipped_file_is_written_as_localrec_would_write_it(name):
    rules = shipped_rules(name)
    text = (shipped("datasets") / "rules" / f"{name}.rules").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
    assert rules.name == name
    assert rules.source == "shipped"
    assert "".join(lines).lstrip("\n") == format_rules(rules)


def test_the_papers_four_sets_and_two_of_our_own_ship():
    papers = ("books", "goodreads", "movietv", "yelp")
    assert set(shipped_rule_names()) == {*papers, "cocktails", "movies"}


@pytest.mark.parametrize(
    ("domain", "name"),
    [
        ("books", "goodreads"),
        ("movies", "movies"),
        ("cocktails", "cocktails"),
        ("places", "yelp"),
        ("music", "books"),
        ("products", "books"),
        ("board games", "books"),
    ],
)
def test_each_domain_begins_with_its_rules(domain, name):
    rules = default_rules(domain)
    assert (rules.name, rules.domain, rules.source) == (name, domain, "shipped")
    assert rules.rules == shipped_rules(name).rules


def test_every_domain_that_ships_has_rules():
    assert all(default_rules(domain).domain == domain for domain in known_domains())


def test_a_set_that_does_not_ship_is_told_from_those_that_do():
    with pytest.raises(InputError, match=r"No rules named '\.\./books' ship") as refused:
        shipped_rules("../books")
    assert "goodreads" in refused.value.hint
