"""Compose questions with known meaning: constraints, wordings, a frame, typos.

The constraints of a question are drawn first and worded then, so its task and its slots are right
by construction.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import msgspec

from localrec.data.domains import AttributeRole
from localrec.data.query import TaskKind
from localrec.foundation.errors import InputError
from localrec.training.examples import question_templates
from localrec.training.examples.constraint_sampling import ConstraintSampler, SampledConstraint
from localrec.training.examples.example import Half, half_of
from localrec.training.examples.lexicon import Lexicon
from localrec.training.examples.question_templates import Way, Wordings
from localrec.training.examples.typo_augmentation import add_typos

_WORDINGS: dict[AttributeRole, Wordings] = {
    "colour": question_templates.COLOUR,
    "look": question_templates.LOOK,
    "garnish": question_templates.GARNISH,
    "creator": question_templates.CREATOR,
}
_PLACEHOLDER = re.compile(r"{\w+}")
_LEAD, _TAIL = 0.25, 0.2  # of the questions
_TERSE, _LOOSE = 0.25, 0.3
_AT_HAND = 0.5  # of those that tell of ingredients and vessels alone
_HEADED = 0.5  # of the terse ones, where it can be
_TOGETHER = 0.6  # of those with several ingredients, or several refusals
_NEITHER = 0.25  # of two refusals told together
_BETWEEN = (", ", " and ", " but ", ", ", " yet ", " plus ", ", ", "; ", ", but ", ". ", " ", ", ")
_LOOSE_AS = {"either": "include"}
_REPEATS = 1000  # one after the other


class ComposedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question and its meaning.

    Args:
        text: As typed.
        task: Task of the question.
        demands: In the order of the text.
        split_keys: The frame and phrases it is made of.
    """

    text: str
    task: TaskKind
    demands: tuple[SampledConstraint, ...]
    split_keys: tuple[str, ...]


def compose_questions(
    lexicons: Sequence[Lexicon], half: Half, count: int, seed: int
) -> Iterator[tuple[Lexicon, ComposedQuestion]]:
    """Compose different questions, by turns over the lexicons and their tasks.

    Args:
        lexicons: Lexicons to take by turns; a repeated one has two turns.
        half: Half whose wordings are used.
        count: The number of questions.
        seed: Seed of every draw; the halves draw apart.

    Raises:
        InputError: the names are too few for so many.
    """
    random_ = random.Random(f"{seed} {half}")
    seen: set[str] = set()
    composed = repeated = 0
    while composed < count:
        lexicon = lexicons[composed % len(lexicons)]
        question = _Composer(lexicon, half, random_).compose()
        if question.text not in seen:
            seen.add(question.text)
            composed += 1
            repeated = 0
            yield lexicon, question
            continue
        repeated += 1
        if repeated > _REPEATS:
            raise InputError(
                f"The names of {lexicon.domain.plural} make no {count} different questions.",
                "Import a larger catalogue, or ask for fewer examples.",
            )


class _Composer:
    """Compose one question, and record its wordings."""

    def __init__(self, lexicon: Lexicon, half: Half, random_: random.Random) -> None:
        self._lexicon = lexicon
        self._domain = lexicon.domain
        self._half = half
        self._random = random_
        self._taken: list[str] = []

    def compose(self) -> ComposedQuestion:
        task, demands = ConstraintSampler(self._lexicon, self._random).draw()
        text = self._composed(task, demands)
        if self._random.random() < _LEAD:
            text = f"{self._lead()} {text[:1].upper()}{text[1:]}"
        if self._random.random() < _TAIL and text[-1].isalnum():
            text = f"{text}{self._tail()}"
        text = " ".join(text.split()).replace(" ,", ",")
        return ComposedQuestion(
            text=add_typos(self._random, text),
            task=task,
            demands=tuple(_in_order(demands, text)),
            split_keys=tuple(self._taken),
        )

    def _lead(self) -> str:
        """Write an opening sentence without constraints."""
        if self._random.random() < 0.4:
            return self._pick(question_templates.LEADS)
        who = self._pick(question_templates.WHO)
        text = f"{who[:1].upper()}{who[1:]} {self._pick(question_templates.DOES)}"
        return (
            f"{text} {self._pick(question_templates.WHEN)}."
            if self._random.random() < 0.5
            else f"{text}."
        )

    def _tail(self) -> str:
        chance = self._random.random()
        if chance < 0.3:
            return f" {self._pick(question_templates.WHEN)}"
        if chance < 0.5:
            return f" for {self._pick(question_templates.WHO)}"
        return f", {self._pick(question_templates.TAILS)}"

    def _composed(self, task: TaskKind, demands: list[SampledConstraint]) -> str:
        if self._random.random() < _TOGETHER:
            demands = _together(demands)
        bare = not any(self._means_two(one) for one in demands)
        if bare and self._random.random() < _LOOSE:
            return self._loose(demands)
        if task == TaskKind.C4:
            return self._told_by_example(demands[0], demands[1:])
        if bare and self._random.random() < _TERSE:
            return self._headed(demands) or self._terse(demands)
        if self._domain.staples and self._random.random() < _AT_HAND:
            at_hand = self._at_hand(demands)
            if at_hand:
                return at_hand
        if self._random.random() < 0.2:
            return self._which(demands)
        return self._request(demands)

    def _told_by_example(self, example: SampledConstraint, others: list[SampledConstraint]) -> str:
        name = example.names[0].spelling
        orders = [
            phrase
            for _, spec in sorted(self._domain.numbers.items())
            for phrase in (*spec.more, *spec.less)
        ]
        text = self._by_exchange(name, others)
        if text:
            return text
        if others and all(self._has_way(one, "behind") for one in others):
            but = self._but([self._phrase(one, "behind") for one in others])
            return self._fill(self._pick(question_templates.LIKE_BUT), x=name, but=but)
        if orders and self._random.random() < 0.25:
            more = self._random.choice(orders)
            return self._fill(self._pick(question_templates.LIKE_ORDER), x=name, more=more)
        alone = " ".join(self._phrase(one, "alone") for one in others)
        liked = self._fill(self._pick(question_templates.LIKE), x=name)
        return f"{_sentence(liked, alone)} {alone}".strip()

    def _by_exchange(self, name: str, others: Sequence[SampledConstraint]) -> str:
        """Write an example with an exchanged component: "swap the gin in a Negroni for rum"."""
        slots = [one.slot for one in others]
        named = {one.slot: _either(one) for one in others}
        fits = {
            ("include",): question_templates.LIKE_CONTRAST,
            ("exclude",): question_templates.LIKE_LACK,
            ("exclude", "include"): question_templates.LIKE_SWAP,
        }.get(tuple(sorted(slots)))
        if fits is None or self._random.random() < 0.5:
            return ""
        y, z = named.get("include", ""), named.get("exclude", "")
        return self._fill(self._pick(fits), x=name, y=y, z=z)

    def _but(self, phrases: Sequence[str]) -> str:
        joined = " ".join(phrases)
        return joined if joined.startswith("but") else f"but {joined.removeprefix(', ')}"

    def _terse(self, demands: Sequence[SampledConstraint]) -> str:
        """Write names and little else: "blue, no gin, highball glass"."""
        parts = [
            f"no {_either(one)}" if one.is_excluded else (_either(one) or self._looks())
            for one in demands
        ]
        self._random.shuffle(parts)
        between = self._random.choice((", ", " ", " "))
        noun = self._noun() if self._random.random() < 0.3 else ""
        return f"{between.join(parts)} {noun}".strip()

    def _headed(self, demands: Sequence[SampledConstraint]) -> str:
        """Write a container and components: "highball with ginger ale, lime and no rum"."""
        heads = [one for one in demands if one.slot in ("container", "category", "colour")]
        if len(heads) != 1 or self._random.random() > _HEADED:
            return ""
        inside = [one for one in demands if one is not heads[0]]
        if not inside or not all(one.slot in ("include", "either", "exclude") for one in inside):
            return ""
        self._random.shuffle(inside)
        parts = [f"no {_either(one)}" if one.is_excluded else _either(one) for one in inside]
        comma = self._random.choice(("", "", ","))
        return f"{_either(heads[0])}{comma} with {_listed(parts)}"

    def _at_hand(self, demands: Sequence[SampledConstraint]) -> str:
        """Write several components at hand: "rum and lime, now what?"."""
        have = [
            one for one in demands if one.slot in ("include", "container") and not one.is_excluded
        ]
        lack = [one for one in demands if one.is_excluded]
        if len(have) < 2 or len(have) + len(lack) < len(demands):
            return ""
        self._random.shuffle(have)
        text = _listed([_either(one) for one in have])
        for one in lack:
            text = self._fill(self._pick(question_templates.LACKING), xs=text, z=_either(one))
        return self._fill(self._pick(question_templates.AT_HAND), xs=text)

    def _means_two(self, demand: SampledConstraint) -> bool:
        """Whether a name's place decides its meaning: an orange drink, a drink with orange."""
        other: AttributeRole = "component" if demand.slot == "colour" else "colour"
        listable = demand.slot in ("colour", "include", "either", "exclude")
        return listable and any(self._lexicon.means(other, one.spelling) for one in demand.names)

    def _loose(self, demands: Sequence[SampledConstraint]) -> str:
        """Write parts in any order: "love coconut, hold the rum"."""
        pieces = [self._piece(one) for one in demands]
        self._random.shuffle(pieces)
        text = pieces[0]
        for piece in pieces[1:]:
            text = f"{text}{self._random.choice(_BETWEEN)}{piece}"
        return f"{text} {self._noun()}" if self._random.random() < 0.15 else text

    def _piece(self, demand: SampledConstraint) -> str:
        if not demand.names:
            return self._looks()
        slot = "exclude" if demand.is_excluded else demand.slot
        return self._fill(
            self._pick(question_templates.LOOSE[_LOOSE_AS.get(slot, slot)]), x=_either(demand)
        )

    def _which(self, demands: Sequence[SampledConstraint]) -> str:
        able = [one for one in demands if self._has_way(one, "does")]
        others = [one for one in demands if one not in able]
        if not able:
            return self._request(demands)
        does = " and ".join(self._phrase(one, "does") for one in able)
        frame = self._fill(self._pick(question_templates.WHICH), does=does, ns=self._nouns())
        alone = " ".join(self._phrase(one, "alone") for one in others)
        return f"{_sentence(frame, alone)} {alone}".strip()

    def _request(self, demands: Sequence[SampledConstraint]) -> str:
        """Write a noun with constraints before and behind it, and the rest as sentences."""
        before: list[str] = []
        behind: list[str] = []
        alone: list[str] = []
        for demand in demands:
            way = self._way_of(demand, crowded=bool(before))
            text = self._phrase(demand, way)
            {"before": before, "behind": behind, "alone": alone}[way].append(text)
        it = f"{self._subject(before)} {' '.join(behind)}".strip()
        frame = self._fill(self._pick(question_templates.REQUESTS), it=it)
        return f"{_sentence(frame, ' '.join(alone))} {' '.join(alone)}".strip()

    def _way_of(self, demand: SampledConstraint, *, crowded: bool) -> Way:
        ways: list[Way] = ["behind", "behind", "alone"]
        one = len(demand.names) < 2 and not crowded
        clear = demand.slot == "colour" or not self._means_two(demand)
        if one and clear and self._has_way(demand, "before"):
            ways += ["before", "before"]
        return self._random.choice(ways)

    def _subject(self, before: Sequence[str]) -> str:
        if not before:
            return self._fill(self._pick(question_templates.NOUNS), n=self._noun())
        if self._random.random() < 0.15:
            return f"{self._pick(question_templates.ANY_NOUN)} {' '.join(before)}"
        phrase = f"{' '.join(before)} {self._noun()}"
        return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"

    def _phrase(self, demand: SampledConstraint, way: Way) -> str:
        wordings = self._wordings(demand)
        if way == "before" and demand.slot == "category":
            return demand.names[0].spelling
        two_barred = way == "behind" and demand.is_excluded and len(demand.names) == 2
        if two_barred and self._random.random() < _NEITHER:
            one, other = demand.names
            return f"with neither {one.spelling} nor {other.spelling}"
        return self._fill(self._pick(wordings[way]), x=_either(demand))

    def _has_way(self, demand: SampledConstraint, way: Way) -> bool:
        return way in self._wordings(demand)

    def _wordings(self, demand: SampledConstraint) -> Wordings:
        if demand.slot == "look" and not demand.names:
            return question_templates.VISUAL
        if demand.slot == "flag":
            return question_templates.FLAG
        if demand.is_excluded:
            return question_templates.EXCLUDE
        if demand.slot == "container":
            return (
                question_templates.VESSEL
                if "in a {name}" in self._says("container")
                else question_templates.PERIOD
            )
        if demand.slot in ("include", "either"):
            return (
                question_templates.INCLUDE
                if "has {name}" in self._says("component")
                else question_templates.GENRE
            )
        if demand.slot == "category":
            return question_templates.GENRE
        return _WORDINGS[demand.slot]  # type: ignore[index]

    def _says(self, role: AttributeRole) -> str:
        kind = self._domain.kind_of(role)
        return self._domain.attributes[kind].says if kind else ""

    def _looks(self) -> str:
        return self._pick(question_templates.VISUAL["before"])

    def _noun(self) -> str:
        return self._random.choice(self._domain.item_words)

    def _nouns(self) -> str:
        noun = self._noun()
        return f"{noun}{'es' if noun.endswith(('s', 'x', 'ch')) else 's'}"

    def _pick(self, alternatives: Sequence[str]) -> str:
        taken = self._random.choice(half_of(alternatives, self._half))
        if _PLACEHOLDER.sub("", taken).strip():  # a bare name is no wording
            self._taken.append(taken)
        return taken

    def _fill(self, pattern: str, **names: str) -> str:
        filled = pattern.replace("{ns}", "\0").replace("{n}", self._noun())
        filled = filled.replace("\0", names.pop("ns", "") or self._nouns())
        for name, text in names.items():
            filled = filled.replace(f"{{{name}}}", text)
        return filled


def _together(demands: Sequence[SampledConstraint]) -> list[SampledConstraint]:
    """Group constraints whose components, or exclusions, are listed together.

    Only to be worded: ingredients in one demand stand for alternatives anywhere else.
    """
    lists: dict[str, SampledConstraint] = {}
    for place, demand in enumerate(demands):
        slot = demand.slot if demand.slot in ("include", "exclude") else str(place)
        names = (*lists[slot].names, *demand.names) if slot in lists else demand.names
        lists[slot] = SampledConstraint(
            slot=demand.slot, names=names, is_excluded=demand.is_excluded
        )
    return list(lists.values())


def _either(demand: SampledConstraint) -> str:
    """Return a constraint's names: alternatives, or components that belong together."""
    names = [one.spelling for one in demand.names]
    return _listed(names, "and" if demand.slot == "include" else "or") if names else ""


def _in_order(demands: Sequence[SampledConstraint], text: str) -> list[SampledConstraint]:
    """Order constraints as a text names them; looks without a name come last."""
    left, places = text.lower(), {}
    names = {one.spelling.lower() for demand in demands for one in demand.names}
    for name in sorted(names, key=len, reverse=True):  # "lime juice" before the "lime" in it
        places[name] = left.find(name)
        left = left.replace(name, " " * len(name), 1)
    return sorted(
        demands,
        key=lambda demand: min(
            (places[one.spelling.lower()] for one in demand.names), default=len(text)
        ),
    )


def _listed(names: Sequence[str], last_by: str = "and") -> str:
    """Write names as a list."""
    *others, last = names
    return f"{', '.join(others)} {last_by} {last}" if others else last


def _sentence(text: str, following: str) -> str:
    """End a text before another sentence."""
    return f"{text}." if following and text[-1].isalnum() else text
