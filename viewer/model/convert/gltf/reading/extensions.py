"""The extensions of a file: those that can be left out, and those without which nothing can be read."""

from __future__ import annotations

from typing import Final

from viewer.model.convert.gltf.reading import materials
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import LIGHTS
from viewer.model.convert.gltf.reading.item import Item
from viewer.translation import Sentence

QUANTIZED: Final = "KHR_mesh_quantization"
READ: Final = frozenset(
    {QUANTIZED, LIGHTS, materials.UNLIT, materials.STRENGTH, materials.GLOSS, materials.TRANSFORM}
)
"""Extensions that are read, or whose losses are named where they are used."""
OF_LOOKS: Final = ("KHR_materials_", "EXT_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_")
"""Extensions of looks: a file that requires one is read without it."""
COMPRESSED: Final = frozenset(
    {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"}
)


def check(document: Document) -> None:
    """Raise `FormatError` if a file requires an extension that is not known; name the others as losses."""
    used = _names(document.root, "extensionsUsed")
    for index, name in enumerate(_names(document.root, "extensionsRequired")):
        if name in READ or name.startswith(OF_LOOKS):
            continue
        message = Sentence("{extension} is not known; export the file without it", extension=name)
        if name in COMPRESSED:
            message = Sentence(
                "{extension} cannot be unpacked; export the file without compression", extension=name
            )
        raise document.root.wrong(f"extensionsRequired[{index}]", message)
    for name in used:
        is_named = name in READ or name in COMPRESSED or name.startswith(OF_LOOKS)
        if not is_named:
            document.losses.add(Sentence("{extension} is left out", extension=name))


def _names(root: Item, key: str) -> list[str]:
    """The names of a list of extensions."""
    names = [Item({"": name}, f"{key}[{at}]").text("") for at, name in enumerate(root.entries(key))]
    return [name[:60] for name in dict.fromkeys(names)]
