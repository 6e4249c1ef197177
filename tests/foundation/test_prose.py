"""Grammar of sentences that are made from facts."""

from __future__ import annotations

import pytest

from localrec.foundation.prose import shortened, with_article

SPOKEN = (
    *(
        "a drink",
        "a unit",
        "a user",
        "a European wine",
        "a one-shot game",
        "a used book",
        "a house",
        "a US film",
        "a ukulele",
        "a Uruguayan wine",
        "a 1,800-page book",
        "a RED wine",
        "a NATO story",
    ),
    *(
        "an apple",
        "an hour",
        "an honest film",
        "an umbrella",
        "an uninteresting book",
        "an utter mess",
        "an FM radio",
        "an X-ray",
        "an 8-player game",
        "an 11,000-piece puzzle",
        "an 18th birthday",
        "an 1890s novel",
    ),
)


@pytest.mark.parametrize("told", SPOKEN)
def test_an_article_goes_by_the_sound_of_its_noun(told):
    assert with_article(told.partition(" ")[2]) == told


def test_a_text_is_shortened_in_its_middle_and_a_short_one_stays():
    assert shortened("There is no film.", 100) == "There is no film."
    path = f"/films/{'x' * 900}/heat.csv"
    told = shortened(f"{path} is not there.", 400)
    assert told.startswith("/films/xx") and told.endswith("heat.csv is not there.")
    assert "…" in told and len(told) < 300
    many = shortened("gin " * 1_000, 400)
    assert len(many) <= 400 and many.startswith("gin gin") and many.endswith("gin ")
