"""What stands beside a model, or in a unit file, and does not add up; rules of our own."""

from __future__ import annotations

import struct

from tests import skies
from tests.broken import games
from tests.broken.case import ERROR, WARNING, Case, findings
from viewer.diagnostics import Diagnostic

POINTS = struct.pack("<I9i32s", 1, *range(9), b"muzzle")
DAMAGE = games.damage(b"effects.rlb", b"blast")
EXPLOSION = struct.pack("<iffffi", 3, 40, 1.5, 1, 1, 0) + bytes(12 * 64)
PLAN = struct.pack("<Ii6f2i", 1, 1, *range(6), 0, 0) + struct.pack("<ii6f", 1, 1, *range(6))
UNIT = games.unit(b"tree")
PALETTE = bytes(1024)
CONTROL = bytes(212)
"""A controller without states."""

SOUND = (
    ("control_points", POINTS),
    ("damage", DAMAGE),
    ("explosion", EXPLOSION),
    ("ground_plan", PLAN),
    ("units", UNIT),
    ("palette", PALETTE),
    ("control", CONTROL),
    ("sky", skies.SKY),
)


_FIRST, _SECOND = "sections[0].keyframes[0]", "sections[0].keyframes[1]"


def _sky(*keyframes: bytes) -> list[Diagnostic]:
    return findings("sky", skies.sky(skies.section(*keyframes)))


CASES = (
    Case("K01", ERROR, "counts", lambda: findings("control", CONTROL[:19]), "19"),
    Case(
        "K01",
        ERROR,
        "counts.groups",
        lambda: findings("control", CONTROL[:16] + b"\xff" * 4 + CONTROL[20:]),
        "-1 0 2147483647",
    ),
    Case("K01", ERROR, "counts.states", lambda: findings("control", b"\1" + CONTROL[1:]), "1 84"),
    Case(
        "K04",
        WARNING,
        "parameters.acceleration",
        lambda: findings("control", CONTROL[:20] + b"\0\0\x80\x7f" + CONTROL[24:]),
        "inf",
    ),
    Case("CPT01", ERROR, "header", lambda: findings("control_points", b"\1"), "1"),
    Case(
        "CPT01",
        ERROR,
        "header.count",
        lambda: findings("control_points", POINTS[:-1]),
        "1 0",
    ),
    Case("CPT01", WARNING, "tail", lambda: findings("control_points", POINTS + b"?"), "1"),
    Case("NDP01", ERROR, "header.count", lambda: findings("damage", DAMAGE[:-1]), "1 0"),
    Case("NDP01", WARNING, "tail", lambda: findings("damage", DAMAGE + b"?"), "1"),
    Case("EXP01", ERROR, "slots[11]", lambda: findings("explosion", EXPLOSION[:-1]), "12 11"),
    Case("EXP01", WARNING, "tail", lambda: findings("explosion", EXPLOSION + b"?"), "1"),
    Case("BAS01", ERROR, "inner[0]", lambda: findings("ground_plan", PLAN[:36]), "1 0 0"),
    Case("BAS01", ERROR, "outer[0]", lambda: findings("ground_plan", PLAN[:-1]), "2 1 23"),
    Case("BAS01", ERROR, "inner", lambda: findings("ground_plan", PLAN[:40]), ""),
    Case("BAS01", ERROR, "tail", lambda: findings("ground_plan", PLAN + b"?"), "1"),
    Case("UNIT01", ERROR, "header.magic", lambda: findings("units", b"?" * 8), "0x3f3f3f3f 0xf0f1"),
    Case("UNIT01", ERROR, "tail", lambda: findings("units", UNIT + b"?"), "1"),
    Case("SKY01", ERROR, "header.version", lambda: findings("sky", b"\xff" * 4 + bytes(8)), "0x0 0x5"),
    Case("SKY01", ERROR, _SECOND, lambda: findings("sky", skies.SKY[:-41]), "3 2"),
    Case("SKY01", WARNING, "tail", lambda: findings("sky", skies.SKY + b"?"), "1"),
    Case(
        "SKY02",
        WARNING,
        "sections[0].keyframes[1].keyframe.hour",
        lambda: _sky(skies.DUSK, skies.DAWN),
        "6 18.5",
    ),
    Case(
        "SKY03",
        WARNING,
        "sections[0].keyframes[0].keyframe.hour",
        lambda: _sky(skies.keyframe((25, 0))),
        "25 24",
    ),
    Case(
        "SKY04",
        WARNING,
        f"{_FIRST}.measures.strength",
        lambda: _sky(skies.keyframe((1, 0), strength=float("inf"))),
        "inf",
    ),
    Case("PAL01", ERROR, "colors[255]", lambda: findings("palette", PALETTE[:-1]), "1023"),
)
