// The light of the game: two colors of a vertex, one that the texture is multiplied by and one that is added after it.
// Requires frame.glsl, materials.glsl and effect_lights.glsl before it; viewer/model/material/light.py computes the same.
struct TwoColors {
    vec3 first;
    vec3 second;
};

const int MOST_LIGHTS = 4;
const float HIGHEST_POWER = 24.0;   // of a higher power the exponent would be infinite
uniform vec3 scene;
uniform int light_count;
uniform vec3 towards_lights[MOST_LIGHTS];
uniform vec3 light_colors[MOST_LIGHTS];

// Lines whose minimum is the curve: up to 1 unchanged, then a sixth as steep, from 7 on level.
vec3 knee(vec3 c) {
    return min(min(c, c / 6.0 + 5.0 / 6.0), 2.0);
}

// The same with bends at 1 and 3.
vec3 spill(vec3 s) {
    return min(min(0.8 * s, 0.1 * s + 0.7), 1.0);
}

// What a light adds to the sum of the surface and to its highlight, before the colors of the material.
void add_light(vec3 n, vec3 towards, vec3 light_color, vec3 eye, float power, inout vec3 fallen, inout vec3 gleam) {
    float facing = dot(n, towards);
    if (facing > 0.0) {
        fallen += light_color * facing;
        if (power > 0.0) {
            float mirrored = max(dot(2.0 * facing * n - towards, eye), 0.0);
            // The power is a step, not an exponent: 1, 2, 3, 4, 6 give exponents 1, 2, 4, 8, 32 (spec/field-notes.md
            // 4.1).
            gleam += light_color * pow(mirrored, exp2(min(power, HIGHEST_POWER) - 1.0));
        }
    }
}

// Of a normal as it is: both sides of a face are lit alike, and none of a zero normal. A lightmap takes the place of
// the lights: the diffuse color is the material's own light then.
TwoColors two_colors(Material m, vec3 n, vec3 world) {
    vec3 fallen = vec3(0.0), gleam = vec3(0.0);
    if (!m.has_lightmap) {
        vec3 eye = towards_eye(world);
        for (int index = 0; index < light_count; ++index) {
            add_light(n, towards_lights[index], light_colors[index], eye, m.power, fallen, gleam);
        }
        for (int index = 0; index < effect_light_count; ++index) {
            vec4 arriving = effect_light(index, world);
            add_light(n, arriving.xyz, arriving.w * effect_colors[index], eye, m.power, fallen, gleam);
        }
    }
    vec3 own = m.has_lightmap ? m.diffuse.rgb : m.ambient.rgb;
    // The scene color is a floor under the sum, not a term of it; what the knee leaves above 1 whitens as the second
    // color.
    vec3 k = knee(max(m.diffuse.rgb * fallen + own, scene));
    return TwoColors(min(k, 1.0), spill(m.specular.rgb * gleam + max(k - 1.0, 0.0)));
}
