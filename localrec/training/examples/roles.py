"""Make the examples of each trainable role."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

import msgspec

from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import Progress, no_progress
from localrec.graph.domain_files import load_domain
from localrec.training.examples.agent import agent_examples
from localrec.training.examples.episodes import EpisodesConfig
from localrec.training.examples.example import Example, Examples, Half, by_turns
from localrec.training.examples.lexicon import Lexicon, declared_lexicon, lexicon_of
from localrec.training.examples.memory_keeper import memory_keeper_examples
from localrec.training.examples.next_choices import open_next_choices
from localrec.training.examples.reflector import reflector_examples
from localrec.training.examples.reranker import RankedList, reranker_examples
from localrec.training.examples.router import router_examples
from localrec.training.examples.slots import slot_examples
from localrec.training.examples.synthetic_users import synthesize_users
from localrec.training.examples.writer import writer_examples
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

# Their words are learnt from their declarations where the workspace has nothing of them, so that
# an adapter knows the task and not one catalogue.
_DECLARED = ("movies", "books", "music")
_OWN = 8  # questions about a domain of the workspace for each about another
_CHOSEN = 3  # lists of what users chose for each of somebody imagined


class ExampleConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Select the examples.

    Args:
        train: Examples to learn from.
        validation: Examples to stop by.
        seed: Seed of every draw.
        supports_tools: Whether the model was taught to call tools as JSON; matters to an agent.
    """

    train: int
    validation: int
    seed: int
    supports_tools: bool = False


def examples_for(
    role: str, workspace: Path, wanted: ExampleConfig, progress: Progress = no_progress
) -> Examples:
    """Make the examples of a role from the graphs of a workspace or the histories of its users.

    Several roles, joined by commas, get an equal part of the examples each.

    Raises:
        UsageError: there is no such role, or one is named twice.
        WorkspaceError: there is no catalogue yet.
        InputError: people did too little to learn from, or the catalogue is too small.
    """
    roles = role.split(",")
    for one in roles:
        if one not in ROLES:
            raise UsageError(f"No adapter is trained for {one!r}.", f"Roles: {', '.join(ROLES)}.")
    if len(set(roles)) < len(roles):
        raise UsageError(f"{role} names a role twice.", "Name each once.")
    part = msgspec.structs.replace(
        wanted,
        train=-(-wanted.train // len(roles)),
        validation=-(-wanted.validation // len(roles)),
    )
    made = [ROLES[one](workspace, part, progress) for one in roles]
    return Examples(
        role=role,
        train=tuple(chain.from_iterable(one.train for one in made)),
        validation=tuple(chain.from_iterable(one.validation for one in made)),
    )


def _router(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    return router_examples(_lexicons(workspace), wanted.train, wanted.validation, wanted.seed)


def _slots(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    return slot_examples(_lexicons(workspace), wanted.train, wanted.validation, wanted.seed)


def _reflector(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    with OpenWorkspace(workspace) as opened:
        domain_of_question(opened, "")  # raises where there is none
        catalogues = [opened.context(name).catalogue for name in sorted(opened.domains())]
        return reflector_examples(catalogues, wanted.train, wanted.validation, wanted.seed)


def _agent(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    episodes = EpisodesConfig(seed=wanted.seed, most=wanted.train, validation=wanted.validation)
    return agent_examples(
        workspace,
        episodes,
        wanted.train,
        wanted.validation,
        native=wanted.supports_tools,
        progress=progress,
    )


def _reranker(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    with OpenWorkspace(workspace) as opened:
        domain_of_question(opened, "")  # raises where there is none
        domains = sorted(opened.domains())
        choices = [open_next_choices(opened, name, wanted.seed, progress) for name in domains]
        users = [synthesize_users(opened.context(name).catalogue, wanted.seed) for name in domains]
    if not any((*choices, *users)):
        raise InputError(
            "The catalogue is too small to make lists of it.",
            "Import a larger one, or what people did: localrec import",
        )

    def sources(half: Half) -> list[Iterator[RankedList]]:
        often = [lists for one in choices if one for lists in [one.examples(half)] * _CHOSEN]
        return [*often, *(one.examples(half) for one in users if one)]

    return reranker_examples(sources, wanted.train, wanted.validation)


def _memory(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    counts: dict[Half, int] = {"train": wanted.train, "validation": wanted.validation}
    with OpenWorkspace(workspace) as opened:
        domain_of_question(opened, "")  # raises where there is none
        made = [
            memory_keeper_examples(opened, name, counts, wanted.seed, progress)
            for name in sorted(opened.domains())
        ]
    halves: dict[Half, tuple[Example, ...]] = {
        half: tuple(islice(by_turns([one[half] for one in made if one]), count))
        for half, count in counts.items()
    }
    if not all(halves.values()):
        raise InputError(
            "People did too little to learn from.",
            "Import more of what people did: localrec import",
        )
    return Examples(role="memory", train=halves["train"], validation=halves["validation"])


def _writer(workspace: Path, wanted: ExampleConfig, progress: Progress) -> Examples:
    return writer_examples(wanted.train, wanted.validation, wanted.seed)  # of no catalogue


ROLES: Mapping[str, Callable[[Path, ExampleConfig, Progress], Examples]] = {
    "router": _router,
    "slots": _slots,
    "reflector": _reflector,
    "agent": _agent,
    "reranker": _reranker,
    "writer": _writer,
    "memory": _memory,
}


def _lexicons(folder: Path) -> list[Lexicon]:
    with OpenWorkspace(folder) as workspace:
        domain_of_question(workspace, "")  # raises where there is none
        own = [
            lexicon_of(workspace.context(name).catalogue) for name in sorted(workspace.domains())
        ]
    present = {one.domain.name for one in own}
    others = [declared_lexicon(load_domain(name)) for name in _DECLARED if name not in present]
    return [*own * _OWN, *others]
