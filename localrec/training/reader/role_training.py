"""Train the role tagger on composed questions: a small network on MiniLM's frozen token states.

The states of all questions are read once by the model that serves, so training and serving see the
same numbers; then only the network is trained, in torch, on the CPU. One hand's carriers can be
held out to see how far the roles carry to wordings of somebody else.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from localrec.data.records import Record
from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import ModelError
from localrec.foundation.progress import Progress
from localrec.foundation.text_matching import tokens
from localrec.index.embedder_names import fits
from localrec.index.encoder_layers import EncoderLayer
from localrec.training.libraries import training_libraries
from localrec.training.reader.array_archive import pack_arrays
from localrec.training.reader.carriers import Carrier
from localrec.training.reader.role_questions import QuestionComposer, TaggedQuestion
from localrec.training.reader.role_states import RoleConfig, cue_rows, read_questions, sized_like
from localrec.understanding.question_roles import (
    ROLES,
    RoleNetwork,
    RoleTagger,
    StateReader,
    packed,
)

_SURE = 0.5
_SCORED = 600  # questions


class RoleScore(msgspec.Struct, frozen=True, kw_only=True):
    """The shares of names and other words that got their right role.

    Args:
        names: The number of scored names.
        right: Share of them with their role.
        barred_found: Share of the refused names that are taken for refused.
        barred_right: Share of right ones among the names taken for refused.
        words_refused: Share of words that are no name and taken for refused.
    """

    names: int
    right: float
    barred_found: float
    barred_right: float
    words_refused: float


class RoleReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The report on a training; it is kept beside the network as its card.

    Args:
        encoder: The embedder whose states the network reads.
        roles: The roles that it tells apart.
        config: Settings of the training.
        carriers: The number of carriers that it learnt from.
        parameters: The number of weights of the network.
        seconds: CPU seconds, reading and training.
        bytes: Size of the file.
        held_out: Score on the carriers that were held out; None without any.
    """

    encoder: str
    roles: tuple[str, ...]
    config: RoleConfig
    carriers: int
    parameters: int
    seconds: float
    bytes: int
    held_out: RoleScore | None


def train_reader(
    carriers: Sequence[Path],
    held_out: Sequence[Path],
    out: Path,
    config: RoleConfig,
    progress: Progress,
    init_from: Path | None = None,
) -> RoleReport:
    """Read files of carriers and train the network on them.

    Args:
        carriers: Files of questions with slots for names.
        held_out: Carriers by other authors, to score the network by.
        out: The file to write.
        config: The settings.
        progress: Called with the step, how much of it is done, and of how much.
        init_from: Network to train further; None begins anew.
    """
    from localrec.index.embedders import MiniLmEmbedder, open_embedder
    from localrec.training.reader.carriers import read_carriers
    from localrec.understanding.question_roles import load_roles

    encoder = open_embedder(threads=1)
    assert isinstance(encoder, MiniLmEmbedder)
    begun = None if init_from is None else load_roles(init_from)
    return train_roles(
        read_carriers(carriers), read_carriers(held_out), encoder, out, config, progress, begun
    )


def train_roles(
    carriers: Sequence[Carrier],
    held_out: Sequence[Carrier],
    encoder: StateReader,
    out: Path,
    config: RoleConfig,
    progress: Progress,
    start: RoleNetwork | None = None,
) -> RoleReport:
    """Compose questions, train the network on them, write it and its card, a JSON file beside it.

    Args:
        carriers: Files of questions to learn from.
        held_out: To score by; none for no score.
        encoder: The embedder that the network will be used with.
        out: The file to write.
        config: Settings of the training.
        progress: Called with each step and its progress.
        start: Network to train further; its sizes count, not those of the settings.
    """
    begun = time.process_time()
    questions = list(QuestionComposer(carriers, config.seed).compose(config.questions))
    asked = list(QuestionComposer(held_out, config.seed + 1).compose(_SCORED)) if held_out else []
    config = config if start is None else sized_like(start, config)
    upper = encoder.upper_layers() if config.rank else ()
    if start is not None:
        _load_lora(start, encoder, upper)
    read = read_questions(questions, encoder, progress, to_middle=bool(upper))
    rows = cue_rows(carriers, encoder) if start is None else start.cue_rows
    with training_libraries():
        from localrec.training.reader.role_network import fit_network  # brings torch

        network = fit_network(read, rows, encoder.name, config, progress, start, upper)
    kept = packed(network)
    write_atomically(out, pack_arrays(kept))
    score = score_roles(RoleTagger(network, encoder), asked) if asked else None
    report = RoleReport(
        encoder=encoder.name,
        roles=ROLES,
        config=config,
        carriers=len(carriers),
        parameters=sum(array.size for name, array in kept.items() if name.endswith("_8")),
        seconds=round(time.process_time() - begun, 1),
        bytes=out.stat().st_size,
        held_out=score,
    )
    card = msgspec.json.format(msgspec.json.encode(report), indent=1)
    write_atomically(out.with_suffix(".json"), card + b"\n")
    return report


def _load_lora(start: RoleNetwork, encoder: StateReader, upper: Sequence[EncoderLayer]) -> None:
    """Load the LoRA weights of a network into the encoder's upper layers.

    Raises:
        ModelError: the network was trained on another encoder.
    """
    size = start.first[0].shape[0]
    if not fits(start.encoder, encoder.name) or size != encoder.size:
        raise ModelError(
            f"The network to train further was made for {start.encoder} with {size} numbers a "
            f"token, and this training reads by {encoder.name} with {encoder.size}.",
            f"Pass --init-from (in Python init_from) a network made for {encoder.name}, or leave "
            "it out: then a new one is trained.",
        )
    for layer, lora in zip(upper, start.lora, strict=False):
        layer.with_lora(lora)


def score_roles(tagger: RoleTagger, questions: Iterable[TaggedQuestion]) -> RoleScore:
    """Compare the roles that a tagger tells with those that questions were composed of."""
    told: Counter[tuple[str, str]] = Counter()
    words = refused = 0
    for question in questions:
        found = tokens(question.text)
        roles = tagger.tag(question.text, found)
        inside = [
            [at for at, one in enumerate(found) if one.start < end and one.end > start]
            for start, end, _ in question.spans
        ]
        for places, (_, _, role) in zip(inside, question.spans, strict=True):
            if places:
                first, last = places[0], places[-1] + 1
                excluded = roles.named(first, last, "barred") > _SURE
                best = max(ROLES[1:], key=lambda one: roles.of(first, last, one))
                told[role, "barred" if excluded else best] += 1
        named = {at for places in inside for at in places}
        for at in set(range(len(found))) - named:
            words += 1
            refused += roles.of(at, at + 1, "barred") > _SURE
    names = told.total()
    taken = sum(count for (_, guess), count in told.items() if guess == "barred")
    meant = sum(count for (role, _), count in told.items() if role == "barred")
    both = told["barred", "barred"]
    return RoleScore(
        names=names,
        right=sum(count for (role, guess), count in told.items() if role == guess) / max(names, 1),
        barred_found=both / max(meant, 1),
        barred_right=both / max(taken, 1),
        words_refused=refused / max(words, 1),
    )
