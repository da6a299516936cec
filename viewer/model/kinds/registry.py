"""All kinds of payloads, and recognition of a payload's kind.

A format is added with one module in `formats` and one line here.

Source: spec/nres.md 1.2, 6; spec/field-notes.md 5.
"""

from __future__ import annotations

import os
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from viewer.errors import FormatError
from viewer.formats.text import fold, until_nul
from viewer.model.kinds.kind import Kind
from viewer.translation import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from viewer.formats.archive.nres import Entry
    from viewer.model.store.item import Container, Item

    Opener = Callable[[], Container | None]

_REFERENCE_SIZE: Final = 64
_MAT0_VERSION: Final = 6


def _is_model(type_id: int, data: memoryview, open_container: Opener | None = None) -> bool:
    """Whether a container is a model, by its type id or by the tables in it."""
    from viewer.formats.archive import nres  # noqa: PLC0415
    from viewer.model.mesh.model import variant_of  # noqa: PLC0415

    # Letters decide before anything is opened: a library has dozens of models.
    if type_id in MODEL.type_ids:
        return True
    try:
        container = open_container() if open_container else nres.Archive.read(data)
    except FormatError:
        return False
    return isinstance(container, nres.Archive) and variant_of(container) is not None


def _is_references(_ignored: int, data: memoryview, __: Opener | None = None) -> bool:
    """Whether a payload starts like a list of object references: two file names, padded."""
    if len(data) < _REFERENCE_SIZE or len(data) % _REFERENCE_SIZE:
        return False
    half = _REFERENCE_SIZE // 2
    names = bytes(data[:half]), bytes(data[half:_REFERENCE_SIZE])
    return all(b"\0" in name and _is_name(until_nul(name)) for name in names)


def _is_sky(_ignored: int, data: memoryview, __: Opener | None = None) -> bool:
    """Whether a payload starts like a sky: its version and the mark of its first section follow the magic."""
    # -1 may begin any payload. Version 5 follows; at 12 the mark of the first section, 1, after the number of
    # sections (spec/field-notes.md 10).
    return bytes(data[4:8]) == b"\5\0\0\0" and bytes(data[12:16]) == b"\1\0\0\0"


def _is_description(_ignored: int, data: memoryview, __: Opener | None = None) -> bool:
    """Whether a payload starts like a part's description: with the line of its tab in the catalogue."""
    return bytes(data[:3]) == b"//G"


def _is_name(raw: bytes) -> bool:
    return len(raw) > 1 and raw.isascii() and raw.decode().isprintable()


def _attributes(entry: Entry | None) -> tuple[int, int, int]:
    return (entry.attr1, entry.attr2, entry.attr3) if entry else (0, 0, 0)


_F: Final = "viewer.formats."
_RULES: Final = "viewer.model.checks.resources:"

# Before ARCHIVE in KINDS: both begin with NRes, and what holds no tables of a model is an archive.
MODEL: Final = Kind(
    "msh", _("model"), "cube", "viewer.model.mesh.model", "viewer.model.checks.models:check",
    letters="MESH", magic=b"NRes", suffixes=(b"msh",), content=_is_model,
    reading_rules="viewer.model.checks.models:layout_findings",
)  # fmt: skip
ARCHIVE: Final = Kind(
    "nres",
    _("archive"),
    "archive",
    _F + "archive.nres",
    magic=b"NRes",
    suffixes=(b"lib", b"rlb", b"lib0", b"dlb"),
    is_archive=True,
)
PACKED: Final = Kind(
    "rsli", _("packed library"), "archive", _F + "archive.rsli", magic=b"NL\0\1", is_archive=True
)
TEXTURE: Final = Kind(
    "texm", _("texture"), "image", _F + "texture.texm", letters="Texm", magic=b"Texm", suffixes=(b"texm",)
)
FONT: Final = Kind("font", _("font"), "font", _F + "texture.font", magic=b"Tfnt", suffixes=(b"tft",))
MATERIAL: Final = Kind(
    "mat0", _("material"), "palette", _F + "mat0", _RULES + "material",
    letters="MAT0", suffixes=(b"mat0",), stated=lambda entry: (entry.attr2 if entry else _MAT0_VERSION,)
)  # fmt: skip
WEAR: Final = Kind(
    "wear", _("wear table"), "shirt", _F + "wear", _RULES + "wear_table", letters="WEAR", suffixes=(b"wea",)
)
EFFECT: Final = Kind(
    "fxid", _("effect"), "effect", _F + "fxid", _RULES + "effect", letters="FXID", suffixes=(b"fxid",)
)
UNIT: Final = Kind("units", _("unit"), "robot", _F + "units", _RULES + "unit", magic=b"\xf1\xf0\0\0")
SKY: Final = Kind(
    "sky", _("sky"), "sun", _F + "sky",
    magic=b"\xff\xff\xff\xff", suffixes=(b"ske",), content=_is_sky
)  # fmt: skip
DESCRIPTION: Final = Kind(
    "description", _("description"), "tag", _F + "description",
    letters="DSCR", suffixes=(b"dscr",), content=_is_description
)  # fmt: skip
EXPLOSION: Final = Kind(
    "explosion", _("explosion"), "explosion", _F + "neighbors.explosion", _RULES + "explosion_slots",
    letters="EXPL", suffixes=(b"exp",), has_ambiguous_suffix=True
)  # fmt: skip
"""Named because other code uses them directly."""

ARCHIVES: Final = frozenset({ARCHIVE.id, PACKED.id})
"""The kinds that have entries."""
KINDS: Final = (
    MODEL,
    ARCHIVE,
    PACKED,
    TEXTURE,
    FONT,
    MATERIAL,
    WEAR,
    EFFECT,
    Kind(
        "control", _("controller"), "control", _F + "neighbors.control", _RULES + "controller",
        letters="CTLD", suffixes=(b"ctl",)
    ),
    UNIT,
    Kind(
        "objects", _("object references"), "list", _F + "objects", _RULES + "object_references",
        content=_is_references
    ),
    Kind(
        "control_points", _("control points"), "point", _F + "neighbors.control_points",
        suffixes=(b"cpt",), has_ambiguous_suffix=True
    ),
    Kind(
        "damage", _("node damage"), "damage", _F + "neighbors.damage", _RULES + "node_damage",
        suffixes=(b"ndp",), has_ambiguous_suffix=True
    ),
    EXPLOSION,
    Kind(
        "ground_plan", _("ground plan"), "polygon", _F + "neighbors.ground_plan",
        suffixes=(b"bas",), has_ambiguous_suffix=True
    ),
    Kind(
        "areal_map", _("areal map"), "polygon", _F + "neighbors.areal_map",
        type_id=12, stated=lambda entry: _attributes(entry)[:1]
    ),
    SKY,
    DESCRIPTION,
    Kind(
        "palette", _("palette"), "swatches", _F + "texture.palette",
        suffixes=(b"pal",), has_ambiguous_suffix=True
    ),
)  # fmt: skip
"""The kinds in the order in which they are tried."""


TABLE_TYPES: Final = range(1, 22)
"""The type ids of the tables inside models."""


@cache
def tables() -> dict[int, Kind]:
    """The kinds of the tables inside models, by type id, but for those with a kind of their own."""
    from viewer.formats.msh.tables import TABLES  # noqa: PLC0415

    module = "viewer.formats.msh.tables"
    return {
        type_id: Kind(
            table.name,
            _("{name}", name=table.name.replace("_", " ")),
            "table",
            module,
            type_id=type_id,
            is_table=True,
            stated=lambda entry, type_id=type_id: (type_id, *_attributes(entry)),  # type: ignore[misc]
        )
        for type_id, table in TABLES.items()
        if all(kind.type_id != type_id for kind in KINDS)
    }


def by_id(name: str) -> Kind:
    """The kind with the id `name`; if there is none, a kind without a module."""
    known = (kind for kind in (*KINDS, *tables().values()) if kind.id == name)
    return next(known, _unknown(name))


def _unknown(name: str) -> Kind:
    """A kind of which no more than its name is known."""
    return Kind(name, _("{name}", name=name), "file")


@lru_cache(maxsize=1 << 16)
def _unknown_type(type_id: int) -> Kind:
    return _unknown(letters_of(type_id))


@cache
def _by_magic() -> dict[bytes, list[Kind]]:
    """The kinds with a magic, by its first four bytes."""
    found: dict[bytes, list[Kind]] = {}
    for kind in KINDS:
        if kind.magic:
            found.setdefault(kind.magic, []).append(kind)
    return found


@cache
def _own_types() -> dict[int, Kind]:
    """The kinds of `KINDS` that a type id decides, by that type id."""
    # Reversed, so that the first kind with a type or suffix is written last and stays.
    return {type_id: kind for kind in reversed(KINDS) for type_id in kind.type_ids}


def by_type(type_id: int) -> Kind | None:
    """The kind that a type id decides, if it decides one; the formats of tables load only for one."""
    own = _own_types().get(type_id)
    return own or (tables().get(type_id) if type_id in TABLE_TYPES else None)


@cache
def _by_suffix() -> dict[bytes, Kind]:
    """The first kind with each suffix that decides, by the suffix."""
    deciding = [kind for kind in KINDS if not kind.is_archive and kind is not MODEL]
    return {suffix: kind for kind in reversed(deciding) for suffix in kind.suffixes}


ALL_KINDS: Final = frozenset(kind.id for kind in KINDS)
CHECKED: Final = frozenset(kind.id for kind in KINDS if kind.is_checked)
"""Ids of the kinds that are checked and reported on their own."""
_BY_CONTENT: Final = tuple(kind for kind in KINDS if kind.content is not None and not kind.magic)


def recognise(
    type_id: int, data: memoryview, name: bytes = b"", open_container: Opener | None = None
) -> Kind:
    """The kind of a payload: by its magic, its type id, its content, its name.

    An unknown kind has the letters or the number of its type id as its id, and no module.

    Parameters
    ----------
    open_container
        Opens the payload as an archive that is shared with other users; may raise `FormatError`.
    """
    # The magic goes first: where bytes begin with Texm, another type can only be wrong (TYPE01). Names go
    # last, as kinds share suffixes.
    for kind in _by_magic().get(bytes(data[:4]), ()):
        if kind.content is None or kind.content(type_id, data, open_container):
            return kind
    # Materials, wear tables and effects have no magic: their letters tell them (spec/nres.md 1.2).
    known = by_type(type_id)
    if known is not None:
        return known
    for kind in _BY_CONTENT:
        if kind.content is not None and kind.content(type_id, data, open_container):
            return kind
    return _by_name(data, name) or _unknown_type(type_id)


def _by_name(data: memoryview, name: bytes) -> Kind | None:
    kind = _by_suffix().get(fold(name.rpartition(b".")[2]))
    return kind if kind is None or not kind.has_ambiguous_suffix or _decodes(kind, data) else None


def _decodes(kind: Kind, data: memoryview) -> bool:
    try:
        kind.decode(data)
    except FormatError:
        return False
    return True


def kind_of(item: Item) -> Kind:
    """The kind of an item."""
    return item.once(recognise, lambda: recognise(item.type_id, item.data, item.name, lambda: item.container))


def promised_kind(item: Item) -> Kind:
    """The kind to read an item as: if the bytes of a file do not decide it, by its name."""
    kind = kind_of(item)
    suffix = fold(item.name.rpartition(b".")[2])
    if suffix in MODEL.suffixes and kind is ARCHIVE:
        return MODEL
    if item.entry is not None or kind.magic or suffix not in (*MODEL.suffixes, *ARCHIVE.suffixes):
        return kind
    if item.data[:2] == PACKED.magic[:2]:
        return PACKED
    return MODEL if suffix in MODEL.suffixes else ARCHIVE


def presumed_id(file_name: str) -> str:
    """The likely kind of an unread file, by its suffix; the suffix itself if unknown."""
    suffix = fold(os.fsencode(file_name).rpartition(b".")[2]) if "." in file_name else b""
    known = (kind.id for kind in KINDS if suffix in kind.suffixes)
    return next(known, os.fsdecode(suffix))


def letters_of(type_id: int) -> str:
    """The four characters of a type id, or its number if they are not text."""
    # 0x4C4150 is "PAL"; 65 stays a number, as a single letter is rather a small number.
    raw = type_id.to_bytes(4, "little").rstrip(b"\0")
    return raw.decode() if _is_name(raw) else str(type_id)
