"""The memory keeper's examples: what somebody liked, and the note that finds what they liked next.

The prompt is the one that is asked when a memory is written about a person alone
(`memory/model_update.py`); it holds what came before and nothing of what came behind. The answer is
chosen among composed notes by what came behind (`user_notes.py`). No row is used that a protocol
holds out (`train_split.py`), and every fourth user occurs in the validation half alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.foundation.errors import InputError, ModelError, UsageError
from localrec.foundation.progress import Progress
from localrec.foundation.text_matching import roots
from localrec.graph.domain_files import load_domain
from localrec.memory.from_log import ItemSet, build_collaborative_memory
from localrec.memory.model_update import parse_lines, user_note_line, user_note_prompt
from localrec.training.examples.example import Example, Half, half_of
from localrec.training.examples.train_split import shared_train_rows
from localrec.training.examples.user_notes import (
    NoteCase,
    NoteComposer,
    NoteScorer,
    note_cases,
    predictive_notes,
)
from localrec.workspace import OpenWorkspace

_FEWEST_USERS = 4  # fewer cannot be parted


def memory_keeper_examples(
    workspace: OpenWorkspace,
    domain_name: str,
    counts: Mapping[Half, int],
    seed: int,
    progress: Progress,
) -> dict[Half, list[Example]]:
    """Make examples of a domain's users; none where they did too little.

    Args:
        workspace: Open for reading.
        domain_name: One that has items.
        counts: The most of each half.
        seed: Seed of the cases.
        progress: Called with each step and its progress.
    """
    rows = likes_to_learn_from(workspace, domain_name)
    if rows is None:
        return {}
    composer = open_composer(workspace, domain_name, rows)
    cases = _cases_of_halves(rows, counts, seed)
    both = [one for half in cases.values() for one in half]
    if not both:
        return {}
    embedder = workspace.context(domain_name).models.embedder
    scorer = NoteScorer(embedder, composer.texts, both, seed)
    answers = _answers(composer, scorer, both, len(cases["train"]), progress)
    made: dict[Half, list[Example]] = {"train": [], "validation": []}
    for half, mine in cases.items():
        for case in mine:
            if note := answers.pop(0):
                made[half].append(_example(composer, case, note))
    return made


def tells_only_facts(example: Example, written: str) -> bool:
    """Whether a note can be stored, and every word of it stands in its prompt or right answer."""
    try:
        note = parse_lines(written, 0, with_item=False, complete=True).user
    except ModelError:
        return False
    told = f"{example.messages[-1].content} {example.answer}"
    return set(roots(note)).issubset(roots(told))


def likes_to_learn_from(workspace: OpenWorkspace, domain_name: str) -> Interactions | None:
    """Read the rows that no protocol holds out; None where people did too little."""
    try:
        keyed = read_interactions(workspace.store, load_domain(domain_name))
        return shared_train_rows(keyed.interactions)
    except (InputError, UsageError):
        return None


def open_composer(workspace: OpenWorkspace, domain_name: str, rows: Interactions) -> NoteComposer:
    """Open the composer of a domain's notes."""
    knowledge = ItemSet.of_log(workspace.context(domain_name).catalogue, None, rows)
    memory = build_collaborative_memory(rows, knowledge)
    return NoteComposer(knowledge.texts_of(memory), knowledge, rows)


def _cases_of_halves(
    rows: Interactions, counts: Mapping[Half, int], seed: int
) -> dict[Half, list[NoteCase]]:
    """Draw the cases of each half, those to learn from first."""
    cases = list(note_cases(rows, seed))
    users = sorted({one.user for one in cases})
    if len(users) < _FEWEST_USERS:
        return {"train": [], "validation": []}
    halves: tuple[Half, ...] = ("train", "validation")
    theirs = {half: frozenset(half_of(users, half)) for half in halves}
    return {
        half: list(islice((one for one in cases if one.user in theirs[half]), counts[half]))
        for half in halves
    }


def _answers(
    composer: NoteComposer,
    scorer: NoteScorer,
    cases: Sequence[NoteCase],
    learnt: int,
    progress: Progress,
) -> list[str]:
    """Choose the note of each case; "" where none can be written."""
    notes, worth = [], []
    for done, case in enumerate(cases):
        mine = composer.notes(case.history)
        values = scorer.chances(list(mine.values()), case).mean(axis=1).tolist() if mine else []
        notes.append(mine)
        worth.append(dict(zip(mine, values, strict=True)))
        progress("measuring notes", done + 1, len(cases))
    return predictive_notes(notes, worth, learnt)


def _example(composer: NoteComposer, case: NoteCase, note: str) -> Example:
    texts = composer.texts
    newest = case.history[::-1].tolist()
    return Example(
        messages=tuple(
            user_note_prompt(
                texts.of_user(case.history),
                [(texts.titles[item], texts.of_item(item, shared=False)) for item in newest],
            )
        ),
        answer=user_note_line(note),
        split_keys=(f"person {case.user}",),
    )
