"""The section of a key: its record, its node, its rotation in the chosen reading, the keys around it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from imgui_bundle import imgui

from viewer.formats.msh.keys import KEY, decode_quaternion
from viewer.formats.msh.nodes import NODE
from viewer.model.store.place import Place
from viewer.session.play.playing import show_frame
from viewer.translation import _
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.inspector.degrees import QUATERNION, angle_text
from viewer.ui.inspector.sheet import Sheet
from viewer.ui.widgets.field_text import float_text
from viewer.ui.widgets.widgets import labeled, tooltip


def draw_key(sheet: Sheet, key: int) -> None:
    """Draw everything about a key."""
    document, keys = sheet.document, sheet.document.model.keys
    sheet.record(KEY, keys, key)
    if key >= len(keys):
        return
    draw_rotation(sheet, key)
    facts: dict[str, str] = {}
    node = sheet.selection.node
    track = document.animation.track(node) if node is not None else range(0)
    if node is not None and key in track:
        words = _("{number} of {count}").format(number=track.index(key) + 1, count=len(track))
        facts[_("in the track")] = words
    if facts:
        draw_facts("key_facts", facts)
    sheet.rows("node", _("node"), NODE.name, [] if node is None else [node])
    for name, title, other in (("before", _("previous key"), key - 1), ("after", _("next key"), key + 1)):
        sheet.places(name, title, _neighbors(sheet, key, other) if other in track else [])
    _draw_seek(sheet, float(keys["time"][key]))


def draw_rotation(sheet: Sheet, key: int) -> None:
    """Draw the rotation of a key as a quaternion and in degrees; both can be set."""
    document = sheet.document
    order = document.choice.reading.quaternion_order
    quaternion = decode_quaternion(document.model.keys["quaternion"][key : key + 1], order)[0]
    spot = sheet.degrees.spot(document.address, key, quaternion)
    style = ValueStyle(is_wrapping=True, text_of=angle_text)
    drawn: dict[str, Callable[[str], None]] = {
        _("key w x y z"): sheet.drawing(KEY.name, key, QUATERNION, quaternion),
        _("key, degrees x y z"): lambda _: sheet.editor.draw(sheet.frame, spot, style),
    }
    draw_facts("rotation", dict.fromkeys(drawn, ""), drawn)


def keys_around(times: np.ndarray, key: int, other: int) -> str:
    """Return the number of a neighboring key and its distance in frames: ``41  +5``."""
    gap = float(times[other]) - float(times[key])
    return f"{other}  {'+' if gap >= 0 else ''}{float_text(gap)}"


def _neighbors(sheet: Sheet, key: int, other: int) -> list[tuple[Place, str]]:
    times = sheet.document.model.keys["time"]
    return [(sheet.place(KEY.name, other), keys_around(times, key, other))]


def _draw_seek(sheet: Sheet, time: float) -> None:
    """A button that shows the model at the time of the key."""
    document = sheet.document
    is_inside = 0 <= time <= document.last_frame
    imgui.begin_disabled(not is_inside)
    if imgui.small_button(labeled(_("Show this time"), "seek_key")):
        sheet.frame.change(lambda view: show_frame(view, document, time))
    imgui.end_disabled()
    if not is_inside:
        tooltip(_("Its time is outside of the animation."))
