"""The themes: text can be read on what is behind it, and hues keep their meaning."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from colorsys import rgb_to_hls

import pytest
from imgui_bundle import imgui

from viewer.app.platform import system_theme
from viewer.session.program import Theme
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color

WINDOW = theme._COLORS[imgui.Col_.window_bg]
FIELD = theme._COLORS[imgui.Col_.frame_bg]


@pytest.fixture(params=[Theme.DARK, Theme.LIGHT, Theme.CONTRAST])
def used(request: pytest.FixtureRequest) -> Iterator[Theme]:
    """A theme in use."""
    theme.use(request.param)
    yield request.param
    theme.use(Theme.DARK)


def contrast(first: Color, second: Color) -> float:
    """The contrast ratio of WCAG 2.2 of two colors of the dark theme, as they are shown."""

    def luminance(color: Color) -> float:
        red, green, blue = (
            it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in theme.shown(color)[:3]
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted(map(luminance, (first, second)))
    return (light + 0.05) / (dark + 0.05)


def test_text_is_read_on_panels_and_in_fields(used: Theme) -> None:
    least = 7.0 if used is Theme.CONTRAST else 4.5
    for behind in (WINDOW, FIELD, theme.CHOSEN, theme.GRAB, theme.GRAB_ACTIVE):
        assert contrast(theme.TEXT, behind) >= least
    for color in (
        theme.DIM,
        theme.ACCENT,
        theme.ERROR,
        theme.WARNING,
        theme.GOOD,
        theme.OPEN,
        theme.SELECTION,
    ):
        assert contrast(color, WINDOW) >= least - 0.5, color
    assert contrast(theme.INK, theme.ACCENT) >= 4.5
    assert contrast(theme.FAINT, WINDOW) >= 2.5


def test_hues_stay_and_what_is_no_part_of_the_theme_too(used: Theme) -> None:
    for color in (theme.ERROR, theme.WARNING, theme.GOOD, theme.ACCENT, *theme.AXES):
        assert rgb_to_hls(*theme.shown(color)[:3])[0] == pytest.approx(rgb_to_hls(*color[:3])[0], abs=1e-6)
    assert theme.exact((1.0, 0.5, 0.25, 1.0), 0.5) == 0x80_40_80_FF
    assert used is theme.current()


@pytest.mark.parametrize(
    ("platform", "status", "answer", "expected"),
    [
        ("linux", 0, "(<<uint32 2>>,)\n", Theme.LIGHT),
        ("linux", 0, "(<<uint32 1>>,)\n", Theme.DARK),
        ("linux", 1, "", Theme.DARK),
        ("darwin", 0, "Dark\n", Theme.DARK),
        ("darwin", 1, "", Theme.LIGHT),
        ("freebsd", 0, "", Theme.DARK),
    ],
)
def test_the_desktop_is_asked(
    monkeypatch: pytest.MonkeyPatch, platform: str, status: int, answer: str, expected: Theme
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    done = subprocess.CompletedProcess([], status, answer, "")
    monkeypatch.setattr(subprocess, "run", lambda *_ignored, **_options: done)
    assert system_theme.system_theme() is expected
    monkeypatch.setattr(subprocess, "run", _is_missing)
    assert system_theme.system_theme() is Theme.DARK


def _is_missing(*_ignored: object, **_options: object) -> None:
    raise FileNotFoundError
