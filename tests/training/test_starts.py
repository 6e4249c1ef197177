"""What a training of the agent may begin with."""

import pytest

from localrec.foundation.errors import ModelError, UsageError
from localrec.training.rl.init_from import init_adapter_path
from tests.llm.test_adapters import write_adapter

BASE = "f" * 64


def test_an_agent_s_adapter_or_the_folder_of_a_run_is_a_start(tmp_path):
    agent = write_adapter(tmp_path / "agent.gguf", role="agent", made_for=BASE)
    assert init_adapter_path(str(agent)) == agent
    assert init_adapter_path(str(tmp_path)) == tmp_path


def test_an_adapter_of_another_role_is_none(tmp_path):
    router = write_adapter(tmp_path / "router.gguf", made_for=BASE)
    with pytest.raises(UsageError, match="was trained for router, and not for agent"):
        init_adapter_path(str(router))


def test_a_name_that_nothing_has_is_none():
    with pytest.raises(ModelError, match="There is no adapter 'nothing'"):
        init_adapter_path("nothing")
