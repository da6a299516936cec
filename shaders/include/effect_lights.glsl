// The lights of effects: place and range, color, and the factors of the light at a share of the range.
const int MOST_EFFECT_LIGHTS = 8;
uniform int effect_light_count;
uniform vec4 effect_lights[MOST_EFFECT_LIGHTS];
uniform vec3 effect_colors[MOST_EFFECT_LIGHTS];
uniform vec3 effect_factors[MOST_EFFECT_LIGHTS];

// The direction from a point towards a light, and how much of its color arrives there.
vec4 effect_light(int index, vec3 world) {
    vec3 way = effect_lights[index].xyz - world;
    float range = effect_lights[index].w;
    float far = length(way);
    if (far <= 0.0 || far >= range) {
        return vec4(0.0);
    }
    float near = (range - far) / range;
    return vec4(way / far, dot(effect_factors[index], vec3(1.0, near, near * near)));
}

// What all of them add to a white surface.
vec3 effect_light(vec3 world, vec3 n) {
    vec3 light = vec3(0.0);
    for (int index = 0; index < effect_light_count; ++index) {
        vec4 arriving = effect_light(index, world);
        light += max(dot(n, arriving.xyz), 0.0) * arriving.w * effect_colors[index];
    }
    return light;
}
