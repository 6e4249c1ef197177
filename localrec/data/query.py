"""A parsed question: constraints over the graph."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec


class TaskKind(StrEnum):
    """MARC's four tasks (paper section 3.2), written against a domain's roles.

    The retrieval modules say what each one does: attributes (C1), constraints (C2),
    expansion (C3), similarity (C4).
    """

    C1 = "C1"
    C2 = "C2"
    C3 = "C3"
    C4 = "C4"


class RoutedTask(msgspec.Struct, frozen=True, kw_only=True):
    """The task that the router chose for a question."""

    kind: TaskKind
    confidence: float
    reason: str


class NumberRange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A closed interval of a numeric property, `low <= property <= high`, wished for or refused."""

    name: str
    low: float
    high: float
    excluded: bool = msgspec.field(default=False, name="barred")


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """One demand on an item's attributes: it has one of `any_of`, or none of them if `excluded`.

    Names are keys of attribute nodes; a family stands for everything below it. A `soft` demand
    only moves an item up or down, by its `weight`. `or_else` are alternatives of other kinds, as
    (kind, key): "Italy or Bordeaux". A `doubtful` demand was read from a word that hardly names it,
    and is given up before anything else.
    """

    kind: str
    any_of: tuple[str, ...]
    excluded: bool = msgspec.field(default=False, name="barred")
    soft: bool = False
    weight: float = 1.0
    or_else: tuple[tuple[str, str], ...] = ()
    doubtful: bool = False


class TextWish(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Words that an item's texts must or must not contain.

    Args:
        words: Their roots.
        typed: The words as they were typed.
        excluded: No item may say them.
        in_name: They are meant of the item's name, and demanded there.
        everyday: An everyday word, which counts only where texts say it far oftener than English.
    """

    words: tuple[str, ...]
    typed: str
    excluded: bool = msgspec.field(default=False, name="barred")
    in_name: bool = False
    everyday: bool = False


class ImageWord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A word for something in an image.

    Args:
        word: The catalogue's where it has one.
        confidence: Confidence in the word, 0..1.
        share: Share of the drink that has it, 0..1; None where a share means nothing.
    """

    word: str
    confidence: float
    share: float | None = None


class ImageGuess(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A possible content of an image.

    Args:
        name: The name in a model's words, or the item's own.
        key: Key of the item that bears the name; None where none does.
        similarity: Cosine of the picture with the item's own picture; None where a model named it
            by its looks.
    """

    name: str
    key: str | None = None
    similarity: float | None = None


class QueryImage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The attributes of a question's image, and the item that it was taken for.

    Args:
        by: Name of the reader: "colours without a model", or the name of a model.
        leans: Use of the picture by the question: it asks for the thing shown ("name"), takes it as
            its example ("example"), only its look ("look"), only its container ("container") or its
            contents ("component"), or does not refer to it ("beside").
        colours: The likeliest first; a colour between two words gives both.
        layers: Colour words from the top down, where one lies above another.
        clarity: "clear", "hazy" or "opaque".
        foam: A head of foam.
        ice: Ice in it.
        glass: The glass of the drink.
        garnish: The garnish; colours where only these were seen.
        texture: A few words of a model.
        guesses: Guesses at the item, the likeliest first.
        item: Key of the item that the picture surely shows, where the question is about that.
        counted: Attributes of the picture that items were preferred for, after the text's own.
        notes: Limits of the reading, one sentence each.
    """

    by: str
    leans: Literal["name", "example", "look", "container", "component", "beside"]
    colours: tuple[ImageWord, ...] = ()
    layers: tuple[str, ...] = ()
    clarity: ImageWord | None = None
    foam: ImageWord | None = None
    ice: ImageWord | None = None
    glass: ImageWord | None = None
    garnish: tuple[ImageWord, ...] = ()
    texture: str = ""
    guesses: tuple[ImageGuess, ...] = ()
    item: str | None = None
    counted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed question, in the keys of the graph.

    Args:
        constraints: Demands on attributes, in the order of the question.
        flags: Demanded value per flag of the domain, such as alcoholic -> non-alcoholic.
        ranges: Bounds on numeric properties.
        target: Key of the item that the question takes as its example.
        anchor: The example as typed, also where the catalogue has no such item.
        exclude_items: Keys of items that the question does not want to see.
        have: Components at hand; what an item needs beyond them is missing.
        order: Numeric property -> 1 for more, -1 for less of it than the target or than most
            items have, 2 and -2 for the most and the least of it.
        visual: The question is about looks, even where no colour or look was named.
        expands: It asks what goes together with its components ("expand from gin and mint").
        served: It asks what is served in its container, beside which a look leads no more.
        corrected: Typed word -> the word it was read as.
        unknown: Content words that match nothing in the graph.
        unused: Words of the question that no part of this query holds, as they were typed.
        texts: Words that are no names here, to be found in the texts of items.
        met: Only items that the user has met (True) or has not met (False).
        on_list: Only items that are (True) or are not (False) on the user's list for later.
        several: Several people have a wish each, which no one item need meet.
        parties: What each of them wishes for, as keys of attributes.
        own_flags: Of `flags` those that one of several people asks for and the others do not.
        topic: "wish", or what the question is instead: "small talk", or about something "other".
        language: Code of the language that the question is in where nobody here reads it, else "".
        cut: Only the first part of an overlong question was read.
        wanted_text: The question without what it refuses, which is what texts are compared with;
            "" where it refuses nothing.
        seen: The content of its picture, where it has one.
        pictured: Soft demands that the picture makes; together they weigh less than one that the
            text makes.
    """

    constraints: tuple[Constraint, ...] = ()
    flags: dict[str, str] = {}
    ranges: tuple[NumberRange, ...] = ()
    target: str | None = None
    anchor: str | None = None
    exclude_items: tuple[str, ...] = ()
    have: tuple[str, ...] = ()
    order: dict[str, int] = {}
    visual: bool = False
    expands: bool = False
    served: bool = False
    corrected: dict[str, str] = {}
    unknown: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    texts: tuple[TextWish, ...] = ()
    met: bool | None = None
    on_list: bool | None = None
    several: bool = False
    parties: tuple[tuple[str, ...], ...] = ()
    own_flags: tuple[str, ...] = ()
    topic: Literal["wish", "small talk", "other"] = "wish"
    language: str = ""
    cut: bool = False
    wanted_text: str = ""
    seen: QueryImage | None = None
    pictured: tuple[Constraint, ...] = ()

    @property
    def is_declined(self) -> bool:
        """Whether the question asks for no item at all."""
        return self.topic != "wish" or bool(self.language)

    @property
    def is_empty(self) -> bool:
        """Whether the question names nothing that the graph knows."""
        return not (
            self.constraints
            or self.flags
            or self.ranges
            or self.anchor
            or self.exclude_items
            or self.have
            or self.order
            or self.met is not None
            or self.on_list is not None
        )

    def of_kind(self, kind: str | None, *, excluded: bool = False) -> tuple[Constraint, ...]:
        """Return the constraints on one attribute kind."""
        return tuple(
            one for one in self.constraints if one.kind == kind and one.excluded == excluded
        )
