"""Readings panel: both answers to each disputed question, what was measured, the overrides; a ranking."""

from __future__ import annotations

from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.operations.corpus.readings import REASONS, Question, ReadingAnswer, box_and_votes, questions
from viewer.session.opened.document import Document
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.panels.reading_scores import ScoreTable
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.widgets import empty, text, tooltip, wrapped

CHOICES: Final = {
    ReadingChoice.AUTO: _("Automatic"),
    ReadingChoice.SEED: _("Seed (from the engine's disassembly)"),
    ReadingChoice.FIELD: _("Field (from retail files)"),
}
_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.no_saved_settings
)
_COMBO: Final = 11.0
"""Width of a list of readings, font heights."""


class ReadingsPanel:
    """The reading of the open document and the override; the models of a file ranked."""

    id = "readings"
    title = _("Readings")

    def __init__(self) -> None:
        self._questions, self._scores, self._is_ranking = Cached(_questions_of), ScoreTable(), False

    def draw(self, frame: UiContext) -> None:
        """Draw the overrides, and the evidence or the ranking."""
        document = frame.document
        if document is None and frame.state.scores.found is None:
            empty(_("The readings of the open model appear here."))
            return
        self._draw_choice(has_model=document is not None)
        if document is not None:
            _draw_overrides(frame, document)
        if document is None or self._is_ranking:
            self._scores.draw(frame)
        else:
            self._draw_model(frame, document)

    def _draw_choice(self, *, has_model: bool) -> None:
        """Draw the choice between the open model and the ranking."""
        for is_ranking, key, title in ((False, "model", _("This model")), (True, "scores", _("Many models"))):
            if is_ranking or has_model:
                is_on = self._is_ranking is is_ranking or not has_model
                if controls.radio_button(title, key, is_on=is_on):
                    self._is_ranking = is_ranking
                imgui.same_line()
        if not has_model:
            imgui.new_line()

    def _draw_model(self, frame: UiContext, document: Document) -> None:
        _draw_installs(frame, document)
        found = self._questions.of((document.identity, document.revision), document)
        answers = dict.fromkeys((_("seed reading"), _("field reading"), _("automatic, because")), -1.0)
        columns = {_("question"): -0.6, **answers}
        for asked in table_rows("##questions", columns, found, _FLAGS, has_headers=True):
            _draw_question(asked)


def _questions_of(document: Document) -> tuple[Question, ...]:
    materials = document.materials
    has_lightmaps = None
    if materials.wear_source is not None:
        has_lightmaps = any(it.lightmap is not None for it in (*materials.rows, *materials.unused))
    return questions(document.model, document.choice, has_lightmaps=has_lightmaps)


def _draw_question(asked: Question) -> None:
    wrapped(str(asked.title), theme.DIM)
    for name, answer in ((ReadingChoice.SEED, asked.seed), (ReadingChoice.FIELD, asked.field)):
        imgui.table_next_column()
        _draw_answer(answer, is_used=asked.used is name)
    imgui.table_next_column()
    if asked.automatic is not None:
        text(str(asked.automatic))
    wrapped(str(asked.why), theme.DIM)


def _draw_answer(answer: ReadingAnswer, *, is_used: bool) -> None:
    """Draw what a reading takes; that in use is marked."""
    mark = f"{fa.ICON_FA_CHECK} " if is_used else ""
    wrapped(f"{mark}{answer.words}", theme.TEXT if is_used else theme.DIM)
    if answer.measured:
        wrapped(str(answer.measured), theme.DIM if is_used else theme.FAINT)


def _draw_installs(frame: UiContext, document: Document) -> None:
    """Draw the games that could be used if names cannot be looked up."""
    if document.game.folder is not None:
        return
    for number, install in enumerate(frame.state.installs):
        words = _("Use the game found ({launcher})", launcher=name_of(install.launcher))
        if controls.button(words, f"use_install{number}", install.folder):
            frame.later(frame.control.opening.use_game, install.folder)


def _draw_overrides(frame: UiContext, document: Document) -> None:
    """Draw the choice for the file, and that for the model if it is one of several in it."""
    address = document.address
    hint = _("Some fields have two readings. Choosing one never changes the file.")
    file = Address(address.path)
    chosen = frame.state.settings.reading_of(file)
    _draw_override(frame, "reading", _("file"), chosen, None, [address.path.name, hint])
    if address.entries:
        own = document.choice.requested
        _draw_override(frame, "reading_model", _("model"), own, document.address, [address.name, hint])


def _draw_override(
    frame: UiContext, key: str, title: str, chosen: ReadingChoice, address: Address | None, hints: list[str]
) -> None:
    imgui.same_line(0, theme.em(1))
    if imgui.get_content_region_avail().x < imgui.calc_text_size(title).x + theme.em(_COMBO + 0.5):
        imgui.new_line()
    controls.label(title)
    requested = controls.choose(f"##{key}", CHOICES, chosen, _COMBO)
    tooltip([_("Choose another reading"), *hints])
    if requested is not chosen:
        frame.later(frame.control.opening.use_reading, requested.value, address)


def summary(choice: ResolvedReading) -> str:
    """Return the reading in use: ``auto: xyzw, seed``."""
    reading = choice.reading
    order, field = reading.quaternion_order, reading.material_field
    return _("{choice}: {order}, {field}", choice=choice.requested, order=order, field=field)


def evidence_lines(choice: ResolvedReading) -> list[str]:
    """Return the reading and its evidence, a line each."""
    return [
        _("reading {reading}", reading=summary(choice)),
        str(REASONS[choice.reason]),
        *(f"{order}: {box_and_votes(choice, order)}" for order in QuaternionOrder),
    ]
