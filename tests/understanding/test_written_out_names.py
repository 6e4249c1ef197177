"""Names as the catalogue writes them: marks inside, slang, everyday words; and slips taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from localrec.data.query import Query
from localrec.understanding.foreign_questions import foreign_language
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary

from .records import bounds, planted_records, refused, wanted

ROWS = (
    ("Batman: Year One", ("Murder/Mystery", "noir"), "Comics", "Danny Elfman", "US"),
    ("Batman", ("pop",), "Comics", "Danny Elfman", "US"),
    ("Lyle, Lyle, Crocodile", ("zombies",), "Winter", "Yo-Yo Ma", "Canada"),
    ("Okay for Now", ("mazes",), "Study", "Prince", "US"),
    ("Afterwards", ("jazz",), "Study", "Roger MacBride", "US"),
    ("This Town Ain't Big", ("country",), "Town", "John Stuart", "US"),
    ("Sangria", ("tropical", "jazz"), "Town", "New Order", "Nelson"),
    ("Полюшко-поле", ("choir",), "Песни", "Лев Книппер", "Russia"),
    ("Flæskesteg", ("choir",), "Jul", "Łucja Ðorđević", "Denmark"),
    ("Yes, Please", ("comedy",), "Town", "Amy King", "US"),
    ("Velvetine / Marzipanic", ("comedy",), "Town", "Amy King", "US"),
    ("The Wild Ones", ("pop",), "Town", "Amy King", "US"),
)
SERIES = {
    "Batman: Year One": "The Dark Nights of Old",
    "Okay for Now": "Winter",
    "Yes, Please": "King",
    "The Wild Ones": "Wild Ones",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vocabulary]:
    """Of records whose names hold marks, slang and everyday words."""
    with planted_records(tmp_path_factory.mktemp("shelf"), ROWS, SERIES) as planted:
        yield planted


@pytest.fixture
def ask(shelf: Vocabulary) -> Callable[[str], Query]:
    return lambda question: parse_query(question, shelf)


class TestMarksInsideNames:
    @pytest.mark.parametrize("title", ["Batman: Year One", "batman: year one", "Batman Year One"])
    def test_a_title_with_a_colon_is_read_whole(self, ask, title):
        assert ask(f"something like {title}").target == "batman: year one"

    def test_its_beginning_is_another_title(self, ask):
        assert ask("something like Batman: no jazz").target == "batman"

    def test_a_title_with_commas_is_refused_whole(self, ask):
        assert ask("a song, not Lyle, Lyle, Crocodile").exclude_items == ("lyle, lyle, crocodile",)

    @pytest.mark.parametrize("question", ["murder/mystery songs", "a Murder/Mystery song"])
    def test_a_kind_with_a_slash_is_a_wish(self, ask, question):
        assert wanted(ask(question)) == [("murder mystery",)]

    def test_a_list_with_a_comma_is_no_name_with_a_slash(self, ask):
        both = "velvetine / marzipanic"
        assert ask("a song, not Velvetine / Marzipanic").exclude_items == (both,)
        assert both not in ask("a song, not Velvetine, Marzipanic").exclude_items

    def test_everyday_words_stay_apart(self, ask):
        assert ask("jazz, yes, please, but no pop").target is None

    def test_a_mark_that_a_name_has_not_parts_it(self, ask):
        assert ask("I heard Batman. Year one of the shop is over").target == "batman"


class TestEverydayNames:
    @pytest.mark.parametrize("question", ["Prince", "something by Prince", "something by prince"])
    def test_a_name_is_meant_alone_and_behind_by(self, ask, question):
        assert wanted(ask(question)) == [("prince",)]

    def test_an_everyday_word_alone_names_nobody(self, ask):
        assert wanted(ask("prince")) == []

    def test_several_words_are_meant_where_nothing_else_is_said(self, ask):
        assert wanted(ask("new order")) == [("new order",)]

    def test_they_are_words_in_a_longer_question(self, ask):
        assert wanted(ask("jazz in a new order")) == [("jazz",)]

    def test_a_series_is_meant_before_its_noun(self, ask):
        assert wanted(ask("a song from the winter series")) == [("winter",)]
        assert wanted(ask("a song for winter")) == []

    def test_a_long_name_is_known_without_its_article(self, ask):
        assert wanted(ask("anything of Dark Nights of Old")) == [("the dark night of old",)]

    def test_a_series_is_no_volume_called_like_it(self, ask):
        query = ask("a song from the Wild Ones series")
        assert wanted(query) == [("wild one",)] and query.target is None
        assert ask("something like The Wild Ones").target == "the wild ones"

    def test_what_a_series_is_like_is_no_series(self, ask):
        assert wanted(ask("a king series")) == []
        assert wanted(ask("songs of a King series")) == [("king",)]

    def test_a_place_is_meant_before_the_noun_of_the_items(self, ask):
        assert wanted(ask("nelson songs")) == [("nelson",)]

    def test_who_asks_for_something_by_somebody_means_no_series(self, ask):
        assert wanted(ask("something by King")) == [("amy king",)]

    def test_slang_stays_inside_a_name(self, ask):
        assert wanted(ask("something by yo-yo ma")) == [("yo yo ma",)]
        assert ask("like This Town Ain't Big").target == "this town ain't big"

    def test_plurals_in_ies_and_zes_are_found_by_their_singular(self, ask):
        assert wanted(ask("a zombie song")) == wanted(ask("zombies"))
        assert wanted(ask("a maze song")) == wanted(ask("mazes"))

    def test_a_full_name_that_nobody_has_is_no_two_other_people(self, ask):
        assert wanted(ask("anything by Stuart MacBride")) == [("stuart macbride",)]


class TestOtherScripts:
    @pytest.mark.parametrize("question", ["something by Лев Книппер", "лев книппер"])
    def test_a_maker_is_found_by_the_letters_of_the_catalogue(self, ask, shelf, question):
        assert wanted(ask(question)) == [(shelf.names.get("Лев Книппер")[0].key,)]

    def test_a_title_is_an_example(self, ask):
        assert ask("something like Полюшко-поле").target == "полюшко-поле"

    @pytest.mark.parametrize("name", ["Łucja Ðorđević", "lucja dordevic"])
    def test_letters_that_no_accent_explains_are_plain_too(self, ask, name):
        assert wanted(ask(f"something by {name}")) == [("lucja dordevic",)]

    def test_a_name_in_another_script_makes_no_foreign_question(self, shelf):
        assert foreign_language("something by Лев Книппер", shelf) == ""

    def test_a_question_in_another_script_is_still_not_ours(self, shelf):
        assert foreign_language("Порекомендуй хорошую книгу", shelf)


class TestTitles:
    @pytest.mark.parametrize(
        "question",
        [
            "Sangria was lovely, what else?",
            "sangria is my favourite. What else?",
            "my wife adores Sangria",
            "obsessed with Sangria",
            "something to follow sangria",
            "after Sangria, what should I hear?",
            "same vibe as Sangria",
        ],
    )
    def test_what_is_praised_or_followed_is_the_example(self, ask, question):
        assert ask(question).target == "sangria"

    @pytest.mark.parametrize("question", ["after Batman, what else?", "my son adores Afterwards"])
    def test_a_title_of_one_everyday_word_is_told_by_its_capital(self, ask, question):
        assert ask(question).target in ("batman", "afterwards")

    def test_everyday_words_are_one_where_the_question_asks_what_else(self, ask):
        assert ask("afterwards was great, what else?").target == "afterwards"

    @pytest.mark.parametrize("question", ["my wife adores jazz", "pop is my favourite"])
    def test_a_kind_that_is_adored_is_a_wish(self, ask, question):
        query = ask(question)
        assert query.target is None and wanted(query)

    def test_only_a_whole_title_is_adored(self, ask):
        assert ask("my sister is mad about the town").target is None

    @pytest.mark.parametrize("title", ["Okay for Now", "okay for now"])
    def test_a_title_of_everyday_words_is_refused(self, ask, title):
        assert ask(f"a song, not {title}").exclude_items == ("okay for now",)

    def test_years_go_on_behind_a_word_that_is_a_title(self, ask):
        query = ask("a song from 1940 or afterwards")
        assert query.target is None and bounds(query)["year"][0] == 1940
        assert bounds(query)["year"][1] > 2100


class TestSlipsOfTheTongue:
    @pytest.mark.parametrize(
        "question",
        [
            "pop, no wait, jazz",
            "a pop song, sorry, I mean a jazz song",
            "pop, or rather jazz",
            "some pop, actually no, some jazz",
            "pop naw I tell a lie jazz",
            "pop, scratch that, jazz",
        ],
    )
    def test_what_was_said_first_is_taken_back(self, ask, question):
        query = ask(question)
        assert wanted(query) == [("jazz",)] and refused(query) == set()

    @pytest.mark.parametrize("question", ["jazz, sorry, no pop", "jazz. sorry, not pop"])
    def test_a_refusal_takes_nothing_back(self, ask, question):
        query = ask(question)
        assert wanted(query) == [("jazz",)] and "pop" in refused(query)

    @pytest.mark.parametrize(
        "question", ["I can't stand pop, sorry. Jazz please", "no pop, sorry, jazz"]
    )
    def test_who_excuses_a_refusal_takes_nothing_back(self, ask, question):
        query = ask(question)
        assert wanted(query) == [("jazz",)] and refused(query) == {"pop"}

    def test_the_noun_before_goes_with_what_was_said(self, ask):
        assert wanted(ask("a pop song, sorry, I mean a jazz song, quiet")) == [("jazz",)]

    def test_years_are_taken_back(self, ask):
        told = bounds(ask("a song from before 1990, sorry, I mean before 1980"))
        assert told["year"][1] == 1979

    def test_what_is_of_another_kind_stays(self, ask):
        query = ask("something by Prince, I mean, jazz")
        assert ("prince",) in wanted(query) and ("jazz",) in wanted(query)

    def test_two_titles_are_of_one_kind(self, ask):
        assert ask("like Batman, no, I mean Sangria").target == "sangria"


@pytest.mark.parametrize("question", ["something by Danny Rogers", "songs by Danny Zorgenfrei"])
def test_a_first_name_alone_tells_nobody(ask, question):
    [(name,)] = wanted(ask(question))
    assert name.startswith("danny ") and name != "danny elfman"


def test_a_name_is_no_slip_of_an_everyday_word(ask):
    assert wanted(ask("any Amy Mahy in there?")) == [("amy mahy",)]


def test_a_title_has_few_slips_in_each_word(shelf):
    assert shelf.nearest.item("this twon aint big") == "this town ain't big"
    assert shelf.nearest.item("this tons aint big") is None


@pytest.mark.parametrize("question", ["There is some jazz, no?", "jazz, no? Or pop"])
def test_a_tag_refuses_nothing(ask, question):
    assert refused(ask(question)) == set()


def test_less_of_something_is_a_mild_refusal(ask):
    [constraint] = ask("a song with less jazz").constraints
    assert constraint.excluded and constraint.soft and constraint.any_of == ("jazz",)


def test_what_is_too_much_of_something_is_a_mild_refusal(ask):
    [constraint] = ask("they are too jazz").constraints
    assert constraint.excluded and constraint.soft and constraint.any_of == ("jazz",)


def test_more_or_less_of_something_is_no_refusal(ask):
    assert wanted(ask("more or less jazz")) == [("jazz",)]


def test_who_is_not_drinking_one_thing_drinks_another(read):
    query = read("I'm not drinking any gin, something with rum")
    assert query.flags == {} and "gin" in refused(query) and wanted(query) == [("rum",)]


@pytest.mark.parametrize(
    "question",
    [
        "jazz. The pop I would this time like to avoid.",
        "jazz. Pop I want to skip.",
        "jazz. Leave the pop at the quayside.",
        "jazz. She has retired from pop.",
        "jazz; pop, we're over it",
        "jazz. Pop, being what my late neighbour played at all hours, is wholly absent.",
        "jazz in which pop, a thing that I never could abide, takes no part",
        "jazz. We are always on the pop stuff so something else for a change",
        "jazz. Pop I know already, give me another.",
        "jazz. If I hear the word pop one more time.",
    ],
)
def test_further_ways_to_refuse_are_heard(ask, question):
    query = ask(question)
    assert wanted(query) == [("jazz",)] and refused(query) == {"pop"}


@pytest.mark.parametrize(
    "question",
    [
        "jazz I would like to hear",
        "I cried over it. Jazz please",
        "leave the jazz on",
        "always jazz please",
    ],
)
def test_what_only_sounds_like_them_is_a_wish(ask, question):
    assert wanted(ask(question)) == [("jazz",)]


def test_bounds_that_take_their_year_in(ask):
    told = bounds(ask("jazz recorded in or after 1955 and in or before 1965"))
    assert told["year"] == (1955, 1965)


def test_a_year_with_an_article_is_refused(ask):
    [year] = ask("jazz, and not a 2010").ranges
    assert (year.low, year.high, year.excluded) == (2010, 2010, True)


def test_marks_that_were_dictated_are_marks(ask):
    query = ask("some jazz comma nothing with pop comma please period")
    assert wanted(query) == [("jazz",)] and refused(query) == {"pop"}
    assert query.unknown == ()
    assert "period" in ask("a period of jazz in London").unknown


@pytest.mark.parametrize(
    ("question", "minutes"), [("jazz, half hr tops", 30), ("jazz, half an hour at most", 30)]
)
def test_half_an_hour_is_read(ask, question, minutes):
    assert bounds(ask(question))["minutes"][1] == minutes


@pytest.mark.parametrize(
    "question",
    [
        "jazz or pop, which?",
        "we don't have any, but jazz and pop would do",
        "jazz or pop nobody would want to skip",
        "I always hear jazz, something new please, or pop",
        "jazz or pop, the last one you gave me was awful, too slow",
        "jazz and pop must be there",
        "why not jazz or pop",
    ],
)
def test_what_only_looks_like_a_refusal_refuses_nothing(ask, question):
    assert refused(ask(question)) == set()


def test_a_name_that_is_no_word_does_no_harm(tmp_path):
    rows = (("Jump", ("rock",), "+", "!!!", "US"),)
    with planted_records(tmp_path, rows, {}) as planted:
        assert wanted(parse_query("some rock", planted)) == [("rock",)]


def test_who_has_one_name_is_known_with_another_behind_it(ask):
    assert ("prince",) in wanted(ask("something by Prince Nelson"))


def test_a_tag_goes_no_further_than_its_sentence(ask):
    assert "pop" in refused(ask("pop, no? jazz then"))


def test_marks_are_words_where_none_is_dictated(ask):
    assert "period" in ask("something like blue period").unknown
