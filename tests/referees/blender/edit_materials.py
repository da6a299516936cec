"""Edits of materials and of what wears them."""

from __future__ import annotations

from typing import Any

import bpy


def change_material(node: str, index: int, material: str) -> None:
    """Give the faces with a material of a node another one."""
    bpy.data.objects[node].material_slots[index].material = bpy.data.materials[material]


def paint_faces(node: str, count: int, material: str) -> None:
    """Give the first faces of a node another material."""
    data = bpy.data.objects[node].data
    data.materials.append(bpy.data.materials[material])
    for face in data.polygons[:count]:
        face.material_index = len(data.materials) - 1


def swap_slots(node: str) -> None:
    """Swap the materials of the first two slots of a node."""
    first, second = bpy.data.objects[node].material_slots[:2]
    first.material, second.material = second.material, first.material


def remove_materials(node: str) -> None:
    """Leave an object without a material."""
    bpy.data.objects[node].data.materials.clear()


def base_color(material: str, color: list[float]) -> None:
    """Multiply the image of a material by a linear color."""
    tree, socket = _tree(material)
    links = socket.links
    if links and links[0].from_node.type == "MIX":
        free = [it for it in links[0].from_node.inputs if it.type == "RGBA" and not it.is_linked]
        free[-1].default_value = color
        return
    mix = tree.nodes.new("ShaderNodeMix")
    mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
    mix.inputs[0].default_value = 1.0
    tree.links.new(links[0].from_socket, mix.inputs[6])
    mix.inputs[7].default_value = color
    tree.links.new(mix.outputs[2], socket)


def alpha(material: str, value: float) -> None:
    """Let a material be seen through."""
    shader = _tree(material)[1].node
    socket = shader.inputs["Alpha"]
    for link in list(socket.links):
        shader.id_data.links.remove(link)
    socket.default_value = value
    bpy.data.materials[material].surface_render_method = "BLENDED"


def roughness(material: str, value: float) -> None:
    """Make a material smoother and metallic."""
    shader = _tree(material)[1].node
    shader.inputs["Roughness"].default_value = value
    shader.inputs["Metallic"].default_value = value


def emission(material: str, color: list[float], strength: float) -> None:
    """Let a material shine in a linear color, whatever its image."""
    shader = _tree(material)[1].node
    socket = shader.inputs["Emission Color"]
    for link in list(socket.links):
        shader.id_data.links.remove(link)
    socket.default_value = color
    shader.inputs["Emission Strength"].default_value = strength


def image(material: str, name: str, width: int, height: int) -> None:
    """Give a material another image, red from left to right; what shines of it keeps the one before."""
    made = bpy.data.images.new(name, width, height)
    row = [value for x in range(width) for value in (x / (width - 1), 0.0, 0.0, 1.0)]
    made.pixels = row * height
    made.pack()
    found = _tree(material)[1].links[0].from_node
    while found.type != "TEX_IMAGE":  # behind what multiplies it by a color
        found = next(it for it in found.inputs if it.is_linked).links[0].from_node
    found.image = made


def rename_material(material: str, name: str) -> None:
    """Rename a material."""
    bpy.data.materials[material].name = name


def add_material(node: str, index: int, name: str, color: list[float]) -> None:
    """Give the faces with a material of a node a new one."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    _tree(name)[1].default_value = color
    bpy.data.objects[node].material_slots[index].material = made


def _tree(material: str) -> tuple[Any, Any]:
    """The nodes of a material, and the base color of its shader."""
    tree = bpy.data.materials[material].node_tree
    shader = next(it for it in tree.nodes if it.type == "BSDF_PRINCIPLED")
    return tree, shader.inputs["Base Color"]


MATERIALS = (
    change_material,
    paint_faces,
    swap_slots,
    remove_materials,
    base_color,
    alpha,
    roughness,
    emission,
    image,
    rename_material,
    add_material,
)
