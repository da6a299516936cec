#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

// One shape, drawn once per instance: translated, scaled and transformed by its node.
in vec3 in_point;
in vec4 in_color;
in vec3 in_center;
in vec3 in_extent;
in uint in_node;

const uint WORLD = 0xFFFFFFFFu;   // the node of an instance in world space

out vec4 line_color;

uniform vec4 tint;
uniform float stretch;

void main() {
    line_color = in_color * tint;
    vec3 point = in_center + stretch * in_extent * in_point;
    // Marks that are as large on screen at any distance change `stretch` alone: their instances stay on the card.
    vec3 world = in_node == WORLD ? point : world_position(in_node, point);
    gl_Position = clip_of(world);
}
