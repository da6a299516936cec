"""The options of functions of the library by name, for editors, type checkers and `help`.

Written by `make pages` of the declarations of `ReadingOptions`, `Options` of exports and `ViewState`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

Name = str | os.PathLike[str]


class Keyword(NamedTuple):
    """An option of a function: its default, and what it does."""

    default: Any
    words: str


class OpenKeywords(TypedDict, total=False):
    """The options of `mshview.open` and `mshview.models`."""

    reading: Annotated[
        Literal["auto", "seed", "field"],
        Keyword(
            "auto",
            "How to read the order of quaternions and the field of the material, on which descriptions of "
            "the format disagree: auto decides for each model, seed and field follow one description each.",
        ),
    ]
    game: Annotated[
        Name | None,
        Keyword(
            None,
            "Look names up in this game folder, not in the one around PATH; 'mshview help' names those found"
            " on this computer.",
        ),
    ]
    strict: Annotated[
        bool,
        Keyword(
            False,
            "True: refuse input with errors that 'validate' finds; False: show what is intact and warn about"
            " the rest (default).",
        ),
    ]
    wear: Annotated[Name | None, Keyword(None, "A wear table, instead of the one next to the model.")]
    control: Annotated[
        Name | None, Keyword(None, "A controller, instead of the one that the registry names with the model.")
    ]
    ground: Annotated[
        Literal["land1", "levels", "crossed"],
        Keyword(
            "land1",
            "Which wear tables the materials of a terrain are from: land1 (both from Land1.wea, with the "
            "microtextures of Land2.wea; default), levels (from Land2.wea at the coarse level) or crossed "
            "(the first from Land2.wea, the second from Land1.wea).",
        ),
    ]


class ExportKeywords(TypedDict, total=False):
    """The options of `Resource.export`."""

    all_cells: Annotated[
        bool,
        Keyword(
            False,
            "False is ``one``, True ``all``; glTF: all puts every cell into the file, each as a scene; the "
            "chosen one is the default scene.",
        ),
    ]
    textures: Annotated[bool, Keyword(True, "Pictures of the materials, as PNG.")]
    frame_keys: Annotated[
        bool,
        Keyword(
            True,
            "False is ``native``, True ``frames``; glTF: wide turns get keys at whole frames too, as Blender"
            " would be off between keys (default); import leaves them out again; or those of the model "
            "alone.",
        ),
    ]
    rest: Annotated[float, Keyword(0.0, "Time of the rest pose in frames, default 0.")]
    fps: Annotated[float, Keyword(15.0, "glTF: frames a second, default 15.")]
    y_up: Annotated[
        bool | None, Keyword(None, "True: Y is up, the default of glTF; False: Z is up, the default of OBJ.")
    ]
    animation: Annotated[
        Literal["strip", "clips", "none"],
        Keyword(
            "strip",
            "glTF: all frames as one animation (default), each clip of the controller as its own, or none.",
        ),
    ]


class ImportKeywords(TypedDict, total=False):
    """The options of `Resource.import_from`."""

    missing: Annotated[
        Literal["keep", "remove"] | None,
        Keyword(
            None,
            "Keep nodes and objects of the template that are not in the file, or remove them; by default "
            "they stay if it has less than half of the nodes (in OBJ each counts by its objects), or nodes "
            "that stand where only missing ones put them.",
        ),
    ]
    clear_references: Annotated[
        bool,
        Keyword(
            False,
            "Remove nodes of the template that are not in the file also if something refers to them, and set"
            " that to none; else they stay.",
        ),
    ]
    other_levels: Annotated[
        Literal["leave", "clear", "reuse"],
        Keyword(
            "leave",
            "If the geometry of a node of the template changed, leave its LODs and groups that are not in "
            "the file as they are (default), clear them, or reuse the new geometry.",
        ),
    ]
    states: Annotated[
        bool,
        Keyword(
            False,
            "Make a state of the template's controller of each animation that it does not have, which gets "
            "frames of its own after the others.",
        ),
    ]
    y_up: Annotated[
        bool | None,
        Keyword(
            None,
            "True: Y is up in the file, whatever it says; False: Z is up in the file, as of Blender without "
            "+Y Up; the default of OBJ files without JSON if no comment names a program with Y up.",
        ),
    ]


class RenderKeywords(TypedDict, total=False):
    """The options of `Model.render`."""

    cells: Annotated[
        Literal["game", "exact"],
        Keyword(
            "game",
            "game: a node draws its last LOD up to the requested one, in the requested group or the nearest "
            "finer one; exact: the requested cell or nothing.",
        ),
    ]
    own_view: Annotated[
        bool, Keyword(False, "As the unit sees itself: group 4 alone, between planes at 0.05 and 10.")
    ]
    cutaway: Annotated[
        Literal["all", "inside", "outside"],
        Keyword(
            "all",
            "All parts of a building (default), or only its internal (inside) or external ones (outside).",
        ),
    ]
    fade_portals: Annotated[
        bool, Keyword(False, "Signs and doorways fade with their distance from the eye, as in the game.")
    ]
    shading: Annotated[
        Literal[
            "textured",
            "lit",
            "unlit",
            "albedo",
            "lightmap",
            "alpha",
            "uv-checker",
            "stream18",
            "normals",
            "wireframe",
            "node",
            "batch",
            "slot",
            "material",
            "lod",
            "flag",
            "normal-error",
        ],
        Keyword(
            "textured",
            "One of textured, lit, unlit, albedo, lightmap, alpha, uv-checker, stream18, normals, wireframe,"
            " node, batch, slot, material, lod, flag, normal-error.",
        ),
    ]
    look: Annotated[
        Literal["game", "plain"],
        Keyword("game", "Light and blending as in the game, or the plain display model."),
    ]
    scene: Annotated[
        float | None,
        Keyword(
            None,
            "Grey below which no surface is lit in the game's look, 0 to 1; default 0.2, with --light sky "
            "the color of the sky.",
        ),
    ]
    lights: Annotated[bool, Keyword(True, "All lights of the game's look.")]
    light: Annotated[
        Literal["game", "sky", "head"] | None,
        Keyword(
            None,
            "game: two from above right and left, fixed to the model; head: one from the camera; sky: those "
            "of --sky.",
        ),
    ]
    fog: Annotated[bool, Keyword(False, "The fog of the sky towards the horizon that the camera looks at.")]
    dome: Annotated[
        bool, Keyword(False, "The colors of the sky behind everything, without nebula and clouds.")
    ]
    microtextures: Annotated[bool, Keyword(True, "The fine textures of a terrain.")]
    second_materials: Annotated[bool, Keyword(True, "The second materials of a terrain.")]
    show: Annotated[
        Sequence[
            Literal[
                "grid",
                "axes",
                "node_axes",
                "bones",
                "slot_bounds",
                "header_bounds",
                "edges",
                "vertex_normals",
                "portals",
                "control_points",
                "path_graph",
                "light_probes",
                "ground_plan",
                "tested_points",
            ]
        ]
        | None,
        Keyword(
            None,
            "Overlays: grid, axes, node_axes, bones, slot_bounds, header_bounds, edges, vertex_normals, "
            "portals, control_points, path_graph, light_probes, ground_plan, tested_points; default nothing.",
        ),
    ]
    section: Annotated[
        Literal["off", "x", "y", "z"], Keyword("off", "Cut models along a plane across an axis of the world.")
    ]
    section_offset: Annotated[
        float | None,
        Keyword(
            None,
            "Where the plane crosses the axis, model units; by default through the middle of the picture.",
        ),
    ]
    section_flip: Annotated[
        bool,
        Keyword(False, "Keep what has larger coordinates than the plane instead of what has smaller ones."),
    ]
    machinery: Annotated[
        bool, Keyword(True, "What turns by itself turns, from its initial value at time 0: rotors, dishes.")
    ]
    root: Annotated[
        Literal["still", "travel"],
        Keyword(
            "still", "Still leaves out the translation of a first node without a parent, as the game does."
        ),
    ]
