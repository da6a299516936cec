"""Damaged OBJ files, with their materials and JSON: a scene that is written and compared, or one error."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, box, quad
from tests.fuzz.mutants import mutant
from tests.fuzz.scenes import damage, tried
from tests.fuzz.seeds import Seed
from tests.model.convert.importing.scenes import source_of
from tests.model.convert.scenes import resolver_of
from viewer.model.convert import exchange
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Scene, SceneMaterial
from viewer.model.convert.scene_file import OBJ, SceneFile
from viewer.model.convert.scene_images import SceneImage
from viewer.model.convert.source import ModelSource

WORDS: Final = (
    b"nan", b"1e999", b"-0", b"1e30", b"0", b"-1", b"99999999999999999999", b"1/1/1", b"1//1", b"/", b"\\",
    b"#", b"o", b"f", b"v", b"vt", b"vn", b"usemtl", b"mtllib", b"newmtl", b"map_Kd", b"d", b"~n1.s1.b0",
    b"~m9", b"~n0.s0.b9", b"../x.mtl", b"\xff", b"\x00", b"\r", b"\n", b" ", b"[", b"null", b"[0, 0]",
)  # fmt: skip
"""What takes the place of words."""
NAME: Final = "a.obj"


@cache
def source() -> ModelSource:
    """A small model."""
    nodes = (Node("base", shapes={(0, 0): [box(), quad(2, material=1)]}), Node("arm", 0, {(0, 0): [box()]}))
    return source_of(ModelBuilder.of(nodes).build())


@cache
def files() -> dict[str, bytes]:
    """Its files."""
    scene = scene_of(source(), Options(is_y_up=False))
    scene = replace(
        scene,
        materials=(SceneMaterial("a", image=0), SceneMaterial("b")),
        images=(SceneImage("a", np.zeros((2, 2, 4), np.uint8)),),
    )
    return exchange.files_of(scene, OBJ, "a")


def mutants(number: int) -> dict[str, bytes]:
    """The files with words or values of one of them replaced, removed or doubled."""
    random = Random(number)
    made = dict(files())
    name = random.choice(sorted(made))
    if name.endswith("json") and random.random() < 0.8:
        root = json.loads(made[name])
        for _ in range(random.randint(1, 3)):
            damage(root, random)
        return made | {name: json.dumps(root).encode()}
    words = made[name].split(b" ")
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(words))
        words[at : at + random.randint(0, 2)] = random.choices((*WORDS, words[at]), k=random.randint(0, 2))
        words = words or [b""]
    made[name] = b" ".join(words)
    if random.random() < 0.1:
        made.pop(random.choice([it for it in sorted(made) if it != NAME]), None)
    return made


FORMS: Final = ("glb", "gltf", OBJ)


@cache
def exports(suffix: str) -> dict[str, bytes]:
    """The files of the model in a format; the main one is ``a`` with its suffix."""
    return files() if suffix == OBJ else exchange.files_of(scene_of(source(), Options()), suffix, "a")


def damaged_exports(number: int) -> tuple[str, dict[str, bytes]]:
    """The name of an exported file, and all files of it, one of them damaged."""
    random = Random(number)
    suffix = random.choice(FORMS)
    if suffix == OBJ:
        return NAME, mutants(number)
    made = dict(exports(suffix))
    name = random.choice(sorted(made))
    return f"a.{suffix}", made | {name: mutant(made[name], files()[NAME], number)}


def obj(_: Seed, number: int, __: Path) -> None:
    """Read damaged files alone and beside their model, and write what they hold."""
    found = mutants(number)

    def read(template: ModelSource | None) -> Scene:
        return exchange.read(SceneFile(Path(NAME), found[NAME], OBJ, resolver_of(found)), template)

    alone = tried(lambda: read(None))
    if alone is not None:
        tried(lambda: tables_of(alone).model())
    near = tried(lambda: read(source()))
    if near is not None:
        assert all(str(loss) for loss in changes_of(source(), near, ("a", "b")).losses)
