"""Where names belong: spellings become concepts, brands stay, the rest finds a family."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.domains import AttributeSpec, Domain
from localrec.foundation.text import identity_of
from localrec.foundation.text_matching import roots
from localrec.graph.domain_files import load_domain
from localrec.graph.taxonomy import Taxonomy, taxonomy_of
from tests.planted import BAR, INGREDIENTS


def placed(name, kind="ingredient", domain=BAR):
    return taxonomy_of(domain, kind).place(name)


@pytest.mark.parametrize(
    ("written", "concept"),
    [
        ("gin", "gin"),
        ("GIN", "gin"),
        ("Light Rum", "white rum"),
        ("light  rums", "white rum"),
        ("whisky", "whiskey"),
        ("Club Soda", "soda water"),
        ("lime juice", "lime juice"),
    ],
)
def test_a_known_spelling_becomes_the_concept(written, concept):
    assert placed(written).name.casefold() == concept


def test_a_concept_is_placed_below_its_own_families():
    placement = placed("Laphroaig")
    assert placement.is_a == ("islay scotch",)
    assert placed("islay scotch").is_a == ("whiskey", "smoky")


def test_a_brand_keeps_its_name_below_the_generic_one():
    placement = placed("Kahlúa")
    assert (placement.key, placement.name) == ("kahlua", "Kahlúa")
    assert placement.is_a == ("coffee liqueur",)


@pytest.mark.parametrize("spelling", ["whisky", "light rum", "tonic", "club soda"])
def test_a_spelling_of_the_same_words_is_no_brand(spelling):
    assert placed(spelling).key in INGREDIENTS


def test_only_components_have_brands():
    assert placed("crimson", "colour").key == "red"
    assert placed("frothy", "look").key == "foamy"


@pytest.mark.parametrize(
    ("written", "families", "flavours"),
    [
        ("hazelnut vodka", ("vodka",), ("hazelnut",)),
        ("Tanqueray gin", ("gin",), ()),
        ("dry ginger ale", ("ginger ale",), ()),
        ("orange and mint bitters", ("bitters",), ("orange", "mint")),
        ("egg nog", ("egg",), ()),  # no head noun is known: the first name must do
        ("moon dust", (), ()),
    ],
)
def test_an_unknown_name_goes_below_its_head_noun_and_beside_the_rest(written, families, flavours):
    placement = placed(written)
    assert placement.is_a == families
    assert placement.flavoured_with == flavours
    assert placement.name == written


def test_a_name_never_matches_inside_a_word():
    assert placed("ginseng").is_a == ()
    assert placed("rumble").is_a == ()
    assert "gin" not in placed("ginger beer").is_a


def test_the_nouns_of_a_kind_may_stand_behind_a_name_or_not():
    assert placed("Highball", "glass").key == placed("hiball glass", "glass").key
    assert placed("margarita", "glass").key == "margarita glass"


def test_every_concept_is_there_even_where_no_item_has_it():
    every = {one.key: one for one in taxonomy_of(BAR, "ingredient").all_concepts()}
    assert set(every) == set(INGREDIENTS)
    assert every["white rum"].is_a == ("rum",)


def test_what_a_concept_tastes_of_is_a_flavour_and_no_family():
    drinks = load_domain("cocktails")
    placement = placed("Triple Sec", domain=drinks)
    assert "orange" in placement.flavoured_with
    assert "orange" not in placement.is_a


def test_a_kind_without_a_taxonomy_places_names_by_themselves():
    domain = Domain(
        name="films",
        item="film",
        singular="film",
        plural="films",
        item_words=("film",),
        texts={"name": "name"},
        attributes={"genre": AttributeSpec(role="component", edge="HAS_GENRE")},
    )
    placement = Taxonomy(domain, "genre").place("Film Noir")
    assert (placement.key, placement.name) == ("film noir", "Film Noir")
    assert placement.is_a == placement.flavoured_with == ()


_WORDS = st.sampled_from([*" ".join(INGREDIENTS).split(), "moon", "dust", "Crème", "no.", "7"])


@given(st.lists(_WORDS, min_size=1, max_size=4).map(" ".join))
def test_the_same_name_always_lands_in_the_same_place(name):
    first = Taxonomy(BAR, "ingredient").place(name)
    for spelling in (name, name.upper(), f"  {name} ", name.replace(" ", "  ")):
        again = Taxonomy(BAR, "ingredient").place(spelling)
        assert (again.key, again.is_a, again.flavoured_with) == (
            first.key,
            first.is_a,
            first.flavoured_with,
        )


@given(st.lists(_WORDS, min_size=1, max_size=4).map(" ".join))
def test_no_name_is_its_own_family_and_every_family_is_declared(name):
    placement = placed(name)
    families = {*placement.is_a, *placement.flavoured_with}
    assert placement.key not in families
    assert families <= set(INGREDIENTS)
    assert not set(placement.is_a) & set(placement.flavoured_with)
    assert roots(placement.key) == roots(placement.key.upper())


def test_no_two_tags_of_music_are_one_name():
    """Of two that are the same without their plural, one would never be found."""
    owners = {}
    for name, concept in load_domain("music").taxonomy["tag"].items():
        for written in (name, *concept.also):
            owners.setdefault(identity_of(written), set()).add(name)
    assert [names for names in owners.values() if len(names) > 1] == []
