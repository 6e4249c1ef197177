"""Parse a question into a query: wanted, excluded and preferred attributes.

The parser is deterministic, needs no model and takes less than a millisecond per sentence. It
finds mentions with their meanings, then negations, groups of alternatives ("gin or vodka"),
components at hand, the example item and ranges of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from localrec.data.answers import QueryView
from localrec.data.domains import Concept
from localrec.data.query import Constraint, Query
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text_matching import roots
from localrec.understanding.absent_makers import with_absent_makers
from localrec.understanding.alternatives import (
    asks_for_either,
    joins,
    one_of_each_kind,
    repeated_parts,
    spread_lists,
)
from localrec.understanding.at_hand import mark_at_hand, names_at_hand
from localrec.understanding.example_item import find_example
from localrec.understanding.language_words import (
    english,
    phrases,
    places_and_languages,
    says_any,
)
from localrec.understanding.meanings import Mention
from localrec.understanding.mended_numbers import read_numbers
from localrec.understanding.mentions import (
    find_mentions,
    owners,
)
from localrec.understanding.negation import negated_tokens, refusing_places
from localrec.understanding.number_ranges import ReadRanges
from localrec.understanding.part_of_title import with_whole_titles
from localrec.understanding.question_roles import RoleTagger
from localrec.understanding.question_text import normalise_question, without_refusals
from localrec.understanding.refusal_expansion import (
    bar_pointed_series,
    expanded_refusals,
    refused_franchises,
    refused_in_texts,
    refused_titles,
    spare_wished_kinds,
)
from localrec.understanding.role_decisions import (
    decide_refusals,
    drop_asides,
    refused_in_stories,
    tag_word_roles,
)
from localrec.understanding.self_repairs import without_slip
from localrec.understanding.several_people import OwnWishes, named_people, wishes_of_people
from localrec.understanding.state_phrases import RequestedState, find_state
from localrec.understanding.stories import told_places
from localrec.understanding.superlatives import orders_by_number
from localrec.understanding.text_wishes import find_text_places, text_wishes
from localrec.understanding.title_words import places_in_titles
from localrec.understanding.unused_words import unused_phrases
from localrec.understanding.vocabulary import Reading, Vocabulary

LONGEST_QUESTION = 2_000  # characters; more is read no further
_LARGEST_SHELF = 4  # that many things at hand are all asked for; of more, any will do
_WORDS = english().mention
_BESIDE = frozenset(phrases(_WORDS.beside))


def parse_query(
    question: str,
    vocabulary: Vocabulary,
    tagger: RoleTagger | None = None,
    trace: RunTrace | None = None,
) -> Query:
    """Read a question against a catalogue's vocabulary; never fails, at worst finds nothing."""
    text = normalise_question(question[:LONGEST_QUESTION])
    reading = vocabulary.read(text)
    said = find_mentions(reading, vocabulary)
    if (meant := without_slip(text, reading, said, vocabulary)) is not None:
        return parse_query(meant, vocabulary, tagger, trace)
    known = with_whole_titles(reading, said, vocabulary)
    found = with_absent_makers(text, reading, known, vocabulary)
    query = _read_wishes(text, reading, found, vocabulary, tagger, trace)
    return msgspec.structs.replace(query, cut=len(question) > LONGEST_QUESTION)


def _read_wishes(
    text: str,
    reading: Reading,
    found: Sequence[Mention],
    vocabulary: Vocabulary,
    tagger: RoleTagger | None,
    trace: RunTrace | None,
) -> Query:
    """Decide what each name and number of a question is there for."""
    story = told_places(reading, found, vocabulary)
    numbers = read_numbers(text, reading, found, story, vocabulary)
    state = find_state(reading.words)
    titled = places_in_titles(reading)
    free, bounds = _free_names(reading, found, numbers, state, story, titled, vocabulary)
    roles = tag_word_roles(tagger, text, reading, found, bounds | state.places, trace)
    free += [one for one in refused_in_stories(roles, found, story) if one not in free]
    free.sort(key=lambda one: one.first)
    mentions, passed_over = drop_asides(roles, reading, free, vocabulary.item_nouns)
    owner = owners(reading, mentions)
    somebody = named_people(reading, owner)
    used = state.places | bounds | passed_over
    excluded, mildly = negated_tokens(reading, owner, vocabulary.negations, used)
    told = used | story | somebody
    texts = find_text_places(text, reading, owner, told, excluded, vocabulary, roles, titled)
    excluded, mildly = decide_refusals(roles, reading, mentions, excluded, mildly, texts.spared)
    refusing = refusing_places(reading, owner, vocabulary.negations)
    spared = spare_wished_kinds(reading, mentions, excluded, vocabulary)
    excluded = bar_pointed_series(reading, mentions, spared, refusing)
    wanted = [not excluded[one.first] for one in mentions]
    at_hand = mark_at_hand(reading, mentions, wanted, vocabulary)
    flags, diets = _flags_and_diets(mentions, wanted, vocabulary)
    target, anchor, exclude_items = find_example(reading, mentions, wanted, vocabulary)
    exclude_items += refused_titles(reading, mentions, wanted, mildly, target, vocabulary)
    exclude_items += refused_franchises(reading, owner, excluded, refusing, vocabulary)
    constraints = _constraints(reading, mentions, wanted, mildly, at_hand, vocabulary) + diets
    constraints += expanded_refusals(reading, mentions, wanted, mildly, constraints, vocabulary)
    read_otherwise = state.places | somebody | _named_places(reading, anchor, target)
    query = Query(
        constraints=constraints,
        flags=flags,
        ranges=numbers.ranges,
        target=target,
        anchor=anchor,
        exclude_items=tuple(dict.fromkeys(exclude_items)),
        have=names_at_hand(mentions, at_hand),
        order=orders_by_number(reading.words, mentions, wanted),
        visual=_is_visual(reading, mentions, vocabulary),
        expands=says_any(reading.words, english().expand),
        served=says_any(reading.words, english().serve),
        corrected=reading.corrected,
        unknown=_unknown(reading, owner, vocabulary),
        unused=unused_phrases(text, reading, owner, numbers, read_otherwise, vocabulary),
        texts=text_wishes(text, reading, texts) + refused_in_texts(reading, mentions, wanted),
        met=state.met,
        on_list=state.on_list,
        wanted_text=without_refusals(text, reading, owner, excluded, refusing),
    )
    return _of_people(query, wishes_of_people(reading, mentions, wanted))


def _of_people(query: Query, people: OwnWishes) -> Query:
    """A query with whose its wishes are."""
    return msgspec.structs.replace(
        query, several=people.are_several, parties=people.parties, own_flags=people.flags
    )


def _free_names(
    reading: Reading,
    found: Sequence[Mention],
    numbers: ReadRanges,
    state: RequestedState,
    story: frozenset[int],
    titled: frozenset[int],
    vocabulary: Vocabulary,
) -> tuple[list[Mention], set[int]]:
    """The names that are told for a wish, and the tokens that bounds were read of."""
    told = [one for one in found if _is_told(one, titled, story)]
    bounding = [one for one in told if _says_what_is_bounded(reading, one, numbers, vocabulary)]
    free = [one for one in told if one not in bounding and _is_free(reading, one, numbers, state)]
    return free, _places_of(numbers, reading) | {one.first for one in bounding}


def _is_told(mention: Mention, titled: frozenset[int], story: frozenset[int]) -> bool:
    """Whether a name is told for a wish: not as the word of a title, and in no story."""
    in_story = mention.item is None and mention.first in story
    return not in_story and titled.isdisjoint(range(mention.first, mention.last))


def _named_places(reading: Reading, anchor: str | None, target: str | None) -> set[int]:
    """The tokens whose words are among those of an example that nothing here is called."""
    words = frozenset((anchor or "").split()) if target is None else frozenset()
    return {place for place, word in enumerate(reading.words) if word in words}


def _places_of(numbers: ReadRanges, reading: Reading) -> set[int]:
    """The tokens that bounds were read of."""
    told = enumerate(reading.tokens)
    return {place for place, token in told if numbers.covers(token.start, token.end)}


def _is_free(
    reading: Reading, mention: Mention, numbers: ReadRanges, state: RequestedState
) -> bool:
    """Whether no bound and no state was read of the words of a name."""
    if mention.item is not None:
        return True
    inside = range(mention.first, mention.last)
    return state.places.isdisjoint(inside) and not any(
        numbers.covers(reading.tokens[place].start, reading.tokens[place].end) for place in inside
    )


def _says_what_is_bounded(
    reading: Reading, mention: Mention, numbers: ReadRanges, vocabulary: Vocabulary
) -> bool:
    """ "below 5% alcohol": a word of the number behind its bound, though kinds bear it too."""
    before = reading.tokens[mention.first - 1] if mention.first else None
    if before is None or mention.last - mention.first > 1:
        return False
    specs = (vocabulary.domain.numbers.get(one.name) for one in numbers.ranges)
    words = {word for spec in specs if spec for phrase in spec.words for word in roots(phrase)}
    return numbers.covers(before.start, before.end) and reading.roots[mention.first] in words


def add_shelf(intent: Query, shelf: str, vocabulary: Vocabulary) -> Query:
    """Add a shelf (`--have "gin, lime"`) to a query, read by the same vocabulary."""
    mentions = find_mentions(vocabulary.read(shelf), vocabulary)
    keys = [m.meaning.key for m in mentions if m.meaning and m.meaning.role == "component"]
    merged = tuple(dict.fromkeys((*intent.have, *keys)))
    fields = {name: getattr(intent, name) for name in intent.__struct_fields__}
    return Query(**{**fields, "have": merged})


def query_view(intent: Query, vocabulary: Vocabulary) -> QueryView:
    """Return the query in the words of the answer's JSON contract."""
    component = vocabulary.domain.kind_of("component")

    def hard(role: str) -> tuple[Constraint, ...]:
        kinds = {kind for kind, spec in vocabulary.domain.attributes.items() if spec.role == role}
        return tuple(
            one
            for one in intent.constraints
            if one.kind in kinds and not one.excluded and not one.soft
        )

    def flat(role: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for one in hard(role) for key in one.any_of))

    return QueryView(
        include=tuple(one.any_of[0] for one in hard("component") if len(one.any_of) == 1),
        include_any=tuple(one.any_of for one in hard("component") if len(one.any_of) > 1),
        exclude=tuple(
            dict.fromkeys(
                key if one.kind == component else f"{one.kind}: {key}"
                for one in intent.constraints
                if one.excluded and not one.soft
                for key in one.any_of
            )
        ),
        glass=flat("container"),
        category=flat("category"),
        creator=flat("creator"),
        colour=flat("colour"),
        look=flat("look"),
        garnish=flat("garnish"),
        flags=intent.flags,
        ranges=intent.ranges,
        target=intent.target,
        exclude_items=intent.exclude_items,
        have=intent.have,
        order=intent.order,
        soft=tuple(
            ("less " if one.excluded else "") + key
            for one in intent.constraints
            if one.soft
            for key in one.any_of
        ),
        corrected=intent.corrected,
        unknown=intent.unknown,
        met=intent.met,
        on_list=intent.on_list,
    )


def _constraints(
    reading: Reading,
    mentions: Sequence[Mention],
    wanted: Sequence[bool],
    mildly: Sequence[bool],
    at_hand: Sequence[bool],
    vocabulary: Vocabulary,
) -> tuple[Constraint, ...]:
    any_at_hand = sum(at_hand) > _LARGEST_SHELF
    groups: list[tuple[list[Mention], bool]] = []
    again = frozenset() if any_at_hand else repeated_parts(reading, mentions, wanted)
    for number, mention in enumerate(mentions):
        meaning = mention.meaning
        if number in again:
            continue
        if number - 1 in again and groups:
            groups[-1][0].append(mention)
            continue
        if meaning is None or meaning.role in ("flag", "diet", "order"):
            continue
        if (at_hand[number] and any_at_hand) or _is_beside(reading, mention):
            continue
        if wanted[number] and _names_the_maker_of(reading, mentions, number):
            continue
        if groups and wanted[number] and joins(reading, groups[-1], mention, vocabulary):
            groups[-1][0].append(mention)
        else:
            groups.append(([mention], wanted[number]))
    told = any(is_wanted and len(members) > 1 for members, is_wanted in groups)  # "gin or rum"
    if asks_for_either(reading) and not again and not told:
        groups = one_of_each_kind(reading, groups)
    found: dict[Constraint, None] = {}
    for members, is_wanted in spread_lists(reading, groups, vocabulary):
        found.setdefault(_constraint(reading, members, is_wanted, mildly, vocabulary))
    if any_at_hand:
        component = vocabulary.domain.kind_of("component") or ""
        found.setdefault(Constraint(kind=component, any_of=names_at_hand(mentions, at_hand)))
    excluded = {key for one in found if one.excluded and not one.soft for key in one.any_of}
    return tuple(one for one in found if one.excluded or not excluded.issuperset(one.any_of))


def _names_the_maker_of(reading: Reading, mentions: Sequence[Mention], number: int) -> bool:
    """ "like Blindness by Saramago": the maker tells which item is meant, and is no wish."""
    mention, before = mentions[number], mentions[number - 1] if number else None
    if before is None or before.item is None or mention.meaning is None:
        return False
    between = reading.words[before.last : mention.first]
    if any(reading.gaps[before.last : mention.first + 1]):
        return False  # "I loved Blindness. More by Saramago"
    return mention.meaning.role == "creator" and len(between) < 3 and bool(_WORDS.by & {*between})


def _is_beside(reading: Reading, mention: Mention) -> bool:
    """ "to go with cheese": named as what the answer accompanies, not as a part of it."""
    before = [
        word for word in reading.words[: mention.first] if word not in english().example.fillers
    ]
    return tuple(before[-2:]) in _BESIDE or tuple(before[-1:]) in _BESIDE


def _base_colours(
    reading: Reading, members: Sequence[Mention], vocabulary: Vocabulary
) -> Iterator[str]:
    """ "deep red" is burgundy to the taxonomy, but who says it takes a red drink too."""
    for member in members:
        for root in reading.roots[member.first : member.last]:
            for meaning in vocabulary.names.get(root):
                if meaning.role == "colour":
                    yield meaning.key


def _without_families(keys: tuple[str, ...], concepts: Mapping[str, Concept]) -> tuple[str, ...]:
    """ "a cab" is a Cabernet Sauvignon: its family, called the same, holds Cabernet Franc too."""
    families = {one for key in keys if key in concepts for one in concepts[key].parents}
    longer = {one for one in families for key in keys if key.startswith(f"{one} ")}
    return tuple(key for key in keys if key not in longer)


def _constraint(
    reading: Reading,
    members: Sequence[Mention],
    is_wanted: bool,
    mildly: Sequence[bool],
    vocabulary: Vocabulary,
) -> Constraint:
    meanings = [member.meaning for member in members if member.meaning is not None]
    kind, role = meanings[0].kind, meanings[0].role
    if role == "garnish" and members[0].elsewhere:
        if not is_wanted:  # "no orange, even as garnish": what is refused is not on it either
            kind, key = members[0].elsewhere[0]
            return Constraint(
                kind=kind, any_of=(key,), excluded=True, soft=mildly[members[0].first]
            )
        members = [msgspec.structs.replace(one, elsewhere=()) for one in members]
    here = [member for member in members if member.meaning and member.meaning.kind == kind]
    named = [(member.meaning.key if member.meaning else "", *member.others) for member in here]
    if is_wanted:
        named = [
            _without_families(told, vocabulary.domain.taxonomy.get(kind, {})) for told in named
        ]
    keys = tuple(dict.fromkeys(key for told in named for key in told))
    elsewhere = tuple((one.kind, one.key) for one in meanings if one.kind != kind)
    elsewhere += tuple(told for member in members for told in member.elsewhere)
    if role == "colour" and is_wanted:
        keys = tuple(dict.fromkeys((*keys, *_base_colours(reading, members, vocabulary))))
    dead = (
        role in ("look", "category", "garnish")
        and not any(vocabulary.is_alive(kind, key) for key in keys)
        and places_and_languages().isdisjoint(keys)  # no wine is from Japan: that is told
    )
    soft = mildly[members[0].first] or dead
    doubtful = is_wanted and not soft and all(member.doubtful for member in members)
    return Constraint(
        kind=kind,
        any_of=keys,
        excluded=not is_wanted,
        soft=soft,
        or_else=elsewhere,
        doubtful=doubtful,
    )


def _flags_and_diets(
    mentions: Sequence[Mention], wanted: Sequence[bool], vocabulary: Vocabulary
) -> tuple[dict[str, str], tuple[Constraint, ...]]:
    flags: dict[str, str] = {}
    bars: list[Constraint] = []
    component = vocabulary.domain.kind_of("component") or ""
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        meaning = mention.meaning
        if meaning is None:
            continue
        if meaning.role == "flag":
            others = [v for v in vocabulary.domain.flags[meaning.kind].values if v != meaning.key]
            flags[meaning.kind] = meaning.key if is_wanted or not others else others[0]
        elif meaning.role == "diet":
            bars.extend(
                Constraint(kind=component, any_of=(name,), excluded=True)
                for name in vocabulary.domain.diets[meaning.key]
            )
    return flags, tuple(bars)


def _is_visual(reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary) -> bool:
    prepared = vocabulary.domain.words.prepared
    seen = (one.meaning for one in mentions if one.meaning and one.meaning.key not in prepared)
    if any(one.role in ("colour", "look") for one in seen):
        return True
    words, told = set(reading.words), english().mention
    strong = words & english().look
    nouns = {root for word in vocabulary.domain.item_words for root in roots(word)}
    looks = any(
        word in told.look and set(reading.words[:place]) & (nouns | told.looking)
        for place, word in enumerate(reading.words)
    )
    return bool(strong) or looks


def _unknown(reading: Reading, owner: Sequence[int], vocabulary: Vocabulary) -> tuple[str, ...]:
    nouns = vocabulary.item_nouns | vocabulary.counted_nouns
    return tuple(
        dict.fromkeys(
            word
            for place, word in enumerate(reading.words)
            if owner[place] < 0
            and not vocabulary.is_plain(word)
            and not vocabulary.is_plain(reading.roots[place])
            and reading.roots[place] not in nouns
            and len(word) > 2
        )
    )
