"""``selfcheck``: the test vectors of the specification, computed by this installation."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from viewer.cli.answers import Answer
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_forms
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.operations.selfcheck import Checked


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_forms(parser, "the checks")


def run(options: Namespace) -> int:
    """Print each vector with its result; return 1 if one of them is not what the specification states."""
    from viewer.operations import selfcheck  # noqa: PLC0415 it loads what it checks

    found = [*selfcheck.check()]
    failed = sum(not it.is_ok for it in found)
    answer = Answer(
        lambda: {"checks": _rows(found), "failed": failed},
        lambda: _lines(found, failed),
        lambda: _rows(found),
    )
    answer.write("selfcheck", options)
    return FOUND if failed else DONE


def _rows(found: Iterable[Checked]) -> list[dict[str, Any]]:
    return [
        {
            "name": it.vector.name,
            "source": it.vector.source,
            "ok": it.is_ok,
            "expected": it.vector.stated,
            "found": it.found,
        }
        for it in found
    ]


def _lines(found: Sequence[Checked], failed: int) -> Iterator[str]:
    for it in found:
        where = f"  {it.vector.name} ({it.vector.source})"
        if it.is_ok:
            yield f"{_('ok'):6}{where}"
        else:
            yield Styled(f"{_('failed'):6}", Style.ERROR, after=where)
            yield _("        stated {stated}, computed {found}", stated=it.vector.stated, found=it.found)
    words = "{count} checks: {passed} ok, {failed} failed"
    yield _(words, count=len(found), passed=len(found) - failed, failed=failed)
