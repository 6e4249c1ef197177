"""The tools of the agent by family: user, items, behaviour, other users, graph.

A new tool is one function under `@tool` in one of these files, and its name below.
"""

from __future__ import annotations

from localrec.agent.tool_registry import Tool
from localrec.agent.tools.behaviour import get_rating_behaviour, get_session_behaviour
from localrec.agent.tools.collaborative import (
    get_similar_items,
    get_similar_users,
    likely_next,
    shared_taste,
)
from localrec.agent.tools.graph import check_demands, path_between
from localrec.agent.tools.items import candidates_analyze, item_info_search
from localrec.agent.tools.profile import get_user_profile

TOOLS: tuple[Tool, ...] = (
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
