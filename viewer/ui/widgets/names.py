"""What the values of enumerations are called on screen; what is saved and compared is the value."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from viewer.errors import Severity
from viewer.model.clips.clip import Gait, Movement
from viewer.model.game.installs import Launcher
from viewer.model.mesh.shown import CellRule, Cutaway
from viewer.session.view.camera import Side
from viewer.session.view.lighting import Look
from viewer.session.view.textures import ByteOrder, Channels
from viewer.session.view.view_state import Background, Loop, Overlay, Shading
from viewer.translation import Message

_NAMES: Final[Mapping[type[Enum], Mapping[Any, Message]]] = {
    Shading: {
        Shading.TEXTURED: Message("Textured"),
        Shading.LIT: Message("Lit"),
        Shading.UNLIT: Message("Unlit"),
        Shading.ALBEDO: Message("Albedo"),
        Shading.LIGHTMAP: Message("Lightmap only"),
        Shading.ALPHA: Message("Alpha"),
        Shading.UV_CHECKER: Message("UV checker"),
        Shading.STREAM18: Message("Stream 18 (Res18)"),
        Shading.NORMALS: Message("Normals"),
        Shading.WIREFRAME: Message("Wireframe"),
        Shading.NODE: Message("Color by node"),
        Shading.BATCH: Message("Color by batch"),
        Shading.SLOT: Message("Color by slot"),
        Shading.MATERIAL: Message("Color by material"),
        Shading.LOD: Message("Color by cell"),
        Shading.FLAG: Message("Color by triangle flags"),
    },
    Look: {Look.GAME: Message("As the game"), Look.PLAIN: Message("Plain")},
    Overlay: {
        Overlay.GRID: Message("Grid"),
        Overlay.AXES: Message("World axes"),
        Overlay.NODE_AXES: Message("Node axes"),
        Overlay.BONES: Message("Bones"),
        Overlay.SLOT_BOUNDS: Message("Slot bounds"),
        Overlay.HEADER_BOUNDS: Message("Header bounds"),
        Overlay.EDGES: Message("Edges"),
        Overlay.NORMALS: Message("Vertex normals"),
        Overlay.SOCKETS: Message("Sockets"),
        Overlay.NAMES: Message("Names of nodes"),
        Overlay.PORTALS: Message("Portals and rooms"),
    },
    CellRule: {CellRule.GAME: Message("As the game"), CellRule.EXACT: Message("Exact")},
    Cutaway: {
        Cutaway.ALL: Message("All parts"),
        Cutaway.INSIDE: Message("Inside"),
        Cutaway.OUTSIDE: Message("Outside"),
    },
    Background: {
        Background.DARK: Message("Dark"),
        Background.LIGHT: Message("Light"),
        Background.TRANSPARENT: Message("Transparent"),
    },
    Loop: {
        Loop.LOOP: Message("Loop"),
        Loop.ONCE: Message("Play once"),
        Loop.PING_PONG: Message("Ping-pong"),
    },
    Gait: {
        Gait.STAND: Message("stand"),
        Gait.WALK: Message("walk"),
        Gait.RUN: Message("run"),
        Gait.BACKWARD: Message("backward"),
        Gait.TURN: Message("turn"),
    },
    Movement: {
        Movement.YAW: Message("yaw"),
        Movement.PITCH: Message("pitch"),
        Movement.ROLL: Message("roll"),
        Movement.SLIDE: Message("slide"),
    },
    Side: {
        Side.FRONT: Message("Front"),
        Side.BACK: Message("Back"),
        Side.LEFT: Message("Left"),
        Side.RIGHT: Message("Right"),
        Side.TOP: Message("Top"),
        Side.BOTTOM: Message("Bottom"),
    },
    Launcher: {
        Launcher.STEAM: Message("Steam"),
        Launcher.PROTON: Message("Proton"),
        Launcher.GOG: Message("GOG"),
        Launcher.HEROIC: Message("Heroic"),
        Launcher.LUTRIS: Message("Lutris"),
        Launcher.BOTTLES: Message("Bottles"),
        Launcher.CROSSOVER: Message("CrossOver"),
        Launcher.WINE: Message("Wine"),
        Launcher.FOLDER: Message("program folder"),
        Launcher.DISC: Message("disc"),
    },
    ByteOrder: {
        ByteOrder.PALETTE_RGB: Message("Read palette as R G B"),
        ByteOrder.RGB888: Message("Read 888 as R G B"),
        ByteOrder.ARGB8888: Message("Read 8888 as A R G B"),
        ByteOrder.LA88: Message("Read 88 as L A"),
    },
    Channels: {
        Channels.RGBA: Message("Color and alpha"),
        Channels.RGB: Message("Color"),
        Channels.RED: Message("Red"),
        Channels.GREEN: Message("Green"),
        Channels.BLUE: Message("Blue"),
        Channels.ALPHA: Message("Alpha"),
    },
    Severity: {
        Severity.ERROR: Message("error"),
        Severity.WARNING: Message("warning"),
        Severity.INFO: Message("note"),
    },
}


def message_of(value: Enum) -> Message:
    """Return what a value of one of the enumerations above is called, not yet translated."""
    return _NAMES[type(value)][value]


def name_of(value: Enum) -> str:
    """Return what a value of one of the enumerations above is called on screen."""
    return str(message_of(value))
