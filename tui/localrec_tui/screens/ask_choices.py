"""The choices on top of the Ask room: what questions are about, with which picture, who answers."""

from __future__ import annotations

from pathlib import Path

from localrec.systems.shipped_systems import AGENTICREC, AGENTICREC_FUSED, MARC, MARC_MODEL
from localrec_tui.screens.answer_view import AnswerScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.text import TextDialog
from localrec_tui.services.records import DomainSummary
from localrec_tui.widgets.choice_field import ChoiceField
from localrec_tui.widgets.prompt import Prompt

BY_RULES = "rules"
_SYSTEMS = (
    ChoiceItem(MARC, "as measured best", "each role by whoever was measured to be better"),
    ChoiceItem(MARC_MODEL, "a local model", "every role by the model: slower"),
    ChoiceItem(BY_RULES, "no model", "every role by rules and measures"),
    ChoiceItem(
        AGENTICREC_FUSED, "tools", "what all tools know of the person, weighed without a model"
    ),
    ChoiceItem(AGENTICREC, "an agent", "a local model asks the tools: slowest"),
)
_NAMES = {one.value: one.name for one in _SYSTEMS}
_ANY = "*"  # the choice of no domain in particular


class AskChoices(AnswerScreen):
    """Asks for the choices and shows them."""

    def __init__(self) -> None:
        super().__init__()
        self._domains: tuple[DomainSummary, ...] = ()
        self._domain: str | None = None
        self._image: Path | None = None
        self._system = MARC

    def action_pick_domain(self) -> None:
        """Say what questions are about."""
        found = [ChoiceItem(one.name, one.plural, f"{one.items:,}") for one in self._domains]
        choices = [ChoiceItem(_ANY, "anything", "whatever the words fit best"), *found]
        screen = ChoiceDialog("What is it about?", choices, self._domain or _ANY)
        self.app.push_screen(screen, self._domain_picked)

    def action_pick_image(self) -> None:
        """Say which picture questions are about."""
        title = "Which picture are your questions about?"
        screen = TextDialog(title, "its path; Enter without one for none")
        self.app.push_screen(screen, self._image_picked)

    def action_pick_system(self) -> None:
        """Say who answers."""
        added = [
            ChoiceItem(name, name, "from a package that you installed")
            for name in self.app.services.plugin_systems()
        ]
        screen = ChoiceDialog("Who answers?", [*_SYSTEMS, *added], self._system)
        self.app.push_screen(screen, self._system_picked)

    def _domain_picked(self, domain: str | None) -> None:
        if domain is not None:
            self._domain = None if domain == _ANY else domain
            self._return_to_line()

    def _image_picked(self, path: str | None) -> None:
        if path is None:
            return
        chosen = Path(path).expanduser() if path else None
        if chosen is not None and not chosen.is_file():
            self.app.notify(f"There is no file {chosen}.", severity="warning", markup=False)
        else:
            self._image = chosen
        self._return_to_line()

    def _system_picked(self, system: str | None) -> None:
        if system is not None:
            self._system = system
            self._return_to_line()

    def _return_to_line(self) -> None:
        # What is typed next is a question: in the list its letters would store verdicts.
        self._show_choices()
        self.query_one(Prompt).focus()

    def _show_choices(self) -> None:
        plurals = {one.name: one.plural for one in self._domains}
        about = "anything" if self._domain is None else plurals.get(self._domain, self._domain)
        if self._domain is None and len(plurals) == 1:
            about = next(iter(plurals.values()))
        self.query_one("#domain", ChoiceField).show(about)
        self.query_one("#system", ChoiceField).show(_NAMES.get(self._system, self._system))
        self.query_one("#image", ChoiceField).show(
            "none" if self._image is None else self._image.name
        )
