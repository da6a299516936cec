"""``selfcheck``: the test vectors of the specification, computed by this installation."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct

from viewer.cli.answers import Answer
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_forms
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.json_types import JsonObject, Natural, described
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.operations.checking.selfcheck import Checked


class CheckRow(JsonObject, frozen=True):
    """A test vector of the specification."""

    name: str
    source: Annotated[str, described("the page that states it")]
    ok: bool
    expected: str
    found: Annotated[str, described("what this installation computes")]


class SelfcheckAnswer(Struct, frozen=True):
    """All test vectors."""

    checks: Sequence[CheckRow]
    failed: Natural


ANSWER: Final = SelfcheckAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_forms(parser, "the checks")


def run(options: Namespace) -> int:
    """Print each vector with its result; return 1 if one of them is not what the specification states."""
    from viewer.operations.checking import selfcheck  # noqa: PLC0415 it loads what it checks

    found = [*selfcheck.check()]
    failed = sum(not it.is_ok for it in found)
    answer = Answer(
        lambda: SelfcheckAnswer(_rows(found), failed),
        lambda: _lines(found, failed),
        lambda: _rows(found),
    )
    answer.write("selfcheck", options)
    return FOUND if failed else DONE


def _rows(found: Iterable[Checked]) -> list[CheckRow]:
    return [CheckRow(it.vector.name, it.vector.source, it.is_ok, it.vector.stated, it.found) for it in found]


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
