"""`localrec recommend`: a list for a person, or for several."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from localrec.cli.context import (
    DomainOption,
    command_context,
    console,
    note,
    refuse_unknown,
    user_keys,
)
from localrec.cli.learn import learn_in_background

if TYPE_CHECKING:
    from localrec.agent.profile_update import ProfileProposal
    from localrec.data.recommendations import Recommendations
    from localrec.graph.user_profile import UserProfile
    from localrec.workspace.domain_context import DomainContext

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
