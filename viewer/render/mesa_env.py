"""The OpenGL driver: environment variables set before the first context is made, advice if there is none."""

from __future__ import annotations

import os
import sys
from typing import Final

from viewer.translation import Sentence

SETTINGS: Final = {"mesa_glthread": "true", "MESA_DEBUG": "silent"}
"""Mesa runs GL calls in its own thread, and logs no message about this setting."""


def prepare() -> None:
    """Make Mesa draw in its own thread; other drivers ignore it, and a variable that is already set stays."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)


def advice() -> str:
    """The end of a message about a missing OpenGL 3.3: what to install."""
    if not sys.platform.startswith("linux"):
        return Sentence("install or update the driver of the graphics card")
    packages = "libegl1 libgl1 libgl1-mesa-dri"
    return Sentence("install the driver of the graphics card, or {packages} on Debian", packages=packages)
