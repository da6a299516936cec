#version 330 core
#include "mask.glsl"

in vec2 uv;

out vec4 color;

uniform vec4 tint;
uniform float fill;

// Filled where the mask is, brighter around it.
void main() {
    float here = texture(mask, uv).r;
    color = vec4(tint.rgb, tint.a * max(fill * here, nearby(uv) - here));
}
