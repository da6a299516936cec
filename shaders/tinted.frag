#version 330 core
#include "materials.glsl"
#include "coverage.glsl"

out vec4 color;

uniform vec4 tint;

void main() {
    if (is_hole()) {
        discard;
    }
    color = tint;
}
