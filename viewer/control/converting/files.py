"""Files written for the user without drawing: textures, entries, texts and effects."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs
from viewer.control.opening import loading
from viewer.control.opening.open_controller import OpenController
from viewer.control.settings import user_files
from viewer.control.state import State
from viewer.formats.texture.pixels import Image
from viewer.formats.texture.texm import MAX_SIDE
from viewer.model.convert.pictures import films as convert_films
from viewer.model.convert.pictures import images
from viewer.model.effects.templates import TEMPLATES, TemplateName
from viewer.model.material.lookup import DEFAULT
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.operations.checking import bug_report
from viewer.operations.checking.bug_report import ReportSources
from viewer.operations.checking.validating import ValidationOptions
from viewer.operations.extracting import plan_payload
from viewer.progress import checkpoint
from viewer.session.opened import opened_resource
from viewer.session.play.stage import stem_of
from viewer.session.view.options import textures
from viewer.session.view.options.textures import TextureView
from viewer.session.view.state_link import StateLink
from viewer.translation import _


def save(image: Image, path: Path) -> Path:
    """Write a picture in the format of its ending, else as PNG, and return its path; raises `OutputError`."""
    suffix = path.suffix.lower()
    is_plain = suffix not in convert_films.IMAGE_SUFFIXES or suffix == ".png"
    data = images.write_png(image) if is_plain else convert_films.write([image], suffix, 1.0)
    checkpoint()  # a cancelled screenshot leaves no file
    user_files.write(path, data)
    return path


def new_path(stem: str, folder: Path | None = None, promised: Collection[Path] = ()) -> Path:
    """The path of a new file, named after what it shows, among the user's pictures; none that is promised."""
    folder = folder or user_files.default_folder()
    names = (folder / f"{stem}-{number}.png" for number in count(1))
    return next(path for path in names if path not in promised and not path.exists())


def _link(state: State) -> str:
    """The state link of the active tab; empty if nothing is open."""
    if state.document is not None:
        return str(StateLink.of(state.document, state.view))
    address = state.tabs.active.address
    return "" if address is None else str(StateLink(address))


class FileController(JobController):
    """Writes files in worker threads; owner: the application, main thread only.

    Writes to different paths never cancel each other.
    """

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        super().__init__(state, jobs, opener)
        self._promised: set[Path] = set()

    def save_texture(self, part: TextureView) -> None:
        """Write a part of a texture."""
        self._save_texture(part.texture.address, lambda: part)

    def save_texture_at(self, address: Address) -> None:
        """Write the texture at an address."""
        library, lookup = self._opener.library, self._opener.choices(address)

        def part() -> TextureView:
            game = loading.game_of(library, address, lookup)
            return TextureView(opened_resource.texture_at(library, address, game))

        self._save_texture(address, part)

    def _save_texture(self, address: Address, part: Callable[[], TextureView]) -> None:
        path = self.new_path(stem_of(address))
        self.save_picture(_("Texture saved as {path}"), path, lambda: textures.decode(part(), MAX_SIDE))

    def new_path(self, stem: str) -> Path:
        """A new name, also next to files that are still to be written."""
        path = new_path(stem, promised=self._promised)
        self._promised.add(path)
        return path

    def save_picture(self, notice: str, path: Path, make: Callable[[], Image]) -> None:
        """Encode and write an image."""
        self._write(
            _("Saving {name}…", name=path.name),
            path,
            lambda: save(make(), path),
            notice.format(path=with_target(path)),
        )

    def extract(self, address: Address, path: Path) -> None:
        """Write the bytes of an entry, unpacked if they are packed."""
        library = self._opener.library
        self._write(
            _("Extracting {name}…", name=address.name),
            path,
            lambda: user_files.write_plan(plan_payload(library.open(address), path)),
            _("{name} extracted to {path}", name=address.name, path=with_target(path)),
        )

    def save_text(self, text: str, path: Path) -> None:
        """Write a text as a file in UTF-8."""
        write = partial(user_files.write, path, text.encode())
        self._write(
            _("Saving {name}…", name=path.name), path, write, _("saved {path}", path=with_target(path))
        )

    def save_report(self, path: Path, picture: Image | None) -> None:
        """Write a report about the active tab, with a picture of it."""
        state, library = self._state, self._opener.library
        sources = ReportSources(
            state.tabs.active.address,
            _link(state),
            versions=state.about.text,
            log=[*map(str, state.log), *([state.failure.details] if state.failure else [])],
            validation=ValidationOptions(unsaved=library.unsaved),
        )

        def write() -> None:
            drawn = b"" if picture is None else images.write_png(picture)
            user_files.write(path, bug_report.made(library, replace(sources, picture=drawn)).zipped)

        self._write(
            _("Saving {name}…", name=path.name), path, write, _("saved {path}", path=with_target(path))
        )

    def new_effect(self, kind: TemplateName, path: Path) -> None:
        """Write a new effect as a file, and open it."""
        self._write(
            _("Saving {name}…", name=path.name),
            path,
            partial(user_files.write, path, TEMPLATES[kind].made({}, DEFAULT)),
            _("saved {path}", path=with_target(path)),
            lambda: self._opener.open(Address(path)),
        )

    def _write(
        self,
        title: str,
        path: Path,
        write: Callable[[], object],
        notice: str,
        follow: Callable[[], None] = lambda: None,
    ) -> None:
        def done(_ignored: object) -> None:
            self._state.announce(notice)
            follow()

        self._jobs.start(f"save {path}", title, lambda _ignored: write(), done, is_writing=True)
