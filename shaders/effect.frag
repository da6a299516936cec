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

// In the order of WAYS in render/buffers/effect_sprites.py.
const int ALPHA = 0, ADD = 1, MULTIPLY = 2, MULTIPLY2 = 3;
const float REFERENCE = 0.5 / 255.0;

vec4 texel() {
    // GLSL 3.30 indexes an array of samplers by constants only: other indices compile on some drivers and fail on
    // others.
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
    // What fog leaves of a sprite at its end is what changes nothing behind it: black where it is added, white where it
    // is multiplied, grey 0x7f (127 / 255) where twice the product is taken (spec/field-notes.md 4.3).
    vec3 hidden = kind.y == ADD ? vec3(0.0) : kind.y == MULTIPLY ? vec3(1.0)
                : kind.y == MULTIPLY2 ? vec3(127.0 / 255.0) : fog_color;
    vec3 lit = mix(hidden, stored.rgb * tint.rgb, kept);
    if (kind.y == MULTIPLY || kind.y == MULTIPLY2) {
        // image * lit, written as image * (1 - loss). Twice lit may exceed 1: the loss is negative then, and brightens.
        color = vec4(0.0);
        loss = vec4(1.0 - lit * (kind.y == MULTIPLY ? 1.0 : 2.0), 0.0);
    } else {
        // Added sprites take nothing from the color behind them, but they count in the coverage, so that an image with
        // a transparent background shows them.
        color = vec4(lit * alpha, alpha);
        loss = vec4(kind.y == ADD ? vec3(0.0) : vec3(alpha), alpha);
    }
}
