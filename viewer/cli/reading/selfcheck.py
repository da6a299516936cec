"""``selfcheck``: the test vectors of the specification, computed by this installation."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli import output
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_forms
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.translation import _


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_forms(parser, "the checks")


def run(options: Namespace) -> int:
    """Print each vector with its result; return 1 if one of them is not what the specification states."""
    from viewer.operations import selfcheck  # noqa: PLC0415 it loads what it checks

    found = [*selfcheck.check()]
    failed = sum(not it.is_ok for it in found)
    if options.json or options.form:
        rows = [
            {
                "name": it.vector.name,
                "source": it.vector.source,
                "ok": it.is_ok,
                "expected": it.vector.stated,
                "found": it.found,
            }
            for it in found
        ]
        if options.form:
            output.write_table(rows, options.form)
        else:
            output.write_json("selfcheck", {"checks": rows, "failed": failed})
        return FOUND if failed else DONE
    lines: list[str] = []
    for it in found:
        where = f"  {it.vector.name} ({it.vector.source})"
        if it.is_ok:
            lines.append(f"{_('ok'):6}{where}")
        else:
            lines.append(Styled(f"{_('failed'):6}", Style.ERROR, after=where))
            lines.append(
                _("        stated {stated}, computed {found}", stated=it.vector.stated, found=it.found)
            )
    output.write_lines(
        [
            *lines,
            _(
                "{count} checks: {passed} ok, {failed} failed",
                count=len(found),
                passed=len(found) - failed,
                failed=failed,
            ),
        ]
    )
    return FOUND if failed else DONE
