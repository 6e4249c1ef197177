"""Examples that adapters learn from: true by construction, repeatable, worded apart by half."""

import random
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from localrec.agent.formats import NATIVE, PLAIN
from localrec.agent.tool_registry import Observation
from localrec.agent.tools import TOOLS
from localrec.data.query import Constraint, TaskKind
from localrec.data.trajectory import ToolCall
from localrec.foundation.errors import UsageError, WorkspaceError
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store
from localrec.training.examples import agent, question_templates, typo_augmentation
from localrec.training.examples.agent import (
    EvidenceCall,
    agent_examples,
    conversations_of,
    ranking_by,
)
from localrec.training.examples.constraint_sampling import SampledConstraint
from localrec.training.examples.episodes import EpisodesConfig, open_episodes
from localrec.training.examples.example import half_of
from localrec.training.examples.lexicon import LexiconName, declared_lexicon, lexicon_of
from localrec.training.examples.question_composer import compose_questions
from localrec.training.examples.reflector import intent_of as demanded
from localrec.training.examples.roles import ROLES, ExampleConfig, examples_for
from localrec.training.examples.router import router_examples
from localrec.training.examples.slots import slot_examples, slots_of
from localrec.training.examples.typo_augmentation import add_typos
from localrec.understanding.router import topic_labels, topic_prompt
from localrec.understanding.slot_filling import parse_slots, plain_name, slot_prompt
from tests.planted import BAR

MANY = 400
OFFERED = 5  # candidates
EPISODES = EpisodesConfig(candidates=OFFERED, validation=4, sequential=False)
A_FEW = ExampleConfig(train=10, validation=10, seed=0)


@pytest.fixture(scope="module")
def bar(frequented):
    """The names of the planted bar."""
    with Store.open_(frequented / "store.duckdb", read_only=True) as store:
        return lexicon_of(Catalogue(store, BAR))


@pytest.fixture(scope="module")
def films():
    return declared_lexicon(load_domain("movies"))


@pytest.fixture(scope="module")
def drinks():
    """All names of the taxonomy of drinks: far more than the planted bar has."""
    return declared_lexicon(load_domain("cocktails"))


def composed(lexicons, half="train", count=MANY, seed=3):
    return [question for _, question in compose_questions(lexicons, half, count, seed)]


def test_the_same_seed_makes_the_same_examples_and_another_makes_others(bar, films):
    first = router_examples([bar, films], 50, 20, seed=1)
    assert router_examples([bar, films], 50, 20, seed=1).fingerprint == first.fingerprint
    assert router_examples([bar, films], 50, 20, seed=2).fingerprint != first.fingerprint


def test_no_wording_is_in_both_halves(drinks, films):
    halves = [composed([drinks, films], half) for half in ("train", "validation")]
    train, validation = ({one for q in half for one in q.split_keys} for half in halves)
    assert train and validation
    assert not train & validation
    assert not {q.text for q in halves[0]} & {q.text for q in halves[1]}


def test_every_list_of_wordings_can_be_parted():
    named = [one for name, one in vars(question_templates).items() if name.isupper()]
    lists = [one for one in named if isinstance(one, tuple)]
    lists += [ways for table in named if isinstance(table, dict) for ways in table.values()]
    assert len(lists) > 20
    parted = {half: [half_of(one, half) for one in lists] for half in ("train", "validation")}
    assert all(parted["train"]) and all(parted["validation"])
    train, validation = ({one for ways in half for one in ways} for half in parted.values())
    assert train & validation <= {"{x}"}  # a bare name, in front of its noun


def test_some_questions_are_no_sentences_and_every_kind_of_demand_has_a_piece(drinks):
    slots = {"include", "exclude", "container", "colour", "look", "garnish", "flag", "like"}
    assert slots <= set(question_templates.LOOSE)
    loose = {one for pieces in question_templates.LOOSE.values() for one in pieces}
    questions = composed([drinks])
    assert sum(set(one.split_keys) <= loose for one in questions) > MANY / 10


def test_what_is_a_colour_too_is_an_ingredient_only_where_the_words_say_so(drinks, monkeypatch):
    monkeypatch.setattr(
        "localrec.training.examples.question_composer.add_typos", lambda _, text: text
    )
    both = {name for name in ("orange", "lime", "peach") if drinks.means("colour", name)}
    assert both
    nouns = "|".join(drinks.domain.item_words)
    asked = [
        (question.text.casefold(), name.spelling)
        for question in composed([drinks], count=10 * MANY)
        for demand in question.demands
        for name in demand.names
        if demand.slot in ("include", "exclude") and name.spelling in both
    ]
    assert asked
    assert not [text for text, name in asked if re.search(rf"\b{name} ({nouns})\b", text)]


def test_a_vessel_or_a_colour_can_head_a_list(drinks, monkeypatch):
    monkeypatch.setattr(
        "localrec.training.examples.question_composer.add_typos", lambda _, text: text
    )
    heads = [
        question.demands[0].names[0].spelling
        for question in composed([drinks], count=5 * MANY)
        if question.task in (TaskKind.C1, TaskKind.C2) and question.demands[0].names
        if re.match(rf"{re.escape(question.demands[0].names[0].spelling)},? with ", question.text)
    ]
    assert len(heads) > 3


def test_what_is_at_hand_may_be_a_vessel_and_something_may_be_missing(drinks):
    told = [
        {one.slot for one in question.demands if not one.is_excluded}
        for question in composed([drinks], count=3 * MANY)
        if set(question.split_keys) & set(question_templates.AT_HAND)
    ]
    assert {"include"} in told
    assert {"include", "container"} in told
    assert all(slots <= {"include", "container"} for slots in told)
    lacking = [
        question
        for question in composed([drinks], count=3 * MANY)
        if set(question.split_keys) & set(question_templates.LACKING)
    ]
    assert lacking
    assert all(any(one.is_excluded for one in question.demands) for question in lacking)


def test_words_by_ear_are_written_otherwise_and_stay_in_their_places():
    random_ = random.Random(3)
    heard = [add_typos(random_, "chocolate and passion fruit with whiskey") for _ in range(200)]
    assert any("pashun" in one or "fashion" in one or "pasion" in one for one in heard)
    assert all(len(one.split()) == 6 for one in heard)


def test_every_task_and_every_kind_of_demand_is_asked_for(drinks):
    questions = composed([drinks])
    tasks = Counter(question.task for question in questions)
    assert min(tasks[kind] for kind in TaskKind) > MANY / 10
    slots = {demand.slot for question in questions for demand in question.demands}
    assert slots >= {"include", "either", "exclude", "container", "colour", "look", "like", "flag"}


def test_the_task_follows_from_what_is_demanded(drinks, films):
    for question in composed([drinks, films]):
        slots = {demand.slot for demand in question.demands}
        looks = slots & {"colour", "look"}
        expected = (
            TaskKind.C4
            if "like" in slots
            else TaskKind.C2
            if "container" in slots
            else TaskKind.C1
            if looks
            else TaskKind.C3
        )
        assert question.task == expected, question.text


def test_a_question_names_what_it_demands(drinks, monkeypatch):
    monkeypatch.setattr(
        "localrec.training.examples.question_composer.add_typos", lambda _, text: text
    )
    for question in composed([drinks]):
        for demand in question.demands:
            for name in demand.names:
                assert name.spelling.lower() in question.text.lower()
        assert "{" not in question.text and "  " not in question.text


def test_nothing_is_asked_for_and_barred_at_once(drinks):
    for question in composed([drinks]):
        keys = [name.key for demand in question.demands for name in demand.names]
        excluded = {
            n.key for demand in question.demands if demand.is_excluded for n in demand.names
        }
        wanted = {
            n.key for demand in question.demands if not demand.is_excluded for n in demand.names
        }
        assert not excluded & wanted, (question.text, keys)


def test_a_slip_leaves_all_words_but_one_or_two(monkeypatch):
    monkeypatch.setattr(typo_augmentation, "_BY_EAR", 0.0)
    random_ = random.Random(0)
    text = "something with passion fruit that comes in a highball glass."
    for _ in range(200):
        typed = add_typos(random_, text).lower().rstrip(".").split()
        assert len(typed) == len(text.split())
        pairs = zip(typed, text.rstrip(".").split(), strict=True)
        assert sum(one != other for one, other in pairs) <= 2


def test_the_router_learns_on_the_prompt_that_it_serves_with(films):
    examples = router_examples([films], 30, 10, seed=0)
    questions = composed([films], count=30, seed=0)
    labels = topic_labels(films.domain)
    for example, question in zip(examples.train, questions, strict=True):
        assert example.messages == topic_prompt(question.text, films.vocabulary)
        assert example.answer == labels[list(TaskKind).index(question.task)]
        assert example.labels == labels


def test_the_slot_reader_learns_on_the_prompt_that_it_serves_with(drinks):
    examples = slot_examples([drinks], 60, 10, seed=0)
    for example, question in zip(examples.train, composed([drinks], count=60, seed=0), strict=True):
        assert example.messages == slot_prompt(question.text, drinks.vocabulary)
        assert not example.labels


def test_an_answer_holds_every_name_of_its_question_and_no_other(drinks):
    for question in composed([drinks]):
        slots = slots_of(question.demands)
        told = {one for slot in slots for one in slot.values}
        assert told == {plain_name(n.spelling) for d in question.demands for n in d.names}


def test_every_answer_of_the_slot_reader_can_be_read_back(drinks, films):
    for example in slot_examples([drinks, films], MANY, 50, seed=5).train:
        slots = parse_slots(example.answer)
        assert all(slot.values for slot in slots)


def test_a_catalogue_offers_what_its_items_have(bar):
    random_ = random.Random(0)
    names = {bar.draw(random_, "component").key for _ in range(100)}
    assert "gin" in names
    assert "krill oil" not in names


def test_examples_are_made_of_the_workspace_and_of_other_domains(frequented):
    prompts = [
        one.messages[0].content
        for one in examples_for(
            "router", frequented, ExampleConfig(train=40, validation=8, seed=0)
        ).train
    ]
    assert any("drinks" in one for one in prompts)
    assert any("films" in one for one in prompts)


def test_several_roles_share_the_examples(frequented):
    made = examples_for("router,slots", frequented, ExampleConfig(train=6, validation=4, seed=0))
    alone = examples_for("slots", frequented, ExampleConfig(train=3, validation=2, seed=0))
    assert (len(made.train), len(made.validation)) == (6, 4)
    assert made.train[3:] == alone.train
    assert made.role == "router,slots"


def test_a_role_is_named_once(frequented):
    with pytest.raises(UsageError, match="names a role twice"):
        examples_for("router,router", frequented, A_FEW)


def test_an_unknown_role_is_refused(frequented):
    with pytest.raises(UsageError, match="No adapter is trained for 'sommelier'"):
        examples_for("sommelier", frequented, A_FEW)


@pytest.mark.parametrize("role", sorted(set(ROLES) - {"writer"}))  # whose names are our own
def test_without_a_catalogue_there_is_nothing_to_learn_from(tmp_path, role):
    with Store.open_(tmp_path / "store.duckdb"):
        pass
    with pytest.raises(WorkspaceError, match="There is no catalogue"):
        examples_for(role, tmp_path, A_FEW)


@pytest.fixture(scope="module")
def pairs(frequented):
    """Pairs of lists that a reflector learns to choose from."""
    return examples_for(
        "reflector", frequented, ExampleConfig(train=80, validation=10, seed=0)
    ).train


def surplus_of(example):
    """How many more items of list A than of list B have each name of the question."""
    told = example.messages[-1].content.splitlines()[1:]
    found = (re.fullmatch(r"(.+): (A|B) \+(\d)", line) for line in told)
    return {one[1]: int(one[3]) * (1 if one[2] == "A" else -1) for one in found}


class TestTheReflector:
    def test_either_list_is_the_better_one_as_often(self, pairs):
        assert {one.labels for one in pairs} == {("A", "B")}
        assert 20 <= sum(one.answer == "A" for one in pairs) <= 40

    def test_names_of_the_question_tell_the_lists_apart(self, pairs):
        assert all(surplus_of(one) and all(surplus_of(one).values()) for one in pairs)

    def test_what_is_refused_speaks_against_a_list(self, pairs):
        sides = {"A": 1, "B": -1}
        against = [one for one in pairs if sum(surplus_of(one).values()) * sides[one.answer] < 0]
        assert len(against) > 3

    def test_demands_are_known_without_reading_the_question(self, frequented):
        with Store.open_(frequented / "store.duckdb", read_only=True) as store:
            catalogue = Catalogue(store, BAR)
        gin, mint = LexiconName("gin", "gin"), LexiconName("mint", "mint")
        demands = (
            SampledConstraint(slot="include", names=(gin,)),
            SampledConstraint(slot="exclude", names=(mint,), is_excluded=True),
            SampledConstraint(slot="like", names=(LexiconName("Negroni", "Negroni"),)),
        )
        found = demanded(demands, catalogue)
        assert found.constraints == (
            Constraint(kind="ingredient", any_of=("gin",)),
            Constraint(kind="ingredient", any_of=("mint",), excluded=True),
        )
        assert found.target == "negroni"


@pytest.fixture(scope="module")
def conversations(frequented):
    """What an agent learns to write."""
    return taught(frequented, native=False).train


class TestTheAgent:
    def test_every_turn_is_one_that_the_loop_can_read(self, conversations):
        for example in conversations:
            *calls, ranking = own_turns(example)
            assert calls  # it asks before it ranks
            for call in calls:
                assert isinstance(PLAIN.parse(call, TOOLS, OFFERED, ranked(example)), ToolCall)
            assert len(PLAIN.parse(ranking, TOOLS, OFFERED, ranked(example))) == ranked(example)

    def test_what_a_tool_says_follows_the_turn_that_asked_it(self, conversations):
        for example in conversations:
            behind = example.messages[example.prompt_messages :]
            assert [one.role for one in behind] == ["assistant", "user"] * (len(behind) // 2)
            assert all(one.content.startswith("Observation of") for one in behind[1::2])

    def test_candidates_that_tools_name_lead_and_the_others_follow_by_number(self, conversations):
        for example in conversations:
            told = [one.content for one in example.messages[example.prompt_messages + 1 :: 2]]
            named = {int(number) for text in told for number in re.findall(r"\[(\d+)\]", text)}
            ranking = list(PLAIN.parse(own_turns(example)[-1], TOOLS, OFFERED, ranked(example)))
            leading = [one for one in ranking if one in named]
            rest = ranking[len(leading) :]
            assert rest == sorted(rest)

    def test_of_the_drawn_trajectories_those_that_rank_the_choice_best_are_taken(
        self, frequented, monkeypatch
    ):
        asked = open_episodes(frequented, EPISODES, 10, lambda *_: None).train

        def places(draws):
            monkeypatch.setattr(agent, "_DRAWS", draws)
            made = [
                one
                for number in range(len(asked))
                for one in conversations_of(asked.request(number), PLAIN, random.Random(1))
            ]
            assert len(made) == 4 * len(asked)
            rankings = [
                PLAIN.parse(own_turns(one)[-1], TOOLS, OFFERED, ranked(one)) for one in made
            ]
            return sum(one.index(asked.request(at // 4).target) for at, one in enumerate(rankings))

        assert places(12) < places(4)

    def test_trajectories_of_a_request_stand_together_and_differ(self, conversations):
        for at in range(0, len(conversations), 4):
            family = conversations[at : at + 4]
            assert len({one.messages[: one.prompt_messages] for one in family}) == 1
            calls = [
                tuple(turn.partition("Act: ")[2] for turn in own_turns(one)[:-1]) for one in family
            ]
            assert len(set(calls)) == 4

    def test_the_more_trusted_tool_has_the_first_word(self):
        def said(*scores):
            return Observation([], np.array(scores, dtype=np.float32))

        tool_context = SimpleNamespace(candidates=range(4))

        def asked(tool, *scores):
            return EvidenceCall(f"{tool}()", ToolCall(tool=tool, arguments={}), said(*scores))

        trusted = asked("likely_next", 0, 3, 0, 2)
        other = asked("get_rating_behaviour", 9, 0, 0, 8)
        assert ranking_by(tool_context, [other, trusted]) == [2, 4, 1, 3]
        assert ranking_by(tool_context, [other]) == [1, 4, 2, 3]

    def test_a_model_that_knows_tools_is_taught_its_own_form(self, frequented):
        for example in taught(frequented, native=True).train:
            for turn in own_turns(example):
                act = NATIVE.parse(turn, TOOLS, OFFERED, ranked(example))
                assert isinstance(act, ToolCall) or len(act) == ranked(example)


def taught(folder, *, native):
    return agent_examples(folder, EPISODES, 12, 4, native=native, progress=lambda *_: None)


def own_turns(example):
    """All that the model says, the ranking last."""
    behind = example.messages[example.prompt_messages :]
    return [*(one.content for one in behind if one.role == "assistant"), example.answer]


def ranked(example):
    """How many numbers the ranking has that an example asks for."""
    return int(re.search(r"which (\d+) of these", example.messages[0].content)[1])


def test_an_answer_names_things_in_the_order_of_the_question(drinks):
    for question in composed([drinks]):
        spelled = [
            [question.text.lower().find(name.spelling) for name in demand.names]
            for demand in question.demands
            if demand.names
        ]
        found = [places for places in spelled if -1 not in places]  # the others have slips
        alone = [places for places in found if len(found) == len(question.demands)]
        assert [min(places) for places in alone] == sorted(min(places) for places in alone)


def test_ingredients_and_refusals_are_listed_at_one_place_at_times(drinks):
    listed = {"include": " and ", "exclude": " or "}
    for slot, link in listed.items():
        several = [
            (question.text.lower(), [one.names[0].spelling for one in found])
            for question in composed([drinks], count=1000)
            if len(found := [one for one in question.demands if one.slot == slot]) == 2
        ]
        together = [text for text, names in several if link.join(names) in text]
        assert 0.1 < len(together) / len(several) < 0.9
