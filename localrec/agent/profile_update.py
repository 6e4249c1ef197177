"""Update a user's profile from an agent's list, where a model proposes better sentences.

The model runs while the store is open for reading. The new profile is written afterwards through a
connection of its own, so no process waits for a model, and the list is returned in any case. A
profile is the user's memory: the refinement is its next version, with the new sentences in place of
the old ones, followed by the sentences that neighbours propagated. A pinned memory is skipped.

The model reads no other user's data: the names of other users' shelves are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from shlex import quote

import msgspec
import numpy as np

from localrec.agent.configs import AGENTS
from localrec.agent.profile_refinement import RANKED, LikedItem, RefinementContext, refine_profile
from localrec.data.arrays import Indexes
from localrec.data.recommendations import Recommendations
from localrec.data.token_usage import TokenUsage
from localrec.data.trajectory import Trajectory
from localrec.foundation.errors import LocalrecError, ModelCancelledError, ModelError
from localrec.foundation.settings import AGENT
from localrec.graph.catalogue import Catalogue
from localrec.graph.interactions import user_node
from localrec.graph.node_columns import edge_visible_to
from localrec.graph.store import Store
from localrec.graph.user_profile import UserProfile
from localrec.llm.chat_model import ChatModel
from localrec.llm.usage_tracker import UsageTracker
from localrec.memory.records import Memory, MemoryUpdate, memory_of, put_memories
from localrec.memory.sentences import facet_sentences, propagated
from localrec.understanding.vocabulary import Vocabulary


class ProfileProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed profile that is not yet written.

    Args:
        update: The memory to write; None where the profile stays.
        seen: The version that the agent was shown, 0 where there was none.
        spent: The model's calls and tokens.
        notes: Reasons why no profile was proposed, where the model did not decide so.
    """

    update: MemoryUpdate | None = None
    seen: int = 0
    spent: TokenUsage = TokenUsage()
    notes: tuple[str, ...] = ()


def propose_profile(
    store: Store,
    catalogue: Catalogue,
    open_model: Callable[[str], ChatModel],
    user_profile: UserProfile,
    found: Recommendations,
) -> ProfileProposal | None:
    """Let the agent that ranked a list propose a profile of the user.

    Args:
        store: Open for reading.
        catalogue: The items of the list's domain.
        open_model: Role -> its model.
        user_profile: The profile that the list was ranked by.
        found: The list.

    Returns:
        None where there is nothing to think of: no agent with tools of its own choice ranked, or it
        gave no ranking, or the person is not in the store.

    Raises:
        ModelCancelledError: stopped on request.
    """
    acted = _valid_run(found)
    user_id = None if acted is None else user_node(store, found.domain, found.user)
    if acted is None or user_id is None:
        return None
    before = memory_of(store, user_id)
    if before is not None and before.pinned:
        return ProfileProposal(seen=before.version)
    model = UsageTracker(open_model(AGENT))
    occasion = _occasion(store, catalogue, user_profile, found, before)
    try:
        came_of_it = refine_profile(model, occasion, lambda: Vocabulary(catalogue), acted.seed)
    except ModelCancelledError:
        raise
    except ModelError as error:
        note = f"The model failed: {error.message} The profile stays as it is."
        return ProfileProposal(spent=model.taken(), notes=(note,))
    update = None
    if came_of_it.outcome == "refined":
        shown = (user_id, *_shown(catalogue, user_profile, found))
        update = _update(came_of_it.text, before, shown, f"{acted.agent} with {acted.model}")
    seen = 0 if before is None else before.version
    return ProfileProposal(update=update, seen=seen, spent=model.taken())


def save_profile(
    open_store: Callable[[], Store], thought: ProfileProposal, found: Recommendations
) -> Recommendations:
    """Write the proposed profile, if there is one; return the list and the outcome.

    A memory that was changed or pinned meanwhile stays; so does one whose store cannot be written.

    Args:
        open_store: Opens the workspace's store for writing; closed here.
        thought: From `propose_profile`.
        found: The list.
    """
    is_refined, notes = False, thought.notes
    if thought.update is not None:
        try:
            is_refined = _write(open_store, thought.update, thought.seen)
        # OSError: a folder that may only be read.
        except (LocalrecError, OSError) as error:
            why = error.message if isinstance(error, LocalrecError) else str(error)
            notes = (*notes, f"The agent's new profile was not kept. {why}")
    if is_refined:
        notes = (*notes, _refinement_notice(found))
    spent = thought.spent
    return msgspec.structs.replace(
        found,
        profile="refined" if is_refined else "kept",
        tokens=found.tokens | ({"profile": spent.tokens} if spent.calls else {}),
        calls=found.calls + spent.calls,
        notes=(*found.notes, *notes),
    )


def _valid_run(found: Recommendations) -> Trajectory | None:
    """Return the valid trajectory of an agent that chose its own tools; None without one."""
    if found.trajectory is None:
        return None
    acted = msgspec.convert(found.trajectory, Trajectory)
    config = AGENTS.get(acted.agent)
    is_agent = config is not None and config.mode == "agent"
    return acted if is_agent and acted.is_valid else None


def _occasion(
    store: Store,
    catalogue: Catalogue,
    user_profile: UserProfile,
    found: Recommendations,
    before: Memory | None,
) -> RefinementContext:
    liked = user_profile.items[user_profile.strengths > 0]
    joined = _attributes(store, catalogue, liked, found.user)
    own_words = ""
    if before is not None:
        own_words = before.text.removesuffix(facet_sentences(propagated(before))).rstrip()
    return RefinementContext(
        domain=catalogue.domain,
        profile=own_words,
        liked=[LikedItem(catalogue.names[item], joined[item]) for item in liked.tolist()],
        disliked=[
            catalogue.names[item]
            for item in user_profile.items[user_profile.strengths < 0].tolist()
        ],
        ranked=[item.name for item in found.items],
    )


def _attributes(
    store: Store, catalogue: Catalogue, items: Indexes, user: str
) -> dict[int, tuple[str, ...]]:
    """Name the attributes and families of some items, those that the user linked included."""
    rows = store.rows(
        "SELECT e.source_id, e.target_id FROM edge e WHERE e.source_id IN (SELECT unnest(?)) "
        f"AND e.kind IN (SELECT unnest(?)) AND {edge_visible_to(user)} ORDER BY e.rowid",
        [
            catalogue.node_ids[items].tolist(),
            [spec.edge for spec in catalogue.domain.attributes.values()],
        ],
    )
    index_of = {one.node_id: index for index, one in enumerate(catalogue.attributes)}
    linked: dict[int, list[int]] = {item: [] for item in items.tolist()}
    for source, target in rows:
        linked[int(np.searchsorted(catalogue.node_ids, source))].append(index_of[target])
    return {item: _names(catalogue, attributes) for item, attributes in linked.items()}


def _names(catalogue: Catalogue, attributes: Sequence[int]) -> tuple[str, ...]:
    families = sorted(catalogue.ancestors(attributes))
    return tuple(dict.fromkeys(catalogue.attributes[one].name for one in (*attributes, *families)))


def _shown(catalogue: Catalogue, user_profile: UserProfile, found: Recommendations) -> list[int]:
    """Return the node ids of all items that the prompt shows or the check uses."""
    ranked = (catalogue.item_index(item.key) for item in found.items[:RANKED])
    places = [*user_profile.items.tolist(), *(item for item in ranked if item is not None)]
    return [int(catalogue.node_ids[place]) for place in places]


def _update(text: str, before: Memory | None, shown: Sequence[int], by: str) -> MemoryUpdate:
    """Make the next version: new words, then the sentences that neighbours propagated.

    Args:
        text: The new words.
        before: The memory until now.
        shown: Node ids of the person, then of the items that the model was told of.
        by: Author of the words.
    """
    return MemoryUpdate(
        node_id=shown[0],
        text=f"{text} {facet_sentences(propagated(before))}".strip(),
        facets=() if before is None else before.facets,
        source="agent",
        by=by,
        made_from=tuple(shown),
        carries_on=True,
    )


def _write(open_store: Callable[[], Store], update: MemoryUpdate, seen: int) -> bool:
    """Write a memory if its version is still `seen`; return whether it was written."""
    with closing(open_store()) as store, store.transaction():
        now = memory_of(store, update.node_id)
        if (0 if now is None else now.version) != seen:
            return False
        return bool(put_memories(store, [update]).written)


def _refinement_notice(found: Recommendations) -> str:
    whose = f"--user {quote(found.user)} --domain {found.domain}"
    return (
        f"The agent refined your profile. See it: localrec memory show {whose}; what it said "
        f"before: localrec memory history {whose}; take it back, in your own words: localrec "
        f'memory edit {whose} --text "..."'
    )
