"""Versions, licenses and the graphics card, collected once for the about box."""

from __future__ import annotations

import platform
import sys
from functools import cache
from importlib import metadata
from typing import Any, Final

import moderngl

from viewer.session.program import Component, ProgramInfo
from viewer.version import VERSION

PACKAGES: Final = (
    "imgui-bundle",
    "moderngl",
    "moderngl-window",
    "glfw",
    "glcontext",
    "msgspec",
    "numpy",
    "pillow",
    "platformdirs",
    "pyglet",
    "pyglm",
    "pyrr",
    "mapbox-earcut",
    "multipledispatch",
)
"""The packages of the dependencies, and those that these need."""
SHIPPED: Final = (
    Component("mshview", VERSION, "MIT"),
    Component("sample models and textures", "", "MIT"),
)
FONTS: Final = (
    Component("Dear ImGui", "", "MIT"),
    Component("Roboto", "", "Apache-2.0"),
    Component("Font Awesome Free", "6", "OFL-1.1"),
)
"""Fonts that come with imgui-bundle and are used."""
LONGEST: Final = 60
"""Characters of a license that is named and not quoted in full."""
_CLASSIFIER: Final = "License :: OSI Approved :: "


def collect(ctx: moderngl.Context | None, problem: str = "") -> ProgramInfo:
    """The parts of the program and the system that it runs on; without OpenGL the problem with it."""
    used = [found for name in PACKAGES if (found := component(name)) is not None]
    system = (
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("Platform", f"{platform.system()} {platform.release()} {platform.machine()}, {sys.platform}"),
        *((("OpenGL", problem),) if ctx is None else _graphics(ctx.info)),
    )
    return ProgramInfo(system, SHIPPED, (*used, *FONTS))


def _graphics(info: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The facts about the graphics card."""
    return (
        ("OpenGL renderer", str(info["GL_RENDERER"])),
        ("OpenGL vendor", str(info["GL_VENDOR"])),
        ("OpenGL version", str(info["GL_VERSION"])),
        ("Largest texture", str(info["GL_MAX_TEXTURE_SIZE"])),
    )


@cache
def component(name: str) -> Component | None:
    """An installed package, or None."""
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    return Component(found.metadata["Name"], found.version, _license(found))


def _license(found: metadata.Distribution) -> str:
    """The license as an expression, a classifier or a short text, whichever the package has."""

    def values(field: str) -> list[str]:
        return found.metadata.get_all(field) or []

    classifiers = values("Classifier")
    named = [text.removeprefix(_CLASSIFIER) for text in classifiers if text.startswith(_CLASSIFIER)]
    short = [text for text in values("License") if len(text) <= LONGEST]
    return ", ".join(values("License-Expression") or named or short)
