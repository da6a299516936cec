"""The finishes of the walker."""

from __future__ import annotations

from assets.sample.finish import MaterialBindings, across, fitted
from assets.sample.trims import rect

ARMOUR = MaterialBindings("WALKER_ARMOUR", across(0.25, (0.13, 0.37)), 50)
FACETS = MaterialBindings("WALKER_ARMOUR", across(0.25, (0.13, 0.37)), 12)
METAL = MaterialBindings("WALKER_METAL", across(0.5), 50)
JOINT = MaterialBindings("WALKER_JOINT", across(0.5, (0.5, 0.25)), 50)
SCORCHED = MaterialBindings("SCORCHED", across(0.3), 50)
HAZARD = MaterialBindings("TRIM", fitted(rect("hazard")))
VENT = MaterialBindings("TRIM", fitted(rect("vent"), rect("grille")))
HATCH = MaterialBindings("TRIM", fitted(rect("hatch")))
NUMBER = MaterialBindings("TRIM", fitted(rect("number")))
LAMP = MaterialBindings("LAMP", fitted((0.0, 0.0, 1.0, 1.0)))
HALO = MaterialBindings("HALO", fitted((0.0, 0.0, 1.0, 1.0)))
GLASS = MaterialBindings("GLASS", across(0.4), 30)
GLOW = MaterialBindings("ENGINE_GLOW", fitted((0.0, 0.0, 1.0, 1.0)))

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
