"""What a judge gets to see: made of answers or rationales, blind, with twins that are worse."""

import json

import msgspec
import pytest

from localrec.data.answers import Answer
from localrec.evaluation.explanations.explanation_records import (
    GROUNDED,
    ExplanationRecord,
    Rationale,
    explained_answers,
    explained_rationales,
    read_run_records,
)
from localrec.evaluation.explanations.samples import (
    OWN_EXPLANATION,
    Sample,
    read_samples,
    samples_of,
    with_controls,
    write_samples,
)
from localrec.foundation.errors import InputError

from .conftest import ROWS, answered, asked, edge, told

SMOKY = (
    told(
        "Peat Sour",
        edge("Peat Sour", "HAS_INGREDIENT", "scotch whisky", "60 ml"),
        reason="Peat Sour has Scotch whisky and no olive.",
    ),
    told(
        "Smoke Signal",
        edge("Smoke Signal", "HAS_INGREDIENT", "mezcal", "45 ml"),
        reason="Smoke Signal has mezcal.",
    ),
)


def explained(number, system="ours", **fields):
    return ExplanationRecord(
        **{
            "id": f"q{number}",
            "system": system,
            "request": f"question {number}",
            "recommended": f"Fizz {number}",
            "explanation": f"Fizz {number} has juice {number}.",
            "invented": f"Fizz {number} has tar.",
            **fields,
        }
    )


BOTH = [explained(number, system) for system in ("ours", "theirs") for number in range(9)]


class TestAnswers:
    def test_carry_what_was_checked(self, truth):
        (made,) = explained_answers("marc", [answered(*SMOKY)], [asked(exclude=("egg",))], truth)
        assert made.checks == {"constraints": 0.5, "grounded": 1.0}
        assert made.recommended == "Peat Sour, Smoke Signal"
        assert made.explanation == (
            "Peat Sour has Scotch whisky and no olive. Smoke Signal has mezcal."
        )
        assert "Peat Sour: " in made.facts
        assert "ginger ale" in made.facts

    def test_to_a_question_that_is_not_gold_are_checked_for_their_claims_alone(self, truth):
        other = msgspec.structs.replace(asked(), query="another text under the same id")
        (made,) = explained_answers("marc", [answered(*SMOKY)], [other], truth)
        assert set(made.checks) == {"grounded"}

    def test_are_left_out_where_nothing_was_said(self, truth):
        assert explained_answers("marc", [answered(told("Peat Sour"))], [], truth) == []

    def test_count_only_what_is_shown(self, truth):
        invented = told("Nutty Blue", edge("Nutty Blue", "HAS_INGREDIENT", "gold"), reason="Gold!")
        (made,) = explained_answers("marc", [answered(*SMOKY, *SMOKY[:1], invented)], [], truth)
        assert made.checks == {"grounded": 1.0}
        assert "Nutty Blue" not in made.recommended + made.explanation

    def test_have_a_twin_whose_claims_are_not_true_of_the_item(self, truth):
        (made,) = explained_answers("marc", [answered(*SMOKY)], [], truth)
        assert made.invented_grounded < made.checks[GROUNDED]
        assert "Scotch whisky" not in made.invented
        assert "mezcal" not in made.invented
        assert made.invented.startswith("Peat Sour has ")
        for item, false in (("peat-sour", made.invented.split()[3]), ("smoke-signal", "")):
            assert not false or false not in {link.written for link in truth.items[item].links}

    def test_keep_the_items_name_in_the_twin_even_where_it_holds_the_word(self, truth):
        blue = told(
            "Nutty Blue", edge("Nutty Blue", "HAS_COLOUR", "blue"), reason="Nutty Blue is blue."
        )
        (made,) = explained_answers("marc", [answered(blue)], [], truth)
        assert made.invented.startswith("Nutty Blue is ")
        assert made.invented != made.explanation

    def test_never_have_a_twin_that_tells_the_truth(self, truth):
        glasses = {"coupe glass", "highball glass"}
        for row in ROWS:
            (own,) = [link.name for link in row.links if link.kind == "glass"]
            cited = edge(row.name, "HAS_GLASSTYPE", own)
            answer = answered(told(row.name, cited, reason=f"{row.name} comes in a {own}."))
            (made,) = explained_answers("marc", [answer], [], truth)
            (other,) = glasses - {own}
            assert made.invented == f"{row.name} comes in a {other}."

    def test_that_cite_nothing_have_no_such_twin(self, truth):
        (made,) = explained_answers("x", [answered(told("Peat Sour", reason="Nice."))], [], truth)
        assert (made.invented, made.checks) == ("", {})


class TestRationales:
    lines = (
        Rationale(id="r1", user="ann", item="smoke-signal", rationale="You like smoke."),
        Rationale(id="r2", user="bob", item="unheard-of", rationale="New to you."),
        Rationale(id="r3", user="ann", item="peat-sour", rationale=" "),
    )

    def made(self, truth):
        likes = {"ann": ("peat-sour", "smoke-signal", "gone")}
        return explained_rationales("memrec", self.lines, lambda one: likes.get(one, ()), truth)

    def test_are_told_with_what_the_person_likes_but_not_with_the_item_itself(self, truth):
        first, _ = self.made(truth)
        assert first.request == "something for a person who likes Peat Sour"
        assert first.recommended == "Smoke Signal"
        assert "mezcal" in first.facts
        assert first.group == "ann"

    def test_of_strangers_and_of_unknown_items_are_judged_as_they_are(self, truth):
        _, second = self.made(truth)
        assert second.request == "something for a person of whom nothing is known"
        assert (second.recommended, second.facts) == ("unheard-of", "")


class TestADraw:
    def test_is_blind(self, tmp_path):
        write_samples(tmp_path / "samples.jsonl", samples_of(BOTH, 6, seed=1))
        lines = (tmp_path / "samples.jsonl").read_text().splitlines()
        assert {tuple(json.loads(line)) for line in lines} == {
            ("id", "asked", "recommended", "explanation", "group")
        }
        for secret in ("ours", "theirs", "exchanged", "invented", OWN_EXPLANATION):
            assert secret not in "\n".join(lines)

    def test_names_the_person_in_every_line_that_tells_of_their_taste(self, tmp_path):
        theirs = [explained(number, group="ann") for number in range(4)]
        write_samples(tmp_path / "samples.jsonl", samples_of(theirs, 4, seed=1))
        assert all('"ann"' in line for line in (tmp_path / "samples.jsonl").open())
        for line in (tmp_path / "samples-key.jsonl").open():
            assert ('"ann"' in line) == ('"exchanged"' in line)

    def test_is_read_back_with_its_key(self, tmp_path):
        samples = samples_of(BOTH, 6, seed=1)
        write_samples(tmp_path / "samples.jsonl", samples)
        assert read_samples(tmp_path / "samples.jsonl") == samples

    def test_without_its_key_can_still_be_rated(self, tmp_path):
        write_samples(tmp_path / "samples.jsonl", samples_of(BOTH, 6, seed=1))
        (tmp_path / "samples-key.jsonl").unlink()
        assert {one.system for one in read_samples(tmp_path / "samples.jsonl")} == {""}

    def test_takes_the_same_questions_of_every_system(self):
        samples = [one for one in samples_of(BOTH, 4, seed=1) if not one.control]
        of = {name: {s.group for s in samples if s.system == name} for name in ("ours", "theirs")}
        assert of["ours"] == of["theirs"]
        assert len(of["ours"]) == 4

    def test_leaves_out_what_one_of_them_did_not_explain(self):
        partial = [*BOTH[:9], *BOTH[9:12]]
        groups = {one.group for one in samples_of(partial, 9, seed=1)}
        assert groups == {"q0", "q1", "q2"}

    def test_stands_in_an_order_that_tells_nothing_and_comes_again_with_its_seed(self):
        samples = samples_of(BOTH, 9, seed=1)
        systems = [one.system for one in samples]
        assert systems not in (sorted(systems), sorted(systems)[::-1])
        assert samples == samples_of(BOTH, 9, seed=1)
        assert not {one.id for one in samples} & {one.id for one in samples_of(BOTH, 9, seed=2)}

    def test_that_is_larger_holds_the_genuine_ones_of_the_smaller(self):
        few = {one.id for one in samples_of(BOTH, 4, seed=1) if not one.control}
        assert few < {one.id for one in samples_of(BOTH, 6, seed=1)}

    def test_has_twins_of_both_kinds_that_name_their_genuine_one(self):
        samples = samples_of(BOTH, 8, seed=1)
        by_id = {one.id: one for one in samples}
        controls = [one for one in samples if one.control]
        assert sorted(one.control for one in controls) == ["exchanged"] * 8 + ["invented"] * 8
        for one in controls:
            genuine = by_id[one.control_of]
            assert (genuine.request, genuine.system, genuine.control) == (
                one.request,
                one.system,
                "",
            )
            assert genuine.explanation != one.explanation
        assert {s.checks.get(GROUNDED) for s in controls if s.control == "invented"} == {0.0}

    def test_from_systems_that_share_nothing_is_refused(self):
        with pytest.raises(InputError, match="explained by all of: ours, theirs"):
            samples_of([explained(1), explained(2, "theirs")], 5, seed=1)

    def test_from_nothing_is_refused(self):
        with pytest.raises(InputError, match="no system"):
            samples_of([], 5, seed=1)


def test_a_runs_files_are_read_by_system(tmp_path):
    line = msgspec.json.encode(answered(*SMOKY)) + b"\n"
    for system in ("marc", "marc-no-graph"):
        (tmp_path / f"answers-{system}.jsonl").write_bytes(line)
    read = read_run_records(tmp_path, "answers", Answer)
    assert list(read) == ["marc", "marc-no-graph"]
    assert read["marc"] == [answered(*SMOKY)]
    assert read_run_records(tmp_path, "rationales", Rationale) == {}


def test_a_line_that_is_none_is_named(tmp_path):
    (tmp_path / "rationales-x.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(InputError, match=r"rationales-x\.jsonl, line 1 is no rationale"):
        read_run_records(tmp_path, "rationales", Rationale)


def test_an_exchanged_rationale_tells_whose_words_it_quotes():
    told = [
        Sample(id=f"r{who}", request="a", recommended="b", explanation=f"for {who}", group=who)
        for who in ("anna", "ben")
    ]
    twins = {one.group: one.quotes for one in with_controls(told, 1.0, 7) if one.control}
    assert twins == {"anna": "ben", "ben": "anna"}
