"""An earlier gallery, and what differs from it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import numpy.typing as npt
import PIL.Image
from msgspec import Struct, field
from msgspec.structs import replace

from viewer import typed_json
from viewer.bounded_reading import read_at_most
from viewer.cli import output
from viewer.cli.gallery.card import CAMERAS, EARLIER, INDEX, PICTURES, Card, GalleryChange, SiteNames
from viewer.cli.output import schema_name
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, MshviewError, OutputError, Severity, reason_of
from viewer.model.kinds.registry import MODEL
from viewer.model.store import recovery
from viewer.model.store.backups import set_aside
from viewer.model.store.disk import PlainFolder
from viewer.translation import _
from viewer.typed_json import COUNT

VERB: Final = "gallery"
MOST_BYTES: Final = 64 << 20
"""Size of an index that is read."""
SCHEMA_WITHIN: Final = 256
"""Bytes at the start of an index in which its schema stands: its first member, with room for spaces."""
MOST_PIXELS: Final = 1 << 24
AREA: Final = 5
"""Side of the square of pixels whose mean is compared: what cards do differently at edges and in textures is
on both sides of the true color, one pixel wide, and mostly cancels out; a part that moved does not."""
TOLERANCE: Final = 12.0
"""Difference of the means of a channel, premultiplied by alpha, in pictures that count as equal."""
MOST_DIFFERENT: Final = 5
"""Squares beyond the tolerance in pictures that count as equal."""
_WRONG: Final = (OSError, SyntaxError, ValueError, PIL.Image.DecompressionBombError)


class EarlierModel(Struct, frozen=True):
    """A model in the index of a gallery, as `Card.row` writes it; what the index does not say is empty."""

    source: str
    name: str = ""
    holder: str = ""
    kind: str = MODEL.id
    called: str | None = None
    sha256: str | None = None
    counts: Mapping[str, Annotated[int, COUNT]] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    turntable: str | None = None
    model: str | None = None
    change: str | None = None
    earlier: Mapping[str, str] = field(default_factory=dict)

    @property
    def files(self) -> Iterator[tuple[str, str]]:
        """The cameras with a picture, and the names of these in their folder."""
        return ((it, self.pictures[it].rpartition("/")[2]) for it in CAMERAS if it in self.pictures)


class GalleryIndex(Struct, frozen=True):
    """The members of the index of a gallery that are read."""

    schema: str
    models: tuple[EarlierModel, ...]


class Reference(Struct, frozen=True):
    """An earlier gallery.

    Attributes
    ----------
    folder
        The site.
    models
        By their labels.
    tolerance
        As `TOLERANCE`.
    """

    folder: Path
    models: Mapping[str, EarlierModel]
    tolerance: float = TOLERANCE

    @classmethod
    def read(cls, folder: Path, tolerance: float = TOLERANCE) -> Reference:
        """Read the index of a site; nothing is known of one that is damaged, which is said.

        Raises `MshviewError` if it is not the index of a site.
        """
        recovery.recover(folder.absolute().parent)
        try:
            rows = [row for row in index_rows(folder) if row.change != GalleryChange.GONE]
        except DamagedIndexError as error:
            words = _("is damaged, so that all models count as new: {reason}", reason=error.text)
            output.write_warnings(str(folder / INDEX), [Diagnostic("", Severity.WARNING, words)])
            rows = []
        return cls(folder, {row.source: row for row in rows}, tolerance)

    def compare(self, card: Card, pictures: Mapping[str, bytes]) -> tuple[Card, dict[str, bytes]]:
        """A card with what differs, and the earlier files of the pictures that do, by camera."""
        earlier = self.models.get(card.label)
        if earlier is None:
            return replace(card, change=GalleryChange.NEW), {}
        before = {camera: self.picture(name) for camera, name in earlier.files}
        changed = tuple(it for it in CAMERAS if _differ(before.get(it), pictures.get(it), self.tolerance))
        is_same = (earlier.sha256 or "") == card.sha256
        change = GalleryChange.PICTURES if changed else GalleryChange.NONE if is_same else GalleryChange.BYTES
        kept: dict[str, bytes] = {camera: data for camera in changed if (data := before.get(camera))}
        return replace(card, change=change, changed=changed), kept

    def lines(self, cards: Iterable[Card]) -> Iterator[str]:
        """A line for each model that differs, and a sum."""
        count = different = 0
        for card in cards:
            count += 1
            different += card.is_different
            if card.change is GalleryChange.PICTURES:
                yield _(
                    "{label}: looks different: {pictures}",
                    label=card.label,
                    pictures=", ".join((*card.changed, *self._counts(card))),
                )
            elif card.change in _WORDS:
                yield f"{card.label}: {_WORDS[card.change]}"
        yield _(
            "{different} of {count} models differ from {folder}",
            different=different,
            count=count,
            folder=self.folder,
        )

    def _counts(self, card: Card) -> Iterator[str]:
        """The counts of a model that grew or shrank."""
        before = self.models[card.label].counts
        for name, now in card.counts.items():
            if name in before and before[name] != now:
                yield f"{name} {before[name]} -> {now}"

    def picture(self, name: str) -> bytes | None:
        """The bytes of a picture, None if it is missing."""
        with suppress(MshviewError):
            return PlainFolder(self.folder / PICTURES).read(name)
        return None

    def gone(self, labels: Iterable[str], names: SiteNames) -> Iterator[tuple[Card, dict[str, bytes]]]:
        """The models that are not among some labels any more, and the files of their pictures by name."""
        for label in sorted({*self.models} - {*labels}):
            model = self.models[label]
            stem = names.stem(label, len(self.models))
            found = ((camera, self.picture(name)) for camera, name in model.files)
            files = {camera: data for camera, data in found if data is not None}
            earlier = {camera: names.picture(EARLIER, stem, camera) for camera in files}
            card = Card(label, model.name, model.holder, model.kind, model.sha256 or "", counts=model.counts)
            card = replace(card, change=GalleryChange.GONE, earlier=earlier, changed=tuple(files))
            yield card, {earlier[camera]: data for camera, data in files.items()}


_WORDS: Final = {
    GalleryChange.NEW: _("is new"),
    GalleryChange.GONE: _("is gone"),
    GalleryChange.BYTES: _("has other bytes and the same pictures"),
}


class DamagedIndexError(FormatError):
    """The index of a gallery that cannot be read, or has odd values."""


def set_aside_damaged(site: Path, problem: FormatError) -> None:
    """Rename a site whose index is damaged, and say so; raises `OutputError`."""
    reason = ": ".join(filter(None, (problem.where, problem.message)))
    try:
        kept = set_aside(site)
    except OSError as error:
        message = _("is damaged and cannot be renamed: {reason}", reason=reason_of(error))
        raise OutputError(message, source=site) from error
    words = _("is damaged and set aside as {name}: {reason}", name=kept.name, reason=reason)
    output.write_warnings(str(site), [Diagnostic("", Severity.WARNING, words)])


def index_rows(folder: Path) -> tuple[EarlierModel, ...]:
    """The models in the index of a site, those that are gone too.

    Raises `DamagedIndexError` for an index that says to be one, and `FormatError` for anything else: a file
    of its name may belong to another program.
    """
    path = folder / INDEX
    try:
        with path.open("rb") as file:
            data = read_at_most(file, MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a path that no file can have is a ValueError
        words = _("is not a gallery: {index} cannot be read: {reason}", index=INDEX, reason=reason_of(error))
        raise FormatError(words, source=folder) from error
    if f'"{schema_name(VERB)}"'.encode() not in data[:SCHEMA_WITHIN]:
        raise FormatError("is not the index of a gallery", source=path)
    if len(data) > MOST_BYTES:
        raise DamagedIndexError(_("is larger than {most_bytes} bytes", most_bytes=MOST_BYTES), source=path)
    try:
        return typed_json.made(GalleryIndex, typed_json.document(data)).models
    except FormatError as error:
        raise DamagedIndexError(error.message, field=error.field, source=path) from error


def _differ(before: bytes | None, after: bytes | None, tolerance: float = TOLERANCE) -> bool:
    """Whether two files show something else; one that cannot be read differs from all others."""
    if before == after:
        return False
    old, new = (None if data is None else _premultiplied(data) for data in (before, after))
    if old is None or new is None or old.shape != new.shape:
        return True
    means = _sums(_sums(old - new)) / AREA**2
    return int((np.abs(means) > tolerance).any(axis=2).sum()) > MOST_DIFFERENT


def _sums(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The sum of `AREA` rows around each row of an image; 0 beyond the border; the axes are swapped."""
    border = AREA // 2
    padded = np.pad(values, ((border, border), (0, 0), (0, 0)))
    found = padded[: len(values)].copy()
    for row in range(1, AREA):
        found += padded[row : row + len(values)]
    return found.swapaxes(0, 1)


def _premultiplied(data: bytes) -> npt.NDArray[np.float32] | None:
    """The pixels of a file, (h, w, 4), as they look on any background; None if it cannot be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with PIL.Image.open(BytesIO(data), formats=["WEBP"]) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    return None
                pixels = np.array(opened.convert("RGBA"), np.float32)
        except _WRONG:
            return None
    pixels[..., :3] *= pixels[..., 3:] / 255
    return pixels
