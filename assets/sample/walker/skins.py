"""The finishes of the walker."""

from __future__ import annotations

from assets.sample.shapes.finish import SEE_THROUGH, Finish, across, fitted
from assets.sample.surfaces.trims import rect

ARMOUR = Finish("WALKER_ARMOUR", across(0.25, (0.13, 0.37)), 50)
FACETS = Finish("WALKER_ARMOUR", across(0.25, (0.13, 0.37)), 12)
METAL = Finish("WALKER_METAL", across(0.5), 50)
JOINT = Finish("WALKER_JOINT", across(0.5, (0.5, 0.25)), 50)
SCORCHED = Finish("SCORCHED", across(0.3), 50)
HAZARD = Finish("TRIM", fitted(rect("hazard")))
VENT = Finish("TRIM", fitted(rect("vent"), rect("grille")))
HATCH = Finish("TRIM", fitted(rect("hatch")))
NUMBER = Finish("TRIM", fitted(rect("number")))
LAMP = Finish("LAMP", fitted((0.0, 0.0, 1.0, 1.0)))
HALO = Finish("HALO", fitted((0.0, 0.0, 1.0, 1.0)), flags=SEE_THROUGH)
GLASS = Finish("GLASS", across(0.4), 30, SEE_THROUGH)
GLOW = Finish("ENGINE_GLOW", fitted((0.0, 0.0, 1.0, 1.0)), flags=SEE_THROUGH)

WEAR = (
    "WALKER_ARMOUR",
    "WALKER_METAL",
    "WALKER_JOINT",
    "TRIM",
    "LAMP",
    "GLASS",
    "ENGINE_GLOW",
    "SCORCHED",
    "HALO",
    "SIGN",
)
