"""Write the reasons for a ranking's first items, by the template or by a model.

A rationale states facts of a user's history and neighbourhood (`reason_builder.ReasonBuilder`): the
shared preferences that the item meets, how many of the nearest users like it, which item users met
before it, and its attributes in common with the history. The template states them, or a model in
one sentence, with the user's memory and the facets in its prompt. A sentence with an unsupported
claim is dropped, and the template writes instead.

Where it departs from MemRec (F.4): in the paper one answer holds score and rationale. Here the
order is final before anything is written, so a reason explains the actual order, and costs one
call for each of the few first items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from localrec.data.chat_message import Message
from localrec.data.domains import Domain
from localrec.data.evidence import Fact, evidence_of
from localrec.data.query import Query
from localrec.data.reasons import Reason, Reasons, template_reasons
from localrec.explanation.grounding import is_grounded
from localrec.explanation.writer import ask_sentence, numbered_facts
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.foundation.text import clean_text
from localrec.graph.catalogue import Attribute
from localrec.llm.chat_model import ChatModel
from localrec.llm.usage_tracker import UsageTracker
from localrec.memory.synthesis import phrases_of
from localrec.understanding.vocabulary import Vocabulary

MODEL_REASONS = 3  # candidates that a model is asked about
_SHARE = re.compile(r"(\d+) of (?:the )?(\d+)")


def write_reasons(
    model: ChatModel,
    facts: Sequence[Sequence[Fact]],
    names: Sequence[str],
    vocabulary: Vocabulary,
    *,
    known: Sequence[str] = (),
    most: int = MODEL_REASONS,
) -> Reasons:
    """Have a model say the facts of the first items; the template says what is left.

    A model that fails is not asked again, and a note says so.

    Args:
        model: Asked once for each of the first items about which there are facts.
        facts: The facts of each item, in their order.
        names: The names of the same items, untrusted.
        vocabulary: The names of the catalogue, for the check.
        known: Lines about the user for the model to read.
        most: So many of the first items, at most.
    """
    said, notes = list(template_reasons(facts).reasons), tuple[str, ...]()
    tracker = UsageTracker(model)
    examples = _worked_examples(vocabulary.domain, known)
    for place, reason in enumerate(said[:most]):
        # What a template may say and a check cannot follow, such as 63%, a model is not shown.
        told = [fact for fact in reason.facts if _is_carried(fact.text, [fact], vocabulary)]
        if not told:
            continue
        name = clean_text(names[place])
        try:
            sentence = ask_sentence(tracker, examples, name, [fact.text for fact in told]).text
        except ModelCancelledError:
            raise
        except ModelError as error:
            notes = (f"The model failed while it wrote rationales: {error.message}",)
            break
        if _tells_of(name, sentence, told) and _is_true(name, sentence, told, vocabulary):
            said[place] = Reason(facts=reason.facts, text=sentence, by="model")
    return Reasons(reasons=tuple(said), spent=tracker.taken(), notes=notes)


def _tells_of(name: str, sentence: str, facts: Sequence[Fact]) -> bool:
    """Return whether the sentence is about the item and states at least one of its facts."""
    if sentence.count(name) != 1 or f"{name}:" in sentence:  # a heading, with or without more
        return False
    rest = sentence.replace(name, "").casefold()
    # The source of an edge of the history is the user, whose key says nothing about the item.
    named = {edge.target for edge in evidence_of(facts)} - {name}
    return bool(_SHARE.search(rest)) or any(one and one.casefold() in rest for one in named)


def _is_true(name: str, sentence: str, facts: Sequence[Fact], vocabulary: Vocabulary) -> bool:
    """Return whether the facts carry every name, and every share with the group it belongs to.

    Numbers that are true one by one may be put together to what is not, and how many like what an
    item has is not how many like the item.
    """
    said = sentence.casefold()
    cited = [fact for fact in facts if all(one in said for one in _subjects(fact, name))]
    shares = {share for fact in cited for share in _SHARE.findall(fact.text)}
    kept = shares.issuperset(_SHARE.findall(sentence))
    return kept and _is_carried(sentence, facts, vocabulary)


def _subjects(fact: Fact, name: str) -> set[str]:
    """Return the other subjects of a fact: attributes and other items."""
    targets = {edge.target for edge in fact.evidence} - {name}
    return {one.casefold() for one in targets if not _SHARE.search(one)}


def _is_carried(text: str, facts: Sequence[Fact], vocabulary: Vocabulary) -> bool:
    return is_grounded(text, evidence_of(facts), Query(), vocabulary)


def _worked_examples(domain: Domain, known: Sequence[str]) -> list[Message]:
    """Return the task, the lines about the user, and two examples in the domain's own words."""
    task = (
        f"Say in one short sentence why a person may like a {domain.singular}. Use only the "
        "numbered facts."
    )
    user = "\n".join(clean_text(line) for line in known)
    kind = next(iter(domain.attributes))
    name = next(iter(domain.taxonomy.get(kind, {})), kind)
    user_profile = phrases_of([Attribute(0, kind, name, name)], domain)[0]
    both = [
        f"6 of the 9 people nearest to your taste often like {user_profile}",
        f"it has {name} in common with Second",
    ]
    one = ["4 of the 8 people nearest to your taste like it"]
    return [
        Message("system", f"{task}\n\n{user}" if user else task),
        Message("user", numbered_facts("First", both)),
        Message(
            "assistant",
            f"First shares {name} with Second, and 6 of the 9 people nearest to your taste often "
            f"like {user_profile}.",
        ),
        Message("user", numbered_facts("Third", one)),
        Message("assistant", "Third is liked by 4 of the 8 people nearest to your taste."),
    ]
