from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelError
from localrec.llm.chat_template import ChatTemplate

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def test_pieces_alternate_between_template_and_content():
    pieces = ChatTemplate(CHATML).render([Message("system", "Be brief."), Message("user", "Hi")])
    assert [(piece.text, piece.trusted) for piece in pieces] == [
        ("<|im_start|>system\n", True),
        ("Be brief.", False),
        ("<|im_end|>\n<|im_start|>user\n", True),
        ("Hi", False),
        ("<|im_end|>\n<|im_start|>assistant\n", True),
    ]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_no_content_ever_reaches_a_trusted_piece(contents):
    messages = [Message("user", content) for content in contents]
    pieces = ChatTemplate(CHATML).render(messages)
    assert [piece.text for piece in pieces if not piece.trusted] == contents
    plain = ChatTemplate(CHATML).render([Message("user", "x") for _ in contents])
    assert [piece for piece in pieces if piece.trusted] == [p for p in plain if p.trusted]


def test_a_content_that_is_jinja_or_a_placeholder_stays_text():
    for content in ("{{ messages }}", "{% raw %}", "\ue0000\ue001"):
        pieces = ChatTemplate(CHATML).render([Message("user", content)])
        assert pieces[1].text == content


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{% for %}", "does not compile"),
        ("{{ raise_exception('no system role') }}", "no system role"),
        ("{{ messages[-1].content }}", "leaves out"),
        ("{% for m in messages|reverse %}{{ m.content }}{% endfor %}", "reorders"),
        ("{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}", "repeats"),
        ("{{ messages[7].content + 1 }}", "refuses"),
        ("{{ ''.__class__.__mro__ }}", "refuses"),
    ],
)
def test_a_template_that_cannot_be_used_is_named(source, reason):
    with pytest.raises(ModelError, match=reason):
        ChatTemplate(source).render([Message("user", "a"), Message("assistant", "b")])


def test_an_empty_conversation_is_refused():
    with pytest.raises(ModelError):
        ChatTemplate(CHATML).render([])


def test_the_space_before_an_answer_is_read_off_the_template():
    spaced = (
        "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
        "{% else %} {{ m.content }}</s>{% endif %}{% endfor %}"
    )
    assert ChatTemplate(spaced).answer_lead() == " "
    assert ChatTemplate(CHATML).answer_lead() == ""
