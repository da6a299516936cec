"""A model with everything that is needed to convert it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from viewer.dataclass import dataclass
from viewer.model.clips.controller import NO_CONTROLLER, Controller
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Materials
from viewer.model.mesh import draw_builder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.mesh.skeleton import Skeleton, sockets

if TYPE_CHECKING:  # models that are only opened do without the changes of models
    from viewer.model.edit.nodes.node_edit import NodeReference


@dataclass(frozen=True)
class ModelSource:
    """A model, its reading and what is around it.

    Attributes
    ----------
    name
        Name of its file or entry.
    model, choice
        Its tables, and their meaning.
    materials
        The materials of its batches; None where they were not looked up.
    controller
        Its clips.
    libraries
        The libraries of its game folder, in which the materials were found; None if none is known.
    references
        What refers to its nodes next to it.
    """

    name: str
    model: Model
    choice: ResolvedReading
    materials: Materials | None = None
    controller: Controller = NO_CONTROLLER
    libraries: MaterialLookup | None = None
    references: tuple[NodeReference, ...] = ()

    @property
    def text_name(self) -> str:
        """The name with a question mark for every byte that is not text, as the names of files may have."""
        return self.name.encode(errors="replace").decode()

    @cached_property
    def data(self) -> memoryview:
        """The bytes of the model."""
        return memoryview(self.model.archive.data)

    @cached_property
    def skeleton(self) -> Skeleton:
        """The hierarchy of its nodes."""
        return Skeleton(self.model)

    @cached_property
    def draws(self) -> Draws:
        """The draws of the model."""
        return draw_builder.build(self.model)

    @cached_property
    def animation(self) -> Animation:
        """How its nodes move."""
        return Animation(self.model, self.skeleton, self.choice.reading.quaternion_order)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of its nodes, empty where they have none."""
        return self.model.node_names(from_records=self.choice.reading.has_name_records)

    @cached_property
    def socket_tag(self) -> tuple[str, ...]:
        """Labels of its nodes."""
        return self.model.node_socket_tags(from_records=self.choice.reading.has_name_records)

    @cached_property
    def sockets(self) -> frozenset[int]:
        """Nodes that other models are mounted on."""
        return sockets(self.model, self.names)
