"""Describe the images of items that have no text about their look.

A describer writes a sentence about an image: from the measurements of its import, or by a vision
model. Questions about looks are compared with this text. It is marked as generated
(`image_description_source`): "picture" for measurements, "model" for a model's. Each portion is one
transaction, so a stopped run can continue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.records import Record
from localrec.foundation.errors import UsageError
from localrec.foundation.prose import as_sentence, join_words, with_article
from localrec.graph.image_store import (
    IMAGE_DESCRIPTION,
    thumbnails_by_node,
    undescribed_items,
    write_image_descriptions,
)
from localrec.graph.store import Store
from localrec.images.attributes import Detection, ImageAttributes
from localrec.images.opening import DecodedImage
from localrec.images.thumbnails import open_thumbnail

_AT_ONCE = 16
# Below this a finding proved wrong about as often as right on rendered pictures.
_LEAST_SURE = 0.5
_LEAST_SHARE = 0.15  # of the drink's height; a thinner colour is an edge or a reflection
DescribeImage = Callable[[DecodedImage, ImageAttributes], str]


class ImageDescriber(msgspec.Struct, frozen=True):
    """Describe an image.

    Args:
        source: Mark of its sentences in the store.
        describe: A picture (no side longer than 256 pixels) and what was measured in it -> one
            sentence; "" where it can say nothing.
    """

    source: Literal["picture", "model"]
    describe: DescribeImage

    @property
    def improves_on(self) -> tuple[str, ...]:
        """Provenance marks of texts that this describer may replace: guessed or measured ones."""
        return ("generated",) if self.source == "picture" else ("generated", "picture")


class DescriptionReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The counts of a run: sentences written, pictures without a sure finding, and pictures that
    are still to do.
    """

    written: int
    silent: int
    left: int


def measured_describer(domain: Domain) -> ImageDescriber:
    """Return a describer that uses measurements alone."""
    return ImageDescriber("picture", lambda picture, sight: describe_attributes(sight, domain))


def describe_images(
    store: Store,
    domain: Domain,
    describer: ImageDescriber,
    limit: int | None,
    progress: Callable[[int, int], None],
) -> DescriptionReport:
    """Describe the images of items without a better text.

    Args:
        store: Open for writing.
        domain: The domain of the items.
        describer: The describer that writes the sentences.
        limit: At most so many are written.
        progress: Called with how many pictures are done, and of how many.

    Raises:
        UsageError: the domain has no text of how items look, or no words for it.
    """
    if IMAGE_DESCRIPTION not in domain.texts or domain.kind_of("colour") is None:
        raise UsageError(
            f"Nothing that is known of {domain.plural} says how they look.",
            "Pictures can be described where a domain has image_description and colours.",
        )
    waiting = undescribed_items(store, domain, describer.improves_on)
    written = silent = 0
    for portion in _portions(list(waiting)):
        room = len(portion) if limit is None else limit - written
        if room <= 0:
            break
        progress(written + silent, len(waiting))
        pictures = thumbnails_by_node(store, portion)
        texts: dict[int, str] = {}
        for node_id in portion:
            if len(texts) == room:
                break
            text = describer.describe(open_thumbnail(pictures[node_id]), _sight(waiting[node_id]))
            if text:
                texts[node_id] = text
            else:
                silent += 1
        write_image_descriptions(store, domain, texts, describer.source)
        written += len(texts)
    return DescriptionReport(written=written, silent=silent, left=len(waiting) - written - silent)


def describe_attributes(sight: ImageAttributes, domain: Domain) -> str:
    """Write the measured attributes as a sentence, in a catalogue's style, without uncertain ones.

    "" where not even a colour is: a glass alone tells no drink from another.
    """
    layers = [
        one.word
        for one in sight.layers
        if one.confidence >= _LEAST_SURE and one.share >= _LEAST_SHARE
    ]
    colours = list(dict.fromkeys(layers))
    if not colours:
        return ""
    looks = [one.word for one in (sight.foam,) if _is_sure(one) and one is not None]
    told = with_article(" ".join([*looks, join_words(colours), domain.singular]))
    if len(colours) > 1 and sight.layers_confidence >= _LEAST_SURE:
        told += f" in layers, {colours[0]} above {join_words(colours[1:])}"
    if sight.glass is not None and _is_sure(sight.glass):
        told += f", in {with_article(sight.glass.word)}"
    return as_sentence(told)


def _is_sure(found: Detection | None) -> bool:
    return found is not None and found.confidence >= _LEAST_SURE


def _sight(encoded: str | None) -> ImageAttributes:
    return (
        ImageAttributes() if encoded is None else msgspec.json.decode(encoded, type=ImageAttributes)
    )


def _portions(node_ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(node_ids), _AT_ONCE):
        yield node_ids[start : start + _AT_ONCE]
