#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

in vec3 in_position;
in uint in_node;

void main() {
    gl_Position = clip_from_world * vec4(world_position(in_node, in_position), 1.0);
}
