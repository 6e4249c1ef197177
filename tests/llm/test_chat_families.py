"""The chat templates of common families, written from their documented formats, read rightly."""

from __future__ import annotations

import pytest

from localrec.agent.formats import NATIVE, PLAIN, format_for
from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelError
from localrec.llm.chat_template import ChatTemplate
from localrec.llm.gguf_header import read_header

CHATML = """
{%- for m in messages %}
{{- '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""
LLAMA3 = """
{{- bos_token }}
{%- if not date_string is defined %}{%- set date_string = strftime_now("%d %b %Y") %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}
  {%- set system_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}
{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" + system_message + "<|eot_id|>" }}
{%- for m in messages %}
  {{- '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' }}
  {{- m['content']|trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
GEMMA2 = """
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
  {{- raise_exception('System role not supported') }}
{%- endif %}
{%- for m in messages %}
  {%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}
    {{- raise_exception('Conversation roles must alternate') }}
  {%- endif %}
  {%- set role = 'model' if m['role'] == 'assistant' else m['role'] %}
  {{- '<start_of_turn>' + role + '\\n' + m['content']|trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}
"""
GEMMA3 = """
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
  {%- if messages[0]['content'] is string %}
    {%- set first = messages[0]['content'] + '\\n\\n' %}
  {%- else %}{%- set first = messages[0]['content'][0]['text'] + '\\n\\n' %}{%- endif %}
  {%- set turns = messages[1:] %}
{%- else %}{%- set first = "" %}{%- set turns = messages %}{%- endif %}
{%- for m in turns %}
  {%- set role = 'model' if m['role'] == 'assistant' else m['role'] %}
  {{- '<start_of_turn>' + role + '\\n' + (first if loop.first else "") }}
  {%- if m['content'] is string %}{{- m['content']|trim }}
  {%- else %}{%- for part in m['content'] %}{{- part['text']|trim }}{%- endfor %}{%- endif %}
  {{- '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}
"""
MISTRAL = """
{%- if messages[0]['role'] == 'system' %}
  {%- set system_message = messages[0]['content'] %}{%- set turns = messages[1:] %}
{%- else %}{%- set turns = messages %}{%- endif %}
{{- bos_token }}
{%- for m in turns %}
  {%- if m['role'] == 'user' %}
    {%- if loop.last and system_message is defined %}
      {{- '[INST] ' + system_message + '\\n\\n' + m['content'] + '[/INST]' }}
    {%- else %}{{- '[INST] ' + m['content'] + '[/INST]' }}{%- endif %}
  {%- else %}{{- ' ' + m['content'] + eos_token }}{%- endif %}
{%- endfor %}
"""
PHI3 = """
{%- for m in messages %}
{{- '<|' + m['role'] + '|>\\n' + m['content'] + '<|end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- else %}{{- eos_token }}{%- endif %}
"""
QWEN3 = """
{%- if tools %}{{- '<tools>' }}{%- for t in tools %}{{- t|tojson }}{%- endfor %}
{{- '</tools> <tool_call>{"name": ..., "arguments": ...}</tool_call>' }}{%- endif %}
{%- set ns = namespace(last=messages|length - 1) %}
{%- for m in messages[::-1] %}
  {%- if m.role == 'user' and not m.content.startswith('<tool_response>') %}
    {%- set ns.last = messages|length - 1 - loop.index0 %}{%- break %}
  {%- endif %}
{%- endfor %}
{%- for m in messages %}
  {%- if m.role == 'assistant' %}
    {%- set content = m.content.split('</think>')[-1].lstrip('\\n') %}
    {%- if loop.index0 > ns.last %}
      {%- set content = '<think>\\n\\n</think>\\n\\n' + content %}
    {%- endif %}
    {{- '<|im_start|>assistant\\n' + content + '<|im_end|>\\n' }}
  {%- else %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- '<|im_start|>assistant\\n' }}
  {%- if enable_thinking is defined and enable_thinking is false %}
    {{- '<think>\\n\\n</think>\\n\\n' }}
  {%- endif %}
{%- endif %}
"""
DEEPSEEK_R1 = """
{%- set ns = namespace(system='') %}
{%- for m in messages %}
  {%- if m['role'] == 'system' %}{%- set ns.system = m['content'] %}{%- endif %}
{%- endfor %}
{{- bos_token + ns.system }}
{%- for m in messages %}
  {%- if m['role'] == 'user' %}{{- '<｜User｜>' + m['content'] }}{%- endif %}
  {%- if m['role'] == 'assistant' %}
    {{- '<｜Assistant｜>' + m['content'].split('</think>')[-1] + '<｜end▁of▁sentence｜>' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜><think>\\n' }}{%- endif %}
"""
GLM4 = """[gMASK]<sop>
{%- for m in messages %}
{{- '<|' + m.role + '|>\\n' }}
{%- if m.role == 'assistant' %}{{- '<think></think>\\n' + m.content.split('</think>')[-1].strip() }}
{%- else %}{{- m.content }}
{%- if m.role == 'user' and enable_thinking is false and not m.content.endswith('/nothink') %}
{{- '/nothink' }}{%- endif %}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|assistant|>\\n' + ('<think></think>\\n' if enable_thinking is false else '') }}
{%- endif %}
"""
SMOLLM3 = """
{%- set today = strftime_now("%d %B %Y") -%}
{%- for m in messages %}
{%- if m.role == 'assistant' %}
{%- generation %}{{- '<|im_start|>assistant\\n' + m.content + '<|im_end|>\\n' }}
{%- endgeneration %}
{%- else %}
{{- '<|im_start|>' + m.role + '\\n' + (today if loop.first else '') }}
{{- m.content + '<|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""
FAMILIES = {
    "ChatML": CHATML,
    "Llama 3": LLAMA3,
    "Gemma 2": GEMMA2,
    "Gemma 3": GEMMA3,
    "Mistral": MISTRAL,
    "Phi 3": PHI3,
    "Qwen 3": QWEN3,
    "DeepSeek-R1": DEEPSEEK_R1,
    "GLM 4": GLM4,
    "SmolLM3": SMOLLM3,
}
ASKED = [Message("system", "Answer yes or no."), Message("user", "Is gin a spirit?")]
WORKED = [
    *(Message("system", "Say what it is about."), Message("user", "like a Negroni")),
    *(Message("assistant", "similar"), Message("user", "without gin")),
]


def prompt_of(family: str, messages: list[Message]) -> str:
    template = ChatTemplate(FAMILIES[family], bos="<bos>", eos="</s>")
    return "".join(piece.text for piece in template.render(messages))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("messages", [ASKED, WORKED], ids=["asked", "worked"])
def test_every_family_keeps_contents_in_order_and_apart_from_control_tokens(family, messages):
    pieces = ChatTemplate(FAMILIES[family], bos="<bos>", eos="</s>").render(messages)
    assert [one.text for one in pieces if not one.trusted] == [one.content for one in messages]
    assert all("Negroni" not in one.text for one in pieces if one.trusted)


@pytest.mark.parametrize(
    ("family", "prompt"),
    [
        (
            "ChatML",
            "<|im_start|>system\nAnswer yes or no.<|im_end|>\n<|im_start|>user\nIs gin a spirit?"
            "<|im_end|>\n<|im_start|>assistant\n",
        ),
        (
            "Gemma 3",
            "<bos><start_of_turn>user\nAnswer yes or no.\n\nIs gin a spirit?<end_of_turn>\n"
            "<start_of_turn>model\n",
        ),
        ("Mistral", "<bos>[INST] Answer yes or no.\n\nIs gin a spirit?[/INST]"),
        (
            "Phi 3",
            "<|system|>\nAnswer yes or no.<|end|>\n<|user|>\nIs gin a spirit?<|end|>\n"
            "<|assistant|>\n",
        ),
    ],
)
def test_a_prompt_is_what_the_family_documents(family, prompt):
    assert prompt_of(family, ASKED) == prompt


def test_a_family_without_a_system_role_reads_the_instructions_first():
    assert prompt_of("Gemma 2", ASKED) == prompt_of("Gemma 3", ASKED)


def test_a_template_that_moves_the_instructions_to_the_end_gets_them_at_the_head():
    assert prompt_of("Mistral", WORKED) == (
        "<bos>[INST] Say what it is about.\n\nlike a Negroni[/INST] similar</s>"
        "[INST] without gin[/INST]"
    )


@pytest.mark.parametrize("family", ["Qwen 3", "DeepSeek-R1", "GLM 4"])
def test_a_model_that_thinks_is_asked_for_the_answer_alone(family):
    prompt = prompt_of(family, ASKED)
    assert prompt.rstrip().endswith("</think>")
    assert prompt.count("<think>") == prompt.count("</think>") == 1


def test_the_date_in_a_prompt_stands_still():
    assert prompt_of("Llama 3", ASKED) == prompt_of("Llama 3", ASKED)
    assert "Today Date: 01 Jan 2026" in prompt_of("Llama 3", ASKED)
    assert "ipython" not in prompt_of("Llama 3", ASKED)


def test_only_mistral_begins_an_answer_with_a_space():
    leads = {
        name: ChatTemplate(source, "<bos>", "</s>").answer_lead()
        for name, source in FAMILIES.items()
    }
    assert [name for name, lead in leads.items() if lead] == ["Mistral"]


def test_two_system_turns_in_a_family_without_the_role_are_refused():
    with pytest.raises(ModelError, match="System role not supported"):
        ChatTemplate(GEMMA2).render([ASKED[0], ASKED[0], ASKED[1]])


@pytest.mark.parametrize("family", FAMILIES)
def test_tools_are_called_as_json_only_where_the_template_shows_how(write_gguf, family):
    header = read_header(write_gguf(template=FAMILIES[family]))
    assert header.has_chat_template
    assert header.supports_tools is (family == "Qwen 3")
    assert format_for(header) is (NATIVE if family == "Qwen 3" else PLAIN)
