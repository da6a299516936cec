"""Films of the viewport: their preview in a panel, and writing them while the window goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from time import perf_counter
from typing import Final

import moderngl

from viewer.app.images.stages import StagePictures
from viewer.app.images.textures import TextureCache
from viewer.app.scene_renderer import LONGEST
from viewer.control.jobs import Jobs
from viewer.control.settings import user_files
from viewer.control.state import State
from viewer.errors import MshviewError, UsageError, error_text
from viewer.formats.texture.pixels import Image
from viewer.model.convert.pictures import films
from viewer.model.store.disk import with_target
from viewer.progress import Progress
from viewer.session.play.filming import Film, FilmOptions, FilmPreview
from viewer.session.play.stage import Stage
from viewer.session.view.camera import Size
from viewer.translation import _

LANE: Final = "save_film"
PREVIEW_SIDE: Final = 320
"""The longer side of the preview, pixels."""
PREVIEW_PAUSE: Final = 1 / 15
"""Seconds between two images of the preview, at least."""
REST: Final = 3
"""Ratio of the rest of the preview to the time of its drawing."""
AHEAD: Final = 2
"""Images that are drawn before they are encoded."""
PATIENCE: Final = 0.2
"""Seconds after which the encoder looks whether it was cancelled."""


class Films:
    """Draws and writes films; owner: the application, main thread only.

    An image is drawn in each frame of the window and encoded in a worker thread. What is filmed is what was
    in front when it began, whatever is shown meanwhile.
    """

    def __init__(self, ctx: moderngl.Context, state: State, jobs: Jobs, pictures: StagePictures) -> None:
        self._state, self._jobs, self._pictures = state, jobs, pictures
        self._shelf: TextureCache[str] = TextureCache(ctx, 0)
        self._requested: FilmOptions | None = None
        self._options: FilmOptions | None = None
        self._shown = FilmPreview()
        self._rests_until = 0.0
        self._written: _WrittenFilm | None = None
        self._saved: Path | None = None

    @property
    def has_work(self) -> bool:
        """Whether the next frame draws another image."""
        return self._requested is not None or self._written is not None

    def preview(self, options: FilmOptions) -> FilmPreview:
        """The image of a film that is shown at this moment; asked for again in every frame that shows it."""
        self._requested = options
        self._shelf.find("preview")
        return self._shown

    def save(self, path: Path, options: FilmOptions) -> None:
        """Write a film of the viewport; raises `MshviewError` for what it cannot be, or during another."""
        stage = self._state.stage
        if stage is None:
            return
        if self._saved is not None:
            raise UsageError(_("{name} is still being saved", name=self._saved.name), source=path)
        film = Film(stage.shown, self._state.view, options)
        _check(film)
        written, self._saved = _WrittenFilm(film, stage, self._pictures.size), path
        self._written = written

        def work(progress: Progress) -> None:
            user_files.write(path, written.encoded(progress))

        def done(_ignored: object) -> None:
            self._saved = None
            self._state.announce(_("Animation saved as {path}", path=with_target(path)))

        title = _("Saving {name}…", name=path.name)
        self._jobs.start(LANE, title, work, done, self._end, is_background=True, is_writing=True)

    def _end(self, error: BaseException) -> None:
        self._written = self._saved = None
        self._jobs.report(error)

    def update(self) -> None:
        """Draw the next image of a film that is written, and of the preview; once a frame."""
        if self._written is not None:
            self._draw_written(self._written)
        options, self._requested = self._requested, None
        now = perf_counter()
        is_other = options != self._options
        if options is not None and (is_other or now >= self._rests_until):
            self._options = options
            self._shelf.free_unused()
            self._shown = self._previewed(options, now)
            # A quarter of the time at most, so that the window goes on where drawing is slow.
            spent = perf_counter() - now
            self._rests_until = now + max(PREVIEW_PAUSE, (1 + REST) * spent)

    def _draw_written(self, written: _WrittenFilm) -> None:
        film, options = written.film, written.film.options
        if written.images.full():
            return
        stage, view = written.stage, film.view(written.drawn)
        is_early = perf_counter() < written.started + LONGEST
        if is_early and self._pictures.lacks_textures(stage, view, options.size):
            return
        is_clear = options.is_transparent
        try:
            image = self._pictures.picture_of(
                stage, view, options.size, written.seen, is_transparent=is_clear
            )
            written.add(image)
        except MshviewError as error:
            written.add(error)
        if written.is_drawn:
            self._written = None

    def _previewed(self, options: FilmOptions, now: float) -> FilmPreview:
        stage, problem = self._state.stage, ""
        if stage is None:
            return FilmPreview()
        try:
            film = Film(stage.shown, self._state.view, options)
        except MshviewError as error:
            return FilmPreview(problem=error.message)
        try:
            _check(film)
        except MshviewError as error:
            problem = error.message
        number = int(now * options.rate) % len(film)
        scale = min(1.0, PREVIEW_SIDE / max(options.size))
        width, height = (max(1, round(side * scale)) for side in options.size)
        try:
            view, is_clear = film.view(number), options.is_transparent
            image = self._pictures.picture_of(
                stage, view, (width, height), self._pictures.size, is_transparent=is_clear
            )
        except MshviewError as error:
            return FilmPreview(problem=error_text(error))
        self._shelf.put("preview", image)
        texture = self._shelf.find("preview")
        name = 0 if texture is None else int(texture.glo)
        return FilmPreview(name, (width, height), number, len(film), problem)

    def release(self) -> None:
        """Release the texture."""
        self._shelf.release()


def _check(film: Film) -> None:
    """Raise an error if no file can be made of a film."""
    of = film.options
    films.check(of.suffix, of.size, len(film), of.rate, is_transparent=of.is_transparent)


class _WrittenFilm:
    """A film between the thread that draws its images and the one that encodes them."""

    def __init__(self, film: Film, stage: Stage, seen: Size) -> None:
        self.film, self.stage, self.seen = film, stage, seen
        self.drawn, self.started = 0, perf_counter()
        self.images: Queue[Image | MshviewError] = Queue(AHEAD)

    @property
    def is_drawn(self) -> bool:
        """Whether nothing more is to be drawn: all images are there, or one failed."""
        return self.drawn >= len(self.film)

    def add(self, image: Image | MshviewError) -> None:
        """Hand over the next image, or why there is none."""
        self.drawn = len(self.film) if isinstance(image, MshviewError) else self.drawn + 1
        self.images.put_nowait(image)

    def encoded(self, progress: Progress) -> bytes:
        """The file, when its work has not been cancelled; raises the `MshviewError` of an image."""

        def arriving() -> Iterator[Image]:
            for _number in progress.over(range(len(self.film))):
                image = self._next(progress)
                if isinstance(image, MshviewError):
                    raise image
                yield image

        data = films.write(arriving(), self.film.options.suffix, self.film.options.rate)
        progress.check()  # a cancelled film leaves no file
        return data

    def _next(self, progress: Progress) -> Image | MshviewError:
        while True:
            progress.check()
            try:
                return self.images.get(timeout=PATIENCE)
            except Empty:
                continue
