"""What tests of the interface share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from imgui_bundle import imgui


@pytest.fixture
def imgui_frame() -> Iterator[None]:
    """A frame of ImGui in a window of 800 by 600, for the sizes of text."""
    context = imgui.create_context()
    io = imgui.get_io()
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    io.display_size = imgui.ImVec2(800, 600)
    io.set_ini_filename("")
    imgui.new_frame()
    yield
    imgui.end_frame()
    imgui.destroy_context(context)
