"""The section plane: what lies on one side of it is cut away from the models, and nothing is picked there."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from viewer.options import Lifetime, MenuEntry, Needed, Option, OptionChoice, ShellOption
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.session.view.view_state import ViewState

Plane = tuple[float, float, float, float]
"""A normal and a distance: points with ``x * a + y * b + z * c + d >= 0`` are kept."""
OF_SECTION: Final = "section"
"""The section of the Display panel."""


class SectionAxis(StrEnum):
    """The axis that the plane cuts at a right angle; the values are those of links and of the shell."""

    OFF = "off"
    X = "x"
    Y = "y"
    Z = "z"


def _through_target(before: ViewState, after: ViewState) -> ViewState:
    """The view cut through the point that the camera looks at, of which the near half is cut away."""
    if after.section is SectionAxis.OFF or after.section is before.section:
        return after
    axis, camera = AXES.index(after.section), after.camera
    is_flipped = bool(camera.eye[axis] < camera.target[axis])
    return replace(after, section_offset=camera.target[axis], is_section_flipped=is_flipped)


AXES: Final = (SectionAxis.X, SectionAxis.Y, SectionAxis.Z)
AXIS: Final = Option(
    _("Section"),
    (
        _("Cuts models along a plane: what lies before it is neither drawn nor picked"),
        _("Closed surfaces are filled in one color there, open ones show their inside"),
    ),
    lasts=Lifetime.TAB,
    link="section",
    choices=(
        OptionChoice(SectionAxis.OFF, _("Whole")),
        OptionChoice(SectionAxis.X, _("Across X"), _("Through what the camera looks at")),
        OptionChoice(SectionAxis.Y, _("Across Y"), _("Through what the camera looks at")),
        OptionChoice(SectionAxis.Z, _("Across Z"), _("Through what the camera looks at")),
    ),
    action=MenuEntry("view.section", menu="view.section", needs=Needed.MODELS),
    section=OF_SECTION,
    label=_("cut"),
    shell=ShellOption(
        "--section", _("cut models along a plane across an axis of the world; {unless}"), metavar="AXIS"
    ),
    settles=_through_target,
)
OFFSET: Final = Option(
    _("Place of the section"),
    lasts=Lifetime.TAB,
    link="section_offset",
    shell=ShellOption(
        "--section-offset",
        _("where the plane crosses the axis, model units; {unless}"),
        _("by default through the middle of the picture"),
    ),
)
FLIP: Final = Option(
    _("Keep the other side"),
    (_("Of the plane: the side with the larger coordinates instead of the smaller ones"),),
    lasts=Lifetime.TAB,
    link="section_flip",
    action=MenuEntry("view.section.flip", "Shift+C", needs=Needed.MODELS, begins_group=True),
    section=OF_SECTION,
    obstacle=lambda view, _document: "" if view.section is not SectionAxis.OFF else _("nothing is cut"),
    shell=ShellOption(
        "--section-flip",
        _("keep what has larger coordinates than the plane instead of what has smaller ones"),
        is_flag=True,
    ),
)


def plane_of(view: ViewState) -> Plane | None:
    """The plane of a view in world space; None if nothing is cut."""
    if view.section is SectionAxis.OFF:
        return None
    sign = 1.0 if view.is_section_flipped else -1.0
    x, y, z = (sign if it is view.section else 0.0 for it in AXES)
    return x, y, z, -sign * offset_of(view)


def offset_of(view: ViewState) -> float:
    """The place where the plane crosses its axis; 0 without one."""
    if view.section is SectionAxis.OFF:
        return 0.0
    middle = view.camera.target[AXES.index(view.section)]
    return middle if view.section_offset is None else view.section_offset
