"""Questions before bytes are written or lost: the sheet of a save, closing, conflicts, recovery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.session.edits.questions import (
    CloseChoice,
    CloseQuestion,
    Conflict,
    ConflictChoice,
    DiskState,
    RecoverableFile,
    Recovery,
    RecoveryChoice,
    RefusalChoice,
    RemovalQuestion,
    SaveRefusal,
    SaveSheet,
    SubstituteChoice,
    SubstituteQuestion,
    WritingQuestion,
)
from viewer.session.field_text import counted
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.edits.history import state_text
from viewer.ui.edits.save_window import SaveWindow
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.floating import answer, modal
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import colored, cut, identified, labeled, readable, text, tooltip, wrapped

WIDTH: Final = 40.0
"""Width of the smaller questions, font heights."""
CONFLICT_WIDTH: Final = 48.0
"""Width of the question with the most answers, font heights."""
MOST_LINES: Final = 12
"""Lines of a list that are seen without scrolling."""
MOST_STEPS: Final = 4
"""Steps of a file that are named before it is recovered."""
Asked = TypeVar("Asked")


class Questions:
    """Draws the open question; owner: the shell."""

    def __init__(self) -> None:
        self._save = SaveWindow()
        self._left_out: frozenset[Path] = frozenset()

    def draw(self, frame: UiContext) -> None:
        """Draw what is asked, and close what is not asked any more."""
        asked = frame.state.question
        if asked is None and not imgui.get_current_context().open_popup_stack.size():
            return
        self._save.draw(asked if isinstance(asked, SaveSheet) else None, frame)
        _draw(frame, CloseQuestion, "unsaved", _("Unsaved changes"), _draw_closing)
        _draw(frame, WritingQuestion, "writing", _("Files are being written"), _draw_writing)
        title = _("The file has changed on the disk")
        _draw(frame, Conflict, "conflict", title, _draw_conflict, CONFLICT_WIDTH)
        _draw(frame, SaveRefusal, "refusal", _("The file cannot be written"), _draw_refusal)
        title = _("Material of the whole game")
        _draw(frame, SubstituteQuestion, "substitute", title, _draw_substitute)
        _draw(frame, Recovery, "recovery", _("Recover changes"), self._draw_recovery)
        _draw(frame, RemovalQuestion, "removal", _("Something refers to the part"), _draw_removal)

    def _draw_recovery(self, asked: Recovery, frame: UiContext) -> None:
        wrapped(_("The program ended before these changes were saved. They can be made again."))
        imgui.spacing()
        for number, file in enumerate(asked.files):
            with identified(f"file{number}"):
                self._draw_recoverable(file)
        imgui.spacing()
        chosen = tuple(file.path for file in asked.files if file.path not in self._left_out)
        can_replay = tuple(file.path for file in asked.files if file.can_replay and file.path in chosen)
        words, hint = _("Recover"), _("Make the changes again and open the files; nothing is saved yet.")
        if answer(words, "replay", hint, is_enabled=bool(can_replay), is_main=True):
            frame.later(frame.control.recovery.answer, RecoveryChoice.REPLAY, can_replay)
        with colored(theme.ERROR):
            if answer(_("Discard"), "discard", _("The changes are lost."), is_enabled=bool(chosen)):
                frame.later(frame.control.recovery.answer, RecoveryChoice.DISCARD, chosen)
        if answer(_("Later"), "later", _("Ask again at the next start.")) or key_focus.takes_escape():
            frame.later(frame.control.recovery.answer, RecoveryChoice.LATER)

    def _draw_recoverable(self, file: RecoverableFile) -> None:
        """Draw a file with a check box, and its last steps below it."""
        is_chosen = file.path not in self._left_out
        label = labeled(readable(file.path.name), "chosen")
        if imgui.checkbox(label, is_chosen)[0]:
            self._left_out ^= {file.path}
        tooltip(readable(str(file.path)))
        imgui.same_line(0, theme.em(0.8))
        changes = counted(file.count, "{count} change", "{count} changes")
        text(f"{changes}, {file.modified:%Y-%m-%d %H:%M}", theme.DIM)
        imgui.indent(theme.em(1.8))
        if words := state_words(file):
            wrapped(words, theme.WARNING)
        lines: list[str] = [_("undone: {words}", words=translated(it)) for it in file.undone]
        lines += [translated(it) for it in file.steps]
        for words in lines[-MOST_STEPS:]:
            text(words, theme.DIM)
        imgui.unindent(theme.em(1.8))


def _draw(
    frame: UiContext,
    kind: type[Asked],
    name: str,
    title: str,
    draw: Callable[[Asked, UiContext], None],
    width: float = WIDTH,
) -> None:
    """Draw the open question if it is of a kind, or close it."""
    asked = frame.state.question
    with modal(name, title, width, is_asked=isinstance(asked, kind)) as is_shown:
        if is_shown and isinstance(asked, kind):
            draw(asked, frame)


def _draw_substitute(asked: SubstituteQuestion, frame: UiContext) -> None:
    name, substitute = readable(asked.name), readable(asked.address.name)
    words = _("There is no material {name}: the game shows {substitute} instead, as for every missing one.")
    wrapped(words.format(name=name, substitute=substitute))
    for change in asked.changes:
        wrapped(readable(translated(change.words)), theme.DIM)
    imgui.spacing()
    words = _("Create {name}", name=name)
    library = readable(asked.address.parent.name)
    hint = _(
        "Add {name} to {library}: a copy of {substitute} with the change.",
        name=name,
        library=library,
        substitute=substitute,
    )
    if answer(words, "create", hint, is_main=True):
        frame.later(frame.control.edits.answer_substitute, SubstituteChoice.CREATE)
    hint = _("Whatever shows {substitute} changes in the whole game.", substitute=substitute)
    if answer(_("Change {name}", name=substitute), "change", hint):
        frame.later(frame.control.edits.answer_substitute, SubstituteChoice.CHANGE)
    if answer(_("Cancel"), "cancel", _("Nothing is changed.")) or key_focus.takes_escape():
        frame.later(frame.control.edits.answer_substitute, SubstituteChoice.CANCEL)


def state_words(file: RecoverableFile) -> str:
    """Say why the changes of a file cannot be made again as they were; empty if they can."""
    if file.state is DiskState.GONE:
        return _("The file does not exist any more, so the changes cannot be made again.")
    if file.state is DiskState.CHANGED:
        return _("The file has changed since: Recover asks whether they are made again on it as it is now.")
    return ""


def _draw_removal(asked: RemovalQuestion, frame: UiContext) -> None:
    wrapped(_("These would refer to nothing any more:"))
    imgui.spacing()
    most = MOST_LINES * imgui.get_text_line_height_with_spacing()
    imgui.set_next_window_size_constraints(ImVec2(0, 0), ImVec2(float("inf"), most))
    if imgui.begin_child("references", ImVec2(0, 0), imgui.ChildFlags_.auto_resize_y):
        for words in asked.references:
            wrapped(f"{fa.ICON_FA_LINK}  {readable(words)}")
    imgui.end_child()
    imgui.spacing()
    hint = _("As one change, which can be undone: what refers to the part is set to none.")
    if answer(_("Remove and clear references"), "clear", hint, is_main=True):
        frame.later(frame.control.edits.answer_removal, is_wanted=True)
    if answer(_("Cancel"), "cancel", _("Nothing is changed.")) or key_focus.takes_escape():
        frame.later(frame.control.edits.answer_removal, is_wanted=False)


def _draw_closing(asked: CloseQuestion, frame: UiContext) -> None:
    wrapped(_("Save the changes before closing?"))
    imgui.spacing()
    for file in asked.files:
        text(f"{fa.ICON_FA_FILE_PEN}  {readable(file.path.name)}")
        tooltip(readable(str(file.path)))
        imgui.same_line(0, theme.em(0.8))
        text(state_text(file), theme.UNSAVED)
    imgui.spacing()
    words = _("Save") if len(asked.files) == 1 else _("Save all")
    if answer(words, "save", is_main=True):
        frame.later(frame.control.closing.answer, CloseChoice.SAVE)
    with colored(theme.ERROR):
        if answer(_("Discard"), "discard", _("The changes are lost.")):
            frame.later(frame.control.closing.answer, CloseChoice.DISCARD)
    if answer(_("Cancel"), "cancel") or key_focus.takes_escape():
        frame.later(frame.control.closing.answer, CloseChoice.CANCEL)


def _draw_writing(asked: WritingQuestion, frame: UiContext) -> None:
    wrapped(_("If the window closes now, these files are not made:"))
    imgui.spacing()
    for title in asked.titles:
        text(f"{fa.ICON_FA_FLOPPY_DISK}  {readable(title)}")
    imgui.spacing()
    if answer(_("Keep the window open"), "wait", is_main=True) or key_focus.takes_escape():
        frame.later(frame.control.closing.answer, CloseChoice.CANCEL)
    with colored(theme.ERROR):
        if answer(_("Close without them"), "close", _("What is not yet written is lost.")):
            frame.later(frame.control.closing.answer, CloseChoice.DISCARD)


def _draw_refusal(asked: SaveRefusal, frame: UiContext) -> None:
    text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {readable(asked.refused.target.name)}", theme.WARNING)
    tooltip(readable(str(asked.refused.target)))
    if asked.is_read_only:
        wrapped(_("It is read-only, as a file is that was copied from a disc. Nothing has been saved yet."))
    else:
        wrapped(readable(translated(asked.words)))
    imgui.spacing()
    hint = _("Clear the read-only attribute of the file, and save.")
    if asked.is_read_only and answer(_("Make writable and save"), "writable", hint, is_main=True):
        frame.later(frame.control.saving.answer_refusal, RefusalChoice.WRITABLE)
    if not asked.is_read_only and answer(_("Try again"), "again", _("Save once more."), is_main=True):
        frame.later(frame.control.saving.answer_refusal, RefusalChoice.AGAIN)
    if answer(_("Save as…"), "save_as", _("Write the edited file under another name.")):
        frame.later(frame.control.saving.answer_refusal, RefusalChoice.SAVE_AS)
    if answer(_("Cancel"), "cancel", _("Nothing is written, nothing is lost.")) or key_focus.takes_escape():
        frame.later(frame.control.saving.answer_refusal, RefusalChoice.CANCEL)


def _draw_conflict(asked: Conflict, frame: UiContext) -> None:
    is_gone = asked.state is DiskState.GONE
    text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {readable(asked.file.path.name)}", theme.WARNING)
    tooltip(readable(str(asked.file.path)))
    wrapped(_conflict_words(asked))
    _draw_differences(asked.differences)
    imgui.spacing()
    if not asked.is_recovered:
        hint = _("Write the edited file; what the other program wrote is kept as a file next to it.")
        hint = _("Write the edited file again.") if is_gone else hint
        if answer(_("Keep mine"), "keep_mine", hint, is_main=is_gone):
            frame.later(frame.control.saving.settle, ConflictChoice.KEEP_MINE)
    if not is_gone:
        _draw_theirs(asked, frame)
    words, hint = _("Cancel"), _("Nothing is written, nothing is lost.")
    if asked.is_recovered:
        words, hint = _("Later"), _("Ask again at the next start.")
    if answer(words, "cancel", hint) or key_focus.takes_escape():
        frame.later(frame.control.saving.settle, ConflictChoice.CANCEL)


def _conflict_words(asked: Conflict) -> str:
    if asked.state is DiskState.GONE:
        return _("It was removed or renamed by another program since it was opened here.")
    if asked.is_recovered:
        return _("Another program has written it since the changes were made. Nothing has been saved yet.")
    return _("Another program has written it since it was opened here. Nothing has been saved yet.")


def _draw_theirs(asked: Conflict, frame: UiContext) -> None:
    """Draw the answers that use the file as it is on the disk."""
    hint = _("Make your changes again on the file as it is on the disk; what no longer fits is named.")
    if answer(_("My changes onto theirs"), "onto_theirs", hint, is_main=True):
        frame.later(frame.control.saving.settle, ConflictChoice.ONTO_THEIRS)
    hint = _("Drop the changes made here, and show the file as it is on the disk.")
    if answer(_("Take theirs"), "take_theirs", hint):
        frame.later(frame.control.saving.settle, ConflictChoice.TAKE_THEIRS)
    hint = _("List how the file on the disk differs from the one edited here.")
    if not asked.is_recovered and answer(_("Compare"), "compare", hint, is_enabled=asked.differences is None):
        frame.later(frame.control.saving.settle, ConflictChoice.COMPARE)


def _draw_differences(found: Sequence[str] | None) -> None:
    if found is None:
        return
    imgui.separator_text(counted(len(found), "{count} difference", "{count} differences"))
    lines = min(len(found), MOST_LINES)
    height = lines * imgui.get_text_line_height_with_spacing()
    if found and imgui.begin_child("differences", ImVec2(0, height)):
        for number in rows_on_screen(len(found)):
            cut(translated(found[number]), theme.DIM)
            tooltip(translated(found[number]))
    if found:
        imgui.end_child()
