# ruff: noqa: D102
"""The formulas of spec/effects.md in plain Python, one particle at a time: what the product must agree with.

Nothing here calls the product; fields are read from the bytes at the offsets of the pages.
"""

from __future__ import annotations

import math
import struct
from typing import Any

Vector = tuple[float, float, float]
Placed = tuple[int, int, Vector, Vector, Vector]
"""Particle, sprite mode, place, direction and size of a sprite."""
ZERO = (0.0, 0.0, 0.0)
SIZES = {1: 224, 2: 148, 3: 200, 4: 204, 5: 112, 6: 4, 7: 208, 8: 248, 9: 208, 10: 208}
NAMES = {2: 84, 3: 136, 4: 136, 5: 48, 7: 144, 8: 184, 9: 136, 10: 144}
WINDOWS = {1: 8, 2: 8, 3: 32, 4: 32, 5: 12, 7: 20, 8: 16, 9: 32, 10: 20}


def mix(seed: int, e: int, j: int) -> int:
    h = (seed * 0x9E3779B1 + e * 0x85EBCA77 + j * 0xC2B2AE3D) & 0xFFFFFFFF
    h ^= h >> 15
    h = h * 0x2C1B3C6D & 0xFFFFFFFF
    h ^= h >> 12
    h = h * 0x297A2D39 & 0xFFFFFFFF
    h ^= h >> 15
    return h or 1


def draws(state: int, count: int) -> list[int]:
    hi, lo = state >> 16, state & 0xFFFF
    found = []
    for _ in range(count):
        lo = ((lo << 1) ^ hi) & 0xFFFF
        hi = (hi >> 1) ^ lo
        found.append(hi)
    return found


def uniform(draw: int, v: float) -> float:
    return draw * v / 65536 - v / 2


def lerp(a: float, b: float, x: float) -> float:
    return a + (b - a) * x


def pw(x: float, e: float) -> float:
    return x if e == 1 else max(x, 0.0) ** e


def fract(x: float) -> float:
    return x - math.floor(x)


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a: Vector) -> float:
    return math.sqrt(dot(a, a))


def minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def times(a: Vector, x: float) -> Vector:
    return (a[0] * x, a[1] * x, a[2] * x)


def over(a: Vector, x: float) -> Vector:
    return (a[0] / x, a[1] / x, a[2] / x)


def side(d: Vector) -> Vector:
    x, y, z = d
    if x != 0 and y != 0:
        return over((-y, x, 0.0), math.hypot(x, y)) if z != 0 else (-y, x, 0.0)
    return (0.0, 1.0, 0.0) if x != 0 else (1.0, 0.0, 0.0)


def basis(mode: int, e: Vector, q: Vector, d: Vector) -> tuple[Vector, Vector, Vector] | None:
    w = minus(e, q)
    if length(w) == 0:
        return None
    if mode == 1:
        m = cross(w, d)
        if length(m) == 0:
            return None
        m = over(m, length(m))
        return d, m, cross(d, m)
    if mode == 2:
        return side(d), cross(d, side(d)), d
    n = over(w, length(w))
    return side(n), cross(n, side(n)), n


class Block:
    """One block: its bytes from its word on."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.type = data[0]

    def f(self, at: int) -> float:
        value: float = struct.unpack_from("<f", self.data, at)[0]
        return value

    def u(self, at: int) -> int:
        value: int = struct.unpack_from("<I", self.data, at)[0]
        return value

    def v(self, at: int) -> Vector:
        return self.f(at), self.f(at + 4), self.f(at + 8)

    @property
    def window(self) -> tuple[float, float]:
        at = WINDOWS[self.type]
        return self.f(at), self.f(at + 4)

    @property
    def is_named(self) -> bool:
        return self.data[NAMES[self.type] + 32] != 0

    @property
    def is_on_top(self) -> bool:
        return self.data[1] & 1 != 0

    def ramp(self, at: int, x: float) -> float:
        return lerp(self.f(at), self.f(at + 4), pw(x, self.f(at + 8)))

    def channel(self, at: int, x: float, extra: Vector | None = None) -> Vector:
        """Low, high and exponents; with the random part also the spread before the exponents."""
        low, high = self.v(at), self.v(at + 12)
        exponents = self.v(at + (24 if extra is None else 36))
        extra = extra or (0.0, 0.0, 0.0)
        values = [lerp(low[i], high[i] + extra[i], pw(x, exponents[i])) for i in range(3)]
        return values[0], values[1], values[2]

    def straight(self, at: int, x: float) -> Vector:
        a, b = self.v(at), self.v(at + 12)
        return lerp(a[0], b[0], x), lerp(a[1], b[1], x), lerp(a[2], b[2], x)

    def jitters(self, state: int, position: int, size: int) -> tuple[float, Vector, Vector]:
        number, pz, py, px, sz, sy, sx = draws(state, 7)
        p, s = self.v(position), self.v(size)
        moved = uniform(px, p[0]), uniform(py, p[1]), uniform(pz, p[2])
        return number / 65536, moved, (uniform(sx, s[0]), uniform(sy, s[1]), uniform(sz, s[2]))


class ScalarEffect:
    """An effect in a frame: a place and three axes, of any length and at any angle."""

    def __init__(self, data: bytes, **asked: Any) -> None:
        self.count, self.mode = struct.unpack_from("<II", data)
        self.duration, self.jitter = struct.unpack_from("<ff", data, 8)
        (self.flags,) = struct.unpack_from("<I", data, 16)
        self.scale: Vector = struct.unpack_from("<3f", data, 48)
        self.blocks, at = [], 60
        for _ in range(self.count):
            size = SIZES[data[at]]
            self.blocks.append(Block(data[at : at + size]))
            at += size
        assert at == len(data)
        self.sec: float = asked["seconds"]
        self.seed: int = asked.get("seed", 1)
        self.size: float = asked.get("size", 1.0)
        self.strength: float = asked.get("strength", 0.0)
        self.eye: Vector = asked.get("eye", (0.0, -10.0, 0.0))
        self.is_spread: bool = asked.get("is_spread", False)
        self.has_steps: bool = asked.get("has_steps", False)
        asked_mode = asked.get("mode")
        self.mode = self.mode if asked_mode is None else asked_mode
        self.is_set: bool = asked.get("is_set", False)
        self.origin: Vector = asked.get("origin", (0.0, 0.0, 0.0))
        axes = asked.get("axes", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        self.axes = [times(axis, self.size * s) for axis, s in zip(axes, self.scale, strict=True)]
        units = [over(axis, length(axis)) for axis in axes]
        self.turned = [times(axis, self.size * s) for axis, s in zip(units, self.scale, strict=True)]

    def lin(self, sec: float) -> float:
        if self.duration == 0:
            return 1.0
        clock = math.floor(round(sec * 10, 7)) / 10 if self.has_steps else sec
        return float(clock / self.duration)

    def t(self, sec: float) -> float:
        if self.flags & (0x100 if self.is_set else 0x80):
            return 0.0
        lin = self.lin(sec)
        x = self.strength
        if self.mode in (1, 2, 3):
            t = {1: lin, 2: fract(lin), 3: 1 - lin}[self.mode]
        elif self.mode in (13, 14):
            t = 1 - x
        elif self.mode == 17:
            t = x if x == 1 else 0.0
        else:
            t = x
        if self.flags & 0x200:
            t *= lin
        if self.flags & 0x20:
            t = 2 * t if t < 0.5 else 2 * (1 - t)
        if self.flags & 1:
            t += uniform(draws(mix(self.seed, 0xFFFF, math.floor(round(sec * 10, 7))), 1)[0], self.jitter)
        return min(max(t, 0.0), 1.0)

    def p(self, block: Block, sec: float) -> float:
        lo, hi = block.window
        t = self.t(sec)
        return 1.0 if hi == lo else (t - lo) / (hi - lo)

    def is_active(self, block: Block, sec: float) -> bool:
        if block.type == 6:
            return False
        lo, hi = block.window
        return lo <= self.t(sec) <= hi

    def is_deleted(self) -> bool:
        """Whether t has been 1 in any of the milliseconds until now."""
        moments = [ms / 1000 for ms in range(int(self.sec * 1000 + 1e-6) + 1)]
        return bool(self.flags & 2) and any(self.t(sec) >= 1 for sec in [*moments, self.sec])

    def is_shown(self, index: int) -> bool:
        """Whether a block is active, and the effect neither deleted nor off."""
        return (
            self.is_active(self.blocks[index], self.sec) and not self.flags & 0x40 and not self.is_deleted()
        )

    def inside(self, axes: list[Vector]) -> Vector:
        """The eye in instance space."""
        e = [dot(a, minus(self.eye, self.origin)) / dot(a, a) for a in axes]
        return e[0], e[1], e[2]

    def direction(self, q: Vector, axes: list[Vector]) -> Vector:
        parts = [sum(axes[k][i] * q[k] for k in range(3)) for i in range(3)]
        return parts[0], parts[1], parts[2]

    def world(self, q: Vector, axes: list[Vector]) -> Vector:
        a, o = self.direction(q, axes), self.origin
        return o[0] + a[0], o[1] + a[1], o[2] + a[2]

    def sprite(self, placed: Placed, alpha: float, phase: float, axes: list[Vector]) -> dict[str, Any] | None:
        particle, mode, q, d, size = placed
        found = basis(mode, self.inside(axes), q, d)
        if found is None or alpha <= 0:
            return None
        x, y, z = (self.direction((size[0] * it[0], size[1] * it[1], size[2] * it[2]), axes) for it in found)
        return {
            "particle": particle, "center": self.world(q, axes), "x": x, "y": y, "z": z,
            "alpha": alpha, "phase": phase,
        }  # fmt: skip

    def sprites(self, index: int) -> list[dict[str, Any]]:
        block = self.blocks[index]
        if not self.is_shown(index) or block.type in (1, 2, 5) or not block.is_named:
            return []
        made = {3: self.single, 4: self.single, 9: self.single, 7: self.burst, 10: self.burst, 8: self.stream}
        return [it for it in made[block.type](index) if it is not None]

    def progress(self, index: int) -> float:
        block = self.blocks[index]
        p = self.p(block, self.sec)
        return min(1.0, p * length(self.inside(self.axes)) / block.f(200)) if block.type == 4 else p

    def single(self, index: int) -> list[dict[str, Any] | None]:
        block, p = self.blocks[index], self.progress(index)
        if block.type == 9 and block.u(200) > 2:
            return []
        x = self.sec if block.f(8) < 0 else p
        phase = fract(lerp(max(block.f(8), 0.0), block.f(12), pw(x, block.f(16))))
        q, d, size = block.channel(40, p), block.straight(76, p), block.channel(100, p)
        return [self.sprite((0, block.u(4), q, d, size), block.ramp(20, p), phase, self.axes)]

    def burst(self, index: int) -> list[dict[str, Any] | None]:
        block, p = self.blocks[index], self.progress(index)
        count, life, rate = block.u(36) * block.u(40), block.f(28), block.f(32)
        found: list[dict[str, Any] | None] = []
        for k in range(count):
            spawn = (1 - min(1.0, life)) * k / count if self.is_spread else 0.0
            age = (p - spawn) / life
            if not 0 <= age <= 1:
                continue
            phase = age / rate if rate <= 1 else fract(age * rate)
            phase = 0.99 if phase >= 1 else max(phase, 0.0)
            _, moved, grown = block.jitters(mix(self.seed, index, k), 68, 116)
            q, size = block.channel(44, age, moved), block.channel(92, age, grown)
            found.append(self.sprite((k, 0, q, ZERO, size), block.ramp(8, age), phase, self.axes))
        return found

    def stream(self, index: int) -> list[dict[str, Any] | None]:
        block = self.blocks[index]
        ring = block.u(36)
        head, last, interval = -1, 0.0, 0.0
        steps = [k / 100 for k in range(math.floor(round(self.sec * 100, 6)) + 1)]
        for sec in [*steps, self.sec]:
            if not self.is_active(block, sec):
                continue
            interval = lerp(block.f(24), block.f(28), self.p(block, sec))
            if head < 0:
                head, last = 0, sec
            sent = 0
            while last + interval < sec and sent < ring:
                head, last, sent = head + 1, last + interval, sent + 1
        found: list[dict[str, Any] | None] = []
        for number in range(max(0, head - ring + 1), head + 1):
            age = (head - number) / ring + (self.sec - last) / (interval * ring)
            if not 0 <= age <= 1:
                continue
            own, moved, grown = block.jitters(mix(self.seed, index, number), 112, 160)
            phase = own if block.f(32) < 0 else pw(age, block.f(32))
            q, size = block.channel(88, age, moved), block.channel(136, age, grown)
            found.append(self.sprite((number, 0, q, ZERO, size), block.ramp(4, age), phase, self.turned))
        return found

    def light(self, index: int) -> dict[str, Any]:
        block, p = self.blocks[index], self.p(self.blocks[index], self.sec)
        a, b, g, r, reach = draws(mix(self.seed, index, math.floor(round(self.sec * 10, 7))), 5)
        color = [
            lerp(block.f(64 + 4 * i), block.f(80 + 4 * i), p) + uniform(draw, block.f(96 + 4 * i))
            for i, draw in enumerate((r, g, b, a))
        ]
        direction = self.direction(block.straight(40, p), self.axes)
        far = (lerp(block.f(112), block.f(116), p) + uniform(reach, block.f(120))) * length(direction)
        return {
            "position": self.world(block.straight(16, p), self.axes), "direction": direction, "color": color,
            "range": far if far > 0 else 0.01, "kind": block.u(4), "attenuation": block.v(124),
        }  # fmt: skip

    def sound(self, index: int) -> dict[str, Any]:
        block, p = self.blocks[index], self.p(self.blocks[index], self.sec)
        return {
            "position": self.world(block.straight(16, p), self.axes), "near": block.f(64), "far": block.f(68),
            "rate": lerp(block.f(72), block.f(76), p),
        }  # fmt: skip

    def bolt(self, index: int, target: Vector) -> dict[str, Any]:
        block, p = self.blocks[index], self.p(self.blocks[index], self.sec)
        far = length(minus(target, self.origin))
        pieces = min(max(math.floor(far / block.f(36)), 1), max(block.u(20), 1))
        return {
            "start": target, "end": self.origin, "pieces": pieces, "repeat": far / pieces / block.f(32),
            "width": lerp(block.f(24), block.f(28), p), "alpha": lerp(block.f(4), block.f(8), p),
            "phase": fract(lerp(max(block.f(40), 0.0), block.f(44), self.sec if block.f(40) < 0 else p)),
        }  # fmt: skip
