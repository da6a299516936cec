"""What the OpenGL driver is told before the first context is made."""

from __future__ import annotations

import os
from typing import Final

SETTINGS: Final = {"mesa_glthread": "true", "MESA_DEBUG": "silent"}
"""Mesa takes the calls in a thread of its own, and does not announce that it was asked to."""


def prepare() -> None:
    """Ask Mesa to draw beside the program; other drivers, and who has set it already, are left alone."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
