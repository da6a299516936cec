#version 330 core

in vec2 uv;

out vec4 color;

uniform sampler2D mask;
uniform float width;    // pixels
uniform vec4 tint;
uniform float fill;

const int DIRECTIONS = 12;

// The largest value of the mask at that distance.
float nearby() {
    vec2 pixel = 1.0 / vec2(textureSize(mask, 0));
    float found = 0.0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        float angle = 6.2831853 * float(i) / float(DIRECTIONS);
        found = max(found, texture(mask, uv + pixel * width * vec2(cos(angle), sin(angle))).r);
    }
    return found;
}

// Filled where the mask is, brighter around it.
void main() {
    float here = texture(mask, uv).r;
    // The mask of a flash has two levels: a covered part next to a visible one gets the difference as its outline.
    color = vec4(tint.rgb, tint.a * max(fill * here, nearby() - here));
}
