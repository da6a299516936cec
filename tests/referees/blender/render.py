"""``python -m tests.referees.blender.render MODEL.glb OUT.png FPS FRAME YAW PITCH``: a picture by Cycles.

Yaw and pitch are those of the camera, in degrees.
"""

from __future__ import annotations

import os
import sys
from math import cos, radians, sin

import bpy
from mathutils import Vector

from tests.referees.blender.files import open_file


def _box() -> tuple[Vector, float]:
    """Center and radius of everything that is drawn."""
    corners = [
        it.matrix_world @ Vector(corner)
        for it in bpy.context.scene.objects
        if it.type == "MESH" and it.visible_get()
        for corner in it.bound_box
    ]
    low = Vector(min(corner[axis] for corner in corners) for axis in range(3))
    high = Vector(max(corner[axis] for corner in corners) for axis in range(3))
    return (low + high) / 2, (high - low).length / 2


def _light(yaw: float, strength: float) -> None:
    light = bpy.data.objects.new("light", bpy.data.lights.new("light", "SUN"))
    light.data.energy = strength
    light.rotation_euler = (radians(50), 0, radians(yaw))
    bpy.context.collection.objects.link(light)


def _camera(yaw: float, pitch: float) -> None:
    center, radius = _box()
    toward = Vector((cos(pitch) * sin(yaw), cos(pitch) * cos(yaw), sin(pitch)))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.angle = radians(40)
    camera.location = center + toward * radius / sin(radians(15)) * 0.9
    camera.rotation_euler = (-toward).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def _world() -> bpy.types.World:
    """A grey light from everywhere, before the background of our pictures."""
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    tree = world.node_tree
    light = tree.nodes["Background"]
    light.inputs[0].default_value = (*[0.3] * 3, 1)
    behind, path, mixed = (
        tree.nodes.new(f"ShaderNode{kind}") for kind in ("Background", "LightPath", "MixShader")
    )
    behind.inputs[0].default_value = (*[0.0331] * 3, 1)
    tree.links.new(path.outputs["Is Camera Ray"], mixed.inputs[0])
    tree.links.new(light.outputs[0], mixed.inputs[1])
    tree.links.new(behind.outputs[0], mixed.inputs[2])
    tree.links.new(mixed.outputs[0], tree.nodes["World Output"].inputs[0])
    return world


if __name__ == "__main__":
    path, out, fps, frame, yaw, pitch = sys.argv[1:]
    open_file(path, int(fps))
    scene = bpy.context.scene
    scene.frame_set(int(float(frame) // 1), subframe=float(frame) % 1)
    bpy.context.view_layer.update()
    _camera(radians(float(yaw)), radians(float(pitch)))
    _light(float(yaw), 3.0)
    _light(float(yaw) + 180, 1.0)
    scene.world = _world()
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 24
    scene.cycles.device = "CPU"
    scene.render.resolution_x, scene.render.resolution_y = 960, 720
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = out
    bpy.ops.render.render(write_still=True)
    sys.stdout.flush()
    os._exit(0)  # Blender may crash in its own clean-up
