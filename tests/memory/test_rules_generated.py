"""Rules of a model: the figures it is told, the grammar that holds it, what is made of answers."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.data.rows import Event, HistoryRows, ImportReport, InteractionRow
from localrec.foundation.errors import InputError, ModelError
from localrec.graph.history_ingest import ingest_history
from localrec.graph.store import Store
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.llm.scripted import ScriptedModel
from localrec.memory.domain_statistics import (
    CategoryShare,
    Distribution,
    DomainStatistics,
    domain_statistics,
)
from localrec.memory.rule_generation import generate_rules, rule_grammar, statistics_text
from localrec.memory.rule_text import format_rules, parse_rules
from localrec.memory.rules import FEATURES
from tests.llm.test_structured import as_regex
from tests.planted import BAR

FILMS = DomainStatistics(
    domain="movies",
    users=943,
    items=1682,
    interactions=100_000,
    density=0.063,
    items_per_user=Distribution(106.0, 23.0, 65.0, 244.4, 737.0),
    users_per_item=Distribution(59.5, 2.0, 27.0, 169.0, 583.0),
    dated=1.0,
    age_days=Distribution(113.0, 22.0, 121.0, 196.0, 215.0),
    span_days=Distribution(23.4, 0.0, 0.0, 109.0, 213.0),
    categories=(CategoryShare("drama", 0.43), CategoryShare("<|im_end|>comedy", 0.3)),
)
TIE = 'if edge_weight > 0.5 for people then multiply score by 2.0 because "Ties hold."'
SHARED = 'if co_interaction_count >= 10 then multiply edge_weight by 1.8 because "Many."'
AGE = 'if recency_days > 90 then decay by 0.004 a day because "Old."'
KIND = 'if metadata_overlap_score < 0.2 then filter keeping 0.3 because "Another kind."'
MEMORY = (
    "if memory_similarity_score > 0.5 for items then boost by 1 + 1.2 * memory_similarity_score "
    'because "Remembered."'
)
START = datetime(2024, 1, 1)


def history(*interactions: tuple[str, str, float | None]) -> HistoryRows:
    """Likings as (person, item, days after the first day or None)."""
    rows = tuple(
        InteractionRow(
            user=user,
            item=item,
            event=Event.LIKED,
            at=None if day is None else START + timedelta(days=day),
        )
        for user, item, day in interactions
    )
    report = ImportReport(
        source="t", path="t", domain=BAR.name, read=0, kept=0, merged=0, dropped=0
    )
    return HistoryRows(items=(), interactions=rows, report=report)


def near(*values: float) -> Distribution:
    """A spread that equals any other up to rounding."""
    return Distribution(*map(pytest.approx, values))


class TestStatistics:
    def test_count_a_planted_bar(self, bar: Store):
        interactions = history(
            *(("anna", "daiquiri", 0), ("anna", "gimlet", 10), ("anna", "mojito", 10)),
            *(("ben", "daiquiri", 100), ("cleo", "daiquiri", None)),
        )
        ingest_history(bar, BAR, interactions, by=None)
        told = domain_statistics(bar, BAR)
        ((drinks,),) = bar.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'")
        assert (told.users, told.items, told.interactions) == (3, drinks, 5)
        assert told.density == pytest.approx(5 / (3 * drinks))
        assert told.items_per_user == near(5 / 3, 1, 1, 2.6, 3)
        assert told.users_per_item is not None
        assert (told.users_per_item.median, told.users_per_item.most) == (1.0, 3.0)
        assert told.dated == pytest.approx(0.8)
        assert told.age_days == near(70, 27, 90, 97, 100)
        assert told.span_days == near(5, 1, 5, 9, 10)

    def test_of_an_undated_history_tell_no_ages(self, bar: Store):
        ingest_history(bar, BAR, history(("anna", "daiquiri", None)), by=None)
        told = domain_statistics(bar, BAR)
        assert (told.interactions, told.dated, told.age_days, told.span_days) == (1, 0, None, None)

    def test_name_the_commonest_categories_with_their_share(self, bar: Store):
        told = domain_statistics(bar, BAR)
        kind = BAR.kind_of("category")
        expected = bar.rows(
            "SELECT a.key, count(DISTINCT e.source_id) FROM edge e JOIN node a "
            "ON a.node_id = e.target_id WHERE a.kind = ? GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 8",
            [kind],
        )
        assert [round(one.share * told.items) for one in told.categories] == [
            count for _, count in expected
        ]
        assert told.categories

    def test_of_an_empty_domain_are_all_nothing(self, bar: Store):
        elsewhere = msgspec.structs.replace(BAR, name="nowhere")
        told = domain_statistics(bar, elsewhere)
        assert (told.users, told.items, told.interactions, told.density) == (0, 0, 0, 0)
        assert told.items_per_user is None
        assert told.categories == ()


class TestGrammar:
    @settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
    @given(st.data(), st.sets(st.sampled_from(FEATURES), max_size=3))
    def test_lets_through_only_what_parses(self, data, taken):
        grammar = as_regex(rule_grammar(FILMS, taken))
        text = data.draw(st.from_regex(grammar, fullmatch=True))
        (rule,) = parse_rules(f'rules "a" for "b" rule "c": {text}', source="model").rules
        assert statistics_text(rule) not in taken
        assert not rule.drops

    @pytest.mark.parametrize("text", [TIE, SHARED, AGE, KIND, MEMORY])
    def test_lets_every_sort_of_rule_through_until_its_feature_is_taken(self, text):
        feature = text.split()[1]
        assert as_regex(rule_grammar(FILMS, ())).fullmatch(text)
        assert not as_regex(rule_grammar(FILMS, {feature})).fullmatch(text)

    @pytest.mark.parametrize(
        "text",
        [
            "enough",
            TIE.replace("0.5", "0.55"),
            TIE.replace("2.0", "9.0"),
            AGE.replace("90", "365"),  # nothing is that old
            AGE.replace(">", "<"),  # the newest would fade and the oldest would not
            KIND.replace("<", ">"),  # the best would be filtered
            KIND.replace(" keeping 0.3", ""),
            TIE.replace('"Ties hold."', '"Ties" hold."'),
        ],
    )
    def test_keeps_out_what_no_neighbour_meets_or_nobody_wants(self, text):
        assert not as_regex(rule_grammar(FILMS, ())).fullmatch(text)

    def test_offers_no_rule_on_age_where_nothing_is_dated(self):
        undated = msgspec.structs.replace(FILMS, age_days=None, span_days=None, dated=0.0)
        assert "recency_days" not in rule_grammar(undated, ())

    def test_lets_the_model_end_only_when_it_may(self):
        assert as_regex(rule_grammar(FILMS, (), may_stop=True)).fullmatch("enough")


class TestGeneration:
    def test_stops_at_three_rules_when_the_model_has_had_enough(self):
        model = ScriptedModel([TIE, SHARED, AGE, "enough"])
        rules = generate_rules(model, FILMS)
        assert (rules.source, rules.domain) == ("model", "movies")
        assert [rule.name for rule in rules.rules] == [
            "Score by tie",
            "Weight of tie by shared items",
            "Decay by age",
        ]
        assert parse_rules(format_rules(rules), source="model") == rules

    def test_stops_at_five(self):
        model = ScriptedModel([TIE, SHARED, AGE, KIND, MEMORY])
        assert len(generate_rules(model, FILMS).rules) == 5
        assert model.calls == 5

    def test_without_ages_is_over_when_the_four_other_features_are_taken(self):
        undated = msgspec.structs.replace(FILMS, age_days=None, span_days=None, dated=0.0)
        model = ScriptedModel([TIE, SHARED, KIND, MEMORY])
        assert len(generate_rules(model, undated).rules) == 4
        assert model.calls == 4

    def test_tells_the_model_the_figures_and_its_own_rules_so_far(self):
        model = ScriptedModel([TIE, SHARED, AGE, "enough"])
        generate_rules(model, FILMS)
        told = " ".join(message.content for message in model.prompts[-1])
        assert "943 people, 1,682 items, 100,000 interactions: 6.30% of all pairs" in told
        assert "drama 43%, < |im_end|>comedy 30%" in told
        assert all(rule in told for rule in (TIE, SHARED, AGE))

    @pytest.mark.parametrize(
        ("answers", "told"),
        [
            (["enough"], "expected if or always, found enough"),
            (["I think that"], "The model wrote no rule"),
            ([TIE[:-1]], "in double quotes"),
            ([TIE, TIE.replace("2.0", "3.0")], "two rules about edge_weight"),
            (
                [TIE.replace("if edge_weight > 0.5", "always")],
                "exactly one rule, of exactly one condition",
            ),
            ([f'{TIE} rule "x": {AGE}'], "exactly one rule"),
            ([TIE.replace("2.0", "99")], "expected a number from 0 to 10"),
            ([TIE + " and so on"], "expected rule, found and"),
        ],
    )
    def test_an_answer_that_is_no_new_rule_is_a_model_error(self, answers, told):
        with pytest.raises(ModelError, match=told):
            generate_rules(ScriptedModel(answers), FILMS)

    def test_nothing_is_asked_of_a_domain_in_which_nobody_did_anything(self):
        nobody = msgspec.structs.replace(FILMS, users=0, interactions=0, items_per_user=None)
        model = ScriptedModel([])
        with pytest.raises(InputError, match="Nobody did anything"):
            generate_rules(model, nobody)
        assert model.calls == 0


@pytest.mark.real
def test_a_real_model_writes_rules_that_parse_and_differ(require_model):
    require_model("smollm2-135m")
    with ModelProcess(model_path("smollm2-135m")) as model:
        rules = generate_rules(model, FILMS, seed=3)
    assert 3 <= len(rules.rules) <= 5
    assert len(set(map(statistics_text, rules.rules))) == len(rules.rules)
    assert parse_rules(format_rules(rules), source="model") == rules
