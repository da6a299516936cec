"""What the library loads: most of the time of a short script is that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROUND_TRIP = """
import sys
import mshview

model = mshview.open(sys.argv[1])
model.export(sys.argv[2])
assert model.import_from(sys.argv[2]) == []
assert model.changes() == []
print(*sys.modules)
"""
CHECKS = {"viewer.model.checks.models", "viewer.model.validation.validate", "viewer.model.compare.reporting"}
REPAIRS = {"viewer.model.edit.repair", "viewer.model.references", "viewer.model.query.condition"}
OTHER_KINDS = {"viewer.model.effects", "viewer.model.sky.day", "viewer.formats.fxid", "viewer.formats.sky"}
OTHERS = {"viewer.operations.corpus", "viewer.model.convert.obj", "csv"}


def test_an_import_that_changes_nothing_loads_neither_checks_nor_other_formats(
    game: Path, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-c",
        ROUND_TRIP,
        f"{game / 'models.rlb'}::walker.msh",
        str(tmp_path / "walker.glb"),
    ]
    folder = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "viewer.operations.imports.plan" in loaded
    assert not loaded & (CHECKS | REPAIRS | OTHER_KINDS | OTHERS)
