"""The tools that an agent may ask, by family: the person, items, deeds, other people, the graph.

A new tool is one function under `@tool` in one of these files, and its name below.
"""

from __future__ import annotations

from localrec.agent.registry import Tool
from localrec.agent.suite.behaviour import get_rating_behaviour, get_session_behaviour
from localrec.agent.suite.collaborative import (
    get_similar_items,
    get_similar_users,
    likely_next,
    shared_taste,
)
from localrec.agent.suite.graph import check_demands, path_between
from localrec.agent.suite.items import candidates_analyze, item_info_search
from localrec.agent.suite.profile import get_user_profile

SUITE: tuple[Tool, ...] = (
    get_user_profile,
    get_session_behaviour,
    get_rating_behaviour,
    item_info_search,
    candidates_analyze,
    likely_next,
    get_similar_items,
    get_similar_users,
    shared_taste,
    check_demands,
    path_between,
)
