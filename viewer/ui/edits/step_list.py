"""The unsaved steps in words, each with what follows from it, which can be declined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from imgui_bundle import imgui

from viewer.model.edit.change import Topic
from viewer.session.edits.edited_file import Step
from viewer.session.edits.save_sheet import SaveSheet
from viewer.translation import _, translated
from viewer.ui.commands import Commands
from viewer.ui.context import UiContext
from viewer.ui.edits.topics import topic_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import colored, cut, identified, labeled, readable, text, tooltip


@dataclass(frozen=True, slots=True)
class StepLine:
    """A line of the list: a step, or a consequence of it.

    Parameters
    ----------
    index
        Of the step among those of the sheet.
    topic
        The consequence; None for the step itself.
    """

    index: int
    topic: Topic | None = None


def lines_of(steps: tuple[Step, ...]) -> list[StepLine]:
    """Return the steps, each with its consequences below it, first those that were made."""
    found = []
    for index, step in enumerate(steps):
        found.append(StepLine(index))
        found += [StepLine(index, topic) for topic in topics_of(step)]
    return found


def topics_of(step: Step) -> Iterator[Topic]:
    """Yield each consequence of a step once, whether it was made or not."""
    yield from dict.fromkeys((*step.topics, *step.offered, *sorted(step.declined)))


def decided(step: Step, topic: Topic) -> tuple[frozenset[Topic], frozenset[Topic]]:
    """Return what is declined and wanted of a step after a click on one of its consequences."""
    if topic in step.topics:
        is_extra = topic in step.wanted
        return (step.declined, step.wanted - {topic}) if is_extra else (step.declined | {topic}, step.wanted)
    if topic in step.declined:
        return step.declined - {topic}, step.wanted
    return step.declined, step.wanted | {topic}


class StepList:
    """Draws the lines on screen; owner: a window."""

    def __init__(self) -> None:
        self._made_of: tuple[Step, ...] = ()
        self._lines: list[StepLine] = []

    def draw(self, sheet: SaveSheet, frame: UiContext) -> None:
        """Draw the steps of a sheet."""
        if sheet.steps is not self._made_of:
            self._made_of, self._lines = sheet.steps, lines_of(sheet.steps)
        with identified("steps"):
            for number in rows_on_screen(len(self._lines)):
                line = self._lines[number]
                step = sheet.steps[line.index]
                if line.topic is None:
                    _draw_step(step, line.index)
                elif _draw_topic(step, line.index, line.topic):
                    decide_again(sheet, line.index, line.topic, frame.commands)


def decide_again(sheet: SaveSheet, index: int, topic: Topic, commands: Commands) -> None:
    """Make a step of a sheet with another consequence, and show the sheet again."""
    commands.edits.decide(sheet.path, sheet.first + index, *decided(sheet.steps[index], topic))
    if sheet.target == sheet.path:
        commands.saving.save(sheet.path)
    else:
        commands.saving.save_as(sheet.target)


def _draw_step(step: Step, index: int) -> None:
    text(f"{index + 1}.", theme.FAINT)
    imgui.same_line(theme.em(2))
    cut(translated(step.words))
    tooltip([translated(step.words), readable(str(step.address))])
    if step.address.entries:
        imgui.same_line(0, theme.em(0.8))
        cut(readable(step.address.name), theme.FAINT)


def _draw_topic(step: Step, index: int, topic: Topic) -> bool:
    """Draw a check box for a consequence; tell whether it was clicked."""
    is_made = topic in step.topics
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(theme.em(0.1), 0))
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + theme.em(2))
    with colored(theme.TEXT if is_made else theme.DIM):
        label = labeled(_("also {topic}").format(topic=topic_text(topic)), f"{index}{topic.name.lower()}")
        is_clicked = imgui.checkbox(label, is_made)[0]
    imgui.pop_style_var()
    tooltip(_("Follows from the change.") if is_made else _("Would follow from the change, but is not done."))
    return is_clicked
