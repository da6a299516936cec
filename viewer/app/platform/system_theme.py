"""The theme of the desktop: light or dark."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Final

from viewer.session.program import Theme
from viewer.ui.widgets import theme

PATIENCE: Final = 0.5
"""Seconds until the desktop has to answer."""
_ASKING: Final = {
    # The portal of freedesktop.org answers 1 for dark, 2 for light, 0 for neither.
    "linux": (
        *("gdbus", "call", "--session", "--dest", "org.freedesktop.portal.Desktop"),
        *("--object-path", "/org/freedesktop/portal/desktop"),
        *("--method", "org.freedesktop.portal.Settings.Read"),
        *("org.freedesktop.appearance", "color-scheme"),
    ),
    "darwin": ("defaults", "read", "-g", "AppleInterfaceStyle"),
}
"""Commands that ask the desktop."""
_REGISTRY: Final = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"


def use_theme(chosen: Theme) -> None:
    """Use the colors of a theme from the next scaling of the interface on."""
    theme.use(system_theme() if chosen is Theme.SYSTEM else chosen)


def system_theme() -> Theme:
    """Light or dark, as the desktop says; dark if it says nothing."""
    if sys.platform == "win32":
        return Theme.LIGHT if _registry_value() == 1 else Theme.DARK
    command = _ASKING.get(sys.platform)
    if command is None:
        return Theme.DARK
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.SubprocessError):
        return Theme.DARK
    # macOS has a value for dark alone: the command fails where it is light.
    is_light = done.returncode != 0 if sys.platform == "darwin" else "uint32 2" in done.stdout
    return Theme.LIGHT if is_light else Theme.DARK


def _registry_value() -> Any:
    """The value in the registry of Windows; None if there is none."""
    import winreg  # noqa: PLC0415 of Windows alone

    registry: Any = winreg
    try:
        with registry.OpenKey(registry.HKEY_CURRENT_USER, _REGISTRY) as key:
            return registry.QueryValueEx(key, "AppsUseLightTheme")[0]
    except OSError:
        return None
