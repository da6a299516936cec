"""Small pictures of the entries on screen: read in worker threads, kept by what they show."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import zip_longest
from time import perf_counter
from typing import Final, Generic, NamedTuple, TypeVar

import moderngl
from msgspec import Struct
from msgspec.structs import replace

from viewer.app.images.textures import TextureCache
from viewer.app.images.thumbnail_reading import Files, Key, ModelThumbnails, Reader, ThumbnailContent, reduced
from viewer.control.jobs import SHOWN_AFTER, Jobs, problem_of
from viewer.control.opening.loading import OpenOptions
from viewer.errors import MshviewError
from viewer.formats.texture.pixels import Image
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.recently_used import RecentlyUsed
from viewer.progress import Cancelled
from viewer.session.jobs import RunningJob, Thumbnail, ThumbnailImage
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.view.options.lighting import Look
from viewer.translation import _, translated

SIZES: Final = 64, 128, 256, 512, 1024
"""Longest sides of pictures, pixels: each is half of the next one."""
CAPACITY: Final = 128 * 1024 * 1024
"""GPU memory for textures that are not on screen, bytes: all of a game in the smallest size."""
MOST_AT_ONCE: Final = 4
"""Entries read or waiting at a time, so that opening a file is not delayed."""
MOST_KNOWN: Final = 16384
"""Entries whose content is remembered."""
MARGINS: Final = 1.25
"""Ratio of the drawn size of a model to the shown one: the margins around it are cut off."""
REST: Final = 3.0
"""Pause after drawing a model, as a multiple of its duration, so that animation stays smooth."""

LANE: Final = "thumbnails"
"""Common name of all jobs that make thumbnails, as in `RunningJob`."""

_NEAREST: Final = {side: (*SIZES[place:], *reversed(SIZES[:place])) for place, side in enumerate(SIZES)}
"""The sizes in which a picture is shown until it is made in its own: larger ones first, the nearest first."""

ThumbnailChoices = tuple[OpenOptions, Look]


class ThumbnailRequest(NamedTuple):
    """An entry, and the side of its picture, pixels: one of the sizes."""

    entry: BrowserEntry
    side: int


Requested = TypeVar("Requested", bound=Hashable)


class _Known(Struct):
    """The content found at an address, and whether the file may have changed."""

    choices: ThumbnailChoices
    content: ThumbnailContent
    is_stale: bool = False


class _Batch(Struct):
    """Visible entries that are read one after the other.

    Attributes
    ----------
    started
        When the first of them was requested, as `perf_counter` counts.
    first
        Entries that had been read before.
    left
        Entries that are not read yet; 0 between two batches.
    """

    started: float = 0.0
    first: int = 0
    left: int = 0

    def count(self, settled: int, left: int) -> None:
        """Note how many entries have been read so far, and how many are left."""
        if not self.left:
            self.started, self.first = perf_counter(), settled
        self.left = left


class Thumbnails:
    """Provides the thumbnails that lists request; owner: the application, main thread only.

    Visible entries are requested in every frame; entries that scrolled away are not read. A picture is made
    in the size that is requested, and in all smaller ones, each half of the one before.

    Parameters
    ----------
    choices
        The user's choices for a file, and the look of models.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        jobs: Jobs,
        library: FileStore,
        choices: Callable[[Address], ThumbnailChoices],
    ) -> None:
        self._jobs = jobs
        self._choices = choices
        self._shelf: TextureCache[tuple[Key, int]] = TextureCache(ctx, CAPACITY)
        self._models = ModelThumbnails(ctx)
        self._library = library
        self._demand: Demand[ThumbnailRequest] = Demand()
        self._ahead: dict[ThumbnailRequest, None] = {}
        self._known: RecentlyUsed[Address, _Known] = RecentlyUsed(MOST_KNOWN)
        self._busy: dict[Address, ThumbnailChoices] = {}
        self._waiting: list[tuple[ThumbnailRequest, ThumbnailContent]] = []
        self._made_of: tuple[object, ...] = ()
        self._may_read = self._may_draw = False
        self._rests_until = 0.0
        self._settled = 0
        self._batch = _Batch()
        self._cancelled: set[Address] = set()

    def find(self, entry: BrowserEntry, side: float) -> Thumbnail | None:
        """The thumbnail of a visible entry; None until it has been read.

        Parameters
        ----------
        side
            Longest side at which its picture is shown, pixels. Until there is one of that size it is shown in
            another one.
        """
        request = ThumbnailRequest(entry, size_of(side))
        known, image = self._known.get(entry.address), None
        if known is not None and known.content.key is not None:
            image = self._image(known.content.key, request.side)
        if self._needs_reading(request):
            self._demand.ask(request)
        return None if known is None else Thumbnail(image, known.content.facts, known.content.problem)

    def read_ahead(self, entries: Iterable[BrowserEntry], side: float) -> None:
        """Read entries that are not on screen yet once all are there that are."""
        pixels = size_of(side)
        requests = (ThumbnailRequest(it, pixels) for it in entries)
        self._ahead |= dict.fromkeys(filter(self._needs_reading, requests))

    def _image(self, key: Key, side: int) -> ThumbnailImage | None:
        """The texture of a key in a size, else in the nearest one in which it is made."""
        found = next((it for other in _NEAREST[side] if (it := self._shelf.find((key, other)))), None)
        return None if found is None else ThumbnailImage(int(found.glo), *found.size)

    def _needs_reading(self, request: ThumbnailRequest) -> bool:
        """Whether an entry has to be looked into, for the first time or again."""
        address, side = request.entry.address, request.side
        if address in self._cancelled:
            return False
        known = self._known.get(address)
        return known is None or known.is_stale or not self._has(known.content.key, side)

    def _has(self, key: Key | None, side: int) -> bool:
        """Whether the texture of a key exists in a size."""
        return key is None or (key, side) in self._shelf

    @property
    def has_work(self) -> bool:
        """Whether the next frame brings something on."""
        can_read = self._may_read and len(self._busy) < MOST_AT_ONCE
        return (self._may_draw and bool(self._waiting)) or (can_read and bool(self._requested()))

    def update(self, made_of: tuple[object, ...], *, may_read: bool, may_draw: bool) -> None:
        """Draw a model that has been read and have more read; once a frame, before the panels draw.

        Parameters
        ----------
        made_of
            Browser trees, times of changes, choices and look: when any changes identity, files may have
            changed, or the user's choices for them.
        may_read, may_draw
            Whether nothing more urgent is being read, or would be held up by drawing a model.
        """
        self._may_read, self._may_draw = may_read, may_draw
        self._shelf.free_unused()
        # By identity: trees and choices are replaced when they change. At first there are none before.
        if any(now is not before for now, before in zip_longest(made_of, self._made_of)):
            self._made_of = made_of
            self._look_again()
        self._draw_one()
        requested = self._requested()
        if may_read:
            for request in requested[: max(0, MOST_AT_ONCE - len(self._busy))]:
                self._read(request)
        self._batch.count(self._settled, len({*self._busy, *(it.entry.address for it in requested)}))
        self._demand.next_frame()
        self._ahead.clear()

    @property
    def running(self) -> tuple[RunningJob, ...]:
        """Reading the visible entries as one job, if it has been running for longer than a moment."""
        batch = self._batch
        if not batch.left or perf_counter() < batch.started + SHOWN_AFTER:
            return ()
        done = self._settled - batch.first
        return (RunningJob(LANE, _("Reading thumbnails…"), done, done + batch.left),)

    def cancel(self) -> None:
        """Leave the visible entries without thumbnails until files or choices for them change."""
        self._cancelled.update(self._busy, (it.entry.address for it in self._requested()))
        for request, _content in self._waiting:
            del self._busy[request.entry.address]
        self._waiting.clear()
        for address in list(self._busy):
            self._jobs.cancel(_lane_of(address))

    def _requested(self) -> list[ThumbnailRequest]:
        """Requests of entries that are not pending, the most urgent first, each entry once."""
        requested: dict[Address, ThumbnailRequest] = {}
        for it in (*self._demand.newest_first(), *self._ahead):
            if it.entry.address not in self._busy and self._needs_reading(it):
                requested.setdefault(it.entry.address, it)
        return [*requested.values()]

    def _is_requested(self, request: ThumbnailRequest) -> bool:
        return request in self._demand or request in self._ahead

    def _read(self, request: ThumbnailRequest) -> None:
        entry, side = request
        choices = self._busy[entry.address] = self._choices(_file_of(entry.address))
        reader = Reader(self._library, side, lambda key: self._has(key, side))
        self._jobs.start(
            _lane_of(entry.address),
            "",
            # Asked again in the worker: something more urgent may have begun while this waited.
            lambda _ignored: reader.read(entry, *choices) if self._may_read else None,
            lambda content: self._arrive(request, content),
            lambda error: self._fail(request, error),
        )

    def _fail(self, request: ThumbnailRequest, error: BaseException) -> None:
        is_cancelled = isinstance(error, Cancelled)
        self._arrive(request, None if is_cancelled else ThumbnailContent(problem=problem_of(error)))

    def _arrive(self, request: ThumbnailRequest, content: ThumbnailContent | None) -> None:
        """Take over the content of an entry, unless it was dropped; models wait to be drawn."""
        if content is None:
            del self._busy[request.entry.address]
        elif content.preview is None:
            self._settle(request, content, content.image)
        else:
            self._waiting.append((request, content))

    def _draw_one(self) -> None:
        """Render one queued visible model if the pause is over; drop queued models that scrolled away."""
        for request, _content in self._waiting:
            if not self._is_requested(request):
                del self._busy[request.entry.address]
        self._waiting = [waiting for waiting in self._waiting if self._is_requested(waiting[0])]
        if not self._waiting or not self._may_draw or perf_counter() < self._rests_until:
            return
        request, content = self._waiting[0]
        image = None
        if content.preview and not self._has(content.key, request.side):
            started = perf_counter()
            try:
                image = self._models.draw(content.preview, round(request.side * MARGINS))
            except MshviewError as error:
                content = replace(content, key=None, preview=None, problem=translated(error.message))
            now = perf_counter()
            # A model that takes 20 ms is followed by a pause of 60 ms: a quarter of the time at most.
            self._rests_until = now + (now - started) * REST
            if image is None and content.preview:
                return  # it is not whole yet
            if image is not None and not image[..., 3].any():
                content, image = replace(content, key=None), None  # nothing of damaged geometry is in view
        del self._waiting[0]
        self._settle(request, content, image)

    def _settle(self, request: ThumbnailRequest, content: ThumbnailContent, image: Image | None) -> None:
        """Store the content of an entry, and upload its image unless that exists."""
        (entry, side), kept = request, replace(content, image=None, preview=None)
        # Equal content has one image: another entry may have brought it meanwhile.
        if image is not None and content.key is not None and not self._has(content.key, side):
            for size in reversed(SIZES[: SIZES.index(side) + 1]):
                image = reduced(image, size)
                self._shelf.put((content.key, size), image)
        choices = self._busy.pop(entry.address)
        is_stale = choices != self._choices(_file_of(entry.address))
        self._known.put(entry.address, _Known(choices, kept, is_stale))
        self._settled += 1

    def _look_again(self) -> None:
        """Find the thumbnails that are outdated, and read again what was cancelled."""
        self._cancelled.clear()
        chosen = {file: self._choices(file) for file in set(map(_file_of, self._known))}
        for address, known in self._known.items():
            known.is_stale |= known.choices != chosen[_file_of(address)]
        paths = {path for known in self._known.values() for path in known.content.files}
        if paths:
            self._jobs.start(
                "thumbnail_files",
                "",
                lambda _ignored: {path: self._library.revision(path) for path in paths},
                self._mark_changed,
                lambda _ignored: None,  # the thumbnails stay as they are
            )

    def _mark_changed(self, now: Files) -> None:
        for known in self._known.values():
            files = known.content.files
            # A file that was read after the job began is not among them: it counts as unchanged.
            known.is_stale |= any(now.get(path, files[path]) != files[path] for path in files)

    def release(self) -> None:
        """Release every texture."""
        self._shelf.release()
        self._models.release()


def size_of(side: float) -> int:
    """The size of the picture that is shown at a side, pixels."""
    return next((it for it in SIZES if it >= side), SIZES[-1])


def _lane_of(address: Address) -> str:
    return f"thumbnail {address}"


def _file_of(address: Address) -> Address:
    return Address(address.path)


class Demand(Generic[Requested]):
    """Keys requested while a frame was drawn; keys not requested again are dropped.

    So a list that requests its visible rows in every frame drops rows that scrolled away.
    """

    def __init__(self) -> None:
        self._frame = 0
        self._first_asked: dict[Requested, int] = {}
        self._before: dict[Requested, int] = {}

    def __contains__(self, key: Requested) -> bool:
        return key in self._first_asked

    def ask(self, key: Requested) -> None:
        """Want something in the frame that is being drawn."""
        self._first_asked.setdefault(key, self._before.get(key, self._frame))

    def next_frame(self) -> None:
        """Begin another frame; every key has to be requested again."""
        self._frame += 1
        self._before, self._first_asked = self._first_asked, {}

    def newest_first(self) -> list[Requested]:
        """Requested keys, most recently visible first."""
        # Negative, not reversed: reversing would also turn the order of those that became visible together.
        return sorted(self._first_asked, key=lambda key: -self._first_asked[key])
