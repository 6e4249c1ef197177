"""Let a local model select passages by writing the numbers of those that fit a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from localrec.data.chat_message import Message
from localrec.data.domains import Domain
from localrec.foundation.run_trace import RunTrace
from localrec.llm.chat_model import ChatModel
from localrec.llm.structured_output import numbers_grammar, parse_numbers

_MAX_QUESTION_CHARS = 400  # that the model reads
_MAX_PASSAGE_CHARS = 240


class RetrievedPassage(msgspec.Struct, frozen=True):
    """An item, its text, and the cosine of that text with the question."""

    item: int
    name: str
    text: str
    score: float


def select_passages(
    open_model: Callable[[], ChatModel],
    domain: Domain,
    question: str,
    passages: Sequence[RetrievedPassage],
    k: int,
    trace: RunTrace,
) -> list[RetrievedPassage]:
    """Let a model select the k best passages, in its order; return none where it fails.

    A grammar lets the model write nothing but numbers of passages. An answer that names a passage
    twice counts as a failure, and the trace says so.
    """
    wanted = min(k, len(passages))
    if not wanted:
        return []

    def by_model() -> tuple[int, ...]:
        messages = _messages(domain, question, passages, wanted)
        generation = open_model().generate(
            messages,
            grammar=numbers_grammar(1, len(passages), wanted, wanted),
            max_tokens=4 * wanted + 4,
            fixed=len(messages) - 1,
        )
        trace.tokens["selection"] = generation.usage.prompt + generation.usage.generated
        return parse_numbers(generation.text, 1, len(passages), wanted, wanted)

    numbers = trace.played_by_model("selection", by_model)
    if numbers is None:
        trace.answered_by["selection"] = "vectors"
    return [passages[number - 1] for number in numbers or ()]


# The prompt has no example: SmolLM2 135M would copy its numbers. Without one it mostly counts from
# one, which is at least the order of the vectors.
def _messages(
    domain: Domain, question: str, passages: Sequence[RetrievedPassage], wanted: int
) -> list[Message]:
    system = (
        f"You choose {domain.plural} for a question. Read the numbered {domain.plural} and answer "
        f"with the numbers of the {wanted} that fit the question best, the best one first."
    )
    listed = "\n".join(
        f"{number}. {one.name}: {one.text[:_MAX_PASSAGE_CHARS]}"
        for number, one in enumerate(passages, 1)
    )
    asked = f"Question: {question[:_MAX_QUESTION_CHARS]}\nNumbers of the {wanted} that fit best:"
    return [Message("system", system), Message("user", f"{listed}\n\n{asked}")]
