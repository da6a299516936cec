"""The finishes of the tower."""

from __future__ import annotations

from assets.sample.shapes.finish import SEE_THROUGH, Finish, across, around, fitted
from assets.sample.surfaces.trims import rect

EIGHTH = 22.5
"""Degrees by which octagons are turned, so that a side is in front."""

CONCRETE = Finish("CONCRETE", across(0.1), 25)
ROUND_CONCRETE = Finish("CONCRETE", around(6.0, 0.1), 25)
CLADDING = Finish("CLADDING", around(8.0, 0.125), 25)
PLATES = Finish("CLADDING", across(0.125), 35)
STEEL = Finish("TOWER_STEEL", across(0.25), 50)
TRIM_HAZARD = Finish("TRIM", fitted(rect("hazard")))
TRIM_VENT = Finish("TRIM", fitted(rect("vent"), rect("grille")))
WINDOWS = Finish("WINDOWS", around(4.0, 0.33), 20)
BURNT = Finish("SCORCHED", across(0.12), 25)
SIGN = Finish("SIGN", fitted((0.0, 0.0, 1.0, 1.0)))
EMBLEM = Finish("B_LBL_01", fitted((0.0, 0.0, 1.0, 1.0)))
BEACON = Finish("BEACON", fitted((0.0, 0.0, 1.0, 1.0)), 50)
FLOODLIGHT = Finish("LAMP", fitted((0.0, 0.0, 1.0, 1.0)))
HALO = Finish("HALO", fitted((0.0, 0.0, 1.0, 1.0)), flags=SEE_THROUGH)

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
    "PORTAL_001",
    "DEFAULT",
    "B_LBL_01",
)
LIGHTMAPPED = frozenset({"CONCRETE", "CLADDING", "SCORCHED"})
