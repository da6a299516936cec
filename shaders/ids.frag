#version 330 core
#include "materials.glsl"
#include "coverage.glsl"

flat in uint node;

out uvec2 id;

uniform int triangle_start;

void main() {
    if (is_hole()) {
        discard;
    }
    id = uvec2(node + 1u, uint(gl_PrimitiveID + triangle_start));
}
