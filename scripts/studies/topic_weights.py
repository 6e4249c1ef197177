"""Learn to tell wishes from questions about other things, by the vectors of the default embedder.

Run:
    python scripts/studies/run.py topic_weights [--seed 0]

Wishes are the carriers of `questions/carriers` and the sentences of `topic_sentences.toml`, filled
with names of the shipped domains' taxonomies and of a few well-known items; the others come from
there too. Lines of both sorts by two other hands lie in `questions/topics`, and the questions that
may be read (`dev`, `opened`, `refusals`) are of fourteen more. A ridge regression on the vectors
and on the words gives one weight a dimension and one a place of a word, kept beside the words of
the language.
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from findings import Findings

from localrec.graph.domain_files import load_domain, shipped_domains
from localrec.index.embedders import open_embedder
from localrec.understanding.topics import TOPIC_WEIGHTS, WORD_PLACES, TopicWeights, word_places

HERE = Path(__file__).resolve().parent
_SLOT = re.compile(r"\{(?P<role>[a-z_]+)(?::(?P<kind>[a-z]+))?\}")
_RIDGE = 3.0
_TIMES = 2  # fillings of each sentence
_WISHES_LOST = 0.03  # of an unknown hand, where its other topics are counted
_LEAST_OTHERS = 3  # of a hand that is counted by itself
_MISSPELT = 0.3  # share of the sentences that come with slips as well
_LABELS = {"answer": "wish", "impossible": "wish", "off_topic": "other", "smalltalk": "other"}
_LISTS = ("place", "grape", "mechanic", "language")
_ITEMS = (
    "Negroni", "Blade Runner", "Dune", "Carcassonne", "Abbey Road", "Pride and Prejudice", "Catan",
    "Margarita", "Star Wars", "Bitches Brew", "The Shining", "Pandemic", "Old Fashioned",
    "Cloudy Bay Sauvignon Blanc",
)  # fmt: skip
_MAKERS = (
    "Agatha Christie", "Stephen King", "Reiner Knizia", "Miles Davis", "Penfolds", "Hitchcock",
    "Nora Roberts",
)  # fmt: skip
_AMOUNTS = (
    "20 dollars",
    "90 minutes",
    "4 players",
    "300 pages",
    "1990",
    "5 ingredients",
    "92 points",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--seed", type=int, default=0, help="of the names that fill sentences")


def measure(asked: argparse.Namespace) -> Findings:
    """Learn the weights, keep them, and say how well they tell held-out sentences apart."""
    chance = random.Random(asked.seed)
    told = tomllib.loads((HERE / "topic_sentences.toml").read_text("utf-8"))
    names = Names(chance, {name: told[name] for name in _LISTS})
    wishes = [names.fill(one) for one in (*carriers(), *told["wishes"]) for _ in range(_TIMES)]
    wishes += [names.fill(one) for one in told["terse"] for _ in range(3 * _TIMES)]
    others = [*told["other"], *told["talk"]]
    others += [names.fill(one) for one in told["near"] for _ in range(_TIMES)]
    wishes += [misspell(one, chance) for one in wishes if chance.random() < _MISSPELT]
    others += [misspell(one, chance) for one in others if chance.random() < _MISSPELT]
    lines = [line for hand in written_lines().values() for line in hand]
    wishes += [line for label, line in lines if label == "wish"]
    others += [line for label, line in lines if label == "other"]
    texts = list(dict.fromkeys((*wishes, *others)))
    target = np.array([1.0 if one in {*others} else -1.0 for one in texts])
    embedder = open_embedder()
    vectors = np.vstack([embedder.embed([one]) for one in texts]).astype(np.float64)
    size = vectors.shape[1]
    vectors = np.hstack([vectors, word_rows(texts)])
    folds = np.arange(len(texts)) % 5
    chance.shuffle(order := list(range(len(texts))))
    scores = np.empty(len(texts))
    for fold in range(5):
        held = np.array(order)[folds == fold]
        kept = np.array(order)[folds != fold]
        weights, bias = ridge(vectors[kept], target[kept])
        scores[held] = vectors[held] @ weights + bias
    weights, bias = ridge(vectors, target)
    learnt = TopicWeights(
        embedder=embedder.name,
        weights=tuple(round(float(one), 4) for one in weights[:size]),
        words=tuple(round(float(one), 2) for one in weights[size:]),
        bias=round(bias, 4),
    )
    TOPIC_WEIGHTS.write_bytes(msgspec.json.encode(learnt) + b"\n")
    return Findings(text=f"{_told(scores, target)}\n\n{by_hand(texts, target, vectors, size)}")


def by_hand(texts: Sequence[str], target: np.ndarray, vectors: np.ndarray, size: int) -> str:
    """Table of how many other topics of a hand are told by what was learnt without that hand.

    Args:
        texts: All sentences.
        target: 1.0 for another topic, -1.0 for a wish, shape (n,).
        vectors: Of the sentences and of their words, shape (n, size + WORD_PLACES).
        size: Columns of the sentences' vectors.
    """
    lines = ["| lines of | by the vector | by vector and words |", "| --- | ---: | ---: |"]
    for hand, written in written_lines().items():
        if sum(label == "other" for label, _ in written) < _LEAST_OTHERS:
            continue
        is_held = np.isin(texts, [text for _, text in written])
        told = []
        for columns in (slice(0, size), slice(None)):
            weights, bias = ridge(vectors[~is_held][:, columns], target[~is_held])
            scores = vectors[is_held][:, columns] @ weights + bias
            cut = np.quantile(scores[target[is_held] < 0], 1 - _WISHES_LOST)
            told.append(f"{(scores[target[is_held] > 0] > cut).mean():.3f}")
        lines.append(f"| {hand} | {' | '.join(told)} |")
    return "\n".join(lines)


def ridge(vectors: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias that predict +1 for another topic; both classes weigh alike."""
    share = np.where(target > 0, 0.5 / (target > 0).sum(), 0.5 / (target < 0).sum()) * len(target)
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    penalty = _RIDGE * np.eye(rows.shape[1])
    penalty[-1, -1] = 0.0
    found = np.linalg.solve(rows.T @ (rows * share[:, None]) + penalty, rows.T @ (target * share))
    return found[:-1], float(found[-1])


def written_lines() -> dict[str, list[tuple[str, str]]]:
    """Lines by the hand that wrote them, each with "wish" or "other"."""
    found = {}
    for path in sorted((HERE / "questions" / "topics").glob("*.tsv")):
        rows = (line.partition("\t") for line in path.read_text("utf-8").splitlines())
        found[path.stem] = [(label, text) for label, _, text in rows]
    return found | read_questions()


def read_questions() -> dict[str, list[tuple[str, str]]]:
    """The labelled questions that may be read, by hand; foreign ones are neither."""
    found: dict[str, list[tuple[str, str]]] = {}
    for folder in ("dev", "opened", "refusals"):
        for path in sorted((HERE / "questions" / folder).glob("*.jsonl")):
            hand = path.stem.partition("-")[0]
            for line in path.read_bytes().splitlines():
                told = msgspec.json.decode(line)
                if label := _LABELS.get(told["kind"]):
                    found.setdefault(hand, []).append((label, told["query"]))
    return found


def word_rows(texts: Sequence[str]) -> np.ndarray:
    """The words and pairs of words of each text, of length 1, shape (n, WORD_PLACES)."""
    rows = np.zeros((len(texts), WORD_PLACES))
    for row, text in zip(rows, texts, strict=True):
        places = word_places(text)
        row[places] = 1.0 / np.sqrt(max(1, len(places)))
    return rows


def carriers() -> Iterator[str]:
    """Questions with slots, by other hands."""
    for path in sorted((HERE / "questions" / "carriers").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield str(msgspec.json.decode(line)["carrier"])


def misspell(text: str, chance: random.Random) -> str:
    """Swap or drop letters in about one long word of four."""
    words = text.split()
    for place, word in enumerate(words):
        if len(word) > 4 and chance.random() < 0.25:
            at = chance.randrange(1, len(word) - 2)
            swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            words[place] = chance.choice((swapped, word[:at] + word[at + 1 :]))
    return " ".join(words)


class Names:
    """Names to fill slots with: of the shipped taxonomies, and some that everybody knows."""

    def __init__(self, chance: random.Random, lists: Mapping[str, Sequence[str]]) -> None:
        self._chance = chance
        self._lists = lists
        self._by_role: dict[str, list[Sequence[str]]] = {}
        for name in shipped_domains():
            domain = load_domain(name)
            for kind, spec in domain.attributes.items():
                if concepts := list(domain.taxonomy.get(kind, ())):
                    self._by_role.setdefault(spec.role, []).append(concepts)

    def fill(self, sentence: str) -> str:
        """A sentence with a name for each slot."""
        return _SLOT.sub(self._name, sentence)

    def _name(self, slot: re.Match[str]) -> str:
        kind = slot["kind"] or slot["role"]
        if kind in self._lists:
            return self._chance.choice(self._lists[kind])
        if kind in ("item", "example", "known"):
            return self._chance.choice(_ITEMS)
        if kind == "creator":
            return self._chance.choice(_MAKERS)
        if slot["role"] in ("at_most", "at_least", "about"):
            return self._chance.choice(_AMOUNTS)
        lists = self._by_role.get(kind) or self._by_role["component"]
        return self._chance.choice(list(self._chance.choice(lists)))


def _told(scores: np.ndarray, target: np.ndarray) -> str:
    lines = ["| threshold | others declined | wishes declined |", "| --- | ---: | ---: |"]
    for cut in (-0.2, 0.0, 0.1, 0.2, 0.3, 0.5):
        others, wishes = scores[target > 0], scores[target < 0]
        lines.append(f"| {cut} | {(others > cut).mean():.3f} | {(wishes > cut).mean():.3f} |")
    return "\n".join(lines)
