"""Everything that can be said against a file, by the numbered rules of the specification.

The decoders report what they have to work around; the checks add what only a validator minds.
"""

from __future__ import annotations

from viewer.errors import Diagnostic, Severity
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model import draw_builder
from viewer.model.animation import Animation
from viewer.model.checks import animation, containers, geometry, tables, terrain
from viewer.model.draws import Draws
from viewer.model.model import Model, Variant
from viewer.model.skeleton import Skeleton


def check_model(model: Model) -> list[Diagnostic]:
    """All findings in a model, legacy model or terrain."""
    skeleton = Skeleton(model)
    draws = draw_builder.build(model)
    moving = Animation(model, skeleton, QuaternionOrder.XYZW)
    return check_parts(model, skeleton, draws, moving)


def check_parts(model: Model, skeleton: Skeleton, draws: Draws, moving: Animation) -> list[Diagnostic]:
    """The same where the parts have been made already."""
    found = [*containers.check(model.archive, has_names=False), *tables.check(model), *skeleton.diagnostics]
    if model.variant is Variant.TERRAIN:
        found += terrain.check(model, draws)
    else:
        found += [*geometry.check(model, draws), *animation.check(model, moving)]
    return list(dict.fromkeys(found))


def errors(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings that a strict reader refuses a file for."""
    return [finding for finding in found if finding.severity is Severity.ERROR]
