"""``why``: what one pixel of an image shows, down to the bytes."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import Final

from viewer.cli import answers
from viewer.cli.answers import Answer
from viewer.cli.documents import open_document
from viewer.cli.inputs import single
from viewer.cli.models import store_for
from viewer.cli.picturing import render
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_addresses, add_json, whole_number
from viewer.cli.usage.reading_arguments import add_reading
from viewer.errors import UsageError
from viewer.session.opened.document import Document
from viewer.session.pixel import card
from viewer.session.pixel.explanation import PixelExplanation
from viewer.translation import _

ANSWER: Final = card.PixelAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    parser.add_argument(
        "--at",
        type=_pixel,
        required=True,
        metavar="X,Y",
        help="the pixel, counted from the top left of the image that render makes with the same options",
    )
    render.declare_view(parser, without=("show",))  # what a pixel shows of the model, not over it
    parser.set_defaults(show=None, frames=None, turntable=None, animate=None)
    add_json(parser)
    add_reading(parser)


def _pixel(text: str) -> tuple[int, int]:
    x, comma, y = text.partition(",")
    if not comma:
        raise ArgumentTypeError(_("{text!r} is not X,Y", text=text))
    return whole_number(x), whole_number(y)


def run(options: Namespace) -> int:
    """Print what the pixel shows of each model."""
    size = render.size_of("why", options.size)
    render.check_view("why", options)
    x, y = options.at
    if not (0 <= x < size[0] and 0 <= y < size[1]):
        words = _(
            "--at {x},{y} is outside of {width} x {height} pixels", x=x, y=y, width=size[0], height=size[1]
        )
        raise UsageError(words, source="why")
    store = store_for(options, *options.addresses)

    def answer(text: str) -> Answer:
        from viewer.cli.picturing.process_renderer import renderer_of  # noqa: PLC0415
        from viewer.session.pixel.explanation import PointedTriangle, explain  # noqa: PLC0415

        document = open_document(options, single(store, text), store)
        view = render.views("why", options, document, size[0] / size[1])[0]
        with renderer_of(document) as renderer:
            hit = renderer.hit(view, size, x, y)
        found = explain(store, PointedTriangle(document, view, hit), size, (x, y))
        return Answer(lambda: card.as_json(found), lambda: _lines(document, found))

    return answers.write("why", options, answer)


def _lines(document: Document, found: PixelExplanation) -> Iterator[str]:
    parts = card.sections(document, found)
    width = max(len(line.title) for part in parts for line in part.lines)
    for part in parts:
        yield Styled(part.title, Style.HEADING)
        yield from (f"  {line.title.ljust(width)}  {line.text}" for line in part.lines)
