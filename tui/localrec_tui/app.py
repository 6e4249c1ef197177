"""The app: its rooms, and what holds everywhere, such as help, log, theme, keys and feedback.

It asks; threads work; what they find comes back as messages.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import platformdirs
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme

from localrec.data.rows import Event
from localrec.foundation.crash_report import crash_error
from localrec.foundation.errors import LocalrecError
from localrec.foundation.paths import make_private
from localrec_tui.base_app import AppScreen, BaseApp, binding_ids, bindings_of
from localrec_tui.log_buffer import sane_terminal
from localrec_tui.messages import DomainsLoaded, FeedbackGiven, FeedbackStored, WorkFailed
from localrec_tui.own_themes import load_own_themes, themes_folder
from localrec_tui.palette import palette_commands
from localrec_tui.preferences import FILE, load_workspace_preferences, save_preferences
from localrec_tui.question_history import load_last_user, save_last_user
from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.browse import BrowseScreen
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.data import DataScreen
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.screens.help import HelpScreen
from localrec_tui.screens.history import HistoryScreen
from localrec_tui.screens.home import HomeScreen
from localrec_tui.screens.jump import JumpScreen, places_of
from localrec_tui.screens.log import LogScreen
from localrec_tui.screens.memory import MemoryScreen
from localrec_tui.screens.models import ModelsScreen
from localrec_tui.screens.quitting import QUIT, QuitDialog
from localrec_tui.screens.runs import RunsScreen
from localrec_tui.screens.text import TextDialog
from localrec_tui.screens.text_editor import TextEditorDialog
from localrec_tui.screens.training import TrainingScreen
from localrec_tui.screens.user import UserDialog
from localrec_tui.screens.verdict_choice import ask_verdict
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.records import NewFeedback
from localrec_tui.services.settings_text import read_settings_text, save_settings_text
from localrec_tui.terminal_keys import restore_alt_digits
from localrec_tui.workers import run_in_thread

_ROOMS: tuple[type[AppScreen[None]], ...] = (
    HomeScreen,
    AskScreen,
    BrowseScreen,
    HistoryScreen,
    MemoryScreen,
    DataScreen,
    RunsScreen,
    ModelsScreen,
    TrainingScreen,
)
_FEEDBACK_VERBS = {
    Event.RATED: "rates",
    Event.LIKED: "likes",
    Event.DISLIKED: "dislikes",
    Event.ABANDONED: "gives up",
    Event.SEEN: "knows",
    Event.PLAYED: "plays",
    Event.WANTED: "wants",
    Event.LATER: "puts off",
}
_KEEP, _TAKE_BACK = "keep", "take back"
_OLDER_WORDS = (
    ChoiceItem(_KEEP, "Keep them"),
    ChoiceItem(_TAKE_BACK, "Take back the newest"),
)
_LEARN, _STOP = "Learn the ranking now", "Stop learning"
_LOOK_S = 3.0  # between two looks at how far a ranking is learnt


class LocalrecApp(BaseApp):
    """`localrec tui`.

    Args:
        folder: The workspace.
        services: The services behind the screens; by default those over the workspace.

    Raises:
        InputError: the preferences in the workspace cannot be read.
    """

    TITLE = "localrec"
    MODES: ClassVar[dict[str, type[Screen[None]]]] = {  # type: ignore[assignment]
        (room.TITLE or "").casefold(): room for room in _ROOMS
    }
    DEFAULT_MODE = "home"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="help"),
        Binding("f9", "log", "Log", show=False, id="log"),
        Binding("ctrl+q", "quit", "Quit", show=True, priority=True, id="quit"),
        Binding("f7", "next_room(1)", "Next room", show=False, id="next_room"),
        # Many terminals know no Shift with F7 and say F19.
        Binding("shift+f7,f19", "next_room(-1)", "Previous room", show=False, id="previous_room"),
        Binding("ctrl+o", "jump", "Jump to a pane by a letter", show=False, id="jump"),
        Binding("f12", "learn", _LEARN, show=False, id="learn"),
        # Shift with F12 is F24 to many terminals.
        Binding("shift+f12,f24", "stop_learning", _STOP, show=False, id="stop_learning"),
        *(
            # With Alt from a line as well, where a digit alone is a letter.
            Binding(
                f"{n},alt+{n}",
                f"switch_mode('{mode}')",
                f"Go to {mode.capitalize()}",
                False,
                id=f"go_{mode}",
            )
            for n, mode in enumerate(MODES, 1)
        ),
    ]
    CSS = """
    .title { text-style: bold; padding: 0 1; }
    """

    def __init__(self, folder: Path, services: AppServices | None = None) -> None:
        restore_alt_digits()
        super().__init__(folder, services or AppServices(folder))
        self._fault: Exception | None = None
        self._said: Counter[str] = Counter()  # words of each user that U may still take back
        # Before anybody watches it, or nobody would be saved in their place.
        self.set_reactive(BaseApp.user, load_last_user(folder))

    def run(self, **options: Any) -> None:
        """Run until the user leaves.

        Args:
            options: Those of Textual's `App.run`.

        Raises:
            CrashedError: a fault ended the app; a report of it lies in the workspace.
        """
        with sane_terminal():
            try:
                super().run(**options)
            except Exception as error:
                raise crash_error(self.folder, error, "The app") from error
            if self._fault is not None:
                raise crash_error(self.folder, self._fault, "The app") from self._fault

    def _handle_exception(self, error: Exception) -> None:
        """End the app by a fault, without Textual's print of what all variables held."""
        self._fault = self._fault or error
        super()._handle_exception(error)
        self._exit_renderables.clear()

    def on_mount(self) -> None:
        """Put on the remembered theme and keys."""
        self.logbook.open()
        _put_on_own_themes(self)
        self.set_keymap(self.preferences.keymap)
        theme = self.preferences.theme
        if theme in self.available_themes and "TEXTUAL_THEME" not in os.environ:
            self.theme = theme
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self._warn_of_keys()

    def on_ready(self) -> None:
        """The first paint is done: now look into the workspace."""
        self.look_at_learning()
        self.set_interval(_LOOK_S, self.look_at_learning)
        if self.services.is_empty:
            self.push_screen(FirstRunScreen(), self._bundled_data_loaded)

    def on_unmount(self) -> None:
        """Leave nothing behind: no held store, no model's process."""
        self.services.close()
        self.logbook.close()

    # --- everywhere ---

    def action_help(self) -> None:
        """Show the help of the screen, with its keys."""
        screen = self.screen
        if isinstance(screen, AppScreen):
            own = bindings_of(type(self))
            rooms = [(*room.all_bindings(), *own) for room in (*_ROOMS, type(screen))]
            self.push_screen(HelpScreen(screen.HELP, rooms[-1], rooms))

    def action_next_room(self, step: int) -> None:
        """Go to the next room, or back to the one before."""
        modes = list(self.main_screens())
        self.switch_mode(modes[(modes.index(self.current_mode) + step) % len(modes)])

    def action_jump(self) -> None:
        """Show a letter on each place of the screen; it leads there."""
        if places := places_of(self.screen.focus_chain):
            self.push_screen(JumpScreen(places), lambda place: place and place.focus())

    async def action_quit(self) -> None:
        """End the app; where something long runs, ask first."""
        running = dict(self.running_tasks)
        if self._learning is not None:
            running["Learning the ranking"] = "in the background"
        if not running or isinstance(self.screen, QuitDialog):
            self.exit()
            return

        def decided(choice: str | None) -> None:
            if choice == QUIT:
                self.exit()

        self.push_screen(QuitDialog(running), decided)

    def edit_settings(self) -> None:
        """Change the settings of the workspace in an editor."""

        def written(text: str | None) -> None:
            if text is None:
                return
            try:
                save_settings_text(self.folder, text)
            except LocalrecError as error:
                self.notify(f"{error.message} {error.hint}", severity="error", markup=False)
            else:
                self.notify("The settings are saved; they hold from the next start of the app.")

        text = read_settings_text(self.folder)
        self.push_screen(TextEditorDialog("Settings of this workspace", text, 20_000), written)

    def action_log(self) -> None:
        """Show what happened in this run."""
        if not isinstance(self.screen, LogScreen):
            self.push_screen(LogScreen())

    def deliver_screenshot(
        self, filename: str | None = None, path: str | None = None, time_format: str | None = None
    ) -> str | None:
        """Save a drawing of the screen, also where nobody has a folder for downloads.

        Args:
            filename: Its name; by default with date and time.
            path: Its folder; by default the first that can be written of downloads, home and the
                workspace.
            time_format: The format of the time in the name.
        """
        path = path or str(_folder_for_pictures(self.folder))
        return super().deliver_screenshot(filename, path, time_format)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: what every screen does, then Textual's own."""
        yield SystemCommand("Settings of this workspace", "Data, key S", self.edit_settings)
        yield from palette_commands(self, screen)
        yield from super().get_system_commands(screen)

    def watch_user(self, user: str | None) -> None:
        """Remember who sits here for the next run."""
        if user == load_last_user(self.folder):
            return
        try:
            save_last_user(self.folder, user)
        except (OSError, LocalrecError) as error:
            told = f"Who sits here is not remembered: {error}"
            self.notify(told, severity="warning", markup=False)

    # --- feedback ---

    def action_say_why(self) -> None:
        """Say what one thinks of the chosen item, and why."""
        ask_verdict(self, self.screen)

    def on_feedback_given(self, message: FeedbackGiven) -> None:
        """Store feedback on an item, once the user and the reason are known."""
        if self.user is None:

            def named(user: str | None) -> None:
                if user:
                    self.user = user
                    self.on_feedback_given(message)

            self.push_screen(UserDialog(None, nobody=False), named)
        elif message.reason:
            title = f"{self.user} {_FEEDBACK_VERBS[message.event]} {message.item.name}. Why?"
            screen = TextDialog(title, "Enter without words gives no reason")
            self.push_screen(screen, lambda words: self._reason_given(message, words))
        else:
            self._store(message, None)

    def on_undo_requested(self) -> None:
        """Take back the user's last feedback."""
        user, services = self.user, self.services
        if user is None:
            self.notify("Nobody has said anything yet. F2 chooses a person.")
            return

        def take_back() -> FeedbackStored:
            back = services.undo(user)
            if back is None:
                return FeedbackStored(user, None, "", None, undone=True)
            return FeedbackStored(user, back.feedback, back.domain, back.holds, undone=True)

        def decided(way: str | None) -> None:
            if way == _TAKE_BACK:
                run_in_thread(self, "taking back", take_back)

        if self._said[user] > 0:
            decided(_TAKE_BACK)
        else:
            told = f"{user} has said nothing since the app was opened. Take back older words?"
            self.push_screen(ChoiceDialog(told, _OLDER_WORDS, _KEEP), decided)

    def on_feedback_stored(self, message: FeedbackStored) -> None:
        """Say so, and let the screens mark it."""
        said = message.feedback
        if said is None:
            self.notify(f"There is no word of {message.user} to take back.", markup=False)
            return
        told = f"{said.user} {_FEEDBACK_VERBS[said.event]} {said.name}"
        reason_builder = f": {said.reason}" if said.reason else ""
        self._said[message.user] += -1 if message.undone else 1
        if message.undone:
            self.notify(f"Taken back: {told}{reason_builder}.", markup=False)
        else:
            self.notify(f"{told}{reason_builder}. U takes it back.", markup=False)
        self.feedback_stored.publish(message)

    def on_work_failed(self, message: WorkFailed) -> None:
        """Say why something could not be done, and the remedy."""
        told = f"{message.error}\n{message.remedy}".strip()
        self.notify(told, severity="error", timeout=10, markup=False)

    def on_domains_loaded(self, message: DomainsLoaded) -> None:
        """A store without items is as good as none."""
        if not message.domains and not isinstance(self.screen, FirstRunScreen):
            self.push_screen(FirstRunScreen(), self._bundled_data_loaded)

    def _reason_given(self, message: FeedbackGiven, words: str | None) -> None:
        if words is not None:
            self._store(message, words or None)

    def _store(self, message: FeedbackGiven, reason: str | None) -> None:
        services = self.services
        word = NewFeedback(
            user=self.user or "",
            domain=message.domain,
            item=message.item.key,
            event=message.event,
            reason=reason,
            stars=message.stars,
        )

        def store() -> FeedbackStored:
            said = services.give_feedback(word)
            return FeedbackStored(word.user, said, word.domain, said.event, undone=False)

        run_in_thread(self, "feedback", store)

    # --- beginning ---

    def _bundled_data_loaded(self, loaded: bool | None) -> None:
        if loaded:
            self.wants_example = True
            self.data_changed.publish("the drinks")
            self.switch_mode("ask")

    def _remember_theme(self, theme: Theme) -> None:
        if theme.name == self.preferences.theme:
            return
        self.preferences = msgspec.structs.replace(self.preferences, theme=theme.name)
        try:
            here = load_workspace_preferences(self.folder)
            save_preferences(self.folder, msgspec.structs.replace(here, theme=theme.name))
        except (OSError, LocalrecError) as error:
            told = f"The theme is not remembered: {error}"
            self.notify(told, severity="warning", markup=False)

    def _warn_of_keys(self) -> None:
        if unknown := sorted(set(self.preferences.keymap) - binding_ids()):
            told = f"{FILE} gives keys to no action: {', '.join(unknown)}. F1 shows their names."
            self.notify(told, severity="warning", timeout=10, markup=False)


def _put_on_own_themes(app: BaseApp) -> None:
    """Offer the user's own themes beside Textual's."""
    themes, faults = load_own_themes(themes_folder())
    for theme in themes:
        app.register_theme(theme)
    for fault in faults:
        app.notify(fault, severity="warning", timeout=10, markup=False)


def _folder_for_pictures(workspace: Path) -> Path:
    """Where a drawing of the screen goes."""
    folders = (Path(platformdirs.user_downloads_dir()), Path.home(), make_private(workspace))
    return next((one for one in folders if one.is_dir() and os.access(one, os.W_OK)), workspace)
