"""Measure how long each tool of the agent takes: on MovieLens 100K and on 100,000 people.

Run:
    python scripts/studies/run.py tools [--people 100000] [--requests 200] [--workspace PATH]

MovieLens 100K comes from a workspace (localrec datasets pull ml-100k). The other set is generated:
people of very different diligence in camps of taste, fifty likings each, two items to five people,
four attributes and a text's vector of 384 numbers each. A request is the history of a person drawn
at random, the newest hundred of it, with twenty candidates drawn evenly.

Every call has a desk of its own, so each tool pays for all that it needs, though several share the
same work within one request. The sequential network has SASRec's size and random weights, since
what it learnt makes no difference to its time; tools that fall back on something else without one
are measured both ways. Everything is warm and in one process.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import product

import msgspec
import numpy as np
from curation import ATTRIBUTES, item_features, likings
from findings import Findings, Timing, add_workspace, origin_of
from numpy.typing import NDArray

from localrec.agent.context import build_domain_knowledge, build_tool_context
from localrec.agent.tool_context import DomainKnowledge, ToolContext
from localrec.agent.tool_registry import Tool
from localrec.agent.tools import TOOLS
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.trajectory import ToolCall
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.graph.catalogue import Attribute
from localrec.graph.domain_files import load_domain
from localrec.index.item_cooccurrence import CooccurrenceConfig, count_cooccurrence
from localrec.index.sasrec import SasRecEncoder
from localrec.index.sequential import SequentialModel
from localrec.index.vectors import unit_rows
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.default_rules import default_rules
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.synthesis import domain_shares, phrases_of
from localrec.memory.user_item_graph import UserItemGraph
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

DOMAIN = "movies"
REQUESTS, WARM = 200, 5
CANDIDATES, HISTORY = 20, 100
LIKINGS_EACH, USERS_PER_ITEM = 50, 2.5
SIZE, LAYERS, HEADS, LENGTH = 64, 2, 2, 50  # of the network
COUNTED = 500_000  # likings that companions are counted from: how many does not change lookups
WANTED_SMALL, WANTED_LARGE = 5, 20
WITHOUT = "without a network"
SEED = 31


class Set(msgspec.Struct, frozen=True, kw_only=True):
    """Times on one set of data, by how the call is written."""

    users: int
    items: int
    likings: int
    times: dict[str, Timing]


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    requests: int
    small: Set
    large: Set


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    add_workspace(parser)


def measure(asked: argparse.Namespace) -> Findings:
    """Call every tool on both sets."""
    with OpenWorkspace(asked.workspace) as workspace:
        catalogue = workspace.context(domain_of_question(workspace, "", DOMAIN)).catalogue
        collaborative_memory = workspace.context(DOMAIN).collaborative_memory
        small = measure_set(build_domain_knowledge(catalogue, collaborative_memory), asked.requests)
    measured = Measured(
        origin=origin_of("tools", f"--people {asked.users}"),
        requests=asked.requests,
        small=small,
        large=measure_set(generated(asked.users), asked.requests),
    )
    text = as_markdown(measured)
    return Findings(text=text, page="agent", block="bench-tools", figures=measured)


def measure_set(reference: DomainKnowledge, requests: int) -> Set:
    """Times of all calls with a network, and of those that do otherwise without."""
    graph = reference.collaborative_memory.graph
    guided = msgspec.structs.replace(reference, sequential=network(graph))
    times = {name: timed(guided, tool, call, requests) for name, tool, call in calls()}
    for name, tool, call in calls():
        if tool.name in ("get_similar_items", "get_similar_users", "likely_next"):
            times[f"{name}, {WITHOUT}"] = timed(reference, tool, call, requests)
    return Set(
        users=graph.matrix.user_count,
        items=graph.item_features.items,
        likings=len(graph.matrix.items),
        times=times,
    )


def calls() -> Iterator[tuple[str, Tool, dict[str, str]]]:
    """Every tool with each word of its closed sets: what that is called, the tool, the words."""
    for tool in TOOLS:
        closed = [one for one in tool.parameters if one.kind == "word"]
        names = [one.name for one in closed]
        for words in product(*(one.words for one in closed)):
            told = words or tuple(one.name for one in tool.parameters)
            yield (
                f"{tool.name}({', '.join(told)})",
                tool,
                dict(zip(names, words, strict=True)),
            )


def timed(reference: DomainKnowledge, tool: Tool, words: dict[str, str], requests: int) -> Timing:
    """Times of one call, a desk for each."""
    seconds = []
    for number, tool_context in enumerate(tool_contexts(reference, requests + WARM)):
        call = ToolCall(
            tool=tool.name, arguments={**words, **open_arguments(tool, tool_context, number)}
        )
        begun = time.perf_counter()
        _ = tool.observe(tool_context, call).text
        seconds.append(time.perf_counter() - begun)
    return Timing.of(seconds[WARM:])


def open_arguments(tool: Tool, tool_context: ToolContext, number: int) -> dict[str, int | str]:
    """A candidate; or a title as it stands, or without a letter, or of any item, by turns."""
    titles = tool_context.reference.titles
    own = titles[int(tool_context.candidates[0])]
    kinds = (own, own[: len(own) // 2] + own[len(own) // 2 + 1 :], titles[number % len(titles)])
    values: dict[str, int | str] = {
        "candidate": 1 + number % len(tool_context.candidates),
        "text": kinds[number % len(kinds)],
    }
    return {one.name: values[one.kind] for one in tool.parameters if one.kind in values}


def tool_contexts(reference: DomainKnowledge, many: int) -> Iterator[ToolContext]:
    """Requests of people drawn at random, the same ones for every tool."""
    graph = reference.collaborative_memory.graph
    random = np.random.default_rng(SEED)
    able = np.flatnonzero(graph.matrix.user_likes)
    for user in random.choice(able, many).tolist():
        history = graph.matrix.newest_items(user, HISTORY)[::-1]
        yield build_tool_context(
            reference,
            history,
            random.choice(graph.item_features.items, CANDIDATES, replace=False),
            stars=random.integers(1, 11, len(history)) / 2,
            days=np.sort(graph.now_day - 400 * random.random(len(history))),
            now=graph.now_day,
            user=user,
        )


def network(graph: UserItemGraph) -> SequentialModel:
    """A network of SASRec's size that learnt nothing, and a direction for each person."""
    random = np.random.default_rng(SEED)

    def drawn(*shape: int) -> NDArray[np.float32]:
        return np.float32(0.2) * random.standard_normal(shape, dtype=np.float32)

    items = graph.item_features.items
    attention = SasRecEncoder(
        items=drawn(items, SIZE),
        bias=drawn(items),
        met=np.ones(items, dtype=bool),
        norms=1 + drawn(2 * LAYERS + 1, 2, SIZE),
        squares=drawn(LAYERS, 6, SIZE, SIZE),
        shifts=drawn(LAYERS, 6, SIZE),
        distances=drawn(LAYERS, HEADS, LENGTH),
    )
    users = np.arange(graph.matrix.user_count, dtype=np.int32)
    model = SequentialModel(attention, unit_rows(drawn(graph.matrix.user_count, SIZE)), users)
    model.prepare()
    return model


def generated(users: int) -> DomainKnowledge:
    """A reference without a store."""
    items = max(200, round(users / USERS_PER_ITEM))
    user, item, day = likings(LIKINGS_EACH * users, users, items)
    graph = UserItemGraph(
        InteractionMatrix.from_pairs(user, item, users, items, day), item_features(items)
    )
    _ = graph.profiles
    domain = load_domain(DOMAIN)
    attributes = [
        Attribute(place, "decade" if place % 10 == 0 else "genre", f"a{place}", f"kind {place}")
        for place in range(ATTRIBUTES)
    ]
    titles = [title_of(number) for number in range(items)]
    by_user = np.lexsort((day, user))
    counted = CooccurrenceConfig(most_rows=COUNTED)
    return DomainKnowledge(
        domain=domain,
        titles=titles,
        item_features=graph.item_features,
        attributes=attributes,
        years=1920 + np.arange(items, dtype=np.int32) % 100,
        descriptions=lambda item: f"{titles[item]}, as somebody described it.",
        collaborative_memory=CollaborativeMemory(
            graph=graph,
            cooccurrence=count_cooccurrence(user[by_user], item[by_user], items, counted),
            usual=domain_shares(graph.item_features, graph.matrix.likes),
            phrases=phrases_of(attributes, domain),
            rules=default_rules(DOMAIN),
        ),
        memory_texts=MemoryTexts(
            graph, [one.name for one in attributes], titles, np.zeros(ATTRIBUTES, dtype=bool)
        ),
        sequential=None,
        path=lambda one, other: "each is of the same kind",
    )


def title_of(number: int) -> str:
    """A title of invented words, which others share."""
    syllables = ("ba", "ker", "lim", "no", "ri", "san", "tu", "vel", "wo", "zen")
    digits = [int(digit) for digit in f"{number:05d}"]
    first = "".join(syllables[digit] for digit in digits[:3])
    second = "".join(syllables[digit] for digit in digits[2:])
    return f"The {first} of {second}".title()


def as_markdown(one: Measured) -> str:
    """The times as a table with their targets."""
    small, large = one.small, one.large
    head = ["", "MovieLens 100K: ms", "95th percentile", "generated: ms", "95th percentile"]
    rows = [
        [f"`{name}`", *small.times[name].cells(), *large.times[name].cells()]
        for name in small.times
    ]
    rows.append(["wanted at the median", f"under {WANTED_SMALL}", "", f"under {WANTED_LARGE}", ""])
    told = (
        f"The first set has {_sizes(small)}, the generated one {_sizes(large)}; "
        f"{one.requests} requests each."
    )
    return f"{markdown_table(head, rows)}\n\n{told}\n\nMade by {one.origin.as_text()}"


def _sizes(one: Set) -> str:
    return f"{one.users:,} people, {one.items:,} items and {one.likings:,} likings"
