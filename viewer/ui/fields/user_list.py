"""The payloads that refer to another one, as a list of links."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.model.references.users import User, Users
from viewer.model.store.address import Address
from viewer.session.field_text import counted
from viewer.session.jobs import USERS_LANE
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.job_progress import job_in
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import identified, text, tooltip

WIDE: Final = 34.0
"""Font heights from which on files and detours have columns of their own."""
_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.no_saved_settings
)


def draw_users(frame: UiContext, address: Address, height: float = 0.0) -> None:
    """Draw who refers to a payload, and how far the search is.

    Parameters
    ----------
    height
        Height of the list; 0 takes all the room.
    """
    known = frame.lookups.users(address)
    if known.is_searching:
        _draw_search(frame, address)
    elif known.problem:
        text(known.problem, theme.WARNING)
        imgui.same_line()
    if not known.is_searching and controls.small_button(_("Search again"), "find_users"):
        frame.later(frame.control.users.search, address)
    if known.found is not None:
        imgui.same_line()
        text(summary(known.found), theme.DIM)
        if known.found.users:
            _draw_list(frame, known.found, height)


def summary(found: Users) -> str:
    """Return how many users there are, in how many files."""
    files = counted(found.file_count, "{count} file searched", "{count} files searched")
    if not found.users:
        return _("Nothing refers to it; {files}.", files=files)
    users = counted(len(found.users), "{count} reference", "{count} references")
    return _("{users}; {files}", users=users, files=files)


def _draw_search(frame: UiContext, address: Address) -> None:
    """Draw the progress of the search and a button that ends it."""
    lane = f"{USERS_LANE} {address}"
    job = job_in(frame, lane)
    if job is None:
        text(_("Searching…"), theme.DIM)
        return
    if controls.small_button(_("Cancel"), "cancel_users"):
        frame.later(frame.control.window.cancel_job, lane)
    imgui.same_line()
    words = _("{done} of {total} files: {what}", done=job.done, total=job.total, what=job.what)
    imgui.progress_bar(job.share or 0.0, ImVec2(theme.em(8), imgui.get_text_line_height()), "")
    imgui.same_line()
    text(words if job.total else _("Searching…"), theme.DIM)


def _draw_list(frame: UiContext, found: Users, height: float) -> None:
    is_wide = imgui.get_content_region_avail().x >= theme.em(WIDE)
    flags = _FLAGS if height < 0 else _FLAGS | imgui.TableFlags_.scroll_y
    titles = (_("Used by"), _("Where"), *((_("In"), _("Through")) if is_wide else ()))
    columns, rows = dict.fromkeys(titles, -1.0), rows_on_screen(len(found.users))
    size = ImVec2(0, max(height, 0.0))
    for row in table_rows("##users", columns, rows, flags, size, has_headers=True):
        with identified(row):
            _draw_user(frame, found.users[row], row, is_wide=is_wide)


def _draw_user(frame: UiContext, user: User, row: int, *, is_wide: bool) -> None:
    address = user.place.address
    text(icon_of(user.kind), theme.DIM)
    imgui.same_line(0, theme.em(0.4))
    draw_link(frame, f"user{row}", address.name, user.place)
    imgui.table_next_column()
    where = user.place.in_file or _("same name")
    text(where, theme.DIM)
    tooltip([where, *([through_text(user)] if user.through else [])])
    if is_wide:
        imgui.table_next_column()
        text(address.path.name if address.entries else str(address.path.parent), theme.DIM)
        tooltip(str(address.path))
        imgui.table_next_column()
        text(through_text(user), theme.DIM)


def through_text(user: User) -> str:
    """Return the payload that a user refers to instead, as name and file; empty if it refers directly."""
    if not user.through:
        return ""
    address = user.through
    return f"{address.name} ({address.path.name})" if address.entries else address.name
