"""Motion of the walker above its legs, and frames for turret and guns, which are driven on their own."""

from __future__ import annotations

from assets.sample.motion import Key, Track, Transform, ease, sampled, through, transform
from assets.sample.walker.body import EXHAUSTS, STACK
from assets.sample.walker.gait import REST, SIDES, keyed, moment, pelvis_in_root, root_track

TURRET_Z = 1.78
GLANCE = -14.0
"""Yaw of the turret while nobody turns it, degrees."""

TURN = (REST, REST + 4)
"""Frames of one turn of turret and dish."""
ELEVATION = (REST + 4, REST + 8)
"""Frames from the lowest elevation of the guns to the highest."""
LOWEST, HIGHEST = -10.0, 35.0
LEVEL = 3.5
"""Elevation of the guns at rest, degrees."""
FIRE = (REST + 8, REST + 16)
"""Frames of one shot."""
RECOIL = 0.42


def body_tracks() -> dict[str, Track]:
    """Tracks of everything above the legs."""
    tracks = {
        "root": root_track(),
        "pelvis": keyed(lambda frame: pelvis_in_root(moment(frame))),
        "central": keyed(_hull, 2),
        "turret": _turret(),
        "eye": sampled(_eye, (*range(0, 13, 2), 16, *FIRE)),
        "dish": sampled(_dish, (*range(0, REST, 4), *range(TURN[0], TURN[1] + 1))),
        "antenna": _aerial(0.46, -0.72, 0.94, 0.1, 4.0),
        "antenna_tip": _aerial(0, 0, 0.75, 0.2, 7.0),
        "flap_l": _flap(EXHAUSTS[0], 0.15),
        "flap_r": _flap(EXHAUSTS[1], 0.4),
    }
    for side, sign in SIDES.items():
        tracks[f"gun_{side}"] = _gun(sign)
        tracks[f"barrels_{side}"] = _barrels(sign)
    return tracks


def _hull(frame: int) -> Transform:
    """``pelvis_from_hull``: turns less than the pelvis, with a nod when a foot lands."""
    now = moment(frame)
    it = now.movement
    pitch = 0.7 * it.lean - 14 * abs(it.bob) * now.wave(2, 0.3)
    return transform(
        0, 0, 0.58, ("z", -0.8 * it.twist * now.wave(1, 0.25)),
        ("y", -0.7 * it.roll * now.wave(1, -0.04)), ("x", pitch),
    )  # fmt: skip


def _turret() -> Track:
    """A glance aside while the body moves, one turn, and aside again."""
    start, end = TURN
    turn = [(start + part, 90.0 * part) for part in range(end - start + 1)]
    yaws = [(0, GLANCE), (start - 4, GLANCE), *turn, (FIRE[1], 360 + GLANCE)]
    return tuple(Key(frame, transform(0, 0, TURRET_Z, ("z", yaw))) for frame, yaw in yaws)


def _eye(frame: int) -> Transform:
    yaw = through([(0, 24), (3, 24), (5, -26), (9, -26), (12, 24), (16, 8), (FIRE[0], 8), (FIRE[1], 24)])
    return transform(0, 1.16, 0.66, ("z", yaw(frame)), ("x", -6))


def _dish(frame: int) -> Transform:
    """A turn in every 16 frames, and one in those of its own."""
    degrees = 22.5 * frame if frame < TURN[0] else 90 * (frame - TURN[0])
    return transform(-0.34, -0.5, 0.98, ("z", degrees))


def _aerial(x: float, y: float, z: float, lag: float, lean: float) -> Track:
    """A whip that trails behind the body's bob and sway."""

    def bend(frame: int) -> Transform:
        now = moment(frame)
        pull = min(1.0, 9 * abs(now.movement.bob))
        pitch = lean + 1.6 * lean * pull * now.wave(2, 0.3 - lag)
        return transform(x, y, z, ("x", pitch), ("y", -lean * pull * now.wave(1, 0.1 - lag)))

    return keyed(bend, 2)


def _flap(x: float, lead: float) -> Track:
    """A lid that rattles over its exhaust, open more while the body runs."""
    _, y, z = STACK

    def rattle(frame: int) -> Transform:
        now = moment(frame)
        opening = 20 + 1.6 * now.movement.lean + 90 * abs(now.movement.bob) * now.wave(2, lead)
        return transform(x, y - 0.22, z + 0.03, ("x", opening + 3 * now.wave(3, 3 * lead)))

    return keyed(rattle, 2)


def _gun(sign: int) -> Track:
    """Level while the body moves, then from the lowest elevation to the highest, and back."""
    frames = ((0, LEVEL), (TURN[0], LEVEL), (ELEVATION[0], LOWEST), (ELEVATION[1], HIGHEST), (FIRE[1], LEVEL))
    return tuple(Key(frame, transform(sign * 1.14, 0, 0.52, ("x", angle))) for frame, angle in frames)


def _barrels(sign: int) -> Track:
    """Back at once, then slowly forward."""
    start, end = FIRE

    def recoil(frame: int) -> Transform:
        kick = RECOIL * (1 - ease((frame - start - 1) / (end - start - 1))) if frame > start else 0.0
        return transform(sign * 0.3, 1.05 - kick, 0)

    return sampled(recoil, (0, start, *range(start + 1, end, 2), end))
