"""Stage-W with a model: one call writes the texts of the user, the items and the neighbours.

The model writes a few lines under a grammar (`update_grammar`). They replace counted sentences in
the same records, whose facets stay counted. The prompt holds public data only: titles, attributes
of the catalogue, and the model's earlier texts. It holds no user's own words, no reasons given with
feedback and no user's shelves, because other users read the result.

If a call fails or its lines do not parse, the counted memories are written, and their provenance
names the failed model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.foundation.text import clean_text
from localrec.graph.store import Store
from localrec.llm.chat_model import ChatModel
from localrec.llm.structured_output import parse_sentence, parse_sentences, sentence_grammar
from localrec.memory.job_queue import UNDONE, Job
from localrec.memory.propagation import (
    JobContext,
    TemplateUpdate,
    propagated_titles,
    propagated_to,
    template_updates,
    withdrawn_updates,
)
from localrec.memory.records import Memory, MemoryUpdate, history_of
from localrec.memory.sentences import MAX_TITLES, TEMPLATE_AUTHOR, facet_sentences, propagated
from localrec.memory.template_memories import user_memories
from localrec.memory.worker import Reader

_LONGEST_SENTENCE = 160  # characters
_NOTE_SENTENCES = 3  # about the person, at most
_LONGEST_THEME = 60
_MAX_TOKENS = 480  # four sentences and four themes of short tokens
EVENTS_SHOWN = 8  # newest of a person
_TITLE = 80  # characters of a title that are shown
_MEMORY = 240  # characters of a memory that are shown
_ATTRIBUTES_SHOWN = 6

_TASK = """\
You keep short notes about what people enjoy. After something happened you write the notes anew, \
one line each, in plain words: for the person what they enjoy, for the item whom it may please, \
and for those neighbours whom it concerns a theme of a few words. Name kinds and moods, not lists \
of titles, and only what you were told."""
# A domain that is none of ours.
_WORKED_QUESTION = """\
Person: likes history and interviews; lately "The Salt Road" and "Voices at Dusk".
Now: liked "Letters from the Front" (history, war).
Item "Letters from the Front": nothing noted yet.
Neighbours:
1. lately "Old Maps", "The Salt Road"
2. lately "Dinner in Ten"
Lines:"""
_WORKED_ANSWER = """\
person | Enjoys history told by those who were there, and quiet interviews.
item | Suits listeners who like war told through personal letters.
neighbour 1 | history told in letters
"""


class UpdateLines(msgspec.Struct, frozen=True, kw_only=True):
    """The lines that a model wrote for one job.

    Args:
        user: One to three sentences about the user.
        item: A sentence about the newest item, or nothing where none was asked for.
        themes: A theme for some neighbours, by number from 1.
    """

    user: str
    item: str = ""
    themes: dict[int, str] = {}


class ModelUpdate:
    """The `Update` of one domain that calls a model exactly once for each job.

    Args:
        counting: Reads what a job needs, and stands in where the model fails.
        model: Any chat model.
    """

    def __init__(self, counting: TemplateUpdate, model: ChatModel) -> None:
        self._counting, self._model = counting, model

    def __call__(self, job: Job, read: Reader) -> list[MemoryUpdate]:
        """Compute the memories of the user, the job's items and some neighbours.

        Raises:
            ModelCancelledError: stopped on request.
        """
        with read() as store:
            scene = self._counting.look(job, store)
            noted = _noted(scene, store)
        try:
            lines = self._ask(scene, noted)
        except ModelCancelledError:
            raise
        except ModelError:
            by = f"{TEMPLATE_AUTHOR}, since {self._model.name} failed"
            return [
                *template_updates(scene, by),
                *withdrawn_updates(scene),
                *propagated_titles(scene, by),
            ]
        return _worded(scene, noted, lines, self._model.name)

    def _ask(self, scene: JobContext, noted: _Noted) -> UpdateLines:
        neighbours = len(noted.neighbours)
        written = self._model.generate(
            _prompt(scene, noted),
            grammar=update_grammar(neighbours, with_item=bool(scene.news)),
            max_tokens=_MAX_TOKENS,
            fixed=3,
        )
        return parse_lines(
            written.text, neighbours, with_item=bool(scene.news), complete=written.finished
        )


def ask_user_note(model: ChatModel, known: str, liked: Sequence[tuple[str, str]]) -> str:
    """Ask for the sentences about a person alone, by the prompt of a job.

    Args:
        model: Any chat model.
        known: The counted memory.
        liked: Title and attributes of what they liked, newest first.

    Raises:
        ModelError: the model failed, or wrote something else.
    """
    written = model.generate(
        user_note_prompt(known, liked),
        grammar=update_grammar(0, with_item=False),
        max_tokens=_MAX_TOKENS,
        fixed=3,
    )
    return parse_lines(written.text, 0, with_item=False, complete=written.finished).user


def user_note_prompt(known: str, liked: Sequence[tuple[str, str]]) -> list[Message]:
    """Write the prompt of `ask_user_note`."""
    told = [
        f"{_quoted(title)}{f' ({clean_text(about, limit=_TITLE)})' if about else ''}"
        for title, about in reversed(liked[:EVENTS_SHOWN])
    ]
    lines = [
        f"Person: {clean_text(known, limit=2 * _MEMORY) or 'nothing is known yet.'}",
        f"Now: {'; '.join(f'liked {one}' for one in told)}.",
    ]
    return _update_prompt(lines)


def user_note_line(note: str) -> str:
    """Write the answer to `user_note_prompt` that holds a note.

    Raises:
        ModelError: it is not one to three plain sentences.
    """
    return f"person | {parse_sentences(note, _LONGEST_SENTENCE, _NOTE_SENTENCES)}\n"


def update_grammar(neighbours: int, *, with_item: bool) -> str:
    """Write the GBNF of one job's lines: the user, the item, then some neighbours by number.

    The user has one to three sentences.
    """
    item = ' "item | " sentence "\\n"' if with_item else ""
    others = "".join(
        f' ("neighbour {number} | " theme "\\n"){{0,1}}' for number in range(1, neighbours + 1)
    )
    lines = [
        f'root ::= "person | " note "\\n"{item}{others}',
        f'note ::= sentence (" " sentence){{0,{_NOTE_SENTENCES - 1}}}',
        sentence_grammar(_LONGEST_SENTENCE).strip().replace("root", "sentence", 1),
    ]
    if neighbours:
        lines.append(f"theme ::= [A-Za-z] [A-Za-z0-9 ,'-]{{3,{_LONGEST_THEME - 1}}}")
    return "\n".join(lines) + "\n"


_LINE = re.compile(r"(?:(?P<of>person|item)|neighbour (?P<number>[1-9][0-9]?)) \| (?P<said>.+)")
_THEME = re.compile(rf"[A-Za-z][A-Za-z0-9 ,'-]{{3,{_LONGEST_THEME - 1}}}")


def parse_lines(text: str, neighbours: int, *, with_item: bool, complete: bool) -> UpdateLines:
    """Parse lines under `update_grammar`.

    Args:
        text: The model's text.
        neighbours: The number of neighbours.
        with_item: Whether a line about the item was asked for.
        complete: Whether it was not cut off; of what was, the last line is left out.

    Raises:
        ModelError: a line is missing, not asked for, there twice or no line at all, or what was
            written is the answer of the worked example.
    """
    rows = text.split("\n")
    rows = rows if complete else rows[:-1]
    sentences: dict[str, str] = {}
    for row in rows:
        if not row.strip():
            continue
        found = _LINE.fullmatch(row)
        key = (found["of"] or found["number"]) if found else ""
        if found is None or key in sentences or (key.isdigit() and int(key) > neighbours):
            raise ModelError(f"The model wrote {row[:60]!r} where a note was asked for.")
        if f"| {found['said']}\n" in _WORKED_ANSWER:
            raise ModelError("The model repeated an example.")
        sentences[key] = found["said"]
    if ("item" in sentences) != with_item or "person" not in sentences:
        raise ModelError("The model left a note out, or wrote one that nobody asked for.")
    themes = {int(key): _theme(value) for key, value in sentences.items() if key.isdigit()}
    return UpdateLines(
        user=parse_sentences(sentences["person"], _LONGEST_SENTENCE, _NOTE_SENTENCES),
        item=parse_sentence(sentences["item"], _LONGEST_SENTENCE) if with_item else "",
        themes=themes,
    )


def _theme(text: str) -> str:
    if not _THEME.fullmatch(text) or not clean_text(text):
        raise ModelError(f"The model wrote {text[:60]!r} where a theme was asked for.")
    return clean_text(text).rstrip(" ,'-")


class _Noted(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a prompt, and whose data each contains.

    Args:
        user: The user in words.
        item: The newest item's memory, or nothing.
        neighbours: A line for each of `places`.
        places: Places of the shown neighbours in the scene.
        made_from: Node ids of all whose data is shown.
    """

    user: str
    item: str
    neighbours: tuple[str, ...]
    places: tuple[int, ...]
    made_from: tuple[int, ...]


def _noted(scene: JobContext, store: Store) -> _Noted:
    """Return the text that may be shown: counted, or written by a model before."""
    update_context, user_id = scene.update_context, scene.job.user_id
    counts = user_memories(update_context, {user_id: scene.liked}, {})
    before = next((one for one in history_of(store, user_id) if one.source == "model"), None)
    parts = [one.text for one in counts]
    made_from = {
        user_id,
        *update_context.node_ids(scene.items),
        *update_context.node_ids(scene.liked[:MAX_TITLES]),
    }
    made_from.update(
        one for update in counts for facet in update.facets for one in facet.supporters
    )
    if before is not None:
        parts.append(f"Noted before: {_own_words(before)}")
        made_from.update(before.provenance.made_from)
    item = ""
    if scene.news:
        memory = scene.memories.get(update_context.node_ids(scene.news[:1])[0])
        if memory is not None and memory.source in ("template", "model"):
            item = memory.text
            made_from.update(memory.provenance.made_from)
    shown = [
        (place, told)
        for place, near in enumerate(scene.nearest)
        if (told := _lately(scene, near.user_id))
    ]
    made_from.update(scene.nearest[place].user_id for place, _ in shown)
    return _Noted(
        user=clean_text(" ".join(parts), limit=2 * _MEMORY),
        item=clean_text(item, limit=_MEMORY),
        neighbours=tuple(told for _, told in shown),
        places=tuple(place for place, _ in shown),
        made_from=tuple(sorted(made_from)),
    )


def _own_words(memory: Memory) -> str:
    """Return a memory without the sentences that neighbours propagated."""
    return memory.text.removesuffix(facet_sentences(propagated(memory))).rstrip()


def _lately(scene: JobContext, user_id: int) -> str:
    graph = scene.update_context.graph
    user = graph.matrix.user_index(user_id)
    items = graph.matrix.newest_items(user, MAX_TITLES).tolist() if user >= 0 else []
    return f"lately {', '.join(_titles(scene, items))}" if items else ""


def _titles(scene: JobContext, items: Sequence[int]) -> list[str]:
    return [_quoted(one) for one in scene.update_context.titles(items)]


def _quoted(title: str) -> str:
    return f'"{clean_text(title, limit=_TITLE).replace(chr(34), chr(39))}"'


def _prompt(scene: JobContext, noted: _Noted) -> list[Message]:
    lines = [f"Person: {noted.user or 'nothing is known yet.'}", f"Now: {_event_lines(scene)}."]
    if scene.news:
        [title] = _titles(scene, scene.news[:1])
        lines.append(f"Item {title}: {noted.item or 'nothing noted yet.'}")
    if noted.neighbours:
        lines.append("Neighbours:")
        lines += [f"{number}. {told}" for number, told in enumerate(noted.neighbours, 1)]
    return _update_prompt(lines)


def _update_prompt(lines: Sequence[str]) -> list[Message]:
    return [
        Message("system", _TASK),
        Message("user", _WORKED_QUESTION),
        Message("assistant", _WORKED_ANSWER),
        Message("user", "\n".join([*lines, "Lines:"])),
    ]


def _event_lines(scene: JobContext) -> str:
    """List the user's events, newest last: the event, the title and the attributes."""
    known = dict(zip(scene.update_context.node_ids(scene.items), scene.items, strict=True))
    events = [queued for queued in scene.job.events if queued.item_id in known][-EVENTS_SHOWN:]
    lines = []
    for queued in events:
        item = known[queued.item_id]
        event = "took back what was said of" if queued.event == UNDONE else queued.event
        lines.append(f"{event} {_titles(scene, [item])[0]}{_what_it_is(scene, item)}")
    return "; ".join(lines) or "something that is no longer there"


def _what_it_is(scene: JobContext, item: int) -> str:
    item_features, catalogue = scene.update_context.item_features, scene.update_context.catalogue
    links = slice(int(item_features.first_link[item]), int(item_features.first_link[item + 1]))
    names = [catalogue.attributes[one].name for one in item_features.attribute[links].tolist()]
    shown = ", ".join(clean_text(one, limit=_TITLE) for one in names[:_ATTRIBUTES_SHOWN])
    return f" ({shown})" if shown else ""


def _worded(scene: JobContext, noted: _Noted, lines: UpdateLines, name: str) -> list[MemoryUpdate]:
    """Put the model's words into the counted memories."""
    updates = {update.node_id: update for update in template_updates(scene)}
    user_id = scene.job.user_id
    if user_id in updates:
        kept = propagated(scene.memories.get(user_id))
        updates[user_id] = _by_model(
            updates[user_id], f"{lines.user} {facet_sentences(kept)}", noted, name
        )
    if scene.news:
        [item_id] = scene.update_context.node_ids(scene.news[:1])
        item = updates.get(item_id, MemoryUpdate(node_id=item_id, text=""))
        updates[item_id] = _by_model(item, f"{item.text} {lines.item}", noted, name)
    themed = [
        _from(propagated_to(scene, scene.nearest[noted.places[number - 1]], theme, name), noted)
        for number, theme in sorted(lines.themes.items())
    ]
    return [*updates.values(), *withdrawn_updates(scene), *themed]


def _by_model(update: MemoryUpdate, text: str, noted: _Noted, name: str) -> MemoryUpdate:
    worded = msgspec.structs.replace(update, text=text.strip(), source="model", by=name)
    return _from(worded, noted)


def _from(update: MemoryUpdate, noted: _Noted) -> MemoryUpdate:
    """Make an update whose sources are all the data that the model saw."""
    made_from = tuple(sorted({*update.made_from, *noted.made_from}))
    return msgspec.structs.replace(update, made_from=made_from)
