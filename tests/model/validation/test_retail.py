"""Files like those of the retail game are not called wrong."""

from __future__ import annotations

from tests import retail
from tests.broken import games
from viewer.errors import Severity


def test_only_names_that_lead_nowhere_are_warnings_in_retail_files() -> None:
    found = games.check(retail.files())
    of = {
        severity: {
            (source, it.rule)
            for source, diagnostics in found.items()
            for it in diagnostics
            if it.severity is severity
        }
        for severity in Severity
    }
    assert of[Severity.ERROR] == set()
    assert of[Severity.WARNING] == {
        ("objects.rlb::fr_l_mast", "O04"),
        ("objects.rlb::fr_l_tele", "O04"),
        ("UNITS/UNITS/BATTLE/robot.dat", "UNIT02"),
    }
    assert of[Severity.INFO] == {("bases.rlb::robot.msh", "A13"), ("fortif.rlb::hall.msh", "A13")}
