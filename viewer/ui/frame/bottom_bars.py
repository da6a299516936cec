"""The bars at the bottom: the status bar with running jobs, and the line of keys above it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.errors import Severity
from viewer.model.store.address import SEPARATOR, Address
from viewer.session.field_text import cell_name, chosen_text, counted, size_text
from viewer.session.jobs import TEXTURES, RunningJob
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play.stage import documents_of
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _, count_text, ngettext, remembered
from viewer.ui.actions.actions import Action
from viewer.ui.context import UiContext
from viewer.ui.panels.problems import ICONS, ProblemsPanel, severity_count
from viewer.ui.panels.readings import ReadingsPanel, evidence_lines, summary
from viewer.ui.panels.tables import TablesPanel
from viewer.ui.timeline.timeline import TimelinePanel
from viewer.ui.widgets import theme
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import (
    colored,
    fitting,
    flat,
    ghost_button,
    identified,
    labeled,
    readable,
    text,
    tooltip,
)

Show = Callable[[str], None]

_GAP: Final = 1.4
_PROBLEMS: Final = 8.0
"""Room for the numbers of problems; both in font heights."""


class StatusBar:
    """The line with facts about what is shown; owner: the shell."""

    def __init__(self) -> None:
        self._counted: tuple[object, Counter[Severity]] = (None, Counter())

    def draw(self, frame: UiContext, show: Show) -> None:
        """Draw the line inside its window. `show` brings a panel to the front by its id."""
        document, resource = frame.document, frame.state.resource
        if document is not None:
            _draw_file(document.address, document.size)
            cell, reading = _cell_text(document, frame.view), summary(document.choice)
            widths = [imgui.calc_text_size(words).x for words in (cell, reading)]
            _draw_counts(document, sum(widths) + jobs_width(frame) + theme.em(_PROBLEMS + 2 * _GAP))
            _draw_cell(frame, document, cell)
            _draw_problems(self._counts(document), show)
            _draw_right(frame, document, reading, show)
        elif resource is not None:
            _draw_file(resource.address, len(resource.data))
            imgui.same_line(0, theme.em(_GAP))
            size = "" if resource.is_folder else f"  {size_text(len(resource.data))}"
            text(f"{resource.kind_title}{size}", theme.DIM)
            _draw_problems(self._counts(resource), show)
        else:
            words = _("Nothing is open. Drop a file on the window, or press Ctrl+O.")
            text(frame.state.busy or words, theme.DIM)
        imgui.same_line()
        draw_jobs(frame)

    def _counts(self, shown: Document | OpenedResource) -> Counter[Severity]:
        """The numbers of problems by severity, counted once: a damaged file has thousands."""
        if self._counted[0] is not shown:
            found = shown.findings if isinstance(shown, Document) else shown.diagnostics
            self._counted = shown, Counter(item.severity for item in found)
        return self._counted[1]


def _draw_file(address: Address, size: int) -> None:
    text(SEPARATOR.join((address.path.name, *address.entries)))
    tooltip(lambda: [str(address), size_text(size)])


def _draw_counts(document: Document, others: float) -> None:
    """Draw as many of the counts as fit; `others` is the width of what follows them."""
    model = document.model
    choices = _counts(model.node_count, len(model.slots), len(model.batches), model.vertex_count)
    imgui.same_line(0, theme.em(_GAP))
    if words := fitting(choices, imgui.get_content_region_avail().x - others):
        text(words, theme.DIM)
        tooltip(choices[0])


@remembered
def _counts(nodes: int, slots: int, batches: int, vertices: int) -> tuple[str, ...]:
    """The counts of a model as texts from long to short."""
    counts = (
        counted(nodes, "{count} node", "{count} nodes"),
        counted(slots, "{count} slot", "{count} slots"),
        counted(batches, "{count} batch", "{count} batches"),
        counted(vertices, "{count} vertex", "{count} vertices"),
    )
    return tuple("  ".join(counts[:shown]) for shown in range(len(counts), 0, -1))


def _cell_text(document: Document, view: ViewState) -> str:
    words = [chosen_text(document, view)]
    if view.usual.cell is not None:
        usual = cell_name(document, *view.usual.cell)
        words.append(_("as this file has nothing in {cell}", cell=usual))
    if view.laid_over:
        words.append(counted(len(view.laid_over), "{count} cell laid over", "{count} cells laid over"))
    if view.overrides:
        words.append(counted(len(view.overrides), "{count} node overridden", "{count} nodes overridden"))
    return ", ".join(words)


def _draw_cell(frame: UiContext, document: Document, words: str) -> None:
    count, choice = document.shown(frame.view).triangle_count, frame.view.parts
    imgui.same_line(0, theme.em(_GAP))
    text(words, theme.DIM if count else theme.WARNING)

    def hints() -> Iterator[str]:
        rule = _("cells {rule}", rule=name_of(choice.rule))
        yield f"{cell_name(document, choice.lod, choice.group)}, {rule}"
        yield counted(count, "{count} triangle shown", "{count} triangles shown")

    tooltip(hints)


def _draw_problems(counts: Counter[Severity], show: Show) -> None:
    for severity in (Severity.ERROR, Severity.WARNING):
        if counts[severity]:
            imgui.same_line(0, theme.em(_GAP))
            with_icon = f"{ICONS[severity]} {counts[severity]}"
            if _flat_button(with_icon, f"problems_{severity.value}", theme.SEVERITIES[severity]):
                show(ProblemsPanel.id)
            tooltip(partial(_problem_hints, severity, counts[severity]))


def _problem_hints(severity: Severity, count: int) -> list[str]:
    return [severity_count(severity, count), _("Click to list them.")]


def _draw_right(frame: UiContext, document: Document, reading: str, show: Show) -> None:
    """Draw what changes every frame, aligned to the right so that nothing else moves."""
    gap = theme.em(_GAP)
    imgui.same_line(0, gap)
    taken = gap + imgui.calc_text_size(reading).x + jobs_width(frame)
    room = imgui.get_content_region_avail().x - taken
    cost = "" if frame.state.is_arriving else fitting(costs(frame), room)
    spare = room - imgui.calc_text_size(cost).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, spare))
    text(cost, theme.DIM)
    imgui.same_line(0, gap)
    if _flat_button(reading, "reading", theme.ACCENT):
        show(ReadingsPanel.id)
    tooltip(lambda: [*evidence_lines(document.choice), _("Click to see the choices.")])


def costs(frame: UiContext) -> Iterator[str]:
    """Yield the draw statistics of the frame, each text shorter than the one before."""
    drawn, timing = frame.state.statistics, frame.state.timing
    counts, triangles = _drawn_counts(drawn.draws, drawn.culled, drawn.triangles)
    times = _("frame {frame:.1f} ms  pose {pose:.2f} ms", frame=timing.frame, pose=timing.pose)
    yield f"{counts}  {triangles}    {times}"
    short = _("{frame:.1f} ms", frame=timing.frame)
    yield f"{counts}  {triangles}  {short}"
    yield f"{triangles}  {short}"
    yield short


@remembered
def _drawn_counts(draws: int, culled: int, triangles: int) -> tuple[str, str]:
    """The draws, those left out among them, and the triangles."""
    words = counted(draws, "{count} draw", "{count} draws")
    left_out = _("{count} culled", count=count_text(culled))
    return f"{words}  {left_out}", counted(triangles, "{count} triangle", "{count} triangles")


def _flat_button(words: str, name: str, color: theme.Color) -> bool:
    """Draw a button without a frame, as high as a line of text."""
    with flat(), colored(color):
        return imgui.button(labeled(words, name))


WIDTH: Final = 21.0
"""Width in the status bar, font heights."""
_SPACE: Final = 0.6
"""Between the jobs and the text on their left, font heights."""
_BAR, _LIST_BAR, _TITLES = 6.0, 9.0, 20.0
_LIST: Final = "jobs"


def jobs_width(frame: UiContext) -> float:
    """Return the width that the running jobs take in the status bar; 0 if there are none."""
    return theme.em(WIDTH + _SPACE) if frame.state.jobs else 0.0


def draw_jobs(frame: UiContext) -> None:
    """Draw the running jobs, if any, at the right end of the current line, over anything that is there."""
    jobs = frame.state.jobs
    if not jobs:
        return
    _clear_end(theme.em(WIDTH))
    if len(jobs) == 1:
        _draw_title(jobs[0], theme.em(WIDTH - _BAR - 2.6))
        _draw_bar(jobs[0], _BAR)
        _draw_cancel(jobs[0], frame)
    else:
        _draw_several(jobs)
    _draw_list(jobs, frame)


def _clear_end(width: float) -> None:
    """Put the cursor `width` before the right end of the window, and paint over what is there."""
    edge = imgui.get_window_width() - imgui.get_style().window_padding.x
    left, line = imgui.get_window_pos().x, imgui.get_cursor_screen_pos().y
    corner = ImVec2(left + edge - width - theme.em(_SPACE), line)
    end = ImVec2(left + edge, line + imgui.get_text_line_height())
    color = imgui.get_color_u32(imgui.Col_.window_bg)
    imgui.get_window_draw_list().add_rect_filled(corner, end, color)
    imgui.set_cursor_pos_x(edge - width)


def _draw_several(jobs: Sequence[RunningJob]) -> None:
    """Draw a button that opens the list, and the progress of the job that has come furthest."""
    words = ngettext("{count} job running", "{count} jobs running", len(jobs)).format(count=len(jobs))
    icon = fa.ICON_FA_LIST
    room = theme.em(WIDTH - _BAR - 2.6)
    with flat(), colored(theme.ACCENT):
        is_pressed = imgui.button(labeled(f"{icon}  {words}", "show_jobs"), ImVec2(room, 0))
    tooltip([job.title for job in jobs])
    if is_pressed:
        imgui.open_popup(_LIST)
    _draw_bar(max(jobs, key=lambda job: job.share or 0.0), _BAR)


def _draw_list(jobs: Sequence[RunningJob], frame: UiContext) -> None:
    """Draw the list of all jobs above the status bar, if it is open."""
    corner = imgui.get_main_viewport()
    place = ImVec2(corner.pos.x + corner.size.x, imgui.get_window_pos().y)
    imgui.set_next_window_pos(place, imgui.Cond_.always, ImVec2(1.0, 1.0))
    if not imgui.begin_popup(_LIST):
        return
    for job in jobs:
        with identified(job.lane):
            _draw_title(job, theme.em(_TITLES))
            _draw_bar(job, _LIST_BAR)
            _draw_cancel(job, frame)
            text(job.what, theme.DIM)
    imgui.end_popup()


def _draw_title(job: RunningJob, room: float) -> None:
    """Draw the title of a job in at most `room`, the next item behind it."""
    words = _("Cancelling…") if job.is_cancelled else job.title
    left = imgui.get_cursor_pos_x()
    corner = imgui.get_cursor_screen_pos()
    end = ImVec2(corner.x + room, corner.y + imgui.get_text_line_height())
    imgui.push_clip_rect(corner, end, True)
    text(words)
    imgui.pop_clip_rect()
    tooltip([job.title, *filter(None, (job.what, _count(job)))])
    imgui.same_line(left + room + theme.em(0.4))


def _draw_bar(job: RunningJob, width: float) -> None:
    """Draw the share that is done; a moving bar if that is not known."""
    share, height = job.share, imgui.get_text_line_height()
    words = "" if share is None else f"{share:.0%}"
    done = -float(imgui.get_time()) if share is None else share
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(0, 0))
    imgui.push_style_color(imgui.Col_.plot_histogram, imgui.get_style().color_(imgui.Col_.header))
    imgui.progress_bar(done, ImVec2(theme.em(width), height), words)
    imgui.pop_style_color()
    imgui.pop_style_var()
    tooltip([job.title, *filter(None, (readable(job.what), _count(job)))])
    imgui.same_line(0, theme.em(0.4))


def _count(job: RunningJob) -> str:
    return _("{done} of {total}", done=job.done, total=job.total) if job.total else ""


def _draw_cancel(job: RunningJob, frame: UiContext) -> None:
    imgui.begin_disabled(job.is_cancelled)
    if ghost_button(fa.ICON_FA_XMARK, f"cancel_{job.lane}", _("Cancel"), theme.DIM):
        frame.later(frame.control.window.cancel_job, job.lane)
    imgui.end_disabled()


GAP: Final = 1.6
"""Between two entries, font heights."""


class Activity(Enum):
    """Activity of the user, by which the footer chooses its keys."""

    NOTHING_OPEN = "nothing_open"
    LOOKING = "looking"
    SELECTION = "selection"
    MEASURING = "measuring"
    ANIMATION = "animation"
    TABLE = "table"
    TEXTURE = "texture"
    RESOURCE = "resource"


class FooterKey(NamedTuple):
    """Actions by id, or a gesture, and in one word what they do."""

    actions: tuple[str, ...]
    word: Text
    gesture: Text | None = None


def _key(word: Text, *actions: str) -> FooterKey:
    return FooterKey(actions, word)


def _gesture(keys: Text, word: Text) -> FooterKey:
    return FooterKey((), word, keys)


_ALL_KEYS: Final = _key(_("all keys"), "help.keys")
_TABS: Final = (
    _key(_("next tab"), "file.next_tab"),
    _key(_("close tab"), "file.close_tab"),
    _ALL_KEYS,
)
ENTRIES: Final[dict[Activity, tuple[FooterKey, ...]]] = {
    Activity.NOTHING_OPEN: (
        _key(_("open a file"), "file.open"),
        _key(_("open a game folder"), "file.open_folder"),
        _key(_("settings"), "file.settings"),
        _key(_("full screen"), "view.full_screen"),
        _ALL_KEYS,
    ),
    Activity.LOOKING: (
        _gesture(_("Drag"), _("orbit")),
        _gesture(_("Click"), _("select")),
        _key(_("play"), "playback.play"),
        _key(_("LOD"), "view.previous_lod", "view.next_lod"),
        _ALL_KEYS,
    ),
    Activity.SELECTION: (
        _key(_("frame"), "view.frame_selection"),
        _key(_("hide"), "select.hide"),
        _key(_("isolate"), "select.isolate"),
        _key(_("why this pixel"), "select.why_pixel"),
        _key(_("deselect"), "select.none"),
    ),
    Activity.MEASURING: (
        _gesture(_("Click"), _("point to measure from; at a vertex it snaps")),
        _gesture(_("Backspace"), _("take the last point back")),
        _gesture(_("Esc"), _("end measuring")),
        _gesture(_("Drag"), _("orbit")),
        _ALL_KEYS,
    ),
    Activity.ANIMATION: (
        _key(_("play, pause"), "playback.play"),
        _key(_("one frame"), "playback.previous_frame", "playback.next_frame"),
        _key(_("key"), "playback.previous_key", "playback.next_key"),
        _key(_("speed"), "playback.slower", "playback.faster"),
        _key(_("ping-pong"), "playback.toggle_ping_pong"),
    ),
    Activity.TABLE: (
        _gesture(_("Arrows"), _("cell")),
        _gesture(_("F2"), _("edit")),
        _gesture(_("Ctrl + click"), _("add to selection")),
        _gesture(_("Ctrl+C"), _("copy")),
        _ALL_KEYS,
    ),
    Activity.TEXTURE: (
        _gesture(_("Drag"), _("pan")),
        _gesture(_("Wheel"), _("zoom")),
        *_TABS,
    ),
    Activity.RESOURCE: (
        _key(_("open a file"), "file.open"),
        _key(_("reload"), "file.reload"),
        *_TABS,
    ),
}


def activity(frame: UiContext, focused: str) -> Activity:
    """Return what the user is doing; `focused` is the id of the panel with the keyboard focus."""
    if focused == TablesPanel.id:
        return Activity.TABLE
    is_in_space = bool(documents_of(frame.state.stage))
    if frame.state.resource is not None and not is_in_space:
        return Activity.TEXTURE if frame.state.resource.kind in TEXTURES else Activity.RESOURCE
    if not is_in_space:
        return Activity.NOTHING_OPEN
    if focused == TimelinePanel.id:
        return Activity.ANIMATION
    if frame.view.selection.nodes:
        return Activity.SELECTION
    is_moving = frame.view.is_playing and frame.state.axis.moves
    return Activity.ANIMATION if is_moving else Activity.LOOKING


def focused_panel() -> str:
    """Return the id of the panel with the keyboard focus, empty if it is elsewhere."""
    window = imgui.get_current_context().nav_window
    return window.root_window.name.rpartition("###")[2] if window is not None else ""


def draw_footer(frame: UiContext, known: Mapping[str, Action], *, is_measuring: bool = False) -> None:
    """Draw the line inside its window; entries for which there is no room are left out.

    Parameters
    ----------
    known
        The actions by id.
    is_measuring
        Clicks in the viewport measure.
    """
    gap, between = theme.em(GAP), theme.em(0.4)
    for entry in ENTRIES[Activity.MEASURING if is_measuring else activity(frame, focused_panel())]:
        keys, word = keys_of(entry, known), str(entry.word)
        if not keys:
            continue
        if imgui.calc_text_size(f"{keys} {word}").x > imgui.get_content_region_avail().x:
            return
        text(keys, theme.ACCENT)
        imgui.same_line(0, between)
        text(word, theme.DIM)
        imgui.same_line(0, gap)


def keys_of(entry: FooterKey, actions: Mapping[str, Action]) -> str:
    """Return the keys of an entry as they are written."""
    if entry.gesture is not None:
        return str(entry.gesture)
    return " ".join(actions[name].first_keys for name in entry.actions if actions[name].keys)
