"""Hints of the dope sheet: a node and its key of now, problems, and an edit before it is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.model.checks.animation import frame_count_findings, track_findings
from viewer.session.field_text import counted
from viewer.session.opened.document import Document
from viewer.session.play.keys.key_sheet import KeyEdit, KeySheet
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.timeline.key_rows import cursors
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import text, tooltip

MOST_PROBLEMS: Final = 8
"""Most problems of a node, or of the whole model, that are listed."""
MOST_CHANGES: Final = 6
"""Most changes of an edit that are listed before it is made."""
_TABLES: Final = {KEYS: _("table of keys"), FRAME_MAP: _("frame map")}


def why_nothing_moves(document: Document) -> str:
    """Reason for which no node of a model has keys in time."""
    model = document.model
    missing = [name for type_id, name in _TABLES.items() if not model.has(type_id)]
    if missing:
        return _("No node moves: the model has no {tables}.", tables=_(" and ").join(map(str, missing)))
    problems = track_findings(model)
    if problems:
        return _("No node moves: {problem}", problem=translated(problems[0].text))
    return _("No node of this model has keys in time.")


def why_no_time(document: Document) -> str:
    """Reason for which a model has no time, neither of nodes nor of materials."""
    problems = (*frame_count_findings(document.model), *track_findings(document.model))
    if document.model.has(FRAME_MAP) and problems:
        return _("No animation: {problem}", problem=translated(problems[0].text))
    return _("No animation: a single frame and no animated materials.")


def problem_lines(problems: Sequence[Diagnostic]) -> list[str]:
    """The first problems, a line each."""
    return [f"{it.rule} {translated(it.text)}".strip() for it in problems[:MOST_PROBLEMS]]


def problem_color(problems: Sequence[Diagnostic]) -> Color:
    """The color of the worst of some problems, that of text without any."""
    worst = min((it.severity for it in problems), key=list(Severity).index, default=None)
    return theme.TEXT if worst is None else theme.SEVERITIES[worst]


def draw_model_problems(problems: Sequence[Diagnostic]) -> None:
    """Draw a mark for what is wrong with the animation of the model as a whole, if anything is."""
    if problems:
        imgui.same_line(0, theme.em(0.8))
        imgui.align_text_to_frame_padding()
        text(fa.ICON_FA_TRIANGLE_EXCLAMATION, problem_color(problems))
        tooltip(lambda: problem_lines(problems))


def faults_at(keys: KeySheet, node: int, time: float) -> list[str]:
    """The problems at a frame of a node."""
    near = (it.problem for it in keys.faults.get(node, ()) if abs(it.time - time) <= 0.5)
    return problem_lines([*islice(near, MOST_PROBLEMS)])


def word_lines(keys: KeySheet, node: int, time: float) -> Iterator[str]:
    """Yield what the frame map says of a frame of a node."""
    run = keys.word_at(node, time)
    if run is not None:
        words = (
            _("frame {frame}: the map says key {key}, the fallback")
            if run.is_fallback
            else _("frame {frame}: the map says key {key}")
        )
        yield words.format(frame=round(time), key=run.key)


def explained(frame: UiContext, document: Document, node: int) -> list[str]:
    """The lines about a node at this moment: its name, its keys, and the fraction between them."""
    lines, pose, animation = [document.label(node)], frame.state.pose, document.animation
    if pose is None or node >= len(pose.sample.key):
        return lines
    track, key = animation.track(node), int(pose.sample.key[node])
    if key not in track:
        return [*lines, _("no key: in the place of its parent")]
    index, times = track.index(key), animation.times
    now = _("key {index} at frame {time:g}", index=index, time=times[key])
    if not pose.sample.is_interpolated[node]:
        words = _("{key}, the fallback key", key=now) if key == track[-1] else now
        return [*lines, words]
    before, after = float(times[key]), float(times[key + 1])
    alpha = (cursors(frame, document)[0][0] - before) / (after - before)
    return [*lines, _("{key}, {alpha:.3f} of the way to frame {after:g}", key=now, alpha=alpha, after=after)]


def edit_lines(edit: KeyEdit) -> Iterator[str]:
    """Yield what an edit will do, its first changes by name."""
    count = len(edit.changes)
    if not count:
        yield _("Changes nothing: the first key of a node stays at frame 0")
        return
    yield counted(count, "One step of {count} change:", "One step of {count} changes:")
    for change in edit.changes[:MOST_CHANGES]:
        yield str(change.words)
    if count > MOST_CHANGES:
        yield _("and {count} more", count=count - MOST_CHANGES)


def draw_edit(title: str, edit: KeyEdit, taken: int) -> None:
    """Draw what an edit will do next to the pointer, while keys are dragged.

    Parameters
    ----------
    taken
        Keys that would be at frames of others, for which the edit will be refused.
    """
    imgui.begin_tooltip()
    text(title, theme.SELECTION)
    if taken:
        words = counted(taken, "{count} frame has a key already", "{count} frames have keys already")
        text(words, theme.ERROR)
    for line in edit_lines(edit):
        text(line, theme.DIM)
    imgui.end_tooltip()
