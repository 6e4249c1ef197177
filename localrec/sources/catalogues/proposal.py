"""A domain proposed from a table: which column names the items, what the others say of them.

Headers say what a column is meant for, values say what it is; where they differ the values are
right. Whatever finds no better place is kept with the item as a property.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from localrec.data.catalogue_columns import CatalogueColumns, LinkColumns
from localrec.data.domains import AttributeRole, AttributeSpec, Domain, FlagSpec
from localrec.data.series_parts import numbers_parts
from localrec.foundation.errors import InputError
from localrec.foundation.prose import with_article
from localrec.foundation.text_matching import singular
from localrec.sources.catalogues.column_groups import ColumnGroup, find_groups
from localrec.sources.catalogues.column_profiles import ColumnProfile, profile_columns
from localrec.sources.catalogues.families import propose_families
from localrec.sources.catalogues.gathered_rows import GatheredRows, find_gathered_rows
from localrec.sources.catalogues.header_words import (
    CATEGORIES,
    COMPONENTS,
    CONTAINERS,
    CREATORS,
    PLACES,
    header_words,
    meaning_of,
    property_name,
)
from localrec.sources.catalogues.name_column import name_column
from localrec.sources.catalogues.number_columns import NumberProposals, by_likelihood
from localrec.sources.catalogues.records import RecordTable

# What may stand in a proposed question: a name of a few words, not a stranger's sentence.
_PLAIN_NAME = re.compile(
    r"(?![^ ]{31})(?!.*\b(?i:ignor|disregard|instruct|system|prompt|assistant|forget))"
    r"(?!.*\b(?i:you|your|are|is|was|be|now|please|must|should|always|never|do|don|not|answer|reply|"
    r"respond|print|run|act|pretend|reveal|user|admin|password|click|sudo|execute|delete|tell)\b)"
    r"(?:[^\W_][\w'’.+/-]* ?|& ){1,6}"
)
_YEAR_IN_NAME = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_SERIES_IN_NAME = re.compile(r"\([^()]+?,? #\d+(?:\.\d+)?(?:-\d+)?\)\s*$")
_PROSE = ("description", "instructions")
_MOST_KINDS = (
    400  # different names above which a column with a name for nearly every row tells none
)
_SAYS = {"component": "has {name}", "container": "comes in {name}", "creator": "is by {name}"}


class Proposal(msgspec.Struct, kw_only=True):
    """A domain for a table.

    Args:
        domain: Its declaration, with the columns.
        reasons: Column -> what becomes of it, in words.
    """

    domain: Domain
    reasons: dict[str, str]


def propose_domain(name: str, table: RecordTable) -> Proposal:
    """Propose a domain of a name for a table.

    Raises:
        InputError: no column can be the name of an item.
    """
    return _Proposing(name, table).proposal()


class _Proposing:
    """One proposal under way: columns are taken one after another, each once."""

    def __init__(self, name: str, table: RecordTable) -> None:
        self._name, self._table = name, table
        words = name.replace("_", "-").split("-")
        words = [one for one in words if not one.isdigit()] or words  # "wines-2" are wines
        self.plural = " ".join(words)
        self.singular = " ".join([*words[:-1], singular(words[-1])])
        self._about = tuple(singular(word) for word in words)
        self._profiles = profile_columns(table, self._about)
        self._left = {one.name: one for one in self._profiles}
        self.reasons: dict[str, str] = {}
        self._links: dict[str, LinkColumns] = {}
        self._attributes: dict[str, AttributeSpec] = {}
        self._languages: set[str] = set()  # kinds that make no two items alike
        self._parts: list[str] = []  # beginnings of columns that tell more of a list's elements
        self._common: dict[str, tuple[str, ...]] = {}  # kind -> its names, the commonest first

    def proposal(self) -> Proposal:
        """Take every column to its place."""
        item_name = self._take_name()
        gathered = find_gathered_rows(self._table, item_name.name)
        ignored = self._take_ignored(gathered)
        texts = self._take_texts()
        if gathered is not None:  # the rows are the list: a comma is part of a name
            for one in self._left.values():
                one.separator = None if one.name in gathered.varying else one.separator
        self._take_groups(find_groups(list(self._left.values())))
        self._take_creators()
        self._take_kinds(gathered)
        numbers = NumberProposals(self._table, self._name)
        for profile in by_likelihood(list(self._left.values())):
            if told := numbers.take(profile):
                self._take(profile.name, told)
        flags, flag_columns = self._take_flags()
        properties = {property_name(one): one for one in self._left}
        for column in self._left:
            self.reasons[column] = "kept as a property"
        named = [str(cell) for cell in self._table.column(item_name.name) if cell]
        columns = CatalogueColumns(
            name=item_name.name,
            key=self._key(item_name.name, gathered, ignored),
            gather=gathered is not None,
            texts=texts,
            links=self._links,
            numbers=numbers.columns,
            flags=flag_columns,
            year=numbers.year,
            year_in_name=numbers.year is None and _share(named, _YEAR_IN_NAME) > 0.5,
            series_in_name=_share(named, _SERIES_IN_NAME) > 0.1,
            properties=properties,
            identifiers=tuple(filter(self._identifies, self._left)),
            ignored=tuple(ignored),
        )
        return Proposal(domain=self._domain(columns, numbers, flags), reasons=self.reasons)

    def _take(self, column: str, reason: str) -> ColumnProfile:
        self.reasons[column] = reason
        return self._left.pop(column)

    def _take_name(self) -> ColumnProfile:
        best = name_column(self._profiles, self._about)
        if best is None:
            raise InputError(
                f"{self._table.path} has no column that could name its items; it has "
                f"{', '.join(self._table.columns[:20])}.",
                "Name one in columns.toml: name = ...",
            )
        return self._take(best.name, "the item's name")

    def _take_ignored(self, gathered: GatheredRows | None) -> list[str]:
        """Take the columns that say nothing of the items; an id stays, since ratings name it."""
        gone = [one.name for one in self._left.values() if one.holds in ("nothing", "rows")]
        if gathered is not None:
            gone += [one for one in gathered.counters if one in self._left and one not in gone]
        for column in gone:
            if gathered is not None or not self._identifies(column):
                self._take(column, "left out: it is empty, or only counts the rows")
        return gone

    def _take_texts(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        for meaning in _PROSE:
            fitting = [
                one
                for one in self._left.values()
                if one.meaning == meaning
                and one.holds in ("text", "name", "list")
                and one.words > 2
            ]
            if fitting:
                best = max(fitting, key=lambda one: (one.certainty, one.words * one.filled))
                texts[meaning] = self._take(best.name, "searched by its meaning").name
        prose = [one for one in self._left.values() if one.holds == "text"]
        if prose and "description" not in texts:
            best = max(prose, key=lambda one: one.words * one.filled)
            texts["description"] = self._take(best.name, "searched by its meaning").name
        return texts

    def _take_groups(self, groups: Iterable[ColumnGroup]) -> None:
        for group in groups:
            measured = f", with how much of it in {group.values[0]} ..." if group.values else ""
            for column in (*group.columns, *group.values):
                self._take(column, f"links to {group.kind}{measured}")
            self._add_kind(
                group.kind,
                LinkColumns(
                    columns=group.columns,
                    values=group.values,
                    otherwise=group.otherwise,
                    flags=group.flags,
                    amounts=group.amounts,
                    separator=group.separator,
                ),
                self._role_of(group.kind),
                group.common,
            )
            if group.otherwise and group.otherwise in self._left:
                self._take(group.otherwise, f"links to {group.kind} where there is no other")
            self._parts.append(f"{group.columns[0].rpartition('.')[0]}.")

    def _take_creators(self) -> None:
        for meaning in CREATORS:
            for one in list(self._left.values()):
                is_told = one.meaning == meaning and one.certainty >= 0.5
                if is_told and one.holds in ("name", "list") and one.words < 8:
                    role: AttributeRole = "category" if self._has("creator") else "creator"
                    self._add_column(one, meaning, role)

    def _take_kinds(self, gathered: GatheredRows | None) -> None:
        places = [
            one.name
            for meaning in PLACES
            for one in self._left.values()
            if one.meaning == meaning and one.holds in ("name", "list") and one.certainty >= 0.5
        ]
        if places:
            common = tuple(name for one in places for name in self._left[one].common)
            kind = self._left[places[0]].meaning if len(places) == 1 else "place"
            for column in places:
                self._take(column, f"links to {kind}")
            self._add_kind(kind, LinkColumns(columns=tuple(places)), "container", common)
        for meaning in dict.fromkeys((*COMPONENTS, *CONTAINERS, *CATEGORIES, "garnish", "colour")):
            for one in list(self._left.values()):
                if one.meaning == meaning and one.certainty >= 0.5 and self._is_kind(one):
                    self._add_column(one, meaning, self._role_of(meaning))
        for one in list(self._left.values()):  # what no header explains, but values do
            if one.meaning == "language":
                self._languages.add(property_name(one.name))
            if one.meaning in ("", "language", "name") and self._is_kind(one):
                self._add_column(one, property_name(one.name), "category")
        if not self._has("component") and self._attributes:
            free = [
                kind
                for kind, spec in self._attributes.items()
                if spec.role == "category" and kind not in self._languages
            ]
            if free:
                best = max(free, key=lambda kind: len(self._common[kind]))
                changed = msgspec.structs.replace(self._attributes[best], role="component")
                self._attributes[best] = changed

    def _is_kind(self, one: ColumnProfile) -> bool:
        if any(len(part) > 1 and one.name.startswith(part) for part in self._parts):
            return False
        if one.holds == "list":
            return True
        if one.holds not in ("name", "flag") or one.words > 6 or one.holds == "flag":
            return False
        is_told = one.certainty >= 0.5 and one.meaning in (*COMPONENTS, *CONTAINERS, *CATEGORIES)
        most = max(30, 0.7 * one.total) if is_told else min(_MOST_KINDS, 0.3 * one.total)
        return 1 < one.distinct <= max(3, most)

    def _add_column(self, one: ColumnProfile, kind: str, role: AttributeRole) -> None:
        self._take(one.name, f"links to {kind}" + (" (a list)" if one.holds == "list" else ""))
        self._add_kind(
            kind, LinkColumns(columns=(one.name,), separator=one.separator), role, one.common
        )

    def _add_kind(
        self, kind: str, columns: LinkColumns, role: AttributeRole, common: tuple[str, ...]
    ) -> None:
        if kind in self._links:
            kind = property_name(columns.columns[0])
            role = "category" if role != "creator" else role
        if role != "category" and self._has(role):
            role = "category"
        self._links[kind] = columns
        self._common[kind] = common
        noun = kind.replace("_", " ")
        says = _SAYS.get(role, "is {name}")
        if columns.columns and role == "container" and kind in (*PLACES, "place"):
            says = "is from {name}"
        if role == "component" and kind in ("variety", "style", "genre", "category", "cuisine"):
            says = "is {name}"
        self._attributes[kind] = AttributeSpec(
            role=role, edge=f"HAS_{kind.upper()}", words=_nouns(noun, columns), says=says
        )

    def _role_of(self, kind: str) -> AttributeRole:
        if kind in ("garnish", "colour"):
            return "garnish" if kind == "garnish" else "category"
        if kind in CONTAINERS and not self._has("container"):
            return "container"
        is_component = kind in COMPONENTS and not self._has("component")
        return "component" if is_component else "category"

    def _has(self, role: str) -> bool:
        return any(spec.role == role for spec in self._attributes.values())

    def _identifies(self, column: str) -> bool:
        """Whether a column numbers the items themselves, and not who made or sent them in."""
        one = self._left[column]
        others = [word for word in header_words(column) if word not in ("id", *self._about)]
        of_others = meaning_of(" ".join(others))[0] in (*CREATORS, "user")
        return one.meaning == "id" and one.certainty >= 0.5 and one.is_unique and not of_others

    def _take_flags(self) -> tuple[dict[str, FlagSpec], dict[str, str]]:
        flags, columns = {}, {}
        for one in [profile for profile in self._left.values() if profile.holds == "flag"]:
            name = property_name(one.name)
            words = [word for word in header_words(one.name) if word not in ("is", "has")]
            flags[name] = FlagSpec(values={"yes": (" ".join(words),), "no": ()})
            columns[name] = self._take(one.name, "a flag that questions may ask for").name
        return flags, columns

    def _key(
        self, name: str, gathered: GatheredRows | None, ignored: Sequence[str]
    ) -> tuple[str, ...]:
        """Find the columns that tell items of one name apart: an id, volume, creator or year."""
        if gathered is not None:
            return () if gathered.key == (name,) else gathered.key
        own = [
            (place, column)
            for place, column in enumerate(self._table.columns)
            if column not in ignored
        ]
        told = {tuple(str(cells[place]) for place, _ in own) for _, cells in self._table.rows}
        index = {column: place for place, (_, column) in enumerate(own)}
        names = [row[index[name]].casefold() for row in told]
        if len(set(names)) == len(names):
            return ()
        ids = [(one.name,) for one in self._profiles if one.holds == "id" and one.is_unique]
        parts = tuple(column for column in index if numbers_parts(column))
        others = [kind.columns[:1] for kind in self._links.values()]
        years = [(one.name,) for one in self._profiles if one.meaning == "year"]
        numbered = [*((one,) for one in parts), parts] if parts else []
        for chosen in (*ids, *numbered, *others, *years):
            if not index.keys() >= {*chosen}:
                continue
            keys = {
                (row[index[name]].casefold(), *(row[index[one]] for one in chosen)) for row in told
            }
            if len(keys) == len(names):
                return (name, *chosen)
        return ()

    def _domain(
        self, columns: CatalogueColumns, numbers: NumberProposals, flags: dict[str, FlagSpec]
    ) -> Domain:
        texts = {"name": "name"} | {text: text for text in columns.texts}
        texts.setdefault("description", "description")
        return Domain(
            name=self._name,
            item=property_name(self.singular),
            singular=self.singular,
            plural=self.plural,
            item_words=tuple(dict.fromkeys((self.singular, self.singular.split()[-1]))),
            texts=texts,
            attributes=self._attributes,
            flags=flags,
            numbers=numbers.specs_with_year(columns.year_in_name),
            examples=_examples(
                self.singular,
                self.plural,
                self._attributes,
                self._common,
                numbers.example(),
                str(self._table.rows[0][1][self._table.columns.index(columns.name)]),
            ),
            taxonomy=propose_families(self._attributes, self._common),
            columns=columns,
        )


def _examples(
    singular_noun: str,
    plural_noun: str,
    attributes: Mapping[str, AttributeSpec],
    names: Mapping[str, Sequence[str]],
    bound: str,
    first: str,
) -> tuple[str, ...]:
    """Questions that the catalogue can answer, made of its commonest names.

    Args:
        singular_noun: Singular noun for an item.
        plural_noun: Plural noun for items; an article goes only with a noun that has a plural.
        attributes: The kinds of the domain.
        names: Kind -> its names, the commonest first.
        bound: The end of a question that bounds a number.
        first: The name of an item.
    """
    of_role: dict[str, str] = {spec.role: kind for kind, spec in reversed(list(attributes.items()))}

    def common(role: str, place: int = 0) -> str | None:
        told = [one for one in names.get(of_role.get(role, ""), ()) if _PLAIN_NAME.fullmatch(one)]
        return told[place] if len(told) > place else None

    def one(noun: str) -> str:
        return noun if singular_noun == plural_noun else with_article(noun)

    component, other = common("component"), common("component", 1)
    container, maker = common("container"), common("creator")
    found = []
    if component:
        is_made_of = "has" in attributes[of_role["component"]].says
        with_it = f"{singular_noun} with {component}"
        what = with_it if is_made_of else f"{component} {singular_noun}"
        found.append(one(what) + (f", but nothing with {other}" if other else ""))
    if container and "from" in attributes[of_role["container"]].says:
        found.append(one(f"{singular_noun} from {container}{bound}"))
    elif bound:
        found.append(one(f"{singular_noun}{bound}"))
    if maker:
        found.append(f"something by {maker}")
    if not found and _PLAIN_NAME.fullmatch(first):
        found.append(f"something like {first}")
    return tuple(found)


def _nouns(noun: str, columns: LinkColumns) -> tuple[str, ...]:
    told = [" ".join(header_words(one)) for one in columns.columns[:6]]
    plain = [one for one in told if one and not any(word.isdigit() for word in one.split())]
    return tuple(dict.fromkeys([noun, *([] if columns.flags else plain)]))


def _share(texts: Sequence[str], pattern: re.Pattern[str]) -> float:
    return sum(pattern.search(text) is not None for text in texts) / max(1, len(texts))
