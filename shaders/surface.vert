#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

in vec3 in_position;
in vec4 in_normal;
in uint in_node;
in uint in_material;
in uint in_batch;

out vec3 world;
out vec3 normal;
flat out uint node;
flat out uint material;
flat out uint batch;

void main() {
    world = world_position(in_node, in_position);
    normal = world_direction(in_node, max(in_normal.xyz / 127.0, -1.0));
    node = in_node;
    material = in_material;
    batch = in_batch;
    gl_Position = clip_from_world * vec4(world, 1.0);
}
