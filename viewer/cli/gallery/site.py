"""A site: pictures, models, an index that programs read, and the page, one HTML file, that shows them."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, Final

from viewer.cli.gallery.card import (
    FOLDERS,
    INDEX,
    MODELS,
    PAGE,
    Card,
    ChangeCounts,
    GalleryAnswer,
    GalleryChange,
    GallerySummary,
    SiteNames,
)
from viewer.cli.gallery.making import WHOLE
from viewer.cli.gallery.reference import (
    VERB,
    DamagedIndexError,
    EarlierModel,
    Reference,
    index_rows,
    set_aside_damaged,
)
from viewer.cli.output import schema_name
from viewer.errors import MshviewError, OutputError
from viewer.json_types import members
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.kinds import json_text
from viewer.model.sky.light import SCENE
from viewer.model.store.whole_folder import new_folder
from viewer.session.view.options.lighting import Lighting
from viewer.translation import _
from viewer.version import VERSION

_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")
_FOLDER: Final = Path(__file__).parent
_CODE: Final = ("model_view", "data", "filter", "cards", "detail", "facts", "controls")
"""The scripts of the page, in order; they share their names."""
THREE: Final = {"three.min.js": "three/three.min.js", "three.LICENSE.txt": "three/LICENSE"}
"""The library that shows models, and its licence: their names in the site and here."""


def files(document: Mapping[str, Any], *, has_models: bool) -> Iterator[tuple[str, bytes]]:
    """The names and the bytes of the page and of what it loads."""
    yield PAGE, html(document).encode()
    if has_models:
        for name, source in THREE.items():
            yield name, (_FOLDER / source).read_bytes()


def html(document: Mapping[str, Any]) -> str:
    """The page of an index; no text of a file can end a script or be taken for markup."""
    values = {
        "title": escape(str(document["title"]).encode("utf-8", "backslashreplace").decode()),
        "version": escape(VERSION),
        "style": part("gallery.css"),
        "code": "\n".join(part(f"{name}.js") for name in _CODE),
        "data": script_data(document),
    }
    return filled("index.html", values)


def filled(name: str, values: Mapping[str, str]) -> str:
    """A template of a page with values in its places."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], part(name))


def part(name: str) -> str:
    """A part of a page: a template, a style or a script."""
    return (_FOLDER / "page" / name).read_text("utf-8")


def script_data(document: Mapping[str, Any]) -> str:
    """JSON text in ASCII that can stand in a script, with the light of the images and the frames a second."""
    lights = [{"towards": it.towards, "color": it.color} for it in Lighting().lights((0.0, 0.0, 1.0))]
    drawn = {"light": {"scene": SCENE, "lights": lights}, "rate": FRAME_RATE, "whole": WHOLE}
    plain = json.loads(json_text.encode(document)) | drawn
    text = json.dumps(plain, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@contextmanager
def new_site(path: Path, *, can_replace: bool) -> Iterator[Path]:
    """A temporary folder for a site, which takes the name `path` at the end; another site is replaced.

    One whose index is damaged is not replaced but set aside: it is not known what belongs to it.

    Raises `OutputError`, also for a folder that is neither empty nor a site, or that holds anything else.
    """
    may_replace: Callable[[Path], bool] = _may_be_replaced if can_replace else lambda _: False
    with new_folder(path, may_replace) as temporary:
        for name in FOLDERS:
            (temporary / name).mkdir()
        yield temporary
        if sys.platform == "linux":
            os.sync()  # all files at once, before the folder takes its name
        if (damage := _damage(path)) is not None:
            set_aside_damaged(path, damage)


def _may_be_replaced(folder: Path) -> bool:
    """Whether a folder is a site; raises `OutputError` for one to which anything was added."""
    is_damaged = _damage(folder) is not None
    try:
        known = set() if is_damaged else _file_names(index_rows(folder))
    except MshviewError:
        return False
    inside = (path for name in FOLDERS for path in (folder / name).glob("*"))
    for path in sorted(chain(folder.iterdir(), inside)):
        name = path.relative_to(folder).as_posix()
        if not (_looks_like_part(name) if is_damaged else name in known):
            raise OutputError(
                _("holds {name}, which is not part of the earlier gallery", name=name), source=folder
            )
    return True


def _damage(folder: Path) -> DamagedIndexError | None:
    """Damage of the index of a site, now or when it was set aside; None without."""
    try:
        index_rows(folder)
    except DamagedIndexError as error:
        return error
    except MshviewError:
        return None
    return None


def _looks_like_part(name: str) -> bool:
    """Whether a site can hold a file with a name, whatever its index says."""
    folder, _, file = name.rpartition("/")
    if not folder:
        return name in {INDEX, PAGE, *FOLDERS, *THREE}
    return file.endswith(".js" if folder == MODELS else ".webp")


def _file_names(models: Sequence[EarlierModel]) -> set[str]:
    """The names of all that a site with these models can hold."""
    named = {name for it in models for name in (it.model, it.turntable) if name is not None}
    drawn = {name for it in models for name in (*it.pictures.values(), *it.earlier.values())}
    return {INDEX, PAGE, *FOLDERS, *THREE} | named | drawn


def document_of(title: str, cards: Sequence[Card], reference: Reference | None) -> GalleryAnswer:
    """Content of ``gallery.json``, apart from the name of its schema."""
    changes = [card.change for card in cards]
    counted = ChangeCounts(**{str(change): changes.count(change) for change in GalleryChange})
    summary = GallerySummary(
        models=len(cards) - changes.count(GalleryChange.GONE),
        unreadable=sum(bool(card.error) for card in cards),
        changes=None if reference is None else counted,
    )
    return GalleryAnswer(title, [card.row for card in cards], summary)


def write(folder: Path, document: GalleryAnswer, *, has_models: bool) -> None:
    """Write the index and the page; folders that stayed empty are removed."""
    named = {"schema": schema_name(VERB), **members(document)}
    (folder / INDEX).write_bytes(f"{json_text.encode(named)}\n".encode(errors="backslashreplace"))
    for name, data in files(named, has_models=has_models):
        (folder / name).write_bytes(data)
    for name in FOLDERS:
        if not any((folder / name).iterdir()):
            (folder / name).rmdir()


def write_gone(folder: Path, reference: Reference, labels: Sequence[str], names: SiteNames) -> Iterator[Card]:
    """Write the pictures of the models that are gone and yield their cards."""
    for card, files in reference.gone(labels, names):
        for name, data in files.items():
            (folder / name).write_bytes(data)
        yield card


def touch(folder: Path) -> None:
    """Show that a temporary folder is still being filled."""
    os.utime(folder)
