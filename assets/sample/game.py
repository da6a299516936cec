"""The game folder: the archives of the models, the libraries in the root, units, one map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from assets.sample import descriptions, sky
from assets.sample.crawler import crawler
from assets.sample.drone import drone
from assets.sample.neighbors import others
from assets.sample.neighbors import walker as of_walker
from assets.sample.neighbors.controller import controller_bytes
from assets.sample.neighbors.damage import WEAPONS
from assets.sample.neighbors.effect import effects, explosion
from assets.sample.neighbors.unit import BUILDING, WARRIOR, Component, PartClass, unit_bytes
from assets.sample.pack import Convention
from assets.sample.registered import (
    EXPLOSION,
    REGISTRY,
    Subject,
    controller_entry,
    four_letters,
    object_entry,
)
from assets.sample.sentry import sentry_turret, twin_gun
from assets.sample.spec import ModelSpec
from assets.sample.stand import stand
from assets.sample.surfaces.lightmap import Lightmap
from assets.sample.surfaces.materials import Texture, all_textures, materials
from assets.sample.terrain import MATERIALS, MICROTEXTURES, land_msh
from assets.sample.tower.model import LIGHTMAP, tower, tower_lightmap
from assets.sample.tree import tree
from assets.sample.walker.model import walker
from viewer.formats import wear
from viewer.formats.archive.nres import NewEntry, build
from viewer.formats.texture.pixels import PixelFormat

MAP = "DATA/MAPS/SAMPLE"
MISSION = "MISSIONS/SAMPLE"
UNITS = "UNITS/UNITS/SAMPLE"
MODELS = "models.rlb"

KEYS = {"walker": "BTLU", "drone": "EXTO", "tower": "FORT", "oak": "STAT", "sign": "STAT"} | {
    "e_tur_bt_01": "EXTO",
    "e_gun_tw_01": "EXTO",
    "drone_seed": "EXTO",
    "crawler": "BTLU",
}
"""Entry types of the objects with a model, by key."""


def game_files() -> dict[str, bytes]:
    """All files of the folder by path."""
    subjects = _subjects()
    built = {key: subject.entries() for key, subject in subjects.items()}
    archives: dict[str, list[NewEntry]] = defaultdict(list)
    for key, subject in subjects.items():
        archives[subject.archive] += built[key]
    archives["intsys.rlb"] = [
        controller_entry("i_reactor", controller_bytes(others.REACTOR, ModelSpec("", (), ())))
    ]
    archives["effects.rlb"] = [
        NewEntry(four_letters("FXID"), data, name.encode("ascii")) for name, data in effects().items()
    ]
    archives[WEAPONS] = [NewEntry(four_letters("EXPL"), explosion(), EXPLOSION.encode("ascii"))]
    archives[REGISTRY] = [
        object_entry(key, KEYS[key], [(subject.archive, entry.name) for entry in built[key]])
        for key, subject in subjects.items()
    ]
    archives[REGISTRY] += [
        object_entry("tower_outpost", "FORT", [(REGISTRY, b"tower"), (MODELS, b"b_tower.bas")]),
        object_entry("i_reactor_01", "INTO", [("intsys.rlb", b"i_reactor.ctl")]),
    ]
    archives[descriptions.FILE] = descriptions.description_entries()
    lightmap = subjects["tower"].lightmap
    assert lightmap is not None
    files = {name: build(entries) for name, entries in archives.items()}
    return files | _libraries(lightmap) | _map() | _mission() | _units(subjects)


def _subjects() -> dict[str, Subject]:
    """The objects with a model by key."""
    return {
        "walker": Subject(
            MODELS, walker(), controller=of_walker.controller(), points=of_walker.POINTS,
            hit_points=of_walker.hit_points, gear=of_walker.RUNNING_GEAR,
        ),
        "drone": Subject(MODELS, drone(), hit_points=others.hit_points),
        "tower": Subject(
            MODELS, tower(), lightmap=tower_lightmap(), controller=others.TOWER, points=others.TOWER_POINTS,
            hit_points=others.hit_points, plan="o01_bunker",
        ),
        "oak": Subject(
            MODELS, tree(), controller=others.TREE, controller_stem="s_tree_wind",
            hit_points=others.hit_points,
        ),
        "sign": Subject(MODELS, stand()),
        "crawler": Subject("machines.rlb", crawler(), controller=others.CRAWLER),
        "e_tur_bt_01": Subject(
            "turrets.rlb", sentry_turret(), controller=others.TURRET, points=others.TURRET_POINTS,
            hit_points=others.hit_points,
        ),
        "e_gun_tw_01": Subject(
            "guns.rlb", twin_gun(), controller=others.GUN, controller_stem="gun_twin",
            points=others.GUN_POINTS, hit_points=others.hit_points,
        ),
        "drone_seed": Subject("seed.rlb", drone("drone_seed"), Convention.SEED),
    }  # fmt: skip


def _libraries(lightmap: Lightmap) -> dict[str, bytes]:
    """Materials and their textures; the palettes are empty as in retail installs."""
    return {
        "Material.lib": build(material.entry(name) for name, material in materials().items()),
        "Textures.lib": build(texture.entry(name) for name, texture in all_textures().items()),
        "LightMap.lib": build([Texture(lightmap.page(), PixelFormat.RGB565).entry(LIGHTMAP)]),
        "palettes.lib": build([]),
    }


def _map() -> dict[str, bytes]:
    first, second = (wear.build([it.encode() for it in names]) for names in (MATERIALS, MICROTEXTURES))
    return {f"{MAP}/Land.msh": land_msh(), f"{MAP}/Land1.wea": first, f"{MAP}/Land2.wea": second}


def _mission() -> dict[str, bytes]:
    return {f"{MISSION}/sky.ske": sky.day_bytes(), f"{MISSION}/sky.wea": sky.roles_bytes()}


def _units(subjects: Mapping[str, Subject]) -> dict[str, bytes]:
    """The walker and the tower with turrets and guns on their sockets."""
    body, fort, turret = (subjects[key].spec for key in ("walker", "tower", "e_tur_bt_01"))

    def armed(name: str, socket: int) -> Component:
        gun = Component("e_gun_tw_01", "Twin gun", PartClass.GUN, turret.number("Base_G1"))
        return Component("e_tur_bt_01", name, PartClass.TURRET, socket, [gun])

    reactor = Component("i_reactor_01", "Reactor", PartClass.INTERNAL, 0)
    chassis = Component(
        "walker", "Шагоход «Цапля»", PartClass.CHASSIS,
        children=[armed("Light turret", body.number("Base_TM")), reactor],
    )  # fmt: skip
    guards = [armed(f"Turret, {side}", fort.number(f"Base_gun_{side[0]}")) for side in ("left", "right")]
    garrison = Component("tower_outpost", "Outpost", PartClass.CHASSIS, children=guards)
    return {
        f"{UNITS}/walker.dat": unit_bytes(chassis, WARRIOR),
        f"{UNITS}/outpost.dat": unit_bytes(garrison, BUILDING),
    }
