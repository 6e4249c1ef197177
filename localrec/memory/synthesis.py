"""Stage-R, second half: summarize the curated neighbours' shared preferences as facets.

A facet states one preference of the neighbourhood ("films that are Drama"), its confidence, and the
numbers of the neighbours who support it. A model writes facets in its own words under a grammar
that allows only the numbers of the list, so it cannot invent a neighbour. Without a model, facets
are the attributes whose share among the neighbours rises most above their share in the domain. Both
give the same record (MemRec, equation 3 and F.3).

Where it departs from the paper: confidence without a model is measured (the weighted share of
supporting neighbours), not stated; and the strength of a support edge is the neighbour's weight
from curation, since a model that is asked for sixteen weights invents them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, csr_rows
from localrec.data.domains import Domain
from localrec.data.item_features import ItemFeatures
from localrec.data.token_usage import Usage
from localrec.foundation.errors import ModelError
from localrec.foundation.text import clean_text
from localrec.graph.catalogue import Attribute

if TYPE_CHECKING:
    from localrec.data.chat_message import Message
    from localrec.llm.chat_model import ChatModel

MOST_FACETS = 7  # N_f of the paper
_MOST_SUPPORTERS = 4  # that a model names for one facet
_SMOOTHING = 2.0  # neighbours' worth of the domain's own shares mixed in
_LEAST_SUPPORTERS = 2
_HOLDS = 0.3  # a user holds what is true of this share of their likes, where it is a rise
_LONGEST_FACET = 60
_TOKENS_PER_FACET = 40
_LINE = re.compile(r"(?P<text>[^|]+) \| 0\.(?P<tenths>[1-9]) \| (?P<numbers>[0-9]+(?:, [0-9]+)*)")

Shares = NDArray[np.float64]


class NeighbourFacet(msgspec.Struct, frozen=True, kw_only=True):
    """One preference of a neighbourhood.

    Args:
        text: In words.
        confidence: 0 to 1.
        supporters: Numbers of the neighbours that support it, from 1, ascending.
        attribute: The catalogue's attribute that was counted; None where a model wrote.
    """

    text: str
    confidence: float
    supporters: tuple[int, ...]
    attribute: int | None = None


class SupportEdge(msgspec.Struct, frozen=True):
    """The support of a neighbour, by number, for the user, 0 to 1."""

    neighbour: int
    weight: float


class Synthesis(msgspec.Struct, frozen=True, kw_only=True):
    """The collaborative memory of one user.

    Args:
        facets: At most `MOST_FACETS`, surest first.
        edges: One for each neighbour.
        answered_by: "measured" or "model".
        usage: The model's calls and tokens; None without a model.
    """

    facets: tuple[NeighbourFacet, ...]
    edges: tuple[SupportEdge, ...]
    answered_by: str
    usage: Usage | None = None


class FacetsError(ModelError):
    """A model's answer had no valid facets; `usage` is its cost."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class Supporter(msgspec.Struct, frozen=True):
    """One curated neighbour and the items that represent it: itself, or what a user likes."""

    items: Indexes
    weight: float


def domain_shares(item_features: ItemFeatures, likes: NDArray[np.int64]) -> Shares:
    """Compute the share of all likes that go to items with each attribute, (attributes,)."""
    total = max(1.0, float(likes.sum()))
    return item_features.over_attributes(likes.astype(np.float32)).astype(np.float64) / total


def count_facets(
    supporters: Sequence[Supporter],
    item_features: ItemFeatures,
    usual: Shares,
    names: Sequence[str],
    most: int = MOST_FACETS,
) -> Synthesis:
    """Compute facets from counts alone.

    Args:
        supporters: In the order of their numbers.
        item_features: Attributes of the items.
        usual: From `domain_shares`.
        names: Phrase for several items that have each attribute, (attributes,), see `phrases_of`.
        most: Facets at most.
    """
    edges = edges_of(supporters)
    if not supporters:
        return Synthesis(facets=(), edges=(), answered_by="measured")
    weights = np.array([edge.weight for edge in edges])
    held = np.stack([_held(one, item_features) for one in supporters])  # (k, attributes), 0 to 1
    support = weights @ held
    total = weights.sum()
    smoothed = (support + _SMOOTHING * usual) / (total + _SMOOTHING)
    rise = np.log(np.maximum(smoothed, 1e-12) / np.maximum(usual, 1e-12))
    # A telling share of the neighbours, and a rise: rare by nature and held by one is no facet.
    holders = held >= np.maximum(_HOLDS, usual)
    worth = np.where(holders.sum(axis=0) >= _LEAST_SUPPORTERS, rise * np.sqrt(support), 0.0)
    best = [one for one in np.argsort(-worth, kind="stable")[:most].tolist() if worth[one] > 0]
    facets = [
        NeighbourFacet(
            text=names[one],
            confidence=round(float(support[one] / total), 3),
            supporters=tuple((np.flatnonzero(holders[:, one]) + 1).tolist()),
            attribute=one,
        )
        for one in best
    ]
    facets.sort(key=lambda facet: -facet.confidence)
    return Synthesis(facets=tuple(facets), edges=edges, answered_by="measured")


def edges_of(supporters: Sequence[Supporter]) -> tuple[SupportEdge, ...]:
    """Return the neighbours' weights, scaled so that the largest is 1."""
    largest = max((one.weight for one in supporters), default=1.0) or 1.0
    return tuple(
        SupportEdge(number, round(max(0.0, one.weight) / largest, 4))
        for number, one in enumerate(supporters, 1)
    )


def phrases_of(attributes: Sequence[Attribute], domain: Domain) -> list[str]:
    """Write each attribute as a preference: "films that are Drama"."""
    return [
        f"{domain.plural} that {_plural(domain.attributes[one.kind].says).format(name=one.name)}"
        for one in attributes
    ]


def ask_facets(
    model: ChatModel,
    user: str,
    neighbours: Sequence[str],
    supporters: Sequence[Supporter],
    domain: Domain,
    *,
    candidates: Sequence[str] = (),
    most: int = MOST_FACETS,
) -> Synthesis:
    """Let a model write facets, in one call.

    Args:
        model: A chat model; it is asked once.
        user: The user's own memory.
        neighbours: A line for each, numbered from 1 by their order, from `packing`.
        supporters: The same neighbours.
        domain: For its nouns.
        candidates: Names of what is to be ranked, for context alone.
        most: Facets at most.

    Raises:
        FacetsError: what the model wrote does not parse.
        ModelError: the model cannot be used.
    """
    if not neighbours:
        return Synthesis(facets=(), edges=(), answered_by="model")
    messages = _prompt(user, neighbours, domain, candidates, most)
    written = model.generate(
        messages,
        grammar=facets_grammar(len(neighbours), most),
        max_tokens=_TOKENS_PER_FACET * most,
        fixed=1,
    )
    try:
        facets = parse_facets(written.text, len(neighbours), complete=written.finished)
    except ModelError as error:
        raise FacetsError(error.message, written.usage) from error
    return Synthesis(
        facets=facets,
        edges=edges_of(supporters),
        answered_by="model",
        usage=written.usage,
    )


def facets_grammar(neighbours: int, most: int) -> str:
    """Write the GBNF of lines "TEXT | 0.N | NUMBERS", with neighbours' numbers from 1 to 99."""
    numbers = " | ".join(f'"{number}"' for number in range(min(neighbours, 99), 0, -1))
    return (
        f"root ::= facet{{1,{most}}}\n"
        'facet ::= text " | 0." [1-9] " | " number (", " number)'
        f'{{0,{_MOST_SUPPORTERS - 1}}} "\\n"\n'
        f"text ::= [A-Za-z] [A-Za-z0-9 ,'()&-]{{8,{_LONGEST_FACET - 1}}}\n"
        f"number ::= {numbers}\n"
    )


def parse_facets(text: str, neighbours: int, *, complete: bool) -> tuple[NeighbourFacet, ...]:
    """Parse facets under `facets_grammar`: without repetition, the most confident first.

    Args:
        text: The model's text.
        neighbours: The number of neighbours.
        complete: Whether it was not cut off; of what was, the last line is left out.

    Raises:
        ModelError: a line is no facet, or there is none.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not complete:
        lines = lines[:-1]
    facets: dict[str, NeighbourFacet] = {}
    for line in lines:
        found = _LINE.fullmatch(line)
        numbers = sorted({int(one) for one in found["numbers"].split(", ")}) if found else []
        if found is None or not 1 <= numbers[0] <= numbers[-1] <= neighbours:
            raise ModelError(f"The model wrote {line[:60]!r} where a facet was asked for.")
        said = clean_text(found["text"], _LONGEST_FACET)
        facets.setdefault(
            said.casefold(),
            NeighbourFacet(
                text=said, confidence=int(found["tenths"]) / 10, supporters=tuple(numbers)
            ),
        )
    if not facets:
        raise ModelError("The model wrote no facet.")
    return tuple(sorted(facets.values(), key=lambda facet: -facet.confidence))


def _held(one: Supporter, item_features: ItemFeatures) -> Shares:
    """Compute the share of a neighbour's items with each attribute, (attributes,)."""
    held = item_features.attribute[csr_rows(item_features.first_link, one.items)]
    uses = np.bincount(held, minlength=item_features.attributes)
    shares: Shares = uses / max(1, len(one.items))
    return shares


def _plural(says: str) -> str:
    verb, _, rest = says.partition(" ")
    return f"{ {'is': 'are', 'has': 'have'}.get(verb, verb.removesuffix('s')) } {rest}"


def _prompt(
    user: str,
    neighbours: Sequence[str],
    domain: Domain,
    candidates: Sequence[str],
    most: int,
) -> list[Message]:
    from localrec.data.chat_message import Message

    system = Message(
        "system",
        f"You study what people with a similar taste in {domain.plural} share. From a person's "
        "profile and a numbered list of neighbours you name the tastes that the list supports. "
        "One taste a line: a short phrase, how sure it is from 0.1 to 0.9, and the numbers of the "
        "neighbours that show it, like\n"
        f"{domain.plural} with strong characters | 0.7 | 2, 5",
    )
    shown = "\n".join(neighbours)
    context = f"\n\nLater these will be compared: {'; '.join(candidates)}" if candidates else ""
    return [
        system,
        Message(
            "user",
            f"Profile: {user or 'nothing is known yet'}\n\nNeighbours:\n{shown}{context}\n\n"
            f"Name at most {most} tastes, each different.",
        ),
    ]
