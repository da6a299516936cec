"""A GL context of a test's own."""

from __future__ import annotations

from collections.abc import Iterator

import moderngl
import pytest

from viewer.render.offscreen import create_context


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    """A context without a window; a test that leaves a GL error behind fails."""
    ctx = create_context()
    yield ctx
    assert ctx.error == "GL_NO_ERROR"
    ctx.release()
