"""The sections of a node and of a key: records, slots by LOD and group, which can be set, rotations, pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.formats.msh.keys import KEY, WORD, decode_quaternion
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.neighbors.control import CHANNEL
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.mesh.pose.animation import NO_KEY, Pose
from viewer.model.mesh.pose.pose_trace import PoseSource, PoseTrace, traces
from viewer.model.mesh.shown import Cell
from viewer.model.store.place import Place
from viewer.session.edits.row_commands import node_choice
from viewer.session.field_text import cell_name, counted, float_text, group_name, lod_name, numbers_text
from viewer.session.play.model_effects import explosion_of, is_played, toggled
from viewer.session.play.playback import OwnTime
from viewer.session.play.playing import show_frame
from viewer.session.view.view_state import with_cell, with_override
from viewer.translation import _
from viewer.ui.context import ViewChange
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.fields.fitting_parts import draw_socket_tag
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.inspector.bounds_section import draw_subtree
from viewer.ui.inspector.degrees import QUATERNION, angle_text
from viewer.ui.inspector.sheet import TABLE, Sheet
from viewer.ui.timeline.component_names import drivers_title
from viewer.ui.timeline.play_list import purpose
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.widgets import colored, identified, labeled, section, text, tooltip, wrapped


def draw_key(sheet: Sheet, key: int) -> None:
    """Draw everything about a key."""
    document, keys = sheet.document, sheet.document.model.keys
    sheet.record(KEY, keys, key)
    if key >= len(keys):
        return
    draw_rotation(sheet, key)
    node = sheet.selection.node
    track = document.animation.track(node) if node is not None else range(0)
    if key in track:
        words = _("{number} of {count}", number=track.index(key) + 1, count=len(track))
        draw_facts("key_facts", {_("in the track"): words})
    sheet.rows("node", _("node"), NODE.name, [] if node is None else [node])
    for name, title, other in (("before", _("previous key"), key - 1), ("after", _("next key"), key + 1)):
        near = [keys_around(keys["time"], key, other)] if other in track else []
        sheet.places(name, title, [(sheet.place(KEY.name, other), words) for words in near])
    _draw_seek(sheet, float(keys["time"][key]))


def draw_rotation(sheet: Sheet, key: int) -> None:
    """Draw the rotation of a key as a quaternion and in degrees; both can be set."""
    document = sheet.document
    order = document.choice.reading.quaternion_order
    quaternion = decode_quaternion(document.model.keys["quaternion"][key : key + 1], order)[0]
    target = sheet.tools.degrees.target(document.address, key, quaternion)
    style = ValueStyle(is_wrapping=True, text_of=angle_text)
    drawn: dict[str, Callable[[str], None]] = {
        _("key w x y z"): sheet.drawing(KEY.name, key, QUATERNION, quaternion),
        _("key, degrees x y z"): lambda _ignored: sheet.tools.editor.draw(sheet.frame, target, style),
    }
    draw_facts("rotation", dict.fromkeys(drawn, ""), drawn)


def keys_around(times: np.ndarray, key: int, other: int) -> str:
    """Return the number of a neighboring key and its distance in frames: ``41  +5``."""
    gap = float(times[other]) - float(times[key])
    return f"{other}  {'+' if gap >= 0 else ''}{float_text(gap)}"


def _draw_seek(sheet: Sheet, time: float) -> None:
    """A button that shows the model at the time of the key."""
    document = sheet.document
    is_inside = 0 <= time <= document.last_frame
    hint = "" if is_inside else _("Its time is outside of the animation.")
    if controls.small_button(_("Show this time"), "seek_key", hint, is_enabled=is_inside):
        sheet.frame.change(lambda view: show_frame(view, document, time))


MOST_CHANNELS: Final = 8
"""Channels of a node that are shown."""


def draw_node(sheet: Sheet, node: int) -> None:
    """Draw everything about a node."""
    document, pose = sheet.document, sheet.frame.state.pose
    if not document.names[node]:
        text(_("no name"), theme.DIM)
    if tag := document.socket_tags[node]:
        draw_tag = partial(draw_socket_tag, sheet.frame, document.address)
        draw_facts("socket_tag", {_("socket tag"): tag}, {_("socket tag"): draw_tag})
    if count := len(document.model.nodes):
        edited = sheet.selection.nodes
        if max(edited, default=0) >= count:  # told apart, as there may be ten thousand
            edited = tuple(it for it in edited if it < count)
        sheet.record(NODE, document.model.nodes, node, skip=("slots",), edited=edited)
        _draw_cells(sheet, node)
        _draw_override(sheet, node)
        keys = [(sheet.place(KEY.name, key), f"{key}") for key in document.animation.track(node)]
        sheet.places("track", _("keys"), keys)
    _draw_channels(sheet, node)
    _draw_explosion(sheet, node)
    if pose is not None and node < len(pose.world):
        key = int(pose.sample.key[node])
        current = [] if key == NO_KEY else [(sheet.place(KEY.name, key), f"{key}")]
        sheet.places("current", _("current key"), current)
        if current:
            draw_rotation(sheet, key)
        draw_facts(
            "pose",
            {
                _("interpolated"): _("yes") if pose.sample.is_interpolated[node] else _("no"),
                _("position"): numbers_text(pose.position[node]),
                _("rotation w x y z"): numbers_text(pose.quaternion[node]),
                _("world position"): numbers_text(pose.world[node, :3, 3]),
            },
        )
        _draw_own_time(sheet, node, pose)
        draw_subtree(sheet, node, pose.world)
        if section(labeled(_("Why this pose"), "why"), is_open_at_first=False):
            _draw_trace(sheet, node, pose)


def _draw_explosion(sheet: Sheet, node: int) -> None:
    """Draw the button that plays the explosion of a node, or stops it."""
    document, view = sheet.document, sheet.frame.view
    row = explosion_of(document, node)
    if row is None:
        return
    words = _("Stop the explosion") if is_played(document, view, row) else _("Explode this node")
    hint = _("The explosion of its node damage, on the ground surface of the Effects panel")
    if controls.small_button(words, "explode", hint):
        sheet.frame.change(partial(toggled, document=document, row=row))


def _draw_own_time(sheet: Sheet, node: int, pose: Pose) -> None:
    """Draw whether a node follows what plays, is frozen at a time, or is later than the others."""
    if not sheet.document.animation.is_animated:
        return
    own = sheet.frame.view.playback.own.get(node)
    kinds = {"follows": _("follows what plays"), "frozen": _("is frozen"), "offset": _("is later by")}
    shown = "follows" if own is None else "offset" if own.is_offset else "frozen"
    controls.label(_("time"))
    kind = controls.choose("##own", kinds, shown, 12)
    if kind != shown:
        begun = OwnTime(0.0, is_offset=True) if kind == "offset" else OwnTime(pose.moment.time)
        sheet.frame.change(_with_own(node, None if kind == "follows" else begun))
    if own is None:
        return
    imgui.same_line()
    imgui.set_next_item_width(-1)
    last = sheet.document.last_frame
    least = -last if own.is_offset else 0.0
    moved, frames = imgui.drag_float("###own_frames", own.frames, 0.05, least, last, _("%.2f frames"))
    if moved:
        sheet.frame.change(_with_own(node, OwnTime(frames, own.is_offset)))


def _with_own(node: int, own: OwnTime | None) -> ViewChange:
    return lambda view: replace(view, playback=view.playback.with_own(node, own))


_SOURCES: Final = {
    PoseSource.NO_KEY: _("no key: in the place of its parent"),
    PoseSource.NO_MAP: _("no frame map: always the fallback key"),
    PoseSource.OUTSIDE: _("the frame is outside of the map: the fallback key"),
    PoseSource.FALLBACK: _("the word is not below the fallback key: that key"),
    PoseSource.AT_KEY: _("exactly at a key"),
    PoseSource.LINEAR: _("between two keys; nearly the same rotation, so linear"),
    PoseSource.ARC: _("between two keys, along the arc"),
}


def _draw_trace(sheet: Sheet, node: int, pose: Pose) -> None:
    """Draw the steps from the time to the pose of a node, each with a link to its row."""
    found = [*traces(sheet.document.animation, node, pose.moment)]
    for number, (trace, weight) in enumerate(found):
        if len(found) > 1:
            text(_("{weight:.4g} of this, blended", weight=weight), theme.DIM)
        with identified(number):
            _draw_steps(sheet, trace)
    facts: dict[str, str] = {}
    if len(found) > 1:
        facts[_("blended rotation w x y z")] = _exact(pose.quaternion[node])
    facts[_("parent from node")] = _rows_text(pose.local[node])
    facts[_("world from node")] = _rows_text(pose.world[node])
    draw_facts("matrices", facts)


def _draw_steps(sheet: Sheet, trace: PoseTrace) -> None:
    facts: dict[str, str] = {
        _("time"): float_text(trace.time),
        _("time - 0.5, single"): float_text(trace.shifted),
        _("rounded, half to even"): _("frame {frame}", frame=trace.frame),
        _("decided by"): str(_SOURCES[trace.source]),
    }
    draw_facts("time", facts)
    for name, title, table, row, words in (
        ("word", _("word of the frame map"), WORD.name, trace.word_row, _("{row}: {word}")),
        ("fallback", _("fallback key"), KEY.name, trace.fallback, "{row}"),
        ("key", _("key"), KEY.name, trace.key, "{row}"),
        ("following", _("next key"), KEY.name, trace.following, "{row}"),
    ):
        if row is not None:
            sheet.places(name, title, [(sheet.place(table, row), words.format(row=row, word=trace.word))])
    numbers: dict[str, str] = {}
    if trace.following is not None and trace.dot is not None:
        negated = (
            _("{dot:.9g}: the second is negated", dot=trace.dot) if trace.is_turned else f"{trace.dot:.9g}"
        )
        numbers = {_("share of the way"): f"{trace.alpha:.9g}", _("dot product"): negated}
    numbers[_("rotation w x y z")] = _exact(trace.quaternion)
    numbers[_("position")] = _exact(trace.position)
    if trace.following is not None:
        numbers[_("rotation in double precision")] = _exact(trace.exact_quaternion)
        numbers[_("position in double precision")] = _exact(trace.exact_position)
        numbers[_("farthest apart")] = f"{trace.error:.3g}"
    draw_facts("numbers", numbers)


def _rows_text(matrix: np.ndarray) -> str:
    return "\n".join(numbers_text(row) for row in matrix[:3])


def _exact(values: Sequence[float] | np.ndarray) -> str:
    """Numbers with the digits that tell single precision apart, one a line."""
    return "\n".join(f"{float(value):.9g}" for value in values)


def _draw_channels(sheet: Sheet, node: int) -> None:
    """Draw links to the channels of the controller that drive the node."""
    controller = sheet.document.controller
    channels = [it for it in controller.channels if it.node == node]
    if not channels or controller.address is None:
        return
    text(_("driven by"), theme.DIM)
    for channel in channels[:MOST_CHANNELS]:
        imgui.same_line()
        guess = purpose(channel, sheet.document.label(node))
        words = _("channel {index}", index=channel.index)
        driver = drivers_title(controller.drivers(channel.index))
        if driver:
            words = _("{channel}, {driver}", channel=words, driver=driver)
        elif guess:
            words = _("{channel}, {guess} (guess)", channel=words, guess=guess)
        place = Place(controller.address, CHANNEL.name, channel.index)
        draw_link(sheet.frame, f"channel{channel.index}", words, place)


def _draw_cells(sheet: Sheet, node: int) -> None:
    """The slot matrix: LODs down, groups across; the cell that is shown is marked and named."""
    text(_("slots"), theme.DIM)
    imgui.same_line()
    text(_("LOD down, group across"), theme.FAINT)
    if not imgui.begin_table("##cells", GROUPS + 1, TABLE | imgui.TableFlags_.sizing_stretch_same):
        return
    imgui.table_next_row()
    imgui.table_next_column()
    for group in range(GROUPS):
        imgui.table_next_column()
        text(str(group), theme.DIM)
        tooltip(group_name(sheet.document, group))
    shown = sheet.document.shown_cell(node, sheet.frame.view)
    for lod in range(LODS):
        imgui.table_next_row()
        imgui.table_next_column()
        text(str(lod), theme.DIM)
        tooltip(lod_name(sheet.document, lod))
        for group in range(GROUPS):
            imgui.table_next_column()
            _draw_cell(sheet, node, (lod, group), is_shown=shown == (lod, group))
    imgui.end_table()
    if shown is not None:
        wrapped(_("shown: {cell}", cell=cell_name(sheet.document, *shown)), theme.DIM)


def _draw_cell(sheet: Sheet, node: int, cell: Cell, *, is_shown: bool) -> None:
    slot, name = int(sheet.document.model.nodes["slots"][(node, *cell)]), cell_name(sheet.document, *cell)
    if is_shown:
        imgui.table_set_bg_color(imgui.TableBgTarget_.cell_bg, theme.packed(theme.ACCENT, 0.25))
    if slot == NONE:
        with colored(theme.FAINT):
            is_clicked = imgui.selectable(f"-##cell{cell[0]}{cell[1]}", False)[0]
        if is_clicked:
            imgui.open_popup(f"cell_menu{cell[0]}{cell[1]}")
        hints = [name, _("none ({value})", value="0xFFFF"), _("Click: show a slot here")]
    else:
        if imgui.text_link(f"{slot}##cell{cell[0]}{cell[1]}"):
            sheet.links.follow(sheet.place(SLOT.name, slot))
            is_alone = imgui.get_io().key_shift
            alone = partial(with_override, node=node, cell=cell)
            sheet.frame.change(alone if is_alone else lambda view: with_cell(view, *cell))
        hints = [_("slot {slot}: show {cell}", slot=slot, cell=name), _("Shift: for this node only")]
        hints.append(_("Right click: another slot"))
    tooltip(hints)
    draw_cell_menu(sheet, node, cell, slot)


def _draw_override(sheet: Sheet, node: int) -> None:
    """Draw the cell override of a node, and a button to clear it."""
    cell = sheet.frame.view.overrides.get(node)
    if cell is None:
        return
    text(_("override: {cell}", cell=cell_name(sheet.document, *cell)), theme.SELECTION)
    imgui.same_line()
    if controls.small_button(_("Clear override"), "clear_override"):
        sheet.frame.change(partial(with_override, node=node, cell=None))


FIELD: Final = 6.0
"""Width of the number of the slot, font heights."""


def draw_cell_menu(sheet: Sheet, node: int, cell: Cell, slot: int) -> None:
    """Draw the menu of the cell just drawn, which shows `slot`, or `NONE`."""
    if not imgui.begin_popup_context_item(f"cell_menu{cell[0]}{cell[1]}"):
        return
    imgui.separator_text(cell_name(sheet.document, *cell))
    imgui.set_next_item_width(theme.em(FIELD))
    flags = imgui.InputTextFlags_.enter_returns_true
    shown = 0 if slot == NONE else slot
    is_entered, number = imgui.input_int(labeled(_("slot"), "slot"), shown, 0, 0, flags)
    text(counted(len(sheet.document.model.slots), "{count} slot", "{count} slots"), theme.DIM)
    is_emptied = controls.menu_item(_("Show nothing"), "show_nothing", is_enabled=slot != NONE)
    if is_entered or is_emptied:
        imgui.close_current_popup()
        change = SetCell(node_choice(sheet.document.names, node), *cell, None if is_emptied else number)
        sheet.frame.later(sheet.frame.control.edits.edit, sheet.document.address, (change,))
    imgui.end_popup()
