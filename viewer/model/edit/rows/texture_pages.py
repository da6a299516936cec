"""Rectangles of the atlas of a texture; the chunk that holds them comes and goes with them."""

from __future__ import annotations

from viewer.errors import EditError
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.formats.texture.texm import PAGE, PAGE_HEADER, PAGE_MAGIC, Texture
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, NewRow, arranged, counted, joined, replaced
from viewer.translation import Sentence


def arrange(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the rectangles; raises `EditError` if other bytes follow the pixels."""
    texture: Texture = draft.value
    part = draft.part(path)
    if texture.page_header is None:
        if len(texture.levels) < int(texture.header["mip_count"]):
            raise EditError(Sentence("not all pixels can be read"))
        if len(texture.tail):
            raise EditError(Sentence("other bytes follow the pixels"))
        header = PAGE_HEADER.new()
        header[0] = (PAGE_MAGIC, len(arrangement.items))
        rows = b"".join(_new_page(draft, part, NewRow()) for _ in arrangement.items)
        return replaced(draft, part.start, 0, header.tobytes() + rows)
    if not arrangement.items and not len(texture.tail):
        start = draft.part(PAGE_HEADER.name).start
        return replaced(draft, start, part.end - start, b"")
    return joined(
        counted(draft, PAGE_HEADER.name, "page_count", arrangement.growth),
        arranged(draft, part, arrangement, _new_page),
    )


def _new_page(draft: Draft, _: Part, __: NewRow) -> bytes:
    """A rectangle of the whole texture, or of as much of it as its numbers can say."""
    texture: Texture = draft.value
    rows = PAGE.new()
    rows["w"], rows["h"] = (min(int(texture.header[side]), 0x7FFF) for side in ("width", "height"))
    return rows.tobytes()
