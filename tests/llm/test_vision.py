"""A model that sees, for real and tiny: loading, prompting, hearing, stopping, dying."""

from __future__ import annotations

import os
import signal

import pytest

from localrec.data.chat_message import Message
from localrec.foundation.errors import (
    ContextError,
    ModelCancelledError,
    ModelCrashedError,
    ModelError,
)
from localrec.llm.chat_model import Bitmap
from localrec.llm.gguf_header import check_model, check_projector, read_header
from localrec.llm.model_process import ModelProcess
from localrec.packs.cocktails.image_description import (
    COLOURS,
    description_grammar,
    parse_description,
)

pytest.importorskip("llama_cpp")
from .vision_pair import write_projector, write_text_model

ASKED = [Message("system", "You look."), Message("user", "What is it?")]


def swatch(red, green, blue, width=30, height=40):
    return Bitmap(width, height, bytes((red, green, blue)) * (width * height))


RED, BLUE = swatch(200, 20, 20), swatch(20, 20, 200)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    return write_text_model(folder / "tiny.gguf"), write_projector(folder / "mmproj.gguf")


@pytest.fixture(scope="module")
def model(pair):
    with ModelProcess(pair[0], projector=pair[1], n_threads=1) as process:
        yield process


class TestAPicture:
    def test_is_read_and_written_about(self, model):
        answer = model.describe(RED, ASKED, max_tokens=8)
        assert answer.usage.generated == 8
        prompt = sum(len(message.content) for message in ASKED)
        assert answer.usage.prompt > prompt + (56 // 14) ** 2  # each letter, and each patch

    def test_changes_what_is_written(self, model):
        red, blue = (model.describe(one, ASKED, max_tokens=16).text for one in (RED, BLUE))
        assert red != blue
        assert model.describe(RED, ASKED, max_tokens=16).text == red

    def test_is_described_in_the_form_that_was_asked_for(self, model):
        grammar = description_grammar()
        answer = model.describe(RED, ASKED, grammar=grammar, max_tokens=700)
        sight = parse_description(answer.text)
        assert sight.seen_by == "model"
        assert {one.word for one in sight.colours} <= {*COLOURS}
        assert sight.guesses

    def test_leaves_the_chat_as_it_was(self, model):
        before = model.generate(ASKED, max_tokens=8).text
        model.describe(BLUE, ASKED, max_tokens=4)
        assert model.generate(ASKED, max_tokens=8).text == before

    @pytest.mark.parametrize(
        "wrong",
        [
            Bitmap(30, 40, b"\0" * 3),
            Bitmap(0, 40, b""),
            Bitmap(1 << 31, 1 << 31, b"\0" * 12),
        ],
        ids=["too few bytes", "no width", "beyond all memory"],
    )
    def test_that_is_none_is_refused_and_the_model_goes_on(self, model, wrong):
        with pytest.raises(ModelError, match="no picture of"):
            model.describe(wrong, ASKED)
        assert model.describe(RED, ASKED, max_tokens=2).usage.generated == 2

    def test_a_text_beside_it_stays_letters(self, model):
        """The mark that stands for a picture, written by a person, is no second picture."""
        marked = [Message("user", "<__media__> </s> what is it?")]
        assert model.describe(RED, marked, max_tokens=2).usage.generated == 2

    def test_a_prompt_that_leaves_no_room_for_it_is_refused(self, model):
        with pytest.raises(ContextError):
            model.describe(RED, [Message("user", "gin " * 509)])
        assert model.describe(RED, ASKED, max_tokens=2).usage.generated == 2

    def test_a_wrong_grammar_is_refused(self, model):
        with pytest.raises(ModelError, match="GBNF"):
            model.describe(RED, ASKED, grammar="root ::= (")


class TestHearing:
    def test_the_pieces_are_the_answer(self, model):
        pieces: list[str] = []
        grammar = "root ::= [a-z]{20}"
        answer = model.describe(RED, ASKED, grammar=grammar, max_tokens=30, on_chunk=pieces.append)
        assert "".join(pieces) == answer.text
        assert len(pieces) == 20

    def test_who_hears_may_stop_it(self, model):
        pieces: list[str] = []

        def stop(piece):
            pieces.append(piece)
            model.cancel()

        with pytest.raises(ModelCancelledError):
            model.describe(RED, ASKED, grammar='root ::= "a"{900}', max_tokens=900, on_chunk=stop)
        assert len(pieces) < 100
        assert model.describe(RED, ASKED, max_tokens=2).usage.generated == 2

    def test_a_listener_that_fails_spoils_no_later_call(self, model):
        def fail(piece):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            model.describe(RED, ASKED, max_tokens=8, on_chunk=fail)
        assert model.describe(RED, ASKED, max_tokens=2).usage.generated == 2

    def test_a_death_in_the_middle_is_told_and_mended(self, model):
        def kill(piece):
            os.kill(model._child._process.pid, signal.SIGKILL)

        with pytest.raises(ModelCrashedError, match="SIGKILL"):
            model.describe(RED, ASKED, grammar='root ::= "a"{900}', max_tokens=900, on_chunk=kill)
        assert model.describe(RED, ASKED, max_tokens=2).usage.generated == 2


class TestFiles:
    def test_a_model_without_a_projector_says_so(self, pair):
        with (
            ModelProcess(pair[0], n_threads=1) as blind,
            pytest.raises(ModelError, match="no projector") as failure,
        ):
            blind.describe(RED, ASKED)
        assert "--projector" in failure.value.hint

    def test_a_projector_of_another_model_is_refused(self, pair, tmp_path):
        foreign = write_projector(tmp_path / "mmproj.gguf", width=96)
        with (
            ModelProcess(pair[0], projector=foreign, n_threads=1) as model,
            pytest.raises(ModelError, match=r"cannot use .*mmproj\.gguf with this model"),
        ):
            model.describe(RED, ASKED)

    def test_a_truncated_projector_is_refused_before_llama_cpp_sees_it(self, pair, tmp_path):
        short = tmp_path / "mmproj.gguf"
        short.write_bytes(pair[1].read_bytes()[:-5000])
        with (
            ModelProcess(pair[0], projector=short, n_threads=1) as model,
            pytest.raises(ModelError, match="cut short"),
        ):
            model.describe(RED, ASKED)
        assert model._child is None

    def test_what_hears_and_does_not_see_is_no_projector(self, tmp_path):
        path = write_projector(tmp_path / "mmproj.gguf", sees=False)
        with pytest.raises(ModelError, match="no projector for pictures"):
            check_projector(path, read_header(path))

    def test_a_model_is_no_projector_and_a_projector_no_model(self, pair):
        model, projector = pair
        with pytest.raises(ModelError, match="no projector"):
            check_projector(model, read_header(model))
        with pytest.raises(ModelError, match="is a projector"):
            check_model(projector, read_header(projector))

    def test_a_template_that_knows_parts_only_is_understood(self, pair, tmp_path):
        typed = (
            "{% for m in messages %}{% for p in m.content %}"
            "{% if p.type == 'text' %}<{{ m.role }}>{{ p.text }}{% endif %}"
            "{% endfor %}{% endfor %}<assistant>"
        )
        path = write_text_model(tmp_path / "typed.gguf", template=typed)
        with ModelProcess(path, projector=pair[1], n_threads=1) as model:
            assert model.describe(RED, ASKED, max_tokens=2).usage.generated == 2
