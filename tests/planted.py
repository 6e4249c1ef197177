"""A small bar whose every right answer is known: planted drinks, families and looks."""

from __future__ import annotations

from pathlib import Path

from localrec.data.domains import AttributeSpec, Concept, Domain, FlagSpec, NumberSpec
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.foundation.errors import ModelError
from localrec.foundation.settings import Settings
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.index.embedded_fields import update_embeddings
from localrec.index.embedders import HashingEmbedder
from localrec.llm.chat_model import ChatModel
from localrec.memory.records import MemoryUpdate, WriteResult, put_memories
from localrec.workspace.domain_context import DomainContext, SharedIndexes
from localrec.workspace.model_pool import FixedModels, ModelPool

INGREDIENTS = {
    "spirit": Concept(),
    "whiskey": Concept(parents=("spirit",), also=("whisky",)),
    "bourbon": Concept(parents=("whiskey",)),
    "islay scotch": Concept(parents=("whiskey", "smoky"), also=("laphroaig",)),
    "gin": Concept(parents=("spirit",)),
    "vodka": Concept(parents=("spirit",)),
    "rum": Concept(parents=("spirit",)),
    "white rum": Concept(parents=("rum",), also=("light rum",)),
    "mezcal": Concept(parents=("spirit", "smoky")),
    "smoky": Concept(ask=("smokey", "peaty")),
    "nut": Concept(also=("nuts",)),
    "amaretto": Concept(parents=("nut",)),
    "hazelnut": Concept(parents=("nut",)),
    "dairy": Concept(),
    "cream": Concept(parents=("dairy",)),
    "egg": Concept(),
    "egg white": Concept(parents=("egg",)),
    "ginger": Concept(),
    "ginger ale": Concept(parents=("ginger",)),
    "citrus": Concept(),
    "lime": Concept(parents=("citrus",)),
    "lime juice": Concept(parents=("lime",)),
    "lemon": Concept(parents=("citrus",)),
    "lemon juice": Concept(parents=("lemon",)),
    "orange": Concept(parents=("citrus",)),
    "orange juice": Concept(parents=("orange",)),
    "tonic water": Concept(also=("tonic",)),
    "soda water": Concept(also=("club soda",)),
    "mint": Concept(),
    "sugar": Concept(),
    "campari": Concept(),
    "sweet vermouth": Concept(),
    "blue curacao": Concept(),
    "coffee liqueur": Concept(also=("kahlua",)),
    "bitters": Concept(),
    "bitter": Concept(),
}

BAR = Domain(
    name="cocktails",
    item="cocktail",
    singular="drink",
    plural="drinks",
    words=load_domain("cocktails").words,
    item_words=("cocktail", "drink"),
    texts={"name": "name", "description": "description", "image_description": "image_description"},
    attributes={
        "ingredient": AttributeSpec(
            role="component", edge="HAS_INGREDIENT", words=("ingredient",), says="has {name}"
        ),
        "glass": AttributeSpec(
            role="container", edge="HAS_GLASSTYPE", words=("glass",), says="comes in a {name}"
        ),
        "category": AttributeSpec(role="category", edge="CATEGORY"),
        "colour": AttributeSpec(
            role="colour",
            edge="HAS_COLOUR",
            words=("colour", "color", "coloured"),
            from_texts=("image_description",),
            aside=("background", "garnished", "garnish", "rim", "slice"),
            says="is {name}",
        ),
        "look": AttributeSpec(role="look", edge="HAS_LOOK", from_texts=("image_description",)),
    },
    flags={
        "alcoholic": FlagSpec(
            values={
                "non-alcoholic": ("non-alcoholic", "alcohol-free", "no alcohol", "mocktail"),
                "alcoholic": ("alcoholic", "with alcohol"),
            }
        )
    },
    numbers={
        "ingredient_count": NumberSpec(kind="count", less=("simpler",), more=("fancier",)),
        "strength": NumberSpec(kind="amount", more=("stronger",), less=("weaker", "lighter")),
    },
    diets={"vegan": ("dairy", "egg"), "nut allergy": ("nut",)},
    taxonomy={
        "ingredient": INGREDIENTS,
        "glass": {
            "stemmed glass": Concept(),
            "coupe glass": Concept(parents=("stemmed glass",), also=("coupe",)),
            "martini glass": Concept(parents=("stemmed glass",)),
            "highball glass": Concept(also=("highball", "hiball")),
            "margarita glass": Concept(),
            "hurricane glass": Concept(also=("hurricane",)),
        },
        "category": {"sour": Concept(), "shot": Concept(also=("shooter",))},
        "colour": {
            "red": Concept(also=("crimson", "ruby")),
            "blue": Concept(),
            "green": Concept(),
            "orange": Concept(),
            "white": Concept(),
        },
        "look": {"layered": Concept(also=("layers",)), "foamy": Concept(also=("frothy",))},
    },
)

_DRINKS = (
    # name, glass, category, alcoholic, strength, ingredients, what one sees
    ("Negroni", "Rocks glass", "Aperitif", 26, "gin, campari, sweet vermouth", "A crimson drink."),
    ("Boulevardier", "Coupe", "Aperitif", 28, "bourbon, campari, sweet vermouth", "Red drink."),
    ("Americano", "Highball", "Aperitif", 9, "campari, sweet vermouth, club soda", "Red."),
    ("Gin and Tonic", "Highball glass", "Long", 12, "gin, tonic water, lime", "A clear drink."),
    ("Gimlet", "Coupe glass", "Sour", 24, "gin, lime juice, sugar", "A pale green drink."),
    ("Daiquiri", "Coupe glass", "Sour", 20, "light rum, lime juice, sugar", "A white drink."),
    ("Mojito", "Highball glass", "Long", 13, "white rum, lime juice, mint, sugar", "Green."),
    ("Gin Buck", "Highball glass", "Long", 11, "gin, lemon juice, ginger ale", "A white drink."),
    ("Smoke Signal", "Coupe", "Sour", 22, "mezcal, lime juice, sugar", "A green drink."),
    ("Peat Bog", "Rocks glass", "Strong", 33, "laphroaig, sweet vermouth", "A red drink."),
    ("Whiskey Sour", "Coupe", "Sour", 18, "bourbon, lemon juice, egg white", "Orange, frothy."),
    ("White Russian", "Rocks glass", "Creamy", 20, "vodka, Kahlua, cream", "White in layers."),
    ("Nutty", "Martini glass", "Creamy", 15, "amaretto, cream", "A white drink."),
    ("Filbert", "Martini glass", "Strong", 25, "hazelnut vodka, lemon juice", "A white drink."),
    ("Blue Sky", "Highball", "Long", 10, "vodka, blue curacao, lime juice", "A blue drink."),
    ("Orchard", "Hurricane glass", "Long", 0, "orange juice, lime juice, mint", "Orange drink."),
    ("Limeade", "Highball glass", "Long", 0, "lime juice, mint, soda water", "A green drink."),
)


def planted_rows() -> list[ItemRow]:
    """The bar's drinks as a source would deliver them."""
    return [_row(*drink) for drink in _DRINKS]


def _row(
    name: str, glass: str, category: str, strength: int, ingredients: str, looks: str
) -> ItemRow:
    names = ingredients.split(", ")
    links = [AttributeLink(kind="ingredient", name=one, value="30 ml") for one in names]
    links += [
        AttributeLink(kind="glass", name=glass),
        AttributeLink(kind="category", name=category),
    ]
    return ItemRow(
        key=name.lower().replace(" ", "-"),
        name=name,
        properties={
            "name": name,
            "alcoholic": "alcoholic" if strength else "non-alcoholic",
            "strength": float(strength),
            "ingredient_count": len(names),
            "description": f"{name}, made with {ingredients}.",
            "image_description": looks,
        },
        links=tuple(links),
    )


def a_report(kept: int = len(_DRINKS)) -> ImportReport:
    """A receipt for planted rows."""
    return ImportReport(
        source="planted",
        path="planted",
        domain=BAR.name,
        read=kept,
        kept=kept,
        merged=0,
        dropped=0,
    )


def planted_store(folder: Path) -> Store:
    """A store with the bar in it, open for writing."""
    store = Store.open_(folder / "store.duckdb")
    ingest_items(store, BAR, planted_rows(), a_report())
    return store


def planted_stages(store: Store, folder: Path) -> DomainContext:
    """Everything needed to ask the bar, without any model."""
    pool = ModelPool(Settings())
    pool.embedder = HashingEmbedder(size=128)
    pool.embedder_name = pool.embedder.name
    update_embeddings(store, BAR, pool.embedder)
    models = FixedModels(pool, without_model)
    return DomainContext(SharedIndexes(store, folder, Settings(), models, BAR))


def with_model(bar: DomainContext, model: ChatModel) -> DomainContext:
    """The bar with a model that plays every role."""
    return bar.with_models(FixedModels(bar.models, lambda role: model))


def without_model(role: str) -> ChatModel:
    """Stands for a workspace whose models were never pulled."""
    raise ModelError(f"There is no model for {role}.")


def write_memories(store: Store, updates: list[MemoryUpdate]) -> WriteResult:
    """Memories as nobody's job wrote them."""
    with store.transaction():
        return put_memories(store, updates)
