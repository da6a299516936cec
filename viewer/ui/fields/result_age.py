"""Whether results of a search or a count are still true: of when they are, and what has changed since."""

from __future__ import annotations

from time import localtime, strftime
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.field_text import counted
from viewer.session.jobs import ReadFiles
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.widgets import cut, readable, tooltip

MOST_NAMED: Final = 20
"""Files that the tooltip lists."""


def draw_age(frame: UiContext, read: ReadFiles | None, *, is_inline: bool = False) -> bool:
    """Draw a line if something that was read has changed since; tell whether to read it again.

    Parameters
    ----------
    is_inline
        It continues the line before.
    """
    changed = () if read is None else read.changed(frame.state.changes)
    if read is None or not changed:
        return False
    if is_inline:
        imgui.same_line(0, theme.em(1.2))
    is_again = controls.small_button(f"{fa.ICON_FA_ROTATE_RIGHT}  {_('Again')}", "read_again")
    imgui.same_line(0, theme.em(0.6))
    name = readable(changed[0].name)
    if len(changed) > 1:
        name = counted(len(changed), "{count} file", "{count} files")
    at = strftime("%H:%M", localtime(read.at))
    cut(_("of {time}; changed since: {name}", time=at, name=name), theme.WARNING)
    tooltip([readable(str(it)) for it in changed[:MOST_NAMED]])
    return is_again
