"""The names of components, and how components move their channels, in words."""

from __future__ import annotations

from collections.abc import Iterable

from viewer.formats.neighbors.component import CLASSES, INPUTS, ControllerComponent
from viewer.translation import _, translated


def component_title(it: ControllerComponent) -> str:
    """Return the name of the class of a component; its number if no known file has it."""
    name = CLASSES.get(it.number)
    return _("class {number}", number=it.number) if name is None else translated(name)


def drivers_title(drivers: Iterable[ControllerComponent]) -> str:
    """Return the names of the classes of the components that drive a channel, each once."""
    return ", ".join(dict.fromkeys(map(component_title, drivers)))


def motion_text(it: ControllerComponent) -> str:
    """Return how a component moves its channels, in a few words; empty for one that moves none."""
    if not it.channels:
        return ""
    if it.turns:
        return _("by itself, rate {rate:.3g}", rate=it.turns)
    if it.takes_motion:
        flags = int(it.header["flags"])
        selectors = dict.fromkeys(flags >> shift & 0xFF for shift in (0, 8, 16))
        inputs = [translated(INPUTS[selector]) for selector in selectors if selector in INPUTS]
        return _("by {inputs}", inputs=", ".join(inputs))
    return _("stands") if it.steers_itself else _("steered by its owner")
