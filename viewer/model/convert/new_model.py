"""A new model of nothing but a scene, with its wear table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.building.wear_rows import WearRows
from viewer.model.convert.scene import Origin, Scene
from viewer.model.mesh.reading import FIELD, SEED, MaterialField, Reading, ReadingChoice
from viewer.translation import Sentence

NO_TRIANGLES: Final = Sentence("the file gives no triangles")
NO_AREA: Final = Sentence("the file gives no triangles that can be seen: none has an area")


@dataclass(frozen=True, slots=True)
class NewModel:
    """The files of a model.

    Attributes
    ----------
    data
        The bytes of the model.
    wear
        The rows of its wear table.
    losses
        What the scene has and they cannot hold.
    notes
        How it was read, and its clips, which a model does not name.
    """

    data: bytes
    wear: WearRows
    losses: tuple[str, ...]
    notes: tuple[str, ...] = ()


def made_of(scene: Scene, choice: ReadingChoice = ReadingChoice.AUTO) -> NewModel:
    """The model of a scene; raises `FormatError` for what no model can hold."""
    tables = tables_of(scene, reading_of(choice, scene.origin))
    count = Sentence("{count} animations follow one another", count=len(scene.clips))
    follow = [count] if scene.is_in_a_row else []
    follow += emptiness(scene)
    losses = (*scene.losses, *follow, *tables.losses, *tables.wear.losses)
    return NewModel(bytes(tables.build()), tables.wear, losses, (*scene.notes, *scene.clip_words()))


def emptiness(scene: Scene) -> list[Sentence]:
    """That a scene has nothing to draw; nothing if it has."""
    if scene.has_area:
        return []
    return [NO_AREA if scene.has_triangles else NO_TRIANGLES]


def reading_of(choice: ReadingChoice, origin: Origin | None) -> Reading:
    """The reading of a new model: the chosen one, else that of its origin, else that of retail files."""
    if choice is not ReadingChoice.AUTO:
        return SEED if choice is ReadingChoice.SEED else FIELD
    if origin is None:
        return FIELD
    order, field = QuaternionOrder(origin.quaternion_order), MaterialField(origin.material_field)
    return Reading(order, field, has_name_records=origin.has_name_records)
