"""Recipes of one name: the same drink in two catalogues, or two drinks.

Two recipes are two items where less than two fifths of the shorter one's ingredients have a match
in the other: a brand and its kind, two sorts of rum, a juice and the fruit. Of the 220 drinks that
Mr. Boston's, the IBA's and Bar Assistant's share by name with each other and with the bundled ones,
that parts three (Derby, San Francisco, Toreador); the next have half in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import ImportReport, ItemRow
from localrec.foundation.atomic_files import short_digest
from localrec.foundation.text_matching import roots
from localrec.graph.store import Store
from localrec.graph.taxonomy import Taxonomy, taxonomy_of

_LEAST_SHARED = 0.4
_INGREDIENT = "ingredient"
_SHORTEST = 3  # letters of a word that two ingredients share
# Nodes with the receipts of the catalogues that brought them.
BROUGHT = "FROM brought b JOIN import_receipt r USING (import_id) WHERE r.user_key IS NULL"
OTHER_FILE = (
    "(r.report->>'$.source' <> $source "
    "OR regexp_extract(r.report->>'$.path', '[^/\\\\]+$') <> $file)"
)


class MatchedRecipes(msgspec.Struct, frozen=True, kw_only=True):
    """Rows under the keys that they get in the store.

    Args:
        rows: All rows, in their order.
        apart: The number of rows that are another recipe than the stored ones of their name.
        differing: Names of recipes that go into a stored one, although they list something else.
    """

    rows: tuple[ItemRow, ...]
    apart: int = 0
    differing: tuple[str, ...] = ()


class _StoredRecipe(msgspec.Struct, frozen=True):
    key: str
    name: str
    is_own: bool  # the same file brought it before
    ingredients: tuple[str, ...]


def file_of(report: ImportReport) -> dict[str, str]:
    """Return the kind and the file name that identify a catalogue, as SQL values."""
    return {"source": report.source, "file": PurePath(report.path).name}


def match_recipes(
    store: Store, domain: Domain, rows: Sequence[ItemRow], report: ImportReport
) -> MatchedRecipes:
    """Find which stored recipe each row is; one with only the name of another gets its own key.

    Args:
        store: An open store.
        domain: The domain of the rows.
        rows: Items with unique keys.
        report: The receipt, which says where they come from.
    """
    kind = domain.kind_of("component")
    recipes = {row.key: names for row in rows if len(names := _ingredients(row, kind)) > 1}
    if kind is None or not recipes:
        return MatchedRecipes(rows=tuple(rows))
    stored = _stored_recipes(
        store, domain, kind, [row for row in rows if row.key in recipes], report
    )
    if all(one.is_own for one in stored):
        return MatchedRecipes(rows=tuple(rows))
    return _Matching(domain, kind, recipes, stored).match(rows)


def _ingredients(row: ItemRow, kind: str | None) -> list[str]:
    """The ingredients of a row; none of one that is no recipe."""
    links = [link for link in row.links if link.kind == kind]
    is_recipe = kind == _INGREDIENT or any(link.value for link in links)
    return [link.name for link in links] if is_recipe else []


def _stored_recipes(
    store: Store, domain: Domain, kind: str, rows: Sequence[ItemRow], report: ImportReport
) -> list[_StoredRecipe]:
    """Read the recipes that other catalogues brought under the names or keys of some rows."""
    known = store.rows(
        "SELECT n.key, n.name, "
        f"n.node_id IN (SELECT node_id {BROUGHT} AND NOT {OTHER_FILE}), "
        "list(a.name) FILTER (a.name IS NOT NULL) FROM node n "
        "LEFT JOIN edge e ON e.source_id = n.node_id AND e.kind = $edge "
        "LEFT JOIN node a ON a.node_id = e.target_id "
        "WHERE n.domain = $domain AND n.kind = $item "
        "AND (n.key IN (SELECT unnest($keys)) OR lower(n.name) IN (SELECT unnest($names))) "
        f"AND n.node_id IN (SELECT node_id {BROUGHT}) GROUP BY ALL ORDER BY n.key",
        {
            "edge": domain.attributes[kind].edge,
            "domain": domain.name,
            "item": domain.item,
            "keys": [row.key for row in rows],
            "names": [row.name.lower() for row in rows],
            **file_of(report),
        },
    )
    return [_StoredRecipe(key, name, own, tuple(names or ())) for key, name, own, names in known]


class _Matching:
    """Rows against stored recipes of their names, each stored one given to one row at most."""

    def __init__(
        self,
        domain: Domain,
        kind: str,
        recipes: dict[str, list[str]],
        stored: Sequence[_StoredRecipe],
    ) -> None:
        self._families = _IngredientFamilies(taxonomy_of(domain, kind), domain.staples)
        self._recipes, self._stored = recipes, stored
        self._by_key = {one.key: one for one in stored}

    def match(self, rows: Sequence[ItemRow]) -> MatchedRecipes:
        """Give each row its key."""
        candidates = {
            row.key: [one for one in self._stored if _may_be(one, row)]
            for row in rows
            if row.key in self._recipes
        }
        joined = self._join(rows, candidates)
        keys = dict(joined)
        apart, differing = 0, []
        for row in rows:
            others = [one for one in candidates.get(row.key, ()) if not one.is_own]
            if row.key in joined:
                other = self._by_key[joined[row.key]]
                if self._families.differ(self._recipes[row.key], other.ingredients):
                    differing.append(row.name)
            elif others:
                apart += 1
                keys[row.key] = self._own_key(row, candidates[row.key], {*keys.values()})
        renamed = tuple(
            row if keys.get(row.key, row.key) == row.key else _renamed(row, keys[row.key])
            for row in rows
        )
        return MatchedRecipes(rows=renamed, apart=apart, differing=tuple(differing))

    def _join(
        self, rows: Sequence[ItemRow], candidates: dict[str, list[_StoredRecipe]]
    ) -> dict[str, str]:
        """Key of a row -> key of the stored recipe that it is, the likeliest pairs first."""
        pairs = [
            (share, one.key == row.key, row.key, one.key)
            for row in rows
            for one in candidates.get(row.key, ())
            if not one.is_own and (share := self._share(row, one)) >= _LEAST_SHARED
        ]
        joined: dict[str, str] = {}
        for _, _, key, other in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
            if key not in joined and other not in joined.values():
                joined[key] = other
        return joined

    def _share(self, row: ItemRow, one: _StoredRecipe) -> float:
        if len(one.ingredients) < 2:  # too little to tell a recipe by
            return float(one.key == row.key)
        return self._families.share(self._recipes[row.key], one.ingredients)

    def _own_key(self, row: ItemRow, candidates: Sequence[_StoredRecipe], taken: set[str]) -> str:
        """The key of another recipe: as the same file had it before, or a new one."""
        own = [one for one in candidates if one.is_own and one.key not in taken]
        if own:
            return max(own, key=lambda one: (one.key == row.key, self._share(row, one))).key
        if row.key not in self._by_key:
            return row.key
        mark = short_digest(*sorted(self._recipes[row.key]))[:8]
        return f"{row.key}-{mark}"


def _may_be(one: _StoredRecipe, row: ItemRow) -> bool:
    return one.key == row.key or one.name.lower() == row.name.lower()


def _renamed(row: ItemRow, key: str) -> ItemRow:
    return msgspec.structs.replace(row, key=key)


class _IngredientFamilies:
    """Matches between the ingredients of two recipes."""

    def __init__(self, taxonomy: Taxonomy, staples: Iterable[str]) -> None:
        self._taxonomy = taxonomy
        self._staples = frozenset(staples)
        self._forms: dict[str, tuple[str, frozenset[str], frozenset[str], tuple[str, ...]]] = {}

    def share(self, one: Sequence[str], other: Sequence[str]) -> float:
        """The share of the shorter recipe that has a match in the other; 1 if there is none."""
        first, second = self._telling(one), self._telling(other)
        fewest = min(len(first), len(second))
        if not fewest:
            return 1.0
        return min(self._matched(first, second), self._matched(second, first)) / fewest

    def differ(self, one: Sequence[str], other: Sequence[str]) -> bool:
        """Whether a recipe has an ingredient without a match in the other."""
        first, second = self._telling(one), self._telling(other)
        return bool(second) and self._matched(first, second) < len(first)

    def _telling(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if self._form(name)[0] not in self._staples]

    def _matched(self, names: Sequence[str], others: Sequence[str]) -> int:
        return sum(any(self._are_kin(name, other) for other in others) for name in names)

    def _are_kin(self, one: str, other: str) -> bool:
        key, parents, above, words = self._form(one)
        other_key, other_parents, other_above, other_words = self._form(other)
        if key in other_above or other_key in above:
            return True
        if any(self._taxonomy.families_of(family) for family in parents & other_parents):
            return True  # two rums; not two spirits, whose family is in no other
        shared = {*words} & {*other_words}
        if len(words) > 1 and len(other_words) > 1 and words[-1] == other_words[-1]:
            shared.discard(words[-1])  # orange juice and cranberry juice
        return any(len(word) >= _SHORTEST for word in shared)

    def _form(self, name: str) -> tuple[str, frozenset[str], frozenset[str], tuple[str, ...]]:
        """Key, families, all families above, and words of a name."""
        if name not in self._forms:
            place = self._taxonomy.place(name)
            above = [place.key, *place.is_a]
            for family in above:
                above += [one for one in self._taxonomy.families_of(family) if one not in above]
            self._forms[name] = place.key, frozenset(place.is_a), frozenset(above), roots(name)
        return self._forms[name]
