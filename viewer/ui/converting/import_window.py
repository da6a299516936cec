"""Import: what a file of another program changes in the open model, each change with a check box."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.compare.edit_report import by_kind
from viewer.model.convert.importing.findings import ImportChoices, Missing, OtherLevels
from viewer.model.convert.scene_file import is_text
from viewer.model.patch.applying import PatchChoices
from viewer.operations.imports.plan import ImportPlan
from viewer.options import options_of
from viewer.session.field_text import counted
from viewer.session.importing import ChangeGroup, groups_of
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.converting.value_groups import ValueGroups
from viewer.ui.edits.value_list import draw_added, draw_panes, draw_summary, topic_text
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.controls import checkbox, fold_button
from viewer.ui.widgets.floating import answer, modal
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import (
    colored,
    copy_menu,
    cut,
    identified,
    labeled,
    readable,
    text,
    tooltip,
    wrapped,
)

ID: Final = "import_sheet"
SIZE: Final = 70.0, 42.0
"""Size of the window, font heights."""
MOST_OPEN: Final = 24
"""Changes that are listed one by one without a click."""
MOST_REMARKS: Final = 5
"""Losses, notes and problems that are seen without scrolling, of each kind."""

PATCH_CHOICES: Final = 2
"""Check boxes of a patch."""

_CHOICES: Final = {it.path[-1]: it for it in options_of(ImportChoices)}
_Line = ChangeGroup | int
_Choice = TypeVar("_Choice", Missing, OtherLevels, bool)


class ImportWindow:
    """Draws the sheet while there is one; owner: the shell."""

    def __init__(self) -> None:
        self._made_of: object = None
        self._groups: tuple[ChangeGroup, ...] = ()
        self._folded: set[int] = set()
        self._unfolded: set[str] = set()
        self._values = ValueGroups()

    def draw(self, frame: UiContext) -> None:
        """Draw the sheet, or close it."""
        sheet = frame.state.converting.sheet
        is_patch = sheet is not None and sheet.patch is not None
        title = _("What the patch changes") if is_patch else _("What the import changes")
        with modal(ID, title, *SIZE, is_asked=sheet is not None) as is_shown:
            if is_shown and sheet is not None:
                self._draw(sheet, frame)

    def _draw(self, sheet: ImportPlan, frame: UiContext) -> None:
        if sheet.changes is not self._made_of:
            self._made_of, self._groups = sheet.changes, groups_of(sheet)
            is_long = len(sheet.changes) > MOST_OPEN
            self._folded = {it for it, group in enumerate(self._groups) if is_long and len(group.indices) > 1}
        _draw_head(sheet)
        panes = {
            "changes": partial(self._draw_changes, sheet, frame),
            "values": partial(self._draw_values, sheet),
        }
        remarks = _remarks(sheet, self._unfolded)
        draw_panes(_height_below(sheet, len(remarks)), panes)
        if clicked := _draw_told(sheet, remarks):
            self._unfolded ^= {clicked}
        _draw_choices(sheet, frame)
        _draw_buttons(sheet, frame)

    def _draw_changes(self, sheet: ImportPlan, frame: UiContext) -> None:
        lines = [*lines_of(sheet, self._groups, self._folded)]
        if not lines:
            wrapped(why_whole(sheet), theme.DIM)
        for number in rows_on_screen(len(lines)):
            line = lines[number]
            with identified(number):
                indices = (line,) if isinstance(line, int) else line.indices
                if isinstance(line, int):
                    is_clicked = _draw_change(sheet, line)
                else:
                    is_clicked = self._draw_group(sheet, line)
            if is_clicked:
                frame.later(frame.control.importing.leave_out, toggled(sheet, indices))

    def _draw_group(self, sheet: ImportPlan, group: ChangeGroup) -> bool:
        """Draw the arrow of a group and the check box of its changes; tell whether that was clicked."""
        number = self._groups.index(group) if group in self._groups else None
        if (
            fold_button(
                "fold",
                _("Show or hide each of them"),
                is_open=number not in self._folded,
                has_children=number is not None,
                is_in_tree=True,
            )
            and number is not None
        ):
            self._folded ^= {number}
        imgui.same_line()
        return _draw_group(sheet, group)

    def _draw_values(self, sheet: ImportPlan) -> None:
        """Draw what follows, and the values before and after."""
        if not sheet.is_planned:
            text(_("Working out what follows…"), theme.DIM)
            return
        if sheet.problem:
            if sheet.patch is None:
                wrapped(_("These changes cannot be made together:"), theme.ERROR)
            wrapped(translated(sheet.problem), theme.ERROR)
            if sheet.left_out:
                wrapped(_("One that is left out may be needed by another."), theme.DIM)
            return
        for topic in dict.fromkeys(sheet.topics):
            text(_("also {topic}", topic=topic_text(topic)), theme.DIM)
            tooltip(_("Follows from the change."))
        draw_summary(sheet.summary)
        if sheet.value_count:
            imgui.separator_text(counted(sheet.value_count, "{count} value", "{count} values"))
            self._values.draw(sheet)


def lines_of(
    sheet: ImportPlan, groups: Sequence[ChangeGroup], folded: Collection[int] = ()
) -> Iterator[_Line]:
    """Yield a line for all changes, then each group, and its changes after it unless it is folded."""
    if len(sheet.changes) > 1:
        yield ChangeGroup(_("All changes"), "", tuple(range(len(sheet.changes))))
    for number, group in enumerate(groups):
        yield group
        if number not in folded:
            yield from group.indices


def toggled(sheet: ImportPlan, indices: tuple[int, ...]) -> frozenset[int]:
    """Return what is left out after a click: all of these changes, or none if all were."""
    is_out = sheet.left_out.issuperset(indices)
    return sheet.left_out.difference(indices) if is_out else sheet.left_out.union(indices)


def why_whole(sheet: ImportPlan) -> str:
    """Reason for which there are no changes to choose from."""
    if sheet.patch is not None:
        return _("A patch is applied to the whole file, with all of its changes or none.")
    if not sheet.byte_count:
        return _("The file says nothing that the open file does not have.")
    if is_text(sheet.path):
        return _("The text holds every byte of the resource, so it is taken over as a whole.")
    return _("The file becomes a new model, which is taken over as a whole.")


def _draw_group(sheet: ImportPlan, group: ChangeGroup) -> bool:
    """Draw a check box for all changes of a group; tell whether it was clicked."""
    words = f"{group.title}  {readable(group.name)}" if group.name else str(group.title)
    left = len(sheet.left_out.intersection(group.indices))
    is_mixed = 0 < left < len(group.indices)
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(theme.em(0.1), 0))
    is_clicked = checkbox(words, "group", is_on=left < len(group.indices), is_mixed=is_mixed)
    imgui.pop_style_var()
    imgui.same_line(0, theme.em(0.8))
    text(counted(len(group.indices), "{count} change", "{count} changes"), theme.FAINT)
    return is_clicked


def _draw_change(sheet: ImportPlan, index: int) -> bool:
    """Draw a check box for a change; tell whether it was clicked."""
    words, is_made = readable(translated(sheet.changes[index].words)), index not in sheet.left_out
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + theme.em(2))
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(theme.em(0.1), 0))
    with colored(theme.TEXT if is_made else theme.DIM):
        is_clicked = imgui.checkbox(labeled(words, f"change{index}"), is_made)[0]
    imgui.pop_style_var()
    tooltip([words, _("Off: it is left out.")])
    copy_menu(f"copy{index}", words)
    return is_clicked


def _draw_head(sheet: ImportPlan) -> None:
    """Draw what is imported into what, and how much of it changes."""
    text(f"{fa.ICON_FA_FILE_IMPORT}  {readable(sheet.path.name)}")
    tooltip(readable(str(sheet.path)))
    imgui.same_line(0, theme.em(0.8))
    if sheet.entries:
        archive, added = sheet.address.parent, ", ".join(translated(it.words) for it in sheet.entries)
        text(readable(f"{archive.name}: {added}"), theme.DIM)
    else:
        text(_("into {name}", name=readable(sheet.address.name)), theme.DIM)
    tooltip(readable(str(sheet.address)))
    if not sheet.is_planned:
        text(_("Working out what follows…"), theme.DIM)
    elif sheet.problem:
        text(_("cannot be applied as it is"), theme.ERROR)
    elif sheet.byte_count:
        ranges = counted(sheet.range_count, "{count} range", "{count} ranges")
        words = counted(
            sheet.byte_count,
            "changes {count} byte in {ranges}",
            "changes {count} bytes in {ranges}",
            ranges=ranges,
        )
        text(words, theme.UNSAVED)
    else:
        text(_("changes nothing"), theme.GOOD)


class _RemarkLine(Struct, frozen=True):
    """A line of what is lost or should be known; `group` if it unfolds others, which are its `details`."""

    icon: str
    words: str
    color: theme.Color
    group: str = ""


def _remarks(sheet: ImportPlan, unfolded: Collection[str]) -> list[_RemarkLine]:
    """Return what is lost, also one by one if it is unfolded, and what should be known."""
    made = (
        _("{library} is not there: it is made at once, empty", library=it.name) for it in sheet.made_libraries
    )
    found = [_RemarkLine(fa.ICON_FA_CIRCLE_INFO, it, theme.DIM) for it in made]
    kinds = (
        (sheet.lost, fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING),
        (sheet.noted, fa.ICON_FA_CIRCLE_INFO, theme.DIM),
    )
    for remarks, own, color in kinds:
        for remark in remarks:
            is_open = remark.words in unfolded
            icon = own
            if remark.details:
                icon = fa.ICON_FA_CARET_DOWN if is_open else fa.ICON_FA_CARET_RIGHT
            found.append(_RemarkLine(icon, remark.words, color, remark.words if remark.details else ""))
            details = remark.details if is_open else ()
            found += [_RemarkLine(f"    {own}", it, color) for it in details]
    return found


def _draw_told(sheet: ImportPlan, remarks: Sequence[_RemarkLine]) -> str:
    """Draw losses, notes and problems, a line each; return the group that was clicked, or nothing."""
    clicked = ""
    height = imgui.get_text_line_height_with_spacing()
    if remarks and imgui.begin_child("told", ImVec2(0, min(len(remarks), MOST_REMARKS) * height)):
        for number in rows_on_screen(len(remarks)):
            line = remarks[number]
            shown = readable(translated(line.words))
            cut(f"{line.icon}  {shown}", line.color)
            if line.group and imgui.is_item_clicked():
                clicked = line.group
            tooltip([shown, _("Click: show each of them.")] if line.group else shown)
            copy_menu(f"told{number}", shown)
    if remarks:
        imgui.end_child()
    if sheet.added:
        draw_added(sheet.added, MOST_REMARKS)
    return clicked


def _draw_choices(sheet: ImportPlan, frame: UiContext) -> None:
    """Draw what the user decides about the file."""
    choices, found = sheet.choices, sheet.found
    if sheet.patch is not None:
        _draw_patch_choices(sheet.patch, frame)
    if found.missing is not None:
        missing = _draw_choice("missing", found.missing)
        if missing is not found.missing:
            frame.later(frame.control.importing.choose, replace(choices, missing=missing))
    if found.is_turned or choices.is_y_up is not None:
        shown = found.is_y_up
        is_y_up = _draw_choice("is_y_up", shown)
        if is_y_up is not shown:
            frame.later(frame.control.importing.choose, replace(choices, is_y_up=is_y_up))
    if found.has_outdated:
        levels = _draw_choice("other_levels", choices.other_levels)
        if levels is not choices.other_levels:
            frame.later(frame.control.importing.choose, replace(choices, other_levels=levels))
    _draw_switches(sheet, frame)


def _draw_switches(sheet: ImportPlan, frame: UiContext) -> None:
    """Draw what is done besides: new states of the controller, references that are cleared."""
    choices, controller = sheet.choices, sheet.controller
    if controller is not None:
        words = _("Make a state of {controller} of each new clip", controller=controller.name)
        if imgui.checkbox(labeled(words, "states"), choices.adds_states)[0]:
            frame.later(frame.control.importing.choose, replace(choices, adds_states=not choices.adds_states))
    if sheet.found.has_referenced:
        label = _CHOICES["clears_references"].label
        if imgui.checkbox(labeled(label, "clear_references"), choices.clears_references)[0]:
            cleared = replace(choices, clears_references=not choices.clears_references)
            frame.later(frame.control.importing.choose, cleared)


def _draw_patch_choices(choices: PatchChoices, frame: UiContext) -> None:
    """Draw in which direction a patch is applied, and whether to another file than its own."""
    words = _("Undo the patch: the file is the one after it")
    if imgui.checkbox(labeled(words, "reverse"), choices.is_reverse)[0]:
        frame.later(frame.control.importing.choose, replace(choices, is_reverse=not choices.is_reverse))
    words = _("Apply it to another file too, if that has everything that is replaced")
    if imgui.checkbox(labeled(words, "another"), choices.is_forced)[0]:
        frame.later(frame.control.importing.choose, replace(choices, is_forced=not choices.is_forced))


def _draw_choice(name: str, chosen: _Choice) -> _Choice:
    """Draw a radio button for each value of a choice; return the one that is chosen now."""
    option = _CHOICES[name]
    imgui.align_text_to_frame_padding()
    text(option.label)
    found = chosen
    for it in option.option.choices:
        imgui.same_line()
        if imgui.radio_button(labeled(str(it.title), f"{name}_{it.value}"), it.value == chosen):
            found = it.value
    return found


def _height_below(sheet: ImportPlan, remarks: int) -> float:
    """Return the height of what is drawn below the changes, with a number of remarks."""
    spacing = imgui.get_style().item_spacing.y
    lines = min(remarks, MOST_REMARKS) + min(len(by_kind(sheet.added)), MOST_REMARKS) + bool(sheet.added)
    found = sheet.found
    rows = 1 + found.has_outdated + found.has_referenced + (found.missing is not None)
    rows += sheet.controller is not None
    rows += found.is_turned or sheet.choices.is_y_up is not None
    rows += 0 if sheet.patch is None else PATCH_CHOICES
    return (
        lines * imgui.get_text_line_height_with_spacing()
        + rows * imgui.get_frame_height_with_spacing()
        + 3 * spacing
    )


def _draw_buttons(sheet: ImportPlan, frame: UiContext) -> None:
    hint = _("As one change, which can be undone; nothing is saved yet.")
    if answer(_("Apply"), "apply", hint, is_enabled=sheet.is_ready, is_main=True):
        frame.later(frame.control.importing.answer, is_wanted=True)
    if answer(_("Cancel"), "cancel", _("Nothing is changed.")) or key_focus.takes_escape():
        frame.later(frame.control.importing.answer, is_wanted=False)
