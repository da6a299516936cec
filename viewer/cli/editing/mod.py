"""``mod``: mods of a game: made of two folders, listed, checked, applied and taken back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct

from viewer.cli import output, target, text_table
from viewer.cli.answers import Answer
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_json, output_name
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import ChangedSinceError, UsageError
from viewer.json_types import FieldValue, JsonObject, Natural, TableRow, described
from viewer.model.kinds import json_text
from viewer.model.store.disk import with_target
from viewer.progress import working
from viewer.translation import _, counted, translated

if TYPE_CHECKING:
    from viewer.operations.mods.in_place import ModdedGame
    from viewer.operations.mods.package import Mod
    from viewer.operations.mods.plan import ModPlan

MAKE: Final = "make"
LIST: Final = "list"
CHECK: Final = "check"
APPLY: Final = "apply"
REVERT: Final = "revert"


class ListedMod(TableRow, frozen=True):
    """A mod: what it is called, and how much it changes."""

    name: str
    version: str
    author: str
    needs: Sequence[str]
    changes: Natural
    source: Annotated[
        str, described("the folder or zip; of one that is applied in place that in the journal")
    ]


class ModList(Struct, frozen=True):
    """The mods that are applied to a game, in their order, or those in folders."""

    mods: Sequence[ListedMod]


class FoundConflict(JsonObject, frozen=True):
    """A place that two mods, or a mod and the game, change in different ways."""

    address: str
    field: Annotated[str | None, described("null for bytes without a field, and for the payload as a whole")]
    mods: Annotated[Sequence[str], described("two names in their order; game for what the game has changed")]
    values: Annotated[
        Sequence[FieldValue],
        described("what each sets: a value as inspect prints it, hexadecimal, or patch, add, remove"),
    ]
    winner: str


class ModCheck(Struct, frozen=True):
    """Whether mods go together, and with a game."""

    conflicts: Sequence[FoundConflict]
    missing: Annotated[Sequence[str], described("names of mods that others need")]
    changed_base: Annotated[
        Sequence[str], described("addresses at which the game has another payload than a mod was made of")
    ]


class DoneFile(JsonObject, frozen=True):
    """A file that was written."""

    path: str
    size: Annotated[Natural | None, described("null for a file that was removed")]


class ModDone(Struct, frozen=True):
    """The mods that are applied now, or the one that was made, and the written files."""

    mods: Sequence[str]
    files: Sequence[DoneFile]


ANSWER: Final = ModList, ModCheck, ModDone
INPUTS: Final = {
    MAKE: "BASE CHANGED",
    LIST: "[GAME | MOD...]",
    CHECK: "GAME MOD...",
    APPLY: "GAME MOD...",
    REVERT: "GAME [NAME]",
}
"""The inputs of each action."""
COUNTS: Final = {MAKE: (2, 2), LIST: (0, None), CHECK: (2, None), APPLY: (2, None), REVERT: (1, 2)}
"""The least and the largest number of paths of each action."""
OWN: Final = {
    "name": ("--name", (MAKE,)),
    "version_of_mod": ("--version", (MAKE,)),
    "author": ("--author", (MAKE,)),
    "needs": ("--needs", (MAKE,)),
    "out": ("-o", (MAKE, APPLY)),
    "force": ("--force", (APPLY, REVERT)),
}
"""The options that some actions have, and which ones."""
SHOWN_CONFLICTS: Final = 200
"""Conflicts that a terminal lists unless all are requested."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "action",
        choices=(*INPUTS,),
        metavar="ACTION",
        help="make BASE CHANGED: a mod of what differs between two game folders; list [GAME | MOD...]: the "
        "mods that are applied to a game, or those in folders, with -v what they do; check GAME MOD...: "
        "what conflicts; apply GAME MOD...: apply mods, later ones win; revert GAME [NAME]: take all back, "
        "or one",
    )
    takes(
        parser.add_argument(
            "paths",
            nargs="*",
            metavar="PATH",
            help="game folders and mods; a mod is a folder with mod.json, or a zip of it",
        ),
        Value.FILE,
    )
    group = parser.add_argument_group("output")
    takes(
        group.add_argument(
            "-o",
            "--output",
            dest="out",
            type=output_name,
            metavar="OUT",
            help="make: the folder of the mod, or a file that ends with .zip; apply: a copy of the game, "
            "which is changed itself without this, in a way that revert takes back",
        ),
        Value.FILE,
    )
    group.add_argument(
        "--force",
        action="store_true",
        help="apply: in spite of conflicts, a changed base and missing mods; revert: also a mod that others "
        "need, and files that were changed since, which are kept as NAME.bak",
    )
    about = parser.add_argument_group("the mod that is made")
    about.add_argument("--name", metavar="N", help="its name, by which others need it; make requires it")
    about.add_argument("--version", dest="version_of_mod", metavar="V", help="its version")
    about.add_argument("--author", metavar="A", help="who made it")
    about.add_argument("--needs", metavar="N,N", help="the names of mods that have to be applied too")
    add_json(parser)


def run(options: Namespace) -> int:
    """Make, list, check or apply mods, or take them back."""
    _check_arguments(options)
    actions = {MAKE: _make, LIST: _list, CHECK: _check, APPLY: _apply, REVERT: _revert}
    return actions[options.action](options)


def _check_arguments(options: Namespace) -> None:
    """Refuse paths that an action does not take, and options that it does not have."""
    least, most = COUNTS[options.action]
    if not least <= len(options.paths) <= (len(options.paths) if most is None else most):
        words = _("{action} takes {expected}", action=options.action, expected=INPUTS[options.action])
        raise UsageError(_("{message}; see 'mshview mod --help'", message=words), source="mod")
    if "" in options.paths:
        raise UsageError(_("the name is empty"), source="mod")
    for name, (option, actions) in OWN.items():
        if getattr(options, name) and options.action not in actions:
            raise UsageError(_("{action} does not have it", action=options.action), source=option)


def _make(options: Namespace) -> int:
    if not (options.out and options.name):
        raise UsageError(_("make needs --name and -o"), source="mod")
    if target.is_standard(options):
        raise UsageError("a folder cannot be standard output", source="-o")
    from viewer.operations.mods.making import make_mod  # noqa: PLC0415 brings the formats along
    from viewer.operations.mods.writing import about_mod, write_mod  # noqa: PLC0415

    needs = [it.strip() for it in (options.needs or "").split(",") if it.strip()]
    about = about_mod(options.name, options.version_of_mod or "", options.author or "", needs)
    base, changed = (_game(path).present for path in options.paths)
    with output.ShownProgress(_("files")) as progress, working(progress):
        made = make_mod(base, changed, about)
    write_mod(made, Path(options.out))
    output.note_written()
    for remark in made.remarks:
        output.write_warning(remark)
    count = counted(len(made.manifest.changes), "{count} change", "{count} changes")
    files = [DoneFile(path, memoryview(data).nbytes) for path, data in made.files.items()]
    line = _("wrote {path}: {count}", path=with_target(Path(options.out)), count=count)
    _write_done(options, ModDone([about.name], files), [line])
    return DONE


def _game(path: str) -> ModdedGame:
    """A game, after a change of it that was stopped is finished or taken back."""
    from viewer.operations.mods.in_place import ModdedGame  # noqa: PLC0415 brings the formats along

    found = ModdedGame.of(Path(path))
    if found.recovered:
        words = "{path}: a change of the game that was stopped is {what}"
        output.write_hint(_(words, path=path, what=translated(found.recovered)))
    return found


def _mods(paths: Iterable[str]) -> list[Mod]:
    from viewer.operations.mods.package import open_mod  # noqa: PLC0415 brings the formats along

    return [open_mod(Path(path)) for path in paths]


def _list(options: Namespace) -> int:
    from viewer.operations.mods.package import is_mod, open_mod  # noqa: PLC0415 brings the formats along

    found: list[Mod] = []
    for path in options.paths or ["."]:
        found += [open_mod(Path(path))] if is_mod(Path(path)) else _game(path).mods
    rows = [
        ListedMod.of(it.manifest, changes=len(it.manifest.changes), source=str(it.source)) for it in found
    ]
    Answer(lambda: ModList(rows), lambda: _list_lines(rows, found)).write("mod", options)
    return DONE


def _list_lines(rows: Sequence[ListedMod], found: Sequence[Mod]) -> Iterator[str]:
    """A row for each mod, then what each does if everything is printed."""
    if not rows:
        yield _("no mod is applied")
        return
    yield from text_table.lines(rows)
    for it in found if output.is_verbose() else ():
        yield ""
        yield Styled(it.name, Style.HEADING)
        yield from (f"  {line}" for line in it.manifest.in_words())


def _check(options: Namespace) -> int:
    game, *mods = options.paths
    plan = _game(game).with_mods(_mods(mods))
    _write_check(options, plan)
    return DONE if plan.is_clean else FOUND


def _write_check(options: Namespace, plan: ModPlan) -> None:
    """Print what conflicts, what is missing, and what the game has changed."""
    conflicts = [FoundConflict.of(it, address=str(it.address)) for it in plan.conflicts]
    found = ModCheck(conflicts, plan.missing, [*map(str, plan.changed_base)])
    Answer(lambda: found, lambda: _check_lines(found)).write("mod", options)
    _hint(plan.remarks)


def _check_lines(found: ModCheck) -> Iterator[str]:
    """Each conflict with both values, the missing mods, and what has another base."""
    limit = output.most_shown(SHOWN_CONFLICTS)
    for it in found.conflicts[:limit]:
        place = ": ".join(part for part in (it.address, it.field) if part)
        pairs = zip(it.mods, it.values, strict=True)
        sides = ", ".join(f"{mod}: {json_text.encode(value)}" for mod, value in pairs)
        yield _("{place}: {sides}; {winner} wins", place=place, sides=sides, winner=it.winner)
    if limit is not None and len(found.conflicts) > limit:
        yield _("and {count} more; -v lists them all", count=len(found.conflicts) - limit)
    yield from (_("{name} is needed", name=name) for name in found.missing)
    words = "{address}: the game has another payload than the mod was made of"
    yield from (_(words, address=address) for address in found.changed_base)
    if not (found.conflicts or found.missing or found.changed_base):
        yield _("The mods go together, and with this game.")


def _apply(options: Namespace) -> int:
    if options.out and target.is_standard(options):
        raise UsageError("a folder cannot be standard output", source="-o")
    path, *given = options.paths
    game, mods = _game(path), _mods(given)
    fresh = game.fresh(mods)
    for name in (it.name for it in mods if it not in fresh):
        output.write_hint(_("{name} is applied already", name=name))
    plan = game.with_mods(mods)
    if not (plan.is_clean or options.force):
        _write_check(options, plan)
        output.write_warning(_("nothing was written; --force applies the mods in spite of this"))
        return FOUND
    if options.out:
        from viewer.operations.mods.copying import write_copy  # noqa: PLC0415 brings the formats along

        files = write_copy(plan, Path(options.out))
    else:
        with _advised_if_changed():
            files = game.write(plan)
    left = (str(it.address) for it in plan.conflicts if it.winner != it.mods[1])
    _hint(
        _("{address}: left as it is: what the mod changes there is not in the game", address=it)
        for it in left
    )
    _hint(plan.remarks)
    _finish(options, plan, Path(options.out or path), files)
    return DONE


def _revert(options: Namespace) -> int:
    path, name = (*options.paths, None)[:2]
    game = _game(path)
    plan = game.without(name)
    if name in plan.missing and not options.force:
        words = "{path}: another mod needs {name}; --force takes it out in spite of that"
        output.write_error(_(words, path=path, name=name))
        return FOUND
    with _advised_if_changed():
        files = game.write(plan, is_forced=options.force)
    _finish(options, plan, Path(path), files)
    return DONE


@contextmanager
def _advised_if_changed() -> Iterator[None]:
    """Tell what can be done about a file that was changed since mods were applied, which is refused."""
    try:
        yield
    except ChangedSinceError:
        output.write_hint(_("revert --force takes the mods back and keeps what was changed as NAME.bak"))
        raise


def _finish(options: Namespace, plan: ModPlan, folder: Path, paths: Sequence[str]) -> None:
    """Say what was written: the mods of the game now, and the files that became others."""
    output.note_written()
    sizes = ((folder / path, path) for path in paths)
    files = [DoneFile(path, place.stat().st_size if place.is_file() else None) for place, path in sizes]
    count = counted(len(files), "{count} file changed", "{count} files changed")
    lines = [_("{path}: {count}", path=with_target(folder), count=count)]
    if plan.mods:
        lines.append(_("applied: {names}", names=", ".join(it.name for it in plan.mods)))
    else:
        lines.append(_("no mod is applied"))
    _write_done(options, ModDone([it.name for it in plan.mods], files), lines)


def _write_done(options: Namespace, done: ModDone, lines: Sequence[str]) -> None:
    if options.json:
        output.write_json("mod", done)
    else:
        output.confirm(lines)


def _hint(remarks: Iterable[str]) -> None:
    for remark in remarks:
        output.write_hint(remark)
