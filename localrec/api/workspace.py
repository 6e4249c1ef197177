"""The public door to a workspace: ask, recommend, rate, import, forget; typed records come back.

    from localrec import Workspace

    with Workspace("~/recommender") as workspace:
        answer = workspace.ask("a smoky drink without whiskey", k=3)
        print(answer.items[0].name, answer.items[0].reason)

The store is open only while a call reads it and for a second afterwards, so that a notebook that
stays open keeps no command waiting. What was read, and the models, serve the next call too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from localrec.api.backups import BackupCalls
from localrec.api.call_groups import CallGroups
from localrec.api.changes import ChangeCalls
from localrec.api.evaluation import EvaluationCalls
from localrec.api.training import TrainingCalls

if TYPE_CHECKING:
    from localrec.api.records import HistoryEntry, ItemRecord, RecordList
    from localrec.data.answers import Answer
    from localrec.data.questions import RankRequest
    from localrec.data.recommendations import Ranking, Recommendations
    from localrec.graph.views import QueryResult


class Workspace(CallGroups, ChangeCalls, EvaluationCalls, TrainingCalls, BackupCalls):
    """A folder with a store, its models and settings. Making one opens nothing.

    Every method raises a `localrec.LocalrecError` with one sentence and a remedy: `UsageError` for
    a name that nobody has, `InputError` for a file that cannot be read, `BusyError` while another
    process writes, `ModelError` for a model that is not here.

    Example:
        `Workspace("~/recommender").ask("a smoky drink without whiskey").items[0].name`

    Args:
        folder: The workspace folder; by default the one that the command line uses.
        hold_s: Seconds that the store stays open after a call.
    """

    def users(self, like: str = "", *, limit: int = 50) -> list[str]:
        """List the keys of users that contain a text, in alphabetical order."""
        from localrec.graph.item_lookup import users_like

        with self._warm.lease() as opened:
            return list(users_like(opened.store, like, limit))

    def ask(
        self,
        question: str,
        *,
        k: int = 3,
        user: str | None = None,
        have: str | Iterable[str] | None = None,
        image: str | Path | None = None,
        domain: str | None = None,
        system: str = "marc",
        use_model: bool = True,
    ) -> Answer:
        """Answer a question in plain language.

        Args:
            question: The question in words.
            k: The most items to return.
            user: Key of the user who asks; their history orders the items.
            have: Ingredients that the user has, as a text or as names; all others count as missing,
                except staples such as water and what theirs give.
            image: The path of a picture that the question is about.
            domain: One of several domains of the workspace; by default the words decide.
            system: The name of the system that answers.
            use_model: Whether a language model may take part.
        """
        from localrec.data.questions import Question
        from localrec.systems.registry import SYSTEM_REGISTRY
        from localrec.workspace.domain_choice import domain_of_question

        at_hand = have if have is None or isinstance(have, str) else ", ".join(have)
        path = None if image is None else str(image)
        asked = Question(query=question, have=at_hand, user=user, image=path)
        words = question if at_hand is None else f"{question} with {at_hand}"
        with self._warm.lease() as opened:
            self._check_users(opened, user)
            chosen = domain_of_question(
                opened, words, domain, user=user, with_image=image is not None
            )
            answerer = SYSTEM_REGISTRY.answerer(
                opened.context(chosen, user), system, without_model=not use_model
            )
            return answerer.answer(asked, k)

    def recommend(
        self,
        user: str | Sequence[str],
        *,
        k: int = 10,
        domain: str | None = None,
        system: str = "auto",
        fair: Literal["average", "least-misery"] = "average",
        diverse: float = 0.0,
        wanted: bool = False,
    ) -> Recommendations:
        """Recommend items that a user, or several together, have not met.

        Args:
            user: One key, or the keys of all that the list is for.
            k: The length of the list.
            domain: The domain; by default the one in which the user did most.
            system: The name of the system that ranks.
            fair: The score of an item for several users: their mean, or the lowest.
            diverse: Weight of variety against fit, 0 to 1.
            wanted: Whether items of the want-to list come first.
        """
        from localrec.systems.list_choice import ListOptions
        from localrec.systems.registry import SYSTEM_REGISTRY

        users = [user] if isinstance(user, str) else list(dict.fromkeys(user))
        options = ListOptions(fair=fair, diverse=diverse, wanted=wanted)
        with self._user_context(users, domain) as context:
            profiles = {one: context.user_profile(one) for one in users}
            recommender = SYSTEM_REGISTRY.recommender(context, system)
            if len(users) == 1 and options == ListOptions(fair=fair):
                return recommender.recommend(users[0], profiles[users[0]], k)
            return recommender.recommend_chosen(profiles, k, options)

    def rank(
        self, request: RankRequest, *, domain: str | None = None, system: str = "auto"
    ) -> Ranking:
        """Order given candidates for a history, which need not be stored.

        Args:
            request: Candidates and history as item keys; see `localrec.RankRequest`.
            domain: The domain of the items; by default the one that knows most of the keys.
            system: The name of the system that ranks.
        """
        from localrec.systems.registry import SYSTEM_REGISTRY
        from localrec.workspace.domain_choice import domain_of_items

        with self._warm.lease() as opened:
            self._check_users(opened, request.user)
            chosen = domain_of_items(opened, [*request.candidates, *request.history], domain)
            context = opened.context(chosen, request.user)
            stored = context.user_profile(request.user) if request.user else None
            return SYSTEM_REGISTRY.recommender(context, system).rank(request, stored)

    def explain(
        self, user: str, item: str, *, domain: str | None = None, system: str = "auto"
    ) -> str:
        """Say why a system would recommend an item to a user; "" where nothing speaks for it.

        Args:
            user: The user's key.
            item: The key or name of the item.
            domain: The domain of the item, where several have one of that name.
            system: The name of the system.
        """
        from localrec.data.questions import RankRequest
        from localrec.workspace.domain_choice import find_item

        with self._warm.lease() as opened:
            chosen, node, _ = find_item(opened, item, domain, user)
            [[key]] = opened.store.rows("SELECT key FROM node WHERE node_id = ?", [node])
        request = RankRequest(id="explain", candidates=(key,), user=user)
        return self.rank(request, domain=chosen, system=system).rationales.get(key, "")

    def search(
        self, text: str, *, domain: str | None = None, k: int = 20
    ) -> RecordList[ItemRecord]:
        """Find items whose names, or whose attributes' names, hold the words of a text."""
        from localrec.api.reading import search_items

        with self._warm.lease() as opened:
            return search_items(opened, text, domain, k)

    def item(self, item: str, *, domain: str | None = None) -> ItemRecord:
        """Read an item by key or name, with all its attributes."""
        from localrec.api.reading import read_item

        with self._warm.lease() as opened:
            return read_item(opened, item, domain)

    def history(self, user: str, *, domain: str | None = None) -> RecordList[HistoryEntry]:
        """Read what a user did, the newest first."""
        from localrec.api.reading import read_history

        with self._warm.lease() as opened:
            self._check_users(opened, user)
            return read_history(opened.store, user, domain)

    def sql(self, query: str) -> QueryResult:
        """Ask the store in SQL, read-only; docs/sql.md lists the views."""
        from localrec.graph.views import query_views

        with self._warm.lease() as opened:
            return query_views(opened.store, query)
