"""The finishes of the tower."""

from __future__ import annotations

from assets.sample.finish import Skin, across, around, fitted
from assets.sample.trims import rect

CONCRETE = Skin("CONCRETE", across(0.1), 25)
ROUND_CONCRETE = Skin("CONCRETE", around(6.0, 0.1), 25)
CLADDING = Skin("CLADDING", around(8.0, 0.125), 25)
PLATES = Skin("CLADDING", across(0.125), 35)
STEEL = Skin("TOWER_STEEL", across(0.25), 50)
TRIM_HAZARD = Skin("TRIM", fitted(rect("hazard")))
TRIM_VENT = Skin("TRIM", fitted(rect("vent"), rect("grille")))
WINDOWS = Skin("WINDOWS", around(4.0, 0.33), 20)
BURNT = Skin("SCORCHED", across(0.12), 25)
SIGN = Skin("SIGN", fitted((0.0, 0.0, 1.0, 1.0)))
BEACON = Skin("BEACON", fitted((0.0, 0.0, 1.0, 1.0)), 50)
FLOODLIGHT = Skin("LAMP", fitted((0.0, 0.0, 1.0, 1.0)))
HALO = Skin("HALO", fitted((0.0, 0.0, 1.0, 1.0)))

WEAR = (
    "CONCRETE",
    "CLADDING",
    "TOWER_STEEL",
    "TRIM",
    "WINDOWS",
    "SCORCHED",
    "SIGN",
    "BEACON",
    "LAMP",
    "HALO",
)
LIGHTMAPPED = frozenset({"CONCRETE", "CLADDING", "SCORCHED"})
