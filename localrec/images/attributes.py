"""Attributes of an image: words of the catalogue, each with its confidence.

A confidence is 0..1 and close to the share of correct findings on rendered images of the
development half; photographs are harder. Uncertain attributes are left out and not guessed. Shares
are of the drink's height.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Detection(msgspec.Struct, frozen=True):
    """A word of the catalogue, and its confidence."""

    word: str
    confidence: float


class ColourDetection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One colour of the liquid.

    Args:
        word: The catalogue's word.
        share: Share of the drink's height that has it, 0..1.
        confidence: Confidence in the word, 0..1.
        otherwise: The next best word, where the colour lies between two.
        otherwise_confidence: Confidence in that word, 0..1.
    """

    word: str
    share: float
    confidence: float
    otherwise: str | None = None
    otherwise_confidence: float = 0.0

    @property
    def words(self) -> tuple[str, ...]:
        """Return the word, and the next best one where there is one."""
        return (self.word,) if self.otherwise is None else (self.word, self.otherwise)


class ImageAttributes(msgspec.Struct, frozen=True, kw_only=True):
    """All attributes found in one image.

    Args:
        colours: Colours of the liquid, the largest share first.
        layers: The same, from the top down, where one lies above another; one entry otherwise.
        layers_confidence: Confidence in the number of layers, 0..1.
        clarity: "clear", "hazy" or "opaque".
        foam: Whether a head of foam lies on the drink.
        garnish: Colours of what decorates the glass, or what a model calls it: without one nothing
            is said of what it is.
        glass: The catalogue's name of the glass, or of its family.
        ice: Whether ice is in it; only a model tells.
        texture: A few words on how it would feel; only a model tells.
        guesses: Names of what it may be, free text of a model, the likeliest first.
        notes: Sentences on what limits the findings.
        seen_by: Name of the reader.
    """

    colours: tuple[ColourDetection, ...] = ()
    layers: tuple[ColourDetection, ...] = ()
    layers_confidence: float = 0.0
    clarity: Detection | None = None
    foam: Detection | None = None
    garnish: tuple[Detection, ...] = ()
    glass: Detection | None = None
    ice: Detection | None = None
    texture: str = ""
    guesses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seen_by: Literal["measured", "model"] = "measured"

    @property
    def words(self) -> tuple[str, ...]:
        """Return the colour words, most likely first; a colour between two words gives both."""
        weights: dict[str, float] = {}
        for one in self.colours:
            for word, sure in (
                (one.word, one.confidence),
                (one.otherwise, one.otherwise_confidence),
            ):
                if word is not None:
                    weights[word] = weights.get(word, 0.0) + one.share * sure
        return tuple(sorted(weights, key=lambda word: -weights[word]))
