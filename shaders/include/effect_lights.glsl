// The lights of effects: place and range, color, and the factors of the light at a share of the range.
const int MOST_EFFECT_LIGHTS = 8;
uniform int effect_light_count;
uniform vec4 effect_lights[MOST_EFFECT_LIGHTS];
uniform vec3 effect_colors[MOST_EFFECT_LIGHTS];
uniform vec3 effect_factors[MOST_EFFECT_LIGHTS];

// The game lights vertices; here every pixel is lit, so that large triangles and the grid are lit too.
vec3 effect_light(vec3 world, vec3 n) {
    vec3 light = vec3(0.0);
    for (int index = 0; index < effect_light_count; ++index) {
        vec3 way = effect_lights[index].xyz - world;
        float range = effect_lights[index].w;
        float far = length(way);
        if (far < range && far > 0.0) {
            float near = (range - far) / range;
            float strength = dot(effect_factors[index], vec3(1.0, near, near * near));
            light += max(dot(n, way / far), 0.0) * strength * effect_colors[index];
        }
    }
    return light;
}
