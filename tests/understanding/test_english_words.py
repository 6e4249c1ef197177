"""Looking a word up in the file of English words, and in the dictionary made of it."""

from hypothesis import given
from hypothesis import strategies as st

from localrec.understanding.spelling import EnglishWords

ALL = EnglishWords()
WORDS = list(ALL.ranks)


@given(st.one_of(st.sampled_from([*WORDS[:50], *WORDS[-50:]]), st.text(max_size=8)))
def test_a_look_into_the_file_finds_what_the_dictionary_has(word):
    fresh = EnglishWords()
    assert fresh.rank(word) == ALL.ranks.get(word)
    assert "ranks" not in vars(fresh)
    assert fresh.count == len(WORDS)


def test_whoever_asks_for_many_gets_the_dictionary():
    fresh = EnglishWords()
    assert [fresh.rank(word) for word in WORDS[: 3 * fresh.LOOKUPS_BEFORE_TABLE]] == [
        *range(3 * fresh.LOOKUPS_BEFORE_TABLE)
    ]
    assert "ranks" in vars(fresh)
