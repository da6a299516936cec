#version 330 core

in vec2 uv;
flat in vec4 tint;
flat in ivec2 kind;   // the texture, and a way of blending
in float kept;        // share of its color in the fog

// The color that is added, and what the color behind it loses: with both, sprites that are blended and sprites
// that are added are drawn in one call, in the order of their distance.
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 loss;

const int MAPS = 8;
uniform sampler2D maps[MAPS];
uniform vec3 fog_color;

// In the order of WAYS in render/passes/effects.py.
const int ALPHA = 0, ADD = 1, MULTIPLY = 2, MULTIPLY2 = 3;
const float REFERENCE = 0.5 / 255.0;

vec4 texel() {
    switch (kind.x) {
        case 0: return texture(maps[0], uv);
        case 1: return texture(maps[1], uv);
        case 2: return texture(maps[2], uv);
        case 3: return texture(maps[3], uv);
        case 4: return texture(maps[4], uv);
        case 5: return texture(maps[5], uv);
        case 6: return texture(maps[6], uv);
        default: return texture(maps[7], uv);
    }
}

void main() {
    vec4 stored = texel();
    float alpha = stored.a * clamp(tint.a, 0.0, 1.0);
    if (alpha < REFERENCE) {
        discard;
    }
    vec3 hidden = kind.y == ADD ? vec3(0.0) : kind.y == MULTIPLY ? vec3(1.0)
                : kind.y == MULTIPLY2 ? vec3(127.0 / 255.0) : fog_color;
    vec3 lit = mix(hidden, stored.rgb * tint.rgb, kept);
    if (kind.y == MULTIPLY || kind.y == MULTIPLY2) {
        color = vec4(0.0);
        loss = vec4(1.0 - lit * (kind.y == MULTIPLY ? 1.0 : 2.0), 0.0);
    } else {
        color = vec4(lit * alpha, alpha);
        loss = vec4(kind.y == ADD ? vec3(0.0) : vec3(alpha), alpha);
    }
}
