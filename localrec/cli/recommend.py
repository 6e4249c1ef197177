"""`localrec recommend` and `localrec rank`: lists for a person, and orders of given candidates."""

from __future__ import annotations

import sys
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from localrec.cli.context import (
    DomainOption,
    command_context,
    console,
    note,
    note_unknown,
    print_line,
    progress,
    refuse_unknown,
    resumable,
    user_keys,
)
from localrec.cli.learn import learn_in_background

if TYPE_CHECKING:
    from localrec.agent.profile_update import ProfileProposal
    from localrec.data.questions import RankRequest
    from localrec.data.recommendations import Ranking, Recommendations
    from localrec.graph.user_profile import UserProfile
    from localrec.systems.item_recommender import ItemRecommender
    from localrec.workspace.domain_context import DomainContext
    from localrec.workspace.workspace import OpenWorkspace

EXAMPLES = """
Examples:\n\n
  localrec recommend --user anna\n\n
  localrec recommend --user anna --domain movies -k 20 --explain\n\n
  localrec recommend --user anna --user bob --fair least-misery\n\n
  localrec recommend --user anna --diverse 0.3 --wanted\n\n
  localrec recommend --user anna --system popularity --json\n\n
  localrec recommend --user anna --system memrec --explain\n\n
  localrec recommend --user anna --system memrec-model\n\n
  localrec recommend --user anna --system agenticrec --explain
"""
RANK_EXAMPLES = """
A request is a JSON object a line: id, candidates, and optionally history (item keys, oldest
first), ratings (stars for the history), user. The file it writes is gone on with after any
interruption; what it was begun with stands beside it in RANKINGS.jsonl.run.json, and another
system or domain is refused.\n\n
Examples:\n\n
  localrec rank --batch requests.jsonl --out rankings.jsonl\n\n
  localrec rank --batch requests.jsonl --out by-popularity.jsonl --system popularity\n\n
  localrec rank --batch requests.jsonl --out by-agent.jsonl --system agenticrec --explain
"""
_SAMPLED_KEYS = 10_000  # keys that tell which domain a batch is about


def _known_rankers() -> list[str]:
    from localrec.systems.registry import SYSTEM_REGISTRY

    return SYSTEM_REGISTRY.names("recommender")


SystemOption = Annotated[
    str,
    typer.Option(
        "--system",
        metavar="NAME",
        help="The evidence that counts: auto, popularity, neighbours, attributes, nearness, "
        "or auto-no-KIND; with the memory of all people: memrec, memrec-no-read, memrec-no-rules, "
        "memrec-no-write, isolated-memory, or auto-memory, where it ranks given candidates only; "
        "with candidates judged one by one by a local model: memrec-model, memrec-model-counted, "
        "isolated-agent; by their memories as vectors: memrec-vector; in order by an agent that "
        "asks tools: agenticrec, agenticrec-scripted with fixed calls, agenticrec-reasoning "
        "without tools, agenticrec-fused without a model.",
        autocompletion=_known_rankers,
    ),
]


UsersOption = Annotated[
    list[str],
    typer.Option(
        "--user",
        metavar="KEY",
        help="The person the list is for; again for one list for several.",
        callback=user_keys,
    ),
]
DiverseOption = Annotated[
    float, typer.Option(min=0, max=1, help="Weight of variety against fit, 0 to 1.")
]


def recommend(
    user: UsersOption,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="The number of items.")] = 10,
    system: SystemOption = "auto",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the edges behind each reason, and the times.")
    ] = False,
    fair: Annotated[
        Literal["average", "least-misery"],
        typer.Option(help="For several people: rank by an item's average fit, or by its worst."),
    ] = "average",
    diverse: DiverseOption = 0.0,
    wanted: Annotated[
        bool, typer.Option("--wanted", help="Offer what is on the want-to list first.")
    ] = False,
    domain: DomainOption = None,
) -> None:
    """Recommend items to a person, from the first rating on; a name that nobody has is refused.

    Behind a list of agenticrec its model may refine what is remembered of the person, and says so;
    a pinned memory stays: localrec memory pin --user KEY
    """
    from localrec.systems.list_choice import ListOptions
    from localrec.systems.registry import SYSTEM_REGISTRY
    from localrec.workspace.domain_choice import domain_of_user

    context = command_context()
    with context.open_workspace() as opened:
        only = user[0] if len(user) == 1 else None  # nobody's own words are seen by several
        seen = opened.context(domain_of_user(opened, user[0], domain), only)
        recommender = SYSTEM_REGISTRY.recommender(seen, system)
        refuse_unknown(opened.store, user)
        users = {one: seen.user_profile(one) for one in user}
        options = ListOptions(fair=fair, diverse=diverse, wanted=wanted)
        if only is not None and options == ListOptions(fair=fair):
            found = recommender.recommend(only, users[only], k)
        else:
            found = recommender.recommend_chosen(users, k, options)
        if not context.as_json:
            from localrec.cli.render import render_recommendations

            render_recommendations(found, console(), explain=explain)
        thought = _refined_profile(seen, users[user[0]], found)
        if system == "auto":
            learn_in_background(opened, seen.domain.name)
    if thought is not None:
        found = _with_profile(context.workspace, thought, found)
    if context.print_json(found):
        return
    for said in found.notes:
        note(said)
    if explain and found.calls:
        note(_cost_text(found))


def _refined_profile(
    seen: DomainContext, user_profile: UserProfile, found: Recommendations
) -> ProfileProposal | None:
    """Let an agent propose a change of the user's profile, after the list."""
    if found.trajectory is None:
        return None
    from localrec.agent.profile_update import propose_profile  # only with an agent: it loads much

    return propose_profile(seen.store, seen.catalogue, seen.models.open, user_profile, found)


def _with_profile(
    folder: Path, thought: ProfileProposal, found: Recommendations
) -> Recommendations:
    """Write it; the workspace that was read is closed, or nobody could."""
    from localrec.agent.profile_update import save_profile
    from localrec.graph.journal import open_settled

    return save_profile(partial(open_settled, folder, read_only=False), thought, found)


def _cost_text(found: Recommendations) -> str:
    """The calls of a model, and the tokens of each stage."""
    tokens = ", ".join(f"{stage} {count:,}" for stage, count in found.tokens.items())
    return f"The model was asked {found.calls} times; tokens: {tokens}."


_Requests = Annotated[
    Path, typer.Option("--batch", metavar="REQUESTS.jsonl", help="The requests; - reads stdin.")
]
_Rankings = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="RANKINGS.jsonl",
        help="File for the rankings; run again to go on. - writes to stdout.",
    ),
]


def rank(
    batch: _Requests,
    out: _Rankings,
    system: SystemOption = "auto",
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell in words what an agent did for each request.")
    ] = False,
    domain: DomainOption = None,
) -> None:
    """Order given candidates for given histories, which need not be stored."""
    from localrec.data.recommendations import to_json
    from localrec.workspace.batch_runs import PIPE, RunOptions, rank_batch, read_rank_requests
    from localrec.workspace.domain_choice import domain_of_items

    if batch == out == PIPE:
        _rank_as_they_come(system, domain)
        return
    context = command_context()
    requests = read_rank_requests(batch)
    unknown, notes = 0, list[str]()
    acted: list[Ranking] = []
    with context.open_workspace() as opened, resumable(out), progress() as steps:
        named = (key for request in requests for key in (*request.candidates, *request.history))
        chosen = domain_of_items(opened, list(islice(named, _SAMPLED_KEYS)), domain)

        note_unknown(opened.store, (request.user for request in requests))
        # What cannot be opened is told before anything is asked.
        _ranker_in(opened.context(chosen), system)

        def answer(request: RankRequest) -> Ranking:
            nonlocal unknown
            ranking = _ranked(opened, chosen, system, request)
            unknown += len(ranking.ranking) - len(ranking.scores)
            notes.extend(ranking.notes)
            if explain and ranking.trajectory is not None:
                acted.append(ranking)
            return ranking

        if out == PIPE:
            for request in requests:
                print_line(to_json(answer(request)))
            return
        summary = rank_batch(
            answer,
            requests,
            out,
            lambda done, total: steps("ranking", done, total),
            RunOptions(command="rank", system=system, domain=chosen),
        )
    if context.print_json(summary):
        return
    for one in acted:
        _tell_steps(one)
    note(f"{summary.answered} ranked, {summary.resumed} were there already, in {out}.")
    if unknown:
        note(f"Candidates that are not in {chosen}, and so stand last, as given: {unknown:,}.")
    if notes:
        note(f"Notes beside the rankings: {len(notes):,}, the first: {notes[0]}")


def _rank_as_they_come(system: str, domain: str | None) -> None:
    """Rank each request of stdin when its line is there, and write its answer at once."""
    from localrec.data.recommendations import to_json
    from localrec.workspace.batch_runs import stream_rank_requests
    from localrec.workspace.domain_choice import domain_of_items

    met: set[str] = set()
    with command_context().open_workspace() as opened:
        for request in stream_rank_requests(sys.stdin.buffer):
            if request.user and request.user not in met:
                met.add(request.user)
                note_unknown(opened.store, [request.user])
            keys = [*request.candidates, *request.history]
            chosen = domain_of_items(opened, keys, domain)
            print_line(to_json(_ranked(opened, chosen, system, request)))


def _ranked(opened: OpenWorkspace, domain: str, system: str, request: RankRequest) -> Ranking:
    """Rank one request, with what is stored of its user."""
    seen = opened.context(domain, request.user)
    stored = seen.user_profile(request.user) if request.user else None
    return _ranker_in(seen, system).rank(request, stored)


def _ranker_in(seen: DomainContext, system: str) -> ItemRecommender:
    """Make the system once for a domain as its user sees it."""
    from localrec.systems.registry import SYSTEM_REGISTRY

    return seen.once("ranker", lambda: SYSTEM_REGISTRY.recommender(seen, system))


def _tell_steps(ranking: Ranking) -> None:
    """Print what an agent did for a request."""
    from localrec.cli.render import render_trajectory

    render_trajectory(ranking.trajectory or {}, console(), of=f"Request {ranking.id}")
