#version 330 core

flat in uint node;

out uvec2 id;

uniform int triangle_start;

void main() {
    id = uvec2(node + 1u, uint(gl_PrimitiveID + triangle_start));
}
