"""The backend over a real workspace: what it answers, and how it shares the store."""

import subprocess
import sys
import threading
import time

import msgspec
import numpy as np
import pytest
from PIL import Image

from localrec.data.query import TaskKind
from localrec.data.rows import AttributeLink, Event, HistoryRows, ItemRow
from localrec.foundation.errors import BusyError, ModelCancelledError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_history
from localrec.graph.store import Store
from localrec.llm.scripted import ScriptedModel
from localrec.systems.shipped_systems import MARC_MODEL
from localrec.understanding.question_roles import PLACE, ROLES, WordRoles
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import ModelPool
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.cancellation import CancellableModel
from localrec_tui.services.catalogue import CatalogueView, PageTurn
from localrec_tui.services.records import (
    IntentCorrection,
    NewFeedback,
    QuestionRequest,
    RequestHandle,
)
from tests.planted import a_report

HOLD_STORE = """
import sys
from pathlib import Path
from localrec.graph.store import Store
with Store.open_(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def unheard(items):
    """Nobody listens."""


@pytest.fixture
def services(own_bar):
    opened = AppServices(own_bar, hold_s=0.05)
    yield opened
    opened.close()


def ask(services, text, **more):
    return services.ask(QuestionRequest(text=text, **more), RequestHandle(), unheard)


def names(answered):
    return [item.name for item in answered.answer.items]


def can_be_written(folder):
    """Whether another process could have the store for itself right now."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom localrec.graph.store import Store\n"
        "Store.open_(Path(sys.argv[1]), wait_s=0).close()"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code, folder / "store.duckdb"], capture_output=True, check=False
    )
    return finished.returncode == 0


class Tagger:
    """Tags every word as there for nothing."""

    def tag(self, text, words):
        shares = np.zeros((len(words), len(ROLES)), dtype=np.float32)
        shares[:, PLACE["other"]] = 1.0
        return WordRoles(shares)


class TestQuestions:
    def test_tell_whether_the_network_read_them_too(self, services, monkeypatch):
        monkeypatch.setattr(ModelPool, "role_tagger", Tagger())
        read = [ask(services, text).answer for text in ("my aunt adores gin", "a gin drink")]
        assert [one.answered_by.get("roles") for one in read] == ["the shipped network", None]

    def test_are_answered_with_what_a_correction_starts_from(self, services):
        answered = ask(services, "a drink with campari but no gin")
        assert names(answered) == ["Americano"]
        assert answered.domain == "cocktails"
        [standing] = [answered.item_matches_by_key["americano"]]
        assert [(one.label, one.holds) for one in standing.checks] == [
            ("campari", True),
            ("no gin", True),
        ]

    def test_tell_their_items_before_the_reasons(self, services):
        heard = []
        answered = services.ask(QuestionRequest(text="a gin drink"), RequestHandle(), heard.append)
        assert [item.reason for item in heard[0]] == [""] * len(answered.answer.items)
        assert [items[0].name for items in heard[1:]][: len(names(answered))] == names(answered)

    def test_are_answered_again_without_a_wish(self, services):
        answered = ask(services, "a drink with campari but no gin")
        [campari, _] = answered.intent.constraints
        intent = msgspec.structs.replace(answered.intent, constraints=(campari,))
        again = services.ask_intent(
            answered.question, IntentCorrection(intent=intent), RequestHandle(), unheard
        )
        assert set(names(again)) == {"Negroni", "Americano"}

    def test_are_answered_again_with_a_further_wish(self, services):
        answered = ask(services, "a drink with campari")
        more = IntentCorrection(intent=answered.intent, more="no gin")
        again = services.ask_intent(answered.question, more, RequestHandle(), unheard)
        assert names(again) == ["Americano"]

    def test_take_a_new_wish_over_an_old_one_that_it_contradicts(self, services):
        answered = ask(services, "a drink without gin")
        more = IntentCorrection(intent=answered.intent, more="with gin")
        again = services.ask_intent(answered.question, more, RequestHandle(), unheard)
        assert set(names(again)) == {"Negroni", "Gimlet"}

    def test_refuse_a_wish_that_names_nothing(self, services):
        answered = ask(services, "a gin drink")
        more = IntentCorrection(intent=answered.intent, more="xyzzy")
        with pytest.raises(UsageError, match="“xyzzy” names nothing that the catalogue of drinks"):
            services.ask_intent(answered.question, more, RequestHandle(), unheard)

    def test_are_of_the_kind_that_a_person_says(self, services):
        answered = ask(services, "a gin drink")
        told = IntentCorrection(intent=answered.intent, task=TaskKind.C1)
        again = services.ask_intent(answered.question, told, RequestHandle(), unheard)
        assert again.answer.task.kind is TaskKind.C1
        assert again.answer.answered_by["router"] == "person"

    def test_say_what_is_at_hand(self, services):
        answered = ask(services, "what can I make? I have gin and lime juice")
        gimlet = answered.item_matches_by_key["gimlet"]
        assert "gin" in [name.casefold() for name in gimlet.have]

    def test_are_answered_from_the_store_as_it_is_now(self, services, own_bar):
        assert "Negroni" in names(ask(services, "a gin drink"))
        time.sleep(0.3)
        with OpenWorkspace(own_bar, writable=True) as opened:
            opened.store.execute("UPDATE node SET name = 'Gin Count' WHERE name = 'Negroni'")
        assert "Gin Count" in names(ask(services, "a gin drink"))

    def test_share_one_warm_workspace(self, services):
        ask(services, "a gin drink")
        warm = services._warm
        time.sleep(0.3)
        ask(services, "a rum drink")
        assert services._warm is warm


class TestReading:
    def test_finds_domains_people_and_items(self, services):
        [found] = services.domains()
        assert (found.name, found.items) == ("cocktails", 5)
        assert services.users() == ()
        item = services.item("cocktails", "negroni")
        assert item.properties["instructions"] == "Shake."
        assert ("HAS_INGREDIENT", "Campari", "3 cl") in [
            (link.relation, link.target.title(), link.value) for link in item.links
        ]

    def test_tells_an_ingredient_once_with_its_amount(self, services, own_bar):
        with Store.open_(own_bar / "store.duckdb") as store:
            store.execute(
                "INSERT INTO edge SELECT source_id, target_id, kind, weight, NULL, NULL FROM edge"
            )
        links = services.item("cocktails", "negroni").links
        assert [one.value for one in links if one.relation == "HAS_INGREDIENT"] == ["3 cl"] * 3
        [glass] = [one for one in links if one.relation == "HAS_GLASSTYPE"]
        assert glass.value is None
        stop = services.catalogue.open_node(
            CatalogueView(domain="cocktails"), "cocktail", "negroni", 5
        )
        steps = [one for one in stop.steps if one.relation == "HAS_INGREDIENT"]
        assert [one.value for one in steps] == ["3 cl"] * 3

    def test_tells_facts_of_several_items_as_the_whole_of_each_has_them(self, services):
        keys = ["negroni", "zorg", "gimlet"]
        facts = {one.key: one for one in services.item_facts("cocktails", keys)}
        assert facts.keys() == {"negroni", "gimlet"}
        for key, told in facts.items():
            whole = services.item("cocktails", key)
            assert whole.similar and whole.is_complete and not told.is_complete
            assert told == msgspec.structs.replace(whole, similar=(), is_complete=False)

    def test_tells_what_the_user_said_of_an_item_and_of_those_like_it(self, services):
        word = NewFeedback(user="ana", domain="cocktails", item="gimlet", event=Event.LIKED)
        services.give_feedback(word)
        [facts] = services.item_facts("cocktails", ["gimlet"], "ana")
        assert facts.verdict.event is Event.LIKED
        like_it = services.item("cocktails", "negroni", "ana").similar
        assert [one.verdict.event for one in like_it if one.key == "gimlet"] == [Event.LIKED]
        view = CatalogueView(domain="cocktails", user="ana")
        on_the_way = [services.catalogue.open_node(view, "cocktail", "gimlet", 5)]
        on_the_way.append(services.catalogue.open_node(view, "ingredient", "gin", 5))
        assert [one.verdicts["gimlet"].event for one in on_the_way] == [Event.LIKED] * 2

    def test_of_an_item_that_is_gone_says_so(self, services):
        with pytest.raises(UsageError, match="There is no drink 'zorg' any more"):
            services.item("cocktails", "zorg")

    def test_draws_an_items_picture_in_half_cells(self, services, own_bar, tmp_path):
        pixels = np.zeros((90, 60, 3), dtype=np.uint8)
        pixels[:45, :, 0] = 255  # red above, black below
        folder = tmp_path / "photos"
        folder.mkdir()
        Image.fromarray(pixels).save(folder / "negroni.png")
        with OpenWorkspace(own_bar, writable=True) as workspace:
            workspace.imports.import_images(folder, load_domain("cocktails"))
        picture = services.item("cocktails", "negroni").picture
        assert len(picture) == 16 and 1 <= len(picture[0]) <= 40
        [facts] = services.item_facts("cocktails", ["negroni"])
        assert (facts.picture, facts.picture_lines) == ((), 16), "the pane keeps room for it"
        assert picture[0][0][0][1:3] > "e0" and picture[-1][0][1][1:3] < "20"
        assert services.item("cocktails", "gimlet").picture == ()

    def test_shows_nobody_the_shelves_of_another(self, services, own_bar):
        ingest = HistoryRows(
            items=(
                ItemRow(
                    key="negroni",
                    name="Negroni",
                    links=(AttributeLink(kind="category", name="breakups", personal=True),),
                ),
            ),
            interactions=(),
            report=a_report(1),
        )
        with OpenWorkspace(own_bar, writable=True) as workspace:
            ingest_history(workspace.store, load_domain("cocktails"), ingest, by="ana")

        def told(user):
            return {link.target for link in services.item("cocktails", "negroni", user).links}

        assert "breakups" in told("ana")
        assert "breakups" not in told("bob")

    def test_goes_on_beside_a_question(self, services):
        with services._leased_workspace(RequestHandle()):
            assert services.item("cocktails", "negroni").name == "Negroni"


class TestFeedback:
    def test_counts_in_the_next_answer_and_is_taken_back(self, services):
        def first():
            return names(ask(services, "a drink with lime juice", user="anna"))

        before = first()
        word = NewFeedback(user="anna", domain="cocktails", item="gimlet", event=Event.DISLIKED)
        assert services.give_feedback(word).name == "Gimlet"
        assert "Gimlet" in before
        assert "Gimlet" not in first()
        assert services.users("AN") == services.users("annna") == ("anna",)
        assert services.users("zorg") == ()
        assert services.undo("anna").feedback.item == "gimlet"
        assert services.undo("anna") is None
        assert first() == before

    def test_that_is_taken_back_leaves_the_word_before_it(self, services):
        for event in (Event.LIKED, Event.DISLIKED):
            services.give_feedback(NewFeedback(user="anna", domain="", item="gimlet", event=event))
        services.give_feedback(NewFeedback(user="bert", domain="", item="gimlet", event=Event.SEEN))
        first, second = services.undo("anna"), services.undo("anna")
        assert (first.feedback.event, first.domain, first.holds) == (
            Event.DISLIKED,
            "cocktails",
            Event.LIKED,
        )
        assert (second.feedback.event, second.holds) == (Event.LIKED, None)

    def test_moves_a_list(self, services):
        before = services.recommend("anna", None, 3, RequestHandle())
        liked = before.items[-1].key
        services.give_feedback(
            NewFeedback(user="anna", domain="", item=liked, event=Event.LIKED, reason="so good")
        )
        after = services.recommend("anna", None, 3, RequestHandle())
        assert liked not in [item.key for item in after.items]
        assert after.history == 1


class TestTwoProcesses:
    def test_a_question_lets_the_store_go_a_moment_later(self, own_bar):
        services = AppServices(own_bar, hold_s=30)
        ask(services, "a gin drink")
        assert not can_be_written(own_bar)
        services.close()
        assert can_be_written(own_bar)
        services = AppServices(own_bar, hold_s=0.05)
        ask(services, "a gin drink")
        time.sleep(0.5)
        assert can_be_written(own_bar)

    def test_a_quick_read_lets_the_store_go_a_moment_later(self, own_bar):
        services = AppServices(own_bar, hold_s=30)
        services.item("cocktails", "negroni")
        assert not can_be_written(own_bar)
        services.close()
        assert can_be_written(own_bar)
        services = AppServices(own_bar, hold_s=0.05)
        services.item("cocktails", "negroni")
        time.sleep(0.5)
        assert can_be_written(own_bar)

    def test_typing_lets_the_store_go_a_moment_later(self, own_bar):
        services = AppServices(own_bar, hold_s=0.05)
        for typed in ("g", "gi", "gin"):
            view = CatalogueView(domain="cocktails", typed=typed)
            services.catalogue.prepare(view)
            assert services.catalogue.page(view, PageTurn(), 5).rows
        time.sleep(0.5)
        assert can_be_written(own_bar)
        services.close()

    def test_another_terminal_can_ask_while_the_store_is_held(self, own_bar, run_localrec):
        services = AppServices(own_bar, hold_s=60)
        ask(services, "a gin drink")
        finished = run_localrec("--workspace", own_bar, "ask", "a gin drink")
        services.close()
        assert finished.returncode == 0, finished.stderr

    def test_another_that_writes_is_named(self, services, own_bar):
        with subprocess.Popen(
            [sys.executable, "-c", HOLD_STORE, own_bar / "store.duckdb"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as holder:
            assert holder.stdout.readline() == b"held\n"
            for call in (services.domains, lambda: ask(services, "a gin drink")):
                with pytest.raises(BusyError, match=str(holder.pid)):
                    call()
            holder.communicate()
        assert ask(services, "a gin drink").answer.items

    def test_feedback_waits_for_no_lingering(self, own_bar):
        services = AppServices(own_bar, hold_s=60)
        ask(services, "a gin drink")
        services.item("cocktails", "gimlet")
        word = NewFeedback(user="anna", domain="cocktails", item="gimlet", event=Event.LIKED)
        assert services.give_feedback(word).user == "anna"
        services.close()


class Patient(ScriptedModel):
    """A model whose every reply takes until somebody sets it free."""

    def __init__(self):
        super().__init__(lambda messages: "1 1 1 1")
        self.reached = threading.Event()
        self.free = threading.Event()

    def choose(self, messages, labels, fixed=0):
        self.reached.set()
        self.free.wait(10)
        return super().choose(messages, labels, fixed)


class TestStopping:
    def test_ends_a_question_even_where_a_stage_goes_on(self, services, monkeypatch):
        model = Patient()
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)
        request, raised = RequestHandle(), []

        def question():
            try:
                services.ask(
                    QuestionRequest(text="a gin drink", system=MARC_MODEL), request, unheard
                )
            except ModelCancelledError as error:
                raised.append(error)

        thread = threading.Thread(target=question)
        thread.start()
        assert model.reached.wait(30)
        request.stopped.set()
        model.free.set()
        thread.join(30)
        assert len(raised) == 1
        assert request.over.is_set()

    def test_refuses_a_question_that_was_stopped_before_its_turn(self, services):
        request = RequestHandle()
        request.stopped.set()
        with pytest.raises(ModelCancelledError):
            services.ask(QuestionRequest(text="a gin drink"), request, unheard)
        assert request.over.is_set()

    def test_of_what_is_over_returns_at_once(self, services):
        request = RequestHandle()
        request.over.set()
        services.stop(request)

    def test_a_model_that_serves_a_stopped_request_is_asked_nothing(self):
        model, request = ScriptedModel([]), RequestHandle()
        stoppable = CancellableModel(model, request)
        request.stopped.set()
        with pytest.raises(ModelCancelledError):
            stoppable.generate([])
        with pytest.raises(ModelCancelledError):
            stoppable.count_tokens("words")

    @pytest.mark.real
    def test_of_a_real_model_frees_the_question_within_half_a_second(self, services, require_model):
        require_model("smollm2-135m")
        request, ended = RequestHandle(), []

        def question():
            asked = QuestionRequest(text="a gin drink " * 60, system=MARC_MODEL)
            with pytest.raises(ModelCancelledError):
                services.ask(asked, request, unheard)
            ended.append(True)

        thread = threading.Thread(target=question)
        thread.start()
        while not services.models.running() and thread.is_alive():
            time.sleep(0.01)
        services.stop(request)
        thread.join(5)
        assert ended == [True]


def test_the_drinks_are_loaded_without_a_network(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "settings.toml").write_text('embedder = "hashing"\n')
    services = AppServices(folder)
    assert services.is_empty
    steps = []
    count = services.load_bundled_data(lambda what, done, total: steps.append(what))
    assert not services.is_empty
    assert [one.items for one in services.domains()] == [count]
    assert "embedding texts" in steps
    assert ask(services, services.domains()[0].examples[0]).answer.items
    services.close()
