"""``gallery``: pictures of all models and effects of archives and folders on a static page."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from viewer import translation
from viewer.cli import output, processes, target
from viewer.cli.gallery import site
from viewer.cli.gallery.card import Card, GalleryAnswer, GalleryChange, SiteNames
from viewer.cli.gallery.making import GalleryTask, Making
from viewer.cli.gallery.reference import AREA, TOLERANCE, VERB, Reference
from viewer.cli.inputs import reading_options, unsaved_files
from viewer.cli.picturing import drawing
from viewer.cli.picturing.process_renderer import drawing_jobs
from viewer.cli.usage.arguments import add_json, add_out, add_paths, number, whole_number
from viewer.cli.usage.reading_arguments import add_reading_choice, add_strictness
from viewer.cli.usage.values import Value
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, UsageError
from viewer.model.kinds.registry import EFFECT, MODEL
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.many import ItemFinder
from viewer.operations.corpus.wildcards import expanded
from viewer.resources import use_language
from viewer.session.view.view_state import ViewState
from viewer.translation import ENGLISH, _, counted, readable

TURNS: Final = 24
MOST_TURNS: Final = 360


ANSWER: Final = GalleryAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add = parser.add_argument
    add_paths(
        parser,
        "an archive with the models and effects in it, a folder with everything below it, a model or an "
        "effect; - is standard input",
        "PATH",
    )
    add_out(parser, "SITE", "the folder; an earlier gallery is replaced", value=Value.FOLDER)
    add("--title", metavar="TEXT", help="headline of the page; by default the names of what it shows")
    add(
        "--reference",
        metavar="OLD",
        help="compare with an earlier gallery: mark models whose pictures differ, that are new or gone, and "
        "show both pictures; OLD may be SITE",
    )
    add(
        "--tolerance",
        type=number,
        metavar="N",
        help=_(
            "with --reference: how much a channel, 0 to 255, averaged over {area} x {area} pixels, "
            "may differ in pictures that count as equal, default {tolerance:g}",
            area=AREA,
            tolerance=TOLERANCE,
        ),
    )
    add("--turntable", type=whole_number, default=TURNS, metavar="N", help=_TURNTABLE)
    drawing.declare(parser, without=("show",))
    add("--no-models", action="store_true", help="pictures only: no models that turn in the browser")
    processes.add_jobs(parser)
    add_reading_choice(parser)
    add_strictness(parser)
    add_json(parser)


_TURNTABLE: Final = _(
    "images of each animated picture, of a model turning or an effect playing, default {turns}; 0 makes none",
    turns=TURNS,
)


def run(options: Namespace) -> int:
    """Make the site and say what it shows."""
    if not 0 <= options.turntable <= MOST_TURNS:
        words = _(
            "--turntable {turntable} is not 0 to {most_turns}",
            turntable=options.turntable,
            most_turns=MOST_TURNS,
        )
        raise UsageError(words, source=VERB)
    target.check_folder(options)
    # Once before anything is made: what is wrong in the options is no fault of a model.
    drawing.applied(options, ViewState())
    reference = _reference(options)
    language = translation.code()
    use_language(ENGLISH)
    try:
        cards, document = _made(options, reference)
    finally:
        use_language(language)
    _report(options, cards, document.summary.models, reference)
    if options.json:
        output.write_json(VERB, document)
    return FOUND if any(card.error or card.is_different for card in cards) else DONE


def _made(options: Namespace, reference: Reference | None) -> tuple[list[Card], GalleryAnswer]:
    """Make the site, whose page is in English; return its cards and what its index says."""
    unsaved = unsaved_files(*options.addresses)
    store, addresses = FileStore(unsaved=unsaved), [*map(Address.given, options.addresses)]
    for address in (it for given in addresses for it in expanded(store, given)):
        if address.entries or not store.is_folder(address.path):
            store.open(address)  # what does not exist ends the verb: a gallery shows what is damaged
    found = ItemFinder(store, frozenset({MODEL.id, EFFECT.id}), "model or effect").find(addresses)
    names = SiteNames()
    tasks = [GalleryTask(it, names.stem(it.name, index)) for index, it in enumerate(found)]
    with site.new_site(Path(options.out), can_replace=not options.no_clobber) as folder:
        standard_input = unsaved if unsaved.paths else None
        making = Making(folder, options, reading_options(options), standard_input, reference)
        cards = _cards(making, tasks, 1 if unsaved.paths else options.jobs)
        if reference is not None:
            cards += site.write_gone(folder, reference, [readable(it.label) for it in found], names)
        shown = [Address.given(text).name or text for text in options.addresses]
        title = ", ".join(shown[:3]) + ("..." if len(shown) > 3 else "")
        document = site.document_of(readable(options.title or title), cards, reference)
        site.write(folder, document, has_models=any(card.model for card in cards))
    output.note_written()
    return cards, document


def _reference(options: Namespace) -> Reference | None:
    """The earlier gallery that the options name."""
    tolerance = TOLERANCE if options.tolerance is None else options.tolerance
    if options.reference is None and options.tolerance is not None:
        raise UsageError("--tolerance needs --reference", source=VERB)
    if not 0 <= tolerance <= 255:
        raise UsageError(_("--tolerance {tolerance:g} is not 0 to 255", tolerance=tolerance), source=VERB)
    return None if options.reference is None else Reference.read(Path(options.reference), tolerance)


def _cards(making: Making, tasks: Sequence[GalleryTask], jobs: int | None) -> list[Card]:
    cards = []
    work = processes.SharedWork(
        VERB, _("models"), partial(processes.one_by_one, making.begin), is_drawing=True
    )
    for card in work.results(tasks, drawing_jobs(len(tasks), jobs)):
        cards.append(card)
        site.touch(making.folder)
    return cards


def _report(options: Namespace, cards: Sequence[Card], count: int, reference: Reference | None) -> None:
    """Say what could not be shown, what differs from an earlier gallery, and what was written."""
    for card in cards:
        if card.error:
            output.write_warnings(card.label, [Diagnostic("", Severity.WARNING, card.error)])
    if not options.json:
        output.write_lines(() if reference is None else reference.lines(cards))
        effects = sum(card.kind == EFFECT.id and card.change is not GalleryChange.GONE for card in cards)
        models = count - effects
        words = [counted(models, "{count} model", "{count} models")] if models or not effects else []
        words += [counted(effects, "{count} effect", "{count} effects")] if effects else []
        output.confirm(
            [_("wrote {path}: {what}", path=with_target(Path(options.out)), what=", ".join(words))]
        )
