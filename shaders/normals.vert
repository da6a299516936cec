#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

in vec3 in_position;
in vec4 in_normal;
in uint in_node;

out vec4 tip;
out float kept;

uniform float normal_length;

void main() {
    vec3 world = world_position(in_node, in_position);
    // A signed byte from -127 to 127; -128 would be a little below -1.
    vec3 normal = world_direction(in_node, max(in_normal.xyz / 127.0, -1.0));
    gl_Position = clip_of(world);
    // A geometry shader follows, so the section plane cuts here by a number: the root is cut away if it is negative.
    kept = dot(section.xyz, world - origin.xyz) + section.w;
    tip = clip_of(world + normal * normal_length);
}
