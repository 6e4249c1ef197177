"""Systems by name, and who plays which role in a workspace."""

import pytest

from localrec.agent.configs import AGENTS
from localrec.foundation.errors import UsageError
from localrec.foundation.settings import ROLES, Settings
from localrec.systems.configs import SYSTEMS, system_config
from localrec.systems.marc import MarcConfig

DEFAULT = Settings()
BOUND = Settings(roles={"router": "smollm2-135m", "writer": "/models/mine.gguf"})


def config(name, settings=DEFAULT, *, without_model=False):
    return system_config(name, settings, without_model=without_model)


def test_the_paper_s_system_and_its_ablations_are_there():
    assert set(SYSTEMS) >= {
        *("marc", "marc-model", "marc-no-graph", "marc-no-reflection"),
        "marc-no-graph-no-reflection",
    }


def test_each_ablation_takes_away_what_it_names_and_nothing_else():
    whole = config("marc")
    assert (whole.graph, whole.reflection) == (True, True)
    for name, switched in (
        ("marc-no-graph", (False, True)),
        ("marc-no-reflection", (True, False)),
        ("marc-no-graph-no-reflection", (False, False)),
    ):
        ablated = config(name)
        assert (ablated.graph, ablated.reflection) == switched
        roles = (ablated.router, ablated.critic, ablated.writer)
        assert roles == (whole.router, whole.critic, whole.writer)


def test_the_tagger_reads_beside_the_rules_and_is_no_chat_model():
    for name in ("marc", "marc-tagger"):
        assert config(name).reader == "tagger"
        assert config(name).asks_model == ()
        assert config(name, without_model=True) == config("marc")


def test_rules_alone_stay_alone_without_a_model():
    assert config("marc-rules").reader == "rules"
    assert config("marc-rules", without_model=True).reader == "rules"


def test_the_default_needs_no_model():
    assert config("marc") == MarcConfig(router="rules", critic="measured", writer="template")


def test_an_unknown_name_is_refused_with_those_that_are_known():
    with pytest.raises(UsageError, match="no system 'mark'") as caught:
        config("mark")
    assert "marc-no-graph" in caught.value.hint
    assert caught.value.exit_code == 2


def test_a_role_bound_in_the_settings_is_played_by_its_model():
    bound = config("marc", BOUND)
    assert (bound.router, bound.critic, bound.writer) == ("model", "measured", "model")


@pytest.mark.parametrize("role", ROLES)
def test_every_role_can_be_bound_and_given_back(role):
    given = config("marc", Settings(roles={role: "smollm2-135m"}))
    assert [given.router, given.critic, given.writer].count("model") == 1
    assert config("marc", Settings(roles={role: "rules"})) == config("marc")


def test_systems_that_are_compared_do_not_depend_on_the_settings():
    for name in set(SYSTEMS) - {"marc"}:
        assert config(name, BOUND) == config(name)


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_answers_questions_and_its_tools_alone_do_without_a_model(name):
    assert config(name).agent == name
    assert config(name).asks_model == (("agent",) if AGENTS[name].asks_model else ())
    alone = config(name, without_model=True)
    assert (alone.agent, alone.asks_model) == ("agenticrec-fused", ())


@pytest.mark.parametrize("name", sorted(set(SYSTEMS) - {"vector-rag"}))
def test_without_a_model_every_role_goes_to_its_counterpart(name):
    alone = config(name, BOUND, without_model=True)
    assert "model" not in (alone.router, alone.critic, alone.writer)
    assert (alone.graph, alone.reflection) == (SYSTEMS[name].graph, SYSTEMS[name].reflection)
