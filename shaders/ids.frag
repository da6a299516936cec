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
    // gl_PrimitiveID begins at 0 in each call; node + 1, so that the cleared 0 means the background.
    id = uvec2(node + 1u, uint(gl_PrimitiveID + triangle_start));
}
