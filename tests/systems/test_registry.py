"""Systems are found by name: the shipped ones, those of other packages and those handed in."""

import pytest

from localrec.agent.configs import AGENTS
from localrec.foundation.errors import UsageError
from localrec.foundation.plugins import SYSTEMS as GROUP
from localrec.foundation.plugins import Plugin, PluginError
from localrec.memory.configs import MEMREC, MEMREC_MODELS, MEMREC_VECTOR
from localrec.ranking.configs import RANKERS
from localrec.systems import registry
from localrec.systems.configs import SYSTEMS
from localrec.systems.memory_plans import PLANS
from localrec.systems.registry import SYSTEM_REGISTRY, SystemRegistry


class Shuffled:
    """A system of another package that makes lists."""

    kinds = frozenset({"recommender"})

    def recommender(self, context, options):
        return (context, options.name)


SHUFFLED = Shuffled()


@pytest.fixture
def plugged_in(monkeypatch):
    """Another package that brings a system by the name of shuffled."""
    shuffled = Plugin("shuffled", f"{__name__}:SHUFFLED", "cards")
    monkeypatch.setattr(registry, "installed_plugins", {GROUP: {"shuffled": shuffled}}.get)


def test_every_composition_that_is_declared_has_a_name_in_its_order():
    assert SYSTEM_REGISTRY.names("answerer") == list(SYSTEMS)
    rankers = [
        *RANKERS,
        *MEMREC,
        *MEMREC_VECTOR,
        *MEMREC_MODELS,
        *AGENTS,
        "auto-memory",
        "auto-counted",
    ]
    assert SYSTEM_REGISTRY.names("recommender") == rankers
    assert set(PLANS) < set(rankers)


@pytest.mark.parametrize("kind", ["answerer", "recommender"])
def test_every_name_leads_to_a_system_of_its_kind(kind):
    for name in SYSTEM_REGISTRY.names(kind):
        assert kind in SYSTEM_REGISTRY.get(name, kind).kinds


def test_a_system_of_another_package_is_found_and_named(plugged_in):
    assert SYSTEM_REGISTRY.names("recommender")[-1] == "shuffled"
    assert "shuffled" not in SYSTEM_REGISTRY.names("answerer")
    assert SYSTEM_REGISTRY.recommender("a context", "shuffled") == ("a context", "shuffled")
    with pytest.raises(UsageError, match="There is no system 'shuffled'"):
        SYSTEM_REGISTRY.get("shuffled", "answerer")


def test_a_system_that_cannot_be_imported_is_told_with_its_package(monkeypatch):
    cracked = Plugin("cracked", "not_there:SYSTEM", "cards")
    monkeypatch.setattr(registry, "installed_plugins", {GROUP: {"cracked": cracked}}.get)
    assert SYSTEM_REGISTRY.get("auto", "recommender").kinds == {"recommender"}
    with pytest.raises(PluginError, match="of cards cannot be loaded"):
        SYSTEM_REGISTRY.get("cracked", "recommender")


def test_a_system_that_is_handed_in_goes_before_the_shipped_one():
    own = SystemRegistry().with_system("memrec", SHUFFLED)
    assert own.get("memrec", "recommender") is SHUFFLED
    assert SYSTEM_REGISTRY.get("memrec", "recommender") is not SHUFFLED
