"""Examples of the writer: every sentence tells its facts, and names nothing else."""

import re
from collections import Counter

import pytest

from localrec.explanation.writer import sentence_task
from localrec.explanation.written_sentences import read_sentences
from localrec.training.examples.writer import tells_facts, writer_examples

PLACE = re.compile(r"\[(\w+)\]")


@pytest.fixture(scope="module")
def examples():
    return writer_examples(400, 100, seed=3)


def test_every_sentence_has_a_place_for_the_name_and_for_each_name_of_its_facts_once():
    for carrier in read_sentences():
        expected = Counter(dict.fromkeys(("name", *carrier.places), 1))
        assert Counter(PLACE.findall(carrier.sentence)) == expected, carrier


def test_one_set_of_facts_is_told_in_several_ways():
    ways = Counter((carrier.domain, carrier.facts) for carrier in read_sentences())
    assert min(ways.values()) > 1


def test_no_sentence_is_in_both_halves(examples):
    train, validation = (
        {key for one in half for key in one.split_keys}
        for half in (examples.train, examples.validation)
    )
    assert train and validation and not train & validation


def test_the_same_seed_makes_the_same_examples_and_another_makes_others(examples):
    assert writer_examples(400, 100, seed=3).fingerprint == examples.fingerprint
    assert writer_examples(400, 100, seed=4).fingerprint != examples.fingerprint


def test_each_answer_tells_all_facts_and_one_without_a_name_does_not(examples):
    for one in examples.train:
        assert tells_facts(one, one.answer), one
    first = examples.train[0]
    item = first.messages[-1].content.split(":")[0]
    assert not tells_facts(first, first.answer.replace(item, "It"))
    assert not tells_facts(first, f"{first.answer} It is good.")


def test_an_article_fits_the_name_behind_it(examples):
    answers = [one.answer for one in examples.train]
    assert any(re.search(r"\b[Aa]n [aeiou]", answer) for answer in answers)
    assert not [answer for answer in answers if re.search(r"\ba (?:a|i|un[dmn])", answer)]


def test_the_prompt_is_word_for_word_what_a_trained_writer_is_asked(examples):
    nouns = {carrier.noun for carrier in read_sentences()}
    tasks = {sentence_task(noun) for noun in nouns}
    for one in examples.train:
        assert one.messages[:-1] in tasks
        assert re.fullmatch(r".+:\n(\d\. .+\n)+Sentence:", one.messages[-1].content)
