"""Recipes of one file, whatever its layout, as the items of a catalogue."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import count
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_key, identity_of
from localrec.packs.cocktails.recipes import DrinkRowBuilder, Recipe, fill_from
from localrec.sources.import_log import ImportLog


def catalogue_of(
    recipes: Iterable[Recipe], path: Path, domain: Domain, import_log: ImportLog
) -> CatalogueRows:
    """Make items of recipes; drinks of one name become one item.

    Args:
        recipes: In the order of the file.
        path: Their file, for the message.
        domain: The domain of the items.
        import_log: The receipt.

    Raises:
        InputError: no recipe can be kept.
    """
    found = _by_key(recipes, import_log)
    if not found:
        raise InputError(
            f"{path} holds no drink that can be kept: {import_log.first_drop()}.",
            "Each row needs a name and an ingredient.",
        )
    maker = DrinkRowBuilder(domain)
    for recipe in found.values():
        if recipe.alcoholic and not maker.states_alcohol(recipe):
            import_log.repair(
                recipe.row,
                "alcoholic",
                f"{recipe.alcoholic!r} is unknown; derived from the ingredients",
            )
    items = tuple(
        msgspec.structs.replace(maker.make_item(recipe), key=key) for key, recipe in found.items()
    )
    return CatalogueRows(items=items, report=import_log.report(kept=len(items)))


def _by_key(recipes: Iterable[Recipe], import_log: ImportLog) -> dict[str, Recipe]:
    """Each drink under its key; one of another spelling and another recipe stays a drink."""
    found: dict[str, Recipe] = {}
    for recipe in recipes:
        key = clean_key(recipe.name)
        first = found.setdefault(key, recipe)
        if first is recipe:
            continue
        if first.name.casefold() != recipe.name.casefold() and _contents(first) != _contents(
            recipe
        ):
            found[_free_key(key, found)] = recipe
            continue
        import_log.merge(recipe.row, None, f"went into row {first.row}, {first.name}")
        found[key] = fill_from(first, recipe)
    return found


def _free_key(key: str, taken: Container[str]) -> str:
    """The first of `key-2`, `key-3` ... that is not taken."""
    return next(free for n in count(2) if (free := f"{key}-{n}") not in taken)


def _contents(recipe: Recipe) -> set[str]:
    return {identity_of(name) for name, _ in recipe.ingredients}
