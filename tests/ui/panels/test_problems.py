"""The order of what was found wrong."""

from __future__ import annotations

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.places import Problem
from viewer.ui.panels.problems import by_severity


def test_errors_come_first_and_keep_their_order() -> None:
    found = (
        Diagnostic("V27", Severity.INFO, "unknown type"),
        Diagnostic("V17", Severity.WARNING, "remainder"),
        Diagnostic("V14", Severity.ERROR, "range"),
        Diagnostic("V15", Severity.ERROR, "vertex"),
    )
    problems = [Problem(finding, Place.of(Address.parse("tank.msh"), finding)) for finding in found]
    assert [item.finding.rule for item in by_severity(problems)] == ["V14", "V15", "V17", "V27"]
