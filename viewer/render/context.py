"""OpenGL contexts without a window, and advice if there is no driver."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, Final

import moderngl

from viewer.errors import MshviewError
from viewer.translation import Sentence

SETTINGS: Final = {"mesa_glthread": "true", "MESA_DEBUG": "silent"}
"""Mesa runs GL calls in its own thread, and logs no message about this setting."""
GL_CODE: Final = 330
EGL: Final[dict[str, Any]] = {"backend": "egl"}
NAMED: Final[dict[str, Any]] = {**EGL, "libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
"""The usual file names of the libraries: searching for them would start two processes."""


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


class GraphicsError(MshviewError):
    """OpenGL 3.3 is not available, or it cannot draw this."""


def create_context() -> moderngl.Context:
    """An OpenGL 3.3 context without a display; raises `GraphicsError`."""
    prepare()
    try:
        return _context()
    except Exception as error:
        raise GraphicsError(f"no OpenGL 3.3 without a window: {error}; {advice()}") from error


def _context() -> moderngl.Context:
    """The default context of the system; on Linux EGL, searched for if its usual file name fails."""
    if not sys.platform.startswith("linux"):
        return moderngl.create_context(require=GL_CODE, standalone=True)
    with suppress(Exception):
        return moderngl.create_context(require=GL_CODE, standalone=True, **NAMED)
    return moderngl.create_context(require=GL_CODE, standalone=True, **EGL)
