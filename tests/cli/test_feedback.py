"""`localrec feedback`: one thing said at a time, about the item that is meant, and taken back."""

import json

import pytest

from localrec.foundation.text import clean_name
from localrec.workspace import OpenWorkspace
from tests.sources.zips import packed

from .test_ask import UNPRINTABLE

WATCHED = "Date,Name,Year,Letterboxd URI\n2021-03-01,Negroni,2003,https://boxd.it/1\n"


@pytest.fixture
def feedback(cli, own_workspace):
    def say(*arguments, user="anna"):
        return cli("--workspace", own_workspace, "feedback", "--user", user, *arguments)

    return say


@pytest.fixture
def two_domains(cli, own_workspace, tmp_path):
    """A film called like a drink, on the export of somebody else."""
    path = tmp_path / "letterboxd.zip"
    path.write_bytes(packed({"watched.csv": WATCHED}))
    outcome = cli("--workspace", own_workspace, "import", "letterboxd", path, "--user", "bea")
    assert outcome.code == 0, outcome.err
    return own_workspace


def stored(workspace):
    with OpenWorkspace(workspace) as opened:
        return opened.store.rows("SELECT event, rating, note FROM interaction ORDER BY rowid")


class TestWhatIsSaid:
    @pytest.mark.parametrize(
        ("flags", "told", "row"),
        [
            (("--rating", "4.5"), "gives the drink Negroni 4.5 stars", ("rated", 4.5, None)),
            (("--rating", "1"), "gives the drink Negroni 1 star", ("rated", 1.0, None)),
            (("--like",), "likes the drink Negroni", ("liked", None, None)),
            (("--dislike",), "dislikes the drink Negroni", ("disliked", None, None)),
            (("--seen",), "knows the drink Negroni", ("seen", None, None)),
            (("--not-now",), "puts off the drink Negroni", ("later", None, None)),
            (
                ("--dislike", "--reason", "too \x1b[1mbitter"),
                "dislikes the drink Negroni: too bitter",
                ("disliked", None, "too bitter"),
            ),
        ],
    )
    def test_is_stored_and_told_in_words(self, feedback, own_workspace, flags, told, row):
        code, out, err = feedback("--item", "negroni", *flags)
        assert (code, err) == (0, "'anna' is new here.\n")
        assert told in " ".join(out.split())
        assert stored(own_workspace) == [row]

    @pytest.mark.parametrize("name", ["anne", "Anna", "ana", "annah"])
    def test_of_nearly_somebody_s_name_is_refused_and_stores_nothing(
        self, feedback, own_workspace, name
    ):
        feedback("--item", "Negroni", "--like")
        before = stored(own_workspace)
        code, out, err = feedback("--item", "Gimlet", "--like", user=name)
        assert (code, out) == (2, "")
        assert "Did you mean anna? For somebody new, add --new-user." in err
        assert stored(own_workspace) == before

    def test_of_somebody_new_with_such_a_name_is_taken_when_it_is_said(self, feedback):
        feedback("--item", "Negroni", "--like")
        code, _, err = feedback("--item", "Gimlet", "--like", "--new-user", user="anne")
        assert (code, err) == (0, "'anne' is new here.\n")
        assert feedback("--item", "Negroni", "--like", user="anne").err == ""

    @pytest.mark.parametrize(("known", "other"), [("17", "71"), ("user1", "user2"), ("bo", "ba")])
    def test_numbers_and_short_names_are_nobody_s_misspelt_name(self, feedback, known, other):
        feedback("--item", "Negroni", "--like", user=known)
        told = feedback("--item", "Negroni", "--like", user=other)
        assert (told.code, told.err) == (0, f"'{other}' is new here.\n")

    def test_a_reason_has_an_end(self, feedback):
        code, _, err = feedback("--item", "Negroni", "--like", "--reason", "x" * 2_001)
        assert code == 2 and "There is room for 2,000 letters, and this text has 2,001." in err

    def test_as_json_is_one_document(self, feedback):
        code, out, err = feedback("--item", "Negroni", "--rating", 3, "--json")
        assert (code, err, out.count("\n")) == (0, "'anna' is new here.\n", 1)
        told = json.loads(out)
        assert (told["undone"], told["domain"]) == (False, "cocktails")
        assert (told["said"]["user"], told["said"]["rating"]) == ("anna", 3.0)

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            ((), "exactly one thing"),
            (("--item", "Negroni"), "exactly one thing"),
            (("--item", "Negroni", "--like", "--dislike"), "exactly one thing"),
            (("--item", "Negroni", "--like", "--undo"), "exactly one thing"),
            (("--item", "Negroni", "--like", "--rating", "3"), "exactly one thing"),
            (("--like",), "Name the item"),
            (("--item", "Negroni", "--rating", "5.5"), "--rating"),
            (("--item", "Negroni", "--rating", "0"), "--rating"),
            (("--item", "Negroni", "--rating", "nan"), "--rating"),
            (("--item", "Negrony", "--like"), "Did you mean Negroni?"),
            (("--item", "Zorg", "--like"), "Give its key or name"),
            (("--item", "", "--like"), "nothing called"),
            (("--undo",), "Nobody called 'anna' is known here."),
            (("--undo", "--item", "Negroni"), "Nobody called 'anna'"),
        ],
    )
    def test_wrongly_is_refused_and_nothing_stored(
        self, feedback, own_workspace, arguments, complaint
    ):
        code, out, err = feedback(*arguments)
        assert (code, out) == (2, "")
        assert complaint in err
        assert stored(own_workspace) == []

    def test_about_an_item_with_escapes_repeats_none_of_them(self, feedback):
        code, _, err = feedback("--item", "\x1b]0;owned\x07Zorg\x9b2J", "--like")
        assert code == 2
        assert not UNPRINTABLE.search(err)

    def test_by_nobody_is_refused(self, feedback, own_workspace):
        assert feedback("--item", "Negroni", "--like", user=" ").code == 2
        assert stored(own_workspace) == []


class TestTakingBack:
    def test_goes_backwards_one_by_one(self, feedback, own_workspace):
        feedback("--item", "Negroni", "--rating", 2)
        feedback("--item", "Gimlet", "--like")
        assert "Taken back: anna likes the drink Gimlet" in feedback("--undo").out
        assert stored(own_workspace) == [("rated", 2.0, None)]
        assert "2 stars" in feedback("--undo").out
        assert feedback("--undo").code == 2

    def test_of_one_item_leaves_the_others(self, feedback, own_workspace):
        feedback("--item", "Negroni", "--like")
        feedback("--item", "Gimlet", "--dislike")
        feedback("--undo", "--item", "Negroni")
        assert stored(own_workspace) == [("disliked", None, None)]

    def test_is_a_matter_of_each_person(self, feedback, own_workspace):
        feedback("--item", "Negroni", "--like")
        assert feedback("--undo", user="bea").code == 2
        assert stored(own_workspace) == [("liked", None, None)]

    def test_by_nobody_names_who_is_near(self, feedback, own_workspace):
        feedback("--item", "Negroni", "--like")
        code, out, err = feedback("--undo", user="anne")
        assert (code, out) == (2, "")
        assert "Nobody called 'anne' is known here." in err
        assert "Did you mean anna?" in err
        assert stored(own_workspace) == [("liked", None, None)]

    def test_that_was_taken_back_already_is_refused(self, feedback):
        feedback("--item", "Negroni", "--like")
        feedback("--undo")
        assert "no feedback by anna to take back" in feedback("--undo").err
        assert "to take back on Negroni" in feedback("--undo", "--item", "Negroni").err

    def test_takes_the_newest_whatever_domain_it_is_of(self, feedback, two_domains):
        for drink in ("Gimlet", "Daiquiri"):
            feedback("--item", drink, "--like")
        feedback("--item", "Negroni", "--dislike", "--domain", "movies")
        assert "dislikes the film Negroni" in feedback("--undo").out
        assert "likes the drink Daiquiri" in feedback("--undo").out

    def test_never_takes_back_what_was_imported(self, feedback, two_domains):
        assert feedback("--undo", user="bea").code == 2


class TestOneNameInTwoDomains:
    def test_means_what_the_person_is_at_home_with(self, feedback, two_domains):
        assert "the film Negroni" in feedback("--item", "Negroni", "--like", user="bea").out
        assert "the drink Negroni" in feedback("--item", "Negroni", "--like").out

    def test_or_the_domain_that_is_named(self, feedback, two_domains):
        assert "the film" in feedback("--item", "Negroni", "--like", "--domain", "movies").out


def test_a_key_with_loose_signs_is_the_same_person(feedback, own_workspace):
    for user in ("anna", " anna,", "an\u200bna"):
        assert clean_name(user) == "anna"
        assert feedback("--item", "Negroni", "--like", user=user).code == 0
    with OpenWorkspace(own_workspace) as opened:
        assert opened.store.rows("SELECT key FROM node WHERE kind = 'user'") == [("anna",)]
