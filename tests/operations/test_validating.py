"""Files are checked together, in the window as in the shell."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from tests.broken import models
from tests.builders import archive_of
from viewer.model.checks import models as rules
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import PART_SIZE
from viewer.operations.checking.validating import ValidationOptions
from viewer.progress import Progress


def test_small_files_are_checked_together_and_a_large_archive_in_parts(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.msh").write_bytes(models.sound().build())
    half = bytes(PART_SIZE)
    (tmp_path / "5.rlb").write_bytes(
        archive_of({"a.bin": half, "b.bin": half, "c.msh": models.sound().build()})
    )
    options, progress, done = ValidationOptions(), Progress(), []
    tasks = options.plan([Address(tmp_path)], is_divided=False)
    with patch.object(rules, "check_together", wraps=rules.check_together) as check:
        reports = options.apply(tasks, progress)
        done = [(Path(str(report.source)).name, report.errors, progress.done) for report in reports]
    assert [len(call.args[0]) for call in check.call_args_list if any(call.args[0])] == [5, 1]
    assert [name for name, errors, _ in done if not errors] == [
        "0.msh", "1.msh", "2.msh", "3.msh", "4.msh", "5.rlb", "5.rlb::c.msh",
    ]  # fmt: skip
    assert done[-1][2] > done[-2][2], "the parts of an archive are counted one by one"
    assert progress.done == progress.total - 3 * 64 - 16, "all but headers and directories of archives"
