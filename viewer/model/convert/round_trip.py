"""Whether a model comes back from each format as it was: exported, imported against itself and compared."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Final

from viewer.dataclass import dataclass
from viewer.errors import MshviewError
from viewer.formats.archive.nres import Entry
from viewer.formats.archive.rsli import PackedEntry
from viewer.model.convert import exchange
from viewer.model.convert.exchange import JSON, OBJ
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.resolver import nothing
from viewer.model.convert.scene import Options
from viewer.model.convert.source import ModelSource
from viewer.model.convert.text.reading import bytes_of
from viewer.model.convert.text.writing import text_of
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.kinds.registry import MODEL
from viewer.progress import checkpoint
from viewer.translation import _

STEM: Final = "model"


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What became of a model on its way through one format.

    Parameters
    ----------
    suffix
        The format.
    size
        Bytes of all files.
    seconds_out, seconds_in
        Time for writing them, and for reading and comparing them.
    is_identical
        Whether the model has the same bytes again.
    differences
        What differs, a sentence each; the error if it failed.
    losses
        What the format cannot hold, a sentence each.
    """

    suffix: str
    size: int = 0
    seconds_out: float = 0.0
    seconds_in: float = 0.0
    is_identical: bool = False
    differences: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()


def round_trip(
    source: ModelSource,
    suffix: str,
    names: Sequence[str] | None = None,
    entry: Entry | PackedEntry | None = None,
) -> RoundTrip:
    """Send a model through a format and back, in memory; an error becomes a difference.

    Parameters
    ----------
    names
        The materials of its wear table; None if it is not known.
    entry
        What the directory of its archive says of it.
    """
    checkpoint()
    try:
        return _text(source, entry) if suffix == JSON else _scene(source, suffix, names)
    except MshviewError as error:
        return RoundTrip(suffix, differences=(error.text,))


def _text(source: ModelSource, entry: Entry | PackedEntry | None) -> RoundTrip:
    started = perf_counter()
    text = "".join(text_of(MODEL, source.data, entry)).encode()
    written = perf_counter()
    after = bytes_of(text)
    is_same = after == bytes(source.data)
    told = () if is_same else (_("the bytes are others"),)
    return RoundTrip(JSON, len(text), written - started, perf_counter() - written, is_same, told)


def _scene(source: ModelSource, suffix: str, names: Sequence[str] | None) -> RoundTrip:
    """A scene with all cells that the format holds, and without images, which no model has."""
    started = perf_counter()
    options = Options(has_all_cells=suffix != OBJ, has_textures=False, is_y_up=suffix != OBJ)
    files = exchange.files_of(scene_of(source, options), suffix, STEM)
    written = perf_counter()
    checkpoint()

    def resolver(name: str) -> bytes:
        return files[name] if name in files else nothing(name)

    main = f"{STEM}.{suffix}"
    given = exchange.read(files[main], main, suffix, resolver, source)
    found = changes_of(source, given, names)
    made = plan(Draft(MODEL, source.data, resolved=source.choice, value=source.model), found.changes)
    words = (*(it.words for it in found.wear), *(step.change.words for step in made.steps))
    is_same = not found.wear and made.after == source.data
    size = sum(map(len, files.values()))
    times = (written - started, perf_counter() - written)
    return RoundTrip(suffix, size, *times, is_same, () if is_same else words, (*found.losses, *found.notes))
