"""What the screens stand on, each by itself: wishes, drawing, history, preferences, the gate."""

import threading

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.cli.app import run
from localrec.data.evidence import Evidence
from localrec.data.query import Constraint, NumberRange, Query, RoutedTask, TaskKind
from localrec.data.rows import Event
from localrec.graph.domain_files import load_domain
from localrec.memory.feedback import record_feedback
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import find_item
from localrec_tui.answer_text import task_label, task_reason
from localrec_tui.constraint_chips import intent_chips, without_chip
from localrec_tui.item_text import (
    evidence_graph,
    fact_lines,
    home_as_tilde,
    number_text,
    source_name,
)
from localrec_tui.log_buffer import LogBuffer, log
from localrec_tui.preferences import Preferences, load_preferences, save_preferences
from localrec_tui.question_history import KEPT, QuestionHistory, load_last_user, save_last_user
from localrec_tui.services.records import ItemDetails
from localrec_tui.services.store_access import ReadWriteLock

FULL = Query(
    constraints=(
        Constraint(kind="ingredient", any_of=("cream",), excluded=True),
        Constraint(kind="ingredient", any_of=("gin", "vodka")),
        Constraint(kind="glass", any_of=("coupe glass",)),
        Constraint(kind="ingredient", any_of=("sugar",), excluded=True, soft=True),
    ),
    flags={"alcoholic": "non-alcoholic"},
    ranges=(
        NumberRange(name="ingredient_count", low=1, high=3),
        NumberRange(name="strength", low=20, high=20),
    ),
    target="negroni",
    anchor="Negroni",
    exclude_items=("gimlet",),
    have=("gin", "lime"),
    order={"strength": -1},
)


class TestWishes:
    def test_name_everything_that_an_intent_asks_for(self):
        labels = [chip.label for chip in intent_chips(FULL, load_domain("cocktails"))]
        assert labels == [
            *("like negroni", "gin or vodka", "glass: coupe glass", "no cream", "(no sugar)"),
            *("non-alcoholic", "ingredient count 1 to 3", "strength 20", "less strength"),
            *("not gimlet", "have gin", "have lime"),
        ]

    def test_of_an_empty_intent_are_none(self):
        assert intent_chips(Query(), load_domain("cocktails")) == ()

    def test_call_the_example_by_its_name(self):
        domain, names = load_domain("cocktails"), {"whiskey-sour": "Whiskey Sour"}
        (chip,) = intent_chips(Query(target="whiskey-sour"), domain, names)
        assert chip.label == "like Whiskey Sour"

    def test_call_items_by_their_names(self):
        intent = Query(exclude_items=("whiskey-sour", "gone"))
        chips = intent_chips(intent, load_domain("cocktails"), {"whiskey-sour": "Whiskey Sour"})
        assert [chip.label for chip in chips] == ["not Whiskey Sour", "not gone"]

    def test_taken_out_one_by_one_leave_nothing(self):
        domain, intent = load_domain("cocktails"), FULL
        for left in range(len(intent_chips(FULL, domain)), 0, -1):
            chips = intent_chips(intent, domain)
            assert len(chips) == left
            intent = without_chip(intent, chips[left // 2])
        assert intent == Query()

    def test_taken_out_leave_the_others_as_they_were(self):
        domain = load_domain("cocktails")
        for chip in intent_chips(FULL, domain):
            kept = [one.label for one in intent_chips(without_chip(FULL, chip), domain)]
            assert kept == [one.label for one in intent_chips(FULL, domain) if one != chip]


class TestNames:
    def test_of_a_kind_of_question_say_what_it_means(self):
        task = RoutedTask(kind=TaskKind.C2, confidence=0.98, reason="")
        assert task_label(task, "cocktails") == "by its glass"


class TestDrawing:
    def test_branches_from_the_item(self):
        edges = (
            Evidence(source="Negroni", relation="HAS_INGREDIENT", target="Gin", value="3 cl"),
            Evidence(source="gin", relation="IS_A", target="spirit"),
            Evidence(source="Negroni", relation="HAS_GLASSTYPE", target="tumbler"),
            Evidence(source="Boulevardier", relation="HAS_INGREDIENT", target="Campari"),
        )
        assert evidence_graph("Negroni", edges, "cocktails") == [
            "Negroni",
            "├─ has ─▶ Gin  3 cl",
            "│  └─ is a kind of ─▶ spirit",
            "└─ comes in a ─▶ tumbler",
            "Boulevardier",
            "└─ has ─▶ Campari",
        ]

    def test_says_in_what_a_number_is_counted(self):
        edges = (Evidence(source="Negroni", relation="strength", target="17.3"),)
        assert evidence_graph("Negroni", edges, "cocktails") == [
            "Negroni",
            "└─ strength ─▶ about 17.3 % alcohol",
        ]

    names = st.sampled_from(["a", "b", "c", "d", "A"])

    @given(st.lists(st.tuples(names, names), max_size=12))
    def test_ends_and_shows_each_edge_that_can_be_reached(self, pairs):
        edges = tuple(Evidence(source=one, relation="R", target=two) for one, two in pairs)
        lines = evidence_graph("a", edges, "cocktails")
        assert len(lines) <= 1 + 2 * len(edges)
        reached = {line.rpartition("─▶ ")[2] for line in lines}
        assert {edge.target for edge in edges if edge.source.casefold() == "a"} <= reached


class TestFacts:
    @pytest.mark.parametrize(
        ("domain", "name", "value", "told"),
        [
            ("cocktails", "strength", 21.3, "about 21.3 % alcohol"),
            ("cocktails", "strength", 0, "0 % alcohol"),
            ("cocktails", "ingredient_count", 1, "1 ingredient"),
            ("boardgames", "minutes", 90, "90 minutes"),
            ("boardgames", "year", 1994, "1994"),
            ("cocktails", "id", 7, ""),
        ],
    )
    def test_give_a_number_the_unit_that_its_domain_declares(self, domain, name, value, told):
        assert number_text(domain, name, value) == told

    def test_are_told_with_it(self):
        found = ItemDetails(
            domain="cocktails",
            key="negroni",
            name="Negroni",
            properties={"strength": 21.3},
            links=(),
        )
        assert list(fact_lines(found)) == [("Strength", "about 21.3 % alcohol")]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("letterboxd", "Letterboxd"),
        ("recbole", "a data set in RecBole's files"),
        ("imdb", "IMDb"),
        ("own-plugin", "Own-plugin"),
    ],
)
def test_a_source_is_named_for_people(kind, told):
    assert source_name(kind) == told


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("names components: gin", "you named gin"),
        ("names components: gin, lime", "you named gin, lime"),
        ("takes “Negroni” as its example", "takes “Negroni” as its example"),
        ("names nothing that the catalogue knows", "nothing in your words is known here"),
    ],
)
def test_why_a_question_was_read_so_is_told_in_plain_words(reason, told):
    task = RoutedTask(kind=TaskKind.C3, confidence=0.9, reason=reason)
    assert task_reason(task) == told


def test_a_home_is_told_as_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home_as_tilde(str(tmp_path / "models" / "small")) == "~/models/small"
    assert home_as_tilde("/elsewhere/small") == "/elsewhere/small"


class TestQuestions:
    def test_survive_a_file_that_somebody_spoiled(self, tmp_path):
        (tmp_path / "asked.jsonl").write_bytes(b'"one"\n{not json\n"\xff"\n7\n"two"\n')
        asked = QuestionHistory(tmp_path)
        assert [asked.earlier(""), asked.earlier(""), asked.earlier("")] == ["two", "one", None]

    def test_are_not_kept_twice_in_a_row(self, tmp_path):
        asked = QuestionHistory(tmp_path)
        for question in ("one", "one", "two", "one", "  "):
            asked.add(question)
        assert (tmp_path / "asked.jsonl").read_text() == '"one"\n"two"\n"one"\n'

    def test_are_not_read_without_end(self, tmp_path):
        lines = "".join(f'"{number}"\n' for number in range(2 * KEPT))
        (tmp_path / "asked.jsonl").write_text(lines)
        asked = QuestionHistory(tmp_path)
        oldest = ""
        while (question := asked.earlier("")) is not None:
            oldest = question
        assert oldest == str(KEPT)


class TestPreferences:
    @given(st.text(), st.dictionaries(st.text(), st.text()))
    def test_come_back_as_they_were_written(self, tmp_path_factory, theme, keymap):
        folder = tmp_path_factory.mktemp("preferences")
        written = Preferences(theme=theme, keymap=keymap)
        save_preferences(folder, written)
        assert load_preferences(folder) == written

    def test_are_for_their_owner_alone(self, tmp_path):
        save_preferences(tmp_path, Preferences(theme="nord"))
        assert (tmp_path / "tui.toml").stat().st_mode & 0o777 == 0o600


class TestGate:
    def test_lets_a_writer_in_when_the_last_reader_has_gone(self):
        gate, order = ReadWriteLock(), []

        def write():
            with gate.writing():
                order.append("written")

        with gate.reading(), gate.reading():
            writer = threading.Thread(target=write)
            writer.start()
            writer.join(0.05)
            order.append("read")
        writer.join(5)
        assert order == ["read", "written"]

    def test_keeps_readers_out_while_somebody_writes(self):
        gate, order = ReadWriteLock(), []

        def read():
            with gate.reading():
                order.append("read")

        with gate.writing():
            reader = threading.Thread(target=read)
            reader.start()
            reader.join(0.05)
            order.append("written")
        reader.join(5)
        assert order == ["written", "read"]

    def test_opens_again_after_a_failure(self):
        gate = ReadWriteLock()
        with pytest.raises(ZeroDivisionError), gate.writing():
            raise ZeroDivisionError
        with gate.writing(), pytest.raises(ZeroDivisionError):
            raise ZeroDivisionError


def test_a_logbook_keeps_the_newest_lines_and_tells_nobody_else(capsys):
    book = LogBuffer()
    book.open()
    for number in range(3_000):
        log.info("line %d", number)
    book.close()
    log.info("unheard")
    assert book.lines[-1].endswith("line 2999")
    assert len(book.lines) == 2_000
    assert capsys.readouterr() == ("", "")


def test_chips_are_plain_records():
    [chip] = intent_chips(Query(have=("gin",)), load_domain("cocktails"))
    assert msgspec.structs.asdict(chip) == {"field": "have", "place": 0, "label": "have gin"}


def test_who_sat_here_last_is_forgotten_with_them(own_bar):
    with OpenWorkspace(own_bar, writable=True) as opened:
        domain, item, _ = find_item(opened, "gimlet", None, "anna-the-first")
        record_feedback(opened.store, domain, "anna-the-first", item, Event.LIKED)
    save_last_user(own_bar, "anna-the-first")
    forget = ["--workspace", str(own_bar), "forget", "--user", "anna-the-first", "--yes"]
    assert run(forget) == 0
    assert load_last_user(own_bar) is None
    assert (own_bar / "person.jsonl").read_bytes() == b""
