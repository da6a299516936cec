#version 330 core
#include "frame.glsl"
#include "section.glsl"
#include "nodes.glsl"
#include "materials.glsl"
#include "effect_lights.glsl"
#include "light.glsl"

in vec3 in_position;
in vec4 in_normal;
in vec2 in_uv;
in vec2 in_lightmap_uv;
in float in_second_alpha;
in uint in_node;

out vec3 world;
out vec3 normal;
out vec2 uv;
out vec2 lightmap_uv;
out vec2 micro_uv;
out vec2 other_uv;
out vec2 other_micro_uv;
out float second_alpha;
out vec3 stream_color;
out vec3 first_color;
out vec3 second_color;
out vec3 over_first_color;
out vec3 over_second_color;

uniform bool has_game_look;
uniform bool has_normals;
uniform int material_row;
uniform int second_row;

const int NO_ROW = -1;
const float UV_STEPS = 1024.0;

invariant gl_Position;   // CutFacePass draws over triangles of another program, at equal depths

void main() {
    world = world_position(in_node, in_position);
    // A signed byte from -127 to 127; -128 would be a little below -1.
    normal = world_direction(in_node, max(in_normal.xyz / 127.0, -1.0));
    uv = in_uv / UV_STEPS;
    lightmap_uv = in_lightmap_uv / UV_STEPS;
    // On terrain the same table has the coordinates of the microtextures, and both pairs start over after 64
    // turns: signed at 32, unsigned at 0. The fragments choose between the two.
    // 40000 is 39.06 turns unsigned and (40000 - 65536) / 1024 = -24.94 signed: the same texel, 64 turns apart.
    micro_uv = (in_lightmap_uv - 65536.0 * step(32768.0, in_lightmap_uv)) / UV_STEPS;
    other_micro_uv = lightmap_uv;
    other_uv = (in_uv + 65536.0 * (1.0 - step(0.0, in_uv))) / UV_STEPS;
    second_alpha = in_second_alpha;
    // Res18 in the seeds' reading: the bytes are blue, green, red and alpha.
    // Two words are taken apart without integer inputs: 0x2211 is high byte 0x22 = floor(8721 / 256) and low byte 0x11.
    vec2 high = floor(in_lightmap_uv / 256.0);
    vec2 low = in_lightmap_uv - 256.0 * high;
    stream_color = vec3(low.y, high.x, low.x) / 255.0;
    // The game lights vertices: a light per pixel would be another picture on large faces.
    bool is_lit = has_game_look && has_normals;
    TwoColors colors = TwoColors(vec3(0.0), vec3(0.0)), over_colors = colors;
    if (is_lit) {
        colors = two_colors(material_of(material_row), normal, world);
    }
    if (is_lit && second_row != NO_ROW) {
        over_colors = two_colors(material_of(second_row), normal, world);
    }
    first_color = colors.first;
    second_color = colors.second;
    over_first_color = over_colors.first;
    over_second_color = over_colors.second;
    gl_Position = clip_of(world);
    cut(world);
}
