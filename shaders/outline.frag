#version 330 core
#include "mask.glsl"

in vec2 uv;

out vec4 color;

uniform vec4 tint;

// Bright where the mask is near but not here.
void main() {
    color = vec4(tint.rgb, tint.a * clamp(nearby(uv) - texture(mask, uv).r, 0.0, 1.0));
}
