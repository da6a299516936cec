"""A GL context without a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import moderngl
import pytest

from tests.render.canvas import Canvas
from tests.systems import IS_WINDOWS
from viewer.render import portions, renderer
from viewer.render.passes import ids
from viewer.render.programs import Programs


@pytest.fixture(scope="session")
def gl() -> moderngl.Context:
    settings: dict[str, Any] = {} if IS_WINDOWS else {"backend": "egl"}
    return moderngl.create_context(require=330, standalone=True, **settings)


@pytest.fixture
def ctx(gl: moderngl.Context) -> Iterator[moderngl.Context]:
    """The context, current whatever others were made since; a test that leaves a GL error behind fails."""
    with gl:
        yield gl
        assert gl.error == "GL_NO_ERROR"


@pytest.fixture
def programs(ctx: moderngl.Context) -> Programs:
    return Programs.of(ctx)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take their time: on a busy machine a small one lasts longer than a frame may.

    Tests of pictures that take too long set these limits themselves.
    """
    for module, name in (
        (portions, "LONGEST"),
        (renderer, "LONGEST"),
        (renderer, "SMOOTH_SECONDS"),
        (ids, "PATIENCE"),
        (ids, "PICK_SECONDS"),
    ):
        monkeypatch.setattr(module, name, 600.0)


@pytest.fixture
def canvas(ctx: moderngl.Context) -> Canvas:
    return Canvas(ctx)
