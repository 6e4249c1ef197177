"""The bundled drinks, checked as a bartender and a librarian would check them.

Every drink is read by its own line, so that a failure names it; what is judged is the data that
ships, not the code that reads it.
"""

import json
from collections import Counter
from functools import cache

import pytest

from localrec.data.query import TaskKind
from localrec.evaluation.questions.gold import read_gold, unknown_names
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.foundation.paths import shipped
from localrec.foundation.text import clean_key, clean_text
from localrec.foundation.text_matching import roots
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.graph.taxonomy import taxonomy_of
from localrec.packs.cocktails.concepts import ConceptIndex
from localrec.packs.cocktails.measures import is_measure, parse_measure
from localrec.sources import open_source

FOLDER = shipped("datasets") / "cocktails"
DOMAIN = load_domain("cocktails")
# What a bartender counts, grates or feels for; everything else is poured and has millilitres.
COUNTED = {
    *("leaf", "leaves", "sprig", "sprigs", "slice", "slices", "wedge", "wedges", "piece"),
    *("pieces", "pinch", "pinches", "cube", "cubes", "scoop", "scoops", "whole", "g"),
}


@cache
def drinks():
    lines = [
        (f"{file.name}:{number}", line)
        for file in sorted((FOLDER / "drinks").glob("*.jsonl"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    ]
    return {place: json.loads(line) for place, line in lines}


@cache
def by_name():
    return {drink["name"]: drink for drink in drinks().values()}


def recipe(name):
    """Ingredient -> millilitres, None for what is no volume."""
    return {
        one["name"]: parse_measure(one["measure"], one["name"]).amount_ml
        for one in by_name()[name]["ingredients"]
    }


def failing(check):
    """The places and names of drinks for which `check` gives something, with what it gave."""
    return {
        f"{place} {drink['name']}": said
        for place, drink in drinks().items()
        if (said := check(drink))
    }


def concept_of(kind, name):
    return taxonomy_of(DOMAIN, kind).concept_of(name)


class TestTheCatalogue:
    def test_has_drinks_enough(self):
        alcohol_free = [one for one in drinks().values() if one["alcoholic"] == "non-alcoholic"]
        assert len(drinks()) >= 350
        assert len(alcohol_free) >= 45

    def test_has_no_drink_twice(self):
        names = Counter(" ".join(roots(drink["name"])) for drink in drinks().values())
        keys = Counter(clean_key(drink["name"]) for drink in drinks().values())
        assert [name for name, times in names.items() if times > 1] == []
        assert [key for key, times in keys.items() if times > 1] == []

    def test_has_no_recipe_under_two_names(self):
        recipes = Counter(
            json.dumps(
                [sorted((i["name"], i["measure"]) for i in one["ingredients"]), one["glass"]]
            )
            for one in drinks().values()
        )
        assert [made for made, times in recipes.items() if times > 1] == []

    def test_has_clean_text_only(self):
        def unclean(drink):
            texts = [drink[name] for name in ("name", "instructions", "description")]
            texts += [drink["image_description"], *drink["garnish"]]
            return [text for text in texts if clean_text(text) != text]

        assert failing(unclean) == {}

    @pytest.mark.parametrize("field", ["description", "image_description", "instructions"])
    def test_has_texts_that_say_something(self, field):
        assert failing(lambda drink: len(drink[field].split()) < 4) == {}

    def test_has_a_description_of_its_own_for_every_drink(self):
        texts = Counter(drink["description"].casefold() for drink in drinks().values())
        assert [text for text, times in texts.items() if times > 1] == []

    def test_describes_more_than_the_recipe(self):
        assert failing(lambda drink: drink["description"] == drink["image_description"]) == {}


class TestEveryMeasure:
    def test_is_one(self):
        def odd(drink):
            measures = [(one["name"], one["measure"]) for one in drink["ingredients"]]
            return [
                pair
                for pair in measures
                if not (is_measure(pair[1]) or pair[1] in ("top", "rinse"))
            ]

        assert failing(odd) == {}

    def test_is_a_volume_where_something_is_poured(self):
        def unpoured(drink):
            return [
                (one["name"], one["measure"])
                for one in drink["ingredients"]
                if parse_measure(one["measure"], one["name"]).amount_ml is None
                and not COUNTED & set(one["measure"].split())
                and one["measure"] not in ("rinse", "to taste")
            ]

        assert failing(unpoured) == {}

    def test_is_of_one_glass_or_bowl(self):
        def too_much(drink):
            total = sum(ml or 0 for ml in recipe(drink["name"]).values())
            shared = drink["category"] == "punch" or drink["glass"] in ("punch bowl", "teapot")
            return total if not 15 <= total <= (6000 if shared else 700) else None

        assert failing(too_much) == {}


class TestEveryName:
    def test_of_an_ingredient_has_a_family(self):
        ingredients = DOMAIN.taxonomy["ingredient"]
        families = {parent for one in ingredients.values() for parent in one.parents}

        def homeless(drink):
            return [
                one["name"]
                for one in drink["ingredients"]
                if (concept := concept_of("ingredient", one["name"])) is None
                or not (ingredients[concept].parents or concept in families)
            ]

        assert failing(homeless) == {}

    @pytest.mark.parametrize("kind", ["glass", "category"])
    def test_of_a_glass_or_category_is_known(self, kind):
        assert failing(lambda drink: concept_of(kind, drink[kind]) is None and drink[kind]) == {}

    def test_of_a_colour_is_known(self):
        def unknown(drink):
            return [one for one in drink["look"]["colours"] if concept_of("colour", one) is None]

        assert failing(unknown) == {}
        assert failing(lambda drink: not 1 <= len(drink["look"]["colours"]) <= 3) == {}

    def test_of_a_garnish_is_known(self):
        assert (
            failing(lambda d: [g for g in d["garnish"] if concept_of("garnish", g) is None]) == {}
        )


class TestEveryDrink:
    def test_says_truly_whether_it_holds_alcohol(self):
        strength_of = ConceptIndex(DOMAIN, "ingredient").abv_of

        def wrong(drink):
            strongest = max(strength_of(one["name"]) or 0.0 for one in drink["ingredients"])
            return drink["alcoholic"] != ("alcoholic" if strongest > 0.5 else "non-alcoholic")

        assert failing(wrong) == {}

    def test_is_layered_if_and_only_if_it_has_layers_to_show(self):
        def wrong(drink):
            layers, colours = drink["look"]["layers"], len(drink["look"]["colours"])
            return not 1 <= layers <= 7 or (layers > 1 and colours < 2 and layers)

        assert failing(wrong) == {}

    def test_names_an_ingredient_once(self):
        def repeated(drink):
            names = Counter(one["name"] for one in drink["ingredients"])
            return [name for name, times in names.items() if times > 1]

        assert failing(repeated) == {}

    def test_is_seen_in_a_colour_of_its_own(self):
        """Its picture names one of its colours in any of that colour's words."""

        def unseen(drink):
            seen = roots(drink["image_description"])
            spellings = [
                roots(word)
                for colour in drink["look"]["colours"]
                for word in (colour, *_words_of("colour", colour))
            ]
            return not any(
                seen[i : i + len(word)] == word for word in spellings for i in range(len(seen))
            )

        assert failing(unseen) == {}


def _words_of(kind, name):
    concept = DOMAIN.taxonomy[kind][concept_of(kind, name)]
    return (*concept.also, *concept.ask)


def ratio(name, one, other):
    made = recipe(name)
    return made[one] / made[other]


class TestTheClassics:
    """Proportions that no bartender would argue with much."""

    def test_a_negroni_is_equal_parts(self):
        made = recipe("Negroni")
        assert set(made) == {"gin", "campari", "sweet vermouth"}
        assert len(set(made.values())) == 1

    def test_a_boulevardier_leans_to_the_whiskey(self):
        made = recipe("Boulevardier")
        assert made["campari"] == made["sweet vermouth"]
        assert 1 <= made["bourbon"] / made["campari"] <= 2

    def test_a_last_word_is_equal_parts_of_four(self):
        made = recipe("Last Word")
        assert set(made) == {"gin", "green chartreuse", "maraschino liqueur", "lime juice"}
        assert len(set(made.values())) == 1

    @pytest.mark.parametrize(
        ("name", "spirit", "juice", "sweet"),
        [
            ("Daiquiri", "white rum", "lime juice", "simple syrup"),
            ("Whiskey Sour", "bourbon", "lemon juice", "simple syrup"),
            ("Gimlet", "gin", "lime juice", "simple syrup"),
            ("Margarita", "blanco tequila", "lime juice", "triple sec"),
            ("Sidecar", "cognac", "lemon juice", "triple sec"),
            ("White Lady", "gin", "lemon juice", "triple sec"),
        ],
    )
    def test_a_sour_is_a_spirit_with_juice_and_sweetness_in_balance(
        self, name, spirit, juice, sweet
    ):
        made = recipe(name)
        if sweet not in made:
            sweet = next(one for one in made if "syrup" in one or "cordial" in one)
        sourness = made.get(juice)
        assert made[spirit] >= 1.3 * made[sweet]
        if sourness is not None:
            assert 1.5 <= made[spirit] / sourness <= 3.5
            assert 0.6 <= sourness / made[sweet] <= 2

    def test_a_dry_martini_is_nearly_all_gin(self):
        assert 4 <= ratio("Dry Martini", "london dry gin", "dry vermouth") <= 10

    def test_a_manhattan_is_two_to_one_with_bitters(self):
        assert 1.5 <= ratio("Manhattan", "rye whiskey", "sweet vermouth") <= 3
        assert recipe("Manhattan")["angostura bitters"] < 5

    def test_an_old_fashioned_is_whiskey_sugar_and_bitters(self):
        made = recipe("Old Fashioned")
        assert 45 <= made["bourbon"] <= 75
        assert "angostura bitters" in made
        assert any("sugar" in one or "syrup" in one for one in made)

    @pytest.mark.parametrize(
        ("name", "spirit", "mixer"),
        [
            ("Gin and Tonic", "london dry gin", "tonic water"),
            ("Moscow Mule", "vodka", "ginger beer"),
            ("Dark 'n' Stormy", "dark rum", "ginger beer"),
            ("Cuba Libre", "white rum", "cola"),
        ],
    )
    def test_a_long_drink_is_two_to_four_parts_mixer(self, name, spirit, mixer):
        assert 1.5 <= ratio(name, mixer, spirit) <= 4

    def test_a_mojito_has_mint_lime_and_soda(self):
        made = recipe("Mojito")
        assert {"white rum", "lime juice", "mint", "soda water"} <= set(made)

    def test_a_white_russian_is_a_black_russian_with_cream(self):
        white, black = recipe("White Russian"), recipe("Black Russian")
        assert set(white) - set(black) == {"heavy cream"}
        assert white["vodka"] > white["coffee liqueur"]

    def test_a_bellini_is_mostly_prosecco(self):
        assert 1.5 <= ratio("Bellini", "prosecco", "peach puree") <= 4

    def test_a_mimosa_is_half_wine_at_least(self):
        made = recipe("Mimosa")
        wine = max(made[one] for one in ("champagne", "sparkling wine", "prosecco") if one in made)
        assert 1 <= wine / made["orange juice"] <= 3

    def test_an_aperol_spritz_is_three_two_one(self):
        made = recipe("Aperol Spritz")
        assert made["prosecco"] >= made["aperol"] >= made["soda water"] > 0

    @pytest.mark.parametrize(
        ("name", "glass"),
        [
            ("Negroni", "old fashioned glass"),
            ("Margarita", "margarita glass"),
            ("Moscow Mule", "copper mug"),
            ("Mint Julep", "julep cup"),
            ("Irish Coffee", "irish coffee glass"),
            ("Bellini", "champagne flute"),
            ("Pina Colada", "hurricane glass"),
            ("Manhattan", "coupe glass"),
        ],
    )
    def test_is_served_in_its_own_glass(self, name, glass):
        assert by_name()[name]["glass"] == glass

    @pytest.mark.parametrize(
        ("name", "colour"),
        [
            ("Negroni", "red"),
            ("Blue Lagoon", "blue"),
            ("Grasshopper", "green"),
            ("Aviation", "purple"),
            ("Dry Martini", "clear"),
            ("Bloody Mary", "red"),
        ],
    )
    def test_has_the_colour_everybody_knows(self, name, colour):
        assert colour in by_name()[name]["look"]["colours"]


class TestTheTaxonomy:
    @pytest.mark.parametrize("kind", sorted(DOMAIN.taxonomy))
    def test_names_only_families_that_exist(self, kind):
        concepts = DOMAIN.taxonomy[kind]
        missing = {
            (name, family)
            for name, one in concepts.items()
            for family in (*one.parents, *one.flavours)
            if family not in concepts
        }
        assert missing == set()

    @pytest.mark.parametrize("kind", sorted(DOMAIN.taxonomy))
    def test_has_no_circle(self, kind):
        concepts = DOMAIN.taxonomy[kind]
        for start in concepts:
            queue = list(concepts[start].parents)
            for family in queue:
                assert family != start
                queue.extend(one for one in concepts[family].parents if one not in queue)

    @pytest.mark.parametrize("kind", sorted(DOMAIN.taxonomy))
    def test_gives_no_spelling_to_two_concepts(self, kind):
        owners: dict[tuple[str, ...], set[str]] = {}
        for name, one in DOMAIN.taxonomy[kind].items():
            for spelling in (name, *one.also):
                owners.setdefault(roots(spelling), set()).add(name)
        assert {" ".join(key): names for key, names in owners.items() if len(names) > 1} == {}

    def test_belongs_to_kinds_of_the_domain(self):
        assert set(DOMAIN.taxonomy) <= set(DOMAIN.attributes)

    def test_knows_what_every_diet_bars(self):
        excluded = {name for names in DOMAIN.diets.values() for name in names}
        assert excluded <= set(DOMAIN.taxonomy["ingredient"])
        assert set(DOMAIN.staples) <= set(DOMAIN.taxonomy["ingredient"])

    def test_states_strengths_that_exist(self):
        strengths = [
            one.abv for one in DOMAIN.taxonomy["ingredient"].values() if one.abv is not None
        ]
        assert all(0 <= strength <= 96 for strength in strengths)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """The bundled drinks as the store has them, to look names up in."""
    table = open_source("drinks").read(FOLDER / "drinks", DOMAIN)
    with Store.open_(tmp_path_factory.mktemp("gold") / "store.duckdb") as store:
        ingest_items(store, DOMAIN, table.items, table.report)
        return StoreTruth(store, DOMAIN)


class TestTheQuestions:
    def halves(self):
        return {half: read_gold(FOLDER / "questions.jsonl", half) for half in ("dev", "test")}

    def test_are_240_at_least_and_half_of_them_are_put_aside(self):
        halves = self.halves()
        assert sum(map(len, halves.values())) >= 240
        assert abs(len(halves["dev"]) - len(halves["test"])) <= 1

    def test_have_ids_and_words_of_their_own(self):
        lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        questions = [json.loads(line) for line in lines]
        assert len({one["id"] for one in questions}) == len(questions)
        words = Counter(" ".join(roots(one["query"])) for one in questions)
        assert [text for text, times in words.items() if times > 1] == []

    @pytest.mark.parametrize("half", ["dev", "test"])
    def test_of_each_half_ask_for_every_task_and_style_of_wish(self, half):
        questions = self.halves()[half]
        tasks = Counter(one.task for one in questions)
        assert min(tasks[kind] for kind in TaskKind) >= 15
        for wanted in ("exclude", "include", "glass", "colour", "target", "alcohol"):
            assert sum(bool(getattr(one.gold, wanted)) for one in questions) >= 5
        assert {one.possible for one in questions} == {True, False}

    @pytest.mark.parametrize("half", ["dev", "test"])
    def test_name_in_their_gold_only_what_is_known(self, truth, half):
        assert list(unknown_names(self.halves()[half], truth)) == []

    @pytest.mark.parametrize("half", ["dev", "test"])
    def test_say_what_they_want(self, half):
        def wants(gold):
            return any(getattr(gold, name) not in ((), None) for name in gold.__struct_fields__)

        assert [one.id for one in self.halves()[half] if not wants(one.gold)] == []
