"""The finishes of the walker."""

from __future__ import annotations

from assets.sample.finish import Skin, across, fitted
from assets.sample.trims import rect

ARMOUR = Skin("WALKER_ARMOUR", across(0.25, (0.13, 0.37)), 50)
FACETS = Skin("WALKER_ARMOUR", across(0.25, (0.13, 0.37)), 12)
METAL = Skin("WALKER_METAL", across(0.5), 50)
JOINT = Skin("WALKER_JOINT", across(0.5, (0.5, 0.25)), 50)
SCORCHED = Skin("SCORCHED", across(0.3), 50)
HAZARD = Skin("TRIM", fitted(rect("hazard")))
VENT = Skin("TRIM", fitted(rect("vent"), rect("grille")))
HATCH = Skin("TRIM", fitted(rect("hatch")))
NUMBER = Skin("TRIM", fitted(rect("number")))
LAMP = Skin("LAMP", fitted((0.0, 0.0, 1.0, 1.0)))
HALO = Skin("HALO", fitted((0.0, 0.0, 1.0, 1.0)))
GLASS = Skin("GLASS", across(0.4), 30)
GLOW = Skin("ENGINE_GLOW", fitted((0.0, 0.0, 1.0, 1.0)))

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
)
