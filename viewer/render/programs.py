"""Shader programs from files, compiled on first use and kept."""

from __future__ import annotations

import re
from importlib.resources.abc import Traversable
from pathlib import Path

import moderngl

FRAME_BINDING = 0
"""Uniform buffer slot of the ``Frame`` block (shaders/include/frame.glsl)."""

_INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


class Programs:
    """The programs of one context; owner: the renderer, lifetime: its context.

    Parameters
    ----------
    ctx
        The context to compile for.
    folder
        The folder of ``<pass>.vert``, ``.geom``, ``.frag`` and ``include/``.
    """

    def __init__(self, ctx: moderngl.Context, folder: Path | Traversable) -> None:
        self._ctx = ctx
        self._folder = folder
        self._built: dict[tuple[str, str, str | None], moderngl.Program] = {}

    def get(self, vertex: str, fragment: str, geometry: str | None = None) -> moderngl.Program:
        """The program of these stages, named without their suffix."""
        key = (vertex, fragment, geometry)
        if key not in self._built:
            self._built[key] = self._build(vertex, fragment, geometry)
        return self._built[key]

    def source(self, name: str) -> str:
        """The text of a shader file with its includes inserted."""
        return _INCLUDE.sub(self._included, self._text(name))

    def _build(self, vertex: str, fragment: str, geometry: str | None) -> moderngl.Program:
        program = self._ctx.program(
            vertex_shader=self.source(f"{vertex}.vert"),
            fragment_shader=self.source(f"{fragment}.frag"),
            geometry_shader=self.source(f"{geometry}.geom") if geometry else None,
        )
        block = program.get("Frame", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = FRAME_BINDING
        return program

    def _included(self, match: re.Match[str]) -> str:
        return self._text(f"include/{match[1]}")

    def _text(self, name: str) -> str:
        return self._folder.joinpath(name).read_text(encoding="utf-8")
