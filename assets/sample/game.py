"""The game folder: the archives of the models, the libraries in the root, one map."""

from __future__ import annotations

from collections.abc import Sequence

from assets.sample.drone import drone
from assets.sample.lightmap import Lightmap
from assets.sample.materials import Texture, all_textures, materials
from assets.sample.pack import Convention, model_bytes
from assets.sample.spec import ModelSpec
from assets.sample.stand import stand
from assets.sample.terrain import MATERIALS, land_msh
from assets.sample.tower import LIGHTMAP, tower, tower_lightmap
from assets.sample.tree import tree
from assets.sample.walker import walker
from viewer.formats import objects, wear
from viewer.formats.archive.nres import NewEntry, build
from viewer.formats.texture.pixels import PixelFormat

MESH = int.from_bytes(b"MESH", "little")
WEAR = int.from_bytes(b"WEAR", "little")
MAP = "DATA/MAPS/SAMPLE"

OBJECTS: tuple[tuple[str, str, str, str], ...] = (
    ("walker", "BTLU", "models.rlb", "walker"),
    ("drone", "EXTO", "models.rlb", "drone"),
    ("tower", "FORT", "models.rlb", "b_tower"),
    ("oak", "STAT", "models.rlb", "s_tree_oak"),
    ("sign", "STAT", "models.rlb", "s_sign"),
    ("drone_seed", "EXTO", "seed.rlb", "drone_seed"),
)
"""Key, entry type, archive and stem of everything in the registry."""


def game_files() -> dict[str, bytes]:
    """All files of the folder by path."""
    lightmap = tower_lightmap()
    shown = [_entries(walker()), _entries(drone()), _entries(tower(), lightmap=lightmap)]
    shown += [_entries(tree()), _entries(stand())]
    drone_of_seeds = _entries(drone("drone_seed"), Convention.SEED)
    ground = wear.build([name.encode() for name in MATERIALS])
    return {
        "models.rlb": build(entry for entries in shown for entry in entries),
        "seed.rlb": build(drone_of_seeds),
        "objects.rlb": build(_object(*row) for row in OBJECTS),
        "Material.lib": build(material.entry(name) for name, material in materials().items()),
        "Textures.lib": build(texture.entry(name) for name, texture in all_textures().items()),
        "LightMap.lib": build([Texture(lightmap.page(), PixelFormat.RGB565).entry(LIGHTMAP)]),
        "palettes.lib": build([]),
        f"{MAP}/Land.msh": land_msh(),
        f"{MAP}/Land1.wea": ground,
        f"{MAP}/Land2.wea": ground,
    }


def _entries(
    spec: ModelSpec, convention: Convention = Convention.FIELD, lightmap: Lightmap | None = None
) -> list[NewEntry]:
    """A model and its wear table."""
    return [
        NewEntry(MESH, model_bytes(spec, convention, lightmap), f"{spec.stem}.msh".encode()),
        NewEntry(WEAR, wear.build(*_rows(spec)), f"{spec.stem}.wea".encode(), attr3=1),
    ]


def _rows(spec: ModelSpec) -> tuple[Sequence[bytes], Sequence[bytes]]:
    materials = [name.encode() for name in spec.wear]
    return materials, [spec.lightmap.encode()] if spec.lightmap else []


def _object(key: str, kind: str, archive: str, stem: str) -> NewEntry:
    """A registry entry of a model and its wear table."""
    pairs = [(archive.encode(), f"{stem}.{ending}".encode()) for ending in ("msh", "wea")]
    payload = objects.build(pairs)
    return NewEntry(int.from_bytes(kind.encode(), "little"), payload, key.encode(), len(pairs), 0, 64)
