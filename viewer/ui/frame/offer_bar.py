"""The line under the toolbar that offers a game found on this computer."""

from __future__ import annotations

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.game.installs import Install
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import fitting, labeled, text, tooltip


def draw_offer(frame: UiContext, install: Install) -> None:
    """Draw what was found, and the buttons that use it or close the line."""
    use, decline = labeled(_("Use"), "use_install"), labeled(_("Don't show again"), "decline_installs")
    style = imgui.get_style()
    texts = (imgui.calc_text_size(label, hide_text_after_double_hash=True).x for label in (use, decline))
    buttons = sum(texts) + 4 * style.frame_padding.x + 2 * style.item_spacing.x
    imgui.align_text_to_frame_padding()
    text(fa.ICON_FA_GAMEPAD, theme.ACCENT)
    imgui.same_line()
    text(fitting(offer_texts(install), imgui.get_content_region_avail().x - buttons))
    tooltip([install.folder, _("Use: look up materials there for files outside a game folder, and open it")])
    imgui.same_line()
    if imgui.button(use):
        frame.commands.installs.use(install.folder)
    imgui.same_line()
    if imgui.button(decline):
        frame.commands.installs.decline()


def offer_texts(install: Install) -> tuple[str, ...]:
    """Return the offer as texts from long to short."""
    choices = (
        _("Game found on this computer ({launcher}): {folder}"),
        _("Game found on this computer ({launcher})"),
        _("Game found"),
    )
    launcher = name_of(install.launcher)
    return tuple(words.format(launcher=launcher, folder=install.folder) for words in choices)
