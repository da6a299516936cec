"""The models of a file or a folder, ranked by how sure their readings are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from imgui_bundle import imgui

from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.reading import Reason
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.operations.corpus.readings import REASONS, ModelScore, ReadingScores
from viewer.session.field_text import counted
from viewer.session.jobs import SCORES_LANE, ScoreState
from viewer.translation import Text, _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_row_link
from viewer.ui.fields.result_age import draw_age
from viewer.ui.table.statistics import SCOPE_HINTS, SCOPES
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.job_progress import draw_progress, draw_unreadable
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import empty, labeled, readable, text, wrapped

XYZW, WXYZ = QuaternionOrder
_EXPLANATION: Final = _(
    "How well each quaternion order fits the bounding boxes, for every model, the least sure first."
)
_FLAGS: Final = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.sortable
    | imgui.TableFlags_.sort_tristate
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.no_saved_settings
)
_NONE: Final = -1.0
"""Stands for an error that is not known, which sorts before all others."""


class _Column(NamedTuple):
    """A column: the value that it is sorted by, and the text of that."""

    key: str
    title: Text
    value: Callable[[ModelScore], Any]
    words: Callable[[Any], str] = str


def _share(value: float) -> str:
    return "" if value == _NONE else f"{value:.3%}"


def _errors(it: ModelScore) -> Mapping[QuaternionOrder, float]:
    return it.choice.errors or dict.fromkeys(QuaternionOrder, _NONE)


_COLUMNS: Final = (
    _Column("model", _("model"), lambda it: it.label),
    _Column("xyzw", _("error of xyzw"), lambda it: _errors(it)[XYZW], _share),
    _Column("wxyz", _("error of wxyz"), lambda it: _errors(it)[WXYZ], _share),
    _Column("margin", _("margin"), lambda it: it.choice.margin if it.choice.errors else _NONE, _share),
    _Column("pick", _("pick"), lambda it: str(it.choice.automatic.quaternion_order)),
    _Column("by", _("decided by"), lambda it: str(it.choice.decided_by), translated),
    _Column("votes_xyzw", _("votes xyzw"), lambda it: it.choice.votes[XYZW]),
    _Column("votes_wxyz", _("votes wxyz"), lambda it: it.choice.votes[WXYZ]),
    _Column("wear", _("wear row"), lambda it: str(it.choice.automatic.material_field)),
)


class ScoreTable:
    """The judged models, and the ranking of readings; owner: a panel."""

    def __init__(self) -> None:
        self._found: ReadingScores | None = None
        self._order: list[int] = []
        self._chosen: tuple[int, bool] | None = None

    def draw(self, frame: UiContext) -> None:
        """Draw what can be chosen, and the ranking."""
        state = frame.state.scores
        self._draw_choices(frame, state)
        if not state.is_running and draw_age(frame, state.read):
            frame.later(frame.control.statistics.score, state.scope)
        if state.is_running:
            draw_progress(frame, SCORES_LANE, _("Judging readings…"), "cancel_scores")
        elif state.problem:
            wrapped(translated(state.problem), theme.ERROR)
        elif state.found is None:
            empty(str(_EXPLANATION))
        else:
            self._draw_models(frame, state.found)

    def _draw_choices(self, frame: UiContext, state: ScoreState) -> None:
        text(_("score"), theme.DIM)
        for scope, title in SCOPES.items():
            imgui.same_line()
            if controls.small_button(title, f"score_{scope}", SCOPE_HINTS[scope]):
                frame.later(frame.control.statistics.score, scope)
        if state.found is None:
            return
        imgui.same_line(0, theme.em(1))
        if controls.small_button(_("Save as CSV…"), "save_scores"):
            frame.later(
                frame.control.dialogs.choose_new,
                _("Save as CSV"),
                "readings.csv",
                partial(frame.control.files.save_text, state.found.csv()),
            )
        imgui.same_line()
        text(counted(len(state.found.models), "{count} model", "{count} models"), theme.DIM)
        if state.found.unreadable:
            imgui.same_line()
            draw_unreadable(_("These cannot be read:"), state.found.unreadable)

    def _draw_models(self, frame: UiContext, found: ReadingScores) -> None:
        columns = {labeled(it.title, it.key): -3.0 if it.key == "model" else -1.0 for it in _COLUMNS}
        for row in table_rows("##scores", columns, self._sorted(found), _FLAGS, has_headers=True):
            _draw_model(frame, row, found.models[row])

    def _sorted(self, found: ReadingScores) -> Iterator[int]:
        """Yield the models on screen, ranked or by the column that was clicked."""
        specs = imgui.table_get_sort_specs()
        chosen = None
        if specs is not None and specs.specs_count:
            spec = specs.get_specs(0)
            chosen = spec.column_index, spec.get_sort_direction() == imgui.SortDirection.descending
        if found is not self._found or chosen != self._chosen:
            self._found, self._chosen, self._order = found, chosen, [*range(len(found.models))]
            if chosen is not None:
                value = _COLUMNS[chosen[0]].value
                self._order.sort(key=lambda row: value(found.models[row]), reverse=chosen[1])
        for number in rows_on_screen(len(self._order)):
            yield self._order[number]


def _draw_model(frame: UiContext, row: int, found: ModelScore) -> None:
    for column in _COLUMNS:
        shown = column.words(column.value(found))
        if column.key == "model":
            follow = frame.later.calling(frame.control.opening.open, found.address)
            more = partial(_draw_overrides, frame, found)
            label = labeled(readable(shown), f"score{row}")
            draw_row_link(label, str(found.address), partial(_hints, found), follow, more)
            continue
        imgui.table_next_column()
        text(shown, theme.WARNING if shown == Reason.TIE else theme.TEXT)


def _hints(found: ModelScore) -> list[str]:
    lines = [str(found.address), str(REASONS[found.choice.decided_by])]
    return [*lines, *(f"{it.title}: {it.automatic or '-'}: {it.why}" for it in found.questions[1:])]


def _draw_overrides(frame: UiContext, found: ModelScore) -> None:
    """Draw what the context menu of a model offers beside copying its address."""
    for requested, words in (
        (ReadingChoice.AUTO, _("Read automatically")),
        (ReadingChoice.SEED, _("Read as the seeds")),
        (ReadingChoice.FIELD, _("Read as the field notes")),
    ):
        is_chosen = frame.state.settings.reading_of(found.address) is requested
        if controls.menu_item(words, f"use_{requested}", is_on=is_chosen):
            frame.later(frame.control.opening.use_reading, requested.value, found.address)
