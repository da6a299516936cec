"""Playback of one material: freeze, run, step by key, variants, position in the cycle."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.material.materials import Block, Material, Mode
from viewer.model.material.phases import (
    PhaseMoment,
    PhaseState,
    Segment,
    duration,
    moment_in,
    segments,
    time_of,
)
from viewer.session.field_text import counted
from viewer.session.play.material_play import MaterialPlay
from viewer.session.play.timeline import material_time
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.ruler import Ruler
from viewer.ui.widgets.widgets import fitting, icon_button, labeled, text, tooltip

LEAST_BAR: Final = 4.0
"""Least width of the bar with the time next to it, in font heights."""
_MODES: Final = {
    Mode.LOOP: _("loop"),
    Mode.PING_PONG: _("ping-pong"),
    Mode.ONCE: _("once"),
    Mode.RANDOM: _("random"),
}


def draw_player(
    frame: UiContext, place: int, material: Material, state: PhaseState, *, is_alone: bool = False
) -> None:
    """Draw the controls of a material with several keys.

    Parameters
    ----------
    place
        Its index in the rows of the document.
    is_alone
        Nothing else moves: it is played and paused instead of frozen.
    """
    if len(material.blocks) > 1:
        _draw_variants(frame, place, material)
    block = material.blocks[frame.view.materials.variant(place, material)]
    if len(block.keys) < 2:
        text(_("this variant has fewer than two keys"), theme.DIM)
        return
    if is_alone:
        _draw_play(frame, place)
    else:
        _draw_freeze(frame, place, state.moment)
    _draw_steps(frame, place, material)
    _draw_bar(frame, place, block, state.moment)


def draw_transport_of_all(frame: UiContext, rows: tuple[Material, ...]) -> None:
    """Draw the buttons that freeze or run all materials."""
    if icon_button(fa.ICON_FA_PAUSE, "freeze_all", _("Freeze all materials")):
        frame.change(lambda view: with_play(view, view.materials.freeze_all(rows, material_time(view))))
    imgui.same_line(0, theme.em(0.2))
    hint = _("Run all materials with the timeline")
    is_any_still = bool(frame.view.materials.still)
    if icon_button(fa.ICON_FA_PLAY, "run_all", hint, is_enabled=is_any_still):
        frame.change(lambda view: with_play(view, view.materials.thaw_all()))


def with_play(view: ViewState, play: MaterialPlay) -> ViewState:
    """Return the view with other playback of its materials."""
    return replace(view, materials=play)


def frozen_at(
    view: ViewState, place: int, material: Material, variant: int, moment: PhaseMoment
) -> ViewState:
    """Return the view with a material frozen at a moment of one of its variants."""
    play = view.materials
    chosen = play if play.variant(place, material) == variant else play.choose(place, material, variant)
    return with_play(view, chosen.freeze(place, moment))


def variant_text(material: Material, variant: int) -> str:
    """The name of a variant."""
    block = material.blocks[variant]
    keys = counted(len(block.keys), "{count} key", "{count} keys")
    return _("Variant {variant}: {mode}, {keys}", variant=variant, mode=mode_text(block.mode), keys=keys)


def mode_text(mode: int) -> str:
    """Return the name of an animation mode."""
    return str(_MODES[Mode(mode)]) if mode in set(Mode) else _("mode {mode}", mode=mode)


def _draw_variants(frame: UiContext, place: int, material: Material) -> None:
    shown = frame.view.materials.variant(place, material)
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("###variant", variant_text(material, shown)):
        for variant in range(len(material.blocks)):
            words = labeled(variant_text(material, variant), f"variant{variant}")
            if imgui.selectable(words, variant == shown)[0]:
                frame.change(partial(_chosen, place=place, material=material, variant=variant))
        imgui.end_combo()
    tooltip(
        [_("Animation block that the material shows"), _("The game shows that of the clan of the object.")]
    )


def _draw_play(frame: UiContext, place: int) -> None:
    """Draw the button that plays what is shown, or pauses it."""
    is_running = frame.view.is_playing and place not in frame.view.materials.still
    icon = fa.ICON_FA_PAUSE if is_running else fa.ICON_FA_PLAY
    if icon_button(icon, "play", _("Pause") if is_running else _("Play"), is_on=is_running):
        frame.change(
            lambda view: replace(view, is_playing=not is_running, materials=view.materials.thaw(place))
        )


def _draw_freeze(frame: UiContext, place: int, now: PhaseMoment) -> None:
    if place in frame.view.materials.still:
        if icon_button(fa.ICON_FA_PLAY, "run", _("Run with the timeline"), is_on=True):
            frame.change(lambda view: with_play(view, view.materials.thaw(place)))
    elif icon_button(fa.ICON_FA_PAUSE, "freeze", _("Freeze this material only")):
        frame.change(lambda view: with_play(view, view.materials.freeze(place, now)))


def _draw_steps(frame: UiContext, place: int, material: Material) -> None:
    for icon, name, hint, keys in (
        (fa.ICON_FA_BACKWARD_STEP, "previous_phase", _("Go to the previous phase and freeze"), -1),
        (fa.ICON_FA_FORWARD_STEP, "next_phase", _("Go to the next phase and freeze"), 1),
    ):
        imgui.same_line(0, theme.em(0.2))
        if icon_button(icon, name, hint):
            frame.change(partial(_stepped, place=place, material=material, keys=keys))
    imgui.same_line(0, theme.em(0.4))


def _chosen(view: ViewState, place: int, material: Material, variant: int) -> ViewState:
    return with_play(view, view.materials.choose(place, material, variant))


def _stepped(view: ViewState, place: int, material: Material, keys: int) -> ViewState:
    return with_play(view, view.materials.step(place, material, material_time(view), keys))


def _draw_bar(frame: UiContext, place: int, block: Block, now: PhaseMoment) -> None:
    """Draw the position in the cycle; dragging it freezes the material there."""
    end, time = duration(block), time_of(block, now)
    room = imgui.get_content_region_avail().x
    longest = _clock(end, end)
    words = fitting((longest,), room - theme.em(LEAST_BAR))
    size = ImVec2(room - imgui.calc_text_size(words).x - theme.em(0.4), imgui.get_frame_height())
    origin = imgui.get_cursor_screen_pos()
    imgui.invisible_button("cycle", ImVec2(max(size.x, theme.em(1)), size.y))
    ruler = Ruler(origin.x, size.x, end)
    if imgui.is_item_active():
        moment = moment_in(block, min(ruler.time_of(imgui.get_mouse_pos().x), end - 1))
        frame.change(lambda view: with_play(view, view.materials.freeze(place, moment)))
    else:
        phase = block.keys[now.key].phase
        words_now = _("Phase {phase}, {time:.0f} of {end} ms", phase=phase, time=time, end=end)
        tooltip([words_now, _("Drag to freeze it at another time.")])
    _paint_bar(ruler, origin.y, origin.y + size.y, block, time, is_still=place in frame.view.materials.still)
    if words:
        imgui.same_line(0, theme.em(0.4))
        imgui.align_text_to_frame_padding()
        text(_clock(time, end), theme.DIM)


def _clock(time: float, end: float) -> str:
    return _("{time:.2f} / {end:.2f} s", time=time / 1e3, end=end / 1e3)


def _paint_bar(ruler: Ruler, top: float, bottom: float, block: Block, time: float, *, is_still: bool) -> None:
    """The segments of the keys in two alternating shades, and a mark at the time."""
    painter = imgui.get_window_draw_list()
    painter.push_clip_rect(ImVec2(ruler.left, top), ImVec2(ruler.left + ruler.width, bottom), True)
    middle, half = (top + bottom) / 2, theme.em(0.35)
    shown = segments(block)
    if len(shown) > ruler.width:  # narrower than a pixel
        shown = (Segment(0, shown[0].start, shown[-1].end),)
    for number, segment in enumerate(shown):
        left, right = ruler.x_of(segment.start), ruler.x_of(segment.end)
        shade = theme.packed(theme.FAINT, 0.55 if number % 2 else 0.3)
        painter.add_rect_filled(ImVec2(left, middle - half), ImVec2(right, middle + half), shade)
    x, color = ruler.x_of(time), theme.packed(theme.SELECTION if is_still else theme.ACCENT)
    painter.add_line(ImVec2(x, top), ImVec2(x, bottom), color, theme.em(0.18))
    painter.pop_clip_rect()
