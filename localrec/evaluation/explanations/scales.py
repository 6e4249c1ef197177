"""The scales on which explanations are judged, by a model and by people alike, 1 to 5.

Four are MARC's (its appendix A.3: how far a rater agrees with a statement), three are MemRec's (its
appendix F.6: a rubric). All are statements here, in our words, so that one kind of answer fits all.
"""

from __future__ import annotations

from typing import Literal

import msgspec

LOWEST, HIGHEST = 1, 5
AGREEMENT = (
    "I disagree entirely",
    "I rather disagree",
    "I am undecided",
    "I rather agree",
    "I agree entirely",
)
Family = Literal["marc", "memrec", "all"]


class JudgedScale(msgspec.Struct, frozen=True):
    """One scale.

    Args:
        name: As reports call it.
        statement: The statement that raters agree with or not.
        worst: Description of a 1.
        best: Description of a 5.
    """

    name: str
    statement: str
    worst: str
    best: str


MARC = (
    JudgedScale(
        "persuasiveness",
        "The explanation makes me want to follow the recommendation.",
        "it leaves me cold or makes me doubt",
        "it wins me over",
    ),
    JudgedScale(
        "transparency",
        "After reading the explanation I know why this was picked.",
        "the reason stays hidden",
        "the reason is plain to see",
    ),
    JudgedScale(
        "accuracy",
        "The explanation is in line with what was asked for.",
        "it speaks of something else than what was wanted",
        "it speaks of just what was wanted",
    ),
    JudgedScale(
        "satisfaction",
        "All in all I am content with this explanation.",
        "I would want another answer",
        "I would want no other answer",
    ),
)
MEMREC = (
    JudgedScale(
        "specificity",
        "The explanation gives concrete details of what is recommended.",
        "empty praise that would fit nearly anything",
        "several features that belong to these things alone",
    ),
    JudgedScale(
        "relevance",
        "The explanation connects what is recommended with what this person wants or likes.",
        "no connection to this person",
        "single features are tied to single wishes",
    ),
    JudgedScale(
        "factuality",
        "What the explanation claims about what is recommended is true.",
        "it is wrong in the main, or about something else",
        "every claim is true",
    ),
)


def scales_of(family: Family) -> tuple[JudgedScale, ...]:
    """Return the scales of one paper, or all seven."""
    return {"marc": MARC, "memrec": MEMREC, "all": MARC + MEMREC}[family]
