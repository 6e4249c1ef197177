"""Planted domains, and the real MovieLens file where it was pulled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from localrec.data.domains import AttributeSpec, Concept, Domain
from localrec.foundation.paths import pulled
from localrec.graph.domain_files import load_domain


@pytest.fixture
def drinks_domain() -> Domain:
    ingredients = {
        "spirit": Concept(abv=40),
        "gin": Concept(parents=("spirit",)),
        "whiskey": Concept(parents=("spirit",), also=("whisky",)),
        "bourbon": Concept(parents=("whiskey",), abv=43),
        "overproof rum": Concept(parents=("spirit",), abv=63),
        "campari": Concept(abv=25),
        "vermouth": Concept(abv=16),
        "sweet vermouth": Concept(parents=("vermouth",), also=("red vermouth",)),
        "creme de cacao": Concept(parents=("liqueur",), also=("crème de cacao",)),
        "liqueur": Concept(abv=24),
        "juice": Concept(),
        "lime juice": Concept(parents=("juice",)),
        "orange juice": Concept(parents=("juice",)),
        "cherry": Concept(),
    }
    return Domain(
        name="cocktails",
        item="cocktail",
        singular="drink",
        plural="drinks",
        item_words=("drink",),
        texts={"name": "name", "description": "description"},
        attributes={
            "ingredient": AttributeSpec(role="component", edge="HAS_INGREDIENT"),
            "glass": AttributeSpec(role="container", edge="HAS_GLASSTYPE"),
            "category": AttributeSpec(role="category", edge="CATEGORY"),
        },
        taxonomy={"ingredient": ingredients},
    )


@pytest.fixture
def films_domain() -> Domain:
    return load_domain("movies")


@pytest.fixture
def movielens() -> Path:
    path = pulled("datasets") / "ml-100k" / "ml-100k.item"
    if not path.is_file():
        reason = "ml-100k is not here; `localrec datasets pull ml-100k` fetches it"
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path
