#version 330 core
#include "frame.glsl"
#include "nodes.glsl"

// One line per instance, from the parent's origin to the node's origin.
in uint in_node;
in uint in_parent;

out vec4 line_color;

uniform vec4 parent_tint;
uniform vec4 node_tint;

void main() {
    bool is_parent = gl_VertexID == 0;
    uint node = is_parent ? in_parent : in_node;
    line_color = is_parent ? parent_tint : node_tint;
    gl_Position = clip_of(world_position(node, vec3(0.0)));
}
