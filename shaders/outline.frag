#version 330 core

in vec2 uv;

out vec4 color;

uniform sampler2D mask;
uniform float width;    // pixels
uniform vec4 tint;

const int DIRECTIONS = 12;

// Bright where the mask is near but not here.
void main() {
    vec2 pixel = 1.0 / vec2(textureSize(mask, 0));
    float here = texture(mask, uv).r;
    float near = 0.0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        float angle = 6.2831853 * float(i) / float(DIRECTIONS);
        near = max(near, texture(mask, uv + pixel * width * vec2(cos(angle), sin(angle))).r);
    }
    color = vec4(tint.rgb, tint.a * clamp(near - here, 0.0, 1.0));
}
