"""The question what becomes of a file of another program: a row for each answer, with what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.convert.scene_file import is_scene
from viewer.model.store.address import Address
from viewer.session.importing import SceneQuestion
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, key_focus, theme
from viewer.ui.widgets.floating import answer, modal
from viewer.ui.widgets.widgets import labeled, readable, switched, wrapped

ID: Final = "scene"
WIDTH: Final = 48.0
ANSWER: Final = 17.0
"""Width of the answers; all of these in font heights."""


class SceneQuestionWindow:
    """Draws the question while it is asked; owner: the shell."""

    def __init__(self) -> None:
        self._asked: SceneQuestion | None = None
        self._name = ""
        self._model = ""

    def draw(self, frame: UiContext) -> None:
        """Draw the sheet of the question, or close the sheet."""
        asked = frame.state.converting.asked
        if asked is not self._asked:
            self._asked = asked
            self._name = "" if asked is None else asked.name
            self._model = asked.models[0] if asked is not None and asked.models else ""
        with modal(ID, _("Import"), WIDTH, is_asked=asked is not None) as is_shown:
            if is_shown and asked is not None:
                self._draw(asked, frame)

    def _draw(self, asked: SceneQuestion, frame: UiContext) -> None:
        path = asked.path
        wrapped(_("What becomes of {file}?", file=readable(path.name)))
        imgui.spacing()
        if imgui.begin_table("answers", 2):
            imgui.table_setup_column("", imgui.TableColumnFlags_.width_fixed, theme.em(ANSWER))
            imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch)
            main = "into" if asked.model else "add" if asked.archive else "look"
            hint = _("Show it as a model that is not saved, with its materials.")
            if is_scene(path) and _draw_answer(
                fa.ICON_FA_EYE, _("Look at it"), "look", hint, is_main=main == "look"
            ):
                frame.later(frame.control.importing.look, path)
            if asked.model is not None:
                words = _("Import into {name}", name=readable(asked.model.name))
                hint = _("Compare it with the open model, and show what it changes there.")
                if _draw_answer(fa.ICON_FA_FILE_IMPORT, words, "into", hint, is_main=main == "into"):
                    frame.later(frame.control.importing.read, path, asked.model)
            if asked.archive is not None:
                self._draw_archive(asked, asked.archive, frame)
            if is_scene(path):
                words = _("New model file…")
                hint = _("Make a model file of its own, with a wear table next to it.")
            else:
                words, hint = _("New file…"), _("Make a file of the resource that the text describes.")
            if _draw_answer(fa.ICON_FA_FILE_CIRCLE_PLUS, words, "new", hint):
                frame.later(frame.control.importing.make_new, path)
            imgui.end_table()
        imgui.spacing()
        if answer(_("Cancel"), "cancel") or key_focus.takes_escape():
            frame.later(frame.control.importing.answer, is_wanted=False)

    def _draw_archive(self, asked: SceneQuestion, archive: Address, frame: UiContext) -> None:
        """Draw the answers of an archive: a new model, or one of its models."""
        name = readable(archive.name)

        def new_name() -> bool:
            imgui.set_next_item_width(-1)
            self._name = imgui.input_text("###new_name", self._name)[1].strip()
            return imgui.is_item_deactivated() and key_focus.is_entered()

        is_model = is_scene(asked.path)
        hint = _("With its wear table, and its materials and textures in the libraries of the game folder.")
        words = _("New model in {name}", name=name)
        if not is_model:
            words, hint = _("New entry in {name}", name=name), _("The resource that the text describes.")
        if _draw_answer(fa.ICON_FA_PLUS, words, "add", hint, new_name, is_main=asked.model is None):
            frame.later(frame.control.importing.add, asked.path, archive.child(self._name or asked.name))

        def model() -> bool:
            models = {it: readable(it) for it in asked.models}
            self._model = controls.choose("###model", models, self._model, -1)
            return False

        hint = _("Compare it with this model, and show what it changes there.")
        if not is_model:
            hint = _("Every byte of this entry becomes what the text describes.")
        words = _("Replace in {name}", name=name)
        if asked.models and _draw_answer(fa.ICON_FA_RIGHT_LEFT, words, "replace", hint, model):
            frame.later(frame.control.importing.read, asked.path, archive.child(self._model))


def _draw_answer(
    icon: str,
    words: str,
    key: str,
    about: str,
    draw_field: Callable[[], bool] | None = None,
    *,
    is_main: bool = False,
) -> bool:
    """Draw an answer, and next to it a field and what it does; tell whether it was chosen.

    Parameters
    ----------
    draw_field
        Tells whether Enter was pressed in the field.
    is_main
        Whether Enter chooses it outside of fields.
    """
    is_pressed = is_main and key_focus.is_entered() and not key_focus.is_typing()
    imgui.table_next_row()
    imgui.table_next_column()
    with switched(is_on=is_main):
        is_pressed |= imgui.button(labeled(f"{icon}  {words}", key), ImVec2(-1, 0))
    imgui.table_next_column()
    if draw_field is not None:
        is_pressed |= draw_field()
    else:
        imgui.align_text_to_frame_padding()
    wrapped(about, theme.DIM)
    return is_pressed
