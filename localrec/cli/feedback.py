"""`localrec feedback`: what a person says about an item; it counts in the very next list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    DomainOption,
    NewUserOption,
    at_most,
    command_context,
    console,
    note,
    user_key,
)
from localrec.data.questions import MAX_REASON
from localrec.data.rows import Event
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.graph.interactions import FeedbackRecord

EXAMPLES = """
Examples:\n\n
  localrec feedback --user anna --item "Negroni" --rating 4.5\n\n
  localrec feedback --user anna --item heat-1995 --dislike --reason "too long"\n\n
  localrec feedback --user anna --item "Fargo" --not-now\n\n
  localrec feedback --user anna --undo
"""
_Reason = Annotated[
    str | None,
    typer.Option(
        "--reason",
        metavar="TEXT",
        help="The reason, in your own words.",
        callback=at_most(MAX_REASON),
    ),
]
_WORDS = {
    Event.LIKED: "likes",
    Event.DISLIKED: "dislikes",
    Event.SEEN: "knows",
    Event.LATER: "puts off",
}


def feedback(
    user: Annotated[
        str, typer.Option("--user", metavar="KEY", help="The user who says it.", callback=user_key)
    ],
    item: Annotated[
        str | None, typer.Option("--item", metavar="KEY", help="The item's key or name.")
    ] = None,
    rating: Annotated[
        float | None, typer.Option("--rating", min=0.5, max=5.0, help="Stars, 0.5 to 5.")
    ] = None,
    like: Annotated[bool, typer.Option("--like", help="Liked it.")] = False,
    dislike: Annotated[bool, typer.Option("--dislike", help="Did not like it.")] = False,
    seen: Annotated[bool, typer.Option("--seen", help="Knows it; no verdict.")] = False,
    not_now: Annotated[
        bool, typer.Option("--not-now", help="Leave it out for a month; no verdict.")
    ] = False,
    reason: _Reason = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the newest feedback (on --item, if given).")
    ] = False,
    new_user: NewUserOption = False,
    domain: DomainOption = None,
) -> None:
    """Say what you think of an item, or take it back."""
    from localrec.graph.item_lookup import meant_or_new, nobody_called
    from localrec.memory.feedback import record_feedback, retract_feedback
    from localrec.workspace.domain_choice import domain_of_last_feedback, find_item

    context = command_context()
    event = _event(rating, like=like, dislike=dislike, seen=seen, not_now=not_now, undo=undo)
    if item is None and not undo:
        raise UsageError("Name the item.", 'localrec feedback --user KEY --item "NAME" --like')
    with context.open_workspace(writable=True) as opened:
        new = meant_or_new(opened.store, user, is_new=new_user or undo)
        if undo and new:
            raise nobody_called(opened.store, user)
        if item is not None:
            chosen, item_id, _ = find_item(opened, item, domain, user)
        else:
            chosen, item_id = domain_of_last_feedback(opened, user, domain), None
        if event is None:
            said = retract_feedback(opened.store, chosen, user, item_id)
        else:
            assert item_id is not None
            said = record_feedback(
                opened.store, chosen, user, item_id, event, rating=rating, reason=reason
            )
    if said is None:
        raise UsageError(
            f"There is no feedback by {user} to take back"
            + ("." if item is None else f" on {item}."),
            "What an import brought goes with: localrec forget --help",
        )
    if new:
        note(new)
    if not context.print_json({"undone": event is None, "domain": chosen, "said": said}):
        _render(said, chosen, undone=event is None)


def _event(
    rating: float | None, *, like: bool, dislike: bool, seen: bool, not_now: bool, undo: bool
) -> Event | None:
    """The one thing that was said; None for --undo."""
    said = {
        Event.RATED: rating is not None,
        Event.LIKED: like,
        Event.DISLIKED: dislike,
        Event.SEEN: seen,
        Event.LATER: not_now,
    }
    meant = [event for event, given in said.items() if given]
    if len(meant) + undo != 1:
        raise UsageError(
            "Say exactly one thing: --rating, --like, --dislike, --seen, --not-now or --undo.",
            "localrec feedback --help",
        )
    return meant[0] if meant else None


def _render(said: FeedbackRecord, domain: str, *, undone: bool) -> None:
    from rich.text import Text

    from localrec.graph.domain_files import load_domain

    what = f"the {load_domain(domain).singular} {said.name}"
    if said.rating is not None:
        stars = "star" if said.rating == 1 else "stars"
        told = f"{said.user} gives {what} {said.rating:g} {stars}"
    else:
        told = f"{said.user} {_WORDS[said.event]} {what}"
    reason_builder = f": {said.reason}" if said.reason else ""
    console().print(
        Text(f"Taken back: {told}{reason_builder}" if undone else f"{told}{reason_builder}")
    )
