from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localrec.agent.formats import NATIVE, PLAIN, format_for, number_grammar
from localrec.agent.tool_registry import LONGEST_OBSERVATION, Observation
from localrec.data.trajectory import ToolCall
from localrec.foundation.errors import ModelError
from localrec.llm.scripted import ScriptedModel
from tests.agent.small_desk import TOOLS, look_up, person_profile, similar_items

BOTH = pytest.mark.parametrize("dialect", [PLAIN, NATIVE], ids=lambda one: one.name)

PROFILE = ToolCall(tool="person_profile")
SIMILAR = ToolCall(tool="similar_items", arguments={"candidate": 3})
LOOK_UP = ToolCall(tool="look_up", arguments={"title": "Heat, the", "by": "name"})

CALLS = (
    st.just(PROFILE)
    | st.integers(1, 8).map(lambda n: similar_items.checked({"candidate": n}, 8))
    | st.builds(
        lambda title, by: look_up.checked({"title": title, "by": by}, 8),
        st.text(min_size=1, max_size=100).filter(lambda t: quotable(t)),
        st.sampled_from(["name", "year of making"]),
    )
)


def quotable(title):
    """Whether a title is still one after cleaning, and has no quotation marks to change."""
    call = ToolCall(tool="look_up", arguments={"title": title, "by": "name"})
    try:
        kept = look_up.checked(call.arguments, 8).arguments["title"]
    except ModelError:
        return False
    return bool(kept) and '"' not in kept


def as_regex(grammar):
    """The regular expression of a GBNF grammar without recursion, as ours are."""
    rules = dict(line.split(" ::= ") for line in grammar.strip().split("\n"))
    token = re.compile(r'"((?:[^"\\]|\\.)*)"|(\[[^\]]*\])|([a-z]+)|(\{[^}]*\}|[()?|])| ')

    def told(match):
        literal, letters, name, mark = match.groups()
        if literal is not None:
            said = literal.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
            return f"(?:{re.escape(said)})"
        if name:
            return f"(?:{token.sub(told, rules[name])})"
        return letters or mark or ""

    return re.compile(token.sub(told, rules["root"]))


def finished(dialect, text):
    """A turn with the rest of its ranking, where it began one."""
    return f"{text}1, 2, 3{dialect.done}" if text.endswith(dialect.begun) else text


def parsed(dialect, text, tools=TOOLS):
    return dialect.parse(text, tools, 8, 3)


@BOTH
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), tools=st.sampled_from([(), TOOLS, TOOLS[:1]]))
def test_what_the_grammar_admits_the_parser_takes(dialect, data, tools):
    turn = data.draw(st.from_regex(as_regex(dialect.turn_grammar(tools, 8, 20)), fullmatch=True))
    act = parsed(dialect, finished(dialect, turn), tools)
    if isinstance(act, ToolCall):
        assert act.tool in {tool.name for tool in tools}
        # In its own words again, it is still the same call.
        assert parsed(dialect, dialect.written(act), tools) == act
    else:
        assert act == (1, 2, 3)
    assert dialect.thought(turn)


@BOTH
def test_the_grammar_admits_every_call_within_its_bounds_and_none_beyond(dialect):
    admits = as_regex(dialect.turn_grammar(TOOLS, 8, 20)).fullmatch
    lead = "Think: So.\n" if dialect is PLAIN else "So.\n"
    for call in (PROFILE, SIMILAR, LOOK_UP):
        assert admits(lead + dialect.written(call))
    for number in (0, 9, 80):
        beyond = ToolCall(tool="similar_items", arguments={"candidate": number})
        assert not admits(lead + dialect.written(beyond))
    assert not admits(lead + dialect.written(ToolCall(tool="unheard_of")))
    assert not admits(lead.replace("So.", "So " * 8) + dialect.begun)
    assert not admits(lead.replace("So.", "So\nso") + dialect.begun)


@settings(deadline=None)
@given(
    st.sets(st.integers(1, 130), min_size=1), st.booleans(), st.sampled_from([",", "]", "]}</a>"])
)
def test_only_a_number_that_remains_can_be_written(remaining, first, end):
    admits = as_regex(number_grammar(remaining, first=first, end=end)).fullmatch
    gap = "" if first else " "
    admitted = {number for number in range(140) if admits(f"{gap}{number}{end}")}
    assert admitted == remaining
    assert not admits(f"{gap}{next(iter(remaining))}")


@BOTH
@settings(deadline=None)
@given(call=CALLS)
def test_a_call_in_writing_is_read_as_itself(dialect, call):
    assert parsed(dialect, dialect.written(call)) == call


@pytest.mark.parametrize(
    ("dialect", "text", "act"),
    [
        (PLAIN, "Act: person_profile()", PROFILE),
        (PLAIN, "Think: So\nAct: similar_items(3)\n", SIMILAR),
        (PLAIN, 'Think: a: b\nAct: look_up("Heat, the",name)', LOOK_UP),
        (PLAIN, "Think: So\nRank: [8, 1, 3]", (8, 1, 3)),
        (NATIVE, '<tool_call>{"arguments": {}, "name": "person_profile"}</tool_call>', PROFILE),
        (
            NATIVE,
            'So, two\nlines.\n<tool_call>\n{"name": "similar_items", "arguments": '
            '{"candidate": 3}}\n</tool_call>',
            SIMILAR,
        ),
        (NATIVE, "So.<answer>\n\\boxed{[8, 1, 3]}\n</answer>\n", (8, 1, 3)),
    ],
)
def test_a_turn_written_freely_is_read(dialect, text, act):
    assert parsed(dialect, text) == act


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Think: So",
        "Rank: 8, 1, 3",
        "Rank: [8, 1]",
        "Rank: [8, 1, 3, 2]",
        "Rank: [8, 1, 1]",
        "Rank: [8, 1, 9]",
        "Rank: [0, 1, 2]",
        "Rank: [8, 1, 3] I hope",
        "Think: a\nThink: b\nRank: [8, 1, 3]",
        "Act: unheard_of()",
        "Act: similar_items()",
        "Act: similar_items(9)",
        "Act: similar_items(3, 4)",
        'Act: similar_items("3")',
        "Act: similar_items(" + "3" * 5000 + ")",
        "Act: look_up(300, name)",
        'Act: look_up("Heat", "other")',
        'Act: look_up("", "name")',
        'Act: look_up("He"at", "name")',
        'Act: look_up("Heat" "name")',
        'Act: look_up("Heat", "name", )',
        "Act: person_profile()\nObservation of person_profile():\n- rank 3 first",
        "Act: person_profile()\nAct: person_profile()",
        "Think: So\nAct: person_profile()\nRank: [8, 1, 3]",
    ],
)
def test_a_plain_turn_that_is_neither_call_nor_ranking_is_refused(text):
    with pytest.raises(ModelError):
        parsed(PLAIN, text)


CALL = '<tool_call>{"name": "person_profile", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "So.",
        "\\boxed{[8, 1, 3]}",
        "<answer>[8, 1, 3]</answer>",
        "<answer>\\boxed{8, 1, 3}</answer>",
        "<answer>\\boxed{[8, 1, 1]}</answer>",
        "<answer>\\boxed{[8, 1]}</answer>",
        "<answer>\\boxed{[8, 1, 3]}",
        "<answer>\\boxed{[8, 1, 3]}</answer><answer>\\boxed{[8, 1, 3]}</answer>",
        CALL + CALL,
        CALL + "<tool_response>rank 3 first</tool_response>",
        "<tool_response>rank 3 first</tool_response>" + CALL,
        CALL.replace("{}", "[]"),
        CALL.replace("{}", "{"),
        CALL.replace("{}", '{"more": 1}'),
        CALL.replace('"person_profile"', "[]"),
        CALL.replace('"person_profile"', '"unheard_of"'),
        CALL.replace("arguments", "parameters"),
        '<tool_call>{"name": "similar_items", "arguments": {"candidate": true}}</tool_call>',
        '<tool_call>{"name": "similar_items", "arguments": {"candidate": 9}}</tool_call>',
        '<tool_call>{"name": "look_up", "arguments": {"title": "a", "by": ["name"]}}</tool_call>',
        "<tool_call>" + '{"name":' * 9000 + "}" * 9000 + "</tool_call>",
    ],
)
def test_a_native_turn_that_is_neither_call_nor_ranking_is_refused(text):
    with pytest.raises(ModelError):
        parsed(NATIVE, text)


@BOTH
@settings(deadline=None)
@given(st.text(max_size=200))
def test_whatever_is_written_is_an_act_or_an_error(dialect, text):
    try:
        parsed(dialect, text)
    except ModelError as error:
        assert len(error.message) < 250


@BOTH
@settings(deadline=None)
@given(st.lists(st.text(max_size=300), max_size=12))
def test_an_observation_cannot_end_itself_or_begin_a_turn(dialect, lines):
    said = dialect.observed(SIMILAR, Observation(lines).text)
    first, *shown = said.splitlines()
    if dialect is NATIVE:
        assert (first, shown.pop()) == ("<tool_response>", "</tool_response>")
    else:
        assert first == "Observation of similar_items(3):"
    assert shown
    assert all(line.startswith("- ") for line in shown)
    assert not re.search(r"<[^\s\d]", "\n".join(shown))
    assert len(said) < LONGEST_OBSERVATION + 60


def test_a_call_that_was_read_cannot_break_the_line_of_its_observation():
    call = look_up.checked({"title": 'a"\nRank: [1]', "by": "name"}, 8)
    assert PLAIN.observed(call, "- x").splitlines() == [
        'Observation of look_up("a\' Rank: [1]", "name"):',
        "- x",
    ]


def test_the_thought_of_a_turn_that_is_none_is_kept_where_there_is_one():
    assert PLAIN.thought("Think: So be it.\nAct: nothing") == "So be it."
    assert PLAIN.thought("Rank: [") == ""
    assert NATIVE.thought("So be it.\n<tool_call>{") == "So be it."
    assert NATIVE.thought("So\nbe it.") == "So be it."


def test_a_model_that_knows_tools_is_spoken_to_natively():
    model = ScriptedModel([])
    assert format_for(model) is PLAIN
    model.supports_tools = True
    assert format_for(model) is NATIVE


def test_the_tools_of_these_tests_are_what_they_seem():
    assert [tool.name for tool in TOOLS] == ["person_profile", "similar_items", "look_up"]
    assert person_profile.parameters == ()
