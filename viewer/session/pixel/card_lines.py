"""The lines of the card that explains a pixel, each with the place of what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from viewer.model.references.offsets import StoredRange
from viewer.model.store.address import Address
from viewer.model.store.place import BYTES, Place
from viewer.session.pixel.shading import Texel
from viewer.translation import _

RANGES: Final = {
    "node": _("node"),
    "cell": _("cell"),
    "slot": _("slot"),
    "batch": _("batch"),
    "face": _("face"),
    "descriptor": _("descriptor"),
    "indices": _("indices"),
    "position": _("position"),
    "normal": _("normal"),
    "uv": _("texture coordinate"),
    "frame map word": _("frame map word"),
    "key": _("key"),
    "wear row": _("wear row"),
    "block": _("block"),
    "texel": _("texel"),
    "lightmap texel": _("lightmap texel"),
}
"""Stored things, by their names in explanations."""


class CardLine(NamedTuple):
    """A line of a card: title, text, and link.

    Attributes
    ----------
    title
        Empty if the line belongs to the one above.
    place
        What it is about; None if the program has that, not a file.
    is_bytes
        Whether it is about the bytes of the place.
    panel
        Id of the panel that shows what has no place.
    """

    title: str
    text: str
    place: Place | None = None
    is_bytes: bool = False
    panel: str = ""


LIGHT_PANEL: Final = "display"
MATERIAL_PANEL: Final = "materials"


class CardSection(Struct, frozen=True):
    """Lines about one subject; `id` is its name in every language."""

    id: str
    title: str
    lines: tuple[CardLine, ...]


def text_of(parts: Sequence[CardSection]) -> str:
    """The card as text, one line per line."""
    width = max((len(line.title) for part in parts for line in part.lines), default=0)
    lines: list[str] = []
    for part in parts:
        lines += ["", part.title] if lines else [part.title]
        lines += [f"  {line.title.ljust(width)}  {line.text}" for line in part.lines]
    return "\n".join(lines)


def pixel_line(x: int, y: int, size: tuple[int, int], source: Address) -> CardLine:
    """Line about the place of a pixel in an image of a size."""
    width, height = size
    return CardLine(_("pixel"), _("{x}, {y} of {w} x {h}", x=x, y=y, w=width, h=height), Place(source))


def range_lines(ranges: Iterable[StoredRange], source: Address) -> Iterator[CardLine]:
    """The bytes that decide a pixel; files other than that of `source` are named."""
    for it in ranges:
        path = it.place.address.path
        title = what = str(RANGES.get(it.what, it.what))
        if it.place.table != BYTES:
            title = _("{what} {row}", what=what, row=it.place.row)
        if it.offset is None:
            words = _("{size} bytes, packed in a library: the file has no such bytes", size=it.size)
        else:
            words = _("0x{offset:X}, {size} bytes", offset=it.offset, size=it.size)
            words = words if path == source.path else _("{words} of {path}", words=words, path=path.name)
        yield CardLine(title, words, it.place, is_bytes=True)


def texel_lines(title: str, texel: Texel) -> Iterator[CardLine]:
    """A texture and the texel of it."""
    texture = texel.texture
    level = texture.texture.levels[0]
    size = _("{w} x {h}, {form}", w=level.width, h=level.height, form=texture.texture.format.label)
    page = "" if texture.page is None else _(", page at {x}, {y}", x=texture.page.x, y=texture.page.y)
    yield CardLine(
        title, _("{name}: {size}{page}", name=texture.name, size=size, page=page), Place(texture.address)
    )
    u, v = texel.uv
    words = _(
        "u {u}, v {v}: column {x}, row {y}: {color}",
        u=f"{u:.4f}",
        v=f"{v:.4f}",
        x=texel.x,
        y=texel.y,
        color=" ".join(map(str, texel.color)),
    )
    yield CardLine(_("texel"), words, texel.place)


def numbers(values: Iterable[float]) -> str:
    """Numbers of six digits."""
    return " ".join(f"{value:.6g}" for value in values)
