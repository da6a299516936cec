"""Colors and spacing of the window, sized for the display's scale.

Colors are those of the dark theme everywhere; the others follow from it where ImGui gets a color: the light
one turns lightness around, that of high contrast spreads it. Hues stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb, rgb_to_hls
from functools import cache, lru_cache
from typing import ClassVar, Final

import numpy as np
from imgui_bundle import ImVec2, ImVec4, imgui

from viewer.errors import Severity
from viewer.formats.record import Status
from viewer.session.program import Theme

Color = tuple[float, float, float, float]
"""Red, green, blue, alpha; 0 to 1."""


def _hex(code: int, alpha: float = 1.0) -> Color:
    return (code >> 16 & 255) / 255, (code >> 8 & 255) / 255, (code & 255) / 255, alpha


ACCENT: Final = _hex(0x6EA8DC)
TEXT: Final = _hex(0xDADDE2)
DIM: Final = _hex(0x8B919B)
FAINT: Final = _hex(0x666D78)
ERROR: Final = _hex(0xE5706B)
WARNING: Final = _hex(0xE0B35A)
GOOD: Final = _hex(0x86BF7A)
SELECTION: Final = _hex(0xF2A33C)
PAIRS: Final = (_hex(0x4FC0AE), _hex(0xC48BE6))
"""The frames A and B of a clip."""
FADE: Final = _hex(0xE58FB1)
"""The frames of a clip that another one is blended with."""
OPEN: Final = _hex(0xB9A2E3)
"""Color of values whose meaning is unknown."""
UNSAVED: Final = _hex(0xF2CC60)
"""Color of what differs from the disk."""
INK: Final = _hex(0x14161A)
"""Text on a bright color."""
BACKDROP: Final = _hex(0x16181B, 0.82)
AXES: Final = (_hex(0xE0605E), _hex(0x86C45A), _hex(0x5C9DEB))
"""The colors of X, Y and Z wherever they are drawn or named."""

SEVERITIES: Final = {Severity.ERROR: ERROR, Severity.WARNING: WARNING, Severity.INFO: ACCENT}
STATUSES: Final = {Status.PROVEN: DIM, Status.INFERRED: WARNING, Status.HYPOTHESIS: OPEN, Status.OPEN: OPEN}

_LIGHTNESS: Final[Mapping[Theme, tuple[Sequence[float], Sequence[float]]]] = {
    # Panels are below 0.35 in the dark theme, text is above: in the light one it is the other way round.
    # Fields, of 0.19, are to be seen on panels, of 0.14.
    Theme.LIGHT: (
        (0.0, 0.1, 0.14, 0.19, 0.35, 0.4, 0.65, 0.9, 1.0),
        (1.0, 0.95, 0.92, 0.82, 0.74, 0.48, 0.28, 0.12, 0.0),
    ),
    Theme.CONTRAST: ((0.0, 0.15, 0.2, 0.35, 0.42, 0.75, 1.0), (0.0, 0.0, 0.22, 0.36, 0.65, 1.0, 1.0)),
}
"""The lightness in a theme, by points between which it is interpolated, of that in the dark one."""

_PANEL: Final = _hex(0x202328)
_FIELD: Final = _hex(0x2C3037)
_RAISED: Final = _hex(0x343941)
_HOVER: Final = _hex(0x414855)
_PRESSED: Final = _hex(0x4A5568)
_BAR: Final = _hex(0x191B1F)
_LINE: Final = _hex(0x363B43)
SECTION: Final = _hex(0x2A2E35)
"""The title line of a part of a panel."""
CHOSEN: Final = _hex(0x35506C)
"""Behind what is chosen, and of switches that are on."""

GRAB, GRAB_ACTIVE = _hex(0x35506C), _hex(0x3A5977)
"""The grab of a slider, over which the number is written."""

_COLORS: Final[dict[int, Color]] = {
    imgui.Col_.text: TEXT,
    imgui.Col_.text_disabled: DIM,
    imgui.Col_.text_link: ACCENT,
    imgui.Col_.text_selected_bg: _hex(0x6EA8DC, 0.35),
    imgui.Col_.window_bg: _PANEL,
    imgui.Col_.child_bg: _hex(0, 0.0),
    imgui.Col_.popup_bg: _hex(0x24272D, 0.98),
    imgui.Col_.border: _LINE,
    imgui.Col_.border_shadow: _hex(0, 0.0),
    imgui.Col_.frame_bg: _FIELD,
    imgui.Col_.frame_bg_hovered: _RAISED,
    imgui.Col_.frame_bg_active: _HOVER,
    imgui.Col_.title_bg: _BAR,
    imgui.Col_.title_bg_active: _BAR,
    imgui.Col_.title_bg_collapsed: _BAR,
    imgui.Col_.menu_bar_bg: _BAR,
    imgui.Col_.scrollbar_bg: _hex(0, 0.0),
    imgui.Col_.scrollbar_grab: _RAISED,
    imgui.Col_.scrollbar_grab_hovered: _HOVER,
    imgui.Col_.scrollbar_grab_active: _PRESSED,
    imgui.Col_.check_mark: ACCENT,
    imgui.Col_.checkbox_selected_bg: _FIELD,
    imgui.Col_.slider_grab: GRAB,
    imgui.Col_.slider_grab_active: GRAB_ACTIVE,
    imgui.Col_.button: _FIELD,
    imgui.Col_.button_hovered: _HOVER,
    imgui.Col_.button_active: _PRESSED,
    imgui.Col_.header: CHOSEN,
    imgui.Col_.header_hovered: _hex(0x39424F),
    imgui.Col_.header_active: _hex(0x41607F),
    imgui.Col_.separator: _LINE,
    imgui.Col_.separator_hovered: ACCENT,
    imgui.Col_.separator_active: ACCENT,
    imgui.Col_.resize_grip: _hex(0, 0.0),
    imgui.Col_.resize_grip_hovered: _HOVER,
    imgui.Col_.resize_grip_active: ACCENT,
    imgui.Col_.tab: _BAR,
    imgui.Col_.tab_hovered: _HOVER,
    imgui.Col_.tab_selected: _PANEL,
    imgui.Col_.tab_selected_overline: ACCENT,
    imgui.Col_.tab_dimmed: _BAR,
    imgui.Col_.tab_dimmed_selected: _PANEL,
    imgui.Col_.tab_dimmed_selected_overline: _hex(0x4B5563),
    imgui.Col_.docking_preview: _hex(0x6EA8DC, 0.45),
    imgui.Col_.docking_empty_bg: _BAR,
    imgui.Col_.table_header_bg: _hex(0x272B31),
    imgui.Col_.table_border_strong: _LINE,
    imgui.Col_.table_border_light: _hex(0x2B2F36),
    imgui.Col_.table_row_bg: _hex(0, 0.0),
    imgui.Col_.table_row_bg_alt: _hex(0xFFFFFF, 0.02),
    imgui.Col_.drag_drop_target: ACCENT,
    imgui.Col_.nav_cursor: ACCENT,
    imgui.Col_.modal_window_dim_bg: _hex(0x0E0F11, 0.55),
}


class _Theme:
    """The theme in use."""

    choice: ClassVar[Theme] = Theme.DARK


def use(choice: Theme) -> None:
    """Use a theme from the next `apply` on."""
    _Theme.choice = choice
    vector.cache_clear()
    packed.cache_clear()


def current() -> Theme:
    """Return the theme in use."""
    return _Theme.choice


def shown(color: Color) -> Color:
    """Return a color of the dark theme as the theme in use has it."""
    if _Theme.choice is Theme.DARK:
        return color
    hue, lightness, saturation = rgb_to_hls(*color[:3])
    points = _LIGHTNESS[_Theme.choice]
    red, green, blue = hls_to_rgb(hue, float(np.interp(lightness, *points)), saturation)
    return red, green, blue, color[3]


def apply(scale: float, user_scale: float = 1.0) -> None:
    """Set colors, spacing and font scale of the current ImGui context, between two frames.

    Parameters
    ----------
    scale
        Display pixels per unscaled pixel: 1 on an ordinary display, 2 on a doubled one.
    user_scale
        How much larger the user wants everything.
    """
    style = imgui.get_style()
    # Scaling starts from the lengths that are there.
    for name, value in _lengths(imgui.Style()).items():
        setattr(style, name, value)
    is_light = _Theme.choice is Theme.LIGHT
    (imgui.style_colors_light if is_light else imgui.style_colors_dark)()
    for slot, color in _COLORS.items():
        style.set_color_(slot, shown(color))
    _set_shapes(style)
    if _Theme.choice is Theme.CONTRAST:
        style.set_color_(imgui.Col_.border, shown(TEXT))
    _scale_lengths(style, scale * user_scale)
    # ImGui multiplies both; text is rasterized at the product, so it stays sharp.
    style.font_scale_dpi, style.font_scale_main = scale, user_scale


def pixel_scale() -> float:
    """Return the display pixels per unscaled pixel of the interface."""
    style = imgui.get_style()
    return style.font_scale_dpi * style.font_scale_main


def _lengths(style: imgui.Style) -> dict[str, float | ImVec2]:
    """Return the lengths of a style, and its scale of strokes."""
    found = {
        name: getattr(style, name) for name in dir(style) if not name.startswith(("__", "font_", "_next"))
    }
    return {name: value for name, value in found.items() if isinstance(value, float | ImVec2)}


def _scale_lengths(style: imgui.Style, scale: float) -> None:
    """Scale every length; lines and strokes stay at least one pixel wide, which ImGui would round to none."""
    before = _lengths(style)
    style.scale_all_sizes(scale)
    for name, value in _lengths(style).items():
        usual = before[name]
        if isinstance(value, float) and isinstance(usual, float) and value < 1.0 <= usual:
            setattr(style, name, 1.0)


def _set_shapes(style: imgui.Style) -> None:
    style.window_padding = ImVec2(8, 8)
    style.frame_padding = ImVec2(7, 4)
    style.item_spacing = ImVec2(7, 5)
    style.item_inner_spacing = ImVec2(5, 4)
    style.cell_padding = ImVec2(5, 2)
    style.indent_spacing = 16
    style.scrollbar_size = 12
    style.grab_min_size = 10
    style.window_rounding = style.popup_rounding = 5
    style.frame_rounding = style.grab_rounding = style.tab_rounding = 4
    style.scrollbar_rounding = 6
    style.window_border_size = style.popup_border_size = 1
    style.frame_border_size = style.tab_border_size = 0
    style.tab_bar_overline_size = 2
    style.tab_min_width_shrink = 64
    style.tab_close_button_min_width_selected = 0  # shown when pointed at, so that titles have its room
    style.docking_separator_size = 3
    style.docking_node_has_close_button = False
    style.window_menu_button_position = imgui.Dir.none
    style.separator_text_border_size = 1
    style.hover_delay_normal = 0.35


@cache
def vector(color: Color) -> ImVec4:
    """Return `color` as ImGui takes it: a tuple is converted at each call, which costs ten times the call."""
    return ImVec4(*shown(color))


@lru_cache(maxsize=4096)
def packed(color: Color, alpha: float = 1.0) -> int:
    """Return `color` as the 32-bit value that draw lists take, its opacity times `alpha`."""
    return exact(shown(color), alpha)


def exact(color: Color, alpha: float = 1.0) -> int:
    """Return the 32-bit value of a color not of the theme, as of a pixel; its opacity times `alpha`."""
    red, green, blue, opacity = color
    return imgui.color_convert_float4_to_u32(ImVec4(red, green, blue, opacity * alpha))


def push_mono() -> None:
    """Use the font whose letters have one width until `imgui.pop_font`, if there is one."""
    fonts = imgui.get_io().fonts.fonts
    imgui.push_font(fonts[len(fonts) - 1] if len(fonts) > 1 else None, 0.0)


def em(lines: float = 1.0) -> float:
    """Return `lines` font heights in display pixels: lengths that follow the display's scale."""
    return imgui.get_font_size() * lines
