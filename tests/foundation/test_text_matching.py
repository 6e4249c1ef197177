import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.foundation.text_matching import build_phrase_table, roots, singular, tokens


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("cherries", "cherry"),
        ("glasses", "glass"),
        ("leaves", "leaf"),
        ("olives", "olive"),
        ("mangoes", "mango"),
        ("bitters", "bitters"),
        ("bitter", "bitter"),
        ("schnapps", "schnapps"),
        ("citrus", "citrus"),
        ("gas", "gas"),
    ],
)
def test_plurals_fold_and_other_endings_stay(word: str, root: str):
    assert singular(word) == root


def test_accents_case_apostrophes_and_ampersands_do_not_matter():
    assert roots("Crème de Cacao") == roots("creme de cacao")
    assert roots("Bee's Knees") == roots("bees knees")
    assert roots("Gin & Tonic") == roots("gin and tonic")


def test_gin_is_not_found_inside_ginger():
    table = build_phrase_table([("gin", "GIN")])
    assert not list(table.find(list(roots("ginger ale with original virgin olives"))))


def test_the_longest_phrase_wins():
    table = build_phrase_table([("rum", "RUM"), ("white rum", "WHITE RUM"), ("white", "WHITE")])
    found = [match.payloads[0] for match in table.find(list(roots("white rum, then rum")))]
    assert found == ["WHITE RUM", "RUM"]


@given(st.text())
def test_tokens_always_point_back_into_the_text(text: str):
    for token in tokens(text):
        assert 0 <= token.start < token.end <= len(text)
        assert token.word and token.root


@given(st.text())
def test_tokens_and_roots_agree(text: str):
    assert tuple(token.root for token in tokens(text)) == roots(text)
