"""A picture in the question: how the text leans on it, and what it makes items be preferred for.

What was seen becomes soft demands on looks and containers. The text comes first: a role that it
names is not asked of the picture too, what it bars is not wished for, and all demands of a picture
together weigh less than one soft wish of the text. "This" is the pictured item where that is sure:
a model's first guess is in the catalogue, or the picture is an item's own, and has a colour that
was measured without the model.
Otherwise it is the picture's look.

MARC (arXiv 2511.08181, 3.2) hands picture and text to one large model; here the two meet as words
of the catalogue, so that each can be shown, and the text's constraints hold as without a picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from localrec.data.domains import AttributeRole, Domain
from localrec.data.query import Constraint, ImageGuess, ImageWord, Query, QueryImage
from localrec.foundation.errors import UsageError
from localrec.graph.catalogue import Catalogue
from localrec.images.analyzers import image_analyzer
from localrec.images.attributes import ColourDetection, Detection, ImageAttributes
from localrec.understanding.image_leaning import (
    ImageRole,
    image_leaning,
    names_the_picture,
    only_names_the_picture,
)
from localrec.understanding.vocabulary import Vocabulary

MEASURED_BY = "colours without a model"

# What agreeing with a picture is worth, chosen by hand: a colour tells more of a look than a glass
# does. The development half of scripts/studies/image_questions.py gave no reason to change it.
_WORTH: dict[str, float] = {"colour": 1.0, "container": 0.6, "look": 0.3, "garnish": 0.3}
_TOGETHER = 0.9  # of one soft wish of the text
_FAMILY_SHARE = 0.6  # of the container's worth goes to its family, which is told more surely
# On the development half, glasses and looks surer than this were right at least as often as wrong,
# and of 25 colour words less sure than the second none was right.
_LEAST_SURE = 0.3
_LEAST_SURE_COLOUR = 0.1
GUESSES = 3
# A cosine that only a copy of the very picture reaches; other photographs of the same thing lie
# lower, and how low was not measured here.
_SAME_PICTURE = 0.97


def check_images_supported(domain: Domain) -> None:
    """Refuse a picture if the domain has no colours, or no installed pack reads its images.

    Raises:
        UsageError: see above.
    """
    if domain.kind_of("colour") is None:
        raise UsageError(
            f"What is known of {domain.plural} says nothing about how they look, so no picture of "
            f"a {domain.singular} can be asked with.",
            "Ask without a picture.",
        )
    if image_analyzer(domain) is None:
        raise UsageError(
            f"No installed domain pack reads pictures of {domain.plural}.",
            "Ask without a picture.",
        )


def add_image(
    intent: Query,
    text: str,
    sight: ImageAttributes,
    *,
    by: str,
    witness: ImageAttributes,
    near: Sequence[tuple[int, float]] = (),
    vocabulary: Vocabulary,
    catalogue: Catalogue,
) -> Query:
    """The intent of a question that came with a picture.

    Args:
        intent: The query of the text.
        text: The text.
        sight: Attributes found in the picture.
        by: Name of the reader.
        witness: Attributes measured in it without a model; `sight` itself where no model looked.
        near: Node ids of items whose own pictures are most like it, with their cosines.
        vocabulary: The names of the catalogue.
        catalogue: The items and attributes.
    """
    if intent.target is None and intent.anchor and names_the_picture(intent.anchor):
        intent = msgspec.structs.replace(intent, anchor=None)
    leans = image_leaning(text, intent, vocabulary.domain)
    guesses = tuple(_joined([*_alike(near, catalogue)], [*_guesses(sight, vocabulary)]))
    item = _surely(guesses, witness, catalogue) if leans in ("name", "example") else None
    is_example = item is not None and leans == "example"
    found = () if is_example else _wishes(sight, intent, vocabulary, catalogue)
    pointed = [one for one in found if _is_pointed_at(one, leans, vocabulary.domain)]
    wishes = _weighed(pointed)
    seen = _told(sight, by, leans, guesses)
    intent = msgspec.structs.replace(
        intent,
        seen=msgspec.structs.replace(
            seen, item=item, counted=tuple(dict.fromkeys(one.any_of[0] for one in wishes))
        ),
        pictured=tuple(wishes),
        visual=intent.visual
        and (_names_a_look(intent, vocabulary.domain) or not only_names_the_picture(text)),
    )
    if item is None or not is_example:
        return intent
    place = catalogue.item_index(item)
    name = "" if place is None else catalogue.names[place]
    return msgspec.structs.replace(intent, target=item, anchor=name)


def _names_a_look(intent: Query, domain: Domain) -> bool:
    """Whether the text names a colour or a look."""
    kinds = {domain.kind_of("colour"), domain.kind_of("look")}
    return any(one.kind in kinds for one in intent.constraints)


def _is_pointed_at(wish: Constraint, leans: ImageRole, domain: Domain) -> bool:
    """ "In this glass" asks nothing of its colour, "with these ingredients" nothing of its look."""
    if leans == "container":
        return wish.kind == domain.kind_of("container")
    return leans != "component"


def describe_seen(seen: QueryImage, catalogue: Catalogue) -> list[str]:
    """Describe in sentences who analyzed the image, its attributes, and its guesses."""
    singular = catalogue.domain.singular
    told = [f"In the picture, by {seen.by}: {_named(seen, singular)}.", *seen.notes]
    names = [guess.name for guess in seen.guesses]
    place = None if seen.item is None else catalogue.item_index(seen.item)
    if place is not None:
        told.append(f"It is taken for {catalogue.names[place]}, whose colour agrees.")
    elif names:
        told.append(f"It may be {' or '.join(names)}; that is not sure.")
    if seen.leans == "component":
        told.append("What is in it, its look does not tell: name it in words.")
    if seen.leans == "name" and place is None:
        told.append(f"Which {singular} it is, its look alone does not tell; these look most alike.")
    return told


def _named(seen: QueryImage, singular: str) -> str:
    """Return the attributes of the image as one noun phrase."""
    colour = " over ".join(seen.layers) or (seen.colours[0].word if seen.colours else "")
    parts = [
        f"{_article(colour or singular)} {colour}".rstrip(),
        singular,
        "with foam" if seen.foam else "",
        "with ice" if seen.ice else "",
        f"in {_article(seen.glass.word)} {seen.glass.word}" if seen.glass else "",
        f"garnished in {', '.join(one.word for one in seen.garnish)}" if seen.garnish else "",
    ]
    return " ".join(part for part in parts if part)


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"


def appearance_text(seen: QueryImage, singular: str) -> str:
    """The same in the words of a description, to be compared with descriptions of items."""
    words = [one.word for one in (*seen.colours[:1], seen.clarity, seen.foam) if one is not None]
    layers = f" in layers of {' and '.join(seen.layers)}" if seen.layers else ""
    glass = f" in a {seen.glass.word}" if seen.glass else ""
    return f"A {' '.join(words)} {singular}{layers}{glass}. {seen.texture}".rstrip()


def _guesses(sight: ImageAttributes, vocabulary: Vocabulary) -> Iterator[ImageGuess]:
    """Match the free guesses of a model to names of items, as words of a question are."""
    for name in sight.guesses[:GUESSES]:
        known = vocabulary.items.get(name)
        yield ImageGuess(
            name=name, key=known[0] if known else vocabulary.nearest.item(name.lower())
        )


def _alike(near: Sequence[tuple[int, float]], catalogue: Catalogue) -> Iterator[ImageGuess]:
    """Items that have a picture like it."""
    for node_id, similarity in near:
        for place in catalogue.indexes_of(np.array([node_id])).tolist():
            yield ImageGuess(
                name=catalogue.names[place],
                key=catalogue.keys[place],
                similarity=round(similarity, 3),
            )


def _joined(alike: Sequence[ImageGuess], told: Sequence[ImageGuess]) -> Iterator[ImageGuess]:
    """Guesses of both kinds, each item once: the same picture, a model's, then what is alike."""
    same = [one for one in alike if (one.similarity or 0) >= _SAME_PICTURE]
    seen = set[str]()
    for one in (*same, *told, *alike):
        if one.key is None or one.key not in seen:
            yield one
        if one.key is not None:
            seen.add(one.key)


def _surely(
    guesses: Sequence[ImageGuess], witness: ImageAttributes, catalogue: Catalogue
) -> str | None:
    """The first guess where the catalogue has it and a measured colour agrees; else None.

    Of what is only alike in a picture, none is sure.
    """
    if not guesses or guesses[0].key is None:
        return None
    if guesses[0].similarity is not None and guesses[0].similarity < _SAME_PICTURE:
        return None
    place = catalogue.item_index(guesses[0].key)
    if place is None:
        return None
    colours = {
        index for word in witness.words[:2] for index in _attributes(catalogue, "colour", word)
    }
    return guesses[0].key if colours & {*catalogue.attributes_of(place).tolist()} else None


def _attributes(catalogue: Catalogue, role: AttributeRole, key: str) -> tuple[int, ...]:
    """Attribute indexes of a key and all below it; () where the catalogue lacks it."""
    index = catalogue.attribute_index(catalogue.domain.kind_of(role) or "", key)
    return () if index is None else catalogue.below(index)


def _key_of(role: AttributeRole, word: str, vocabulary: Vocabulary) -> str | None:
    """The catalogue's key for a word in a role, whatever its spelling; None where it has none."""
    meant = [one.key for one in vocabulary.names.get(word) if one.role == role]
    return next((key for key in (word, *meant) if _is_alive(role, key, vocabulary)), None)


def _is_alive(role: AttributeRole, key: str, vocabulary: Vocabulary) -> bool:
    kind = vocabulary.domain.kind_of(role)
    return kind is not None and vocabulary.is_alive(kind, key)


def _wishes(
    sight: ImageAttributes, intent: Query, vocabulary: Vocabulary, catalogue: Catalogue
) -> Iterator[Constraint]:
    """Yield the soft constraints that an image makes, each with its weight.

    Only what some item has, and what the text leaves open.
    """
    for role, word, worth in (
        *_colour_wishes(sight),
        *_glass_wishes(sight, vocabulary, catalogue),
        *_look_wishes(sight),
    ):
        key = _key_of(role, word, vocabulary)
        kind = vocabulary.domain.kind_of(role)
        if key is None or kind is None or worth <= 0:
            continue
        named = [one for one in intent.constraints if one.kind == kind]
        if role in ("colour", "container") and any(not one.excluded for one in named):
            continue
        if not any(one.excluded and key in one.any_of for one in named):
            yield Constraint(kind=kind, any_of=(key,), soft=True, weight=worth)


def _colour_wishes(sight: ImageAttributes) -> Iterator[tuple[AttributeRole, str, float]]:
    for one in sight.colours:
        yield "colour", one.word, _WORTH["colour"] * one.share * one.confidence
        if one.otherwise is not None and one.otherwise_confidence >= _LEAST_SURE_COLOUR:
            worth = _WORTH["colour"] * one.share * one.otherwise_confidence
            yield "colour", one.otherwise, worth


def _glass_wishes(
    sight: ImageAttributes, vocabulary: Vocabulary, catalogue: Catalogue
) -> Iterator[tuple[AttributeRole, str, float]]:
    """The glass and, since that is told more surely, its family."""
    glass = sight.glass
    key = None if glass is None else _key_of("container", glass.word, vocabulary)
    if glass is None or key is None or glass.confidence < _LEAST_SURE:
        return
    worth = _WORTH["container"] * glass.confidence
    index = catalogue.attribute_index(vocabulary.domain.kind_of("container") or "", key)
    families = catalogue.parents([] if index is None else [index])
    yield "container", key, worth * (1 - _FAMILY_SHARE if families else 1.0)
    for family in families:
        yield "container", catalogue.attributes[family].key, worth * _FAMILY_SHARE / len(families)


def _look_wishes(sight: ImageAttributes) -> Iterator[tuple[AttributeRole, str, float]]:
    layered = Detection("layered", sight.layers_confidence) if len(sight.layers) > 1 else None
    for found in (layered, sight.foam, sight.clarity):
        if found is not None and found.confidence >= _LEAST_SURE:
            yield "look", found.word, _WORTH["look"] * found.confidence
    if sight.seen_by == "model":  # without one a garnish is a colour, and colours are the liquid's
        for found in sight.garnish:
            yield "garnish", found.word, _WORTH["garnish"] * found.confidence


def _weighed(wishes: list[Constraint]) -> list[Constraint]:
    """The wishes, each once, with weights that add up to `_TOGETHER` at most."""
    once: dict[str, Constraint] = {}
    for one in wishes:
        once.setdefault(f"{one.kind}: {one.any_of[0]}", one)
    total = max(1.0, sum(one.weight for one in once.values()))
    return [
        msgspec.structs.replace(one, weight=round(_TOGETHER * one.weight / total, 4))
        for one in once.values()
    ]


def _told(
    sight: ImageAttributes, by: str, leans: ImageRole, guesses: tuple[ImageGuess, ...]
) -> QueryImage:
    layers = tuple(one.word for one in sight.layers) if len(sight.layers) > 1 else ()
    return QueryImage(
        by=by,
        leans=leans,
        colours=tuple(_colours_told(sight.colours)),
        layers=layers,
        clarity=_word(sight.clarity),
        foam=_word(sight.foam),
        ice=_word(sight.ice),
        glass=_word(sight.glass),
        garnish=tuple(ImageWord(word=o.word, confidence=o.confidence) for o in sight.garnish),
        texture=sight.texture,
        guesses=guesses,
        notes=sight.notes,
    )


def _colours_told(colours: Sequence[ColourDetection]) -> Iterator[ImageWord]:
    for one in colours:
        yield ImageWord(word=one.word, confidence=one.confidence, share=one.share)
        if one.otherwise is not None:
            yield ImageWord(
                word=one.otherwise, confidence=one.otherwise_confidence, share=one.share
            )


def _word(found: Detection | None) -> ImageWord | None:
    return None if found is None else ImageWord(word=found.word, confidence=found.confidence)
