#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

in vec3 in_position;
in uint in_node;

flat out uint node;

void main() {
    node = in_node;
    gl_Position = clip_from_world * vec4(world_position(in_node, in_position), 1.0);
}
