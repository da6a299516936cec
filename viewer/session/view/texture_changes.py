"""Changes of what a view shows of textures."""

from __future__ import annotations

from typing import Any

from viewer.dataclass import replace
from viewer.session.view.view_state import ViewState


def flip_texture_switch(view: ViewState, switch: str) -> ViewState:
    """Switch an attribute of the texture switches on or off."""
    flipped: dict[str, Any] = {switch: not getattr(view.textures, switch)}
    return replace(view, textures=replace(view.textures, **flipped))
