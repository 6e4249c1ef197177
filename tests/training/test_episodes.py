"""Requests out of what people did: what tools know, what is asked, and that nothing leaks."""

from __future__ import annotations

import msgspec
import pytest

from localrec.agent.tools import TOOLS
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.graph.domain_files import load_domain
from localrec.systems.profile_recommender import LogRequests
from localrec.training.examples.episodes import EpisodesConfig, open_episodes
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

SMALL = EpisodesConfig(candidates=5, history=4, sequential=False, validation=20)


def silent(what, done, total):
    pass


@pytest.fixture(scope="module")
def lessons(frequented):
    return open_episodes(frequented, SMALL, 3, silent)


@pytest.fixture(scope="module")
def parted(frequented):
    with OpenWorkspace(frequented) as workspace:
        domain = load_domain(domain_of_question(workspace, "", None))
        protocol = EvaluationProtocol(split="by-time", candidates=5, history=4, seed=SMALL.seed)
        rows = read_interactions(workspace.store, domain).interactions
        items = LogRequests(workspace.context(domain.name).catalogue)
        items.number(rows)
        return split_data(items.in_catalogue(rows), protocol)


def asked(episodes):
    """Who is asked for what: (person, item) of each request."""
    found = [episodes.request(number) for number in range(len(episodes))]
    return [
        (one.tool_context.user, int(one.tool_context.candidates[one.target - 1])) for one in found
    ]


def test_a_request_shows_a_history_and_hides_one_choice_among_the_candidates(lessons):
    request = lessons.train.request(0)
    assert len(request.tool_context.candidates) == 5
    assert 1 <= len(request.tool_context.history) <= 4
    target = request.tool_context.candidates[request.target - 1]
    assert target not in request.tool_context.history


def test_what_is_trained_on_was_done_before_all_that_is_validated_or_tested(lessons, parted):
    train = parted.train
    done = set(zip(train.user.tolist(), train.item.tolist(), strict=True))
    assert all(pair in done for pair in asked(lessons.train) if pair[0] >= 0)
    tested = set(
        zip(parted.test.user.tolist(), [int(p[0]) for p in parted.test.positives], strict=True)
    )
    assert not tested & set(asked(lessons.train))
    assert not tested & set(asked(lessons.validation))


def test_tools_do_not_know_the_choice_they_are_asked_about(lessons):
    """The graph behind the tools joins nobody to what they are about to choose."""
    looked_at = 0
    for number in range(len(lessons.train)):
        request = lessons.train.request(number)
        graph, user = (
            request.tool_context.reference.collaborative_memory.graph,
            request.tool_context.user,
        )
        if user < 0:
            continue
        liked = graph.matrix.items[
            graph.matrix.first_item[user] : graph.matrix.first_item[user + 1]
        ]
        assert request.tool_context.candidates[request.target - 1] not in liked
        looked_at += len(liked)
    assert looked_at


def test_tools_answer_after_the_store_was_closed(lessons):
    tool_context = lessons.train.request(0).tool_context
    for tool in TOOLS:
        if not tool.parameters:
            assert tool.run(tool_context).text


def test_the_same_seed_gives_the_same_requests_and_another_gives_others(frequented, lessons):
    again = open_episodes(frequented, SMALL, 3, silent)
    assert again.fingerprint == lessons.fingerprint
    assert asked(again.train) == asked(lessons.train)
    other = open_episodes(frequented, msgspec.structs.replace(SMALL, seed=8), 3, silent)
    assert other.fingerprint != lessons.fingerprint


def test_fewer_requests_are_the_first_of_all(frequented, lessons):
    few = open_episodes(frequented, msgspec.structs.replace(SMALL, most=5), 3, silent)
    assert asked(few.train) == asked(lessons.train)[:5]
