#version 330 core
#include "frame.glsl"
#include "section.glsl"
#include "nodes.glsl"

in vec3 in_position;
in uint in_node;

invariant gl_Position;   // CutFacePass draws over triangles of another program, at equal depths

void main() {
    vec3 world = world_position(in_node, in_position);
    gl_Position = clip_of(world);
    cut(world);
}
