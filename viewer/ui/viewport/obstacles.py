"""The needs of actions and options, and the reasons why one is grey."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from viewer.options import Declared, Needed, OptionChoice, option_at
from viewer.session.opened.document import Document
from viewer.session.play.stage import documents_of
from viewer.session.view.around import AROUND
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext

Need = Callable[[UiContext], str]
"""Reason for which something that must be open is not; empty if it is."""


def nothing(_ignored: UiContext) -> str:
    """The need of an action that is always enabled."""
    return ""


def a_model(frame: UiContext) -> str:
    """The need of most actions: a model in the active tab."""
    if frame.document is not None:
        return ""
    return _("no model is open") if frame.state.stage is None else _("only for a single model")


def models(frame: UiContext) -> str:
    """The need of actions of the parts of models: a model or a unit in the active tab."""
    if documents_of(frame.state.stage):
        return ""
    return _("no model is open") if frame.state.stage is None else _("an effect has no models")


def a_stage(frame: UiContext) -> str:
    """The need of actions of an image: a model, a unit or an effect in the active tab."""
    return _("nothing is open that is shown in space") if frame.state.stage is None else ""


def opened(is_met: Callable[[UiContext], object]) -> Need:
    """The need of a condition on what is open."""
    return lambda frame: "" if is_met(frame) else _("nothing is open")


a_tab: Final = opened(lambda frame: frame.state.tabs.active.address)


def a_file(frame: UiContext) -> str:
    """Reason for which what needs a file or an entry cannot be done; empty if one is open."""
    resource = frame.state.resource
    return a_tab(frame) or (_("a folder is open") if resource is not None and resource.is_folder else "")


NEEDS: Final[Mapping[Needed, Need]] = {
    Needed.TAB: a_tab,
    Needed.STAGE: a_stage,
    Needed.MODELS: models,
    Needed.MODEL: a_model,
}


def option_obstacle(frame: UiContext, option: Declared) -> str:
    """The reason why a switch changes nothing of what is open; empty if it does, and if nothing is open."""
    said = option.option
    if frame.state.stage is None:
        return ""
    needed = nothing if said.action is None else NEEDS[said.action.needs]
    return needed(frame) or ("" if said.obstacle is None else str(said.obstacle(frame.view, frame.document)))


def choice_obstacle(frame: UiContext, option: Declared, choice: OptionChoice) -> str:
    """The reason why a choice shows nothing of what is open; empty if it does, and if nothing is open.

    What one of the models of a unit can show is not refused.
    """
    needed = nothing if option.option.action is None else NEEDS[option.option.action.needs]
    stage = frame.state.stage
    if stage is None:
        return ""
    words = needed(frame) or str(stage.choice_obstacle(choice.value))
    found = [_of_model(frame.view, it, choice) for it in documents_of(stage)]
    return words or (found[0] if found and all(found) else "")


def _of_model(view: ViewState, document: Document, choice: OptionChoice) -> str:
    return "" if choice.obstacle is None else str(choice.obstacle(view, document))


SHADING: Final = option_at(ViewState, "shading")


def shading_obstacle(frame: UiContext, shading: Shading) -> str:
    """The reason why a shading mode shows nothing of what is open; empty if it shows something."""
    return choice_obstacle(frame, SHADING, SHADING.choice(shading))


def shading_obstacle_of(document: Document | None, view: ViewState) -> str:
    """The reason why the shading mode of a view shows nothing of a model; empty if it shows something."""
    return "" if document is None else _of_model(view, document, SHADING.choice(view.shading))


def available(frame: UiContext) -> list[Shading]:
    """The shading modes that show something."""
    return [shading for shading in Shading if not shading_obstacle(frame, shading)]


def is_missing(document: Document | None, overlay: Overlay) -> bool:
    """Whether an overlay is about a table that the open model does not have."""
    table = AROUND.get(overlay)
    return table is not None and (document is None or document.table(table) is None)


OVERLAY: Final = option_at(ViewState, "overlays")


def overlay_obstacle(frame: UiContext, overlay: Overlay) -> str:
    """The reason why an overlay shows nothing of what is open; empty if it may show something."""
    return choice_obstacle(frame, OVERLAY, OVERLAY.choice(overlay))
