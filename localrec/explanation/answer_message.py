"""Write the message above an answer: how the question was read, and which wishes were relaxed."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.data.answers import UnusedPhrase
from localrec.data.query import Query
from localrec.data.recommendations import RecommendedItem
from localrec.explanation.graph_facts import example_index
from localrec.graph.user_profile import UserProfile
from localrec.retrieval.candidates import CandidateSet
from localrec.retrieval.personalize import disliked_mask
from localrec.retrieval.search_query import SearchQuery
from localrec.understanding.shelf_reader import asks_for_shelf
from localrec.understanding.spelling import is_everyday

_LETTERS_A_SLIP = 6  # of a word that may be a slip of a name, letters for each slip


def answer_message(
    query: SearchQuery,
    pool: CandidateSet,
    items: Sequence[RecommendedItem],
    unused: Sequence[UnusedPhrase],
    user_profile: UserProfile | None = None,
) -> str:
    """Write the message of an answer, "" where there is nothing to say.

    Args:
        query: The question.
        pool: The candidates of the answer, and the constraints that were relaxed.
        items: The items of the answer.
        unused: Phrases of the question without effect, with the nearest known names.
        user_profile: The user's history; None: nobody is named or nothing is known.
    """
    told = [*_how_it_was_read(query), *_what_was_not_used(query.intent, unused, user_profile)]
    if not items:
        excluded = _excluded(query.intent)
        told.append(f"Nothing is left: everything in the catalogue is barred by “{excluded}”.")
    else:
        told += _what_was_found(query, pool)
        if user_profile is not None and (pool.items & disliked_mask(user_profile)).any():
            told.append("All that fits is what you dislike or put off.")
    return " ".join(told)


def _how_it_was_read(query: SearchQuery) -> list[str]:
    intent = query.intent
    told = []
    if intent.cut:
        told.append("Your question is very long; only its first 2,000 characters were read.")
    if intent.seen is not None:
        from localrec.understanding.image_wishes import describe_seen

        told += describe_seen(intent.seen, query.catalogue)
    example = example_index(query)
    if example is not None:
        told.append(f"Taking {query.catalogue.names[example]} as the example.")
    elif intent.anchor and not intent.target:
        told.append(f"“{intent.anchor}” is not in the catalogue; going by its name.")
    return told


def _what_was_not_used(
    intent: Query, unused: Sequence[UnusedPhrase], user_profile: UserProfile | None
) -> list[str]:
    told = []
    looked = [one.typed for one in intent.texts if not one.excluded]
    without = [one for one in unused if one.words in intent.unused and one.words not in looked]
    if looked:
        told.append(f"I looked for these words in names and texts: {', '.join(looked)}.")
    if without:
        told.append(f"I did not use: {', '.join(map(_with_nearest, without))}.")
    if (intent.met is not None or intent.on_list is not None) and user_profile is None:
        told.append("I do not know what you had or put on a list: say who you are with --user.")
    return told


def _with_nearest(unused: UnusedPhrase) -> str:
    """A phrase with the names that it may be a slip of, where it is no everyday word itself."""
    from rapidfuzz.distance import OSA  # 15 ms to import, only paid where something was not used

    typed = unused.words.casefold()
    slips = max(1, len(typed) // _LETTERS_A_SLIP)
    meant = [one for one in unused.nearest if OSA.distance(typed, one) <= slips]
    if not meant or is_everyday(typed):
        return unused.words
    return f"{unused.words} (do you mean {' or '.join(meant)}?)"


def _what_was_found(query: SearchQuery, pool: CandidateSet) -> list[str]:
    domain, intent = query.catalogue.domain, query.intent
    if intent.is_empty and domain.staples and asks_for_shelf(query.text):
        return [
            "I do not know what you have at hand, so these are only the nearest texts. "
            'Say it with --have "A, B", or keep a shelf: localrec shelf --help'
        ]
    if intent.is_empty and not (intent.visual or intent.pictured or intent.texts):
        example = f" Try: “{domain.examples[0]}”." if domain.examples else ""
        found = f"nothing about {domain.plural} in that" if query.text.strip() else "no question"
        return [f"I found {found}, so these are only the nearest texts.{example}"]
    if pool.either or pool.dropped:
        some = int(pool.satisfying.sum()) < int(pool.items.sum())
        why = f"few {domain.plural} are" if some else f"no {domain.singular} is"
        told = [f"Either counts, since {why} both: {one}." for one in pool.either]
        read = ", ".join(pool.dropped)
        return [*told, *([f"I did not read as a wish: {read}."] if read else [])]
    if pool.relaxed:
        lost = "; ".join(f"{one.value} ({one.reason})" for one in pool.relaxed)
        return [f"No {domain.singular} has it all. Let go: {lost}."]
    return []


def _excluded(intent: Query) -> str:
    keys = [key for one in intent.constraints if one.excluded for key in one.any_of]
    return ", ".join([*(f"no {key}" for key in keys), *intent.flags.values()])
