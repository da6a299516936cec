"""Edits of keys, curves and actions. Frames are those of the game, whatever Blender counts."""

from __future__ import annotations

from typing import Any

import bpy  # first: it brings the others

# isort: split
from mathutils import Quaternion

FPS = 15
"""Frames a second of files that are exported for Blender."""
ROTATION = "rotation_quaternion"


def rotate_key(node: str, frame: float, axis: list[float], radians: float) -> None:
    """Turn a node at one of its keys about an axis of its own."""
    points = _points(node, frame)
    turned = Quaternion([it.co.y for it in points]) @ Quaternion(axis, radians)
    for point, value in zip(points, turned, strict=True):
        point.co.y = value


def add_key(node: str, frame: float, axis: list[float], radians: float) -> None:
    """Add a key between two, turned about an axis of the node."""
    at = _scene_frame(frame)
    curves = _rotations(node)
    turned = Quaternion([it.evaluate(at) for it in curves]).normalized() @ Quaternion(axis, radians)
    for curve, value in zip(curves, turned, strict=True):
        curve.keyframe_points.insert(at, value).interpolation = "LINEAR"


def delete_key(node: str, frame: float) -> None:
    """Delete a key of all curves of a node."""
    for curve in _curves(bpy.data.objects[node]):
        for point in [it for it in curve.keyframe_points if abs(it.co.x - _scene_frame(frame)) < 1e-3]:
            curve.keyframe_points.remove(point)


def move_keys(node: str, by: list[float]) -> None:
    """Move all keys of the location of a node."""
    for curve in _curves(bpy.data.objects[node]):
        if curve.data_path == "location":
            for point in curve.keyframe_points:
                point.co.y += by[curve.array_index]


def animate(node: str, frames: list[float], axis: list[float], radians: float) -> None:
    """Turn a node that stands still, in the action of the others."""
    item = bpy.data.objects[node]
    item.rotation_mode = "QUATERNION"
    first = item.rotation_quaternion.copy()
    for index, frame in enumerate(frames):
        item.rotation_quaternion = first @ Quaternion(axis, index * radians)
        item.keyframe_insert(ROTATION, frame=_scene_frame(frame))
    for curve in _curves(item):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def clear_animation(node: str) -> None:
    """Take the animation of a node away."""
    bpy.data.objects[node].animation_data_clear()


def retime_all(factor: float) -> None:
    """Scale the times of the keys of all nodes."""
    for item in bpy.data.objects:
        if item.animation_data and item.animation_data.action:
            retime(item.name, factor)


def interpolate(node: str, kind: str) -> None:
    """Set the interpolation of all keys of a node."""
    for curve in _curves(bpy.data.objects[node]):
        for point in curve.keyframe_points:
            point.interpolation = kind
        curve.update()


def retime(node: str, factor: float) -> None:
    """Scale the times of the keys of a node."""
    for curve in _curves(bpy.data.objects[node]):
        for point in curve.keyframe_points:
            point.co.x *= factor
        curve.update()


def cut(node: str, frame: float, axis: list[float], radians: float) -> None:
    """Turn a node from a frame on, at once: two keys a thousandth of a frame apart."""
    at = _scene_frame(frame)
    for curve in _rotations(node):
        before = curve.evaluate(at)
        curve.keyframe_points.insert(at - 1e-3, before).interpolation = "LINEAR"
        curve.keyframe_points.insert(at, before).interpolation = "LINEAR"
    quads = [[it for it in curve.keyframe_points if it.co.x > at - 5e-4] for curve in _rotations(node)]
    for points in zip(*quads, strict=True):
        turned = Quaternion([it.co.y for it in points]) @ Quaternion(axis, radians)
        for point, value in zip(points, turned, strict=True):
            point.co.y = value


def new_action(name: str, node: str, frames: float, axis: list[float], radians: float) -> None:
    """Add an action of a node that turns it, in a strip of its own."""
    item = bpy.data.objects[node]
    first = item.rotation_quaternion.copy()
    old = item.animation_data.action
    slot = item.animation_data.action_slot
    item.animation_data.action = bpy.data.actions.new(name)
    for frame, angle in ((0.0, 0.0), (frames, radians)):
        item.rotation_quaternion = first @ Quaternion(axis, angle)
        item.keyframe_insert(ROTATION, frame=_scene_frame(frame))
    for curve in _curves(item):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    track = item.animation_data.nla_tracks.new()
    track.name = name
    track.strips.new(name, 0, item.animation_data.action)
    track.mute = True
    item.animation_data.action = old
    item.animation_data.action_slot = slot


def _scene_frame(frame: float) -> float:
    return frame * float(bpy.context.scene.render.fps) / FPS


def _points(node: str, frame: float) -> list[Any]:
    """The four keys of the rotation of a node at a frame."""
    at = _scene_frame(frame)
    return [
        next(it for it in curve.keyframe_points if abs(it.co.x - at) < 1e-3) for curve in _rotations(node)
    ]


def _rotations(node: str) -> list[Any]:
    return [it for it in _curves(bpy.data.objects[node]) if it.data_path == ROTATION]


def _curves(item: Any) -> list[Any]:
    """The curves of an object in its action, which it may share."""
    data = item.animation_data
    strips = [strip for layer in data.action.layers for strip in layer.strips]
    return [it for strip in strips for it in strip.channelbag(data.action_slot).fcurves]


MOTION = (
    rotate_key,
    add_key,
    delete_key,
    move_keys,
    animate,
    clear_animation,
    interpolate,
    retime,
    retime_all,
    cut,
    new_action,
)
