#version 330 core
#include "frame.glsl"
#include "effect_lights.glsl"

// A line of the grid, brightened by the lights of effects.
in vec4 color;

out vec4 fragment;

uniform mat4 world_from_clip;

const float STRENGTH = 0.7;   // coverage of a line in full light

vec3 at_depth(vec2 clip, float depth) {
    vec4 world = world_from_clip * vec4(clip, depth, 1.0);
    return world.xyz / world.w;
}

void main() {
    fragment = color;
    if (effect_light_count == 0) {
        return;
    }
    vec2 clip = gl_FragCoord.xy / size * 2.0 - 1.0;
    vec3 near = at_depth(clip, -1.0), far = at_depth(clip, 1.0);
    // The point of the pixel on the plane z = 0: the ray runs from near.z to far.z and has passed near.z / (near.z -
    // far.z) of its way there.
    vec3 light = effect_light(near + (far - near) * near.z / (near.z - far.z), vec3(0.0, 0.0, 1.0));
    float most = max(light.r, max(light.g, light.b));
    if (most > 0.0) {
        float share = STRENGTH * min(most, 1.0);
        float alpha = color.a + share * (1.0 - color.a);
        // Light over line, both of straight alpha: the share that the light has of the coverage of both.
        fragment = vec4(mix(color.rgb, light / most, share / alpha), alpha);
    }
}
