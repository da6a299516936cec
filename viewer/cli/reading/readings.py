"""``readings``: how disputed fields of models are read, what was measured, which models are least sure."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from viewer.cli import output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import file_store
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import FOLDER_OR_ADDRESS, add_forms, add_paths
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.json_types import members
from viewer.model.store.address import Address
from viewer.operations.corpus.readings import ModelScore, ScoredModel, score
from viewer.translation import _, translated


class ReadingsAnswer(Struct, frozen=True):
    """Readings of models, the least sure first."""

    models: Sequence[ScoredModel]


ANSWER: Final = ReadingsAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_paths(parser, FOLDER_OR_ADDRESS)
    add_forms(parser, "a row for each model")


def run(options: Namespace) -> int:
    """Print the models, the least sure first, and an error for each that cannot be read."""
    with output.ShownProgress(_("models")) as progress:
        found = score(file_store(*options.addresses), [*map(Address.given, options.addresses)], progress)
    output.write_unreadable(found.unreadable)
    answer = Answer(
        lambda: ReadingsAnswer([it.scored() for it in found.models]),
        lambda: _lines(found.models[0]) if len(found.models) == 1 else _ranked(found.models),
        lambda: [it.row() for it in found.models],
    )
    answer.write("readings", options)
    return FAILED if found.unreadable else DONE


def _ranked(models: Iterable[ModelScore]) -> Iterator[str]:
    rows = [it.row() for it in models]
    return text_table.lines([{**members(row), "decided_by": translated(row.decided_by)} for row in rows])


def _lines(model: ModelScore) -> Iterator[str]:
    """Lines of a model in full: each question with both answers, that in use marked."""
    yield str(model.address)
    for asked in model.questions:
        yield Styled(str(asked.title), Style.HEADING, after=f": {asked.why}")
        for name, answer in (("seed", asked.seed), ("field", asked.field)):
            mark = "*" if asked.used == name else " "
            measured = f" ({answer.measured})" if answer.measured else ""
            yield f"  {mark} {name.ljust(5)}  {answer.words}{measured}"
