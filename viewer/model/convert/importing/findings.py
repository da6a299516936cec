"""The findings of an import, and the choices of the user about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Final

import numpy as np
from msgspec import Struct, field

from viewer.model.convert.motion.curve import Divergence
from viewer.options import Option, OptionChoice, ShellOption
from viewer.translation import _

NAMED: Final = 4
"""Nodes that are named in a sentence; it has the number of more of them."""


KEPT: Final = _("not in the file and left as they are: {nodes}")
REMOVED: Final = _("not in the file and removed: {nodes}")
CELLS_KEPT: Final = _("LODs and groups that are not in the file stay: {nodes}")
CELLS_REMOVED: Final = _("LODs and groups that are not in the file are removed: {nodes}")
BATCHES_KEPT: Final = _("batches that are not in the file stay: {nodes}")
BATCHES_REMOVED: Final = _("batches that are not in the file are removed: {nodes}")
HIDDEN: Final = _("not in the file, so that they show nothing: {nodes}")
REFERENCED: Final = _("not in the file, but kept, as something refers to them: {nodes}")
EMPTIED: Final = _("not in the file, but kept without geometry, as something refers to them: {nodes}")
STATE: Final = _("a new clip can be a state of {controller}")
"""Sentences about what an option decides, which the window shows as a switch and the shell names."""


class Missing(StrEnum):
    """The fate of nodes of the model that are not in the file."""

    KEEP = "keep"
    """The nodes stay as they are, as of an export of selected objects."""
    REMOVE = "remove"
    """The nodes are removed."""


class OtherLevels(StrEnum):
    """The fate of cells of a node that are not in the file, if those in it have other geometry."""

    LEAVE = "leave"
    """The cells keep the old geometry."""
    CLEAR = "clear"
    """The cells show nothing."""
    REUSE = "reuse"
    """The cells show the new geometry."""


class ImportChoices(Struct, frozen=True):
    """The decisions of the user about an import.

    Attributes
    ----------
    missing
        What becomes of nodes and objects that are not in the file; None if the file shows it: they stay if
        it has less than half of the nodes, or some that stand where only missing ones put them.
    clears_references
        Whether nodes that are not in the file are removed also if something refers to them, and that refers
        to none then; else they stay.
    other_levels
        What becomes of the other LODs and groups of nodes with other geometry.
    adds_states
        Whether each new clip becomes a state of the controller of the model.
    is_y_up
        Whether Y is up in the file; None if it is as the file says, or as its nodes show.
    """

    missing: Annotated[
        Missing | None,
        Option(
            _("Parts that are not in the file:"),
            choices=(
                OptionChoice(Missing.KEEP, _("leave as they are")),
                OptionChoice(Missing.REMOVE, _("remove")),
            ),
            shell=ShellOption(
                "--missing",
                _(
                    "keep nodes and objects of the template that are not in the file, or remove them; by "
                    "default they stay if it has less than half of the nodes (in OBJ each counts by its "
                    "objects), or nodes that stand where only missing ones put them"
                ),
            ),
        ),
    ] = None
    clears_references: Annotated[
        bool,
        Option(
            _("Remove parts that something refers to, and clear these references"),
            shell=ShellOption(
                "--clear-references",
                _(
                    "remove nodes of the template that are not in the file also if something refers to "
                    "them, and set that to none; else they stay"
                ),
                is_flag=True,
            ),
        ),
    ] = False
    other_levels: Annotated[
        OtherLevels,
        Option(
            _("LODs and groups that are not in the file:"),
            choices=(
                OptionChoice(OtherLevels.LEAVE, _("keep the old geometry")),
                OptionChoice(OtherLevels.CLEAR, _("show nothing")),
                OptionChoice(OtherLevels.REUSE, _("show the new geometry")),
            ),
            shell=ShellOption(
                "--other-levels",
                _(
                    "if the geometry of a node of the template changed, leave its LODs and groups that are"
                    " not in the file as they are (default), clear them, or reuse the new geometry"
                ),
            ),
        ),
    ] = OtherLevels.LEAVE
    adds_states: Annotated[
        bool,
        Option(
            shell=ShellOption(
                "--states",
                _(
                    "make a state of the template's controller of each animation that it does not have, "
                    "which gets frames of its own after the others"
                ),
                is_flag=True,
            )
        ),
    ] = False
    is_y_up: Annotated[
        bool | None,
        Option(
            _("Up in the file:"),
            choices=(OptionChoice(True, _("Y")), OptionChoice(False, _("Z"))),
            shell=ShellOption(
                "--y-up",
                _("Y is up in the file, whatever it says"),
                is_flag=True,
                opposite=(
                    "--z-up",
                    _(
                        "Z is up in the file, as of Blender without +Y Up; the default of OBJ files without "
                        "JSON if no comment names a program with Y up"
                    ),
                ),
            ),
        ),
    ] = None


DEFAULT: Final = ImportChoices()


class Findings(Struct):
    """Sentences gathered while a scene is compared, each once.

    Attributes
    ----------
    losses
        What the file says and the model cannot hold.
    notes
        What the user should know of the changes.
    between
        How far nodes are, between whole frames, from where the file has them, by their names.
    outdated
        Nodes with cells that are not in the file, and have other geometry than those in it after the import.
    removed
        Nodes that are not in the file and are removed.
    referenced, emptied
        Nodes that are not in the file and stay, with what refers to them: those that show nothing, which some
        programs leave out, and those that showed something.
    """

    losses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    between: dict[str, Divergence] = field(default_factory=dict)
    outdated: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    referenced: list[str] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)

    def lose(self, template: str, **values: object) -> None:
        """Add a loss: a sentence, or the template of one and its values."""
        _add(self.losses, template, values)

    def note(self, template: str, **values: object) -> None:
        """Add a note: a sentence, or the template of one and its values."""
        _add(self.notes, template, values)

    def withdraw(self, sentence: str) -> None:
        """Take back a note that turned out to be wrong."""
        self.notes[:] = [it for it in self.notes if it != sentence]

    def sum_up(self) -> None:
        """Add one sentence about several nodes."""
        if self.between:
            node, worst = max(self.between.items(), key=lambda it: max(it[1].distance, it[1].angle))
            self.lose(
                "{nodes}: movement between whole frames goes straight: off by up to {distance} and {angle} "
                "degrees, most in {node} at frame {frame}",
                nodes=listed([*self.between]),
                distance=f"{max(it.distance for it in self.between.values()):.4g}",
                angle=f"{np.degrees(max(it.angle for it in self.between.values())):.3g}",
                node=node,
                frame=f"{worst.frame:.4g}",
            )
        if self.outdated:
            self.note("other LODs and groups keep the old geometry: {nodes}", nodes=listed(self.outdated))
        if self.removed:
            self.note(REMOVED, nodes=listed(self.removed))
        if self.referenced:
            self.note(REFERENCED, nodes=listed(self.referenced))
        if self.emptied:
            self.lose(EMPTIED, nodes=listed(self.emptied))


def _add(sentences: list[str], template: str, values: Mapping[str, object]) -> None:
    text = _(template, **values) if values else template
    if text not in sentences:
        sentences.append(text)


def listed(nodes: Sequence[str]) -> str:
    """List of names, or their number; the message knows them."""
    return (
        ", ".join(nodes) if len(nodes) <= NAMED else _("{count} nodes", count=len(nodes), names=tuple(nodes))
    )
