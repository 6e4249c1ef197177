"""Compose notes about what somebody liked, and find the one that predicts what they like next.

A note names kinds that the liked items have, and perhaps a few of their titles; nothing else, so
that each of its words can be checked. Notes differ in how the kinds are ranked, in how many they
name and in the titles behind them. What a note is worth is measured by its text alone: how often
a later like would come first among ten, where the other nine are drawn from what the person never
had, and all are ordered by how near their texts are to the note's.

What predicts somebody's first later likes predicts the others little better than the notes that
are good for everybody. So a note's own worth counts half beside its form's mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from localrec.data.arrays import Floats, Indexes, unit_vectors
from localrec.data.interactions import Interactions
from localrec.foundation.errors import ModelError
from localrec.index.protocols import Embedder
from localrec.memory.from_log import ItemSet, deduplicated_history
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.model_update import EVENTS_SHOWN, user_note_line
from localrec.memory.sentences import MAX_TITLES, as_sentences, join_names

HISTORY = 10  # likes that a memory is counted from
_LATER = 40  # likes behind them that notes are measured by, at most
_FEWEST_LATER = 8
_AMONG = 10  # items that a later like has to come first of
_RIVALS = 2_000  # of which these are drawn, at most
OWN = 0.5  # weight of a note's own worth beside its form's
_SIZES = (4, 6)  # kinds that are named
_AT_ONCE = 64  # texts
_PRIOR = 10.0  # items that each kind is taken to have besides, liked like all others

Form = tuple[str, int, str]  # how kinds are ranked, how many are named, which titles follow


class NoteCase(msgspec.Struct, frozen=True):
    """What somebody liked up to some day, and what came behind it.

    Args:
        user: Index of the user.
        history: Items, oldest first, each once, (h,).
        later: Items that they liked next, oldest first, none of them in the history, (l,).
        liked: All their items, (n,).
    """

    user: int
    history: Indexes
    later: Indexes
    liked: Indexes


def note_cases(rows: Interactions, seed: int) -> Iterator[NoteCase]:
    """Cut users' rows into cases, one of each user by turns; no two share a history's row."""
    draw = np.random.default_rng(seed)
    starts = {}
    for user in draw.permutation(rows.users).tolist():
        last = len(rows.item[rows.rows_of(user)]) - _FEWEST_LATER
        if last >= HISTORY:
            starts[user] = draw.permutation(np.arange(last, HISTORY - 1, -HISTORY)).tolist()
    while starts:
        for user, left in list(starts.items()):
            items, start = rows.item[rows.rows_of(user)], left.pop()
            if not left:
                del starts[user]
            history, _ = deduplicated_history(items[start - HISTORY : start])
            later = items[start : start + _LATER]
            later = later[~np.isin(later, history)]
            if len(later):
                yield NoteCase(user, history, later, np.unique(items))


class NoteComposer:
    """Write notes from facts of a history.

    Args:
        texts: Titles, and what the counted memory says.
        knowledge: About the same items.
        rows: Likes, by which kinds and items are known to be liked.
    """

    def __init__(self, texts: MemoryTexts, knowledge: ItemSet, rows: Interactions) -> None:
        self.texts = texts
        self._titles, self._features = texts.titles, knowledge.item_features
        self._names = [one.name for one in knowledge.attributes]
        self._staples = knowledge.domain.staples
        self._keys = [one.key for one in knowledge.attributes]
        self._plural = knowledge.domain.plural
        self._likes = np.bincount(rows.item, minlength=knowledge.item_features.items)
        self._lift = self._lift_of_kinds()

    def kinds_of(self, item: int) -> list[int]:
        """List the attributes of an item, without staples."""
        links = self._features.first_link[item : item + 2].tolist()
        return [
            one
            for one in self._features.attribute[slice(*links)].tolist()
            if self._keys[one] not in self._staples
        ]

    def notes(self, history: Indexes) -> dict[Form, str]:
        """Write the notes about a history that can be stored, each by its form."""
        shown = history[-EVENTS_SHOWN:].tolist()
        counts = Counter(kind for item in shown for kind in self.kinds_of(item))
        rarity = self._features.rarity
        rankings = {
            "salient": lambda kind: counts[kind] * rarity[kind],
            "liked": lambda kind: counts[kind] * rarity[kind] * self._lift[kind],
        }
        titles = {
            "no titles": [],
            "newest": shown[::-1],
            "best known": sorted(shown, key=lambda item: -self._likes[item]),
        }
        made: dict[Form, str] = {}
        for ranking, weight in rankings.items():
            ranked = sorted(counts, key=lambda kind: (-weight(kind), kind))
            for size in _SIZES:
                # One order for everybody: a learner need not rank what it names.
                kinds = sorted(ranked[:size], key=lambda kind: -rarity[kind] * self._lift[kind])
                for ending, items in titles.items():
                    note = self._note(kinds, items[:MAX_TITLES])
                    if _can_be_stored(note):
                        made[ranking, size, ending] = note
        return made

    def _note(self, kinds: Sequence[int], items: Sequence[int]) -> str:
        named = join_names([self._names[kind] for kind in kinds])
        titles = join_names([self._titles[item] for item in items])
        return as_sentences([f"{named} {self._plural}" if named else "", titles])

    def _lift_of_kinds(self) -> Floats:
        """Divide the likes that items of each kind have by what as many others would have."""
        features = self._features
        usual = max(float(self._likes.mean()), 1e-9)
        liked = np.bincount(
            features.attribute, weights=self._likes[features.item], minlength=features.attributes
        )
        items = np.bincount(features.attribute, minlength=features.attributes)
        lift: Floats = (liked + _PRIOR * usual) / ((items + _PRIOR) * usual)
        return lift


class NoteScorer:
    """Measure notes by what their texts alone find.

    Args:
        embedder: Makes the vectors.
        texts: Of the items.
        cases: The cases whose notes will be measured.
        seed: Of the rivals, where there are more items than are needed.
    """

    def __init__(
        self, embedder: Embedder, texts: MemoryTexts, cases: Sequence[NoteCase], seed: int
    ) -> None:
        self._embedder = embedder
        items = np.random.default_rng(seed).permutation(len(texts.titles))
        self._rivals = np.sort(items[:_RIVALS])
        self._items = np.unique(np.concatenate([self._rivals, *(one.later for one in cases)]))
        self._vectors = self._embed(
            [f"{texts.titles[i]}. {texts.of_item(i, shared=False)}" for i in self._items.tolist()]
        )

    def chances(self, notes: Sequence[str], case: NoteCase) -> Floats:
        """Expect how often each later like comes first by each note, (notes, l).

        A like that is above a share s of the rivals comes first of ten with a chance of s to the
        ninth.
        """
        near = self._embed(notes) @ self._vectors.T
        later = np.searchsorted(self._items, case.later)
        rivals = np.searchsorted(self._items, np.setdiff1d(self._rivals, case.liked))
        below = [np.searchsorted(np.sort(one[rivals]), one[later]) for one in near]
        shares = np.array(below) / max(len(rivals), 1)
        return np.asarray(shares ** (_AMONG - 1), dtype=np.float32)

    def _embed(self, texts: Sequence[str]) -> Floats:
        vectors = [
            np.asarray(self._embedder.embed(list(texts[at : at + _AT_ONCE])), dtype=np.float32)
            for at in range(0, len(texts), _AT_ONCE)
        ]
        return unit_vectors(np.concatenate(vectors))


def predictive_notes(
    notes: Sequence[Mapping[Form, str]], worth: Sequence[Mapping[Form, float]], learnt: int
) -> list[str]:
    """Choose the note of each case that predicts; "" where a case has none.

    Args:
        notes: The notes of each case.
        worth: What each of these is worth.
        learnt: The first so many cases tell what a form is worth.
    """
    told: dict[Form, list[float]] = {}
    for one in worth[:learnt]:
        for form, value in one.items():
            told.setdefault(form, []).append(value)
    means = {form: float(np.mean(values)) for form, values in told.items()}
    return [
        mine[max(mine, key=lambda form: OWN * values[form] + means.get(form, 0.0))] if mine else ""
        for mine, values in zip(notes, worth, strict=True)
    ]


def _can_be_stored(note: str) -> bool:
    try:
        user_note_line(note)
    except ModelError:
        return False
    return True
