"""Batches: refused whole or answered whole, however often they are cut off in between."""

import json

import pytest

from localrec.data.questions import Question
from localrec.foundation.errors import InputError, UsageError
from localrec.systems.marc import Marc, MarcConfig
from localrec.workspace.batch_runs import answer_batch, read_questions
from tests.images.pictures import encoded, plain

QUESTIONS = [
    Question(id=str(number), query=query)
    for number, query in enumerate(
        ("a gin drink", "like a negroni", "something blue", "no spirit", "", "a sour \N{LEMON}"), 1
    )
]


def written(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def a_question(number, query="gin"):
    return json.dumps({"id": number, "query": query})


@pytest.fixture
def asked_file(tmp_path):
    return tmp_path / "questions.jsonl"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "answers.jsonl"


@pytest.fixture
def answer_all(bar, out):
    """Answers a batch into `out`; gives the summary and the texts that were asked."""

    def run(questions=QUESTIONS, progress=lambda done, total: None, into=out):
        asked = []

        def system_for(question):
            asked.append(question.query)
            return Marc(bar, MarcConfig())

        return answer_batch(system_for, questions, into, 3, progress), asked

    return run


def told(path):
    """The answers of a file, without what differs from run to run."""
    answers = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{key: answer[key] for key in answer if key != "timings_ms"} for answer in answers]


class TestReading:
    def test_takes_every_question_with_what_belongs_to_it(self, asked_file):
        line = {"id": "q1", "query": "gin", "have": "lime", "image": "a.png", "user": "ann"}
        written(asked_file, json.dumps(line), "", a_question(2), "   ")
        picture = asked_file.parent / "a.png"
        picture.write_bytes(encoded(plain(), "PNG"))
        first, second = read_questions(asked_file)
        told = {"query": "gin", "have": "lime", "user": "ann"}
        assert first == Question(id="q1", image=str(picture), **told)
        assert second == Question(id="2", query="gin")

    def test_ignores_fields_it_does_not_know(self, asked_file):
        written(asked_file, '{"id": 1, "query": "gin", "gold": {"include": ["gin"]}}')
        assert read_questions(asked_file) == [Question(id="1", query="gin")]

    def test_takes_lines_ended_by_windows_and_a_last_one_without_an_end(self, asked_file):
        asked_file.write_bytes(f"{a_question(1)}\r\n{a_question(2)}".encode())
        assert [one.id for one in read_questions(asked_file)] == ["1", "2"]

    @pytest.mark.parametrize(
        "line",
        [
            "not json",
            "[]",
            '"gin"',
            '{"id": "1"}',
            '{"query": "gin"}',
            '{"id": null, "query": "gin"}',
            '{"id": 1.5, "query": "gin"}',
            '{"id": 1, "query": ["gin"]}',
            '{"id": 1, "query": "gin"',
            '{"id": 1, "query": "gin"} {"id": 2, "query": "rum"}',
        ],
    )
    def test_names_the_line_that_is_no_question(self, asked_file, line):
        written(asked_file, a_question("a"), "", line, a_question("b"))
        with pytest.raises(InputError, match="line 3 is no question") as caught:
            read_questions(asked_file)
        assert str(asked_file) in caught.value.message
        assert caught.value.hint

    def test_names_a_line_that_is_no_text(self, asked_file):
        asked_file.write_bytes(a_question(1).encode() + b'\n{"id": 2, "query": "\xff"}\n')
        with pytest.raises(InputError, match="line 2"):
            read_questions(asked_file)

    def test_names_a_line_beyond_all_measure(self, asked_file):
        written(asked_file, a_question(1), a_question(2, "gin" * 400_000))
        with pytest.raises(InputError, match="line 2 is 1,2"):
            read_questions(asked_file)

    @pytest.mark.parametrize("first", ["7", 7])
    def test_names_both_lines_of_an_id_that_comes_twice(self, asked_file, first):
        written(asked_file, a_question(first), a_question(1), a_question("7"))
        with pytest.raises(InputError, match=r"line 3: the id '7' is that of line 1 too"):
            read_questions(asked_file)

    @pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n"])
    def test_refuses_a_file_without_questions(self, asked_file, content):
        asked_file.write_bytes(content)
        with pytest.raises(InputError, match="holds no question"):
            read_questions(asked_file)

    def test_names_a_file_that_is_not_there_or_is_a_folder(self, tmp_path):
        for path in (tmp_path / "nowhere.jsonl", tmp_path):
            with pytest.raises(InputError, match="cannot be read"):
                read_questions(path)


class TestAnswering:
    def test_writes_a_line_per_question_in_their_order(self, answer_all, out):
        summary, asked = answer_all()
        assert (summary.questions, summary.answered, summary.resumed) == (6, 6, 0)
        assert [answer["id"] for answer in told(out)] == [question.id for question in QUESTIONS]
        assert asked == [question.query for question in QUESTIONS]

    def test_makes_the_folder_it_writes_to(self, answer_all, tmp_path):
        deep = tmp_path / "a" / "b" / "answers.jsonl"
        answer_all(into=deep)
        assert len(told(deep)) == 6

    def test_done_again_asks_nothing_and_leaves_every_byte(self, answer_all, out):
        answer_all()
        before = out.read_bytes()
        summary, asked = answer_all()
        assert (summary.answered, summary.resumed, asked) == (0, 6, [])
        assert out.read_bytes() == before

    def test_goes_on_with_questions_that_were_added(self, answer_all, out):
        answer_all(QUESTIONS[:2])
        summary, asked = answer_all()
        assert (summary.answered, summary.resumed) == (4, 2)
        assert asked == [question.query for question in QUESTIONS[2:]]

    def test_says_how_far_it_is(self, answer_all):
        answer_all(QUESTIONS[:2])
        seen = []
        answer_all(progress=lambda done, total: seen.append((done, total)))
        assert seen == [(2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]

    @pytest.mark.parametrize("left", [1, 2, 40, 4000])
    def test_removes_a_torn_last_line_and_answers_it_again(self, answer_all, out, tmp_path, left):
        whole = tmp_path / "whole.jsonl"
        answer_all(into=whole)
        lines = whole.read_bytes().splitlines(keepends=True)
        torn = lines[3][: min(left, len(lines[3]) - 1)]
        out.write_bytes(b"".join(lines[:3]) + torn)
        summary, _ = answer_all()
        assert (summary.resumed, summary.answered) == (3, 3)
        assert told(out) == told(whole)

    @pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
    @pytest.mark.parametrize("stopped_at", [0, 1, 5])
    def test_cut_off_and_continued_is_as_if_nothing_had_happened(
        self, answer_all, out, tmp_path, error, stopped_at
    ):
        def stop(done, total):
            if done == stopped_at:
                raise error

        whole = tmp_path / "whole.jsonl"
        answer_all(into=whole)
        with pytest.raises(error):
            answer_all(progress=stop)
        assert told(out) == told(whole)[:stopped_at]
        answer_all()
        assert told(out) == told(whole)

    def test_each_answer_is_on_disk_before_the_next_question(self, answer_all, out):
        seen = []
        answer_all(progress=lambda done, total: seen.append(len(told(out)) if out.exists() else 0))
        assert seen == [0, 1, 2, 3, 4, 5, 6]

    @pytest.mark.parametrize(
        "content",
        ["dear diary\n", '{"query": "gin"}\n', '{"id": 5}\n', "[1]\n", "\n", "dear diary\nand so"],
    )
    def test_refuses_a_file_of_something_else(self, answer_all, out, content):
        out.write_text(content)
        with pytest.raises(UsageError, match="line 1 is no answer") as caught:
            answer_all()
        assert "--out" in caught.value.hint
        assert out.read_text().startswith(content.splitlines()[0])
