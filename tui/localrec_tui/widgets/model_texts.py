"""What stands beside the lists of models and roles: what a model is, who plays a role, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from localrec.foundation.settings import RULES
from localrec_tui.item_text import home_as_tilde
from localrec_tui.services.models import ModelDetails, RoleBinding, RoleDetails
from localrec_tui.widgets.detail_pane import megabytes, pane_fact, pane_head, pane_lines

if TYPE_CHECKING:
    from localrec.llm.model_catalog import ListedModel

_CHAT = "chat"
_MEANINGS = {
    _CHAT: "Answers in words where no other role does.",
    "router": "Reads what kind of question it is.",
    "reflector": "Judges the first items of an answer.",
    "writer": "Writes the reason of each item.",
    "memory": "Writes what is remembered of people.",
    "vision": "Looks at pictures.",
    "slots": "Reads what a question demands.",
    "agent": "Orders items with tools.",
    "reranker": "Judges candidates one by one.",
}
_KINDS = {
    _CHAT: "reads and writes text",
    "embedder": "makes vectors of texts",
    "pictures": "makes vectors of texts and pictures",
}


def player_text(binding: RoleBinding) -> str:
    """Who plays a role: the choice of the workspace, or whoever was measured to be better."""
    if binding.player:
        return f"{binding.player}{_with_adapter(binding)}"
    if binding.holder == RULES:
        return "rules (no model was measured to be better)"
    return f"{binding.holder} (measured to be better than rules)"


def player_and_figure(binding: RoleBinding) -> str:
    """Who plays a role, and by which figure."""
    told = player_text(binding) if binding.player else binding.holder
    return f"{told}: {binding.figure}" if binding.figure else told


def model_text(model: ListedModel, details: ModelDetails) -> Content:
    """What a model is, where its files are, and how it is tried."""
    return pane_lines(_model_lines(model, details))


def model_roles_text(model: ListedModel, details: ModelDetails) -> Content:
    """What a model plays here, and what it could play."""
    return pane_lines(_model_role_lines(model, details))


def role_text(details: RoleDetails) -> Content:
    """Who plays a role, by which figure, and how others are tried."""
    return pane_lines(_role_lines(details))


def candidates_text(details: RoleDetails, models: Sequence[ListedModel]) -> Content:
    """Who else could play a role."""
    return pane_lines(_candidate_lines(details, models))


def _model_lines(model: ListedModel, details: ModelDetails) -> Iterator[Content | str]:
    yield Content.styled(model.title, "bold")
    yield ""
    yield pane_fact("Kind", f"{model.kind}: {_KINDS.get(model.kind, model.kind)}")
    yield pane_fact("Licence", model.licence)
    yield pane_fact("Size", megabytes(model.bytes))
    yield pane_fact("Here", "yes" if model.here else "no. P pulls it.")
    yield ""
    yield pane_head("Files")
    for file in details.files:
        missing = "" if file.here else ", not here"
        yield Content.assemble(f"  {file.name}", (f"  {megabytes(file.bytes)}{missing}", "dim"))
    yield Content.styled(f"  in {home_as_tilde(details.folder)}", "dim")
    yield ""
    yield pane_head("To try it")
    if not model.here:
        yield f"  P, or localrec models pull {model.name}"
    yield "  C reads its files and checks them."
    if model.kind == _CHAT:
        yield "  T loads it and times it."
        yield f"  localrec models bench {model.name}"


def _model_role_lines(model: ListedModel, details: ModelDetails) -> Iterator[Content | str]:
    yield pane_head("Plays here")
    for binding in details.held:
        yield f"  {binding.role}{_with_adapter(binding)}"
    if not details.held:
        yield "  no role"
    yield ""
    yield pane_head("Is offered for")
    for role in details.suited:
        yield f"  {role}"
        yield Content.styled(f"    {_MEANINGS.get(role, 'Makes vectors.')}", "dim")
    if not details.suited:
        yield "  no role: it stands here to be tried and trained."
    if model.kind == _CHAT:
        yield Content.styled("\nU lets it play a role, once it is here.", "dim")


def _role_lines(details: RoleDetails) -> Iterator[Content | str]:
    binding = details.binding
    yield _MEANINGS.get(binding.role, binding.role)
    yield ""
    holder = "the rules, without a model" if binding.holder == RULES else binding.holder
    yield pane_fact("Played by", f"{holder}{_with_adapter(binding)}")
    yield pane_fact("Chosen", "by this workspace" if binding.player else "by what was measured")
    yield pane_fact("Figure", binding.figure or "not measured here")
    if binding.measured:
        yield pane_fact("Page", binding.measured)
    yield ""
    yield pane_head("To try another")
    yield "  U or Enter gives the role to another."
    if binding.role != _CHAT:
        yield f"  localrec models bench MODEL --roles {binding.role}"
    for name in details.adapters:
        yield f"  localrec models try {name}"


def _candidate_lines(
    details: RoleDetails, models: Sequence[ListedModel]
) -> Iterator[Content | str]:
    role, holder = details.binding.role, details.binding.holder
    yield pane_head("Models")
    for model in models:
        if model.kind == _CHAT:
            plays = " · plays it now" if model.name == holder else ""
            here = "here" if model.here else "not here"
            yield Content.assemble(
                f"  {model.name}", (f"  {here}, {megabytes(model.bytes)}{plays}", "dim")
            )
    if role != _CHAT:
        plays = " · play it now" if holder == RULES else ""
        yield Content.assemble("  rules", (f"  no model{plays}", "dim"))
    yield ""
    yield pane_head("Adapters that ship")
    for name in details.adapters:
        yield f"  {name}"
    if not details.adapters:
        yield "  none for this role"


def _with_adapter(binding: RoleBinding) -> str:
    return f" with {binding.adapter}" if binding.adapter else ""
