"""Environment variables for the Mesa OpenGL driver, set before the first context is made."""

from __future__ import annotations

import os
from typing import Final

SETTINGS: Final = {"mesa_glthread": "true", "MESA_DEBUG": "silent"}
"""Mesa runs GL calls in its own thread, and logs no message about this setting."""


def prepare() -> None:
    """Make Mesa draw in its own thread; other drivers ignore it, and a variable that is already set stays."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
