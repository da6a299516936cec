#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

in vec3 in_position;
in uint in_node;

void main() {
    gl_Position = clip_of(world_position(in_node, in_position));
}
