"""Export: how much of what is open, in which format, where to, and what will be written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.convert.options import OF_EXPORT, Clips, Options, holders
from viewer.model.convert.scene_file import GLB, GLTF, JSON, OBJ, SUFFIXES
from viewer.operations.exporting import ExportPreview
from viewer.options import Declared, option_at, options_of
from viewer.session.exporting import ExportChoices, ExportQuestion, ExportScope
from viewer.session.field_text import cell_name, counted, size_text
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, key_focus, theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.input.number_field import draw_number
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import labeled, readable, text, tooltip, wrapped

LABELS: Final = 7.0
"""Width of the labels, font heights."""
FIELD: Final = 20.0
NUMBER: Final = 6.0
_FORMATS: Final = {
    GLB: (_("glTF, one binary file"), _("For Blender and all other programs; pictures inside.")),
    GLTF: (
        _("glTF, text with files next to it"),
        _("The same as text; arrays and pictures are files of their own."),
    ),
    OBJ: (
        _("OBJ"),
        _("One cell at rest, without movement; a file next to it keeps what OBJ cannot hold."),
    ),
    JSON: (_("JSON"), _("Every byte as text, for comparing and for git; no scene.")),
}
_CLIPS: Final = {
    Clips.STRIP: (_("All frames as one"), _("As the file has it; comes back exactly.")),
    Clips.CLIPS: (_("Clips of the controller"), _("Each in its own time, as the game plays it.")),
    Clips.NONE: (_("None"), _("The rest pose alone.")),
}
_RATE: Final = option_at(Options, "fps")
_OPTIONS: Final = tuple(it for it in options_of(Options) if it.option.section == OF_EXPORT)


class ExportWindow(Floating):
    """Asks how to export; owner: the shell."""

    id = "export"
    title = _("Export")
    size = 34, 30

    def __init__(self) -> None:
        super().__init__()
        self._stem, self._asked_stem = "", ""
        self._waits = False

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is something to ask."""
        question = frame.state.converting.export
        self._waits = self._waits and question is not None
        close = frame.later.calling(frame.control.exporting.run, is_wanted=False)
        with self.asked(question, close) as is_shown:
            if is_shown and question is not None:
                self._draw(question, frame)

    def _draw(self, question: ExportQuestion, frame: UiContext) -> None:
        asked = question
        for change in (_with_selection, _draw_scope, _draw_format, _draw_options):
            asked = change(asked, frame)
        asked = self._draw_place(asked, frame)
        if asked is not question:
            asked = replace(asked, preview=None)
            frame.later(frame.control.exporting.ask, asked)
        imgui.spacing()
        below = imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y
        height = max(imgui.get_content_region_avail().y - below, theme.em(4))
        if imgui.begin_child("preview", ImVec2(0, height), imgui.ChildFlags_.borders):
            _draw_preview(asked)
        imgui.end_child()
        self._draw_buttons(asked, frame)

    def _draw_place(self, question: ExportQuestion, frame: UiContext) -> ExportQuestion:
        """Draw the folder, and the name of the file in it."""
        if draw_folder(question.folder):
            _choose_place(question, frame)
        if question.scope.is_many:
            return question
        controls.label(_("Name"), LABELS)
        imgui.set_next_item_width(theme.em(FIELD))
        if self._asked_stem != question.stem:
            self._asked_stem = self._stem = question.stem
        self._stem = imgui.input_text("##stem", self._stem)[1]
        self._waits |= imgui.is_item_deactivated() and key_focus.is_entered()
        imgui.same_line()
        text(f".{question.suffix}", theme.DIM)
        if imgui.is_item_hovered():
            tooltip(readable(str(question.path)))
        is_name = bool(self._stem) and not set('/\\:*?"<>|').intersection(self._stem)
        if is_name and self._stem != question.stem:
            self._asked_stem = self._stem
            return replace(question, stem=self._stem)
        return question

    def _draw_buttons(self, question: ExportQuestion, frame: UiContext) -> None:
        found = question.preview
        is_possible = found is None or (not found.error and bool(found.files))
        is_over = found is not None and bool(found.replaced)
        words = _("Replace") if is_over else _("Export")
        is_ready = is_possible and self._is_ready(question)
        is_pressed = answer(words, "run", _hint(question), is_enabled=is_ready, is_main=True)
        self._waits |= is_pressed
        if self._waits and found is not None:
            self._waits = False
            # What was pressed before "Replace" was on the button replaces nothing.
            if is_ready and (is_pressed or not is_over):
                frame.later(frame.control.exporting.run, is_wanted=True)
        if answer(_("Cancel"), "cancel"):
            frame.later(frame.control.exporting.run, is_wanted=False)

    def _is_ready(self, question: ExportQuestion) -> bool:
        """Whether the name in the field is the one that is asked for."""
        is_placed = question.scope.is_many or self._stem == question.stem
        return is_placed and (question.scope is not ExportScope.SELECTION or bool(question.nodes))


def _choose_place(question: ExportQuestion, frame: UiContext) -> None:
    """Ask for another place of the files."""
    if question.scope.is_many:
        title = _("Choose the folder to export to")
        frame.later(frame.control.dialogs.choose_folder, title, frame.control.exporting.place)
    else:
        title, name = _("Export as"), question.path.name
        frame.later(frame.control.dialogs.choose_new, title, name, frame.control.exporting.place)


def _with_selection(question: ExportQuestion, frame: UiContext) -> ExportQuestion:
    """The question about the selection of now."""
    nodes = frame.view.selection.nodes
    is_open = frame.document is not None and frame.state.tabs.active.address == question.address
    return replace(question, nodes=nodes) if is_open and nodes != question.nodes else question


def _draw_scope(question: ExportQuestion, frame: UiContext) -> ExportQuestion:
    """Draw what can be exported: the model, what is selected in it, the archive around it."""
    controls.label(_("What"), LABELS)
    imgui.begin_group()
    chosen = question.scope
    for scope, words, hint in _scopes(question, frame):
        if controls.radio_button(words, scope.value, hint, is_on=question.scope is scope):
            chosen = scope
    imgui.end_group()
    return question if chosen is question.scope else replace(question, scope=chosen)


def _scopes(question: ExportQuestion, frame: UiContext) -> Iterator[tuple[ExportScope, str, str]]:
    if question.entries:
        words = counted(len(question.entries), "{count} selected entry", "{count} selected entries")
        yield ExportScope.ENTRIES, words, _("A file each, in one folder.")
        return
    name = readable(question.address.name)
    if question.address != question.archive:
        yield ExportScope.MODEL, name, readable(str(question.address))
    if (question.nodes and question.is_scene) or question.scope is ExportScope.SELECTION:
        nodes = counted(len(question.nodes), "{count} selected part", "{count} selected parts")
        yield ExportScope.SELECTION, nodes, _("The selected parts, with those that they hang on.")
    if question.archive is not None:
        archive = readable(question.archive.name)
        words = _("every model of {archive}") if question.choices.suffix != JSON else _("all of {archive}")
        yield ExportScope.ARCHIVE, words.format(archive=archive), _("A file each, in one folder.")
    del frame


def _draw_format(question: ExportQuestion, _frame: UiContext) -> ExportQuestion:
    controls.label(_("Format"), LABELS)
    imgui.set_next_item_width(theme.em(FIELD))
    chosen = question.suffix
    can_choose = question.is_model or question.scope.is_many
    imgui.begin_disabled(not can_choose)
    if imgui.begin_combo("##format", _format_text(question.suffix)):
        for suffix in SUFFIXES:
            if imgui.selectable(labeled(_format_text(suffix), suffix), suffix == question.suffix)[0]:
                chosen = suffix
            tooltip(str(_FORMATS[suffix][1]), is_beside=True)
        imgui.end_combo()
    imgui.end_disabled()
    tooltip(str(_FORMATS[question.suffix][1]) if can_choose else _("Only models have other formats."))
    if chosen == question.suffix:
        return question
    scope = (
        ExportScope.MODEL if chosen == JSON and question.scope is ExportScope.SELECTION else question.scope
    )
    return replace(question, choices=replace(question.choices, suffix=chosen), scope=scope)


def _format_text(suffix: str) -> str:
    return f"{_FORMATS[suffix][0]} (.{suffix})"


def _draw_options(question: ExportQuestion, frame: UiContext) -> ExportQuestion:
    if not question.is_scene:
        return question
    choices = question.choices
    if question.suffix != OBJ:
        scene = _draw_cells(question, choices.scene, frame)
        choices = replace(choices, scene=_draw_clips(scene))
    choices = _draw_switches(question, choices)
    choices = replace(choices, scene=_draw_numbers(question, choices.scene))
    return question if choices == question.choices else replace(question, choices=choices)


def _draw_cells(question: ExportQuestion, choices: Options, frame: UiContext) -> Options:
    controls.label(_("Geometry"), LABELS)
    is_open = frame.state.tabs.active.address == question.address
    name = cell_name(frame.document if is_open else None, *question.cell)
    words, hint = _("Shown now: {cell}", cell=name), _("The LOD and group that are shown.")
    one = controls.radio_button(words, "one", hint, is_on=not choices.has_all_cells)
    controls.label("", LABELS)
    hint = _("Every LOD and group, each as a scene; the shown one is the first.")
    every = controls.radio_button(_("All"), "all", hint, is_on=choices.has_all_cells)
    return replace(choices, has_all_cells=every or (choices.has_all_cells and not one))


def _draw_clips(choices: Options) -> Options:
    controls.label(_("Animation"), LABELS)
    imgui.set_next_item_width(theme.em(FIELD))
    chosen = choices.clips
    if imgui.begin_combo("##clips", str(_CLIPS[chosen][0])):
        for clips, (words, hint) in _CLIPS.items():
            if imgui.selectable(labeled(str(words), clips.value), clips is chosen)[0]:
                choices = replace(choices, clips=clips)
            tooltip(str(hint), is_beside=True)
        imgui.end_combo()
    tooltip(str(_CLIPS[chosen][1]))
    if choices.clips == Clips.NONE:
        return choices
    controls.label(_("Speed"), LABELS)
    choices = replace(choices, fps=draw_number(_RATE, choices.fps, (), NUMBER))
    imgui.same_line()
    text(_("frames a second"), theme.DIM)
    tooltip(_("Time in the file is the frame divided by this."))
    return choices


def _draw_switches(question: ExportQuestion, choices: ExportChoices) -> ExportChoices:
    """Draw a check box for each switch that has one, and the one of the axis."""
    controls.label(_("With"), LABELS)
    scene = choices.scene
    for option in (it for it in _OPTIONS if it.value_kind is bool):
        is_on, hint, is_held = option.of(scene), _option_hint(question, option), _is_held(question, option)
        if controls.checkbox(option.label, option.key, hint, is_on=is_on, is_enabled=is_held):
            scene = option.chosen(scene, not is_on)
        imgui.same_line()
    is_y_up = imgui.checkbox(labeled(_("Y up"), "y_up"), choices.is_y_up)[1]
    usual = _("Off as usual for OBJ: Z stays up.") if question.suffix == OBJ else ""
    tooltip(usual or _("As glTF says; off: Z stays up, as in the game."))
    return replace(choices, scene=scene).with_y_up(is_on=is_y_up)


def _draw_numbers(question: ExportQuestion, scene: Options) -> Options:
    """Draw a field for each number that has one."""
    for option in (it for it in _OPTIONS if it.value_kind in (int, float)):
        controls.label(option.label, LABELS)
        before, hint, is_held = option.of(scene), _option_hint(question, option), _is_held(question, option)
        value = draw_number(option, before, hint, NUMBER, is_enabled=is_held)
        scene = scene if value == before else option.chosen(scene, value)
    return scene


def _is_held(question: ExportQuestion, option: Declared) -> bool:
    """Whether files of the chosen format can hold an option."""
    return question.suffix in holders(option)


def _option_hint(question: ExportQuestion, option: Declared) -> list[str]:
    said = [*map(str, option.option.hint)]
    suffix = question.suffix
    return said if _is_held(question, option) else [*said, _("Not in .{suffix} files.", suffix=suffix)]


def _draw_preview(question: ExportQuestion) -> None:
    found = question.preview
    if question.scope is ExportScope.SELECTION and not question.nodes:
        wrapped(_("Select parts in the outline or in the viewport."), theme.DIM)
    elif found is None:
        text(_("Working out what will be written…"), theme.DIM)
    elif found.error:
        wrapped(translated(found.error), theme.ERROR)
    elif not found.files and not found.refused:
        wrapped(_("There is nothing to export in it."), theme.DIM)
    else:
        draw_files(found)


def draw_folder(folder: Path) -> bool:
    """Draw the folder of an output as a row; tell whether the button that chooses another was pressed."""
    controls.label(_("Folder"), LABELS)
    width = theme.em(FIELD) - imgui.get_frame_height() - imgui.get_style().item_spacing.x
    words = readable(str(folder))
    imgui.begin_disabled()
    imgui.set_next_item_width(width)
    imgui.input_text("##folder", _end_of(words, width))
    imgui.end_disabled()
    tooltip(words)
    imgui.same_line()
    is_pressed = imgui.button(labeled(fa.ICON_FA_FOLDER_OPEN, "place"), ImVec2(imgui.get_frame_height(), 0))
    tooltip(_("Choose another folder or name"))
    return is_pressed


def draw_files(found: ExportPreview) -> None:
    """Draw what will be written: numbers, what is lost, the files, and what is left out with the reasons."""
    if found.nodes:
        wrapped(", ".join(_contents(found)))
    words = counted(len(found.files), "{count} file", "{count} files")
    text(f"{words}, {size_text(found.size)}" if found.size else words, theme.DIM)
    if found.replaced:
        count = counted(len(found.replaced), "{count} file that exists", "{count} files that exist")
        wrapped(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {_('replaces {files}', files=count)}", theme.WARNING)
    for loss in found.losses:
        wrapped(translated(loss), theme.WARNING)
    for note in found.notes:
        wrapped(translated(note), theme.DIM)
    for number in rows_on_screen(len(found.files)):
        name, size = found.files[number]
        text(readable(name), theme.WARNING if name in found.replaced else theme.TEXT)
        if size:
            imgui.same_line(0, theme.em(0.8))
            text(size_text(size), theme.FAINT)
    if found.refused:
        wrapped(counted(len(found.refused), "{count} is left out:", "{count} are left out:"), theme.WARNING)
    for number in rows_on_screen(len(found.refused)):
        failure = found.refused[number]
        text(f"{readable(failure.name)}  {readable(translated(failure.reason))}", theme.FAINT)


def _contents(found: ExportPreview) -> Iterator[str]:
    """Yield what is in a scene: ``12 parts``, ``3 450 triangles``."""
    yield counted(found.nodes, "{count} part", "{count} parts")
    yield counted(found.triangles, "{count} triangle", "{count} triangles")
    yield counted(found.materials, "{count} material", "{count} materials")
    if found.pictures:
        yield counted(found.pictures, "{count} picture", "{count} pictures")
    if found.frames > 1:
        yield counted(found.frames, "{count} frame", "{count} frames")
    if found.clips:
        yield counted(found.clips, "{count} clip", "{count} clips")


def _hint(question: ExportQuestion) -> str:
    return readable(str(question.path))


def _end_of(words: str, width: float) -> str:
    """A path, or as much of its end as is seen in a field."""
    room = width - 2 * imgui.get_style().frame_padding.x
    while imgui.calc_text_size(words).x > room and len(words) > 1:
        words = "…" + words[2:]
    return words
