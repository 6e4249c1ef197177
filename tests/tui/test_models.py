"""Models: what is here, pulled, checked and timed; who plays which role."""

from functools import partial

import pytest

from localrec.foundation import jobs, role_holders
from localrec.foundation.errors import InputError, ModelCancelledError, ModelError, UsageError
from localrec.foundation.role_holders import RoleHolder, shipped_holders
from localrec.foundation.settings import load_settings
from localrec.workspace import model_roles
from localrec_tui.services.models import ModelService
from localrec_tui.services.records import RequestHandle

from .conftest import NARROW, WIDE, press, seen, settled


@pytest.fixture
def models(open_app):
    """Opens the app in the Models room."""
    return partial(open_app, mode="models")


async def begin(pilot, key, services):
    """Press a key that begins something long, and wait until it is under way."""
    services.models.goes_on.clear()
    await pilot.press(key)
    while not services.models.told:
        await pilot.pause(0.01)
    await pilot.pause()


class TestTheRoom:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_tells_what_is_here_who_plays_what_and_what_runs(self, models, size):
        async with models(size) as pilot:
            told = seen(pilot)
        own = "rules (no model was measured to be better)"
        for words in ("small-chat  yes", "98 MB", "vectors     no", own, "310 MB"):
            assert words in told

    async def test_pulls_with_progress(self, models, services):
        async with models() as pilot:
            await pilot.press("down")
            await begin(pilot, "p", services)
            assert "41 of 100" in seen(pilot)
            services.models.goes_on.set()
            await settled(pilot)
            assert "vectors is here and whole (MIT)." in seen(pilot)
        assert services.models.told == [("pull", "vectors")]

    @pytest.mark.parametrize("key", ["p", "t"])
    async def test_stops_what_is_long(self, models, services, key):
        async with models() as pilot:
            await begin(pilot, key, services)
            await press(pilot, "escape")
            assert "Stopped; nothing half done was kept." in seen(pilot)

    async def test_does_one_thing_at_a_time(self, models, services):
        async with models() as pilot:
            await begin(pilot, "p", services)
            await pilot.press("t")
            await pilot.pause()
            assert "Pulling small-chat is under way: one thing at a time." in seen(pilot)
            services.models.goes_on.set()
            await settled(pilot)
        assert services.models.told == [("pull", "small-chat")]

    async def test_checks_what_is_here(self, models):
        async with models() as pilot:
            await press(pilot, "c")
            assert "small-chat is here and whole." in seen(pilot)
            await press(pilot, "down", "c")
            assert "vectors is not here. P pulls it." in seen(pilot)

    async def test_times_a_chat_model_and_no_other(self, models):
        async with models() as pilot:
            await press(pilot, "t")
            assert "loads in 0.5 s, reads 340 and writes 130 tokens a second" in seen(pilot)
            await press(pilot, "down", "t")
            assert "only chat models read and write" in seen(pilot)

    async def test_binds_a_role(self, models, services):
        async with models() as pilot:
            await press(pilot, "u", "down", "enter", "home", "enter")
            assert "router is played by small-chat from the next question on." in seen(pilot)
        assert services.models.used == {"router": "small-chat"}

    async def test_says_by_which_figure_a_role_was_given(self, models):
        async with models() as pilot:
            await press(pilot, "u")
            assert "router  rules: router 0.9 of 10" in seen(pilot)

    async def test_gives_a_role_back_but_not_the_chat_model(self, models, services):
        async with models() as pilot:
            await press(pilot, "u", "end", "enter", "end", "enter")
            await press(pilot, "u", "home", "enter", "end", "enter")
        assert services.models.used == {"writer": "rules", "chat": "small-chat"}

    async def test_says_why_something_failed(self, models, services):
        async with models() as pilot:
            services.models.trouble = InputError("No way there.", "Check the connection.")
            await press(pilot, "p")
            assert "No way there. Check the connection." in seen(pilot)
            await press(pilot, "p")
            assert "is here and whole" in seen(pilot)


class TestBehindIt:
    @pytest.fixture
    def local(self, tmp_path):
        return ModelService(tmp_path, tuple)

    def test_the_catalogue_is_that_of_the_command(self, local):
        assert {"smollm2-135m", "minilm-int8"} <= {one.name for one in local.models()}

    def test_a_role_is_bound_by_the_command(self, local, tmp_path):
        local.use("router", "smollm2-135m")
        assert load_settings(tmp_path).roles == {"router": "smollm2-135m"}
        [router] = [one for one in local.roles() if one.role == "router"]
        assert router.player == "smollm2-135m"

    def test_a_role_that_nobody_bound_has_its_default_and_the_figure(self, local):
        [router] = [one for one in local.roles() if one.role == "router"]
        assert (router.player, router.holder) == ("", "rules")
        assert router.figure == shipped_holders()["router"].figure

    def test_a_model_plays_the_roles_that_are_its_own_by_default(self, local, monkeypatch):
        shipped = RoleHolder(holder="smollm2-135m", figure="0.9 of 10", measured="docs/page.md")
        monkeypatch.setattr(model_roles, "shipped_holders", lambda: {"router": shipped})
        monkeypatch.setattr(role_holders, "shipped_holders", lambda: {"router": shipped})
        held = local.model_details("smollm2-135m").held
        assert "router" in [one.role for one in held]
        assert local.role_details("router").binding in held

    def test_a_role_bound_by_hand_has_one_figure_in_both_places(self, local):
        local.use("router", "smollm2-135m")
        details = local.role_details("router")
        assert (details.binding.figure, details.binding.measured) == ("bound by hand", "")
        assert details.binding in local.roles()

    def test_a_role_that_cannot_be_bound_says_why(self, local):
        with pytest.raises(UsageError, match="The chat model cannot be rules"):
            local.use("chat", "rules")

    def test_a_pull_that_was_stopped_fetches_nothing(self, local, monkeypatch):
        monkeypatch.setattr(jobs, "CommandJob", lambda *_: pytest.fail("a process was started"))
        request = RequestHandle()
        local.stop(request)
        with pytest.raises(ModelCancelledError):
            local.pull("smollm2-135m", request, lambda *step: None)

    def test_a_model_that_is_not_here_cannot_be_timed(self, local, monkeypatch, tmp_path):
        monkeypatch.setenv("LOCALREC_CACHE", str(tmp_path / "empty"))
        with pytest.raises(ModelError, match="smollm2-135m is not here"):
            local.measure("smollm2-135m", RequestHandle(), lambda *step: None)

    @pytest.mark.real
    def test_a_real_model_is_timed(self, local, require_model):
        require_model("smollm2-135m")
        heard = []
        speed = local.measure("smollm2-135m", RequestHandle(), lambda what, *_: heard.append(what))
        assert heard == ["loading smollm2-135m", "reading", "writing"]
        assert speed.read_per_s > 0
        assert speed.written_per_s > 0
