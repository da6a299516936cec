"""The deviation of the model that an import made from its file, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import FEW, Remark
from viewer.translation import Text, _


class DeviationKind(StrEnum):
    """The kind of a difference, with the words for it."""

    MOVED = _("{name}: {count} triangles are up to {size:.3g} units from where the file has them")
    MISSING = _("{name}: {count} triangles of the file are missing")
    EXTRA = _("{name}: {count} triangles are not in the file")
    NORMALS = _("{name}: {count} corner normals differ from the file, by up to {size:.3g} degrees")
    UVS = _("{name}: {count} texture coordinates differ from the file, by up to {size:.3g}")
    SECOND_UVS = _("{name}: {count} second texture coordinates are left out")
    LIGHTMAP_UVS = _("{name}: {count} lightmap coordinates differ from the file, by up to {size:.3g}")
    MATERIAL = _("{name}: {count} triangles have another material than in the file")
    NO_MATERIAL = _("{name}: {count} triangles without a material in the file have one")
    PLACE = _("{name}: up to {size:.3g} units from where the file has it")
    TURN = _("{name}: turned by {size:.3g} degrees from the file")
    MOVED_PLACE = _(
        "{name}: in {count} frames up to {size:.3g} units from where the file has it, most at frame {frame:g}"
    )
    MOVED_TURN = _(
        "{name}: in {count} frames turned by up to {size:.3g} degrees from the file, most at frame {frame:g}"
    )
    BETWEEN_PLACE = _(
        "{name}: goes through the samples of the file; in {count} frames between them up to {size:.3g} units "
        "from the straight way, most at frame {frame:g}"
    )
    BETWEEN_TURN = _(
        "{name}: goes through the samples of the file; in {count} frames between them turned by up to "
        "{size:.3g} degrees from the straight way, most at frame {frame:g}"
    )
    ORIGIN = _("{name}: its origin is {size:.3g} units from that in the file; what it shows is in its place")
    PARENT = _("{name}: below {other}, not below the node that it is under in the file")
    NODE = _("{name}: not in the model")
    COLOR = _("material {name}: its color differs from the file by up to {size:.3g} of 255")
    EMISSION = _("material {name}: its emission differs from the file by up to {size:.3g} of 255")
    OPACITY = _("material {name}: its opacity differs from the file by {size:.3g} %")
    IMAGE = _("material {name}: {count} pixels of its image differ from the file by up to {size:.3g} of 255")
    LOOK = _("material {name}: its {other} is not that of the file")
    CARRIED = _("{name}: {count} triangles came from {other}, and move with {name} from now on")


_EACH: Final = frozenset(
    {
        DeviationKind.PARENT,
        DeviationKind.CARRIED,
        DeviationKind.COLOR,
        DeviationKind.EMISSION,
        DeviationKind.OPACITY,
        DeviationKind.IMAGE,
        DeviationKind.LOOK,
    }
)
"""The kinds that name another node too, or a material, so that each is reported."""


class Deviation(Struct, frozen=True):
    """A difference between the model and the file that it was made of.

    Attributes
    ----------
    kind
        What differs.
    name
        The node.
    count
        How many triangles, corners or frames.
    size
        The largest difference: units, degrees or texture coordinates.
    frame
        The frame in which that is.
    other
        Another node.
    """

    kind: DeviationKind
    name: str
    count: int = 1
    size: float = 0.0
    frame: float = 0.0
    other: str = ""

    @property
    def words(self) -> Text:
        """The deviation as a sentence."""
        return _(
            self.kind.value,
            name=self.name,
            count=self.count,
            size=self.size,
            frame=self.frame,
            other=self.other,
        )


def grouped(found: Sequence[Deviation]) -> Iterator[Remark]:
    """A remark for each deviation; those of one kind in many nodes are one with their number."""
    for kind in dict.fromkeys(it.kind for it in found):
        own = [it for it in found if it.kind is kind]
        if len(own) <= FEW or kind in _EACH:
            yield from (Remark(it.words) for it in own)
            continue
        worst = max(own, key=lambda it: it.size)
        nodes, count = len({it.name for it in own}), sum(it.count for it in own)
        name = _("{count} nodes, most {name}", count=nodes, name=worst.name)
        yield Remark(replace(worst, name=name, count=count).words, tuple(it.words for it in own))
