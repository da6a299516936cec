"""The letters on the view cube, which can be read in each language."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from viewer.resources import use_language
from viewer.session.view.camera import Side
from viewer.translation import LANGUAGES
from viewer.ui.viewport import view_cube
from viewer.ui.widgets import theme
from viewer.ui.widgets.names import name_of

LEAST: float = 0.75
"""Height of the letters on a face seen from the front, as a share of that of other texts."""


@pytest.mark.usefixtures("imgui_frame")
@pytest.mark.parametrize("language", [*LANGUAGES])
def test_letters_are_nearly_as_large_as_other_texts_and_fit_their_face(language: str) -> None:
    use_language(language)
    try:
        for side in Side:
            size = imgui.calc_text_size(name_of(side))
            scale = view_cube.text_scale(size)
            assert scale * theme.em(view_cube._HALF) >= LEAST, name_of(side)
            assert scale * size.x <= 1.9
            assert scale * size.y <= 1.9
    finally:
        use_language("en")
