"""The finishes of the tower."""

from __future__ import annotations

from assets.sample.finish import MaterialBindings, across, around, fitted
from assets.sample.trims import rect

CONCRETE = MaterialBindings("CONCRETE", across(0.1), 25)
ROUND_CONCRETE = MaterialBindings("CONCRETE", around(6.0, 0.1), 25)
CLADDING = MaterialBindings("CLADDING", around(8.0, 0.125), 25)
PLATES = MaterialBindings("CLADDING", across(0.125), 35)
STEEL = MaterialBindings("TOWER_STEEL", across(0.25), 50)
TRIM_HAZARD = MaterialBindings("TRIM", fitted(rect("hazard")))
TRIM_VENT = MaterialBindings("TRIM", fitted(rect("vent"), rect("grille")))
WINDOWS = MaterialBindings("WINDOWS", around(4.0, 0.33), 20)
BURNT = MaterialBindings("SCORCHED", across(0.12), 25)
SIGN = MaterialBindings("SIGN", fitted((0.0, 0.0, 1.0, 1.0)))
BEACON = MaterialBindings("BEACON", fitted((0.0, 0.0, 1.0, 1.0)), 50)
FLOODLIGHT = MaterialBindings("LAMP", fitted((0.0, 0.0, 1.0, 1.0)))
HALO = MaterialBindings("HALO", fitted((0.0, 0.0, 1.0, 1.0)))

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
