"""Ways to get more answers out of the same machine, measured on prompts of localrec's roles.

Run:
    python scripts/studies/run.py inference [--cases 8] [--threads 1] [--jobs 1]
        [--report]

The workspace has the bundled drinks and MovieLens 100K (`localrec datasets pull cocktails`, then
`ml-100k`). Kept states of prefixes, drafts looked up in prompt and answer, several answers at once,
and for the writer the best of n, the first sentence that its checks keep. All but the last write
greedily. Seconds are of the processor, one thread: what else the machine does is not counted.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import msgspec
from findings import Findings, add_workspace, origin_of, say
from inference_sessions import CONTEXT, Prompt, TimedSession, Together, Written

from localrec.data.chat_message import Message
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.explanation import writer
from localrec.explanation.writer import AdapterWriter
from localrec.foundation.errors import InputError, ModelError
from localrec.foundation.paths import pulled
from localrec.llm.adapter_files import adapter_path
from localrec.llm.chat_model import GenerateOptions, Generation
from localrec.llm.model_catalog import model_path
from localrec.llm.native_model import NativeModel
from localrec.training.role_bench.bench import RoleComposer
from localrec.training.role_bench.records import SEED, EmptyRole
from localrec.training.role_bench.writing_cases import ExplainedItem, draw_explained
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext

MODEL = "smollm2-135m"
ROLES = {"writer": "sentence-writer", "reflector": "", "memory": ""}  # with their adapters
DRAFTS = (2, 3)  # most tokens drafted at a time
AT_ONCE = (2, 4, 8)
BEST_OF = (1, 2, 4, 8)
PER_CASE = 3  # sentences of the best of n for each case of the other tables


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One way of writing the answers of a role.

    Args:
        role: Name of the role.
        way: What is done.
        answers: Number of answers.
        read: Tokens read for an answer, on average.
        tokens: Tokens written for it.
        read_s: Seconds of reading.
        write_s: Seconds of writing.
        accepted: Share of the drafted tokens that the model chose; None without drafts.
        same: Answers with the text of the plain way.
        gain: Seconds of the way it is held against, over its own.
    """

    role: str
    way: str
    answers: int
    read: float
    tokens: float
    read_s: float
    write_s: float
    accepted: float | None
    same: int
    gain: float


class BestOf(msgspec.Struct, frozen=True, kw_only=True):
    """The writer with n tries.

    Args:
        n: Most tries.
        kept: Share of the items with a sentence that the checks keep.
        shapes: Different sentences among these without their names.
        in_turn_s: Seconds of an item, one try after the other until one is kept.
        anew_s: The same where each try reads the facts again.
        at_once_s: All n at once; None for one.
    """

    n: int
    kept: float
    shapes: int
    in_turn_s: float
    anew_s: float
    at_once_s: float | None


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured."""

    origin: Origin
    model: str
    ways: tuple[Way, ...]
    together: tuple[Way, ...]
    items: int
    best_of: tuple[BestOf, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--cases", type=int, default=8, help="answers of each role, at least 8")
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--jobs", type=int, default=1, help="parts that are measured side by side")


def measure(asked: argparse.Namespace) -> Findings:
    """Measure each role and the best of n, each in a process of its own."""
    if asked.cases < max(AT_ONCE):
        raise InputError(f"{asked.cases} cases are too few.", f"Take {max(AT_ONCE)} or more.")
    with (
        OpenWorkspace(asked.workspace) as workspace,
        RoleComposer(workspace, lambda *_: None) as composer,
    ):
        prompts = {role: prompts_of(composer, role, asked.cases + 1) for role in ROLES}
    items = PER_CASE * asked.cases
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        best = pool.submit(measure_best, asked.workspace, items, asked.threads)
        parts = [
            pool.submit(measure_role, role, found, asked.threads) for role, found in prompts.items()
        ]
        ways, together = zip(*(one.result() for one in parts), strict=True)
        figures = Figures(
            origin=origin_of("inference", f"--cases {asked.cases}", f"--threads {asked.threads}"),
            model=MODEL,
            ways=tuple(chain.from_iterable(ways)),
            together=tuple(chain.from_iterable(together)),
            items=items,
            best_of=tuple(best.result()),
        )
    return Findings(text=as_markdown(figures), page="models", block="inference", figures=figures)


def measure_role(role: str, prompts: Sequence[Prompt], threads: int) -> tuple[list[Way], list[Way]]:
    """Write the prompts of a role one after the other, and at once."""
    model = opened(role, threads)
    say(f"{role}: one after the other")
    plain, ways = compare_ways(role, model, prompts)
    say(f"{role}: at once")
    return ways, compare_together(role, model, prompts[1:], plain, threads)


def measure_best(workspace: Path, count: int, threads: int) -> list[BestOf]:
    """The writer's best of n over so many items."""
    say("best of n")
    with OpenWorkspace(workspace) as opened_workspace:
        context = opened_workspace.context("cocktails")
        items = draw_explained(context, count, SEED)
        return best_of(opened("writer", threads), context, items, threads)


class _Noting:
    """A chat model that notes the first call of each case and answers none."""

    name = MODEL
    supports_tools = True

    def __init__(self) -> None:
        self.noted: list[Prompt] = []

    def generate(self, messages: Sequence[Message], **options: object) -> Generation:
        """Note a call."""
        settings = msgspec.convert(options, GenerateOptions)
        self.noted.append(Prompt(tuple(messages), settings))
        raise ModelError("Only noted.")


def prompts_of(composer: RoleComposer, role: str, count: int) -> list[Prompt]:
    """The first call of each case of a role, to be written greedily."""
    cases = composer.cases(role, count)
    if isinstance(cases, EmptyRole):
        raise InputError(f"The role {role} has no cases. {cases.reason}")
    noting, prompts = _Noting(), list[Prompt]()
    prepared = cases.prepare(noting, bool(ROLES[role]))
    for number in range(count):
        noting.noted.clear()
        with suppress(ModelError):
            prepared.ask(number)
        first = noting.noted[0]
        greedy = msgspec.structs.replace(first.options, temperature=0.0)
        prompts.append(Prompt(first.messages, greedy))
    return prompts


def opened(role: str, threads: int) -> NativeModel:
    """The model in this process, with the adapter of a role."""
    model = NativeModel(
        model_path(MODEL),
        n_ctx=CONTEXT,
        n_threads=threads,
        embedding_context=512,
        pooling=None,
        repack=repacks(),
        adapter=_adapter(role),
        adapter_scale=1.0,
        template="",
        should_stop=lambda: False,
    )
    model.warm_up()
    return model


def repacks() -> bool:
    """Whether localrec found that this processor takes rearranged weights."""
    return not (pulled("models") / "plain-weight-order").exists()


def _adapter(role: str) -> Path | None:
    return adapter_path(ROLES[role]) if ROLES[role] else None


def compare_ways(
    role: str, model: NativeModel, prompts: Sequence[Prompt]
) -> tuple[list[Written], list[Way]]:
    """Write each prompt in every way, by turns; the first reads the prefix and does not count."""
    plain = TimedSession(model)
    drafting = {size: TimedSession(model, size) for size in DRAFTS}

    def without_states(prompt: Prompt) -> Written:
        model.forget()
        options = msgspec.structs.replace(prompt.options, fixed=0)
        return plain.ask(Prompt(prompt.messages, options))

    ways: dict[str, Callable[[Prompt], Written]] = {
        "plain": plain.ask,
        "without kept prefixes": without_states,
        **{f"drafts of {size}": one.ask for size, one in drafting.items()},
    }
    written: dict[str, list[Written]] = {way: [] for way in ways}
    for number, prompt in enumerate(prompts):
        for way, ask in ways.items():
            answer = ask(prompt)
            if number:
                written[way].append(answer)
    base = written["plain"]
    return base, [_way(role, way, answers, base, base) for way, answers in written.items()]


def compare_together(
    role: str,
    model: NativeModel,
    prompts: Sequence[Prompt],
    plain: Sequence[Written],
    threads: int,
) -> list[Way]:
    """Write the prompts in groups at once, held against one after the other."""
    writing = Together(model_path(MODEL), _adapter(role), threads, max(AT_ONCE), repacks())
    session, rows = TimedSession(model), []
    used = len(prompts) // max(AT_ONCE) * max(AT_ONCE)
    for count in AT_ONCE:
        answers = [
            answer
            for start in range(0, used, count)
            for answer in writing.write(model, session, prompts[start : start + count])
        ]
        rows.append(_way(role, f"{count} at once", answers, plain[:used], plain[:used]))
    return rows


def _way(
    role: str,
    way: str,
    answers: Sequence[Written],
    texts: Sequence[Written],
    base: Sequence[Written],
) -> Way:
    drafted = sum(one.drafted for one in answers)
    return Way(
        role=role,
        way=way,
        answers=len(answers),
        read=statistics.fmean(one.read for one in answers),
        tokens=statistics.fmean(one.tokens for one in answers),
        read_s=statistics.fmean(one.read_s for one in answers),
        write_s=statistics.fmean(one.write_s for one in answers),
        accepted=sum(one.accepted for one in answers) / drafted if drafted else None,
        same=sum(one.text == other.text for one, other in zip(answers, texts, strict=True)),
        gain=sum(one.seconds for one in base) / sum(one.seconds for one in answers),
    )


class _Tries:
    """A chat model in this process that keeps the cost of each try.

    Args:
        session: Writes.
        anew: Let each try read all but the fixed messages again.
    """

    name = MODEL

    def __init__(self, session: TimedSession, *, anew: bool) -> None:
        self._session, self._anew = session, anew
        self.prompts: list[Prompt] = []
        self.seconds: list[float] = []

    def generate(self, messages: Sequence[Message], **options: object) -> Generation:
        """Write one try."""
        prompt = Prompt(tuple(messages), msgspec.convert(options, GenerateOptions))
        if self._anew:
            self._session.forget_prompt()
        answer = self._session.ask(prompt)
        self.prompts.append(prompt)
        self.seconds.append(answer.seconds)
        return self._session.last


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """The tries for one item.

    Args:
        kept: Shape of the sentence that was kept; "" where none was.
        prompts: The tries, the kept one last.
        seconds: Of each try.
    """

    kept: str
    prompts: Sequence[Prompt]
    seconds: Sequence[float]


def best_of(
    model: NativeModel, context: DomainContext, items: Sequence[ExplainedItem], threads: int
) -> list[BestOf]:
    """Let the writer try up to eight times for each item; fewer tries are its first ones."""
    session = TimedSession(model)
    in_turn = _tried(session, context, items, anew=False)
    anew = _tried(session, context, items, anew=True)
    writing = Together(model_path(MODEL), _adapter("writer"), threads, max(BEST_OF), repacks())
    rows = []
    for n in BEST_OF:
        kept = [one.kept for one in in_turn if one.kept and len(one.seconds) <= n]
        at_once = [
            sum(w.seconds for w in writing.write(model, session, _samples(one.prompts[0], n)))
            for one in (in_turn if n > 1 else ())
        ]
        rows.append(
            BestOf(
                n=n,
                kept=len(kept) / len(items),
                shapes=len(set(kept)),
                in_turn_s=statistics.fmean(sum(one.seconds[:n]) for one in in_turn),
                anew_s=statistics.fmean(sum(one.seconds[:n]) for one in anew),
                at_once_s=statistics.fmean(at_once) if at_once else None,
            )
        )
    return rows


def _tried(
    session: TimedSession, context: DomainContext, items: Sequence[ExplainedItem], *, anew: bool
) -> list[Item]:
    """The writer's tries for each item; a first one, which reads the prefix, does not count."""
    writer._TRIES = max(BEST_OF)
    found = []
    for one in (items[0], *items):
        tries = _Tries(session, anew=anew)
        writing = AdapterWriter(tries)
        text = writing.write(one.item, one.facts, one.intent, context.vocabulary)
        kept = "" if writing.dropped else one.shape(text)
        found.append(Item(kept=kept, prompts=tries.prompts, seconds=tries.seconds))
        session.forget_prompt()
    return found[1:]


def _samples(prompt: Prompt, count: int) -> list[Prompt]:
    """The same prompt with different seeds."""
    return [
        Prompt(
            prompt.messages,
            msgspec.structs.replace(prompt.options, seed=prompt.options.seed + number),
        )
        for number in range(count)
    ]


def as_markdown(figures: Figures) -> str:
    """Three tables: one after the other, at once, best of n."""
    head = ["role", "way", "answers", "tokens read", "written", "read, s", "tokens/s written"]
    head += ["s an answer", "times as fast", "drafts accepted", "same text"]
    rows = [_cells(one) for one in (*figures.ways, *figures.together)]
    best = [
        [
            str(one.n),
            f"{one.kept:.3f}",
            str(one.shapes),
            f"{one.in_turn_s:.2f}",
            f"{one.anew_s:.2f}",
            "-" if one.at_once_s is None else f"{one.at_once_s:.2f}",
        ]
        for one in figures.best_of
    ]
    best_head = ["best of", "kept", "shapes", "s in turn", "s, facts read anew", "s at once"]
    return "\n\n".join(
        [
            markdown_table(head, rows),
            f"The writer with up to n tries for each of {figures.items} items:",
            markdown_table(best_head, best),
            figures.origin.as_text(),
        ]
    )


def _cells(one: Way) -> list[str]:
    return [
        one.role,
        one.way,
        str(one.answers),
        f"{one.read:.0f}",
        f"{one.tokens:.0f}",
        f"{one.read_s:.2f}",
        f"{one.tokens / one.write_s:.1f}",
        f"{one.read_s + one.write_s:.2f}",
        f"{one.gain:.2f}",
        "-" if one.accepted is None else f"{one.accepted:.2f}",
        f"{one.same} of {one.answers}",
    ]
