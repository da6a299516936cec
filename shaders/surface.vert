#version 330 core
#include "frame.glsl"
#include "section.glsl"
#include "nodes.glsl"

in vec3 in_position;
in vec4 in_normal;
in uint in_node;

out vec3 world;
out vec3 normal;

invariant gl_Position;   // CutFacePass draws over triangles of another program, at equal depths

void main() {
    world = world_position(in_node, in_position);
    // A signed byte from -127 to 127; -128 would be a little below -1.
    normal = world_direction(in_node, max(in_normal.xyz / 127.0, -1.0));
    gl_Position = clip_of(world);
    cut(world);
}
