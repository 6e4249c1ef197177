"""The records that travel between stages; the JSON contracts of the command line are made of them.

Everything is an immutable `msgspec.Struct`: typed, cheap to import, and refused on decoding when
a field has the wrong type. Scores rise, distances fall.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

import msgspec

Scalar = str | int | float | bool | None


class TaskKind(StrEnum):
    """MARC's four tasks (paper section 3.2), written against a domain's roles.

    The retrieval modules say what each one does: attributes (C1), constraints (C2),
    expansion (C3), similarity (C4).
    """

    C1 = "C1"
    C2 = "C2"
    C3 = "C3"
    C4 = "C4"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """The router's verdict on a question."""

    kind: TaskKind
    confidence: float
    reason: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One edge of the graph, as the catalogue writes it: `source -relation-> target`.

    `value` is the edge's own detail where it has one, such as a measure.
    """

    source: str
    relation: str
    target: str
    value: str | None = None


class AttributeLink(msgspec.Struct, frozen=True, kw_only=True):
    """An edge from an item to an attribute, before it has a node.

    Args:
        kind: Attribute kind of the domain, such as `ingredient` or `glass`.
        name: The attribute as the source writes it, cleaned of control characters.
        value: The edge's detail, such as the measure `30 ml`.
        personal: The person who brought the item says so (a shelf of their own), not a catalogue;
            the edge goes when that person is forgotten.
    """

    kind: str
    name: str
    value: str | None = None
    personal: bool = False


class ItemRow(msgspec.Struct, frozen=True, kw_only=True):
    """One item as a source delivers it: identity, plain properties, links to attributes.

    `key` is unique within the domain. `properties` holds the searchable texts too, under the
    names that the domain's `texts` table gives.
    """

    key: str
    name: str
    properties: dict[str, Scalar] = {}
    links: tuple[AttributeLink, ...] = ()


class Event(StrEnum):
    """What a person did with an item."""

    RATED = "rated"
    LIKED = "liked"
    DISLIKED = "disliked"
    SEEN = "seen"  # watched, read, drunk: without a verdict
    PLAYED = "played"  # heard; `times` says how often
    WANTED = "wanted"  # on a list for later
    LATER = "later"  # "not now": not shown for a while, no verdict on taste


class InteractionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a person did with one item, as a source delivers it.

    Args:
        user: The person's key, cleaned (`clean_name`).
        item: The item's key: of a row of the same import, or of an item that is there already.
        event: What happened.
        rating: Stars, 0.5 to 5, whatever scale the source has; only where a verdict was given.
        at: When, in UTC without a zone.
        times: How often, where the source counts.
        note: The person's own words (a review, a reason), cleaned (`clean_text`).
    """

    user: str
    item: str
    event: Event
    rating: float | None = None
    at: datetime | None = None
    times: int = 1
    note: str | None = None


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """What a source says about a person, such as age group and occupation."""

    key: str
    properties: dict[str, Scalar] = {}


class RowProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to one row of an imported file that was not taken as it stood."""

    row: int
    column: str | None
    action: str  # "dropped", "merged" or "repaired"
    problem: str


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of an import: counts of rows, and each row that was not taken as it stood.

    `found_again` counts items of an export that a catalogue had already, under another key.
    """

    source: str
    path: str
    domain: str
    read: int
    kept: int
    merged: int
    dropped: int
    problems: tuple[RowProblem, ...] = ()
    dry_run: bool = False
    found_again: int = 0


class SourceTable(msgspec.Struct, frozen=True, kw_only=True):
    """All that a source read from one file: rows to store and the report about them."""

    items: tuple[ItemRow, ...]
    report: ImportReport


class History(msgspec.Struct, frozen=True, kw_only=True):
    """All that a source read from one export: items, and what people did with them.

    Each item's `properties` may hold `year` (int) and `creator` (author, director, artist): with
    the name they let the graph find the item in a catalogue that is already there.
    """

    items: tuple[ItemRow, ...]
    interactions: tuple[InteractionRow, ...]
    report: ImportReport
    people: tuple[Person, ...] = ()


class BulkHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A history too large to pass through Python: the store reads the files by one query.

    Args:
        items: Items that go with it; interactions with other keys make bare items.
        select: SQL for the rows to keep: user_key and item_key (any type), event VARCHAR, rating
            FLOAT (0.5 to 5 or NULL), "at" TIMESTAMP, times INTEGER, note VARCHAR.
        files: The only files that `select` may read, absolute.
        report: The receipt; rows were counted and checked before.
        people: What is known of the people.
    """

    items: tuple[ItemRow, ...]
    select: str
    files: tuple[str, ...]
    report: ImportReport
    people: tuple[Person, ...] = ()


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """A closed interval asked of a numeric property, `low <= property <= high`."""

    name: str
    low: float
    high: float


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """One demand on an item's attributes: it has one of `any_of`, or none of them if `barred`.

    Names are keys of attribute nodes; a family stands for everything below it. A `soft` demand
    only moves an item up or down, by its `weight`.
    """

    kind: str
    any_of: tuple[str, ...]
    barred: bool = False
    soft: bool = False
    weight: float = 1.0


class SeenWord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A word for something in a picture.

    Args:
        word: The catalogue's where it has one.
        confidence: How sure it is, 0..1.
        share: How much of the drink has it, 0..1; None where that means nothing.
    """

    word: str
    confidence: float
    share: float | None = None


class Guess(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a picture may show.

    Args:
        name: In the words of a model, or the item's own.
        key: Of the item that bears it; None where none does.
        similarity: Cosine of the picture with the item's own; None where it was told by its looks.
    """

    name: str
    key: str | None = None
    similarity: float | None = None


class Seen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was seen in a question's picture, and what it was taken for.

    Args:
        by: What saw it: "colours without a model", or the name of a model.
        leans: How the question leans on the picture: it asks what that shows ("name"), takes it
            as its example ("example") or only its look ("look"), or says nothing of it ("beside").
        colours: The likeliest first; a colour between two words gives both.
        layers: Colour words from the top down, where one lies above another.
        clarity: "clear", "hazy" or "opaque".
        foam: A head of foam.
        ice: Ice in it.
        glass: What holds it.
        garnish: What decorates it; colours where only these were told.
        texture: A few words of a model.
        guesses: What it may be, the likeliest first.
        item: Key of the item that the picture surely shows, where the question is about that.
        counted: What items were preferred for, after what the text says itself.
        notes: What limits all this, one sentence each.
    """

    by: str
    leans: Literal["name", "example", "look", "beside"]
    colours: tuple[SeenWord, ...] = ()
    layers: tuple[str, ...] = ()
    clarity: SeenWord | None = None
    foam: SeenWord | None = None
    ice: SeenWord | None = None
    glass: SeenWord | None = None
    garnish: tuple[SeenWord, ...] = ()
    texture: str = ""
    guesses: tuple[Guess, ...] = ()
    item: str | None = None
    counted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What a question asks for, in the graph's own keys.

    Args:
        constraints: Demands on attributes, in the order of the question.
        flags: Demanded value per flag of the domain, such as alcoholic -> non-alcoholic.
        ranges: Bounds on numeric properties.
        target: Key of the item that the question takes as its example.
        anchor: The example as typed, also where the catalogue has no such item.
        exclude_items: Keys of items that the question does not want to see.
        have: Components at hand; what an item needs beyond them is missing.
        order: Numeric property -> +1 for more, -1 for less of it than the target has.
        visual: The question is about looks, even where no colour or look was named.
        corrected: Typed word -> the word it was read as.
        unknown: Content words that match nothing in the graph.
        cut: Only the first part of an overlong question was read.
        seen: What its picture shows, where it has one.
        pictured: Soft demands that the picture makes; together they weigh less than one that the
            text makes.
    """

    constraints: tuple[Constraint, ...] = ()
    flags: dict[str, str] = {}
    ranges: tuple[Range, ...] = ()
    target: str | None = None
    anchor: str | None = None
    exclude_items: tuple[str, ...] = ()
    have: tuple[str, ...] = ()
    order: dict[str, int] = {}
    visual: bool = False
    corrected: dict[str, str] = {}
    unknown: tuple[str, ...] = ()
    cut: bool = False
    seen: Seen | None = None
    pictured: tuple[Constraint, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True when the question named nothing that the graph knows."""
        return not (
            self.constraints
            or self.flags
            or self.ranges
            or self.anchor
            or self.exclude_items
            or self.have
            or self.order
        )

    def of_kind(self, kind: str | None, *, barred: bool = False) -> tuple[Constraint, ...]:
        """The constraints on one attribute kind."""
        return tuple(one for one in self.constraints if one.kind == kind and one.barred == barred)


class IntentView(msgspec.Struct, frozen=True, kw_only=True):
    """An intent as the answer's JSON shows it; `glass` is the container, whatever its name."""

    include: tuple[str, ...]
    include_any: tuple[tuple[str, ...], ...]
    exclude: tuple[str, ...]
    glass: tuple[str, ...]
    category: tuple[str, ...]
    creator: tuple[str, ...]
    colour: tuple[str, ...]
    look: tuple[str, ...]
    garnish: tuple[str, ...]
    flags: dict[str, str]
    ranges: tuple[Range, ...]
    target: str | None
    exclude_items: tuple[str, ...]
    have: tuple[str, ...]
    order: dict[str, int]
    soft: tuple[str, ...]
    corrected: dict[str, str]
    unknown: tuple[str, ...]


class Relaxation(msgspec.Struct, frozen=True, kw_only=True):
    """A wish that could not be met and was let go, so that there is an answer at all."""

    constraint: str
    value: str
    reason: str


class RecommendedItem(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: a catalogue item, whether it holds every hard constraint, and its path."""

    rank: int
    key: str
    name: str
    score: float
    satisfies: bool
    evidence: tuple[Evidence, ...]
    reason: str
    missing: tuple[str, ...] = ()


class ReflectionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What reflection did: rounds run, the four scores of each, and the round that won."""

    rounds: int
    scores: tuple[dict[str, float], ...]
    chosen: int


class MemoryFacet(msgspec.Struct, frozen=True, kw_only=True):
    """A taste that a person's neighbours share, and the numbers of those who hold it, from 1."""

    text: str
    confidence: float
    supporters: tuple[int, ...]


class MemoryView(msgspec.Struct, frozen=True, kw_only=True):
    """What the shared memory said for one person; neighbours are numbers here, never keys.

    Args:
        neighbours: How many of each kind ("people", "items") were listened to.
        facets: What those have in common, surest first.
    """

    neighbours: dict[str, int]
    facets: tuple[MemoryFacet, ...]


class Turn(msgspec.Struct, frozen=True):
    """One turn of a chat as a model read it: who says it, such as "user", and the words."""

    role: str
    text: str


class ModelCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a local model was asked on the way to an answer, and what came of it.

    Args:
        role: What it was asked as, such as "router".
        model: Its name.
        saw: All that it read, word for word, before its chat template put the turns together.
        reply: What it wrote, where it was to write.
        choice: Label -> probability, where it was to choose.
        failed: Why there is neither.
    """

    role: str
    model: str
    saw: tuple[Turn, ...]
    reply: str | None = None
    choice: dict[str, float] | None = None
    failed: str | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to one question, as `ask --json` prints it.

    `near` lists close calls that miss something; they are shown apart so that every entry of
    `items` holds what was asked, unless `relaxed` says otherwise. `memory` is what the shared
    memory said, where it took part; `model_saw` is there where an explanation was asked for, empty
    where no model was asked. `trajectory` is what an agent did, where one put the items in order:
    the fields of `agent.trajectory`. Its numbers count the candidates that it was given. `seen` is
    what was seen in the question's picture, where it had one.
    """

    id: str
    query: str
    task: Task
    intent: IntentView
    items: tuple[RecommendedItem, ...]
    near: tuple[RecommendedItem, ...]
    relaxed: tuple[Relaxation, ...]
    message: str
    reflection: ReflectionRecord
    spoke: dict[str, str]
    timings_ms: dict[str, float]
    tokens: dict[str, int]
    memory: MemoryView | None = None
    model_saw: tuple[ModelCall, ...] | None = None
    trajectory: dict[str, Any] | None = None
    seen: Seen | None = None


class Recommendations(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A list for one person, as `recommend --json` prints it.

    Args:
        user: The person's key.
        domain: What the items belong to.
        items: Best first; each with its reason in terms of the person's own history.
        history: How many items of the history the catalogue knows.
        message: What the person should know about the list as a whole; may be empty.
        spoke: Kind of evidence -> how it came to be ("store", "nobody", ...).
        timings_ms: Stage -> milliseconds.
        memory: What the shared memory said, where it took part.
        tokens: Stage -> tokens that a model read and wrote for it.
        calls: Of a model.
        notes: What went otherwise than was asked for, as sentences.
        trajectory: What an agent did, where one ranked: the fields of `agent.trajectory`.
        profile: What became of the person's profile, where an agent was to think of it.
    """

    user: str
    domain: str
    items: tuple[RecommendedItem, ...]
    history: int
    message: str
    spoke: dict[str, str]
    timings_ms: dict[str, float]
    memory: MemoryView | None = None
    tokens: dict[str, int] = {}
    calls: int = 0
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None
    profile: Literal["kept", "refined"] | None = None


class Ranking(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An order of given candidates, as a line of `rank --batch`.

    Args:
        id: The request's.
        ranking: Every candidate once, best first.
        scores: Candidate -> score, for those that the catalogue knows.
        rationales: Candidate -> why it stands where it does, for the first few.
        spoke: "memory" -> "measured" where the shared memory took part; where candidates were
            judged, by whom, and who wrote facets and rationales.
        tokens: Stage -> tokens that a model read and wrote for it.
        calls: Of a model.
        notes: What went otherwise than was asked for, as sentences.
        trajectory: What an agent did, where one ranked: the fields of `agent.trajectory`. Its
            numbers count the candidates that the catalogue knows, in the order of the request.
    """

    id: str
    ranking: tuple[str, ...]
    scores: dict[str, float] = {}
    rationales: dict[str, str] = {}
    spoke: dict[str, str] = {}
    tokens: dict[str, int] = {}
    calls: int = 0
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None


def to_json(record: Any) -> bytes:
    """Encode a record as one line of JSON (UTF-8, no line break)."""
    return msgspec.json.encode(record)
