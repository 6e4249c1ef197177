"""Do answers hold what their questions refuse, in names or texts?

Run:
    python scripts/studies/run.py refused_words --catalogues FOLDER FILE... [--report]

Each line of a file is a question with its labels (`asked_judge.AskedQuestion`). Questions that
refuse something by a name are answered twice: as they are, texts being compared with what they
want, and with the whole question embedded, refusals included. Counted are the items whose name or
texts hold a word of a refused name; what a question refuses is barred in both.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from asked_catalogues import AskedCatalogue
from asked_judge import AskedQuestion
from asked_questions import read_questions
from findings import Findings, add_folder, origin_of, say

from localrec.data.answers import Answer
from localrec.data.query import Query
from localrec.data.questions import Question
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.paths import make_private
from localrec.foundation.text_matching import roots
from localrec.graph.catalogue import Catalogue
from localrec.systems.marc import Marc
from localrec.systems.registry import SYSTEM_REGISTRY

K, SHORTEST = 3, 3  # items of an answer; letters of a word that is looked for


class RefusedWordFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Questions that refuse something, the items that answered, and those that hold it."""

    origin: Origin
    questions: int
    items: int
    held_by_wanted: int
    held_by_whole: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="questions, one JSON object a line")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Answer the questions both ways."""
    questions, state = read_questions(asked.files), make_private(asked.state)
    pairs: list[tuple[int, int, int]] = []
    for domain in sorted({one.domain for one in questions}):
        say(domain)
        catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
        mine = [one for one in questions if one.domain == domain]
        pairs += answered_both_ways(mine, catalogue)
    items, wanted, whole = (sum(column) for column in zip(*pairs, strict=True))
    figures = RefusedWordFigures(
        origin=origin_of("refused_words", "--catalogues FOLDER", *hands_of(asked.files)),
        questions=len(pairs),
        items=items,
        held_by_wanted=wanted,
        held_by_whole=whole,
    )
    return Findings(
        text=as_markdown(figures), page="questions", block="refused-words", figures=figures
    )


def hands_of(files: Sequence[Path]) -> list[str]:
    """The files, without the domains that each hand wrote about: "w59-*.jsonl"."""
    return sorted({f"{path.name.partition('-')[0]}-*.jsonl" for path in files})


def answered_both_ways(
    questions: Sequence[AskedQuestion], catalogue: AskedCatalogue
) -> Iterator[tuple[int, int, int]]:
    """For each refusing question its items, and how many hold a refused word, either way."""
    workspace, context = catalogue.open({})
    with workspace:
        marc = SYSTEM_REGISTRY.answerer(context, "marc")
        assert isinstance(marc, Marc)
        for one in questions:
            question = Question(query=one.query, id=one.id)
            query = marc.understand(question)
            words = refused_words(query)
            if not words or not query.wanted_text:
                continue
            whole = msgspec.structs.replace(query, wanted_text="")
            found = [marc.answer_query(question, way, K) for way in (query, whole)]
            held = [holding(answer, words, context.catalogue) for answer in found]
            if found[0].items:
                yield len(found[0].items), *held


def refused_words(query: Query) -> set[str]:
    """The words of the names that a question refuses."""
    refused = (one for one in query.constraints if one.excluded and not one.soft)
    told = (word for one in refused for key in one.any_of for word in roots(key))
    return {word for word in told if len(word) >= SHORTEST}


def holding(answer: Answer, words: set[str], catalogue: Catalogue) -> int:
    """How many items of an answer hold one of the words in their name or texts."""
    found = 0
    for item in answer.items:
        place = catalogue.item_index(item.key)
        texts = [item.name]
        if place is not None:
            texts += [catalogue.texts([place], name)[0] for name in catalogue.domain.texts]
        found += not words.isdisjoint(roots(" ".join(texts)))
    return found


def as_markdown(figures: RefusedWordFigures) -> str:
    """The counts."""
    rows = [
        ["what the question wants", f"{figures.held_by_wanted:,}"],
        ["the whole question", f"{figures.held_by_whole:,}"],
    ]
    told = f"hold a refused word, of {figures.items:,} items for {figures.questions:,} questions"
    table = markdown_table(["texts compared with", told], rows)
    return f"{table}\n\nMade by {figures.origin.as_text()}"
