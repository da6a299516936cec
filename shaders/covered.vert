#version 330 core
#include "frame.glsl"
#include "section.glsl"
#include "nodes.glsl"

in vec3 in_position;
in vec2 in_uv;
in uint in_node;

out vec2 uv;
flat out uint node;

const float UV_STEPS = 1024.0;

void main() {
    uv = in_uv / UV_STEPS;
    node = in_node;
    vec3 world = world_position(in_node, in_position);
    gl_Position = clip_of(world);
    cut(world);
}
