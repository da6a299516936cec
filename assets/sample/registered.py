"""Objects of the registry with their resources: a model, its wear table and its neighbors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assets.sample.neighbors.control_points import ControlPoint, control_point_bytes
from assets.sample.neighbors.controller import Controller, controller_bytes
from assets.sample.neighbors.damage import damage_bytes
from assets.sample.neighbors.ground_plan import ground_plan_bytes
from assets.sample.pack import Convention, model_bytes
from assets.sample.spec import ModelSpec, Node
from assets.sample.surfaces.lightmap import Lightmap
from viewer.formats import objects, wear
from viewer.formats.archive.nres import NewEntry

BLAST = "blast"
EXPLOSION = f"{BLAST}.exp"
REGISTRY = "objects.rlb"

Reference = tuple[str, bytes]
"""Archive and entry."""


def four_letters(word: str) -> int:
    """An entry type."""
    return int.from_bytes(word.encode("ascii"), "little")


@dataclass(frozen=True)
class Subject:
    """A model and what belongs to it.

    Parameters
    ----------
    archive, spec
        Where it is, and what it shows.
    convention
        The reading of the file.
    lightmap
        The lightmap that it is painted on.
    controller, controller_stem
        What it can do, and the name of that file if it is not the model's.
    points
        Control points.
    hit_points, gear
        What its nodes withstand; None for an object without damage. Flags of running gear by node.
    plan
        The node that stands on the ground, of a building.
    """

    archive: str
    spec: ModelSpec
    convention: Convention = Convention.FIELD
    lightmap: Lightmap | None = None
    controller: Controller | None = None
    controller_stem: str = ""
    points: Sequence[ControlPoint] = ()
    hit_points: Callable[[Node], float] | None = None
    gear: Mapping[str, int] = field(default_factory=dict)
    plan: str | None = None

    def entries(self) -> list[NewEntry]:
        """The resources, the model first."""
        model = model_bytes(self.spec, self.convention, self.lightmap)
        found = [self._entry("MESH", "msh", model), self._wear()]
        if self.points:
            payload = control_point_bytes(self.points, self.spec)
            found.append(self._entry("CTPT", "cpt", payload, len(self.points), 68))
        if self.hit_points is not None:
            payload = damage_bytes(self.spec, self.hit_points, EXPLOSION, self.gear)
            found.append(self._entry("NDPR", "ndp", payload, len(self.spec.nodes), 76))
        if self.plan is not None:
            payload = ground_plan_bytes(model, self.spec.number(self.plan))
            found.append(self._entry("BASE", "bas", payload, 2))
        if self.controller is not None:
            payload = controller_bytes(self.controller, self.spec)
            found.append(controller_entry(self.controller_stem or self.spec.stem, payload))
        return found

    def _wear(self) -> NewEntry:
        lightmaps = [self.spec.lightmap.encode()] if self.spec.lightmap else []
        payload = wear.build([name.encode() for name in self.spec.wear], lightmaps)
        return NewEntry(four_letters("WEAR"), payload, f"{self.spec.stem}.wea".encode(), attr3=1)

    def _entry(self, letters: str, ending: str, payload: bytes, count: int = 0, size: int = 0) -> NewEntry:
        name = f"{self.spec.stem}.{ending}".encode()
        return NewEntry(four_letters(letters), payload, name, count, 0, size)


def controller_entry(stem: str, payload: bytes) -> NewEntry:
    """A controller in an archive."""
    return NewEntry(four_letters("CTLD"), payload, f"{stem}.ctl".encode())


def object_entry(key: str, letters: str, references: Sequence[Reference]) -> NewEntry:
    """An object in the registry."""
    payload = objects.build((archive.encode(), name) for archive, name in references)
    return NewEntry(four_letters(letters), payload, key.encode(), len(references), 0, 64)
